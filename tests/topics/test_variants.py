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


def group(*texts: str) -> set[frozenset[str]]:
    return {frozenset(texts)}


# ---------------------------------------------------------------------------------------- by example


def test_another_order() -> None:
    assert ties("data mining", "mining of data") == group("data mining", "mining of data")
    assert ties("analysis of variance", "variance analysis") == group(
        "analysis of variance", "variance analysis"
    )


def test_other_endings_are_one_type_already() -> None:
    partition = partition_of("decision tree", "decision trees")
    assert partition.n_types - partition.corpus.n_stems == 1


def test_another_word_is_another_phrase() -> None:
    assert ties("data mining", "data mining methods", "data streams", "mining streams") == set()


def test_a_word_twice_is_not_a_word_once() -> None:
    assert ties("model selection model", "model selection") == set()


@pytest.mark.parametrize("policy", ["skip", "keep", "break"])
def test_hyphens(policy: str) -> None:
    spellings = "multi-document", "multi document", "multidocument"
    assert ties(*spellings, stop_word_policy=policy) == group(*spellings)


@pytest.mark.parametrize("hyphen", "-\u2010\u2011")
def test_every_hyphen(hyphen: str) -> None:
    spellings = f"multi{hyphen}document", "multi document", "multidocument"
    assert ties(*spellings) == group(*spellings)


def test_a_word_and_its_hyphen() -> None:
    assert ties("e-mail", "email") == group("e-mail", "email")


def test_only_a_hyphen_says_that_two_words_are_one() -> None:
    assert ties("multi document", "multidocument") == set()


def test_words_with_and_without_hyphen_in_phrases() -> None:
    """They were tied alone and apart in phrases."""
    spellings = "e-mail spam", "email spam", "spam in e-mail"
    assert ties(*spellings) >= group(*spellings)


def test_a_phrase_with_hyphens_and_one_without() -> None:
    spellings = "high-dimensional data", "data of high dimensional", "high dimensional-data"
    assert ties(*spellings) >= group(*spellings)


def test_ties_of_ties() -> None:
    """A word that came to another group left behind those that it had been tied to."""
    often = "postpre", "pre-post", "postpre", "pre-post", "postpre", "post-pre"
    assert ties(*often) == group(*often)


def test_stop_words_that_were_skipped() -> None:
    assert ties("bank of America", "America bank") == group("bank of America", "America bank")
    assert ties("state-of-the-art", "state of the art") == group("state-of-the-art", "state of the art")


def test_stop_words_that_were_kept() -> None:
    spellings = "bank of America", "America bank", "the bank of the America"
    assert ties(*spellings, stop_word_policy="keep") == group(*spellings)
    assert ties("state-of-the-art", "state of the art", stop_word_policy="keep") == group(
        "state-of-the-art", "state of the art"
    )


def test_a_stop_word_that_is_the_stem_of_another_word() -> None:
    """*mine* is a stop word, and the stem of *mining*."""
    rules: dict[str, Any] = {"stop_word_policy": "keep", "stop_words": ["mine", "of"]}
    assert ties("frequent pattern mining", "frequent pattern", **rules) == set()
    assert ties("frequent pattern of", "frequent pattern", **rules) == group(
        "frequent pattern of", "frequent pattern"
    )


@pytest.mark.parametrize("policy", ["skip", "keep"])
def test_stop_words_that_make_all_the_difference(policy: str) -> None:
    """*on-line* and *off-line* both had nothing but *line* left."""
    words = "on-line", "off-line", "in-line", "on-line learning", "off-line learning"
    assert ties(*words, stop_word_policy=policy) == set()
    assert ties("on-line", "online", "off-line", "offline", stop_word_policy=policy) == {
        frozenset(["on-line", "online"]),
        frozenset(["off-line", "offline"]),
    }


@pytest.mark.parametrize("policy", ["skip", "keep"])
def test_stop_words_at_either_end_of_a_hyphenated_word(policy: str) -> None:
    """*non-first-normal-form* was a *normal form*."""
    forms = "normal form", "normal-form", "non-first-normal-form", "normal-form-not"
    assert ties(*forms, stop_word_policy=policy) == group("normal form", "normal-form")


def test_phrases_of_stop_words_and_one_more() -> None:
    assert ties("log in", "log out", "the log", "to be", "not to be", stop_word_policy="keep") == set()


def test_numbers_are_not_read_backwards() -> None:
    assert ties("1-2", "2-1", "12", "9-11", "911") == set()
    assert ties("covid-19", "covid-20", "covid19") == group("covid-19", "covid19")
    rules: dict[str, Any] = {"numbers": False}
    assert ties("covid-19", "covid-20", "covid19", **rules) == group("covid-19", "covid19")


def test_scripts_without_spaces_keep_their_order() -> None:
    assert ties("会社", "社会", language=None) == set()
    assert ties("เก", "กเ", language=None) == set()


def test_scripts_with_spaces_do_not() -> None:
    assert ties("машинный перевод", "перевод машинный", language="russian") == group(
        "машинный перевод", "перевод машинный"
    )
    assert ties("기계 번역", "번역 기계", language="korean") == group("기계 번역", "번역 기계")


def test_other_languages() -> None:
    spellings = "Analyse der Daten", "Daten Analyse", "Daten-Analyse"
    assert ties(*spellings, language="german") == group(*spellings)


def test_without_stems() -> None:
    assert ties("data mining", "mining data", "mine data", stem=False) == group("data mining", "mining data")
    assert ties("data mining", "mining of data", language=None) == set()


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
