// The search box with its suggestions, and the page of all results.

const SUGGESTED = { topics: 4, phrases: 6, documents: 3 };

function option(kind, href, ...name) {
  return h("a", { role: "option", class: "option", href, tabindex: -1, "aria-selected": "false" },
    h("span", { class: "name" }, name), h("span", { class: "faint" }, kind));
}

function suggestions(text) {
  const found = find(text);
  const some = (kind, make) => found[kind].slice(0, SUGGESTED[kind]).map(make);
  return [
    ...some("topics", ({ id, label }) => option("topic", paths.topic(id), badge(id), " ", bdi(label))),
    ...some("phrases", ({ n, text }) => option(n > 1 ? "phrase" : "word", paths.phrase(text), bdi(text))),
    ...some("documents", ({ row, id }) => option("document", paths.document(row), bdi(id))),
  ];
}

/** The suggestions under the box: one of them may be active. */
class Suggested {
  constructor(input) {
    this.input = input;
    this.node = h("div", {
      id: "suggested", role: "listbox", class: "suggested", "aria-label": "Suggestions", hidden: true,
    });
    this.node.addEventListener("pointerdown", (event) => event.preventDefault()); // keep the focus until the click
    this.node.addEventListener("click", () => this.close());
    this.choose(-1);
  }

  get options() {
    return [...this.node.children];
  }

  get chosen() {
    return this.options[this.active];
  }

  choose(at) {
    this.active = at;
    this.options.forEach((each, i) => {
      each.id = `suggested-${i}`;
      each.setAttribute("aria-selected", String(i === at));
    });
    this.chosen?.scrollIntoView({ block: "nearest" });
    if (this.chosen) this.input.setAttribute("aria-activedescendant", this.chosen.id);
    else this.input.removeAttribute("aria-activedescendant");
  }

  open() {
    this.node.replaceChildren(...suggestions(this.input.value));
    this.choose(-1);
    this.node.hidden = !this.node.hasChildNodes();
    this.input.setAttribute("aria-expanded", String(!this.node.hidden));
  }

  close() {
    this.node.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.choose(-1);
  }

  step(by) {
    if (this.node.hidden) this.open();
    const stops = this.options.length + 1; // the box itself is one of the stops
    this.choose(((this.active + 1 + by + stops) % stops) - 1);
  }
}

function searchInput() {
  return h("input", {
    type: "search", id: "search", role: "combobox", placeholder: "Search", autocomplete: "off", spellcheck: "false",
    "aria-label": "Search topics, phrases and documents", "aria-controls": "suggested", "aria-expanded": "false",
    "aria-autocomplete": "list", "aria-keyshortcuts": "/", dir: "auto",
  });
}

/** The box: arrow keys move, Enter goes, Escape closes. */
function searchBox() {
  const input = searchInput();
  const list = new Suggested(input);
  const tell = later(500, () => input.value && announce(plural(list.options.length, "suggestion")));
  const keys = { ArrowDown: () => list.step(1), ArrowUp: () => list.step(-1), Escape: () => list.close() };
  input.addEventListener("input", () => {
    list.open();
    tell();
  });
  input.addEventListener("focus", () => input.value && list.open());
  input.addEventListener("keydown", (event) => {
    if (event.key.startsWith("Arrow") && event.key in keys) event.preventDefault();
    keys[event.key]?.();
  });
  const onsubmit = (event) => {
    event.preventDefault();
    const text = input.value.trim();
    const href = list.chosen?.getAttribute("href") ?? (text && paths.search(text));
    if (!href) return;
    list.close();
    input.blur();
    location.hash = href;
  };
  const onfocusout = (event) => event.currentTarget.contains(event.relatedTarget) || list.close();
  return h("form", { role: "search", class: "search", onsubmit, onfocusout },
    input, h("kbd", { "aria-hidden": "true" }, "/"), list.node);
}

const MOST_FOUND = 200;

function foundPhrases(found) {
  return h("ul", { class: "plain found columns" }, found.slice(0, MOST_FOUND).map((entry) =>
    h("li", null, phraseLink(entry.text), " ", h("span", { class: "faint" }, count(entry.total)))));
}

function foundTopics(found) {
  return h("ul", { class: "plain found" }, found.slice(0, MOST_FOUND).map(({ id }) => h("li", null, topicLink(id))));
}

function foundDocuments(found, text, signal) {
  return live ? liveList({ topic: null, q: text }, signal) : hereList(found, (one) => documentItem(one));
}

function searchPage({ q }, route) {
  const text = (q ?? "").trim();
  const found = find(text);
  const everywhere = live && data.has_texts;
  const nothing = !everywhere && !Object.values(found).some((each) => each.length);
  const why = text ? "Nothing on this page has this." : "Type something into the search box.";
  const anywhere = text && (everywhere || found.documents.length);
  const section = (title, make, any) => any && h("section", null, h("h2", null, title), make());
  return {
    title: `Search: ${text}`,
    node: [
      h("h1", { tabindex: -1 }, "Search: ", bdi(text)),
      (nothing || !text) && h("p", { class: "lead" }, why),
      section("Topics", () => foundTopics(found.topics), found.topics.length),
      section("Phrases and words", () => foundPhrases(found.phrases), found.phrases.length),
      section("Documents", () => foundDocuments(found.documents, text, route.signal), anywhere),
    ],
  };
}
