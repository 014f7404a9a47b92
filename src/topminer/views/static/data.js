// The data of the page, and ways to find one's way in it.

const data = JSON.parse(document.getElementById("data").textContent);
const live = data.live;
const topics = data.topics;
const entries = data.entries;
const documents = data.documents ?? [];
const topicOf = new Map(topics.map((topic) => [topic.id, topic]));
const documentOf = new Map(documents.map((one) => [one.row, one]));
const n_instances = topics.reduce((sum, topic) => sum + topic.size, 0);

// A text may stand twice: an entry's own text goes before another entry's form of it.
const entryOf = new Map();
entries.forEach((entry, i) => {
  for (const [text] of entry.forms ?? []) if (!entryOf.has(text)) entryOf.set(text, i);
});
entries.forEach((entry, i) => entryOf.set(entry.text, i));

const paths = {
  topic: (id) => `#/topic/${id}`,
  phrase: (text) => `#/phrase/${encodeURIComponent(text)}`,
  document: (row) => `#/document/${row}`,
  documents: (given) => `#/documents${queryOf(given)}`,
  search: (q) => `#/search${queryOf({ q })}`,
};

function queryOf(given) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value !== null && value !== undefined && value !== "") query.set(name, value);
  }
  const text = query.toString();
  return text ? `?${text}` : "";
}

function topicName(id) {
  const topic = topicOf.get(id);
  return topic ? `Topic ${id} · ${topic.label}` : "No topic known";
}

/** A number in the topic's colour; the number is the sign, the colour only helps. */
function badge(id) {
  return h("span", coloured(id, "badge"), String(id));
}

function topicLink(id, attributes) {
  const topic = topicOf.get(id);
  return h("a", { href: paths.topic(id), ...attributes }, badge(id), " ", bdi(topic ? topic.label : ""));
}

/** A topic and its share of something. */
function topicShare([id, share]) {
  return [topicLink(id), " ", h("span", { class: "faint" }, percent(share))];
}

function phraseLink(text, attributes) {
  return h("a", { href: paths.phrase(text), ...attributes }, bdi(text));
}
