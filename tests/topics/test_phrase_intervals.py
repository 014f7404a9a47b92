"""Intervals of the phrases that topics are shown with."""

import pytest

from topminer import InputError, Listing, ToPMine
from topminer.topics.results.phrase_intervals import phrase_intervals

TEXTS = ["Data mining of data streams.", "A neural network.", "Data-mining and neural networks."] * 40


def test_phrases_and_their_intervals() -> None:
    """Of phrases by themselves, the intervals are those that are stored; of variants, they are added up."""
    model = ToPMine(2, n_sweeps=30, n_chains=3, random_state=0).fit(TEXTS)
    certainty, frequency = model.lda_.certainty_, model.lda_.frequency_
    assert certainty is not None
    apart = phrase_intervals(model, Listing(n_phrases=50, tie=False, background=True))
    stored = set(zip(frequency.topics, frequency.mean, *certainty.frequency, strict=True))
    assert apart.height and set(apart.drop("phrase").iter_rows()) <= stored
    tied = phrase_intervals(model)
    assert tied.columns == ["topic", "phrase", "frequency", "low", "high"]
    assert ((tied["low"] <= tied["frequency"]) & (tied["frequency"] <= tied["high"])).all()
    listed = [(topic.id, each.phrase, each.frequency) for topic in model.topics() for each in topic.phrases]
    assert sorted(tied.select("topic", "phrase", "frequency").iter_rows()) == sorted(listed)


def test_one_chain_has_no_intervals() -> None:
    with pytest.raises(InputError, match="intervals need several chains"):
        phrase_intervals(ToPMine(2, n_sweeps=5, random_state=0).fit(TEXTS))
