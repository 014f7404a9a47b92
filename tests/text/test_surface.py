"""How phrases are shown, against a Counter over the texts."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import tokens as oracle
from oracles.texts import STOP_WORDS, joined

from topminer import Corpus, InputError
from topminer.text.surface import phrase_surfaces

pytestmark = pytest.mark.small

# Few words, so that phrases come again, written and spaced in many ways.
FEW = ["cat", "Cat", "cats", "dog", "DOG", "the", "of", "The", "漢", "字"]
FEW += [" ", "  ", "\t", "\u00a0", "\x00", "\u00ad", ", ", "\n", "-", " & ", "_", "'s"]
repetitive = st.lists(
    st.one_of(joined(st.sampled_from(FEW)), joined(st.sampled_from(FEW), " ")), min_size=1, max_size=6
)


def surfaces_of(
    corpus: Corpus, instances: list[tuple[int, int]]
) -> tuple[dict[tuple[str, ...], str], list[tuple[str, ...]]]:
    """The surface of each phrase type, and the type of each instance (first kept token, length)."""
    stems = corpus.vocabulary["stem"].gather(corpus.stem_ids).to_list()
    types = [tuple(stems[first : first + length]) for first, length in instances]
    number_of = {kind: number for number, kind in enumerate(dict.fromkeys(types))}
    shown = phrase_surfaces(
        corpus,
        np.array([first for first, _ in instances], np.int64),
        np.array([length for _, length in instances], np.int64),
        np.array([number_of[kind] for kind in types], np.int64),
        len(number_of),
    )
    return dict(zip(number_of, shown, strict=True)), types


def by_counting(
    corpus: Corpus, instances: list[tuple[int, int]], types: list[tuple[str, ...]]
) -> dict[tuple[str, ...], str]:
    assert corpus.texts is not None
    texts = corpus.texts.to_list()
    document_of = np.repeat(np.arange(len(corpus)), np.diff(corpus.doc_start))
    forms: dict[tuple[str, ...], Counter[str]] = {}
    for (first, length), kind in zip(instances, types, strict=True):
        text = texts[document_of[first]]
        span = text[corpus.starts[first] : corpus.stops[first + length - 1]]
        forms.setdefault(kind, Counter())[oracle.collapsed(span)] += 1
    surfaces = Counter(dict(corpus.surfaces.select("surface", "count").rows()))
    least = oracle.common_share(surfaces)
    return {kind: oracle.shown(spans, least) for kind, spans in forms.items()}


@st.composite
def corpora_with_instances(draw: st.DrawFn, **how: Any) -> tuple[Corpus | None, list[tuple[int, int]]]:
    """A corpus, and stretches of one to four kept tokens that lie in one chunk."""
    try:
        corpus = Corpus.from_texts(draw(repetitive), stop_words=STOP_WORDS[:3], **how)
    except InputError:
        return None, []
    longest = draw(st.integers(1, 4))
    instances = [
        (i, length)
        for first, last in pairwise(corpus.chunk_start.tolist())
        for i in range(first, last)
        for length in range(1, min(longest, last - i) + 1)
    ]
    return corpus, instances


@given(corpora_with_instances() | corpora_with_instances(token_pattern=r"\w+"))
def test_phrases_are_shown_as_a_plain_loop_would(
    drawn: tuple[Corpus | None, list[tuple[int, int]]],
) -> None:
    corpus, instances = drawn
    if corpus is not None:
        shown, types = surfaces_of(corpus, instances)
        assert shown == by_counting(corpus, instances, types)


@given(corpora_with_instances())
def test_the_surface_of_one_word_is_that_of_the_vocabulary(
    drawn: tuple[Corpus | None, list[tuple[int, int]]],
) -> None:
    corpus, _ = drawn
    if corpus is not None:
        shown, _ = surfaces_of(corpus, [(i, 1) for i in range(corpus.n_tokens)])
        assert shown == {(stem,): surface for stem, surface, _ in corpus.vocabulary.rows()}


# ---------------------------------------------------------------------------------------- by hand


def shown(texts: list[Any], length: int, **how: Any) -> str:
    """The surface of the phrase that the first ``length`` tokens of each text are."""
    corpus = Corpus.from_texts(texts, **how)
    surfaces, _ = surfaces_of(corpus, [(int(first), length) for first in corpus.doc_start[:-1]])
    assert len(surfaces) == 1
    return next(iter(surfaces.values()))


@pytest.mark.parametrize(
    ("texts", "surface"),
    [
        (["House and Senate", "house and senate", "house and senate"], "house and senate"),
        (["Houses of Senates", "house and senate"], "house and senate"),
        # Two of six are common where a third of each word is in lower case.
        (["House Senate"] * 4 + ["house senate"] * 2, "house senate"),
        (["House Senate"] * 19 + ["house senate" + " tea" * 60], "House Senate"),
        (["house senate", "house  senate", "house\tsenate", "House Senate", "House Senate"], "house senate"),
        (["house & senate", "house senate", "house & senate"], "house & senate"),
        (["house’s senate", "house's senate"], "house's senate"),
        (["house the senate", "house of senate"], "house of senate"),
        (["北京", "北京"], "北京"),
        # Of equally frequent forms the first by code points; UTF-16 would order the last two otherwise.
        (["cat-X dog", "Cat-x dog"], "Cat-x dog"),
        (["cat \U000f0000 dog", "cat ￥ dog"], "cat ￥ dog"),
    ],
)
def test_by_hand(texts: list[str], surface: str) -> None:
    assert shown(texts, 2, stop_words=["and", "of", "the"]) == surface


def test_a_type_without_an_instance_is_shown_as_nothing() -> None:
    corpus = Corpus.from_texts(["big cat"])
    one = np.ones(1, np.int64)
    assert phrase_surfaces(corpus, 0 * one, 2 * one, one, 3) == ["", "big cat", ""]


def test_gaps_that_are_written_alike_are_counted_together() -> None:
    """Guards against gaps told apart by their tokens: *of the* once as one token, once as two."""
    lists = [["cat", "A", "dog"]] * 3 + [["cat", "of", "the", "dog"]] * 2 + [["cat", "of the", "dog"]] * 2
    assert shown(lists, 2, stop_words=["of", "the", "of the", "a"]) == "cat of the dog"


def test_a_phrase_in_capitals_alone_has_the_usual_case_of_its_words() -> None:
    plain = ["a senior member", "the administration of an official", "NASA says"] * 5
    capitals = ["SENIOR ADMINISTRATION OFFICIAL"] * 2
    corpus = Corpus.from_texts(capitals + plain)
    assert set(surfaces_of(corpus, [(0, 3), (3, 3)])[0].values()) == {"senior administration official"}
    corpus = Corpus.from_texts(["NASA OFFICIAL"] * 2 + plain)
    assert set(surfaces_of(corpus, [(0, 2), (2, 2)])[0].values()) == {"NASA official"}


def test_markup_between_words_is_shown_nowhere() -> None:
    assert shown(["house & senate", "house @ senate", "house @ senate"], 2) == "house & senate"
    assert shown(["house @ senate", "house @ senate"], 2) == "house senate"


LATIN = ["tested by in situ hybridization", "In situ hybridization", "cells with in situ hybridization"] * 5
ENGLISH = ["living in Taiwan today", "banks in Taiwan today", "tea of a mixture today"] * 5


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_stop_word_that_belongs_to_a_word_is_shown(n_threads: int) -> None:
    corpus = Corpus.from_texts(LATIN + ENGLISH, n_threads=n_threads)
    surfaces = corpus.surfaces["surface"].gather(corpus.surface_ids).to_list()
    first = [i for i, word in enumerate(surfaces) if word in ("situ", "Taiwan", "mixture")]
    found, _ = surfaces_of(corpus, [(i, 2) for i in first])
    assert set(found.values()) == {"in situ hybridization", "Taiwan today", "mixture today"}
    assert corpus.vocabulary.filter(stem="situ")["surface"].to_list() == ["situ"]
