"""Explaining phrases that are judged: what is said of those that are split, and of their neighbours."""

import pytest

from topminer import Corpus, PhraseMiner
from topminer.phrases.explain import explain

pytestmark = pytest.mark.small

TEXTS = ["Frequent pattern"] * 9 + ["pattern of a tree"] * 4 + ["tree"] * 3


def fitted(quality: float | None) -> PhraseMiner:
    miner = PhraseMiner(min_support=2, significance=0.2, quality=quality)
    return miner.fit(Corpus.from_texts(TEXTS))


def test_the_neighbour_of_a_part_is_compared_with_the_whole_phrase() -> None:
    """Guards against a "score below the threshold" that is above it: Algorithm 2 never saw that pair."""
    explained = explain(fitted(quality=1e6), "frequent patterns of trees")
    told = [(each.left.text, each.right.text, each.reason, each.observed) for each in explained.neighbours]
    assert told == [("frequent", "patterns", "quality", None), ("frequent patterns", "trees", "rare", 0)]
    [judgement] = explained.judgements
    assert (judgement.phrase.text, judgement.stays) == ("frequent patterns", False)


def test_nothing_is_said_of_quality_where_nothing_is_judged() -> None:
    explained = explain(fitted(quality=None), "frequent patterns of trees")
    assert explained.cut is None
    assert explained.judgements == ()
    assert [each.text for each in explained.phrases] == ["frequent patterns", "trees"]
