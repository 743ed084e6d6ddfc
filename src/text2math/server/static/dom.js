// Functions that create elements. Text becomes text nodes only: nothing from a user is ever HTML.

const NAMESPACES = {
  svg: "http://www.w3.org/2000/svg",
  math: "http://www.w3.org/1998/Math/MathML",
};

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(NAMESPACES.svg, tag), attributes, children);
}

export function math(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(NAMESPACES.math, tag), attributes, children);
}

export function byId(id) {
  return document.getElementById(id);
}

const MATH_TAGS = new Set(["math", "mrow", "mn", "mi", "mo", "mfrac", "msub", "msup", "mtext"]);

// MathML from the server, read as XML and rebuilt from the few elements we know, without its attributes.
export function mathFrom(text) {
  const parsed = new DOMParser().parseFromString(text, "application/xml");
  const root = parsed.documentElement;
  return root.localName === "math" ? rebuilt(root) : math("math", {}, math("mtext", {}, "?"));
}

function rebuilt(node) {
  const element = math(MATH_TAGS.has(node.localName) ? node.localName : "mrow");
  if (node.localName === "mfrac" && node.getAttribute("class") === "number") element.dataset.number = "";
  for (const child of node.childNodes) {
    if (child.nodeType === Node.ELEMENT_NODE) element.append(rebuilt(child));
    else if (child.nodeType === Node.TEXT_NODE) element.append(child.data);
  }
  return element;
}
