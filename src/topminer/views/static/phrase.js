// One phrase: how often, in which forms, in which topics, when and where.

function pText(p) {
  if (p === null || p === undefined) return "–";
  return p < 0.001 ? "< 0.001" : digits.format(p);
}

function backgroundSentence(entry) {
  if (entry.p === null || entry.p === undefined) return null;
  const what = entry.background ? "Background: it stands in documents of all kinds" : "Not shown to be background";
  return h("p", { class: "faint" }, `${what} (p = ${pText(entry.p)}).`.replace("= <", "<"));
}

function qualitySentence(entry) {
  if (entry.quality === null || entry.quality === undefined) return null;
  return h("p", { class: "faint" }, `Its quality is ${digits.format(entry.quality)}.`);
}

function phraseTrend(entry) {
  if (!data.periods || !entry.trend) return null;
  const rates = entry.trend.map((n, i) => (data.period_sizes?.[i] ? (1000 * n) / data.period_sizes[i] : 0));
  const tell = (rate, i) => `${digits.format(rate)} ‰ (${plural(entry.trend[i], "time")})`;
  return h("section", null, h("h2", null, "Over time"),
    line(rates, `Instances in a thousand phrases of each ${data.unit ?? "period"}`, tell));
}

function phraseFacts(entry) {
  const most = Math.max(...entry.topics.map(([, frequency]) => frequency), 1e-9);
  const forms = entry.forms?.length > 1 && h("section", null, h("h2", null, "Forms"), formsList(entry.forms));
  return [
    h("p", { class: "lead" }, `Stands ${plural(entry.total, "time")} in the corpus.`), qualitySentence(entry), backgroundSentence(entry),
    h("div", { class: "lists" },
      h("section", null, h("h2", null, "Topics"), topicBars(entry.topics, count, most, "Topics it stands in")),
      h("div", null, phraseTrend(entry), forms)),
  ];
}

/** Whether a text is the phrase, in any of its forms. */
function isPhrase(text, entry) {
  const forms = new Set([text, entry?.text ?? text, ...(entry?.forms ?? []).map(([form]) => form)].map(folded));
  return (given) => forms.has(folded(given).replace(/\s+/g, " "));
}

function shownWith(text, entry) {
  const sought = isPhrase(text, entry);
  const holds = (one) => cut(one, data.threshold).some(({ start, end }) => sought(one.text.slice(start, end)));
  const found = documents.filter(holds);
  return h("section", null, h("h2", null, "Shown documents that contain it"),
    found.length
      ? hereList(found, (one) => documentItem(one, { sought }))
      : h("p", { class: "faint" }, "None of the documents on this page."));
}

function concordanceLine({ row, id, left, match, right, topic }) {
  const title = shown(`${id} · ${topicName(topic)}`);
  return h("div", { class: "kwic" },
    h("span", { class: "left" }, bdi(left)), " ",
    h("span", { class: "right" },
      h("a", { ...coloured(topic, "match"), href: paths.document(row), title }, bdi(match)),
      /^[.,;:!?)\]}’”。，、；：！？]/.test(right) ? "" : " ", bdi(right)));
}

function concordance(text, signal) {
  const page = async (offset) => {
    const told = await ask(`api/concordance${queryOf({ phrase: text, offset, limit: 20 })}`, { signal });
    return told.building ? told : { total: told.total, items: told.lines };
  };
  return h("section", null, h("h2", null, "In context"),
    h("div", { class: "concordance" }, paged(page, concordanceLine, signal)));
}

function phrasePage({ text }, route) {
  const entry = entries[entryOf.get(text)];
  if (!entry && !live) return missing("This phrase is not among those of this page.");
  const main = entry && entry.text !== text;
  return {
    title: text,
    node: h("article", entry ? coloured(entry.topics[0]?.[0] ?? -1) : null,
      h("p", { class: "eyebrow" }, !entry || entry.n > 1 ? "Phrase" : "Word"),
      h("h1", { tabindex: -1 }, bdi(text)),
      main && h("p", null, "Tied with ", phraseLink(entry.text), "."),
      entry ? phraseFacts(entry) : h("p", { class: "lead" }, "No topic lists this phrase."),
      data.has_texts && (live ? concordance(entry ? entry.text : text, route.signal) : shownWith(text, entry))),
  };
}
