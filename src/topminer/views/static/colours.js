// A hue for every topic, and the choice of a light or a dark page.

const GOLDEN_ANGLE = 137.508;

/** Hues that stay apart for any number of topics; lightness is the style's business. */
function hue(topic) {
  return ((topic * GOLDEN_ANGLE + 250) % 360).toFixed(1);
}

const hues = new Set(); // of topics that have a rule

/** Attributes of an element in the colour of a topic. */
function coloured(topic, name = "") {
  if (topic < 0) return { class: `${name} of-none`.trim() };
  if (!hues.has(topic)) styleOf(`.hue-${topic}`).setProperty("--hue", hue(topic));
  hues.add(topic);
  return { class: `${name} of-topic hue-${topic}`.trim() };
}

const THEME = "topminer-theme";

function remembered() {
  try {
    return localStorage.getItem(THEME);
  } catch {
    return null; // a page from a file may have no storage
  }
}

function remember(theme) {
  try {
    localStorage.setItem(THEME, theme);
  } catch {
    // then the choice lasts as long as the page
  }
}

function darkNow() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function themeButton() {
  const button = h("button", { type: "button", class: "theme", title: "Light or dark" },
    s("svg", { viewBox: "0 0 20 20", width: 18, height: 18, "aria-hidden": "true" },
      s("circle", { cx: 10, cy: 10, r: 7.5, fill: "none", stroke: "currentColor", "stroke-width": 1.5 }),
      s("path", { d: "M10 2.5a7.5 7.5 0 0 1 0 15z", fill: "currentColor" })),
    h("span", { class: "unseen" }, "Dark colours"));
  const tell = () => button.setAttribute("aria-pressed", String(darkNow()));
  button.addEventListener("click", () => {
    const theme = darkNow() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    remember(theme);
    tell();
  });
  const theme = remembered();
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
  tell();
  return button;
}
