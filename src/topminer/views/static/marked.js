// A document's text with its phrases marked.

function mark(text, phrase, sought) {
  const { topic } = phrase;
  const words = phrase.behind - phrase.first === 1 ? "word" : "phrase";
  const known = words === "phrase" && topicOf.has(topic);
  const given = { ...coloured(topic, sought ? `${words} sought` : words), "data-topic": topic };
  return h(known ? "a" : "span", { ...given, href: known && paths.topic(topic) }, text);
}

/** The text from one place to another; a phrase is shown whole or not at all. */
function marks(one, phrases, from, to, sought) {
  const nodes = [];
  let behind = from;
  for (const phrase of phrases) {
    if (phrase.start < from) continue;
    if (phrase.end > to) break;
    const text = one.text.slice(phrase.start, phrase.end);
    nodes.push(one.text.slice(behind, phrase.start), mark(text, phrase, sought?.(text)));
    behind = phrase.end;
  }
  const rest = one.text.slice(behind, Math.max(behind, to));
  nodes.push(to < one.text.length ? rest.replace(/\S*$/, "") : rest);
  return nodes;
}

function markedText(one, threshold, { from = 0, most = Infinity, sought = null } = {}) {
  const to = Math.min(one.text.length, from + most);
  const node = h("p", { class: "marked", dir: "auto" }, from > 0 && "… ",
    marks(one, cut(one, threshold), from, to, sought), (to < one.text.length || one.cut) && " …");
  return explain(node, "[data-topic]", (target) => topicName(Number(target.dataset.topic)));
}

const BEGINNING = 360;
const BEFORE = 120;

/** The beginning of a text, or the part of it where a phrase stands that `sought` knows. */
function part(one, sought) {
  const phrases = cut(one, data.threshold);
  const at = sought ? phrases.findIndex(({ start, end }) => sought(one.text.slice(start, end))) : -1;
  const near = at < 0 || phrases[at].end < BEGINNING;
  const from = near ? 0 : phrases.find(({ start }) => start >= phrases[at].start - BEFORE).start;
  return markedText(one, data.threshold, { from, most: BEGINNING, sought });
}

/** A document in a list, with a text of its own or with part of the document's. */
function documentItem(one, { text, sought } = {}) {
  const unknown = () => h("p", { class: "faint" }, "The text is not part of this page.");
  return h("article", { class: "item" },
    h("h3", null, h("a", { href: paths.document(one.row) }, bdi(one.id)), one.time && h("time", null, one.time)),
    text ?? (one.text ? part(one, sought) : unknown()),
    h("p", { class: "chips" }, one.topics.slice(0, 3).map((pair) => h("span", null, topicShare(pair)))));
}
