// The merge tree of a text: words along the bottom, a merge as high as it is weak.
//
// Joints belong to the token behind them: `one.strength[i]` is how strongly token i is joined to the one
// before it, null: never. A document has `topic`, the topics of its tokens. An explained text has more:
// `joined` (1: in a phrase), `chunk`, `order` (of the joints), `scores`, and what to say `about` joints and `words`.

const TREE = { height: 258, top: 16, bottom: 206, blank: 10, chunk: 20, least: 26, left: 44, right: 96, gap: 24 };
const MOST_TOKENS = 300;

const pen = document.createElement("canvas").getContext("2d");

function widthOf(text, bold) {
  pen.font = `${bold ? "bold " : ""}13px system-ui, sans-serif`;
  return pen.measureText(text).width;
}

/** Attributes of a part: in its topic's colour, or in that of phrases or of single words. */
function partLook(one, of, name) {
  return one.topic ? coloured(of, name) : { class: `${name} ${of ? "joined" : "alone"}` };
}

function startsAnew(one, i) {
  return i > 0 && (one.chunk ? one.chunk[i] !== one.chunk[i - 1] : one.strength[i] === null);
}

/** The text in one line: pieces with their middles, the edges of tokens, the ends of chunks. */
function lineOf(one, n) {
  const units = unitsOf(one.text);
  const textAt = (start, end) => shown(one.text.slice(units[start], units[end])).replace(/\s+/g, " ");
  const line = { pieces: [], edges: [], ends: [], width: TREE.left };
  const add = (text, width, token) => {
    line.pieces.push({ x: line.width + width / 2, text, token });
    line.width += width;
  };
  const addGap = (between) => {
    const gap = between.trim();
    const half = TREE.gap / 2;
    const short = gap.length > TREE.gap ? `${gap.slice(0, half)} … ${gap.slice(-half)}` : gap;
    if (short) {
      line.width += between.startsWith(" ") ? TREE.blank : 1;
      add(short, widthOf(short), null);
    }
    line.width += between ? TREE.blank : 2;
  };
  for (let i = 0; i < n; i++) {
    addGap(textAt(i ? one.end[i - 1] : 0, one.start[i]));
    if (startsAnew(one, i)) {
      line.ends.push(line.width + TREE.chunk / 2);
      line.width += TREE.chunk;
    }
    const [word, left] = [textAt(one.start[i], one.end[i]), line.width];
    add(word, Math.max(TREE.least, widthOf(word, one.joined?.[i])), i);
    line.edges.push([left, line.width]);
  }
  if (n === one.start.length && n) addGap(textAt(one.end[n - 1], units.length - 1));
  return /^\P{L}*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u.test(one.text) ? mirrored(line) : line;
}

/** The line of a text that runs from right to left. */
function mirrored({ pieces, edges, ends, width }) {
  const turned = (x) => TREE.left + width - x;
  return {
    width,
    pieces: pieces.map((piece) => ({ ...piece, x: turned(piece.x) })),
    edges: edges.map(([left, right]) => [turned(right), turned(left)]),
    ends: ends.map(turned),
  };
}

/** Merges in their order: two parts, what is made of them, and the joint. Parts that are in no merge are left. */
function mergesOf(one, n, edges, yOf) {
  const looks = one.topic ?? one.joined;
  const partOf = edges.map(([left, right], i) => ({ x: (left + right) / 2, y: TREE.bottom, first: i, last: i, of: looks[i] }));
  const joints = [];
  for (let i = 1; i < n; i++) if (one.strength[i] !== null) joints.push(i);
  const order = one.order?.filter((i) => i < n) ?? joints.sort((a, b) => one.strength[b] - one.strength[a] || a - b);
  const merges = order.map((joint) => {
    const [left, right] = [partOf[joint - 1], partOf[joint]];
    const of = commonest(looks.slice(left.first, right.last + 1));
    const made = { x: (left.x + right.x) / 2, y: yOf(one.strength[joint]), first: left.first, last: right.last, of };
    partOf[made.first] = partOf[made.last] = made;
    return { left, right, made, joint };
  });
  const roots = partOf.filter((part, i) => part.first === i && partOf[part.last] === part);
  return { merges, roots };
}

/** One path for all lines of each colour: up from the parts, and across. */
function pathsOf(merges, roots) {
  const paths = { merges: new Map(), roots: new Map() };
  const draw = (map, of, path) => map.set(of, (map.get(of) ?? "") + path);
  const up = (map, { x, y, of }, to) => draw(map, of, `M${x.toFixed(1)},${y.toFixed(1)}V${to.toFixed(1)}`);
  for (const { left, right, made } of merges) {
    for (const part of [left, right]) up(paths.merges, part, made.y);
    draw(paths.merges, made.of, `M${left.x.toFixed(1)},${made.y.toFixed(1)}H${right.x.toFixed(1)}`);
  }
  for (const root of roots) up(paths.roots, root, TREE.top);
  return paths;
}

/** Where scores stand, and which of them the scale names. */
function scaleOf(one, { threshold, lowest, highest }) {
  const known = [threshold, lowest, highest, ...one.strength].filter((x) => typeof x === "number" && x < ALWAYS);
  const [low, high] = known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
  const margin = 0.06 * (bent(high) - bent(low)) || 1;
  const span = bent(high) - bent(low) + 2 * margin;
  const yOf = (x) => {
    const y = TREE.top + ((TREE.bottom - TREE.top) * (bent(x) - bent(low) + margin)) / span;
    return Math.max(TREE.top, Math.min(TREE.bottom - 4, y));
  };
  const marks = [0, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].filter((mark) => mark >= low && mark <= high);
  return { yOf, ticks: marks.length > 8 ? marks.filter((_, i) => i % 2) : marks };
}

/** What does not move: the scale, the ends of chunks, the text, and the scores of merges. */
function treeFrame(one, { pieces, ends, edges, width }, merges, { yOf, ticks }) {
  const scale = ticks.map((mark) => s("g", { class: "tick" },
    s("line", { x1: TREE.left - 8, x2: width, y1: yOf(mark), y2: yOf(mark) }),
    s("text", { x: TREE.left - 14, y: yOf(mark) + 4, "text-anchor": "end" }, String(mark))));
  const bounds = one.chunk ? ends.map((x) => s("line", { class: "chunk", x1: x, x2: x, y1: TREE.top, y2: TREE.bottom })) : [];
  const y = TREE.bottom + 20;
  const texts = pieces.map(({ x, text, token }) => s("text", {
    ...(token === null ? { class: "gap" } : partLook(one, (one.topic ?? one.joined)[token], "word")),
    x, y, "text-anchor": "middle", "data-told": token !== null && one.words?.[token],
  }, text));
  const scores = merges.filter(({ joint }) => one.scores?.[joint]).map(({ made, joint }) =>
    s("text", { ...partLook(one, made.of, "score"), x: made.x + 4, y: made.y - 5, "data-told": one.about[joint] },
      one.scores[joint]));
  const always = one.chunk ? cut(one, null).filter(({ first, behind }) => behind - first > 1 && behind <= edges.length) : [];
  const glued = always.map(({ first, behind }) => [
    s("line", { class: "glued", x1: edges[first][0], x2: edges[behind - 1][1], y1: y + 12, y2: y + 12 }),
    s("text", { class: "glued", x: (edges[first][0] + edges[behind - 1][1]) / 2, y: y + 27, "text-anchor": "middle" }, "always"),
  ]);
  return { behind: [scale, bounds], before: [texts, glued, scores] };
}

let n_trees = 0;

/** The lines twice, each cut at the threshold: firm under it, dashed above; phrases are underlined. */
function treeLines(one, edges, paths, yOf, width) {
  const id = `tree-${n_trees++}`;
  const below = s("rect", { x: 0, width });
  const above = s("rect", { x: 0, width, y: 0 });
  const line = s("line", { class: "threshold", x1: TREE.left - 8, x2: width });
  const label = s("text", { class: "threshold", x: width + 6 });
  const underlines = s("g");
  const underline = ({ first, behind, topic }) => {
    const [a, b] = [edges[first], edges[behind - 1]];
    const ends = { x1: Math.min(a[0], b[0]), x2: Math.max(a[1], b[1]), y1: TREE.bottom + 27, y2: TREE.bottom + 27 };
    return s("line", { ...partLook(one, topic, "under"), ...ends });
  };
  const move = (threshold) => {
    const y = threshold === null ? TREE.bottom - 8 : yOf(threshold);
    for (const [element, name, value] of [
      [line, "y1", y], [line, "y2", y], [label, "y", y + 4],
      [below, "y", y], [below, "height", TREE.height - y], [above, "height", y],
    ]) put(element, name, value);
    label.textContent = threshold === null ? "" : `threshold ${score(threshold)}`;
    const several = cut(one, threshold).filter(({ first, behind }) => behind - first > 1 && behind <= edges.length);
    underlines.replaceChildren(...several.map(underline));
  };
  const firm = [...paths.merges, ...paths.roots].map(([of, d]) => s("path", { ...partLook(one, of, "merged"), d }));
  const dashed = [...paths.merges.values()].map((d) => s("path", { class: "beyond", d }));
  const nodes = [
    s("defs", null, s("clipPath", { id: `${id}-below` }, below), s("clipPath", { id: `${id}-above` }, above)),
    s("g", { "clip-path": `url(#${id}-above)` }, dashed), s("g", { "clip-path": `url(#${id}-below)` }, firm),
    underlines, line, label,
  ];
  return { nodes, move };
}

/** The tree as { node, move(threshold) }; null where there is nothing to merge. `scale` has a threshold, and may have
 * scores that must be on the scale and the `most` words to draw. */
function tree(one, scale) {
  const n = Math.min(one.start.length, scale.most ?? MOST_TOKENS);
  if (n < 2 || !one.text) return null;
  const line = lineOf(one, n);
  const scores = scaleOf(one, scale);
  const { merges, roots } = mergesOf(one, n, line.edges, scores.yOf);
  const { nodes, move } = treeLines(one, line.edges, pathsOf(merges, roots), scores.yOf, line.width);
  move(scale.threshold);
  const width = line.width + TREE.right;
  const size = { width, height: TREE.height, viewBox: `0 0 ${width} ${TREE.height}` };
  const { behind, before } = treeFrame(one, line, merges, scores);
  const drawing = s("svg", { ...size, role: "img", "aria-label": `Merge tree of ${n} words` }, behind, nodes, before);
  const frame = { class: "scroll tree", tabindex: 0, role: "region", "aria-label": "Merge tree, scrolls sideways" };
  const node = explain(h("div", frame, drawing), "[data-told]", (target) => target.getAttribute("data-told"));
  return { node, move };
}
