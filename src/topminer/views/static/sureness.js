// How sure the model is: whether the sweeps were enough, and diagnostics of each topic.

const rate = () => `${Math.round(100 * data.rate)}%`;
const decimals = (x) => (x === null ? "–" : x.toFixed(2));

function verdictSection() {
  return h("section", null, h("h2", null, "Were the sweeps enough?"), data.verdict.map((line) => h("p", null, line)));
}

function warningNote() {
  return data.warning && h("p", { class: "warning", role: "note" }, h("strong", null, "Warning: "), data.warning);
}

function interval({ weight_low: low, weight_high: high }) {
  return low === null ? null : `${percent(low)} to ${percent(high)}`;
}

/** A sentence on the page of a topic. */
function measuresSentence(topic) {
  const { exclusivity, coherence, documents: leads, stability, stable } = topic.measures;
  const parts = [`It leads ${plural(leads, "document")}; exclusivity ${decimals(exclusivity)}, coherence ${decimals(coherence)}.`];
  if (stability !== null) {
    parts.push(` Stability ${decimals(stability)}: ${stable ? "stable" : "not stable"} between chains;`
      + ` ${rate()} interval of its share: ${interval(topic.measures)}.`);
  }
  return h("p", { class: "faint measures" }, parts);
}

function diagnosticsRow(topic, sure) {
  const { exclusivity, coherence, documents: leads, stability, stable } = topic.measures;
  const [nearest, similarity] = topic.similar[0] ?? [null, null];
  const number = (text) => h("td", { class: "number" }, text);
  return h("tr", null,
    h("td", null, topicLink(topic.id)),
    number(percent(topic.weight)), sure && number(interval(topic.measures)),
    number(decimals(exclusivity)), number(decimals(coherence)), number(count(leads)),
    sure && number(decimals(stability)), sure && h("td", null, stable ? "yes" : "no"),
    h("td", null, nearest === null ? "–" : h("a", { href: paths.topic(nearest), title: shown(topicName(nearest)) }, badge(nearest))),
    number(decimals(similarity)));
}

function diagnosticsSection() {
  const sure = data.rate !== null;
  const head = (text, name) => h("th", { scope: "col", class: name }, text);
  const heads = [
    head("Topic"), head("Share", "number"), sure && head(`${rate()} interval`, "number"),
    head("Exclusivity", "number"), head("Coherence", "number"), head("Leads", "number"),
    sure && head("Stability", "number"), sure && head("Stable"), head("Nearest"), head("Similarity", "number"),
  ];
  const about = "Exclusivity: how much the first ten words belong to the topic alone. Coherence: NPMI of these words. "
    + "Leads: documents in which the topic has the largest share."
    + (sure ? " Stability: cosine with the matched topics of the other chains, on average." : "");
  return h("section", null, h("h2", null, "Diagnostics of topics"), h("p", { class: "faint" }, about),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Diagnostics of topics" },
      h("table", { class: "diagnostics" }, h("thead", null, h("tr", null, heads)),
        h("tbody", null, topics.map((topic) => diagnosticsRow(topic, sure))))));
}
