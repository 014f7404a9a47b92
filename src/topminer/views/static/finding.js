// Finding topics, phrases and shown documents by what one types.

let findable = null;

/** Everything that can be found, folded once. */
function everything() {
  findable ??= {
    topics: topics.map((topic) => ({
      topic, title: folded(`${topic.id} ${topic.label}`), weight: topic.weight,
      rest: folded(topic.words.map(([word]) => word).join("\n")),
    })),
    phrases: entries.map((entry) => ({
      entry, title: folded(entry.text), weight: entry.total,
      rest: entry.forms ? folded(entry.forms.map(([text]) => text).join("\n")) : "",
    })),
    documents: documents.map((one, i) => ({ one, title: folded(one.id), weight: -i, rest: foldedText(one) })),
  };
  return findable;
}

/** How well something fits: its name begins so, a word of it does, it holds it, or only its contents do. */
function fit(each, wanted) {
  const at = each.title.indexOf(wanted);
  if (at === 0) return 4;
  if (at > 0) return /[\s\p{P}]/u.test(each.title[at - 1]) ? 3 : 2;
  return each.rest.includes(wanted) ? 1 : 0;
}

function best(list, wanted) {
  return list.map((each) => [fit(each, wanted), each])
    .filter(([fits]) => fits > 0)
    .sort(([a, x], [b, y]) => b - a || y.weight - x.weight)
    .map(([, each]) => each);
}

/** Topics, entries and documents that fit, best first. */
function find(text) {
  const wanted = folded(text.trim());
  if (!wanted) return { topics: [], phrases: [], documents: [] };
  const all = everything();
  return {
    topics: best(all.topics, wanted).map((each) => each.topic),
    phrases: best(all.phrases, wanted).map((each) => each.entry),
    documents: best(all.documents, wanted).map((each) => each.one),
  };
}
