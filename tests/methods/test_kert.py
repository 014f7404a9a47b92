"""KERT against its definitions, on planted topics, and on what may go wrong."""

from functools import partial
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from corpora import corpus_of
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import patterns as oracle
from oracles.patterns import Document

from topminer import Corpus, InputError
from topminer.memory import require
from topminer.methods.contract import MethodResult
from topminer.methods.rivals import kert
from topminer.methods.rivals.itemsets import Miner
from topminer.methods.rivals.kert import KERT, Best, support_for
from topminer.methods.rivals.transactions import gather
from topminer.methods.stopwatch import Stopwatch

FRUIT, METALS = ["apple", "pear", "plum", "cherry"], ["iron", "zinc", "copper", "nickel"]


def fit_with_topics(
    method: KERT, corpus: Corpus, topics: list[int], n_topics: int, stopwatch: Stopwatch | None = None
) -> MethodResult:
    """What the method makes of topics that LDA might have found."""

    def sampled_words(*_: object) -> SimpleNamespace:
        topic_word = np.full((n_topics, corpus.n_stems), 1 / corpus.n_stems)
        return SimpleNamespace(clique_topic_=np.array(topics, np.int32), topic_word_=topic_word)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kert, "sampled_words", sampled_words)
        return method.fit(corpus, n_topics, stopwatch=stopwatch)


def with_topics(corpus: Corpus, topics: list[int]) -> list[Document]:
    tokens = list(zip(corpus.stem_ids.tolist(), topics, strict=True))
    return [tokens[first:last] for first, last in pairwise(corpus.doc_start.tolist())]


def planted(n: int) -> Corpus:
    """Documents about fruit or metals; half of them have "pear apple" or "iron zinc" besides."""
    random = np.random.default_rng(0)
    documents = []
    for i in range(n):
        words = FRUIT if i % 2 else METALS
        pair = ["pear", "apple"] if i % 2 else ["iron", "zinc"]
        beside = [words[j] for j in random.integers(0, 4, 2)]
        documents.append([*pair, *beside] if i % 4 < 2 else beside)
    return corpus_of(documents)


tokens = st.tuples(st.integers(0, 5), st.integers(0, 2))
documents_with_topics = st.lists(st.lists(tokens, max_size=6), min_size=1, max_size=12).filter(
    lambda documents: sum(map(len, documents)) >= 3
)


# ------------------------------------------------------------------------------------------- the ranking


@settings(max_examples=60)
@given(
    documents_with_topics,
    st.integers(1, 3),
    st.sampled_from([None, 2, 3]),
    st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    st.sampled_from([0.0, 0.5, 1.0]),
)
def test_ranks_as_defined(
    documents: list[Document], min_support: int, max_length: int | None, gamma: float, omega: float
) -> None:
    corpus = corpus_of([[f"w{word}" for word, _ in document] for document in documents])
    topics = [k for document in documents for _, k in document]
    seen = with_topics(corpus, topics)
    method = KERT(min_support=min_support, max_length=max_length, gamma=gamma, omega=omega)
    found = fit_with_topics(method, corpus, topics, 3)
    assert (found.method, found.contiguous, len(found.topics)) == ("kert", False, 3)
    for k, topic in enumerate(found.topics):
        sets = oracle.transactions(seen, k)
        expected = oracle.ranked(seen, 3, k, min_support, max_length, gamma, omega)
        order = sorted(expected, key=lambda p: (-round(expected[p], 9), -oracle.count(sets, p), p))
        assert [tuple(sorted(phrase.stems)) for phrase in topic.phrases] == order
        for phrase in topic.phrases:
            assert phrase.score == pytest.approx(expected[tuple(sorted(phrase.stems))], abs=1e-9)
            orders = oracle.orders(seen, k, tuple(sorted(phrase.stems)))
            assert phrase.stems == orders.most_common(1)[0][0]  # of equal ones the first


@pytest.mark.small
def test_worked_example() -> None:
    documents = [["b", "a", "c"], ["b", "a"], ["a", "b"], ["c", "d"], ["d"], ["a", "b"]]
    corpus = corpus_of(documents)
    topics = [0] * 7 + [1] * 3 + [1, 1]
    found = fit_with_topics(KERT(min_support=2), corpus, topics, 2)
    names = [[phrase.text for phrase in topic.phrases] for topic in found.topics]
    assert names == [["b a"], []]
    # 3 of 3 documents have it, and so has each word; in topic 1, where it is rare, 1 of 3.
    purity = np.log2(1.0) - np.log2((3 + 1) / 6)
    assert found.topics[0].phrases[0].score == pytest.approx(0.5 * purity)


@pytest.mark.small
@pytest.mark.parametrize(
    ("method", "documents", "expected"),
    [
        # Half of "b c" is in the longer one: too much. So are all of the other pairs.
        (KERT(min_support=2), ["a b c"] * 3 + ["b c"] * 3, ["a b c"]),
        (KERT(min_support=2, gamma=0.4), ["a b c"] * 3 + ["b c"] * 3, ["a b c", "b c"]),
        # "a b" has 6 documents, of which 3 go on with c: fewer than the minimum support, but half.
        (KERT(min_support=6), ["a b c"] * 3 + ["a b"] * 3 + ["a", "b"], []),
        (KERT(min_support=6), ["a b c"] * 2 + ["a b"] * 4 + ["a", "b"], ["a b"]),
        # The longest patterns have extensions too.
        (KERT(min_support=2, max_length=2), ["a b c"] * 5 + ["c"], []),
    ],
)
def test_what_most_often_goes_on_is_a_piece(method: KERT, documents: list[str], expected: list[str]) -> None:
    corpus = corpus_of(documents)
    found = fit_with_topics(method, corpus, [0] * corpus.n_tokens, 1)
    assert sorted(phrase.text for phrase in found.topics[0].phrases) == expected


@pytest.mark.small
def test_only_the_best_are_kept_whatever_the_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    documents = [[f"w{j}" for j in random.integers(0, 9, 6)] for _ in range(40)]
    corpus = corpus_of(documents)
    topics = random.integers(0, 2, corpus.n_tokens).astype(np.int32)
    transactions, together = gather(corpus.stem_ids, corpus.doc_start, topics, 2, corpus.n_stems)
    counts = transactions.word_counts(2, corpus.n_stems)

    def best(batch: int) -> list[list[tuple[float, int, tuple[int, ...]]]]:
        ranking = Best(together, counts, 2, 0.3, 0.5)
        miner = Miner(transactions, counts, 2, batch=batch)
        for found in miner.search(miner.roots.tolist()):
            ranking.add(found)
        ranking.add(miner.rest())
        return ranking.patterns

    everything = best(10_000)
    assert min(map(len, everything)) > 20
    monkeypatch.setattr(kert, "N_PHRASES", 5)
    for batch in (1, 7, 10_000):
        assert best(batch) == [each[:5] for each in everything]


# --------------------------------------------------------------------------------------- transactions


@pytest.mark.small
@given(st.lists(st.lists(tokens, max_size=6), min_size=1, max_size=8))
def test_gathers_what_topics_have_of_documents(documents: list[Document]) -> None:
    flat = np.array([token for document in documents for token in document], np.int32).reshape(-1, 2)
    doc_start = np.cumsum([0, *map(len, documents)])
    transactions, together = gather(flat[:, 0].copy(), doc_start, flat[:, 1].copy(), 3, 6)
    start = transactions.start.tolist()
    words = [transactions.words[i:j].tolist() for i, j in pairwise(start)]
    counts, expected = transactions.word_counts(3, 6), []
    for k in range(3):
        of_topic = [list(dict.fromkeys(w for w, topic in document if topic == k)) for document in documents]
        expected += [(k, found) for found in of_topic if found]
        assert together[k].tolist() == [oracle.n_documents(documents, {k, other}) for other in range(3)]
        sets = oracle.transactions(documents, k)
        assert counts[k].tolist() == [oracle.count(sets, (word,)) for word in range(6)]
    assert list(zip(transactions.topic.tolist(), words, strict=True)) == expected


# -------------------------------------------------------------------------------------------- in whole


def test_planted_topics() -> None:
    corpus = planted(400)
    found = KERT(n_sweeps=100).fit(corpus, 2, seed=1)
    best = {topic.phrases[0].text for topic in found.topics}
    assert best == {"iron zinc", "pear apple"}
    for topic in found.topics:
        words = {word.text for word in topic.words[:4]}
        assert words in (set(FRUIT), set(METALS))
        assert all(set(phrase.text.split()) <= words for phrase in topic.phrases)


def test_reports_its_stages() -> None:
    reports: list[tuple[Any, ...]] = []
    stopwatch = Stopwatch(lambda *report: reports.append(report))
    found = KERT(n_sweeps=10, min_support=3).fit(planted(100), 2, stopwatch=stopwatch)
    assert [stage.name for stage in found.stages][-3:] == ["gathering", "mining", "ranking"]
    done, total, unit, note = [report[1:] for report in reports if report[0] == "mining"][-1]
    assert done == total and unit == "parts" and note.endswith(" patterns")
    assert "3 documents" in found.notes[0]


def test_stops_where_mining_would_take_too_long() -> None:
    seconds = iter(range(0, 10_000, 10))
    stopwatch = Stopwatch(budget=25.0, clock=lambda: float(next(seconds)))
    corpus = planted(100)
    found = fit_with_topics(KERT(min_support=3), corpus, [0] * corpus.n_tokens, 1, stopwatch)
    assert found.extrapolated
    assert [stage.name for stage in found.stages if stage.share < 1] == ["mining"]


# --------------------------------------------------------------------------------------------- refusals


@pytest.mark.small
@pytest.mark.parametrize(
    ("free", "message"),
    [
        (1000, r"KERT needs about .* 1\.0 kB are free: fewer topics"),
        (1_000_000, r"KERT needs about .* MB, .* larger min_support.* shorter documents"),
    ],
)
def test_stops_before_memory_runs_out(free: int, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = planted(50)
    monkeypatch.setattr(kert, "require", partial(require, available=free))
    with pytest.raises(InputError, match=message):
        fit_with_topics(KERT(), corpus, [0] * corpus.n_tokens, 1)


@pytest.mark.small
def test_stops_at_too_many_patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = corpus_of([[f"w{i}" for i in range(12)]] * 2)
    method = KERT(min_support=2, max_length=None)
    monkeypatch.setattr(kert, "Miner", partial(Miner, batch=64))
    monkeypatch.setattr(kert, "MOST_PATTERNS", 4096)
    enough = fit_with_topics(method, corpus, [0] * corpus.n_tokens, 1)
    assert [len(phrase.stems) for phrase in enough.topics[0].phrases] == [12]
    monkeypatch.setattr(kert, "MOST_PATTERNS", 1000)
    with pytest.raises(InputError, match="KERT found more than 1,000 patterns: a larger min_support"):
        fit_with_topics(method, corpus, [0] * corpus.n_tokens, 1)


@pytest.mark.small
@pytest.mark.parametrize(
    ("given", "n_documents", "expected"),
    [("auto", 44_165, 6), ("auto", 1_900_000, 19), (3, 10, 3), (3.0, 10, 3), (0.25, 10, 3), (99, 10, 11)],
)
def test_min_support(given: int | float | str, n_documents: int, expected: int) -> None:
    assert support_for(given, n_documents) == expected


def test_sets_of_words_are_shown_word_by_word() -> None:
    corpus = Corpus.from_texts(["Apples are what the pears", "apples, pears"] * 30, stem=False)
    (topic,) = KERT(n_sweeps=2).fit(corpus, 1).topics
    assert [phrase.text.lower() for phrase in topic.phrases] == ["apples pears"]
