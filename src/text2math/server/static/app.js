// The page: one state object, and functions that show what it holds.

import { Batch } from "./batch.js";
import { byId, html } from "./dom.js";
import { SENTENCES, STORIES, SYSTEMS } from "./examples.js";
import { reasons } from "./explanation.js";
import { figures, infix, nodesOf, number, percent, python, readingsOf, sureness, unknown, usedBy } from "./reading.js";
import { answerWithUnit, cueFor, showDoubts, showKnown, showSteps, showVerdict } from "./steps.js";
import { drawing, formula, nestedList } from "./tree.js";
import { marked } from "./words.js";

const DEBOUNCE = 40; // milliseconds after the last keystroke
const PATIENCE = 400; // milliseconds until the page shows that it is waiting

const state = {
  text: "",
  model: "",
  knowledge: true, // whether numbers that words imply may be used
  models: [], // what the server says about each
  use: new Set(),
  ignore: new Set(),
  parse: null,
  shown: 0, // the index of the reading that is shown
  pinned: null, // the node that stays highlighted
  asked: null, // the last request, as JSON
};

// ---------------------------------------------------------------------------------------------- asking

let request = null;
let timer = 0;

function askSoon() {
  clearTimeout(timer);
  timer = setTimeout(ask, DEBOUNCE);
}

function options() {
  const wanted = { text: state.text };
  if (state.use.size) wanted.use = [...state.use].sort((a, b) => a - b);
  if (state.ignore.size) wanted.ignore = [...state.ignore].sort((a, b) => a - b);
  return { ...wanted, ...settings() };
}

// The settings for every text, where they differ from the server's defaults.
function settings() {
  return { ...(state.model ? { model: state.model } : {}), ...(state.knowledge ? {} : { knowledge: false }) };
}

async function post(path, body, signal) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({ error: { message: "the server gave no reason" } }));
  throw Object.assign(new Error(error.message), { status: response.status });
}

async function ask() {
  clearTimeout(timer);
  const wanted = options();
  const key = JSON.stringify(wanted);
  writeAddress();
  if (key === state.asked) return;
  request?.abort();
  state.asked = key;
  if (!state.text.trim()) {
    showParse(null);
    return;
  }
  request = new AbortController();
  const { signal } = request;
  const waiting = setTimeout(() => byId("result").classList.add("waiting"), PATIENCE);
  byId("result").setAttribute("aria-busy", "true");
  try {
    const parse = await (await post("/api/parse", wanted, signal)).json();
    if (!signal.aborted) showParse(parse);
  } catch (error) {
    if (signal.aborted) return;
    if (error.status === 429) retry();
    else if (error.status === 503 && (await isStarting())) showStarting();
    else showError(error);
  } finally {
    clearTimeout(waiting);
    if (!signal.aborted) {
      byId("result").classList.remove("waiting");
      byId("result").setAttribute("aria-busy", "false");
    }
  }
}

async function isStarting() {
  try {
    return (await (await fetch("/health")).json()).status === "starting";
  } catch {
    return false;
  }
}

function showStarting() {
  showParse(null);
  byId("answer").replaceChildren(html("p", { class: "quiet-words" }, "Getting ready: the first start takes a while …"));
  say("Getting ready.");
  retry();
}

function retry() {
  state.asked = null;
  timer = setTimeout(ask, 1000);
}

// The address has the problem after '#', which browsers never send: no log ever sees it.
function writeAddress() {
  const parts = new URLSearchParams();
  if (state.text) parts.set("q", state.text);
  for (const name of ["use", "ignore"]) {
    if (state[name].size) parts.set(name, [...state[name]].sort((a, b) => a - b).join(","));
  }
  if (state.model) parts.set("model", state.model);
  if (!state.knowledge) parts.set("knowledge", "no");
  const hash = parts.size ? `#${parts}` : location.pathname;
  history.replaceState(null, "", hash);
}

function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const indices = (name) =>
    new Set((parts.get(name) ?? "").split(",").filter((part) => /^[0-9]{1,3}$/.test(part)).map(Number));
  state.model = parts.get("model") ?? "";
  state.knowledge = parts.get("knowledge") !== "no";
  setText(parts.get("q") ?? "", indices("use"), indices("ignore"));
}

function setText(text, use = new Set(), ignore = new Set()) {
  state.text = text;
  state.use = use;
  state.ignore = ignore;
  byId("text").value = text;
  fitBox();
}

// ---------------------------------------------------------------------------------------------- showing

function showParse(parse) {
  state.parse = parse;
  state.shown = 0;
  closeWhy();
  showReading();
}

function showError(error) {
  state.parse = null;
  state.asked = null;
  showReading();
  const reason = error.status ? error.message : "The server does not answer. Is it still running?";
  byId("answer").replaceChildren(html("p", { class: "sorry" }, reason));
  say(reason);
}

function current() {
  return state.parse ? (readingsOf(state.parse)[state.shown] ?? null) : null;
}

function showReading() {
  state.pinned = null;
  const { parse } = state;
  const reading = current();
  const nodes = parse && reading?.tree ? nodesOf(parse, reading.tree) : [];
  showAnswer(parse, reading, nodes);
  const isBest = Boolean(parse) && state.shown === 0 && parse.kind !== "none";
  showSureness(reading, isBest ? parse.doubts : []);
  showSteps(parse, isBest && Boolean(reading));
  showDoubts(parse, isBest && Boolean(reading));
  showKnown(parse);
  showKnowledge();
  showVerdict(null);
  byId("check").hidden = !reading;
  showWarnings(parse);
  showWords(parse, nodes);
  showTree(nodes);
  showReadings();
  byId("actions").hidden = !reading;
  say(parse ? sentence(parse, reading) : "");
}

function showAnswer(parse, reading, nodes) {
  const answer = byId("answer");
  const below = byId("formula");
  const isAnswer = !reading?.equation || answersSystem(parse, reading);
  byId("answer-title").textContent = isAnswer ? "Answer" : "Equation";
  answer.classList.toggle("equation", !isAnswer);
  below.replaceChildren();
  showUnknowns(parse, reading, nodes);
  if (!parse) {
    answer.replaceChildren(html("p", { class: "quiet-words" }, "Type a problem, or choose an example."));
  } else if (!reading) {
    answer.replaceChildren(html("p", { class: "quiet-words" }, "No mathematics found."));
  } else if (!isAnswer) {
    answer.replaceChildren(formula(reading.mathml, nodes));
  } else {
    const best = reading === parse && parse.answer_text !== null;
    const plain = reading.answer_exact === null ? "no answer" : value(reading.answer_exact);
    answer.replaceChildren(best ? answerWithUnit(parse) : plain);
    below.replaceChildren(formula(reading.mathml, nodes));
  }
}

// Whether the reading is a system of equations that answers what the text asks.
function answersSystem(parse, reading) {
  return reading === parse && parse.kind === "system" && parse.answer_text !== null;
}

function value(exact) {
  const [main, beside] = figures(exact);
  const shown = html("span", { class: "value" }, main);
  return beside ? html("span", {}, shown, " ", html("span", { class: "near" }, beside)) : shown;
}

function showUnknowns(parse, reading, nodes) {
  const list = byId("unknowns");
  list.replaceChildren();
  const phrases = new Map();
  for (const node of nodes) {
    if (!node.operator && node.data.quantity === null && !phrases.has(node.data.symbol)) {
      phrases.set(node.data.symbol, node);
    }
  }
  for (const [name, node] of [...phrases].sort()) {
    const only = phrases.size === 1 ? (reading.answer_exact ?? undefined) : undefined;
    const solved = only ?? (reading === parse ? parse.solution?.[name] : undefined);
    const term = html("dt", { "data-node": node.id }, unknown(name));
    const phrase = (reading === parse && parse.variables[name]?.text) || node.words;
    const meaning = html("dd", {}, phrase ? html("q", {}, phrase) : "");
    if (solved !== undefined) meaning.append(" = ", html("b", {}, value(solved)));
    if (meaning.textContent) list.append(term, meaning);
  }
  list.hidden = !list.childElementCount;
}

const BEYOND = "This may be beyond what I can do";

function showSureness(reading, doubts) {
  const known = reading !== null && reading.probability !== null && reading.probability !== undefined;
  byId("sure").hidden = !known;
  if (!known) return;
  byId("sure-words").textContent = doubts.length ? BEYOND : sureness(reading.probability);
  byId("sure-figure").textContent = percent(reading.probability);
  byId("gauge").style.width = `${100 * reading.probability}%`;
  const level = reading.probability >= 0.7 ? "high" : reading.probability >= 0.3 ? "middle" : "low";
  byId("sure").dataset.level = doubts.length && level === "high" ? "middle" : level;
}

function showWarnings(parse) {
  const warnings = parse?.warnings ?? [];
  byId("warnings").replaceChildren(...warnings.map((warning) => html("li", {}, warning)));
  byId("warnings").hidden = !warnings.length;
}

function showWords(parse, nodes) {
  const forced = new Set([...state.use, ...state.ignore]);
  const focused = document.activeElement?.closest("#words .number")?.dataset.quantity;
  byId("words").replaceChildren(...(parse ? marked(parse, nodes, forced) : []));
  byId("numbers-hint").hidden = !parse?.quantities.length;
  byId("release").hidden = !forced.size;
  // A forced number is a new button: focus returns to it for people who use the keyboard.
  if (focused !== undefined) byId("words").querySelector(`[data-quantity="${focused}"]`)?.focus();
}

function showTree(nodes) {
  byId("tree").replaceChildren(...(nodes.length ? [drawing(nodes)] : []));
  byId("list").replaceChildren(...(nodes.length ? [nestedList(nodes[0])] : []));
  byId("list-box").hidden = !nodes.length;
  centreTree();
}

// A tree that is wider than its card starts with its root in the middle, and says that there is more.
function centreTree() {
  const box = byId("tree");
  box.scrollLeft = (box.scrollWidth - box.clientWidth) / 2;
  cueFor(box, byId("tree-cue"));
}

async function checkGiven(event) {
  event.preventDefault();
  const answer = byId("given").value.trim();
  if (!answer || !state.text.trim()) return;
  try {
    const body = { text: state.text, answer, ...settings() };
    showVerdict(await (await post("/api/check", body)).json());
  } catch (error) {
    showVerdict({ agrees: null, reason: error.message });
  }
}

function showReadings() {
  const readings = state.parse ? readingsOf(state.parse) : [];
  byId("others").hidden = readings.length < 2;
  byId("readings").replaceChildren(...readings.map(readingRow));
}

function readingRow(reading, at) {
  const answer = reading.answer_exact === null || reading.equation ? "" : `= ${number(reading.answer_exact)}`;
  const bar = html("span", { class: "gauge", "aria-hidden": "true" }, html("span"));
  bar.firstChild.style.width = `${100 * reading.probability}%`;
  const row = html(
    "button",
    { type: "button", class: "reading", "data-reading": at, "aria-pressed": String(at === state.shown) },
    html("span", { class: "maths" }, formula(reading.mathml, []), " ", answer),
    bar,
    html("span", { class: "figure" }, percent(reading.probability)),
  );
  return html("li", {}, row);
}

function sentence(parse, reading) {
  if (!reading) return ["No mathematics found.", ...parse.warnings].join(" ");
  const best = reading === parse;
  const doubts = best && parse.doubts.length ? [`${BEYOND}: ${parse.doubts.map((one) => one.message).join("; ")}.`] : [];
  const sure = doubts.length ? doubts[0] : `${sureness(reading.probability)}, ${percent(reading.probability)}.`;
  const answer = best && parse.answer_text ? parse.answer_text : reading.answer_exact && number(reading.answer_exact);
  const isEquation = reading.equation && !answersSystem(parse, reading);
  const result = isEquation
    ? `Equation: ${reading.equation}.`
    : `Answer: ${answer ?? "none"}. ${infix(reading)}.`;
  return [result, sure, ...parse.warnings].join(" ");
}

let lastSaid = "";
function say(words) {
  if (words !== lastSaid) byId("said").textContent = words;
  lastSaid = words;
}

// ---------------------------------------------------------------------------------------------- lighting up

function light(id) {
  const result = byId("result");
  const lit = id ?? state.pinned;
  result.classList.toggle("lighting", lit !== null);
  for (const element of result.querySelectorAll("[data-node]")) {
    element.classList.toggle("lit", element.dataset.node === lit);
  }
  for (const branch of result.querySelectorAll("[data-to]")) {
    branch.classList.toggle("lit", branch.dataset.to === lit);
  }
}

function pin(id) {
  state.pinned = state.pinned === id ? null : id;
  for (const node of byId("tree").querySelectorAll("[data-node]")) {
    node.setAttribute("aria-pressed", String(node.dataset.node === state.pinned));
  }
  light(null);
}

function nodeOf(target) {
  return target instanceof Element ? (target.closest("[data-node]")?.dataset.node ?? null) : null;
}

function watchNodes() {
  const result = byId("result");
  result.addEventListener("pointerover", (event) => light(nodeOf(event.target)));
  result.addEventListener("pointerleave", () => light(nodeOf(document.activeElement)));
  result.addEventListener("focusin", (event) => light(nodeOf(event.target)));
  result.addEventListener("focusout", () => light(null));
  result.addEventListener("click", (event) => {
    const node = nodeOf(event.target);
    if (node !== null && !event.target.closest("button")) pin(node);
  });
  byId("tree").addEventListener("keydown", moveInTree);
  result.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && state.pinned !== null) pin(state.pinned);
  });
}

function moveInTree(event) {
  const id = nodeOf(event.target);
  if (id === null) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    pin(id);
    return;
  }
  const nodes = nodesOf(state.parse, current().tree);
  const node = nodes[Number(id)];
  const siblings = node.parent?.children ?? [node];
  const at = siblings.indexOf(node);
  const next = {
    ArrowUp: node.parent,
    ArrowDown: node.children[0],
    ArrowLeft: siblings[at - 1],
    ArrowRight: siblings[at + 1],
  }[event.key];
  if (!next) return;
  event.preventDefault();
  byId("tree").querySelector(`[data-node="${next.id}"]`).focus();
}

// ---------------------------------------------------------------------------------------------- doing

function force(quantity) {
  const used = Boolean(current()?.tree) && usedBy(state.parse, nodesOf(state.parse, current().tree)).has(quantity);
  if (state.use.delete(quantity) | state.ignore.delete(quantity)) ask();
  else {
    (used ? state.ignore : state.use).add(quantity);
    ask();
  }
}

function closeWhy() {
  byId("explanation").hidden = true;
  byId("why").setAttribute("aria-expanded", "false");
}

// The first explanation after an update compiles code, which may take longer than a request may take.
async function explanationOf(body, retries = 5) {
  try {
    return await (await post("/api/explain", body)).json();
  } catch (error) {
    if (error.status !== 503 || !retries || byId("explanation").hidden) throw error;
    byId("reasons").replaceChildren(html("p", { class: "quiet-words" }, "Getting ready: the first one takes a while …"));
    await new Promise((done) => setTimeout(done, 1000));
    return explanationOf(body, retries - 1);
  }
}

async function toggleWhy() {
  if (!byId("explanation").hidden) {
    closeWhy();
    return;
  }
  byId("why").setAttribute("aria-expanded", "true");
  byId("explanation").hidden = false;
  byId("reasons").replaceChildren(html("p", { class: "quiet-words" }, "…"));
  try {
    const explanation = await explanationOf({ ...options(), alternative: state.shown });
    byId("reasons").replaceChildren(...reasons(explanation, state.parse));
    for (const box of byId("reasons").querySelectorAll(".wide")) cueFor(box, box.nextElementSibling);
  } catch (error) {
    byId("reasons").replaceChildren(html("p", { class: "sorry" }, error.message));
  }
  byId("explanation").scrollIntoView({ block: "nearest" });
}

async function copied(kind) {
  const reading = current();
  if (kind === "latex") return reading.latex;
  if (kind === "python") return python(reading);
  if (kind === "json") return JSON.stringify(state.shown ? reading : state.parse, null, 2);
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const theme = document.documentElement.dataset.theme ?? system;
  return (await post("/api/render", { ...options(), alternative: state.shown, theme })).text();
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without https, browsers can only copy a selection.
    const area = html("textarea", { class: "unseen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  toast(`${what} copied`);
}

let toastTimer = 0;
function toast(words) {
  const box = byId("toast");
  box.textContent = words;
  box.classList.add("shown");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => box.classList.remove("shown"), 2500);
}

const THEMES = ["auto", "light", "dark"];

function showTheme(theme) {
  const shown = theme[0].toUpperCase() + theme.slice(1);
  byId("theme-name").textContent = shown;
  byId("theme").setAttribute("aria-label", `Colours: ${shown}`);
}

function nextTheme() {
  const root = document.documentElement;
  const theme = THEMES[(THEMES.indexOf(root.dataset.theme ?? "auto") + 1) % THEMES.length];
  if (theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = theme;
  showTheme(theme);
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Storage is forbidden: the theme lasts for this visit only.
  }
}

function fitBox() {
  const box = byId("text");
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight + 2}px`;
}

function chip([label, text]) {
  return html("li", {}, html("button", { type: "button", class: "chip", "data-example": text, title: text }, label));
}

function open(text) {
  setText(text);
  ask();
  byId("text").focus({ preventScroll: true });
  scrollTo({ top: 0 });
}

async function loadModels() {
  const { models, limits } = await (await fetch("/api/models")).json();
  byId("model").replaceChildren(...models.map(({ name }) => html("option", { value: name }, name)));
  byId("model").parentElement.hidden = models.length < 2;
  if (!models.some(({ name }) => name === state.model)) state.model = "";
  byId("model").value = state.model || models[0].name;
  state.models = models;
  showKnowledge();
  byId("ask-hint").append(` Up to ${limits.words} words.`);
}

// Only a model that uses implied numbers can do without them; one that is not loaded yet does not say so.
function showKnowledge() {
  const model = state.models.find(({ name, default: first }) => (state.model ? name === state.model : first));
  byId("knowledge").checked = state.knowledge;
  const implied = state.parse?.quantities.some(({ source }) => source !== "written");
  byId("knowledge").parentElement.hidden = !(model?.knowledge || implied || !state.knowledge);
}

function start() {
  byId("stories").replaceChildren(...STORIES.map(chip));
  byId("systems").replaceChildren(...SYSTEMS.map(chip));
  byId("sentences").replaceChildren(...SENTENCES.map(chip));
  showTheme(document.documentElement.dataset.theme ?? "auto");
  watchNodes();
  new Batch({ settings, open, say: toast });

  byId("text").addEventListener("input", () => {
    const { value } = byId("text");
    setText(value);
    askSoon();
  });
  byId("text").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    state.asked = null;
    ask();
  });
  document.querySelector(".examples").addEventListener("click", (event) => {
    const button = event.target.closest("[data-example]");
    if (!button) return;
    setText(button.dataset.example);
    ask();
  });
  byId("words").addEventListener("click", (event) => {
    const button = event.target.closest("[data-quantity]");
    if (button) force(Number(button.dataset.quantity));
  });
  byId("release").addEventListener("click", () => {
    setText(state.text);
    ask();
    byId("words").querySelector(".number")?.focus();
  });
  byId("readings").addEventListener("click", (event) => {
    const button = event.target.closest("[data-reading]");
    if (!button) return;
    state.shown = Number(button.dataset.reading);
    closeWhy();
    showReading();
    byId("readings").querySelector(`[data-reading="${state.shown}"]`).focus();
  });
  byId("why").addEventListener("click", toggleWhy);
  byId("actions").addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    try {
      await copy(await copied(button.dataset.copy), button.textContent);
    } catch (error) {
      toast(error.message);
    }
  });
  byId("share").addEventListener("click", () => copy(location.href, "Link"));
  byId("clear").addEventListener("click", () => {
    setText("");
    ask();
    byId("text").focus();
  });
  byId("theme").addEventListener("click", nextTheme);
  byId("model").addEventListener("change", (event) => {
    state.model = event.target.value;
    showKnowledge();
    ask();
  });
  byId("knowledge").addEventListener("change", (event) => {
    state.knowledge = event.target.checked;
    setText(state.text); // releases forced numbers, whose indices change with the implied ones
    ask();
  });
  addEventListener("hashchange", () => {
    readAddress();
    ask();
  });
  addEventListener("resize", () => {
    fitBox();
    centreTree();
  });
  byId("check").addEventListener("submit", checkGiven);
  byId("given").addEventListener("input", () => showVerdict(null));

  readAddress();
  if (!state.text) setText(STORIES[0][1]);
  ask();
  // The page works without the list; a link to a model that no longer exists uses the default.
  loadModels().then(ask, () => {});
}

start();
