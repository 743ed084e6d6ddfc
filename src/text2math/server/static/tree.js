// The tree as a drawing and as a nested list, and the formula with its parts tied to the nodes.

import { html, mathFrom, svg } from "./dom.js";

const WORDS = { size: 12.5, line: 16, widest: 148, lines: 3 };
const SIGN = { size: 21, line: 27 };
const PAD = { x: 12, y: 9 };
const GAP = { x: 14, y: 40 };

const FONT = "Inter, system-ui, sans-serif";
const pen = document.createElement("canvas").getContext("2d");

function width(text, size, weight = 400) {
  pen.font = `${weight} ${size}px ${FONT}`;
  return pen.measureText(text).width;
}

function wrapped(text) {
  const lines = [];
  for (const word of text.split(" ")) {
    const joined = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && width(joined, WORDS.size) <= WORDS.widest) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  const kept = lines.slice(0, WORDS.lines);
  if (lines.length > WORDS.lines) kept[WORDS.lines - 1] += " …";
  return kept.map(shortened);
}

function shortened(line) {
  const letters = Array.from(line);
  while (letters.length > 1 && width(letters.join(""), WORDS.size) > WORDS.widest) letters.splice(-2, 2, "…");
  return letters.join("");
}

function measured(node) {
  const lines = node.words ? wrapped(node.words) : [];
  const inner = Math.max(width(node.sign, SIGN.size, 700), ...lines.map((line) => width(line, WORDS.size)));
  return {
    lines,
    wide: Math.max(46, inner + 2 * PAD.x),
    high: SIGN.line + lines.length * WORDS.line + 2 * PAD.y,
  };
}

// Operands side by side under their operator; each level begins below the tallest box of the one above.
function laidOut(nodes) {
  const boxes = nodes.map(measured);
  const levels = [];
  nodes.forEach((node, at) => {
    levels[node.depth] = Math.max(levels[node.depth] ?? 0, boxes[at].high);
  });
  const tops = [];
  levels.reduce((top, high, depth) => {
    tops[depth] = top;
    return top + high + GAP.y;
  }, 0);
  const room = new Map();
  for (const node of [...nodes].reverse()) {
    const below = node.children.reduce((sum, child) => sum + room.get(child), 0);
    room.set(node, Math.max(boxes[node.id].wide, below + GAP.x * Math.max(0, node.children.length - 1)));
  }
  const place = (node, left) => {
    const box = boxes[node.id];
    box.y = tops[node.depth];
    const below = node.children.reduce((sum, child) => sum + room.get(child) + GAP.x, -GAP.x);
    let at = left + Math.max(0, (room.get(node) - below) / 2);
    for (const child of node.children) {
      place(child, at);
      at += room.get(child) + GAP.x;
    }
    const ends = node.children.map((child) => boxes[child.id].x + boxes[child.id].wide / 2);
    const middle = ends.length ? (ends[0] + ends.at(-1)) / 2 : left + room.get(node) / 2;
    box.x = Math.min(Math.max(left, middle - box.wide / 2), left + room.get(node) - box.wide);
  };
  place(nodes[0], 0);
  return { boxes, wide: room.get(nodes[0]), high: tops.at(-1) + levels.at(-1) };
}

export function ariaLabel(node) {
  return node.words ? `${node.name}: “${node.words}”` : `${node.name}: no words`;
}

function shade(node) {
  return `node ${node.colour === null ? "shade-none" : `shade-${node.colour}`}${node.dashed ? " dashed" : ""}`;
}

export function drawing(nodes) {
  const { boxes, wide, high } = laidOut(nodes);
  const edge = 3;
  const picture = svg("svg", {
    viewBox: `${-edge} ${-edge} ${wide + 2 * edge} ${high + 2 * edge}`,
    role: "group",
    "aria-labelledby": "tree-title",
  });
  picture.style.width = `${(wide + 2 * edge) / 16}rem`;
  for (const node of nodes) {
    for (const child of node.children) picture.append(branch(boxes[node.id], boxes[child.id], child));
  }
  for (const node of nodes) picture.append(box(node, boxes[node.id]));
  return picture;
}

function branch(from, to, child) {
  const [x1, y1] = [from.x + from.wide / 2, from.y + from.high];
  const [x2, y2] = [to.x + to.wide / 2, to.y];
  const middle = (y1 + y2) / 2;
  return svg("path", {
    class: "branch",
    "data-to": child.id,
    d: `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`,
  });
}

function box(node, { x, y, wide, high, lines }) {
  const middle = x + wide / 2;
  const group = svg(
    "g",
    {
      class: shade(node),
      "data-node": node.id,
      tabindex: 0,
      role: "button",
      "aria-pressed": "false",
      // The visible text comes first: people who use voice control say what they see.
      "aria-label": [node.sign, node.words, node.operator ? `(${node.name})` : ""].filter(Boolean).join(" "),
    },
    svg("rect", { x, y, width: wide, height: high, rx: 11 }),
    svg("text", { class: "sign", x: middle, y: y + PAD.y + 19, "font-size": SIGN.size }, node.sign),
  );
  lines.forEach((line, at) => {
    const top = y + PAD.y + SIGN.line + at * WORDS.line + 11;
    group.append(" ", svg("text", { class: "small", x: middle, y: top, "font-size": WORDS.size }, line));
  });
  return group;
}

export function nestedList(node) {
  const words = node.words ? html("q", {}, node.words) : html("i", {}, "no words");
  const line = html("span", { class: shade(node), "data-node": node.id }, html("b", {}, node.sign));
  const item = html("li", {}, line, " ", html("span", { class: "unseen" }, `${node.name} `), words);
  if (node.children.length) item.append(html("ul", {}, ...node.children.map(nestedListItem)));
  return node.parent ? item : html("ul", {}, item);
}

function nestedListItem(child) {
  return nestedList(child);
}

// The formula; its numbers, unknowns and signs are linked to their nodes if there are as many as nodes.
export function formula(mathml, nodes) {
  const element = mathFrom(mathml);
  const parts = [];
  inOrder(element, parts);
  const order = [];
  if (nodes.length) treeOrder(nodes[0], order);
  if (parts.length === order.length) {
    parts.forEach((part, at) => {
      if (part) part.dataset.node = order[at].id;
    });
  }
  return element;
}

function treeOrder(node, order) {
  const [left, right, ...asides] = node.children;
  if (left) treeOrder(left, order);
  order.push(node);
  if (right) treeOrder(right, order);
  for (const aside of asides) {
    order.push(aside); // for the “;” before it
    treeOrder(aside, order);
  }
}

function inOrder(element, parts) {
  const tag = element.localName;
  if (tag === "mn" || tag === "mi" || tag === "msub" || "number" in element.dataset) {
    parts.push(element);
  } else if (tag === "mfrac") {
    inOrder(element.children[0], parts);
    parts.push(null);
    inOrder(element.children[1], parts);
  } else if (tag === "mo") {
    const before = element.previousElementSibling;
    const operand = before && before.localName !== "mo";
    if (operand && !"()⌈⌉⌊⌋".includes(element.textContent)) parts.push(element);
  } else {
    for (const child of element.children) inOrder(child, parts);
  }
}
