// The documents: those on the page, or all of the explorer's.

const foldedTexts = new Map();

function foldedText(one) {
  if (!foldedTexts.has(one.row)) foldedTexts.set(one.row, folded(`${one.id} ${one.text}`));
  return foldedTexts.get(one.row);
}

/** Documents on the page that have a topic and a text; those of a topic by their share of it. */
function chosenDocuments({ topic, q }) {
  const share = (one) => one.topics.find(([id]) => id === topic)?.[1] ?? 0;
  const wanted = folded(q.trim());
  const kept = documents.filter((one) => (topic === null || share(one) > 0) && foldedText(one).includes(wanted));
  return topic === null ? kept : kept.sort((a, b) => share(b) - share(a));
}

function excerpt(parts) {
  return h("p", { class: "marked", dir: "auto" }, parts.map(([text, hit]) => (hit ? h("mark", null, text) : text)));
}

function liveList({ topic, q }, signal) {
  const page = async (offset) => {
    const text = q.trim();
    const given = text ? { q: text, offset, limit: 10 } : { topic, offset, limit: 10 };
    const told = await ask(`api/${text ? "search" : "documents"}${queryOf(given)}`, { signal });
    return told.building ? told : { total: told.total, items: told.documents };
  };
  return paged(page, (one) => documentItem(one, { text: one.excerpt && excerpt(one.excerpt) }), signal);
}

const PAGE = 25;

/** A long list of what is already here, a page at a time. */
function hereList(items, show) {
  return paged(async (offset) => ({ total: items.length, items: items.slice(offset, offset + PAGE) }), show);
}

function documentTools(chosen, show) {
  const select = h("select", { id: "by-topic" }, h("option", { value: "" }, "all topics"),
    topics.map((topic) => h("option", { value: topic.id }, `${topic.id} · ${topic.label}`)));
  select.value = chosen.topic ?? "";
  const input = h("input", {
    type: "search", id: "by-text", value: chosen.q, placeholder: "Words in the text", autocomplete: "off",
  });
  const change = () => {
    chosen.topic = select.value === "" ? null : Number(select.value);
    chosen.q = input.value;
    // The explorer looks for words in all documents, whatever their topics.
    select.disabled = live && chosen.q.trim() !== "";
    history.replaceState(null, "", paths.documents(chosen));
    show();
  };
  select.disabled = live && chosen.q.trim() !== "";
  select.addEventListener("change", change);
  input.addEventListener("input", later(live ? 300 : 80, change));
  return h("div", { class: "tools" }, h("label", null, "Topic ", select), h("label", null, "Text ", input));
}

function documentsPage({ topic, q }, route) {
  if (!data.has_texts) return missing(NO_TEXTS);
  const known = topic !== null && topicOf.has(Number(topic));
  const chosen = { topic: known ? Number(topic) : null, q: q ?? "" };
  const list = h("div");
  let asked = new AbortController();
  route.signal.addEventListener("abort", () => asked.abort());
  const show = () => {
    asked.abort();
    asked = new AbortController();
    const here = () => hereList(chosenDocuments(chosen), (one) => documentItem(one));
    list.replaceChildren(live ? liveList(chosen, asked.signal) : here());
  };
  show();
  const n = count(data.n_documents);
  const part = `${count(documents.length)} of ${n} documents are part of this page: the most typical of each topic.`;
  return {
    title: "Documents",
    node: [h("h1", { tabindex: -1 }, "Documents"), h("p", { class: "lead" }, live ? `All ${n} documents.` : part),
      documentTools(chosen, show), h("h2", { class: "unseen" }, "Found"), list],
  };
}
