"""The grid of models and what is recommended: sane, explained, the same on any number of threads."""

import math
import os
import signal
import threading
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from clocks import ENOUGH
from hypothesis import given, settings
from hypothesis import strategies as st

from topminer import Corpus, PhraseLDA, PhraseMiner
from topminer.errors import InputError
from topminer.evaluation import trying
from topminer.evaluation.recommending import Point, named, recommend, scores
from topminer.evaluation.trying import grid_of, held_out_documents
from topminer.evaluation.tuning import Tuning, default_thresholds, default_topics, tune
from topminer.progress import silent
from topminer.topics.results.held_out import hold_out


def planted(n_topics: int, n_documents: int, seed: int = 0) -> Corpus:
    """Documents of mostly one topic; topic t has words t0 to t19, of which some go together always."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(n_documents):
        own, parts = int(rng.integers(n_topics)), []
        for _ in range(12):
            topic = own if rng.random() < 0.9 else int(rng.integers(n_topics))
            word = int(rng.integers(20))
            parts.append(f"w{topic}x{word} p{topic}x{word}" if word < 5 else f"w{topic}x{word}")
        texts.append(". ".join(parts))
    return Corpus.from_texts(texts, language=None, stop_words=[])


MINER = PhraseMiner(quality=None)  # planted words have digits, which speak against a phrase


@cache
def four() -> tuple[Corpus, Tuning]:
    corpus = planted(4, 400)
    return corpus, tune(corpus, [2, 4, 8], [2.0, math.inf], miner=MINER, n_sweeps=40, seeds=2, n_threads=1)


def point(n_topics: int, threshold: float = 4.0, **values: float | None) -> Point:
    usual = {"perplexity": 800.0, "perplexity_error": 2.0, "coherence": 0.1, "phrase_coherence": 0.0}
    return Point(
        n_topics, threshold, **{**usual, "stability": 0.7, "n_phrases": 900, "seconds": 1.0, **values}
    )


# ------------------------------------------------------------------------------------------ the grid


def test_planted_topics_are_counted() -> None:
    _, found = four()
    assert found.recommended is not None
    assert (found.recommended.n_topics, found.recommended.threshold) == (4, 2.0)
    assert found.why[0].startswith("4 topics, threshold 2: the best balance")


def test_every_point_of_the_grid_is_there_with_all_its_measures() -> None:
    _, found = four()
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
    again = tune(
        corpus, [8, 4, 2, 4], [math.inf, 2.0], miner=MINER, n_sweeps=40, seeds=2, n_threads=n_threads
    )
    assert [replace(each, seconds=0) for each in again.points] == [
        replace(each, seconds=0) for each in found.points
    ]
    assert again.why == found.why


def test_a_point_is_what_its_own_models_give() -> None:
    """Perplexity of a point, once more by hand: mined alone at its threshold, scored by PhraseLDA itself."""
    corpus = planted(3, 120)
    found = tune(corpus, [3], [3.0], n_sweeps=10, seeds=1, seed=5, n_threads=1)
    chosen = held_out_documents(120, 0.1, 5)
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
    chosen = held_out_documents(len(corpus), 0.1, 0)
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
    corpus = planted(2, 100)
    found = tune(corpus, [2], [2.0], miner=PhraseMiner(max_length=1), n_sweeps=2, seeds=1)
    assert found.points[0].n_phrases == 0
    assert found.points[0].phrase_coherence is None


# ----------------------------------------------------------------------------- held out, by default


@given(st.integers(2, 400), st.sampled_from([0.5, 0.2, 0.1]), st.integers(0, 5))
@pytest.mark.small
def test_of_every_so_many_documents_one_is_held_out(n: int, share: float, seed: int) -> None:
    size = round(1 / share)
    if n < size:
        with pytest.raises(InputError, match=f"too few to hold one in {size} out"):
            held_out_documents(n, share, seed)
        return
    chosen = held_out_documents(n, share, seed)
    assert (chosen // size).tolist() == list(range(n // size))


@pytest.mark.small
def test_documents_that_come_in_turns_are_not_held_out_in_turns() -> None:
    assert set((held_out_documents(1000, 0.1, 0) % 10).tolist()) == set(range(10))


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
        if stage == trying.STAGE:
            seen.append(done)
            if done == 2000:  # in whatever thread this is: the main one hears of it, having started all
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started us may ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            tune(planted(2, 60), [2, 1], [2.0], n_sweeps=n_sweeps, seeds=1, n_threads=2, progress=told)
    finally:
        signal.signal(signal.SIGINT, before)
    assert 2000 <= seen[-1] < n_sweeps
    for each in threading.enumerate():
        if each.name.startswith("topminer"):
            each.join(ENOUGH)
            assert not each.is_alive()


def test_progress_counts_sweeps_and_models() -> None:
    told: list[tuple[object, ...]] = []
    tune(planted(2, 60), [2, 1], [2.0], n_sweeps=5, seeds=2, progress=lambda *each: told.append(each))
    own = [each for each in told if each[0] == trying.STAGE]
    assert own[0] == (trying.STAGE, 0, 20, "sweeps", "0 of 4 models")
    assert own[-1] == (trying.STAGE, 20, 20, "sweeps", "4 of 4 models")
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
        ({"seeds": 0}, "seeds must be a whole number from 1 to 1,000, not 0"),
        ({"held_out": 0.9}, "held_out must be a number from 1e-06 to 0.5, not 0.9"),
        ({"n_sweeps": 0}, "n_sweeps must be a whole number from 1 on"),
    ],
)
def test_what_cannot_be_meant_is_refused(changed: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        tune(planted(2, 40), **{"n_topics": [2], "thresholds": [2.0], "n_sweeps": 2, **changed})


def test_held_out_documents_without_words_are_refused() -> None:
    empty = set(held_out_documents(20, 0.1, 0).tolist())
    corpus = Corpus.from_texts(["" if i in empty else "two words" for i in range(20)])
    with pytest.raises(InputError, match="no words to score"):
        tune(corpus, [1], [2.0], n_sweeps=2, seeds=2, n_threads=2)


# ------------------------------------------------------------------------------------ recommendation


@pytest.mark.small
def test_the_example_of_the_module() -> None:
    grid = [
        point(10, perplexity=812.0, coherence=0.09, stability=0.86, phrase_coherence=None),
        point(20, perplexity=768.0, coherence=0.12, stability=0.81, phrase_coherence=None),
        point(40, perplexity=763.0, coherence=0.11, stability=0.62, phrase_coherence=None),
    ]
    assert scores(grid) == pytest.approx([1 / 3, (0.895 + 1 + 0.792) / 3, (1 + 2 / 3) / 3], abs=0.001)
    with_phrases = [replace(each, phrase_coherence=-0.1 * i) for i, each in enumerate(grid)]
    assert scores(with_phrases)[1] == pytest.approx((0.895 + (1 + 0.5) / 2 + 0.792) / 3, abs=0.001)
    taken, why = recommend(grid)
    assert taken == grid[1]
    assert why == [
        "20 topics, threshold 4: the best balance of perplexity, coherence and stability, 0.90 of 1.",
        "Perplexity is 768, 0.7 % above the lowest (763: 40 topics, threshold 4).",
        "Coherence of words is the highest of all, 0.120.",
        "Stability is 0.81: another seed finds much the same topics.",
        "10 topics, threshold 4: perplexity 5.7 % higher, coherence 0.090, stability 0.86.",
        "40 topics, threshold 4: perplexity 0.7 % lower, coherence 0.110, stability 0.62.",
    ]


@pytest.mark.small
def test_of_nearly_equal_points_the_one_with_fewest_topics_is_taken() -> None:
    more = point(40, perplexity=800.0, stability=0.700)
    fewer = point(20, perplexity=800.5, stability=0.699)
    taken, why = recommend([point(10, perplexity=900.0, stability=0.5), fewer, more])
    assert taken == fewer
    assert "40 topics, threshold 4, would score 1.00: nearly the same, with more topics." in why[0]


@pytest.mark.small
def test_fewer_topics_that_predict_worse_are_not_nearly_equal() -> None:
    fewer = point(5, perplexity=900.0, stability=0.9, coherence=0.100)
    more = point(20, perplexity=700.0, stability=0.5, coherence=0.101)
    assert scores([fewer, more])[0] > scores([fewer, more])[1] - 0.03
    assert recommend([fewer, more])[0] == more


@pytest.mark.small
def test_differences_that_mean_nothing_are_not_blown_up() -> None:
    grid = [point(5, perplexity=800.2), point(10, perplexity=800.0), point(20, perplexity=800.1)]
    assert min(scores(grid)) > 0.99
    taken, why = recommend(grid)
    assert taken == grid[0]
    assert why[-1] == "These are the fewest topics that were tried: fewer may be better still."


@pytest.mark.small
def test_words_alone_are_there_to_compare_with() -> None:
    alone = point(10, math.inf, perplexity=700.0, coherence=0.3, stability=0.99, n_phrases=0)
    taken, why = recommend([point(10), alone])
    assert taken == point(10)
    assert (
        why[-1] == "Words alone, to compare with: perplexity 12.5 % lower, coherence 0.300, stability 0.99."
    )
    assert recommend([alone, replace(alone, n_topics=20, perplexity=900.0)])[0] == alone


@pytest.mark.small
def test_a_threshold_with_too_few_phrases_is_left_out_where_another_has_more() -> None:
    many, few = point(20, 2.0, n_phrases=3747), point(20, 8.0, n_phrases=27, coherence=0.5)
    taken, why = recommend([many, few])
    assert taken == many
    assert why[-1] == "Threshold 8 is left out: 27 distinct phrases are too few to describe 20 topics."
    assert recommend([replace(many, n_phrases=30), few])[0] == few  # both have few
    assert recommend([many, replace(few, n_phrases=200)])[0].threshold == 8.0  # enough for 20 topics


@pytest.mark.small
def test_no_phrases_anywhere_and_nothing_at_all() -> None:
    assert recommend([point(5, n_phrases=0), point(10, n_phrases=0, perplexity=700.0)])[0].n_topics == 10
    assert recommend([]) == (None, ["Nothing was tried."])


measures = st.none() | st.floats(-1, 1)
points = st.builds(
    point,
    st.sampled_from([2, 5, 10]),
    st.sampled_from([2.0, 4.0, math.inf]),
    perplexity=st.floats(1, 1e6),
    perplexity_error=st.none() | st.floats(0, 100),
    coherence=measures,
    phrase_coherence=measures,
    stability=st.none() | st.floats(0, 1),
    n_phrases=st.integers(0, 300),
)


@pytest.mark.small
@settings(max_examples=60)
@given(st.lists(points, min_size=1, max_size=8, unique_by=lambda each: (each.n_topics, each.threshold)))
def test_one_of_the_points_is_recommended_and_everything_said_is_a_sentence(grid: list[Point]) -> None:
    taken, why = recommend(grid)
    assert taken in grid
    assert math.isfinite(taken.threshold) or all(math.isinf(each.threshold) for each in grid)
    assert all(0 <= score <= 1 + 1e-12 for score in scores(grid))
    assert named(taken) in why[0]
    assert all(line.endswith(".") and "nan" not in line and "None" not in line for line in why)
