"""Partitions: their laws, other thresholds, some of the documents, spans and surfaces."""

import math
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import tokens
from planted import JIT_IS_ON
from written import RULES, assert_lawful, paper_miner, span, texts

from topminer import Corpus, Partition, PhraseMiner
from topminer.phrases import partition as module

pytestmark = pytest.mark.small

few = settings(max_examples=50 if JIT_IS_ON else 10)
TEXTS = ["ant bee, cat", "", "ant bee cat", "the", "dog"] * 4


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_texts(TEXTS, **RULES)


@pytest.fixture
def partition(corpus: Corpus) -> Partition:
    """Of the documents above; ant and bee stand together."""
    return paper_miner(min_support=2, significance=1.0).fit_transform(corpus)


def cut(texts: list[str], min_support: int = 2, threshold: float = 1.0) -> Partition:
    return paper_miner(min_support, threshold).fit_transform(Corpus.from_texts(texts, **RULES))


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_types_do_not_depend_on_how_many_cliques_are_looked_at_at_a_time(
    partition: Partition, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(module, "_PIECE", size)
    again = Partition(partition.corpus, partition.clique_start, partition.doc_start)
    assert again.type_ids.tolist() == partition.type_ids.tolist()
    assert again.type_stems.tolist() == partition.type_stems.tolist()


def test_a_mapped_partition_is_the_same(
    partition: Partition, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("topminer.containers.mapped.LEAST_BYTES", 0)
    same = partition.mapped(tmp_path)
    assert same.to_lists() == partition.to_lists()
    assert same.type_ids.tolist() == partition.type_ids.tolist()
    assert same.strength.tolist() == partition.strength.tolist()
    assert same.surfaces() == partition.surfaces()


# ----------------------------------------------------------------------------------------- by hand


def test_worked_example(partition: Partition) -> None:
    ant_bee = [("ant", "bee"), ("cat",)]
    assert partition.to_lists()[:5] == [ant_bee, [], ant_bee, [], [("dog",)]]
    assert partition.corpus.vocabulary["stem"].to_list() == ["ant", "bee", "cat", "dog"]
    assert partition.type_ids[:5].tolist() == [4, 2, 4, 2, 3]
    assert partition.type_start.tolist() == [0, 1, 2, 3, 4, 6]
    assert partition.type_stems.tolist() == [0, 1, 2, 3, 0, 1]
    assert partition.doc_start[:6].tolist() == [0, 2, 2, 4, 4, 5]
    assert partition.instances().tolist() == [0, 0, 8, 4, 8]
    assert partition.surfaces() == ["ant bee"]
    assert partition.spans().rows()[:5] == [
        (0, 0, 7, 4, 2),
        (0, 9, 12, 2, 1),
        (2, 0, 7, 4, 2),
        (2, 8, 11, 2, 1),
        (4, 0, 3, 3, 1),
    ]
    assert repr(partition) == "Partition(20 documents, 20 phrases, 8 of several words)"


def test_of_words(corpus: Corpus) -> None:
    partition = Partition.of_words(corpus)
    assert_lawful(partition)
    assert partition.to_lists() == [[(stem,) for stem in document] for document in corpus.to_lists()]
    assert partition.clique_start.tolist() == list(range(corpus.n_tokens + 1))
    assert partition.type_ids.tolist() == corpus.stem_ids.tolist()
    assert partition.n_types == corpus.n_stems
    assert partition.surfaces() == []
    assert partition.strength is None
    with pytest.raises(ValueError, match="no record of merges"):
        partition.at(2.0)


@pytest.mark.parametrize("n_words", range(1, 9))
def test_an_odd_or_even_number_of_tokens(n_words: int) -> None:
    """Stems are read two at a time."""
    partition = cut(["ant bee " * n_words])
    assert_lawful(partition)
    words = PhraseMiner(always=["ant bee"]).fit_transform(partition.corpus)
    assert_lawful(words)
    assert words.to_lists() == [[("ant", "bee")] * n_words]


def test_a_partition_without_documents_or_without_tokens(corpus: Corpus) -> None:
    miner = PhraseMiner().fit(corpus)
    for empty, lists in ((corpus[:0], []), (corpus.encode([]), []), (corpus.encode(["", "the"]), [[], []])):
        for partition in (miner.transform(empty), Partition.of_words(empty)):
            assert_lawful(partition)
            assert partition.to_lists() == lists
            assert partition.spans().height == partition.n_cliques == 0
            assert partition.instances().tolist() == [0] * corpus.n_stems
            assert partition[:0].to_lists() == []
            assert partition.surfaces() == []


# ----------------------------------------------------------------------------------- laws, thresholds


@few
@given(texts(), st.integers(1, 4))
def test_another_threshold_is_a_direct_run(documents: list[str], min_support: int) -> None:
    partition = cut(documents, min_support, 2.0)
    for threshold in (0.0, 0.5, 1.0, 2.0, 3.0):
        at, direct = partition.at(threshold), cut(documents, min_support, threshold)
        assert_lawful(at)
        assert at.to_lists() == direct.to_lists()
        for name in ("clique_start", "doc_start", "type_ids", "type_start", "type_stems", "strength"):
            np.testing.assert_array_equal(getattr(at, name), getattr(direct, name), name)


@pytest.mark.parametrize("threshold", [-math.inf, -1e300, -1.0])
def test_no_threshold_is_low_enough_to_cross_a_chunk(partition: Partition, threshold: float) -> None:
    assert_lawful(partition.at(threshold))


# -------------------------------------------------------------------------------- some of the documents


@given(texts(), st.data())
def test_some_of_the_documents(documents: list[str], data: st.DataObject) -> None:
    partition = cut(documents)
    lists, n = partition.to_lists(), len(documents)
    chosen = data.draw(st.lists(st.integers(-n, n - 1)))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    part = data.draw(st.slices(n))
    assert partition[chosen].to_lists() == [lists[i] for i in chosen]
    assert partition[np.array(chosen, np.int64)].to_lists() == [lists[i] for i in chosen]
    assert partition[mask].to_lists() == [lists[i] for i in np.flatnonzero(mask)]
    assert partition[part].to_lists() == lists[part]
    some = partition[chosen]
    assert_lawful(some)
    assert some.corpus.texts is not None
    assert some.corpus.texts.to_list() == [documents[i] for i in chosen]
    assert some.type_start is partition.type_start
    assert some.at(0.5).to_lists() == partition.at(0.5)[chosen].to_lists()
    expected = [(n, *row[1:]) for n, i in enumerate(chosen) for row in rows_of(partition, i)]
    assert some.spans().rows() == expected


def rows_of(partition: Partition, document: int) -> list[tuple[Any, ...]]:
    """The spans of one document."""
    document %= len(partition)
    return [row for row in partition.spans().rows() if row[0] == document]


def test_scikit_learn_takes_some_of_the_documents(partition: Partition, corpus: Corpus) -> None:
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    from sklearn.model_selection import KFold, train_test_split

    for whole in (partition, corpus):
        train, test = train_test_split(whole, test_size=5, random_state=0)
        assert (type(train), len(train)) == (type(whole), 15)
        assert (type(test), len(test)) == (type(whole), 5)
        train, test = next(KFold(4).split(whole))
        assert whole[test].to_lists() == whole.to_lists()[:5]


# ---------------------------------------------------------------------------------- spans and surfaces


@given(texts(), st.integers(1, 3))
def test_spans_cut_the_text(documents: list[str], min_support: int) -> None:
    partition = cut(documents, min_support)
    ends = [0] * len(documents)
    found: list[list[tuple[str, ...]]] = [[] for _ in documents]
    for document, start, stop, _, length in partition.spans().rows():
        assert ends[document] <= start < stop
        ends[document] = stop
        words = documents[document][start:stop].lower().replace("&", " ").split()
        phrase = tuple(word for word in words if word not in RULES["stop_words"])
        assert length == len(phrase)
        assert (words[0], words[-1]) == (phrase[0], phrase[-1])
        found[document].append(phrase)
    assert found == partition.to_lists()
    assert partition.spans()["type"].to_list() == partition.type_ids.tolist()


@few
@given(texts(), st.integers(1, 3))
def test_surfaces_are_spans_in_the_usual_case(documents: list[str], min_support: int) -> None:
    partition = cut(documents, min_support)
    corpus = partition.corpus
    written: dict[int, Counter[str]] = {}
    bounds = pairwise(partition.clique_start.tolist())
    for type_id, (first, behind) in zip(partition.type_ids.tolist(), bounds, strict=True):
        written.setdefault(type_id, Counter())[span(corpus, first, behind)] += 1
    least = tokens.common_share(Counter(dict(corpus.surfaces.select("surface", "count").rows())))
    for type_id, surface in enumerate(partition.surfaces(), corpus.n_stems):
        assert surface == tokens.shown(written[type_id], least)


def test_a_type_that_some_documents_lack_has_no_surface(partition: Partition) -> None:
    assert partition[4:5].surfaces() == [""]
    assert partition[4:5].instances().tolist() == [0, 0, 0, 1, 0]


# ------------------------------------------------------------------------------- new documents, pickles


def test_words_never_seen(corpus: Corpus) -> None:
    miner = PhraseMiner(2, 1.0).fit(corpus)
    new = corpus.encode(["Zebra ant bee U.S. bee", "yak"])
    partition = miner.transform(new)
    assert_lawful(partition)
    assert partition.to_lists() == [[("zebra",), ("ant", "bee"), ("u.s",), ("bee",)], [("yak",)]]
    assert partition.type_ids.tolist() == [-1, 4, -1, 1, -1]
    assert partition.instances().tolist() == [0, 1, 0, 0, 1]
    assert partition.spans()["start"].to_list() == [0, 6, 14, 19, 0]
    assert partition[1:].to_lists() == [[("yak",)]]
    assert Partition.of_words(new).type_ids.tolist() == [-1, 0, 1, -1, 1, -1]
