"""The grid of models and what is recommended: sane, explained, the same on any number of threads."""

import math
import os
import signal
import threading
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from clocks import ENOUGH
from corpora import many_topics
from hypothesis import given
from hypothesis import strategies as st

from topminer import Corpus, PhraseLDA, PhraseMiner
from topminer.errors import InputError
from topminer.evaluation.grid import STAGE, grid_of
from topminer.evaluation.perplexity import held_out_documents
from topminer.evaluation.tune import Tuning, default_thresholds, default_topics, tune
from topminer.progress import silent
from topminer.topics.results.held_out import hold_out

# Planted words have digits, which speak against a phrase.
GIVEN: dict[str, Any] = {"miner": PhraseMiner(quality=None), "n_sweeps": 40, "repeats": 2, "n_threads": 1}


@cache
def four() -> tuple[Corpus, Tuning]:
    corpus = many_topics(4, 400)
    return corpus, tune(corpus, [2, 4, 8], [2.0, math.inf], **GIVEN)


# ------------------------------------------------------------------------------------------ the grid


def test_planted_topics_are_counted_and_every_point_is_there_with_all_its_measures() -> None:
    _, found = four()
    assert (found.recommended.n_topics, found.recommended.threshold) == (4, 2.0)
    assert found.why[0].startswith("4 topics, threshold 2: perplexity ")
    assert [(each.n_topics, each.threshold) for each in found.points] == [
        (k, limit) for k in (2, 4, 8) for limit in (2.0, math.inf)
    ]
    for each in found.points:
        assert 1 < each.perplexity < 100
        assert each.perplexity_error is not None
        assert -1 <= each.coherence <= 1
        assert (each.phrase_coherence is None) == math.isinf(each.threshold)
        assert each.n_phrases == (0 if math.isinf(each.threshold) else 20)
        assert 0 < each.stability <= 1
        assert each.seconds > 0


@pytest.mark.parametrize("n_threads", [2, 7])
def test_the_result_does_not_depend_on_threads(n_threads: int) -> None:
    corpus, found = four()
    again = tune(corpus, [8, 4, 2, 4], [math.inf, 2.0], **{**GIVEN, "n_threads": n_threads})
    assert [replace(each, seconds=0) for each in again.points] == [
        replace(each, seconds=0) for each in found.points
    ]
    assert again.why == found.why


def test_a_point_is_what_its_own_models_give() -> None:
    """Perplexity of a point, once more by hand: mined alone at its threshold, scored by PhraseLDA itself."""
    corpus = many_topics(3, 120)
    found = tune(corpus, [3], [3.0], n_sweeps=10, repeats=1, seed=5, n_threads=1)
    chosen = held_out_documents(120, 5)
    rest = np.setdiff1d(np.arange(120), chosen)
    miner = PhraseMiner(significance=3.0).fit(corpus[rest])
    train, test = miner.transform(corpus[rest]), miner.transform(corpus[chosen])
    lda = PhraseLDA(3, n_sweeps=10, burn_in=5, random_state=5).fit(train, held_out=test)
    (only,) = found.points
    assert only.perplexity == pytest.approx(lda.history_["held_out_perplexity"][-1])
    assert only.n_phrases == train.n_types - corpus.n_stems
    assert (only.perplexity_error, only.stability) == (None, None)
    assert found.recommended == only
    assert found.why == ["3 topics, threshold 3: nothing else was tried."]


def test_all_thresholds_score_the_same_words_and_are_cut_as_if_mined_alone() -> None:
    rng = np.random.default_rng(3)
    words = np.array(["a", "b", "c", "d", "e f", "e g"])
    corpus = Corpus.from_texts(
        [" ".join(rng.choice(words, 12)) for _ in range(200)], language=None, stop_words=[]
    )
    chosen = held_out_documents(len(corpus), 0)
    rest = np.setdiff1d(np.arange(len(corpus)), chosen)
    paper = {"quality": None, "evidence": None, "ties": None}  # phrases are judged at the lowest threshold
    grid = grid_of(corpus, chosen, [0.0, 1.0, 2.0, math.inf], PhraseMiner(**paper), 5, silent)
    first = grid.test[0.0].scored()
    lengths = []
    for threshold, test in grid.test.items():
        assert all(np.array_equal(a, b) for a, b in zip(test.scored(), first, strict=True))
        alone = PhraseMiner(significance=threshold, **paper).fit_transform(corpus[rest])
        assert np.array_equal(grid.train[threshold].clique_start, alone.clique_start)
        lengths.append(alone.n_cliques)
    assert first[0].size > 100
    assert lengths == sorted(set(lengths))  # every threshold cuts otherwise
    assert np.array_equal(grid.test[0.0].cut, hold_out(grid.test[0.0].partition).cut)


def test_what_else_is_asked_of_phrases_is_heard() -> None:
    corpus = many_topics(2, 100)
    found = tune(corpus, [2], [2.0], miner=PhraseMiner(max_length=1), n_sweeps=2, repeats=1)
    assert found.points[0].n_phrases == 0
    assert found.points[0].phrase_coherence is None


@pytest.mark.small
@given(st.integers(1, 10**8))
def test_default_grids_grow_with_the_corpus(n_tokens: int) -> None:
    numbers, limits = default_topics(n_tokens), default_thresholds(n_tokens)
    assert len(numbers) >= 3 or numbers == [5, 10]
    assert numbers == sorted(set(numbers))
    assert all(k <= 10 or k * 2000 <= n_tokens for k in numbers)
    assert limits == ([2, 4, 8] if n_tokens >= 1_000_000 else [2, 4])
    assert set(numbers) - {2} <= set(default_topics(2 * n_tokens))


# ------------------------------------------------------------------------------------------ stopping


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_stops_the_models_that_run() -> None:
    n_sweeps, seen = 10**8, []  # more than anybody could wait for

    def told(stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
        if stage == STAGE:
            seen.append(done)
            if done == 2000:  # in whatever thread this is: the main one hears of it, having started all
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started us may ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            tune(many_topics(2, 60), [2, 1], [2.0], n_sweeps=n_sweeps, repeats=1, n_threads=2, progress=told)
    finally:
        signal.signal(signal.SIGINT, before)
    assert 2000 <= seen[-1] < n_sweeps
    for each in threading.enumerate():
        if each.name.startswith("topminer"):
            each.join(ENOUGH)
            assert not each.is_alive()


def test_progress_counts_sweeps_and_models() -> None:
    told: list[tuple[object, ...]] = []
    tune(many_topics(2, 60), [2, 1], [2.0], n_sweeps=5, repeats=2, progress=lambda *each: told.append(each))
    own = [each for each in told if each[0] == STAGE]
    assert own[0] == (STAGE, 0, 20, "sweeps", "0 of 4 models")
    assert own[-1] == (STAGE, 20, 20, "sweeps", "4 of 4 models")
    assert [each[1] for each in own] == sorted(each[1] for each in own)


# ------------------------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"n_topics": []}, "at least one number of topics"),
        ({"n_topics": [0]}, "n_topics must be a whole number from 1 to 65,535"),
        ({"n_topics": [10_000]}, "10,000 topics are more than the"),
        ({"thresholds": []}, "one threshold"),
        ({"thresholds": [-1.0]}, "significance must be a number from 0 on"),
        ({"repeats": 0}, "repeats must be a whole number from 1 to 1,000, not 0"),
        ({"held_out": 0.9}, "held_out must be a number from 1e-06 to 0.5, not 0.9"),
        ({"n_sweeps": 0}, "n_sweeps must be a whole number from 1 on"),
    ],
)
def test_what_cannot_be_meant_is_refused(changed: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        tune(many_topics(2, 40), **{"n_topics": [2], "thresholds": [2.0], "n_sweeps": 2, **changed})


def test_held_out_documents_without_words_are_refused() -> None:
    empty = set(held_out_documents(20, 0).tolist())
    corpus = Corpus.from_texts(["" if i in empty else "two words" for i in range(20)])
    with pytest.raises(InputError, match="no words to score"):
        tune(corpus, [1], [2.0], n_sweeps=2, repeats=2, n_threads=2)
