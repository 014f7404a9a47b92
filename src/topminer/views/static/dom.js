// Elements, texts and numbers. What comes from a corpus becomes text nodes and nothing else.

const SVG = "http://www.w3.org/2000/svg";

/** A text with a visible dot for what would be obeyed rather than shown. */
function shown(text) {
  return String(text).replace(UNPRINTABLE, "·");
}

function put(element, name, value) {
  if (value === false || value === null || value === undefined) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "value") element.value = value;
  else element.setAttribute(name, value === true ? "" : value);
}

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) put(element, name, value);
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(shown(child)));
  }
  return element;
}

function h(tag, attributes, ...children) {
  return build(document.createElement(tag), attributes, children);
}

function s(tag, attributes, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

const ownRules = new CSSStyleSheet();
document.adoptedStyleSheets.push(ownRules);

/** A style for what a selector finds; elements themselves have no style attributes. */
function styleOf(selector) {
  return ownRules.cssRules[ownRules.insertRule(`${selector} {}`)].style;
}

/** A text of the corpus, which may run in another direction than the page. */
function bdi(text, attributes) {
  return h("bdi", attributes, text);
}

const LOCALE = "en";
const whole = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 });
const oneTenth = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const digits = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 2 });
const twoDigits = new Intl.NumberFormat(LOCALE, { minimumSignificantDigits: 2, maximumSignificantDigits: 2 });

function count(n) {
  return n < 10 ? tenths.format(n) : whole.format(n);
}

function percent(share) {
  if (share > 0 && share < 0.0001) return "< 0.01%";
  return `${share < 0.1 ? twoDigits.format(100 * share) : oneTenth.format(100 * share)}%`;
}

function score(x) {
  return x < 10 ? String(Number(x.toFixed(2))) : tenths.format(x);
}

function plural(n, one, many = `${one}s`) {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** The same letters for the same sound of a search: no case, no accents, no width. */
function folded(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Call a function once things have been quiet for a while. */
function later(wait, call) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), wait);
  };
}

/** Call a function once before the next frame, however often it is asked for. */
function eachFrame(call) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      call();
    });
  };
}

/** Tell people who listen to the page what has changed. */
function announce(text) {
  document.getElementById("news").textContent = shown(text);
}
