// Charts that came with the page, and small lines drawn here.

const MANY_LINKS = 40; // more points than this are no stops for the Tab key: a list beside them has them all

/** A copy of a chart that came with the page, or null. */
function chart(name, label, attributes) {
  const svg = document.getElementById(`chart-${name}`)?.content.querySelector("svg")?.cloneNode(true);
  if (!svg) return null;
  rename(svg, `${name}-`);
  clearGround(svg);
  if (name === "map" || name === "trends") colourCells(svg);
  const links = [...svg.querySelectorAll("a")];
  for (const link of links) {
    const told = link.getAttribute("aria-label") ?? link.querySelector("[aria-label]")?.getAttribute("aria-label");
    if (told) link.setAttribute("aria-label", told);
    link.closest("[aria-hidden]")?.removeAttribute("aria-hidden"); // what can be followed must be told
    if (links.length > MANY_LINKS) link.setAttribute("tabindex", "-1");
  }
  // Titles would say once more, and later, what the label near the pointer says.
  for (const title of svg.querySelectorAll("title")) title.remove();
  svg.setAttribute("role", links.length ? "group" : "img");
  svg.setAttribute("aria-label", label);
  const frame = h("div", { tabindex: 0, role: "region", "aria-label": label, ...attributes }, svg);
  frame.classList.add("chart");
  return explain(frame, "a, [role=graphics-symbol][aria-label]", (mark) => mark.getAttribute("aria-label"));
}

/** Names within a chart must not meet those of another chart. */
function rename(svg, prefix) {
  const ids = [...svg.querySelectorAll("[id]")];
  if (!ids.length) return;
  for (const element of ids) element.id = prefix + element.id;
  for (const element of svg.querySelectorAll("*")) {
    for (const { name, value } of [...element.attributes]) {
      if (value.startsWith("url(#")) element.setAttribute(name, value.replace("url(#", `url(#${prefix}`));
    }
  }
}

/** What is drawn of a topic is drawn in its colour. */
function colourCells(svg) {
  for (const cell of svg.querySelectorAll("[data-topic]")) {
    put(cell, "class", coloured(Number(cell.getAttribute("data-topic")), "cell").class);
  }
}

/** The page is the ground of a chart. */
function clearGround(svg) {
  const first = svg.firstElementChild;
  if (first?.localName === "rect" && /^(white|#fff|#ffffff)$/i.test(first.getAttribute("fill") ?? "")) first.remove();
}

const LINE = { width: 320, height: 96, side: 4, top: 16, floor: 76 };

/** Where the values of a line stand. */
function lineScale(values) {
  const { width, side, top, floor } = LINE;
  const most = Math.max(...values, 0) || 1;
  const room = (width - 2 * side) / values.length;
  return { room, x: (i) => side + room * (i + 0.5), y: (value) => floor - ((floor - top) * value) / most };
}

/** A line over the periods that have documents; `tell(value, i)` says one value in words. */
function line(values, label, tell, attributes) {
  const { width, height, floor } = LINE;
  const { room, x, y } = lineScale(values);
  const known = values.map((_, i) => i).filter((i) => data.period_sizes?.[i] !== 0);
  if (!known.length) return null;
  const points = known.map((i) => `${x(i).toFixed(1)},${y(values[i]).toFixed(1)}`).join(" ");
  const [first, last] = [known[0], known.at(-1)];
  const peak = known.reduce((best, i) => (values[i] > values[best] ? i : best), first);
  const anchor = peak < values.length * 0.15 ? "start" : peak > values.length * 0.85 ? "end" : "middle";
  const told = (i) => `${data.periods[i]}: ${tell(values[i], i)}`;
  const summary = shown(`${label}. Highest in ${told(peak)}; last, ${told(last)}.`);
  const columns = known.map((i) =>
    s("rect", { class: "column", x: x(i) - room / 2, y: 0, width: room, height: floor, "data-told": told(i) }));
  const drawing = s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": summary, ...attributes },
    s("line", { class: "axis", x1: 0, x2: width, y1: floor, y2: floor }),
    s("polygon", { class: "area", points: `${x(first)},${floor} ${points} ${x(last)},${floor}` }),
    s("polyline", { class: "stroke", points }),
    s("circle", { class: "dot", cx: x(peak), cy: y(values[peak]), r: 3 }),
    s("text", { class: "value", x: x(peak), y: y(values[peak]) - 6, "text-anchor": anchor },
      tell(values[peak], peak)),
    s("text", { x: 0, y: height - 5 }, data.periods[0]),
    values.length > 1 && s("text", { x: width, y: height - 5, "text-anchor": "end" }, data.periods.at(-1)),
    columns);
  return explain(h("div", { class: "line" }, drawing), ".column", (column) => column.getAttribute("data-told"));
}
