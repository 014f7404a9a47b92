"""Keyword in context, against a search through the texts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topminer import Corpus, Partition
from topminer.views.explorer.concordance import CONTEXT, Line, lines_at, places_of

TEXTS = [
    "Mining frequent patterns, and frequent pattern trees.",
    "",
    "Frequent. Patterns are mined; the frequent pattern is frequent",
    "Pattern of the frequent 模式 patterns",
    "A\tfrequent\tpattern\nends",
]


def lines(corpus: Corpus, phrase: str) -> list[Line]:
    partition = Partition.of_words(corpus)
    topics = np.arange(partition.n_cliques, dtype=np.int32)  # every token's own
    return lines_at(partition, topics, *places_of(corpus, phrase))


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_texts(TEXTS)


def test_every_form_in_the_order_of_the_corpus(corpus: Corpus) -> None:
    assert lines(corpus, "frequent pattern") == [
        Line(0, "1", "Mining ", "frequent patterns", ", and frequent pattern trees.", 1),
        Line(0, "1", "Mining frequent patterns, and ", "frequent pattern", " trees.", 3),
        Line(2, "3", "Frequent. Patterns are mined; the ", "frequent pattern", " is frequent", 9),
        Line(4, "5", "A ", "frequent pattern", " ends", 17),
    ]


@pytest.mark.parametrize("phrase", ["Frequently patterns", "FREQUENT PATTERNS", " the frequent, "])
def test_a_phrase_is_read_as_the_corpus_was(corpus: Corpus, phrase: str) -> None:
    read = corpus.encode([phrase]).stems().to_list()
    stems = corpus.stems().to_list()
    assert len(lines(corpus, phrase)) >= (stems.count("frequent") if read == ["frequent"] else 0)


@pytest.mark.parametrize(
    "phrase", ["", "the", "xylophone", "frequent xylophone", "frequent. pattern", "mining trees", "a " * 400]
)
def test_what_stands_nowhere(corpus: Corpus, phrase: str) -> None:
    assert lines(corpus, phrase) == []


def test_a_phrase_longer_than_the_corpus_stands_nowhere() -> None:
    assert lines(Corpus.from_texts(["pear plum"]), "pear plum " * 5) == []


def test_what_is_around_is_cut_at_words() -> None:
    corpus = Corpus.from_texts(["before " * 30 + "needle" + " after" * 30, "漢" * 100 + "針" + "字" * 100])
    (line,) = lines(corpus, "needle")
    assert line.left == "before " * 8
    assert line.right == " after" * 10
    (line,) = lines(corpus, "針")
    assert (line.left, line.right) == ("漢" * CONTEXT, "字" * CONTEXT)


words = st.lists(st.sampled_from(["ant", "bee", "cat", "ant,", "the", "bee."]), max_size=8).map(" ".join)


@settings(max_examples=50)
@given(st.lists(words, max_size=6), st.lists(st.sampled_from(["ant", "bee", "cat"]), min_size=1, max_size=3))
def test_as_a_search_through_the_chunks_finds_them(texts: list[str], phrase: list[str]) -> None:
    corpus = Corpus.from_texts([*texts, "ant bee cat"])
    expected = []
    for row, text in enumerate([*texts, "ant bee cat"]):
        for chunk in text.replace(".", ",").split(","):
            kept = [word for word in chunk.split() if word != "the"]
            here = [kept[i : i + len(phrase)] for i in range(len(kept))]
            expected += [row] * here.count(phrase)
    found = lines(corpus, " ".join(phrase))
    assert [line.row for line in found] == expected
    for line in found:
        assert [word for word in line.match.split() if word != "the"] == phrase
        assert line.left + line.match + line.right in [*texts, "ant bee cat"][line.row]
