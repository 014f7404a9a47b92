// Rows with a bar: a part in colour over the whole in grey, on one scale.

function length(x) {
  return `${(100 * Math.max(0, Math.min(1, x))).toFixed(2)}%`;
}

/** A bar; `part` and `all` are lengths from 0 to 1. */
function bar(part, all = 0) {
  const rect = (name, x) => s("rect", { class: name, width: length(x), height: "100%", rx: 2 });
  return s("svg", { class: "bar", "aria-hidden": "true" }, all > 0 && rect("all", all), rect("part", part));
}

function barRow({ name, part, all, told, more }, attributes) {
  return h("li", attributes ?? { class: "row" },
    h("div", { class: "name" }, name, more), bar(part, all), h("span", { class: "told" }, told));
}

function phraseRow(row, most) {
  const all = h("span", { class: "faint" }, h("span", { class: "unseen" }, " of"), ` ∕ ${count(row.total)}`);
  const forms = row.forms?.length > 1 && disclosed(`${row.forms.length} forms`, formsList(row.forms));
  return barRow({
    name: phraseLink(row.text),
    part: row.frequency / most,
    all: row.total / most,
    told: [count(row.frequency), all],
    more: [row.background && h("span", { class: "tag" }, "background"), forms],
  });
}

function wordRow([word, here, all], weight, most) {
  return barRow({
    name: entryOf.has(word) ? phraseLink(word) : bdi(word),
    part: (weight * here) / most,
    all: all / most,
    told: percent(here),
  });
}

function disclosed(title, content) {
  return h("details", { class: "forms" }, h("summary", null, title), content);
}

function formsList(forms) {
  return h("ul", { class: "plain" }, forms.map(([text, instances]) =>
    h("li", null, bdi(text), " ", h("span", { class: "faint" }, count(instances)))));
}

const FIRST = 30;

/** A list of rows, the first of them at first. */
function barList(rows, make, label) {
  const list = h("ol", { class: "bars", "aria-label": label }, rows.slice(0, FIRST).map(make));
  if (!rows.length) return h("p", { class: "faint" }, "None.");
  if (rows.length <= FIRST) return list;
  const more = h("button", { type: "button", class: "quiet" }, `Show all ${count(rows.length)}`);
  more.addEventListener("click", () => {
    const rest = rows.slice(FIRST).map(make);
    list.append(...rest);
    more.remove();
    rest[0].querySelector("a")?.focus();
  });
  return [list, more];
}

/** Topics with a bar each: [topic, value]. */
function topicBars(pairs, tell, most, label) {
  return h("ol", { class: "bars", "aria-label": label }, pairs.map(([id, value]) =>
    barRow({ name: topicLink(id), part: value / most, told: tell(value) }, coloured(id, "row"))));
}
