// All topics at once: the map and the list.

const ROOMY = 30; // up to so many topics get a card each

const overviewChoice = { order: "weight", filter: "" };

function factsSentence() {
  const times = data.periods?.length ? ` from ${data.periods[0]} to ${data.periods.at(-1)}` : "";
  const facts = [`${plural(data.n_tokens, "kept token")}`];
  if (data.threshold !== null) facts.push(`${plural(data.n_types, "phrase")} of several words`);
  return `${plural(data.n_documents, "document")}${times}: ${facts.join(", ")}, ${plural(topics.length, "topic")}.`;
}

function topicCard(topic, most) {
  const phrases = gist(topic, 9).filter((text) => text !== topic.label).slice(0, 8)
    .flatMap((text, i) => [i ? "\u00a0· " : "", bdi(text)]);
  return h("li", coloured(topic.id, "card"),
    h("a", { href: paths.topic(topic.id) }, badge(topic.id), " ", bdi(topic.label, { class: "label" })),
    topic.background && h("span", { class: "tag" }, "background"),
    h("span", { class: "weight" },
      bar(topic.weight / most), h("span", { class: "told" }, percent(topic.weight))),
    h("p", { class: "gist" }, phrases));
}

function topicList() {
  const most = Math.max(...topics.map((topic) => topic.weight), 1e-9);
  const list = h("ol", { class: topics.length > ROOMY ? "topics compact" : "topics" });
  const cards = new Map(topics.map((topic) => [topic, topicCard(topic, most)]));
  const texts = new Map(topics.map((topic) =>
    [topic, folded([topic.id, topic.label, ...gist(topic, 40), ...topic.words.map(([word]) => word)].join(" "))]));
  const none = h("p", { class: "faint", hidden: true }, "No topic has this.");
  const show = () => {
    const wanted = folded(overviewChoice.filter.trim());
    const kept = topics.filter((topic) => texts.get(topic).includes(wanted));
    if (overviewChoice.order === "weight") kept.sort((a, b) => a.background - b.background || b.weight - a.weight || a.id - b.id);
    list.replaceChildren(...kept.map((topic) => cards.get(topic)));
    none.hidden = kept.length > 0;
    return kept.length;
  };
  show();
  return [topicTools(show), list, none];
}

function topicTools(show) {
  const order = h("select", { id: "topic-order", onchange: () => { overviewChoice.order = order.value; show(); } },
    h("option", { value: "weight" }, "largest first"), h("option", { value: "id" }, "by number"));
  order.value = overviewChoice.order;
  const tell = later(400, (n) => announce(plural(n, "topic")));
  const filter = h("input", {
    type: "search", id: "topic-filter", placeholder: "Filter topics", "aria-label": "Filter topics",
    value: overviewChoice.filter, autocomplete: "off",
  });
  filter.addEventListener("input", () => {
    overviewChoice.filter = filter.value;
    tell(show());
  });
  return h("div", { class: "tools" }, topics.length > 8 && filter, h("label", null, "Order ", order));
}

function overviewPage() {
  const map = chart("map", "Map of topics: near ones share words", { class: "map" });
  return {
    title: null,
    node: [
      h("h1", { tabindex: -1 }, bdi(data.title)),
      h("p", { class: "lead" }, factsSentence()), warningNote(),
      h("div", { class: map ? "overview" : "overview alone" },
        map && h("section", { class: "aside" }, h("h2", null, "Map"), map,
          h("p", { class: "faint" }, "Topics that use the same words lie near each other.")),
        h("section", null, h("h2", null, "Topics"), topicList())),
    ],
  };
}
