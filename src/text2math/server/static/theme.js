// Before the first paint, so that no other theme flashes: what was chosen, or what the system has.
const dark = matchMedia("(prefers-color-scheme: dark)");

function applyTheme(choice) {
  const root = document.documentElement;
  root.dataset.choice = choice;
  root.dataset.theme = choice === "dark" || (choice === "auto" && dark.matches) ? "dark" : "light";
}

let chosen = null;
try {
  chosen = localStorage.getItem("theme");
} catch {
  // Storage may be forbidden; the system's theme is then right.
}
applyTheme(chosen === "light" || chosen === "dark" ? chosen : "auto");
dark.addEventListener("change", () => applyTheme(document.documentElement.dataset.choice));
