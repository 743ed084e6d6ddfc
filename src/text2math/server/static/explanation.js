// The explanation, in sentences and bars.

import { html } from "./dom.js";

export function reasons(explanation) {
  return [html("pre", {}, JSON.stringify(explanation, null, 2))];
}
