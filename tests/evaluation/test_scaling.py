"""ToPMine's time on growing samples."""

import pytest
from corpora import two_topics

from topminer import Corpus
from topminer.evaluation import scaling
from topminer.methods.stopwatch import Stage, Watch


class Clockwork:
    """A method whose every document takes a second to mine, and as much in each sweep."""

    def __init__(self, n_sweeps: int, *_: object) -> None:
        self.n_sweeps = n_sweeps

    def fit(self, corpus: Corpus, n_topics: int, seed: int, *, watch: Watch) -> None:
        seconds = float(len(corpus))
        watch.stages += [Stage("mining phrases", seconds), Stage("preparing", 0.5)]
        watch.stages += [Stage("sampling topics", self.n_sweeps * seconds)]


def test_a_hundred_sweeps_stand_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = two_topics(80)
    monkeypatch.setattr(scaling, "DefaultToPMine", Clockwork)
    grown = scaling.decomposition(corpus, 2, 5000)
    assert [each.documents for each in grown] == [10, 20, 40, 80]
    assert [each.mining for each in grown] == [10, 20, 40, 80]
    assert [each.topics for each in grown] == [0.5 + 5000 * n for n in (10, 20, 40, 80)]
    assert grown[-1].tokens == corpus.n_tokens


def test_samples_too_small_for_the_topics_are_left_out() -> None:
    corpus = Corpus.from_texts(["one two three four"] * 4, language=None, stem=False)
    grown = scaling.decomposition(corpus, 6, 2)
    assert [each.documents for each in grown] == [2, 4]
    assert all(each.mining > 0 and each.topics > 0 for each in grown)
