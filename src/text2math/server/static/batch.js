// Several problems at once: the problems of a file are sent to the stream in pieces, and shown in a table.

import { byId, html, mathFrom } from "./dom.js";
import { figures, infix, percent, sureness } from "./reading.js";

const PIECE = { lines: 200, characters: 100_000 };
const PAGE = 100;
const LARGEST = 64 * 1024 * 1024;

// The problems in a file of lines: each line is JSON (an object or a string) or plain text.
export function problemsIn(content) {
  const problems = [];
  for (const line of content.split(/\r?\n/)) {
    if (!line.trim()) continue;
    problems.push(asProblem(line));
  }
  return problems;
}

const TEXTS = ["text", "problem", "question", "sQuestion"];

// The problems in a CSV file; if no column has a known name, the first one has the texts.
export function problemsInTable(content, tabs = false) {
  const head = content.split("\n", 1)[0];
  const [header = [], ...rows] = cells(content, tabs ? "\t" : !head.includes(",") && head.includes(";") ? ";" : ",");
  const names = header.map((name) => name.trim());
  const column = names.findIndex((name) => TEXTS.includes(name));
  const id = names.indexOf("id");
  const all = column < 0 ? [header, ...rows] : rows;
  return all
    .map((row) => ({ text: (row[Math.max(column, 0)] ?? "").trim(), id: id < 0 ? undefined : row[id] }))
    .filter(({ text }) => text);
}

// The cells of CSV, quoted or not.
function cells(content, separator) {
  const rows = [];
  let [row, cell, quoted] = [[], "", false];
  for (let at = 0; at < content.length; at++) {
    const mark = content[at];
    if (quoted) {
      if (mark !== '"') cell += mark;
      else if (content[at + 1] === '"') cell += content[++at];
      else quoted = false;
    } else if (mark === '"' && !cell) quoted = true;
    else if (mark === separator) [row, cell] = [[...row, cell], ""];
    else if (mark === "\n") {
      rows.push([...row, cell.replace(/\r$/, "")]);
      [row, cell] = [[], ""];
    } else cell += mark;
  }
  if (cell || row.length) rows.push([...row, cell]);
  return rows;
}

function asProblem(line) {
  if (/^\s*[{"]/.test(line)) {
    try {
      const value = JSON.parse(line);
      if (typeof value === "string") return { text: value };
      const text = value.text ?? value.sQuestion ?? value.question ?? value.problem;
      if (typeof text === "string") return { text, id: idOf(value.id) };
    } catch {
      // A line that only looks like JSON is plain text.
    }
  }
  return { text: line.trim() };
}

function idOf(id) {
  return typeof id === "string" || Number.isInteger(id) ? id : undefined;
}

function* pieces(problems) {
  let piece = [];
  let size = 0;
  for (const problem of problems) {
    const line = JSON.stringify(problem);
    if (piece.length && (piece.length >= PIECE.lines || size + line.length > PIECE.characters)) {
      yield piece;
      [piece, size] = [[], 0];
    }
    piece.push(line);
    size += line.length;
  }
  if (piece.length) yield piece;
}

async function* answers(lines, settings, signal) {
  const body = lines.map((line) => withSettings(line, settings)).join("\n");
  const headers = { "content-type": "application/x-ndjson" };
  const response = await fetch("/api/parse/stream", { method: "POST", headers, body, signal });
  if (!response.ok) throw new Error((await response.json()).error.message);
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks(response.body)) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop();
    for (const part of parts) yield JSON.parse(part);
  }
}

function withSettings(line, settings) {
  return JSON.stringify({ ...JSON.parse(line), ...settings });
}

// Not every browser can iterate over a stream.
async function* chunks(stream) {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

export class Batch {
  constructor({ settings, open, say }) {
    this.settings = settings;
    this.open = open;
    this.say = say;
    this.results = [];
    this.control = null;
    byId("choose").addEventListener("click", () => byId("file").click());
    byId("file").addEventListener("change", (event) => {
      const [file] = event.target.files;
      if (file) this.read(file);
      event.target.value = "";
    });
    byId("stop").addEventListener("click", () => this.control?.abort());
    byId("more").addEventListener("click", () => this.showMore());
    byId("save-jsonl").addEventListener("click", () => this.save("jsonl"));
    byId("save-csv").addEventListener("click", () => this.save("csv"));
    byId("rows").addEventListener("click", (event) => {
      const button = event.target.closest("button[data-row]");
      if (button) this.open(this.results[Number(button.dataset.row)].problem.text);
    });
    this.acceptDrops();
  }

  acceptDrops() {
    const holdsFiles = (event) => Array.from(event.dataTransfer?.types ?? []).includes("Files");
    let depth = 0;
    const mark = (change) => {
      depth = Math.max(0, depth + change);
      document.body.classList.toggle("dropping", depth > 0);
    };
    addEventListener("dragenter", (event) => holdsFiles(event) && mark(1));
    addEventListener("dragleave", (event) => holdsFiles(event) && mark(-1));
    addEventListener("dragover", (event) => holdsFiles(event) && event.preventDefault());
    addEventListener("drop", (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      mark(-depth);
      this.read(event.dataTransfer.files[0]);
    });
  }

  async read(file) {
    if (file.size > LARGEST) {
      this.say("This file is larger than 64 MB: split it.");
      return;
    }
    const table = /\.(csv|tsv)$/i.test(file.name);
    const content = (await file.text()).replace(/^\uFEFF/, "");
    const problems = table ? problemsInTable(content, /\.tsv$/i.test(file.name)) : problemsIn(content);
    if (!problems.length) {
      this.say("There are no problems in this file.");
      return;
    }
    await this.run(problems);
  }

  async run(problems) {
    this.control?.abort();
    const control = new AbortController();
    this.control = control;
    this.results = [];
    byId("rows").replaceChildren();
    byId("batch-work").hidden = false;
    byId("stop").hidden = false;
    byId("batch").scrollIntoView({ block: "nearest" });
    let stopped = "";
    try {
      for (const piece of pieces(problems)) {
        for await (const answer of answers(piece, this.settings(), control.signal)) {
          if (this.control !== control) return;
          this.add(problems[this.results.length], answer);
          this.progress(problems.length);
        }
      }
    } catch (error) {
      if (this.control !== control) return;
      stopped = control.signal.aborted ? "Stopped. " : `${error.message}. `;
    }
    byId("stop").hidden = true;
    this.progress(problems.length, stopped);
  }

  add(problem, answer) {
    this.results.push({ problem, answer });
    const shown = byId("rows").children.length;
    if (shown < PAGE && shown === this.results.length - 1) this.showRow(shown);
    byId("more").hidden = this.results.length <= byId("rows").children.length;
  }

  progress(total, note = "") {
    const done = this.results.length;
    byId("progress").max = total;
    byId("progress").value = done;
    const failed = this.results.reduce((sum, { answer }) => sum + (answer.error ? 1 : 0), 0);
    const errors = failed ? `, ${failed} with errors` : "";
    byId("progress-words").textContent = `${note}${done} of ${total}${errors}`;
  }

  showMore() {
    const from = byId("rows").children.length;
    const to = Math.min(this.results.length, from + PAGE);
    for (let at = from; at < to; at++) this.showRow(at);
    byId("more").hidden = this.results.length <= to;
  }

  showRow(at) {
    const { problem, answer } = this.results[at];
    const open = html("button", { type: "button", class: "link", "data-row": at }, problem.text);
    const label = String(problem.id ?? at + 1);
    const cells = [html("th", { scope: "row", class: "figure" }, label), html("td", { class: "problem" }, open)];
    if (answer.error) {
      cells.push(html("td", { colspan: 3, class: "failed" }, answer.error.message));
    } else {
      const sure = answer.probability === null ? "" : percent(answer.probability);
      const doubts = answer.doubts.map((doubt) => doubt.message).join("; ");
      const words = answer.probability === null ? "" : doubts || sureness(answer.probability);
      cells.push(
        html("td", { class: "maths" }, answer.mathml ? mathFrom(answer.mathml) : "nothing found"),
        html("td", { class: "figure" }, resultOf(answer)),
        html("td", { class: "figure", title: words }, doubts ? `${sure}, but ${doubts}` : sure),
      );
    }
    byId("rows").append(html("tr", {}, ...cells));
  }

  save(kind) {
    const content = kind === "csv" ? csv(this.results) : jsonLines(this.results);
    const url = URL.createObjectURL(new Blob([content], { type: "text/plain;charset=utf-8" }));
    const link = html("a", { href: url, download: `text2math.${kind}` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }
}

function resultOf(answer) {
  if (answer.answer_text) return answer.answer_text;
  if (answer.answer_exact !== null) return figures(answer.answer_exact)[0];
  if (!answer.solution) return "";
  return Object.entries(answer.solution)
    .map(([name, value]) => `${name} = ${figures(value)[0]}`)
    .join(", ");
}

function jsonLines(results) {
  return results.map(({ answer }) => `${JSON.stringify(answer)}\n`).join("");
}

function csv(results) {
  const rows = [["id", "text", "mathematics", "answer", "probability", "error"]];
  results.forEach(({ problem, answer }, at) => {
    const figures = answer.error
      ? ["", "", "", answer.error.message]
      : [infix(answer), answer.answer_exact ?? "", answer.probability ?? "", ""];
    rows.push([problem.id ?? at + 1, problem.text, ...figures]);
  });
  return rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

// A spreadsheet would evaluate a text that begins like a formula.
function csvCell(value) {
  const text = String(value);
  const tame = /^[=+@\t\r]|^-(?![0-9.]+$)/.test(text) ? `'${text}` : text;
  return `"${tame.replaceAll('"', '""')}"`;
}
