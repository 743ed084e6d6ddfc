// The answer with its unit, the steps to it, the reasons to doubt it, and the verdict on somebody else's answer.

import { byId, html } from "./dom.js";
import { characters, figures, number } from "./reading.js";

// The answer of the best reading as people write it; a number and its noun in two sizes.
export function answerWithUnit(parse) {
  const { answer_text: text, unit, answer_exact: exact } = parse;
  if (exact === null) return html("span", { class: "value" }, text); // several answers
  const [main, beside] = figures(exact);
  const noun = [unit.one, unit.many].find((name) => name && text.endsWith(` ${name}`));
  const shown = noun ? [html("span", { class: "value" }, main), " ", html("span", { class: "unit" }, noun)] : [];
  if (!noun) shown.push(html("span", { class: "value" }, unit.sign || /[^0-9.,/−-]/.test(text) ? text : main));
  if (beside && !text.startsWith("about ")) shown.push(" ", html("span", { class: "near" }, beside));
  return html("span", {}, ...shown);
}

export function showSteps(parse, isBest) {
  const steps = isBest ? (parse?.steps ?? []) : [];
  byId("steps").replaceChildren(...steps.map(stepItem));
  byId("steps-box").hidden = steps.length < 2;
}

function stepItem(step) {
  const [statement, note] = step.text.split("  [");
  const item = html("li", { "data-action": step.action }, html("span", { class: "maths" }, statement));
  if (note) item.append(" ", html("span", { class: "faint" }, note.replace(/\]$/, "")));
  return item;
}

export function showDoubts(parse, isBest) {
  const doubts = isBest ? (parse?.doubts ?? []) : [];
  byId("doubt-list").replaceChildren(...doubts.map((doubt) => html("li", {}, sentenceOf(doubt, parse))));
  byId("doubts").hidden = !doubts.length;
}

// The reason, and the words it is about.
function sentenceOf(doubt, parse) {
  const text = characters(parse.text);
  const words = doubt.spans.map(([start, end]) => text.slice(start, end).join(""));
  const quoted = words.filter((word) => !doubt.message.includes(word.toLowerCase())).map((word) => `“${word}”`).join(", ");
  const first = doubt.message[0].toUpperCase() + doubt.message.slice(1);
  return quoted.length > 0 && quoted.length < 60 ? `${first} (${quoted})` : first;
}

// The facts behind numbers that are not written as such: the 7 days of a week, the minutes of a time of day.
export function showKnown(parse) {
  const used = (parse?.quantities ?? []).filter((quantity) => quantity.used);
  const known = used.filter(({ fact, source }) => fact || source === "known");
  const facts = new Set(known.map(({ fact, text, value }) => fact || `${text}: ${number(value)}`));
  const chips = [...facts].map((fact) => html("li", { class: "chip" }, fact));
  byId("known").replaceChildren(...chips);
  byId("known").hidden = !chips.length;
}

export function showVerdict(verdict) {
  const box = byId("verdict");
  box.replaceChildren();
  delete box.dataset.kind;
  if (!verdict) return;
  box.dataset.kind = verdict.agrees === null ? "open" : verdict.agrees ? "right" : "wrong";
  if (verdict.agrees === null) box.append(`I can’t tell: ${verdict.reason}.`);
  else if (verdict.agrees) box.append("✓ Right.");
  else box.append(`✗ I get ${verdict.expected}`, verdict.mistake ? `: ${verdict.mistake}.` : ".");
}

// Shows a hint if something can be scrolled sideways.
export function cueFor(scroller, cue) {
  cue.hidden = scroller.scrollWidth <= scroller.clientWidth + 1;
}
