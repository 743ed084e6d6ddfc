// The explanation: sentences, what would change the reading, and everything that counted.

import { html } from "./dom.js";
import { infix, number, percent, pretty } from "./reading.js";

const SHOWN = { removals: 8, parts: 16 };

export function reasons(explanation, parse) {
  const found = explanation.sentences.map((sentence) => html("p", {}, ...sentence.map(segment)));
  if (explanation.removals.length) found.push(...removals(explanation, parse));
  if (explanation.contributions.length) found.push(everything(explanation, parse));
  return [html("div", { class: "sentences" }, ...found.splice(0, explanation.sentences.length)), ...found];
}

function segment([style, text]) {
  if (style === "strong") return html("b", {}, text);
  return style === "quoted" ? html("q", {}, text) : text;
}

function removals(explanation, parse) {
  const own = infix(explanation.reading);
  const rows = [...explanation.removals]
    .sort((one, other) => one.probability - other.probability)
    .slice(0, SHOWN.removals)
    .map((removal) => {
      const same = removal.reading === own;
      const reading = removal.reading === null ? "nothing" : `${removal.reading}${result(removal)}`;
      return html(
        "tr",
        {},
        html("th", { scope: "row" }, ...inContext(removal, parse)),
        html("td", { class: same ? "maths" : "maths changed" }, same ? "the same" : pretty(reading)),
        html("td", {}, gauge(removal.probability)),
        html("td", { class: "figure" }, percent(removal.probability)),
      );
    });
  const head = ["Without", "it would be", "this reading would have"].map((words, at) =>
    html("th", { scope: "col", colspan: at === 2 ? 2 : null }, words),
  );
  return [
    html("h3", { class: "part" }, "If these words were not there"),
    table("If these words were not there", head, rows),
  ];
}

// The words between their neighbours: the same word may stand in several places.
function inContext(removal, parse) {
  const near = (at) => parse.tokens[at]?.text ?? "";
  const faint = (text) => html("span", { class: "faint" }, text);
  const [first, last] = [removal.words[0], removal.words.at(-1)];
  return [faint(`${near(first - 1)} `), html("b", {}, removal.text), faint(` ${near(last + 1)}`)];
}

function result(removal) {
  return removal.answer === null || removal.reading.includes("=") ? "" : ` = ${number(removal.answer)}`;
}

function gauge(share) {
  const bar = html("span", { class: "gauge", "aria-hidden": "true" }, html("span"));
  bar.firstChild.style.width = `${100 * share}%`;
  return bar;
}

function everything(explanation, parse) {
  const parts = [...explanation.contributions].sort((one, other) => Math.abs(other.score) - Math.abs(one.score));
  const rows = parts.slice(0, SHOWN.parts).map((part) => {
    const word = part.word === null ? "" : parse.tokens[part.word].text;
    const shown = explanation.reasons[part.node]?.shown ?? "";
    return html(
      "tr",
      {},
      html("td", {}, pretty(shown)),
      html("td", {}, word ? html("q", {}, word) : ""),
      html("td", {}, html("code", {}, part.feature || part.kind)),
      html("td", { class: "figure" }, part.score.toFixed(2).replace("-", "−")),
    );
  });
  const head = ["Node", "Word", "Feature", "Score"].map((words) => html("th", { scope: "col" }, words));
  const rest = explanation.contributions.length - rows.length;
  return html(
    "details",
    { class: "list" },
    html("summary", {}, "What counted most"),
    html(
      "p",
      { class: "hint" },
      `The ${rows.length} weightiest parts; with ${rest} others they add up to ${explanation.score.toFixed(2)}.`,
    ),
    table("What counted most", head, rows),
  );
}

function table(label, head, rows) {
  const inner = html("table", {}, html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...rows));
  const box = html("div", { class: "wide", tabindex: 0, role: "group", "aria-label": label }, inner);
  const cue = html("p", { class: "cue hint", hidden: true }, "↔ Scroll sideways to see all of it.");
  return html("div", {}, box, cue);
}
