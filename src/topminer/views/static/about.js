// Background phrases, trends, the run, and what is not there.

const ABOUT_BACKGROUND = "Background phrases stand in documents of all kinds, so they say little about any one "
  + "topic, and topics hide them unless asked; p is how likely a topical phrase would be spread as evenly.";

function backgroundRow(entry) {
  const most = entry.topics.slice(0, 5).map(([id]) =>
    h("a", { href: paths.topic(id), title: shown(topicName(id)) }, badge(id)));
  return h("tr", null,
    h("td", null, phraseLink(entry.text)),
    h("td", { class: "number" }, count(entry.total)),
    h("td", { class: "number" }, pText(entry.p)),
    h("td", null, h("span", { class: "badges" }, most)));
}

function backgroundTable(title, found) {
  const head = (text, name) => h("th", { scope: "col", class: name }, text);
  const heads = [head("Phrase"), head("Instances", "number"), head("p", "number"), head("Most in")];
  return found.length > 0 && h("section", null, h("h2", null, title), h("div", { class: "scroll" },
    h("table", null, h("thead", null, h("tr", null, heads)), h("tbody", null, found.map(backgroundRow)))));
}

function backgroundPage() {
  const found = entries.filter((entry) => entry.background).sort((a, b) => b.total - a.total);
  return {
    title: "Background",
    node: [
      h("h1", { tabindex: -1 }, "Background"), h("p", { class: "lead" }, ABOUT_BACKGROUND),
      found.length === 0 && h("p", { class: "faint" }, "No phrase is background."),
      backgroundTable("Phrases", found.filter((entry) => entry.n > 1)),
      backgroundTable("Single words", found.filter((entry) => entry.n === 1)),
    ],
  };
}

function trendsPage() {
  if (!data.periods) return missing("The documents of this model have no times.");
  const trends = chart("trends", "Share of each topic over time", { class: "wide trends" });
  const times = `${data.periods[0]} to ${data.periods.at(-1)}`;
  return {
    title: "Trends",
    node: [
      h("h1", { tabindex: -1 }, "Trends"),
      h("p", { class: "lead" }, `The share of each topic in each ${data.unit ?? "period"}, ${times}.`),
      trends ?? ownTrends(),
    ],
  };
}

function ownTrends() {
  return h("div", { class: "multiples" }, topics.filter((topic) => topic.trend).map((topic) =>
    h("figure", null, h("figcaption", null, topicLink(topic.id)),
      line(topic.trend, topicName(topic.id), percent, coloured(topic.id)))));
}

function runPage() {
  const charts = [["history", "The run"], ["weights", "Weights"]].map(([name, title]) => {
    const drawn = chart(name, title, { class: "wide" });
    return drawn && h("section", null, h("h2", null, title), drawn);
  });
  return {
    title: "About this run",
    node: [
      h("h1", { tabindex: -1 }, "About this run"), warningNote(), verdictSection(),
      h("div", { class: "facts" }, data.facts.map(({ title, rows }) => h("section", null, h("h2", null, title),
        h("dl", null, rows.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, bdi(value)))))))),
      h("div", { class: "charts" }, charts), diagnosticsSection(),
    ],
  };
}

function missing(why) {
  return {
    title: "Not here",
    node: h("div", { class: "message" }, h("h1", { tabindex: -1 }, "Not here"), h("p", null, why),
      h("p", null, h("a", { href: "#/" }, "Back to all topics"))),
  };
}
