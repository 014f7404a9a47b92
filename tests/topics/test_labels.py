"""Names of topics: unique, never background, words where there are no phrases, the user's own first."""

import numpy as np
import pytest
from models import EVERY, EVERYWHERE, usual, words

from topminer.topics.results.entries import Entries
from topminer.topics.results.labels import automatic_labels, labels_of, names_of
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
    assert names == names_of(Entries.of(model))
    assert name != "crowded" or (model.lda_.topic_weight_ == 0).sum() > 1


@MODELS
def test_a_name_is_as_defined(name: str) -> None:
    model = EVERY[name]()
    entries = Entries.of(model)
    surfaces = model.corpus_.vocabulary["surface"].to_list()
    entry_of = {entries.text(i): i for i in range(len(entries)) if entries.lengths[i] > 1}
    scores = entries.scores("relevance", 0.6)
    taken: set[str] = set()
    for topic, found in enumerate(automatic_labels(model)):
        best: list[tuple[float, float, int]] = []
        for place in np.flatnonzero(entries.frequency.topics == topic).tolist():
            entry = int(entries.frequency.types[place])
            total = float(entries.totals[entry])
            if (
                entries.lengths[entry] > 1
                and not entries.background.declared[entry]
                and entries.frequency.mean[place] >= total / 2
                and entries.text(entry).casefold() not in taken
            ):
                best.append((-float(scores[place]), -total, entry))
        if best:
            assert entry_of[found] == min(best)[2]
        else:
            row = model.lda_.topic_word_[topic]
            foremost = ", ".join(surfaces[i] for i in np.argsort(-row, kind="stable")[:3])
            assert found == (f"{foremost} ({topic})" if foremost.casefold() in taken else foremost)
        taken.add(found.casefold())


def test_no_topic_is_called_after_a_background_phrase() -> None:
    for name in ("usual", "unsure", "kept", "textless"):
        assert not set(automatic_labels(EVERY[name]())) & set(EVERYWHERE)


def test_topics_are_called_after_their_phrases() -> None:
    names = automatic_labels(usual())
    assert all(" " in name and "," not in name for name in names)
    foremost = [topic.words[0].word for topic in words().topics()]
    assert [name.split(", ")[0] for name in automatic_labels(words())] == foremost


def test_own_labels_win() -> None:
    assert labels_of(["a", "b", "c"], {1: "mine", 7: "nobody's"}) == ["a", "mine", "c"]
    assert labels_of(["a"], {}) == ["a"]


def test_similar_topics() -> None:
    similarity = np.array([[1.0, 0.2, 0.7, 0.2], [0.2, 1, 0, 0], [0.7, 0, 1, 0], [0.2, 0, 0, 1]])
    assert similar_topics(similarity, 0, 2) == [(2, 0.7), (1, 0.2)]
    assert similar_topics(similarity, 0, 9) == [(2, 0.7), (1, 0.2), (3, 0.2)]
    assert similar_topics(np.ones((1, 1)), 0, 3) == []
