// What the page knows about a parse: its nodes with their words, numbers as people write them, how sure it is.

import { OPERATORS } from "./operators.js";

const COLOURS = 8;

// The server counts code points, JavaScript's strings count UTF-16 units.
export function characters(text) {
  return Array.from(text);
}

// All nodes, each before its operands and the equations inside it (asides, which “;” joins to it); `id` is the
// index in this order.
export function nodesOf(parse, tree) {
  const text = characters(parse.text);
  const nodes = [];
  let colours = 0;
  const add = (data, parent, depth, aside = false) => {
    const words = runs(data.words).map(([first, last]) =>
      text.slice(parse.tokens[first].start, parse.tokens[last].end).join("").replace(/\s+/g, " "),
    );
    const colour = data.words.length ? colours++ : null;
    const node = {
      id: nodes.length,
      data,
      parent,
      depth,
      words: words.join(" … "),
      colour: colour === null ? null : colour % COLOURS,
      dashed: colour !== null && Math.floor(colour / COLOURS) % 2 === 1,
      sign: aside ? `; ${sign(parse, data)}` : sign(parse, data),
      name: name(parse, data),
      operator: data.children.length > 0,
      children: [],
    };
    nodes.push(node);
    const operands = data.children.map((child) => add(child, node, depth + 1));
    const asides = (data.asides ?? []).map((equation) => add(equation, node, depth + 1, true));
    node.children = [...operands, ...asides];
    return node;
  };
  if (tree) add(tree, null, 0);
  return nodes;
}

// The numbers that a reading uses; a written one is also used through a word that refers to it.
export function usedBy(parse, nodes) {
  const used = nodes.map(({ data }) => data.quantity).filter((quantity) => quantity !== null);
  return new Set(used.flatMap((quantity) => [quantity, parse.quantities[quantity].refers_to ?? quantity]));
}

// Neighbouring token numbers as [first, last] pairs.
function runs(words) {
  const found = [];
  for (const word of words) {
    const last = found.at(-1);
    if (last && last[1] === word - 1) last[1] = word;
    else found.push([word, word]);
  }
  return found;
}

function sign(parse, data) {
  if (data.children.length) return OPERATORS[data.symbol]?.sign ?? data.symbol;
  if (data.quantity !== null) return number(parse.quantities[data.quantity].value);
  return unknown(data.symbol);
}

function name(parse, data) {
  if (data.children.length) return OPERATORS[data.symbol]?.words ?? data.symbol;
  return data.quantity !== null ? number(parse.quantities[data.quantity].value) : data.symbol;
}

export function unknown(symbol) {
  const digits = "₀₁₂₃₄₅₆₇₈₉";
  return symbol.replace(/[0-9]/g, (digit) => digits[digit]);
}

// "10842" → "10,842", "1/4" → "0.25", "2/3" → "2/3".
export function number(value) {
  let text = String(value);
  const fraction = /^(-?)([0-9]+)\/([0-9]+)$/.exec(text);
  if (fraction) text = decimal(fraction) ?? text;
  const parts = /^(-?)([0-9]+)(.*)$/.exec(text);
  if (!parts) return text;
  const [, minus, whole, rest] = parts;
  const grouped = whole.length > 4 && !rest.includes("/") ? whole.replace(/\B(?=([0-9]{3})+$)/g, ",") : whole;
  return (minus ? "−" : "") + grouped + rest;
}

// A fraction as a decimal, or null if it has more than six places.
function decimal([, minus, top, bottom]) {
  const places = 6n;
  const scaled = BigInt(top) * 10n ** places;
  if (bottom.length > 20 || scaled % BigInt(bottom)) return null;
  const digits = (scaled / BigInt(bottom)).toString().padStart(Number(places) + 1, "0");
  const whole = digits.slice(0, -Number(places));
  const rest = digits.slice(-Number(places)).replace(/0+$/, "");
  return minus + whole + (rest ? "." + rest : "");
}

// A value to show: the main figure and, unless it is a short decimal, its approximation or exact value beside it.
export function figures(value) {
  const fraction = /^(-?)([0-9]+)\/([0-9]+)$/.exec(String(value));
  if (!fraction || decimal(fraction) !== null) return [number(value), ""];
  const near = Number(fraction[1] + fraction[2]) / Number(fraction[3]);
  if (!Number.isFinite(near)) return [number(value), ""];
  const shown = near.toLocaleString("en", { maximumSignificantDigits: 6 }).replace("-", "−");
  return fraction[3].length <= 2 ? [number(value), `≈ ${shown}`] : [`≈ ${shown}`, `exactly ${number(value)}`];
}

export function sureness(probability) {
  if (probability >= 0.9) return "Very sure";
  if (probability >= 0.7) return "Quite sure";
  if (probability >= 0.5) return "Probably";
  if (probability >= 0.3) return "Not sure";
  return "Only a guess";
}

export function percent(probability) {
  const figure = 100 * probability;
  if (figure > 99.5 && figure < 100) return "over 99 %";
  if (figure < 0.5) return "under 1 %";
  return `${Math.round(figure)} %`;
}

// Every reading of a parse, the best first.
export function readingsOf(parse) {
  if (parse.kind === "none" && !parse.tree) return parse.alternatives;
  return [parse, ...parse.alternatives];
}

export function infix(reading) {
  return reading.equation ?? reading.expression ?? "";
}

// Infix with the signs that people write: 3 × 4 − 1.
export function pretty(text) {
  const signs = Object.values(OPERATORS);
  const shown = signs.reduce((text, { infix, sign }) => text.replaceAll(` ${infix} `, ` ${sign} `), text);
  return shown.replaceAll("-", "−");
}

// Exact Python: numbers that are not whole become fractions, equations become sympy's.
export function python(reading) {
  return reading.equation ? pythonEquations(reading.equation) : pythonExpression(reading.expression ?? "");
}

function exact(text, type) {
  return text
    .replace(/\{([0-9]+)\/([0-9]+)\}/g, `${type}("$1/$2")`)
    .replace(/(?<![\w."/])[0-9]+(?:\.[0-9]+)?(?![\w."/])/g, (digits) =>
      digits.includes(".") || text.includes("/") ? `${type}("${digits}")` : digits,
    );
}

function pythonEquations(text) {
  const names = [...new Set(text.match(/X[0-9]+/g) ?? [])].sort();
  const symbols = names.length ? `${names.join(", ")} = symbols("${names.join(" ")}")\n` : "";
  const sides = text.split("; ").map((equation) => exact(equation, "Rational").split(" = "));
  const written = sides.map(([left, right]) => `Eq(${left}, ${right})`);
  const given = written.length > 1 ? `equations = [${written.join(", ")}]` : `equation = ${written[0]}`;
  const solved = written.length > 1 ? "equations" : "equation";
  return `from sympy import Eq, Rational, solve, symbols\n\n${symbols}${given}\nprint(solve(${solved}))\n`;
}

function pythonExpression(text) {
  const ratio = text.replace(/ : /g, " / ").replace(/ mod /g, " % ");
  const body = exact(ratio, "Fraction");
  const functions = [...new Set(body.match(/\b(?:ceil|floor|gcd|lcm)(?=\()/g) ?? [])].sort();
  const imports = [
    body.includes("Fraction(") ? "from fractions import Fraction\n" : "",
    functions.length ? `from math import ${functions.join(", ")}\n` : "",
  ].join("");
  return `${imports}${imports && "\n"}answer = ${body}\nprint(answer)\n`;
}
