// One document: its topics, its text with phrases at a threshold one can move, its merge tree.

function topicShares(one) {
  if (!one.topics.length) return h("p", { class: "faint" }, "No topic is known.");
  const rest = Math.max(0, 1 - one.topics.reduce((sum, [, share]) => sum + share, 0));
  let behind = 0;
  const rect = (share, attributes) => {
    behind += share;
    return s("rect", { ...attributes, x: length(behind - share), width: length(share), height: "100%" });
  };
  return h("section", { class: "shares" }, h("h2", { class: "unseen" }, "Topics"),
    s("svg", { class: "stack", "aria-hidden": "true" },
      one.topics.map(([id, share]) => rect(share, coloured(id))), rest > 0.002 && rect(rest)),
    h("ul", { class: "plain keys" },
      one.topics.map((pair) => h("li", null, topicShare(pair))),
      rest > 0.002 && h("li", { class: "faint" }, `others ${percent(rest)}`)));
}

/** What a document page and a text one tries have in common. */
function documentView(one) {
  if (!one.text) return [topicShares(one), h("p", { class: "faint" }, "The text is not part of this page.")];
  const text = h("div", { class: "reading" });
  const drawn = data.threshold === null ? null : tree(one, data);
  const tell = later(500, (n) => announce(plural(n, "phrase")));
  const change = (threshold) => {
    text.replaceChildren(markedText(one, threshold));
    drawn?.move(threshold);
    tell(text.querySelectorAll(".phrase").length);
  };
  const slider = thresholdSlider(change);
  if (slider) slider.tell();
  else text.append(markedText(one, data.threshold));
  return [
    topicShares(one), slider?.node, text,
    one.cut && h("p", { class: "faint" }, "This is the beginning of the text."),
    drawn && treeSection(drawn.node, one.start.length),
  ];
}

function treeSection(node, n) {
  const told = "Words join where lines meet; the stronger the bond, the lower. "
    + "The dashed line is the threshold: joints under it make phrases.";
  const more = n > MOST_TOKENS ? ` The first ${MOST_TOKENS} words are drawn.` : "";
  return h("section", null, h("h2", null, "Merge tree"), h("p", { class: "faint" }, told + more), node);
}

const NO_TEXTS = "This model was saved without the texts of its documents.";

function documentPage({ row }, route) {
  const number = Number(row);
  const one = documentOf.get(number);
  const title = `Document ${one ? one.id : row}`;
  if (!data.has_texts) return missing(NO_TEXTS);
  if (!/^\d+$/.test(row) || (!one && !live)) return missing("This document is not part of this page.");
  if (one && !(live && one.cut)) return { title, node: documentArticle(one) };
  const place = h("div");
  const show = (told) => {
    document.title = shown(`Document ${told.id} – ${data.title}`);
    return documentArticle(told);
  };
  // Who came by a link stands where a heading was still to come.
  fill(place, () => ask(`api/documents/${number}`, { signal: route.signal }), show, route.signal).then(() =>
    document.activeElement === place.parentElement && place.querySelector("h1")?.focus({ preventScroll: true }));
  return { title, node: place };
}

function documentArticle(one) {
  return h("article", { class: "document" },
    h("p", { class: "eyebrow" }, "Document", one.time && [" · ", h("time", null, one.time)]),
    h("h1", { tabindex: -1 }, bdi(one.id)),
    documentView(one));
}

function tryPage(_, route) {
  if (!live) return missing("Trying a text needs the explorer: topminer serve.");
  const area = h("textarea", { id: "text", rows: 6, dir: "auto", required: true });
  const result = h("div", { "aria-live": "polite" });
  const onsubmit = (event) => {
    event.preventDefault();
    const text = area.value;
    if (!text.trim()) return area.focus();
    result.replaceChildren();
    const question = () => send("POST", "api/segment", { text }, route.signal);
    fill(result, question, (one) => h("article", { class: "document" }, documentView(one)), route.signal);
  };
  return {
    title: "Try a text",
    node: [h("h1", { tabindex: -1 }, "Try a text"),
      h("form", { class: "try", onsubmit },
        h("label", { for: "text" }, "Paste a text to see its phrases and topics by this model."), area,
        h("button", { type: "submit" }, "Find phrases")),
      result],
  };
}
