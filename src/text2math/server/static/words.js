// The text with each node's words on the node's colour, and its numbers as buttons.

import { html } from "./dom.js";
import { characters, number, usedBy } from "./reading.js";
import { ariaLabel } from "./tree.js";

export function marked(parse, nodes, forced) {
  const text = characters(parse.text);
  const owner = new Map();
  for (const node of nodes) for (const word of node.data.words) owner.set(word, node);
  const used = usedBy(parse, nodes);
  const pieces = [];
  let at = 0;
  for (let i = 0; i < parse.tokens.length; ) {
    const node = owner.get(i) ?? null;
    let end = i + 1;
    while (end < parse.tokens.length && (owner.get(end) ?? null) === node) end++;
    pieces.push(text.slice(at, parse.tokens[i].start).join(""));
    pieces.push(run(parse, text, i, end, node, used, forced));
    at = parse.tokens[end - 1].end;
    i = end;
  }
  pieces.push(text.slice(at).join(""));
  return pieces;
}

function run(parse, text, first, last, node, used, forced) {
  const span = html("span", { class: "run" });
  if (node) {
    const shade = node.colour === null ? "none" : node.colour;
    span.className = `run node shade-${shade}${node.dashed ? " dashed" : ""}`;
    span.dataset.node = node.id;
    span.tabIndex = 0;
    span.setAttribute("role", "group");
    span.setAttribute("aria-label", ariaLabel(node));
  }
  let at = parse.tokens[first].start;
  for (let i = first; i < last; ) {
    // A number may continue in the words of another node; its first part is the button.
    const found = quantityAt(parse, i);
    const quantity = found !== null && i > 0 && quantityAt(parse, i - 1) === found ? null : found;
    let end = i + 1;
    while (quantity !== null && end < last && quantityAt(parse, end) === quantity) end++;
    span.append(text.slice(at, parse.tokens[i].start).join(""));
    const shown = text.slice(parse.tokens[i].start, parse.tokens[end - 1].end).join("");
    span.append(quantity === null ? shown : numberButton(parse, quantity, shown, used, forced));
    at = parse.tokens[end - 1].end;
    i = end;
  }
  return span;
}

function quantityAt(parse, token) {
  const { start, end } = parse.tokens[token];
  const found = parse.quantities.findIndex(
    (quantity) => quantity.source === "written" && quantity.start < end && start < quantity.end,
  );
  return found < 0 ? null : found;
}

function numberButton(parse, quantity, shown, used, forced) {
  const isUsed = used.has(quantity);
  const isForced = forced.has(quantity);
  const value = number(parse.quantities[quantity].value);
  const state = (isUsed ? "used" : "not used") + (isForced ? ", as you chose" : "");
  const next = isForced ? "let the model choose" : isUsed ? "leave it out" : "force it in";
  const title = `${value}, ${state}. Click to ${next}.`;
  return html(
    "button",
    {
      type: "button",
      class: `number ${isUsed ? "used" : "unused"}${isForced ? " forced" : ""}`,
      "data-quantity": quantity,
      "aria-pressed": String(isUsed),
      "aria-label": `${shown}: ${state}. Press to ${next}.`,
      title,
    },
    shown,
  );
}
