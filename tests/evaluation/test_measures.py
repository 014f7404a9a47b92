"""The registry of measures, and the share of distinct phrases."""

import pytest
from corpora import two_topics
from hypothesis import given
from hypothesis import strategies as st

from topminer.errors import InputError
from topminer.evaluation.coherence import npmi
from topminer.evaluation.contract import Context, Score
from topminer.evaluation.measures import COHERENCE, DIVERSITY, diversity, phrases_of, words_of
from topminer.methods import LDA, DefaultToPMine

pytestmark = pytest.mark.small


def test_npmi_is_counted_over_documents_without_smoothing() -> None:
    """The one definition of evaluate, compare and tune."""
    corpus = two_topics(60)
    topics = DefaultToPMine(5, 1).fit(corpus, 2).topics
    for measure, lists in ((COHERENCE["npmi_words"], words_of), (COHERENCE["npmi_phrases"], phrases_of)):
        expected = npmi(lists(topics), corpus, n=10, window=None, eps=0.0)
        assert measure(topics, Context(corpus)) == expected
        assert expected.n == 2


def test_every_measure_has_a_score_also_for_single_words() -> None:
    corpus = two_topics(60)
    topics = LDA(5, 1).fit(corpus, 2).topics
    for name, measure in (COHERENCE | DIVERSITY).items():
        score = measure(topics, Context(corpus))
        assert (score.mean is None) == name.endswith("phrases")
        assert (measure.name, measure.better) == (name, 1)


def test_the_mean_of_a_score_is_that_of_topics_with_a_value() -> None:
    assert Score.of([1.0, None, 2.0]) == Score(1.5, (1.0, None, 2.0))
    assert Score.of([1.0, None, 2.0]).n == 2
    assert Score.of([None]).mean is Score.of([]).mean is None


def test_diversity_by_hand() -> None:
    a, b, c, d = (1,), (1, 2), (2, 1), (3,)
    assert diversity([[a, b], [c, d]]) == 1.0
    assert diversity([[a, b], [c, d]], contiguous=False) == 0.75
    assert diversity([[a, b], [a, d]], n=1) == 0.5
    assert diversity([[a, b, c], [a]]) == 0.75
    assert diversity([]) is diversity([[], []]) is None
    with pytest.raises(InputError, match="from 1 on, not 0"):
        diversity([], n=0)


def test_25_phrases_are_looked_at() -> None:
    topic = [(i,) for i in range(26)]
    assert diversity([topic, topic[25:]]) == 1.0
    assert diversity([topic, topic[24:]]) == 26 / 27


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 5)), unique=True), min_size=1, max_size=5), st.integers(1, 4)
)
def test_diversity_is_never_below_its_bound(topics: list[list[tuple[int]]], n: int) -> None:
    value = diversity(topics, n)
    assert (value is None) == (not any(topics))
    if value is not None:
        assert 1 / len(topics) <= value <= 1
        assert diversity(topics[::-1], n) == value
