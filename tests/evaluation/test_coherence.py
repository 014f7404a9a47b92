"""NPMI and C_V: as gensim has them for words, as all windows looked at have them for phrases."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from corpora import corpus_of
from hypothesis import given
from hypothesis import strategies as st
from oracles import coherence as oracle

from topminer import Corpus
from topminer.errors import InputError
from topminer.evaluation.coherence import c_v, npmi
from topminer.evaluation.contract import Score
from topminer.evaluation.occurrences import EPSILON

Measure = Callable[..., Score]
MEASURES = pytest.mark.parametrize("measure", [npmi, c_v])
NAME_OF = {npmi: "c_npmi", c_v: "c_v"}  # in gensim


def ids(corpus: Corpus, *phrases: str) -> list[tuple[int, ...]]:
    id_of = {stem: i for i, stem in enumerate(corpus.vocabulary["stem"])}
    return [
        tuple(id_of.get(word, len(id_of) + ord(word[0])) for word in phrase.split()) for phrase in phrases
    ]


def assert_as_gensim(
    measure: Measure, corpus: Corpus, topics: list[list[str]], window: int, n: int = 10, *, recounted: bool
) -> None:
    pytest.importorskip("gensim", reason="needs gensim")
    from gensim.corpora import Dictionary
    from gensim.models import CoherenceModel
    from gensim.topic_coherence.text_analysis import WordOccurrenceAccumulator

    class Recounting(WordOccurrenceAccumulator):  # type: ignore[misc]
        """Sees each window anew. gensim takes the word that a window leaves behind for absent."""

        def _slide_window(self, window, doc_num):  # type: ignore[no-untyped-def]
            self._uniq_words[:] = False
            self._uniq_words[window] = True

    texts = corpus.to_lists()
    dictionary = Dictionary(texts)
    model = CoherenceModel(
        topics=topics,
        texts=texts,
        dictionary=dictionary,
        coherence=NAME_OF[measure],
        window_size=window,
        topn=n,
        processes=1,
    )
    if recounted:
        relevant = {dictionary.token2id[word] for topic in topics for word in topic[:n]}
        model._accumulator = Recounting(relevant, dictionary).accumulate(texts, window)
    values = model.get_coherence_per_topic()
    found = measure([ids(corpus, *topic) for topic in topics], corpus, window=window, n=n)
    assert found.topics == pytest.approx(values, abs=1e-9)
    assert found.mean == pytest.approx(model.aggregate_measures(values), abs=1e-9)


def random_documents(seed: int, *, repeats: bool, n_documents: int = 40) -> list[list[str]]:
    """Documents about one of three things; some are empty, and one word may stand everywhere."""
    rng = np.random.default_rng(seed)
    words = [f"w{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    documents = []
    for _ in range(n_documents):
        weights = np.full(26, 0.02)
        thing = int(rng.integers(3))
        weights[8 * thing : 8 * thing + 8] = rng.random(8)
        size = int(rng.integers(0, 16))
        documents.append(rng.choice(words, size, replace=repeats, p=weights / weights.sum()).tolist())
    return documents


def random_topics(documents: list[list[str]], seed: int) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    known = sorted({word for document in documents for word in document})
    return [rng.choice(known, 7, replace=False).tolist() for _ in range(5)]


@MEASURES
@pytest.mark.parametrize(
    ("repeats", "seed", "window", "n"),
    [
        *[(False, 0, 5, 10), (False, 1, 2, 4), (False, 2, 110, 5), (False, 3, 1, 7)],
        *[(True, 5, 5, 10), (True, 6, 2, 4), (True, 7, 10, 5), (True, 8, 3, 2)],
    ],
)
def test_gensim(measure: Measure, repeats: bool, seed: int, window: int, n: int) -> None:
    """Gensim as it comes where documents repeat no word, else with windows counted anew."""
    documents = random_documents(seed, repeats=repeats)
    topics = random_topics(documents, seed)
    assert_as_gensim(measure, corpus_of(documents), topics, window, n, recounted=repeats)


@MEASURES
def test_gensim_as_it_comes_where_windows_are_documents(measure: Measure) -> None:
    documents = random_documents(4, repeats=True)
    corpus, topics = corpus_of(documents), random_topics(documents, 4)
    assert_as_gensim(measure, corpus, topics, 30, recounted=False)
    listed = [ids(corpus, *topic) for topic in topics]
    assert measure(listed, corpus, window=30) == measure(listed, corpus, window=None)
    # A word that is everywhere.
    corpus = corpus_of(["all ant bee", "all bee", "all ant", "all cat"])
    assert_as_gensim(measure, corpus, [["all", "ant", "bee"], ["all", "cat"]], 10, recounted=False)


@pytest.mark.corpus
@pytest.mark.parametrize(("measure", "window"), [(npmi, 10), (c_v, 110)])
def test_gensim_on_news(measure: Measure, window: int, shared_data: Path) -> None:
    corpus = Corpus.read(shared_data / "news_bbc.jsonl.zst", "text")[:2089:50]
    assert int(np.diff(corpus.doc_start).max()) > window
    counts = np.bincount(corpus.stem_ids, minlength=corpus.n_stems)
    frequent = np.argsort(-counts, kind="stable")[:200]
    chosen = np.random.default_rng(0).permutation(frequent)[:60].reshape(6, 10)
    topics = [corpus.vocabulary["stem"].gather(topic).to_list() for topic in chosen]
    assert_as_gensim(measure, corpus, topics, window, recounted=True)


WORDS = ("ant", "bee", "cat", "dog")
chunk = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7)
phrase = st.lists(st.sampled_from((*WORDS[:3], "yak")), min_size=1, max_size=3).map(" ".join)


@pytest.mark.small
@MEASURES
@given(
    documents=st.lists(st.lists(chunk, max_size=3), min_size=1, max_size=4).filter(any),
    topics=st.lists(st.lists(phrase, max_size=5), max_size=3),
    window=st.none() | st.integers(1, 8),
    contiguous=st.booleans(),
    eps=st.sampled_from([0.0, EPSILON]),
)
def test_phrases_as_all_windows_looked_at_have_them(
    measure: Measure,
    documents: list[oracle.Document],
    topics: list[list[str]],
    window: int | None,
    contiguous: bool,
    eps: float,
) -> None:
    corpus = corpus_of(documents)
    listed = [ids(corpus, *topic) for topic in topics]
    found = measure(listed, corpus, n=4, window=window, contiguous=contiguous, eps=eps)
    where, slow = oracle.units(documents, window), oracle.mean_npmi if measure is npmi else oracle.c_v
    expected = [slow(where, contiguous, [tuple(each.split()) for each in topic[:4]], eps) for topic in topics]
    assert [value is None for value in found.topics] == [value is None for value in expected]
    defined = [value for value in expected if value is not None]
    assert [value for value in found.topics if value is not None] == pytest.approx(defined, abs=1e-8)
    assert (found.mean is None) == (not defined)
    if found.mean is not None:
        assert found.mean == pytest.approx(sum(defined) / len(defined), abs=1e-8)
        assert all(math.isfinite(value) and -1 <= value <= 1 for value in (found.mean, *defined))


@pytest.mark.small
@MEASURES
def test_a_phrase_is_not_compared_with_one_that_contains_it(measure: Measure) -> None:
    corpus = corpus_of(["support vector machine kernel", "support vector machine", "kernel", "query plan"])
    alone = measure([ids(corpus, "support vector", "kernel")], corpus)
    nested = measure([ids(corpus, "support vector", "support vector machine")], corpus)
    assert nested == Score(None, (None,))
    repeated = measure([ids(corpus, "support vector", "kernel", "support vector")], corpus)
    assert repeated == alone
    if measure is npmi:  # the longer one has the same value with kernel as the shorter
        both = npmi([ids(corpus, "support vector", "kernel", "support vector machine")], corpus)
        assert both.mean == pytest.approx(alone.mean)


@pytest.mark.small
def test_vectors_that_cancel_out() -> None:
    corpus = corpus_of(["ant", "ant", "bee cat", "dog", "dog"])
    topic = ids(corpus, "ant", "bee", "bee cat")
    # To each of the last two the topic is ant (1, -1) and itself (-1, 1): nothing, but for rounding. To ant
    # (1, -1, -1) it is (-1, 1, 1).
    assert c_v([topic], corpus, eps=0.0).topics == pytest.approx((-1 / 3,))


@pytest.mark.small
@MEASURES
def test_in_sets_order_does_not_matter(measure: Measure) -> None:
    corpus = corpus_of(["support vector", "vector", "kernel support", "kernel"])
    topic = ids(corpus, "support vector", "vector support", "kernel")
    assert measure([topic[:2]], corpus, contiguous=False).topics == (None,)
    assert measure([topic[:2]], corpus).topics != (None,)


@pytest.mark.small
@MEASURES
def test_a_reference_corpus_is_known_by_its_stems(measure: Measure) -> None:
    corpus = corpus_of(["ant bee", "cat", "cat dog", "dog bee yak"])
    reference = corpus_of(["dog cat ant bee", "emu emu ant bee", "dog cat", "cat"])
    phrases = "ant bee", "cat", "dog"
    assert corpus.vocabulary["stem"].to_list() != reference.vocabulary["stem"].to_list()
    found = measure([ids(corpus, *phrases)], corpus, reference=reference)
    assert found == measure([ids(reference, *phrases)], reference)
    assert found != measure([ids(corpus, *phrases)], corpus)


@pytest.mark.small
def test_words_that_a_reference_has_not() -> None:
    corpus, reference = corpus_of(["ant bee cat", "yak"]), corpus_of(["ant bee", "emu"])
    topics = [ids(corpus, "ant", "yak"), ids(corpus, "cat", "yak"), ids(corpus, "ant", "bee")]
    # Röder's ε makes a perfect pair a trifle more than perfect.
    assert npmi(topics, corpus, reference=reference).topics == pytest.approx((-1.0, -1.0, 1.0))
    # The one word that is there is all there is of the topic; the other is like nothing.
    assert c_v(topics, corpus, reference=reference).topics == pytest.approx((0.5, 0.0, 1.0))


@pytest.mark.small
@MEASURES
def test_topics_that_have_no_coherence(measure: Measure) -> None:
    corpus = corpus_of(["ant bee", "ant", "bee"])
    assert measure([], corpus) == Score(None, ())
    assert measure([[], ids(corpus, "ant")], corpus) == Score(None, (None, None))
    assert measure([ids(corpus, "ant", "bee")], corpus, n=1) == Score(None, (None,))
    some = measure([[], ids(corpus, "ant", "bee")], corpus)
    assert some.topics[0] is None
    assert some.mean == some.topics[1]


@pytest.mark.small
@MEASURES
def test_progress_and_what_is_refused(measure: Measure) -> None:
    corpus = corpus_of(["ant bee"])
    told: list[tuple[object, ...]] = []
    measure([ids(corpus, "ant", "bee")] * 2, corpus, progress=lambda *report: told.append(report))
    assert told[-2:] == [("Measuring coherence", i, 2, "topics") for i in (1, 2)]
    with pytest.raises(InputError, match="from 1 on, not 0"):
        measure([], corpus, n=0)
