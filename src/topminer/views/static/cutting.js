// The phrases of a document at any threshold: runs of kept tokens that are joined at it.

/** Python counts code points, JavaScript UTF-16 units: where each code point starts, and the end. */
function unitsOf(text) {
  const units = [];
  for (let i = 0; i < text.length; i += text.codePointAt(i) > 0xffff ? 2 : 1) units.push(i);
  units.push(text.length);
  return units;
}

/** The topic most tokens have; of several, the one that stands first. */
function commonest(given) {
  const n = new Map();
  for (const topic of given) n.set(topic, (n.get(topic) ?? 0) + 1);
  let best = given[0];
  for (const [topic, times] of n) if (times > n.get(best)) best = topic;
  return best;
}

const ALWAYS = 1e9; // the strength of what is joined at every threshold

function joined(one, i, threshold) {
  const strength = one.strength[i];
  return strength !== null && strength >= (threshold ?? ALWAYS);
}

/** Phrases as { first, behind, start, end, topic }: tokens, and places in the text in UTF-16 units. */
function cut(one, threshold) {
  const units = unitsOf(one.text);
  const at = (point) => units[Math.min(point, units.length - 1)];
  const phrases = [];
  for (let first = 0; first < one.start.length; ) {
    let behind = first + 1;
    while (behind < one.start.length && joined(one, behind, threshold)) behind++;
    const topic = commonest((one.topic ?? one.joined).slice(first, behind));
    phrases.push({ first, behind, start: at(one.start[first]), end: at(one.end[behind - 1]), topic });
    first = behind;
  }
  return phrases;
}

// Scores are read by their ratios, but may be near nought or below it.
const BEND = 2;
const bent = (x) => Math.asinh(x / BEND);
const unbent = (y) => BEND * Math.sinh(y);

const STEPS = 200;

/** A threshold is what is shown of it. */
function rounded(x) {
  return Number(x.toFixed(x < 10 ? 2 : 1));
}

/** A slider over thresholds that calls `change(threshold)`; none where there is nothing to slide. */
function thresholdSlider(change) {
  const { threshold, lowest, highest } = data;
  if (threshold === null || !(highest > lowest)) return null;
  const low = bent(lowest);
  const span = bent(highest) - low;
  const stepOf = (x) => Math.round((STEPS * (bent(x) - low)) / span);
  const valueOf = (step) => (step === stepOf(threshold) ? threshold : rounded(unbent(low + (span * step) / STEPS)));
  const slider = h("input", { type: "range", id: "threshold", min: 0, max: STEPS, step: 1 });
  slider.value = stepOf(threshold);
  const output = h("output", { for: "threshold" });
  const back = h("button", { type: "button", class: "quiet" }, `back to ${score(threshold)}`);
  const tell = () => {
    const now = valueOf(Number(slider.value));
    output.textContent = score(now);
    slider.setAttribute("aria-valuetext", score(now));
    back.disabled = now === threshold;
    change(now);
  };
  slider.addEventListener("input", eachFrame(tell));
  back.addEventListener("click", () => {
    slider.value = stepOf(threshold);
    slider.focus();
    tell();
  });
  const node = h("div", { class: "slider" }, h("label", { for: "threshold" }, "Threshold"), slider, output, back);
  return { node, tell };
}
