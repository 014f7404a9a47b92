"""Mining and cutting on several workers, against the same on one corpus."""

import math
import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from local_workers import local_engine
from numpy.typing import NDArray

from topminer import Corpus, InputError, Partition, PhraseMiner
from topminer.engines.contract import Placed
from topminer.phrases import mining
from topminer.phrases.evidence import least_words
from topminer.phrases.fitted import Fitted
from topminer.phrases.miner import min_support_in, settings_in
from topminer.phrases.mining import Mined
from topminer.phrases.pieces import NONE, Rule, pieces_of
from topminer.phrases.sequence import Sequence
from topminer.phrases.ties import no_ties
from topminer.run import cutting, judging, reduce
from topminer.run import mining as cluster_mining
from topminer.run.cutting import Cut, DocumentsWorker, divide, place_documents, shard_bounds, words
from topminer.run.mining import document_runs, mine
from topminer.store import MemoryReader, Reader, Stored, writer
from topminer.store.formats import STORED_CORPUS
from topminer.topics.sampler import latin_square as square

pytestmark = pytest.mark.small

JIT_IS_ON = not numba.config.DISABLE_JIT
some = settings(max_examples=60 if JIT_IS_ON else 5)
n_workers = st.integers(1, 3)
WORDS = ("ant", "bee", "cat", "dog", "ant-bee", "bee-of-cat", "Ant", "eel")


def in_memory(corpus: Corpus) -> MemoryReader:
    return MemoryReader(corpus.stored())


def corpus_of(documents: list[str]) -> Corpus:
    return Corpus.from_texts(documents, language=None, stop_words=["of"])


def mined_on(placed: Placed, corpus: Corpus, min_support: int, max_length: int | None = None) -> Mined:
    """Algorithm 1 on workers, as the paper has it."""
    return mine(placed, no_ties(corpus.n_stems), None, min_support, max_length)


def fitted_on(placed: Placed, miner: PhraseMiner, corpus: Corpus) -> tuple[Fitted, Cut]:
    """Mine and cut on workers, with the miner's parameters. The driver has no documents."""
    settings, ties = settings_in(miner, corpus[:0])
    support = min_support_in(miner, corpus.n_tokens)
    mined = mine(placed, ties, least_words(miner.evidence), support, miner.max_length)
    fitted = Fitted(mined, corpus[:0], settings, tied=miner.ties is not None, ties=ties)
    return fitted, cutting.cut(placed, fitted, in_memory(corpus))


def placed_on(corpus: Corpus, n_workers: int, n_threads: int = 1) -> Placed:
    return place_documents(local_engine(n_threads, n_workers), in_memory(corpus), corpus.n_stems)


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    """Words, phrases that come again and again, periodic texts, several chunks, and empty documents."""
    word = st.sampled_from(WORDS[: draw(st.integers(1, len(WORDS)))])
    planted = draw(st.lists(st.lists(word, min_size=2, max_size=4).map(" ".join), min_size=1, max_size=3))
    piece = st.one_of(
        st.sampled_from(planted), word, st.sampled_from(planted).map(lambda each: f"{each} " * 5)
    )
    chunk = st.lists(piece, min_size=1, max_size=4).map(" ".join)
    document = st.one_of(st.just(""), st.lists(chunk, max_size=3).map(", ".join))
    return corpus_of([draw(chunk), *draw(st.lists(document, max_size=7))][:: draw(st.sampled_from((1, -1)))])


def assert_same_phrases(one: Mined, other: Mined) -> None:
    for name, a, b in zip(Mined._fields, one, other, strict=True):
        assert type(a) is type(b), name
        assert np.asarray(a).dtype == np.asarray(b).dtype, name
        np.testing.assert_array_equal(a, b, name)


def joined(placed: Placed, name: str) -> NDArray[Any]:
    n_workers = len(placed.engine.threads)
    return np.concatenate(placed.run("piece", [(name, 0, None)] * n_workers))


def assert_same_cut(placed: Placed, cut: Cut, partition: Partition, rule: Rule = 3) -> None:
    """What the driver knows, and what the workers give to a sampler."""
    for name in ("type_start", "type_stems", "instances"):
        of_partition = getattr(partition, name)
        of_partition = of_partition() if callable(of_partition) else of_partition
        assert getattr(cut, name).dtype == of_partition.dtype
        np.testing.assert_array_equal(getattr(cut, name), of_partition, name)
    corpus = partition.corpus
    lengths = np.diff(corpus.doc_start)
    assert (
        cut._asdict().items()
        >= {
            "n_stems": corpus.n_stems,
            "n_documents": len(corpus),
            "n_cliques": partition.n_cliques,
            "n_long": int((np.diff(partition.clique_start) > 1).sum()),
            "n_empty": int((lengths == 0).sum()),
        }.items()
    )
    found = divide(placed, rule)
    pieces = pieces_of(partition, rule)
    longest = int(np.diff(pieces.partition.corpus.doc_start).max())
    assert found == (rule, len(pieces.partition), longest)
    runs = document_runs(in_memory(corpus), placed.engine.threads)
    assert placed.run("documents") == runs
    for worker, (first, last) in enumerate(runs):
        for start, stop in {(first, last), (first, first), ((first + last) // 2, last)}:
            [found] = placed.engine.here([placed.keep_on(worker, "cliques", start, stop)])
            for a, b in zip(found, square.documents_of(pieces, start, stop), strict=True):
                assert a.dtype == b.dtype
                assert a.tolist() == b.tolist()
    for n_shards in (1, 2, 3, 8):
        bounds = shard_bounds(placed, cut.n_cliques, cut.n_documents, n_shards)
        expected = square.shard_bounds(partition, n_shards)
        assert bounds.dtype == expected.dtype
        assert bounds.tolist() == expected.tolist()


# ------------------------------------------------------------------------------------------ mining


@some
@given(corpora(), n_workers, st.integers(1, 4), st.sampled_from((None, 1, 2, 3)))
def test_phrases_are_those_of_one_machine(
    corpus: Corpus, n_workers: int, min_support: int, max_length: int | None
) -> None:
    expected = mining.mine(Sequence.of(corpus), corpus.n_stems, min_support, max_length).mined
    placed = placed_on(corpus, n_workers)
    assert_same_phrases(mined_on(placed, corpus, min_support, max_length), expected)


@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_support_beyond_a_byte(n_workers: int) -> None:
    """Cells are wide, and no worker alone has enough."""
    corpus = corpus_of(["ant bee"] * 300 + ["bee cat"] * 299 + ["cat ant", "dog"] * 256 + ["bee cat bee"] * 2)
    phrases = mined_on(placed_on(corpus, n_workers), corpus, 300)
    names = corpus.vocabulary["stem"].to_list()
    found = [" ".join(names[stem] for stem in stems) for stems in phrases.stems_of(2)]
    assert dict(zip(found, phrases.support[corpus.n_stems :], strict=True)) == {
        "ant bee": 300,
        "bee cat": 301,
    }


def test_only_what_is_frequent_comes_to_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    came: list[int] = []

    def number(placed: Placed, name: str, least: int) -> Any:
        counted = real(placed, name, least)
        came.append(counted.counts.size)
        return counted

    real = cluster_mining.number
    monkeypatch.setattr(cluster_mining, "number", number)
    corpus = corpus_of(["ant bee cat", "dog eel"] * 3 + ["fox ant"])
    placed = placed_on(corpus, 2)
    mined_on(placed, corpus, 6)
    came.clear()
    phrases = mined_on(placed, corpus, 3)  # workers can mine again
    assert came == np.diff(phrases.length_start)[2:].tolist() == [3, 1]


# ----------------------------------------------------------------------------------------- cutting


@some
@given(
    corpora(),
    n_workers,
    st.integers(1, 3),
    st.sampled_from((0.0, 0.5, 1.0, 2.0, math.inf)),
    st.sampled_from((None, -6.0, -3.5, -2.0, "auto", 100.0)),
    st.sampled_from((None, 1, 2, 4)),
    st.sampled_from(("auto", None)),
    st.lists(st.sampled_from(("ant bee", "bee bee cat", "cat ant", "ant-bee ant")), max_size=2),
    st.lists(st.sampled_from(("ant bee", "bee ant", "ant ant ant")), max_size=2),
)
def test_cliques_and_judgements_are_those_of_one_machine(
    corpus: Corpus,
    n_workers: int,
    min_support: int,
    threshold: float,
    quality: float | str | None,
    evidence: int | None,
    ties: str | None,
    always: list[str],
    never: list[str],
) -> None:
    """The driver has no documents, only the vocabulary."""
    miner = PhraseMiner(min_support, threshold, quality, evidence, ties, 5, always=always, never=never)
    partition, placed = miner.fit_transform(corpus), placed_on(corpus, n_workers)
    fitted, cut = fitted_on(placed, miner, corpus)
    assert fitted.settings == miner.settings
    assert_same_phrases(fitted.mined, miner.mined)
    for name in ("ids", "quality", "statistics"):
        np.testing.assert_array_equal(getattr(fitted.judged, name), getattr(miner.fitted.judged, name), name)
    if quality is not None:
        np.testing.assert_array_equal(fitted.segmenter.n_left, miner.fitted.segmenter.n_left)
    np.testing.assert_array_equal(joined(placed, "strength"), partition.strength)
    assert_same_cut(placed, cut, partition)


@some
@given(corpora(), n_workers)
def test_every_word_a_clique(corpus: Corpus, n_workers: int) -> None:
    placed = placed_on(corpus, n_workers)
    assert_same_cut(placed, words(placed), Partition.of_words(corpus))


@pytest.mark.parametrize("n_workers", [1, 3])
def test_in_several_steps(n_workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step ends between chunks, and may have none."""
    monkeypatch.setattr(judging, "_STEP", 5)
    corpus = corpus_of(["ant bee cat dog, ant bee", "", "eel " * 17 + ", ant bee cat"] * 6)
    miner = PhraseMiner(2, 1.0, -4.0, evidence=2, always=["bee cat"])
    partition, placed = miner.fit_transform(corpus), placed_on(corpus, n_workers)
    settings, ties = settings_in(miner, corpus)
    fitted = Fitted(mine(placed, ties, 2, 2), corpus, settings, tied=True, ties=ties)
    told: list[tuple[Any, ...]] = []
    cut = cutting.cut(placed, fitted, in_memory(corpus), lambda *done, note="": told.append(done))
    np.testing.assert_array_equal(joined(placed, "strength"), partition.strength)
    assert_same_cut(placed, cut, partition)
    assert [done for _, done, _, _ in told] == sorted(done for _, done, _, _ in told)
    assert len(told) > 5
    assert told[-1] == ("Segmenting", corpus.n_tokens, corpus.n_tokens, "tokens")


def test_documents_of_others() -> None:
    corpus = corpus_of(["ant", "bee", "cat", "dog"])
    placed = placed_on(corpus, 2)
    words(placed)
    divide(placed, NONE)
    with pytest.raises(ValueError, match="documents 0 to 3 are not all here"):
        placed.keep_on(0, "cliques", 0, 3)


# ----------------------------------------------------------------------------- a corpus that was stored


def test_a_corpus_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "PART_SIZE", 7)
    corpus = corpus_of(["ant bee cat, dog", "", "ant bee, eel fox", "ant bee cat"] * 5)
    corpus.save(tmp_path)
    reader = Reader(tmp_path, STORED_CORPUS)
    assert len(reader.parts("stem_ids")) > 5
    miner = PhraseMiner(2, 1.0)
    partition = miner.fit_transform(corpus)
    for n_workers in (1, 2, 3):
        placed = place_documents(local_engine(2, n_workers), reader, corpus.n_stems)
        fitted, cut = fitted_on(placed, miner, corpus)
        assert_same_phrases(fitted.mined, miner.mined)
        assert_same_cut(placed, cut, partition)


def test_the_driver_reads_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To find runs of documents it takes a few steps in where they start."""
    monkeypatch.setattr(writer, "PART_SIZE", 64)
    corpus = corpus_of(["ant"] * 640)
    corpus.save(tmp_path)
    reader = pickle.loads(pickle.dumps(Reader(tmp_path, STORED_CORPUS)))
    assert document_runs(reader, [1, 1]) == [(0, 320), (320, 640)]
    assert len(reader._checked) < len(reader.parts("doc_start")) / 2


@some
@given(corpora(), st.lists(st.integers(1, 5), min_size=1, max_size=5))
def test_runs_are_the_whole_and_fair(corpus: Corpus, weights: list[int]) -> None:
    runs = document_runs(in_memory(corpus), weights)
    assert runs[0][0] == 0
    assert runs[-1][1] == len(corpus)
    assert all(one[1] == other[0] for one, other in pairwise(runs))
    longest = np.diff(corpus.doc_start).max()
    for (first, last), weight in zip(runs, weights, strict=True):
        n_tokens = corpus.doc_start[last] - corpus.doc_start[first]
        assert abs(n_tokens - corpus.n_tokens * weight / sum(weights)) <= longest + 1


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [("stem_ids", 3, 99), ("stem_ids", 0, -1), ("chunk_start", 1, 0), ("doc_start", 1, 6)],
)
def test_a_damaged_corpus(name: str, at: int, value: int) -> None:
    """Kernels go wherever these arrays lead."""
    reader = in_memory(corpus_of(["ant bee, cat", "dog eel"] * 2))
    arrays = {each: reader.array(each).copy() for each in ("stem_ids", "doc_start", "chunk_start")}
    arrays[name][at] = value
    with pytest.raises(InputError, match="damaged"):
        DocumentsWorker(MemoryReader(Stored({}, arrays, {})), 0, 4, 5, 1)


# -------------------------------------------------------------------------------------------- sums


class Vector(reduce.Sums):
    def __init__(self, values: NDArray[Any]) -> None:
        self._values = values

    def times(self, factor: int) -> NDArray[Any]:
        return self._values * self._values.dtype.type(factor)


@pytest.mark.parametrize("n_workers", [1, 2, 3, 5])
def test_sums(n_workers: int) -> None:
    vectors = np.arange(-10, 4 * n_workers - 10).reshape(n_workers, 4)
    placed = local_engine(1, n_workers).place(Vector, [(vector,) for vector in vectors])
    assert reduce.total(placed, "times", 3).tolist() == (3 * vectors).sum(axis=0).tolist()
    assert len(reduce.summed(placed, "times", 3)) == n_workers
    cells = np.array([[200, 1, 0], [55, 2, 0], [1, 3, 255]], np.uint8)  # their sums stop where cells are full
    placed = local_engine(1, 3).place(Vector, [(vector,) for vector in cells])
    assert reduce.total(placed, "times", 1).tolist() == [255, 6, 255]
