"""Variants: which phrases are tied, by example, and what holds of all ties."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.texts import texts as any_texts

from topminer import Corpus, InputError, Partition, PhraseMiner
from topminer.topics.results.variants import tied

pytestmark = pytest.mark.small

# What makes words that are rare among all tokens stick together.
REST = ", ".join(f"filler{i}, stuffing{i}, padding{i}" for i in range(60))


def partition_of(*texts: str, **rules: Any) -> Partition:
    """Each text ten times, cut so that whatever stands between two commas is one phrase."""
    corpus = Corpus.from_texts([*(", ".join(texts) for _ in range(10)), REST], **rules)
    return PhraseMiner(2, 0.0, quality=None, evidence=None, ties=None).fit_transform(corpus)


def surfaces_of(partition: Partition) -> list[str]:
    return partition.corpus.vocabulary["surface"].to_list() + partition.surfaces()


def ties(*texts: str, **rules: Any) -> set[frozenset[str]]:
    """The groups of several types, as they are shown."""
    partition = partition_of(*texts, **rules)
    groups, surfaces = tied(partition).tolist(), surfaces_of(partition)
    members: dict[int, list[str]] = {}
    for group, surface in zip(groups, surfaces, strict=True):
        members.setdefault(group, []).append(surface)
    for phrase in texts:  # else an example would prove nothing
        assert phrase in surfaces
    return {frozenset(each) for each in members.values() if len(each) > 1}


KEEP: dict[str, Any] = {"stop_word_policy": "keep"}
OWN_STOP_WORDS: dict[str, Any] = {"stop_word_policy": "keep", "stop_words": ["mine", "of"]}
POLICIES: list[dict[str, Any]] = [{"stop_word_policy": policy} for policy in ("skip", "keep", "break")]
HYPHENATED = "normal form", "normal-form", "non-first-normal-form", "normal-form-not"
SCHOOLS = "on-line", "off-line", "in-line", "on-line learning", "off-line learning"

# Phrases that are all variants of each other.
TIED: list[tuple[tuple[str, ...], dict[str, Any]]] = [
    (("data mining", "mining of data"), {}),
    (("analysis of variance", "variance analysis"), {}),
    *((("multi-document", "multi document", "multidocument"), policy) for policy in POLICIES),
    *(((f"multi{hyphen}document", "multi document", "multidocument"), {}) for hyphen in "\u2010\u2011"),
    (("e-mail", "email"), {}),
    # A word that came to another group left behind those that it had been tied to.
    (("postpre", "pre-post", "postpre", "pre-post", "postpre", "post-pre"), {}),
    (("bank of America", "America bank"), {}),
    (("state-of-the-art", "state of the art"), {}),
    (("bank of America", "America bank", "the bank of the America"), KEEP),
    (("state-of-the-art", "state of the art"), KEEP),
    (("frequent pattern of", "frequent pattern"), OWN_STOP_WORDS),
    (("машинный перевод", "перевод машинный"), {"language": "russian"}),
    (("기계 번역", "번역 기계"), {"language": "korean"}),
    (("Analyse der Daten", "Daten Analyse", "Daten-Analyse"), {"language": "german"}),
]

# Phrases of which none is a variant of another.
APART: list[tuple[tuple[str, ...], dict[str, Any]]] = [
    (("data mining", "data mining methods", "data streams", "mining streams"), {}),
    (("model selection model", "model selection"), {}),  # a word twice is not a word once
    (("multi document", "multidocument"), {}),  # only a hyphen says that two words are one
    (("frequent pattern mining", "frequent pattern"), OWN_STOP_WORDS),  # *mine* is the stem of *mining*
    *((SCHOOLS, policy) for policy in POLICIES[:2]),  # both had nothing but *line* left
    (("log in", "log out", "the log", "to be", "not to be"), KEEP),
    (("1-2", "2-1", "12", "9-11", "911"), {}),  # numbers are not read backwards
    (("会社", "社会"), {"language": None}),  # scripts without spaces keep their order
    (("เก", "กเ"), {"language": None}),
    (("data mining", "mining of data"), {"language": None}),
]


@pytest.mark.parametrize(("phrases", "rules"), TIED)
def test_variants_are_tied(phrases: tuple[str, ...], rules: dict[str, Any]) -> None:
    assert ties(*phrases, **rules) == {frozenset(phrases)}


@pytest.mark.parametrize(("phrases", "rules"), APART)
def test_other_phrases_are_not(phrases: tuple[str, ...], rules: dict[str, Any]) -> None:
    assert ties(*phrases, **rules) == set()


@pytest.mark.parametrize(
    ("phrases", "tied_phrases", "rules"),
    [
        *((HYPHENATED, HYPHENATED[:2], policy) for policy in POLICIES[:2]),  # stop words at either end
        (("covid-19", "covid-20", "covid19"), ("covid-19", "covid19"), {}),
        (("covid-19", "covid-20", "covid19"), ("covid-19", "covid19"), {"numbers": False}),
        (("data mining", "mining data", "mine data"), ("data mining", "mining data"), {"stem": False}),
    ],
)
def test_some_are_tied(
    phrases: tuple[str, ...], tied_phrases: tuple[str, ...], rules: dict[str, Any]
) -> None:
    assert ties(*phrases, **rules) == {frozenset(tied_phrases)}


@pytest.mark.parametrize(
    "phrases",
    [
        ("e-mail spam", "email spam", "spam in e-mail"),  # they were tied alone and apart in phrases
        ("high-dimensional data", "data of high dimensional", "high dimensional-data"),
    ],
)
def test_words_with_and_without_hyphens_in_phrases(phrases: tuple[str, ...]) -> None:
    assert frozenset(phrases) in ties(*phrases)


@pytest.mark.parametrize("policy", POLICIES[:2])
def test_each_word_is_tied_to_its_own_spelling(policy: dict[str, Any]) -> None:
    found = ties("on-line", "online", "off-line", "offline", **policy)
    assert found == {frozenset(["on-line", "online"]), frozenset(["off-line", "offline"])}


def test_other_endings_are_one_type_already() -> None:
    partition = partition_of("decision tree", "decision trees")
    assert partition.n_types - partition.corpus.n_stems == 1


def test_odd_words() -> None:
    odd = "--, -, a-, -b, x--y, ‐‑, -1-, ־, a-a, c-'d, \u00ad-\u00ad, q-\u0301"
    partition = partition_of(odd, "a-b", "b-a", language=None)
    assert tied(partition).size == partition.n_types


def test_tokens_that_a_user_made() -> None:
    pattern = Corpus.from_texts(["up-down x-y down-up"] * 9, language=None, token_pattern=r"\w+-\w+")
    assert tied(Partition.of_words(pattern)).tolist() == [0, 1, 2]
    lists = Corpus.from_texts([["a-b", "b a", "-", " ", "b-a"]] * 9, language=None)
    partition = Partition.of_words(lists)
    assert tied(partition).size == partition.n_types


def test_words_only() -> None:
    corpus = Corpus.from_texts(["alpha beta, beta alpha"] * 9)
    assert tied(Partition.of_words(corpus)).tolist() == [0, 1]


# ------------------------------------------------------------------------------------- what always holds


def key_of(partition: Partition, kind: int) -> tuple[str, ...]:
    """The sorted stems of a type, where nothing is hyphenated and no stop word was kept."""
    stems = partition.corpus.vocabulary["stem"].to_list()
    start, stop = partition.type_start[kind : kind + 2].tolist()
    return tuple(sorted(stems[i] for i in partition.type_stems[start:stop].tolist()))


words = st.sampled_from(["ant", "bee", "cat", "dog", "of"])
phrases = st.lists(words, min_size=1, max_size=3).map(" ".join)


@given(st.lists(st.lists(phrases, min_size=1, max_size=4).map(", ".join), min_size=1, max_size=6))
def test_plain_words_are_tied_by_their_stems(documents: list[str]) -> None:
    corpus = Corpus.from_texts([*documents, "ant"], language=None, stop_words=["of"])
    partition = PhraseMiner(1, 0.0).fit_transform(corpus).at(-1e9)
    groups = tied(partition).tolist()
    keys = [key_of(partition, kind) for kind in range(partition.n_types)]
    for one, key in zip(groups, keys, strict=True):
        assert [other == one for other in groups] == [other == key for other in keys]


@given(
    st.lists(any_texts, min_size=1, max_size=6),
    st.sampled_from(["skip", "keep", "break"]),
    st.sampled_from(["english", "german", "japanese", None]),
)
def test_groups_are_a_partition(documents: list[str], policy: str, language: str | None) -> None:
    try:
        corpus = Corpus.from_texts(documents * 2, language=language, stop_word_policy=policy)
    except InputError:
        return  # no kept tokens
    partition = PhraseMiner(2, 0.0).fit_transform(corpus).at(-1e9)
    groups = tied(partition)
    assert groups.shape == (partition.n_types,)
    first = [groups.tolist().index(each) for each in range(groups.max() + 1)]  # each has a member
    assert first == sorted(first)
    assert np.array_equal(tied(partition), groups)
    for kind, stem in enumerate(corpus.vocabulary["stem"]):  # words without hyphens are tied to none such
        same = [other for other in range(corpus.n_stems) if groups[other] == groups[kind]]
        if not any("-" in stem or not stem.isascii() for stem in corpus.vocabulary["stem"].gather(same)):
            assert same == [kind], stem
    for start, stop in pairwise(partition.type_start.tolist()):
        assert stop > start
