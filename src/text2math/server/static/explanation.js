// The explanation: sentences, changes to the text that would change the reading, and the largest contributions.

import { html } from "./dom.js";
import { infix, number, percent, pretty } from "./reading.js";

const SHOWN = { variations: 8, parts: 16 };
const LESS = 0.05; // by how much a probability must drop to be worth a row
const BLANK = "___";

export function reasons(explanation, parse) {
  const found = explanation.sentences.map((sentence) => html("p", {}, ...sentence.map(segment)));
  const changed = telling(explanation);
  if (changed.length) found.push(...variations(changed, explanation, parse));
  const named = explanation.contributions.filter((part) => part.feature !== "rest");
  if (named.length) found.push(everything(named, explanation, parse));
  return [html("div", { class: "sentences" }, ...found.splice(0, explanation.sentences.length)), ...found];
}

function segment([style, text]) {
  if (style === "strong") return html("b", {}, text);
  return style === "quoted" ? html("q", {}, text) : text;
}

// The variations of the text that change the reading or make it less likely, those with the largest effect first.
function telling(explanation) {
  const usual = explanation.reading.probability;
  return [...explanation.removals, ...explanation.exchanges]
    .filter((one) => !one.wins || one.probability < usual - LESS)
    .sort((one, other) => one.probability - other.probability)
    .slice(0, SHOWN.variations);
}

function variations(changed, explanation, parse) {
  const own = infix(explanation.reading);
  const rows = changed.map((one) => {
    const same = one.reading === own;
    const reading = one.reading === null ? "nothing" : `${one.reading}${result(one)}`;
    return html(
      "tr",
      {},
      html("th", { scope: "row" }, ...inContext(one, parse)),
      html("td", { class: same ? "maths" : "maths changed" }, same ? "less likely" : pretty(reading)),
      html("td", {}, gauge(one.probability)),
      html("td", { class: "figure" }, percent(one.probability)),
    );
  });
  const head = ["With", "it would be", "this reading would have"].map((words, at) =>
    html("th", { scope: "col", colspan: at === 2 ? 2 : null }, words),
  );
  const title = "If the text said something else";
  return [html("h3", { class: "part" }, title), table(title, head, rows)];
}

// The changed words between their neighbours, because the same word may appear several times.
function inContext(one, parse) {
  const near = (at) => parse.tokens[at]?.text ?? "";
  const faint = (text) => html("span", { class: "faint" }, text);
  const found = [];
  one.words.forEach((word, at) => {
    if (one.words[at - 1] !== word - 1) found.push(faint(`${at ? " … " : ""}${near(word - 1)} `));
    else found.push(" ");
    found.push(html("s", {}, near(word)));
    if (one.instead[at] !== BLANK) found.push(" ", html("b", {}, one.instead[at]));
    if (one.words[at + 1] !== word + 1) found.push(faint(` ${near(word + 1)}`));
  });
  return found;
}

function result(variation) {
  return variation.answer === null || variation.reading.includes("=") ? "" : ` = ${number(variation.answer)}`;
}

function gauge(share) {
  const bar = html("span", { class: "gauge", "aria-hidden": "true" }, html("span"));
  bar.firstChild.style.width = `${100 * share}%`;
  return bar;
}

function everything(named, explanation, parse) {
  const parts = [...named].sort((one, other) => Math.abs(other.score) - Math.abs(one.score));
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
      `The ${rows.length} largest contributions; with ${rest} others they add up to ${explanation.score.toFixed(2)}.`,
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
