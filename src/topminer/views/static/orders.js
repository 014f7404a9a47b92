// Orders of words and phrases: the best, by frequency, by KERT's score, or by relevance.

const RELEVANCE = 0.6; // the weight people found best (Sievert and Shirley 2014)

// What a reader chose holds for all topics.
const choices = { order: data.order, lambda: RELEVANCE, together: false, background: false, tied: true };

/** λ log p(x | topic) + (1 − λ) log (p(x | topic) ∕ p(x)). */
function relevance(inTopic, overall, lambda) {
  if (!(inTopic > 0) || !(overall > 0)) return -Infinity;
  const exact = lambda * Math.log(inTopic) + (1 - lambda) * Math.log(inTopic / overall);
  return Math.round(exact * 1e9) / 1e9; // what is equal but for rounding goes by frequency
}

/** The phrases of a topic as rows: text, n, frequency, total, kert, best, background, forms. */
function rowsOf(topic, tied) {
  return topic.phrases.flatMap(([i, frequency, kert, best]) => {
    const { text, n, total, background, forms } = entries[i];
    if (tied || !forms) return [{ text, n, frequency, total, kert, best, background, forms }];
    return forms.flatMap(([form, instances, where]) => {
      const here = where.find(([id]) => id === topic.id)?.[1] ?? 0;
      const row = { text: form, n, frequency: here, total: instances, kert, best, background, forms: null };
      return here > 0 ? [row] : [];
    });
  });
}

function descending(rows, key) {
  const keys = new Map(rows.map((row) => [row, key(row)]));
  const equal = (a, b) => b.frequency - a.frequency || b.total - a.total;
  return [...rows].sort((a, b) => (keys.get(a) === keys.get(b) ? equal(a, b) : keys.get(b) - keys.get(a)));
}

function keyOf(topic, chosen) {
  if (chosen.order === "best") return (row) => row.best;
  if (chosen.order === "kert") return (row) => row.kert ?? -Infinity;
  if (chosen.order === "frequency") return (row) => row.frequency;
  return (row) => relevance(row.frequency / topic.size, row.total / n_instances, chosen.lambda);
}

/**
 * The phrases of a topic in the chosen order; single words only if they stand together with phrases. The best
 * order leaves out what is too long or not typical of the topic. A background topic shows its background.
 */
function phrasesOf(topic, chosen) {
  const background = chosen.background || topic.background;
  const rows = rowsOf(topic, chosen.tied).filter((row) => (chosen.together || row.n > 1)
    && (background || !row.background) && (chosen.order !== "best" || row.best !== null));
  return descending(rows, keyOf(topic, chosen));
}

/**
 * The words of a topic: [word, p(word | topic), p(word), whether lists leave it out, its score in the best order].
 * The orders by frequency and by KERT, and a background topic, show the most likely first.
 */
function wordsOf(topic, chosen) {
  const words = topic.words.filter(([, , , hidden]) => chosen.background || topic.background || !hidden);
  const key = keyOfWords(topic.background ? "frequency" : chosen.order, chosen.lambda);
  return [...(words.length ? words : topic.words)].sort((a, b) => key(b) - key(a) || b[1] - a[1]);
}

function keyOfWords(order, lambda) {
  if (order === "best") return ([, , , , best]) => best;
  if (order === "relevance") return ([, here, all]) => relevance(here, all, lambda);
  return ([, here]) => here;
}

/** A topic in a few phrases; in words where it has no phrases. */
function gist(topic, n) {
  const chosen = { ...choices, order: data.order, together: false, background: false, tied: true };
  const phrases = phrasesOf(topic, chosen).map((row) => row.text);
  const words = wordsOf(topic, chosen).map(([word]) => word);
  return (phrases.length ? phrases : words).slice(0, n);
}
