// One topic: its words and phrases in the order one likes, its course, its neighbours and its documents.

function radio(group, value, text, chosen, change) {
  const input = h("input", { type: "radio", name: group, value, checked: chosen, onchange: () => change(value) });
  return h("label", null, input, h("span", null, text));
}

function radios(legend, group, options, chosen, change) {
  return h("fieldset", { class: "segmented" }, h("legend", null, legend),
    h("div", null, options.map(([value, text]) => radio(group, value, text, value === chosen, change))));
}

function toggle(text, name, on, change) {
  const onchange = (event) => change(event.target.checked);
  return h("label", { class: "switch" },
    h("input", { type: "checkbox", role: "switch", name, checked: on, onchange }),
    h("span", null, text));
}

function lambdaSlider(show) {
  const output = h("output", { for: "lambda" }, choices.lambda.toFixed(2));
  const slider = h("input", { type: "range", id: "lambda", min: 0, max: 1, step: 0.05, value: choices.lambda });
  slider.addEventListener("input", () => {
    choices.lambda = Number(slider.value);
    output.textContent = choices.lambda.toFixed(2);
    show();
  });
  const title = "1: as frequent as possible; 0: as much of this topic alone as possible";
  return h("div", { class: "slider lambda", title, hidden: choices.order !== "relevance" },
    h("label", { for: "lambda" }, "λ"), slider, output);
}

/** The controls; `show()` draws the lists anew. */
function orderTools(show) {
  const slider = lambdaSlider(show);
  const set = (name) => (value) => {
    choices[name] = value;
    slider.hidden = choices.order !== "relevance";
    show();
  };
  const orders = [["best", "Best"], ["frequency", "Frequency"], ["kert", "KERT"], ["relevance", "Relevance"]];
  const sides = [["apart", "apart"], ["together", "together"]];
  const side = choices.together ? "together" : "apart";
  return h("div", { class: "tools", role: "group", "aria-label": "What is shown, and in which order" },
    radios("Order", "order", orders, choices.order, set("order")), slider,
    radios("Words and phrases", "together", sides, side, (value) => set("together")(value === "together")),
    toggle("Hide background", "background", !choices.background, (on) => set("background")(!on)),
    toggle("Tie variants", "tied", choices.tied, set("tied")));
}

function phraseSection(topic) {
  const rows = phrasesOf(topic, choices);
  const most = Math.max(...rows.map((row) => row.total), 1e-9);
  const title = choices.together ? "Words and phrases" : "Phrases";
  return h("section", null, h("h2", null, title), legend("in this topic", "in all"),
    barList(rows, (row) => phraseRow(row, most), title));
}

function wordSection(topic) {
  const rows = wordsOf(topic, choices);
  const most = Math.max(...rows.map(([, here, all]) => Math.max(all, topic.weight * here)), 1e-12);
  return h("section", null, h("h2", null, "Words"), legend("in this topic", "in all"),
    barList(rows, (row) => wordRow(row, topic.weight, most), "Words"));
}

function legend(part, all) {
  return h("p", { class: "legend" },
    h("span", { class: "key part" }), `${part} `, h("span", { class: "key all" }), all);
}

function topicLists(topic) {
  const lists = h("div");
  const show = () => {
    const apart = !choices.together && topic.phrases.some(([i]) => entries[i].n > 1);
    lists.className = apart ? "lists" : "lists one";
    const words = choices.together ? null : wordSection(topic);
    lists.replaceChildren(...[(apart || choices.together) && phraseSection(topic), words].filter(Boolean));
  };
  show();
  return [orderTools(show), lists];
}

function neighbourLinks(topic) {
  const at = topics.indexOf(topic);
  const link = (other, rel, text) =>
    other && h("a", { href: paths.topic(other.id), rel, title: shown(other.label) }, text);
  return h("nav", { class: "steps", "aria-label": "Other topics" },
    link(topics[at - 1], "prev", `← Topic ${topics[at - 1]?.id}`),
    link(topics[at + 1], "next", `Topic ${topics[at + 1]?.id} →`));
}

function similarSection(topic) {
  const known = topic.similar.filter(([id]) => topicOf.has(id));
  return known.length > 0 && h("section", null, h("h2", null, "Similar topics"),
    topicBars(known, (x) => x.toFixed(2), 1, "Similar topics"));
}

function trendSection(topic) {
  return data.periods && topic.trend && h("section", null, h("h2", null, "Over time"),
    line(topic.trend, `Share of the topic in each ${data.unit ?? "period"}`, percent, coloured(topic.id)));
}

const REPRESENTATIVE = 5;

/** The documents of a topic that the page holds, or the first that the explorer tells. */
function topicDocuments(topic, signal) {
  if (!data.has_texts) return null;
  const here = topic.documents.map((at) => documents[at]).filter(Boolean);
  const list = h("div", null, here.map((one) => documentItem(one)));
  if (live && !here.length) {
    const path = `api/documents${queryOf({ topic: topic.id, offset: 0, limit: REPRESENTATIVE })}`;
    fill(list, () => ask(path, { signal }), (told) => told.documents.map((one) => documentItem(one)), signal);
  }
  const all = h("a", { href: paths.documents({ topic: topic.id }) }, `All ${live ? "" : "shown "}documents of this topic`);
  return h("section", null, h("h2", null, "Documents that are most about it"), list, h("p", null, all));
}

function backgroundNote(topic) {
  return topic.background && h("p", null, h("span", { class: "tag" }, "background"),
    " This topic is in most documents at an even share. It says how people write here, not about what.");
}

function topicPage({ id }, route) {
  const topic = topicOf.get(Number(id));
  if (!topic || !/^\d+$/.test(id)) return missing(`There is no topic ${shown(id)}.`);
  return {
    title: `Topic ${topic.id}: ${topic.label}`,
    node: h("article", coloured(topic.id, "topic"),
      h("div", { class: "over" }, h("p", { class: "eyebrow" }, `Topic ${topic.id}`), neighbourLinks(topic)),
      h("h1", { tabindex: -1 }, bdi(topic.label)), backgroundNote(topic), live && renaming(topic, route),
      h("p", { class: "lead" }, `${percent(topic.weight)} of the corpus, ${count(topic.size)} phrase instances.`),
      measuresSentence(topic),
      topicLists(topic),
      h("div", { class: "lists" }, trendSection(topic), similarSection(topic)),
      topicDocuments(topic, route.signal)),
  };
}

/** The live page lets people give topics names of their own. */
function renaming(topic, route) {
  const place = h("div", { class: "rename" });
  const save = async (label) => {
    try {
      Object.assign(topic, await send("PUT", `api/topics/${topic.id}/label`, { label }, route.signal));
      findable = null;
      route.again();
      announce("The name is saved.");
    } catch (error) {
      if (!route.signal.aborted) place.append(h("p", { role: "alert" }, error.message));
    }
  };
  const edit = () => {
    const input = h("input", {
      type: "text", "aria-label": "Name of the topic", value: topic.label, maxlength: 120, dir: "auto",
    });
    const onsubmit = (event) => {
      event.preventDefault();
      save(input.value.trim());
    };
    place.replaceChildren(h("form", { onsubmit }, input, h("button", { type: "submit" }, "Save"),
      topic.renamed && h("button", { type: "button", class: "quiet", onclick: () => save("") }, "Automatic name"),
      h("button", { type: "button", class: "quiet", onclick: rest }, "Cancel")));
    input.select();
  };
  const rest = () => place.replaceChildren(h("button", { type: "button", class: "quiet", onclick: edit }, "Rename"));
  rest();
  return place;
}
