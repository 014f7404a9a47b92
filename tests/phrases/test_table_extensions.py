"""Suffixes and extensions of mined phrases, and the phrases that types are, against plain counting."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.phrases import Document, known
from planted import corpora, flatten, some
from written import paper_miner, write

from topminer import Corpus
from topminer.phrases.mining import Mined, mine
from topminer.phrases.table import extended_supports, ids_of_types, suffixes

pytestmark = pytest.mark.small


def mined(documents: list[Document], min_support: int, max_length: int | None = None) -> Mined:
    return mine(flatten(documents).sequence, 8, min_support, max_length).mined


def stems_by_id(phrases: Mined) -> list[tuple[int, ...]]:
    return [
        tuple(row) for length in range(1, phrases.max_length + 1) for row in phrases.stems_of(length).tolist()
    ]


def test_worked_by_hand() -> None:
    """0 1 2 | 0 1 2 | 1 2 3 | 2 3: of the phrases with support 2, and what they are without a word."""
    phrases = mined([[[0, 1, 2], [0, 1, 2], [1, 2, 3], [2, 3]]], 2)
    names = stems_by_id(phrases)
    assert names[8:] == [(0, 1), (1, 2), (2, 3), (0, 1, 2)]
    assert [names[i] if i >= 0 else None for i in suffixes(phrases, phrases.make_index()).tolist()[8:]] == [
        (1,),
        (2,),
        (3,),
        (1, 2),
    ]
    assert set(suffixes(phrases, phrases.make_index()).tolist()[:8]) == {-1}
    extended = dict(zip(names, extended_supports(phrases).tolist(), strict=True))
    # 1 2 3 occurs once only, and extends nothing.
    assert {phrase: n for phrase, n in extended.items() if n} == {
        (0,): 2,
        (1,): 3,
        (2,): 3,
        (3,): 2,
        (0, 1): 2,
        (1, 2): 2,
    }


@some
@given(corpora(), st.integers(1, 4), st.sampled_from([None, 1, 2, 3]))
def test_suffixes_and_extensions(documents: list[Document], least: int, max_length: int | None) -> None:
    phrases = mined(documents, least, max_length)
    names, expected = stems_by_id(phrases), known(documents, least, max_length or 64)
    for phrase, suffix in zip(names, suffixes(phrases, phrases.make_index()).tolist(), strict=True):
        assert (names[suffix] if suffix >= 0 else ()) == phrase[1:]
    longest: dict[tuple[int, ...], int] = {}
    for phrase, support in expected.items():
        if len(phrase) > 1 and support >= least:
            for part in (phrase[1:], phrase[:-1]):
                longest[part] = max(longest.get(part, 0), support)
    assert extended_supports(phrases).tolist() == [longest.get(phrase, 0) for phrase in names]


@given(corpora(), st.integers(1, 3), st.sampled_from([0.0, 1.0, 3.0]))
def test_types_are_phrases(documents: list[Document], least: int, threshold: float) -> None:
    corpus = Corpus.from_texts([*write(documents), "ant"], language=None, stop_words=["of", "the"])
    miner = paper_miner(least, threshold, always=["bee cat dog"] if least == 3 else None)
    partition = miner.fit_transform(corpus)
    names = stems_by_id(miner.mined)
    bounds = pairwise(partition.type_start.tolist())
    types = [tuple(partition.type_stems[start:stop].tolist()) for start, stop in bounds]
    ids = ids_of_types(miner.fitted, partition).tolist()
    for kind, phrase in zip(types, ids, strict=True):
        assert phrase == (names.index(kind) if kind in names else -1)
        if phrase < 0:  # whole because the user said so
            assert least == 3
            assert set(kind) >= set(corpus.encode(["bee cat dog"]).stem_ids.tolist())
    counts = dict(zip(ids, partition.instances().tolist(), strict=True))
    stems = corpus.vocabulary["stem"].to_list()
    table = dict(zip(miner.phrases_["stems"], miner.phrases_["instances"], strict=True))
    for phrase, name in enumerate(names):
        if len(name) > 1:
            assert table[" ".join(stems[stem] for stem in name)] == counts.get(phrase, 0)


def test_a_phrase_that_is_not_frequent() -> None:
    corpus = Corpus.from_texts(["quartz clock, data mining"] + ["data mining, tables"] * 20)
    miner = paper_miner(5, 1.0, always=["quartz clock"])
    partition = miner.fit_transform(corpus)
    ids = ids_of_types(miner.fitted, partition)
    shown = dict(zip(partition.surfaces(), ids[corpus.n_stems :].tolist(), strict=True))
    assert shown["quartz clock"] == -1
    assert miner.mined.support[shown["data mining"]] == 21
    assert np.array_equal(ids[: corpus.n_stems], np.arange(corpus.n_stems))
