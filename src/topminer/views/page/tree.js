// The merge tree of a document: words along the bottom, a merge as high as it is weak.

const TREE = { height: 240, top: 16, bottom: 206, blank: 10, chunk: 20, least: 26, left: 44, right: 16 };
const MOST_TOKENS = 300;
const ALWAYS = 1e9; // joined at every threshold

const pen = document.createElement("canvas").getContext("2d");

function widthOf(text) {
  pen.font = "13px system-ui, sans-serif";
  return Math.max(TREE.least, pen.measureText(text).width);
}

/** The middle of each word, in the direction of the text. */
function middlesOf(one, words) {
  const middles = [];
  let x = TREE.left;
  words.forEach((word, i) => {
    if (i > 0) x += one.strength[i] === null ? TREE.chunk : TREE.blank;
    const width = widthOf(word);
    middles.push(x + width / 2);
    x += width;
  });
  const width = x + TREE.right;
  const mirrored = /^\P{L}*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u.test(one.text);
  return { width, middles: mirrored ? middles.map((middle) => TREE.left + x - middle) : middles };
}

/** Merges from the strongest on: two parts, and what is made of them. */
function mergesOf(one, n, middles, yOf) {
  const partOf = middles.map((x, i) => ({ x, y: TREE.bottom, first: i, last: i, topic: one.topic[i] }));
  const order = [];
  for (let i = 1; i < n; i++) if (one.strength[i] !== null) order.push(i);
  order.sort((a, b) => one.strength[b] - one.strength[a] || a - b);
  return order.map((i) => {
    const left = partOf[i - 1];
    const right = partOf[i];
    const topic = commonest(one.topic.slice(left.first, right.last + 1));
    const made = { x: (left.x + right.x) / 2, y: yOf(one.strength[i]), first: left.first, last: right.last, topic };
    partOf[made.first] = partOf[made.last] = made;
    return { left, right, made };
  });
}

/** One path for all lines of each topic: up from the parts, and across. */
function pathsOf(merges) {
  const paths = new Map();
  const at = (x) => x.toFixed(1);
  const draw = (topic, path) => paths.set(topic, (paths.get(topic) ?? "") + path);
  for (const { left, right, made } of merges) {
    for (const part of [left, right]) draw(part.topic, `M${at(part.x)},${at(part.y)}V${at(made.y)}`);
    draw(made.topic, `M${at(left.x)},${at(made.y)}H${at(right.x)}`);
  }
  return [...paths];
}

function scaleOf(one) {
  const strengths = one.strength.filter((strength) => strength !== null && strength < ALWAYS);
  const low = bent(Math.min(data.lowest ?? 0, data.threshold ?? 0, ...strengths));
  const high = bent(Math.max(data.highest ?? 1, data.threshold ?? 1, ...strengths));
  const margin = 0.06 * (high - low) || 1;
  const y = (x) => TREE.top + ((TREE.bottom - TREE.top) * (bent(x) - low + margin)) / (high - low + 2 * margin);
  return (x) => Math.max(TREE.top, Math.min(TREE.bottom - 4, y(x)));
}

function ticksOf() {
  const marks = [0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
  const inside = marks.filter((mark) => mark >= (data.lowest ?? 0) && mark <= (data.highest ?? 0));
  return inside.length > 8 ? inside.filter((_, i) => i % 2) : inside;
}

/** What does not move: the scale and the words. */
function treeFrame(one, words, middles, yOf, width) {
  const ticks = ticksOf().map((mark) => s("g", { class: "tick" },
    s("line", { x1: TREE.left - 8, x2: width, y1: yOf(mark), y2: yOf(mark) }),
    s("text", { x: TREE.left - 14, y: yOf(mark) + 4, "text-anchor": "end" }, String(mark))));
  const place = (i) => ({ x: middles[i], y: TREE.bottom + 18, "text-anchor": "middle" });
  return [ticks, words.map((word, i) => s("text", { ...coloured(one.topic[i], "word"), ...place(i) }, word))];
}

/** The lines twice, each cut at the threshold: firm under it, dashed above. */
function treeLines(lines, yOf, width) {
  const below = s("rect", { x: 0, width });
  const above = s("rect", { x: 0, width, y: 0 });
  const line = s("line", { class: "threshold", x1: TREE.left - 8, x2: width });
  const move = (threshold) => {
    const y = yOf(threshold);
    put(line, "y1", y);
    put(line, "y2", y);
    put(below, "y", y);
    put(below, "height", TREE.height - y);
    put(above, "height", y);
  };
  const firm = lines.map(([topic, d]) => s("path", { ...coloured(topic, "merged"), d }));
  const dashed = lines.map(([, d]) => s("path", { class: "beyond", d }));
  const nodes = [
    s("defs", null, s("clipPath", { id: "tree-below" }, below), s("clipPath", { id: "tree-above" }, above)),
    s("g", { "clip-path": "url(#tree-above)" }, dashed), s("g", { "clip-path": "url(#tree-below)" }, firm), line,
  ];
  return { nodes, move };
}

/** The tree as { node, move(threshold) }; null where there is nothing to merge. */
function tree(one) {
  const n = Math.min(one.start.length, MOST_TOKENS);
  if (data.threshold === null || n < 2 || !one.text) return null;
  const units = unitsOf(one.text);
  const words = one.start.slice(0, n).map((start, i) => shown(one.text.slice(units[start], units[one.end[i]])));
  const { width, middles } = middlesOf(one, words);
  const yOf = scaleOf(one);
  const { nodes, move } = treeLines(pathsOf(mergesOf(one, n, middles, yOf)), yOf, width);
  move(data.threshold);
  const size = { width, height: TREE.height, viewBox: `0 0 ${width} ${TREE.height}` };
  const drawing = s("svg", { ...size, role: "img", "aria-label": `Merge tree of ${n} words` },
    treeFrame(one, words, middles, yOf, width), nodes);
  const told = "Words join where lines meet; the stronger the bond, the lower. "
    + "The dashed line is the threshold: joints under it make phrases.";
  const more = one.start.length > n ? ` The first ${n} words are drawn.` : "";
  const frame = { class: "scroll tree", tabindex: 0, role: "region", "aria-label": "Merge tree, scrolls sideways" };
  const node = h("section", null, h("h2", null, "Merge tree"), h("p", { class: "faint" }, told + more),
    h("div", frame, drawing));
  return { node, move };
}
