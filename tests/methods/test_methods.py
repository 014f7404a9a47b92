"""All methods alike: what each must do on a corpus whose topics everybody sees."""

import math
from pathlib import Path

import numpy as np
import pytest
from clocks import ticking
from corpora import TWO_TOPICS, two_topics

from topminer import Corpus, memory, methods
from topminer.errors import InputError
from topminer.methods import KERT, PDLDA, TNG, TurboTopics
from topminer.methods.contract import Method, ranked_topics
from topminer.methods.registry import METHODS, method_named
from topminer.methods.stopwatch import FEW, Stopwatch

NAMES = list(METHODS)
N_SWEEPS = 60


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return two_topics()


def make(name: str, n_sweeps: int = N_SWEEPS, n_threads: int = 1):
    return method_named(name, n_sweeps=n_sweeps, n_threads=n_threads)


def words_of(text: str) -> str:
    return " ".join(sorted(text.lower().split()))  # KERT's phrases have no order


@pytest.mark.parametrize("name", NAMES)
def test_two_planted_topics_are_told_apart_and_their_phrases_lead(name: str, corpus: Corpus) -> None:
    found = make(name).fit(corpus, 2, 0)
    assert found.method == name
    assert found.contiguous == (name != "kert")
    assert not found.extrapolated
    assert found.seconds > 0
    words = [set(" ".join(group).split()) for group in TWO_TOPICS]
    # Of words drawn after others TNG and PD-LDA know less when they stand alone: four are left of a topic.
    tops = [{phrase.text.lower() for phrase in topic.words[:4]} for topic in found.topics]
    assert any(tops[0] <= words[i] and tops[1] <= words[1 - i] for i in (0, 1))
    if name != "lda":
        shown = {words_of(phrase.text) for topic in found.topics for phrase in topic.phrases[:4]}
        assert {words_of(text) for group in TWO_TOPICS for text in group if " " in text} <= shown
        assert all(len(phrase.stems) > 1 for topic in found.topics for phrase in topic.phrases)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_topics_on_any_number_of_threads(name: str, corpus: Corpus) -> None:
    first, again, other = (make(name, 10, n).fit(corpus, 3, seed) for seed, n in ((1, 1), (1, 2), (2, 1)))
    assert first.topics == again.topics
    assert first.topics != other.topics


@pytest.mark.parametrize("name", NAMES)
def test_scores_fall_and_phrases_are_words_of_the_vocabulary(name: str, corpus: Corpus) -> None:
    for topic in make(name, 5).fit(corpus, 2, 0).topics:
        for phrases in (topic.words, topic.phrases):
            scores = [phrase.score for phrase in phrases]
            assert scores == sorted(scores, reverse=True)
            assert np.isfinite(scores).all()
            assert all(phrase.text and min(phrase.stems) >= 0 for phrase in phrases)
            assert all(max(phrase.stems) < corpus.n_stems for phrase in phrases)
            assert len({phrase.stems for phrase in phrases}) == len(phrases)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("texts", "n_topics"),
    [
        (["alone"], 1),
        (["one"] * 3, 3),
        (["one one one one"], 1),
        (["", "one two", "", "!"], 2),
        (["one two. three", "two one"], 3),
    ],
)
def test_tiny_corpora(name: str, texts: list[str], n_topics: int) -> None:
    corpus = Corpus.from_texts(texts, language=None, stem=False)
    topics = make(name, 3).fit(corpus, n_topics, 0).topics
    assert len(topics) == n_topics
    for topic in topics:
        assert sum(word.score for word in topic.words) == pytest.approx(1)
        assert name == "lda" or all(len(phrase.stems) > 1 for phrase in topic.phrases)


@pytest.mark.parametrize("name", NAMES)
def test_what_no_method_can_do_is_refused(name: str) -> None:
    corpus = Corpus.from_texts(["one two"], language=None, stem=False)
    with pytest.raises(InputError, match="3 topics are more than the 2 kept tokens"):
        make(name, 3).fit(corpus, 3, 0)
    with pytest.raises(InputError, match="from 1 to 65,535, not 0"):
        make(name, 3).fit(corpus, 0, 0)
    with pytest.raises(InputError, match="words that its vocabulary has not"):
        make(name, 3).fit(corpus.encode(["one three"]), 1, 0)


NAN = math.nan


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (KERT(min_support=0), "min_support must be a whole number from 1 on"),
        (KERT(min_support=2.5), "min_support must be a whole number from 1 on"),
        (KERT(min_support="many"), "min_support must be a number, a share or 'auto', not 'many'"),
        (KERT(min_support=NAN), "min_support"),
        (KERT(max_length=1), "max_length must be a whole number from 2 on, or None, not 1"),
        (KERT(max_length=2.5), "max_length"),
        (KERT(gamma=1.5), r"gamma must be a number from 0 to 1, not 1\.5"),
        (KERT(omega=NAN), "omega must be a number from 0 to 1"),
        (TNG(n_sweeps=0), "n_sweeps must be a whole number from 1 on, not 0"),
        (TNG(n_sweeps=2.5), "n_sweeps must be a whole number"),
        (TNG(alpha=0.0), "alpha must be a number from 1e-06 to 1e"),
        (TNG(beta=-1.0), "beta must be"),
        (TNG(gamma=NAN), "gamma must be"),
        (TNG(delta=math.inf), "delta must be"),
        (TNG(delta="much"), "delta must be a number"),
        (TurboTopics(n_sweeps=0), "n_sweeps must be a whole number from 1 on, not 0"),
        (TurboTopics(min_count=0), "min_count must be a whole number from 1 on, not 0"),
        (TurboTopics(p_value=0.0), r"p_value must be a number from 1e-06 to 0\.99, not 0\.0"),
        (TurboTopics(p_value=NAN), r"p_value must be a number from 1e-06 to 0\.99, not nan"),
        (
            TurboTopics(n_permutations=998),
            r"998 permutations can show no p-value of 0\.001: at least 999 are",
        ),
        (TurboTopics(n_threads=0), "n_threads must be a whole number from 1 to 1,024, not 0"),
        (PDLDA(n_sweeps=0), "sweeps"),
        (PDLDA(max_length=0), "max_length"),
        (PDLDA(max_length=13), "max_length"),
        (PDLDA(alpha=0.0), "alpha"),
        (PDLDA(alpha=NAN), "alpha"),
        (PDLDA(resample_interval=-1), "resample_interval"),
    ],
)
def test_odd_parameters_are_refused(method: Method, message: str) -> None:
    with pytest.raises(InputError, match=message):
        method.fit(Corpus.from_texts(["one two"], language=None, stem=False), 1)


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("method", "n_documents", "n_topics", "expected"),
    [
        (KERT(30), None, 5, {"support vector machine", "information retrieval"}),
        (TNG(40), None, 5, {"information retrieval", "data mining"}),
        (TurboTopics(60, n_threads=1), 12_000, 3, {"data mining", "association rules"}),
        (PDLDA(20), 3000, 5, set()),
    ],
)
def test_titles(
    method: Method, n_documents: int | None, n_topics: int, expected: set[str], shared_data: Path
) -> None:
    corpus = Corpus.read(shared_data / "titles_20conf.txt.zst")[:n_documents]
    n_best = 10 if method.name == "tng" else None
    topics = method.fit(corpus, n_topics).topics
    phrases = [phrase for topic in topics for phrase in topic.phrases[:n_best]]
    assert expected <= {phrase.text.lower() for phrase in phrases}
    if method.name == "kert":
        assert {len(phrase.stems) for phrase in phrases} == {2, 3, 4}
    if method.name == "pdlda":
        assert sum(phrase.score for phrase in phrases) > 300


@pytest.mark.parametrize("name", NAMES)
def test_a_budget_ends_sampling_and_says_so(name: str, corpus: Corpus) -> None:
    stopwatch = Stopwatch(budget=10.0, clock=ticking())
    found = make(name, 1_000_000).fit(corpus, 2, 0, stopwatch=stopwatch)
    assert found.extrapolated
    # A sweep takes a second, and a few other looks at the clock are counted as well.
    sampled = [stage for stage in found.stages if stage.name.startswith("sampling")]
    assert [(stage.measured, stage.seconds) for stage in sampled] == [(FEW, pytest.approx(1_000_000))]
    assert len(found.topics) == 2
    # TNG's phrases are then those of the last sweep there was.
    assert name in ("lda", "turbo") or any(topic.phrases for topic in found.topics)


@pytest.mark.parametrize(
    ("name", "stages"),
    [
        ("tng", ["preparing", "sampling topical n-grams", "ranking"]),
        ("pdlda", ["preparing", "sampling phrases"]),
    ],
)
def test_sweeps_are_counted_and_stages_named(name: str, stages: list[str], corpus: Corpus) -> None:
    reports: list[tuple[object, ...]] = []
    found = make(name, 2).fit(corpus, 2, stopwatch=Stopwatch(lambda *report: reports.append(report)))
    assert [report[:4] for report in reports] == [(stages[1], i, 2, "sweeps") for i in (1, 2)]
    assert [stage.name for stage in found.stages] == stages


@pytest.mark.parametrize(
    ("name", "message"), [("tng", "fewer topics or fewer documents"), ("pdlda", "PD-LDA needs about")]
)
def test_memory_is_asked_for_before_it_is_taken(
    name: str, message: str, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    monkeypatch.setattr(memory, "LITTLE", 0)
    with pytest.raises(InputError, match=message):
        make(name, 1).fit(corpus, 10)


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(InputError, match="no method 'nmf'"):
        method_named("nmf")


def test_memory_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match=r"TNG needs about 2\.0 GB, 1\.0 GB are free: fewer topics"):
        memory.require("TNG", 2e9, "fewer topics", available=10**9)
    memory.require("TNG", 2e9, "fewer topics", available=3 * 10**9)


def test_phrases_are_written_as_they_are_shown_elsewhere() -> None:
    corpus = Corpus.from_texts(["Data Mining", "Data Mining", "data mining", "mining trees"], stem=False)
    ids = {stem: i for i, stem in enumerate(corpus.vocabulary["stem"])}
    data, mining, trees = ids["data"], ids["mining"], ids["trees"]
    (topic,) = ranked_topics(corpus, np.ones((1, 3)), [[((data, mining), 2.0), ((trees, data), 1.0)]])
    assert [phrase.text for phrase in topic.phrases] == ["data mining", "trees data"]


def test_the_package_names_them_all() -> None:
    assert sorted(methods.__all__) == sorted(methods._HOME_OF)
    assert methods.Watch is methods.Stopwatch
    found = {getattr(methods, name) for name in methods.__all__} - {methods.Stopwatch}
    assert found == set(METHODS.values())
    with pytest.raises(AttributeError, match="no attribute 'NMF'"):
        _ = methods.NMF
