"""Suffixes and extensions of mined phrases, and the phrases that types are, against plain counting."""

from itertools import pairwise

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
