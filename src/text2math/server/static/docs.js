// The API, from the server's own OpenAPI description: what each endpoint takes and returns, and a form to try it.

import { byId, html } from "./dom.js";

const JSON_TYPE = "application/json";

async function start() {
  const box = byId("endpoints");
  try {
    const description = await (await fetch("/openapi.json")).json();
    const endpoints = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, about]) => endpoint(description, path, method, about)),
    );
    box.replaceChildren(...endpoints);
  } catch (error) {
    box.replaceChildren(html("p", { class: "sorry" }, `The description can’t be read: ${error.message}`));
  }
  box.setAttribute("aria-busy", "false");
}

function endpoint(description, path, method, about) {
  const title = html("h2", {}, html("span", { class: "method" }, method.toUpperCase()), ` ${path}`);
  const section = html("section", { class: "card" }, title, html("p", {}, about.summary ?? ""));
  if (about.description && about.description !== about.summary) section.append(html("p", { class: "hint" }, about.description));
  const [type, content] = Object.entries(about.requestBody?.content ?? {})[0] ?? [];
  if (content) section.append(...body(description, path, type, content));
  section.append(answers(description, about));
  if (!content || type === JSON_TYPE) section.append(trial(path, method, type, example(content)));
  return section;
}

function body(description, path, type, content) {
  const schema = resolved(description, content.schema);
  const rows = Object.entries(schema.properties ?? {}).map(([name, property]) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, html("code", {}, name)),
      html("td", {}, kindOf(description, property)),
      html("td", {}, [(schema.required ?? []).includes(name) ? "Required." : "", property.description ?? ""].join(" ").trim()),
    ),
  );
  const head = ["Field", "Type", ""].map((words) => html("th", { scope: "col" }, words || "About"));
  const table = html("table", {}, html("thead", {}, html("tr", {}, ...head)), html("tbody", {}, ...rows));
  const label = `Fields of ${path}`;
  return [
    html("h3", {}, `Body: ${type}`),
    rows.length ? html("div", { class: "wide", tabindex: 0, role: "group", "aria-label": label }, table) : "",
  ];
}

function kindOf(description, property) {
  const found = resolved(description, property);
  const any = (found.anyOf ?? []).map((one) => kindOf(description, one));
  if (any.length) return any.join(" or ");
  if (found.enum) return found.enum.map(String).join(" or ");
  if (found.type === "array") return `list of ${kindOf(description, found.items ?? {})}`;
  return found.type ?? found.title ?? "any";
}

function resolved(description, schema = {}) {
  if (!schema.$ref) return schema;
  return schema.$ref.replace(/^#\//, "").split("/").reduce((part, name) => part?.[name], description) ?? {};
}

function answers(description, about) {
  const items = Object.entries(about.responses ?? {}).map(([status, one]) => {
    const schema = Object.values(one.content ?? {})[0]?.schema;
    const names = schema ? [schema, ...(schema.anyOf ?? [])].map((part) => part.$ref?.split("/").at(-1)).filter(Boolean) : [];
    return html("li", {}, html("b", {}, status), ` ${one.description}`, names.length ? ` (${names.join(", ")})` : "");
  });
  return html("details", { class: "list" }, html("summary", {}, "Responses"), html("ul", {}, ...items));
}

function example(content) {
  const [first] = Object.values(content?.examples ?? {});
  return first ? JSON.stringify(first.value, null, 2) : "";
}

// A form that sends the body and shows what comes back.
function trial(path, method, type, given) {
  const area = type ? html("textarea", { "aria-label": `Body for ${path}`, spellcheck: "false" }) : null;
  if (area) area.value = given;
  const shown = html("pre", { tabindex: 0, role: "region", "aria-label": `Answer of ${path}`, hidden: true });
  const button = html("button", { type: "button" }, "Try it");
  button.addEventListener("click", async () => {
    shown.hidden = false;
    shown.textContent = "…";
    try {
      const options = { method: method.toUpperCase() };
      if (area) Object.assign(options, { headers: { "content-type": type }, body: area.value });
      const response = await fetch(path, options);
      shown.textContent = `${response.status}\n${indented(await response.text())}`;
    } catch (error) {
      shown.textContent = error.message;
    }
  });
  return html("div", {}, area ?? "", button, shown);
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

start();
