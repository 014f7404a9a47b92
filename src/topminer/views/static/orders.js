// Orders of words and phrases: how often, how good (KERT), or how much of the topic's own (relevance).

const RELEVANCE = 0.6; // the weight people found best (Sievert and Shirley 2014)

// What a reader chose holds for all topics.
const choices = { order: "frequency", lambda: RELEVANCE, together: false, background: false, tied: true };

/** λ log p(x | topic) + (1 − λ) log (p(x | topic) ∕ p(x)). */
function relevance(inTopic, overall, lambda) {
  if (!(inTopic > 0) || !(overall > 0)) return -Infinity;
  const exact = lambda * Math.log(inTopic) + (1 - lambda) * Math.log(inTopic / overall);
  return Math.round(exact * 1e9) / 1e9; // what is equal but for rounding goes by frequency
}

/** The phrases of a topic as rows: text, n, frequency, total, kert, background, forms. */
function rowsOf(topic, tied) {
  return topic.phrases.flatMap(([i, frequency, kert]) => {
    const { text, n, total, background, forms } = entries[i];
    if (tied || !forms) return [{ text, n, frequency, total, kert, background, forms }];
    return forms.flatMap(([form, instances, where]) => {
      const here = where.find(([id]) => id === topic.id)?.[1] ?? 0;
      return here > 0 ? [{ text: form, n, frequency: here, total: instances, kert, background, forms: null }] : [];
    });
  });
}

function descending(rows, key) {
  const keys = new Map(rows.map((row) => [row, key(row)]));
  const equal = (a, b) => b.frequency - a.frequency || b.total - a.total;
  return [...rows].sort((a, b) => (keys.get(a) === keys.get(b) ? equal(a, b) : keys.get(b) - keys.get(a)));
}

function keyOf(topic, chosen) {
  if (chosen.order === "kert") return (row) => row.kert ?? -Infinity;
  if (chosen.order === "frequency") return (row) => row.frequency;
  return (row) => relevance(row.frequency / topic.size, row.total / n_instances, chosen.lambda);
}

/** The phrases of a topic in the chosen order; single words only if they stand together with phrases. */
function phrasesOf(topic, chosen) {
  const rows = rowsOf(topic, chosen.tied).filter(
    (row) => (chosen.together || row.n > 1) && (chosen.background || !row.background));
  return descending(rows, keyOf(topic, chosen));
}

/** The words of a topic in the chosen order: [word, p(word | topic), p(word)]. KERT scores no single words. */
function wordsOf(topic, chosen) {
  const relevant = chosen.order === "relevance";
  const key = ([, here, all]) => (relevant ? relevance(here, all, chosen.lambda) : here);
  return [...topic.words].sort((a, b) => key(b) - key(a) || b[1] - a[1]);
}

/** A topic in a few phrases; in words where it has no phrases. */
function gist(topic, n) {
  const chosen = { ...choices, order: "frequency", together: false, background: false, tied: true };
  const phrases = phrasesOf(topic, chosen).map((row) => row.text);
  const words = topic.words.map(([word]) => word);
  return (phrases.length ? phrases : words).slice(0, n);
}
