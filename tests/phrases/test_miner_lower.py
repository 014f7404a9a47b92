"""lowered: rarer phrases for lower thresholds, and the same cuts at its own."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import JIT_IS_ON
from written import RULES, paper_miner, texts

from topminer import Corpus, InputError, PhraseMiner
from topminer.phrases.miner import lowered, restore_phrases, stored_phrases

few = settings(max_examples=40 if JIT_IS_ON else 5)


def read(documents: list[str]) -> Corpus:
    return Corpus.from_texts(documents, **RULES)


def restored(miner: PhraseMiner, corpus: Corpus) -> PhraseMiner:
    other = PhraseMiner()
    restore_phrases(other, stored_phrases(miner), corpus)
    return other


@pytest.fixture
def corpus() -> Corpus:
    """A pair often seen, one seen five times, and one word in each."""
    common = ["ant bee", "ant bee, cat", "dog"] * 30
    return read([*common, *["eel fox"] * 5, *[f"cat {animal}" for animal in ("hen", "gnu", "kid", "owl")]])


def test_rare_phrases_are_found_and_frequent_ones_stay(corpus: Corpus) -> None:
    miner = paper_miner().fit(corpus)
    lower = lowered(miner, 1.0)
    assert (miner.min_support_, lower.min_support_) == (17, 3)
    own, partition = miner.transform(corpus), lower.transform(corpus)
    assert own.to_lists() == partition.to_lists()
    rare = ("eel", "fox")
    assert not any(rare in document for document in own.at(1.0).to_lists())
    assert sum(rare in document for document in partition.at(1.0).to_lists()) == 5


@pytest.mark.parametrize("parameters", [{"significance": 1.0}, {"min_support": 40}, {"min_support": 3}])
def test_nothing_is_mined_again_where_it_would_change_nothing_or_too_much(corpus: Corpus, parameters) -> None:
    miner = paper_miner(**parameters).fit(corpus)
    assert lowered(miner, 1.0) is miner


def test_own_phrases_stay_whole_or_apart(corpus: Corpus) -> None:
    miner = paper_miner(always=["eel fox"], never=["ant bee"]).fit(corpus)
    for known in (miner, restored(miner, corpus)):
        found = lowered(known, 0.0).transform(corpus).at(0.0).to_lists()
        assert ("ant", "bee") not in {phrase for document in found for phrase in document}
        assert sum(("eel", "fox") in document for document in found) == 5


def test_a_rare_phrase_never_to_form_stays_apart_at_a_lower_support(corpus: Corpus) -> None:
    """Guards against keeping forbidden phrases as ids of frequent ones: a rare phrase has no id yet."""
    miner = paper_miner(never=["eel fox", "dog gnu"]).fit(corpus)
    for known in (miner, restored(miner, corpus)):
        found = lowered(known, 1.0).transform(corpus).at(0.0).to_lists()
        assert ("eel", "fox") not in {phrase for document in found for phrase in document}


def test_a_threshold_is_checked(corpus: Corpus) -> None:
    with pytest.raises(InputError, match="number from 0 on"):
        lowered(paper_miner().fit(corpus), -1.0)


@few
@given(texts(), st.floats(2, 5), st.booleans(), st.data())
def test_both_cut_alike_from_the_own_threshold_on(
    documents: list[str], threshold: float, own: bool, data
) -> None:
    corpus = Corpus.from_texts([*documents * 8, "ant"], **RULES)
    pairs = corpus[:1].to_lists()[0][:2]
    parameters = {"never" if data.draw(st.booleans()) else "always": [" ".join(pairs)]}
    try:
        miner = paper_miner(significance=threshold, **(parameters if own else {})).fit(corpus)
    except InputError:  # too short, or with punctuation inside
        miner = paper_miner(significance=threshold).fit(corpus)
    lower = lowered(miner, 1.0)
    for t in (threshold, threshold + 1):
        one, other = miner.transform(corpus).at(t), lower.transform(corpus).at(t)
        assert np.array_equal(one.clique_start, other.clique_start)
