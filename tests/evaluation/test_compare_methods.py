"""All methods on one corpus, side by side."""

import json
from functools import partial

import pytest
from clocks import ticking
from corpora import two_topics

from topminer import Corpus
from topminer.errors import InputError
from topminer.evaluation import compare as module
from topminer.evaluation.compare import Comparison, Settings, compare
from topminer.evaluation.gold import Gold
from topminer.methods import lda
from topminer.methods.contract import MethodResult
from topminer.methods.registry import METHODS
from topminer.methods.stopwatch import Stage, Stopwatch

QUICK = Settings(2, n_sweeps=10, n_top=3, n_questions=6, n_for_people=4)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return two_topics(400)


@pytest.fixture(scope="module")
def compared(corpus: Corpus):
    ids = {stem: i for i, stem in enumerate(corpus.vocabulary["stem"])}
    good = frozenset({(ids["data"], ids["stream"]), (ids["kernel"], ids["method"])})
    seen: list[int] = []
    golds = [Gold("two good ones", good, frozenset(), False)]
    found = compare(
        corpus, list(METHODS), QUICK, golds=golds, after=lambda data: seen.append(len(data["methods"]))
    )
    return found, seen


def test_every_method_has_its_row_and_plain_numbers(compared) -> None:
    data = compared[0].data
    assert [row["name"] for row in data["methods"]] == list(METHODS)
    for row in data["methods"]:
        assert row["failed"] is None
        assert row["seconds"] > 0
        assert row["extrapolated"] is False
        assert len(row["topics"]) == 2
        assert all(topic["phrases"] for topic in row["topics"])
        assert set(row["coherence"]) == {"npmi_words", "npmi_phrases", "cv_words", "cv_phrases"}
    json.dumps(data, allow_nan=False)


def test_what_is_measured(compared) -> None:
    data, rows = compared[0].data, {row["name"]: row for row in compared[0].data["methods"]}
    assert rows["lda"]["ratio"] == 1
    assert rows["tng"]["ratio"] == rows["tng"]["seconds"] / rows["lda"]["seconds"]
    assert rows["lda"]["intrusion"]["annotator"] == "automatic (NPMI)"
    # Documents are of one topic each: whoever knows which phrases share documents finds every intruder.
    assert rows["lda"]["intrusion"]["asked"] > 0
    assert rows["lda"]["intrusion"]["share"] == 1
    asked = [question.method for question in compared[0].asked]
    assert "lda" in set(asked) <= set(METHODS)
    assert all(asked.count(name) <= QUICK.n_for_people for name in METHODS)
    assert rows["topmine"]["quality"][0]["recall"] == 1
    assert rows["lda"]["quality"] == []  # that of phrases of several words
    assert [curve["model"] for curve in data["perplexity"]["curves"]] == ["PhraseLDA", "LDA"]
    assert [point["documents"] for point in data["scaling"]["points"]] == [50, 100, 200, 400]
    assert compared[1] == [1, 2, 3, 4, 5, 6, 7, 7, 7, 7]  # handed on after every part


def test_a_method_that_fails_is_listed_with_its_reason(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fit(*_: object, **__: object) -> MethodResult:
        raise InputError("KERT needs about 9.0 GB, 1.0 GB are free")

    monkeypatch.setattr(METHODS["kert"], "fit", fit)
    data = compare(corpus, ["lda", "kert"], QUICK, perplexity=False, scaling=False).data
    first, second = data["methods"]
    assert second["failed"] == "KERT needs about 9.0 GB, 1.0 GB are free"
    assert (second["seconds"], second["topics"], first["failed"]) == (None, [], None)
    assert data["perplexity"] is None
    with pytest.raises(InputError, match="no method 'nmf'"):
        Comparison(corpus, ["lda", "nmf"], QUICK)  # before anything runs


def test_a_budget_marks_what_was_not_run_to_its_end(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep takes a second: of a million, about ten are within the budget, and the curves have so many."""
    monkeypatch.setattr(module, "Stopwatch", partial(Stopwatch, clock=ticking()))
    settings = Settings(2, n_sweeps=1_000_000, budget=10.0, n_top=3, n_questions=2)
    data = compare(corpus, ["lda", "tng"], settings, scaling=False).data
    assert all(row["extrapolated"] for row in data["methods"])
    assert [row["seconds"] for row in data["methods"]] == pytest.approx([1_000_000] * 2, rel=1e-5)
    assert [curve["points"][-1][0] for curve in data["perplexity"]["curves"]] == [9, 9]


def test_the_words_are_sampled_once_for_all_methods_that_start_with_lda(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the budget ends the sweeps early."""
    swept: list[int] = []
    sampled = lda.sampled
    monkeypatch.setattr(lda, "sampled", lambda *given: swept.append(given[3]) or sampled(*given))
    for n_sweeps, budget in ((QUICK.n_sweeps, 600.0), (1_000_000, 10.0)):
        monkeypatch.setattr(module, "Stopwatch", partial(Stopwatch, clock=ticking()))
        settings = Settings(2, n_sweeps=n_sweeps, budget=budget, n_top=3, n_questions=2)
        rows = compare(corpus, ["lda", "kert", "turbo"], settings, perplexity=False, scaling=False)
        assert swept.count(n_sweeps) == 1
        shared = [row["stages"][:2] for row in rows.data["methods"]]
        assert shared[0] == shared[1] == shared[2]
        assert [stage["name"] for stage in shared[0]] == ["preparing", "sampling topics"]


class Clockwork:
    """A method whose every document takes a second to mine, and as much in each sweep."""

    def __init__(self, n_sweeps: int, *_: object) -> None:
        self.n_sweeps = n_sweeps

    def fit(self, corpus: Corpus, n_topics: int, seed: int, *, stopwatch: Stopwatch) -> None:
        seconds = float(len(corpus))
        stopwatch.stages += [Stage("mining phrases", seconds), Stage("preparing", 0.5)]
        stopwatch.stages += [Stage("sampling topics", self.n_sweeps * seconds)]


def test_a_hundred_sweeps_stand_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DefaultToPMine", Clockwork)
    comparison = Comparison(two_topics(80), [], Settings(2, n_sweeps=5000))
    comparison.scaling()
    points = comparison.data["scaling"]["points"]
    for n, point in zip((10, 20, 40, 80), points, strict=True):
        assert (point["documents"], point["mining"], point["topics"]) == (n, n, 0.5 + 5000 * n)


def test_samples_too_small_for_the_topics_are_left_out() -> None:
    corpus = Corpus.from_texts(["one two three four"] * 4, language=None, stem=False)
    comparison = Comparison(corpus, [], Settings(6, n_sweeps=2))
    comparison.scaling()
    points = comparison.data["scaling"]["points"]
    assert [point["documents"] for point in points] == [2, 4]
    assert all(point["mining"] > 0 and point["topics"] > 0 for point in points)
