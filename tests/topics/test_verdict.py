"""Whether the sweeps were enough, and whether a topic is too large."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from chains import partition_of, random_documents

from topminer import PhraseLDA
from topminer.topics.results.verdict import MOST_DIFFERENCE, Verdict, large_topic, verdict_of
from topminer.topics.sampler.flatness import LEAST_GAIN


def fitted(likelihoods: list[float], sweeps: list[int] | None = None, **parameters: Any) -> PhraseLDA:
    """Return a model with this history."""
    lda = PhraseLDA(3, n_sweeps=5, random_state=0, **parameters).fit(
        partition_of(random_documents(1, 9, 9), 9)
    )
    sweeps = sweeps or [50 * (i + 1) for i in range(len(likelihoods))]
    lda.history_ = pl.DataFrame({"sweep": sweeps, "log_likelihood": likelihoods})
    return lda


RISING, FLAT = [-9.0, -8.5, -8.0, -7.9], [-9.0, -7.9, -7.895, -7.898, -7.894]


def test_a_likelihood_that_still_rises() -> None:
    """(−8.0 − 7.9) / 2 − (−9.0 − 8.5) / 2 = 0.8."""
    verdict = verdict_of(fitted(RISING))
    assert (verdict.is_flat, verdict.agree) == (False, None)
    assert verdict.gain == pytest.approx(0.8)
    assert verdict.lines() == [
        "The likelihood was still rising after 200 sweeps: +0.8000 a token in the last 100."
    ]
    expected = "The likelihood was still rising after 200 sweeps: try --sweeps 800 or --sweeps auto"
    assert verdict.advice() == expected


def test_a_likelihood_that_is_flat() -> None:
    """The rule is that of n_sweeps="auto", on the last four rows that are 50 sweeps apart."""
    for model in (fitted(FLAT), fitted([*FLAT, -7.0], [50, 100, 150, 200, 250, 260])):
        verdict = verdict_of(model)
        assert verdict.is_flat and verdict.advice() is None
        assert verdict.gain == pytest.approx((-7.898 - 7.894) / 2 - (-7.9 - 7.895) / 2)
        assert verdict.lines()[0].startswith("The likelihood was flat after 2")


@pytest.mark.parametrize("likelihoods", [[], [-9.0], [-9.0, -8.0, -7.0]])
def test_too_few_sweeps(likelihoods: list[float]) -> None:
    verdict = verdict_of(fitted(likelihoods))
    assert verdict.is_flat is None and verdict.advice() is None
    assert "too few to say" in verdict.lines()[0]


def test_chains_that_disagree() -> None:
    assert Verdict(1000, False, 0.0, 4, MOST_DIFFERENCE).agree
    verdict = Verdict(1000, False, 0.0, 4, 0.0306)
    assert verdict.agree is False
    assert verdict.lines()[1] == "The 4 chains disagree: their log likelihoods differ by 0.0306 a token."
    assert verdict.advice() == (
        "The log likelihoods of the 4 chains differ by 0.031 a token: "
        "a better chain may exist, try more --chains or --sweeps 4000"
    )


def test_chains_of_a_model() -> None:
    lda = fitted(FLAT, n_chains=3)
    assert lda.certainty_ is not None
    scores = lda.certainty_.chains["log_likelihood"].to_numpy()
    verdict = verdict_of(lda)
    assert verdict.difference == scores.max() - scores.min() and verdict.n_chains == 3


@pytest.mark.parametrize(
    ("n_sweeps", "stops", "tries"),
    [
        (500, False, "try --sweeps 2000 or --sweeps auto"),
        (500, True, "try --sweeps 2000"),
        (2000, False, "try --sweeps 8000"),
    ],
)
def test_what_to_try_is_not_what_was_done(n_sweeps: int, stops: bool, tries: str) -> None:
    advice = Verdict(n_sweeps, stops, LEAST_GAIN, 1, None).advice()
    assert advice is not None and advice.endswith(tries)


@pytest.mark.parametrize(
    ("n_k", "is_large"),
    [
        ([34, 11, 11, 11, 11, 11, 11], True),
        ([33, 12, 11, 11, 11, 11, 11], False),
        ([9, 1], False),  # one of two topics always has half of the tokens or more
        ([60, 20, 20], False),
        ([70, 20, 10], True),
        ([51, 17, 17, 15], True),
        ([100], False),
        ([0, 0], False),
    ],
)
def test_a_topic_with_more_than_a_third_of_the_tokens(n_k: list[int], is_large: bool) -> None:
    assert (large_topic(np.array(n_k)) is not None) == is_large


def test_what_to_try_against_a_large_topic() -> None:
    advice = large_topic(np.array([44, 14, 14, 14, 14]))
    assert advice is not None
    assert advice.text(as_options=True) == (
        "One topic holds 44% of the kept tokens: it describes no part of the text in particular. Try more "
        "topics, shorter pieces of documents with --split, more --add-stop-words or a lower --max-df."
    )
