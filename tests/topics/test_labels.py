"""Names of topics against loops over documents: unique, never background, words where no phrase qualifies."""

from collections import defaultdict

import numpy as np
import pytest
from models import EVERY, EVERYWHERE, usual, words
from oracles import labels

from topminer import Summary
from topminer.topics.results.entries import Entries
from topminer.topics.results.labels import _can_name, automatic_labels, labels_of
from topminer.topics.results.similarity import similar_topics

MODELS = pytest.mark.parametrize("name", EVERY)


@MODELS
def test_every_topic_has_a_name_of_its_own(name: str) -> None:
    """Topics without any word at all were all called after the same three."""
    model = EVERY[name]()
    names = automatic_labels(model)
    assert len(names) == model.lda_.topic_weight_.size
    assert len({each.casefold() for each in names}) == len(names)
    assert all(each.strip() for each in names)
    assert name != "crowded" or (model.lda_.topic_weight_ == 0).sum() > 1


def documents_of(entries: Entries) -> list[labels.Document]:
    """The documents of a model that have tokens: their entries, words and topic shares."""
    model = entries.model
    shares: dict[int, dict[int, int]] = defaultdict(dict)
    for document, topic, tokens in zip(
        *(each.tolist() for each in model.lda_.document_topics()), strict=True
    ):
        shares[document][topic] = tokens
    stems, kinds = model.corpus_.stem_ids.tolist(), model.partition_.type_ids.tolist()
    words, cliques = model.corpus_.doc_start.tolist(), model.partition_.doc_start.tolist()
    found = []
    for d, counts in sorted(shares.items()):
        of_topics = [counts.get(k, 0) / sum(counts.values()) for k in range(entries.sizes.size)]
        here = {int(entries.entry_of[kind]) for kind in kinds[cliques[d] : cliques[d + 1]]}
        found.append(labels.Document(here, set(stems[words[d] : words[d + 1]]), of_topics))
    return found


def candidates_of(entries: Entries, k: int) -> list[labels.Phrase]:
    """Phrases of a topic that could name it, in the best order."""
    scores = entries.scores("best").tolist()
    found = []
    for place in np.flatnonzero(entries.frequency.topics == k).tolist():
        entry = int(entries.frequency.types[place])
        phrase = labels.Phrase(entry, entries.text(entry), float(entries.quality[entry]))
        shown = entries.lengths[entry] > 1 and not entries.background.declared[entry]
        if shown and labels.can_name(*phrase[1:]):
            found.append((-scores[place], -entries.totals[entry], entry, phrase))
    return [phrase for *_, phrase in sorted(found)]


@MODELS
def test_a_name_is_as_defined(name: str) -> None:
    model = EVERY[name]()
    entries, is_background = Entries.of(model), Summary(model).is_background
    surfaces = model.corpus_.vocabulary["surface"].to_list()
    documents, taken, names = documents_of(entries), set(), automatic_labels(model)
    for k, topic in enumerate(sorted(model.topics(3), key=lambda topic: topic.id)):
        foremost = [surfaces.index(word) for word, _ in topic.words]
        found = None
        if not is_background[k]:
            topical = [word for word in foremost if not entries.background_words[word]]
            found = labels.name(documents, k, candidates_of(entries, k), topical, taken)
        if found is None:
            texts = (entries.text(int(entries.entry_of[word])) for word in foremost)
            found = " · ".join(texts)
            found = f"{found} ({k})" if found.casefold() in taken else found
        assert names[k] == found
        taken.add(found.casefold())


def test_phrases_that_name_no_topic() -> None:
    """Clauses, sentences, phrases of a low quality, rare ones, and those of another topic."""
    assert not labels.can_name("read the book", 5.0) and labels.can_name("House of Lords", 5.0)
    assert not labels.can_name("one two three four five", 5.0) and not labels.can_name("so so", 0.9)
    entries = Entries.of(usual())
    possible = {entries.text(entry) for entry in np.flatnonzero(_can_name(entries)).tolist()}
    expected = {phrase.text for k in range(4) for phrase in candidates_of(entries, k)}
    assert possible == expected and "association rules" in expected
    assert not any("chain of words" in text for text in possible)


def test_no_topic_is_called_after_a_background_phrase() -> None:
    for name in ("usual", "unsure", "kept", "textless"):
        assert not set(automatic_labels(EVERY[name]())) & set(EVERYWHERE)


def test_topics_are_called_after_their_phrases_or_else_their_words() -> None:
    names = automatic_labels(usual())
    assert all(" " in name and "·" not in name and len(name.split()) <= 4 for name in names)
    foremost = [" · ".join(word for word, _ in topic.words) for topic in words().topics(3)]
    assert automatic_labels(words()) == foremost


def test_own_labels_win() -> None:
    assert labels_of(["a", "b", "c"], {1: "mine", 7: "nobody's"}) == ["a", "mine", "c"]
    assert labels_of(["a"], {}) == ["a"]


def test_similar_topics() -> None:
    similarity = np.array([[1.0, 0.2, 0.7, 0.2], [0.2, 1, 0, 0], [0.7, 0, 1, 0], [0.2, 0, 0, 1]])
    assert similar_topics(similarity, 0, 2) == [(2, 0.7), (1, 0.2)]
    assert similar_topics(similarity, 0, 9) == [(2, 0.7), (1, 0.2), (3, 0.2)]
    assert similar_topics(np.ones((1, 1)), 0, 3) == []
