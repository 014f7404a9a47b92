"""Pieces of documents: they cover the documents in order, cut no phrase, and are about equally long."""

from itertools import pairwise

import numpy as np
import pytest
from corpora import corpus_of
from hypothesis import example, given, settings
from hypothesis import strategies as st

from topminer import Corpus, InputError, Partition
from topminer.phrases.pieces import NEAR, NONE, PARAGRAPH, Pieces, even_bounds, pieces_of

SENTENCE = "word " * 20


@st.composite
def partitions(draw: st.DrawFn) -> Partition:
    """Documents of chunks of phrases of one to four words; some documents are empty."""
    chunk = st.lists(st.integers(1, 4), min_size=1, max_size=8)
    documents = draw(st.lists(st.lists(chunk, max_size=12), min_size=1, max_size=6))
    lengths = [phrase for document in documents for chunk in document for phrase in chunk]
    texts = [". ".join("w " * sum(chunk) for chunk in document) for document in documents]
    corpus = corpus_of([*texts, "w"])[: len(texts)]  # a corpus has at least one token
    clique_start = np.cumsum([0, *lengths])
    assert corpus.n_tokens == clique_start[-1]
    doc_start = np.cumsum([0, *(sum(map(len, document)) for document in documents)])
    return Partition(corpus, clique_start, doc_start)


def check(pieces: Pieces, partition: Partition) -> None:
    """The same phrases in the same order; each piece is part of one document, only empty ones are empty."""
    first, divided = pieces.first_piece, pieces.partition
    assert (first[0], first[-1], first.size) == (0, len(divided), len(partition) + 1)
    assert (pieces.n_pieces >= 1).all()
    np.testing.assert_array_equal(divided.doc_start[first], partition.doc_start)
    np.testing.assert_array_equal(divided.corpus.doc_start[first], partition.corpus.doc_start)
    np.testing.assert_array_equal(divided.corpus.doc_start, partition.clique_start[divided.doc_start])
    np.testing.assert_array_equal(divided.type_ids, partition.type_ids)
    assert divided.to_lists() == [
        phrases[start:stop]
        for d, phrases in enumerate(partition.to_lists())
        for start, stop in pairwise(
            (divided.doc_start[first[d] : first[d + 1] + 1] - partition.doc_start[d]).tolist()
        )
    ]
    empty = np.diff(divided.doc_start) == 0
    assert empty.sum() == (np.diff(partition.doc_start) == 0).sum()


@given(partitions(), st.integers(1, 40))
@settings(max_examples=200)
def test_pieces_are_the_documents_again(partition: Partition, length: int) -> None:
    pieces = pieces_of(partition, length)
    check(pieces, partition)
    n_tokens = np.diff(partition.corpus.doc_start)
    wanted = np.maximum(1, np.floor(n_tokens / length + 0.5))
    assert (pieces.n_pieces <= wanted).all()
    long = 3  # a bound moves by half a phrase, or to a chunk's end near by
    slack = 2 * max(long, length // NEAR)
    for d in np.flatnonzero(pieces.n_pieces == wanted).tolist():
        lengths = np.diff(
            pieces.partition.corpus.doc_start[pieces.first_piece[d] : pieces.first_piece[d + 1] + 1]
        )
        assert abs(lengths - n_tokens[d] / wanted[d]).max(initial=0) <= slack + 1


@given(partitions(), st.integers(1, 40))
def test_a_document_is_divided_whatever_other_documents_there_are(partition: Partition, length: int) -> None:
    together = pieces_of(partition, length)
    for d in range(len(partition)):
        alone = pieces_of(partition[[d]], length).partition.doc_start
        here = together.partition.doc_start[together.first_piece[d] : together.first_piece[d + 1] + 1]
        np.testing.assert_array_equal(alone, here - here[0])


@given(partitions())
def test_whole_documents_are_the_partition_itself(partition: Partition) -> None:
    for rule in (NONE, 10_000):
        pieces = pieces_of(partition, rule)
        assert pieces.partition is partition
        assert (pieces.n_pieces == 1).all()


def test_the_example_of_the_module() -> None:
    clique_start = np.delete(np.arange(17), [3, 9])
    bounds = even_bounds(clique_start, np.array([0, 16]), np.array([0, 7, 13, 16]), 8)
    assert bounds.tolist() == [7]


def test_a_piece_ends_where_a_chunk_ends_if_one_is_near() -> None:
    clique_start, doc_start = np.arange(161), np.array([0, 160])
    assert even_bounds(clique_start, doc_start, np.array([0, 69, 160]), 80).tolist() == [80]
    assert even_bounds(clique_start, doc_start, np.array([0, 70, 160]), 80).tolist() == [70]
    assert even_bounds(clique_start, doc_start, np.array([0, 86, 160]), 80).tolist() == [86]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028"])
def test_paragraphs_end_at_blank_lines(end: str) -> None:
    """Lines end everywhere, but blank lines say where a paragraph ends; blanks may stand in them."""
    paragraph = (SENTENCE + end) * 3
    partition = Partition.of_words(corpus_of([paragraph + end + paragraph + " " + end + end + paragraph]))
    assert pieces_of(partition, PARAGRAPH).partition.corpus.doc_start.tolist() == [0, 60, 120, 180]


def test_without_blank_lines_paragraphs_end_with_a_line() -> None:
    texts = ["\n".join([SENTENCE * 3] * 2), SENTENCE * 6, "", f"{SENTENCE * 3}\u2029{SENTENCE * 3}"]
    pieces = pieces_of(Partition.of_words(corpus_of(texts)), PARAGRAPH)
    assert pieces.n_pieces.tolist() == [2, 1, 1, 2]


def test_short_paragraphs_are_joined() -> None:
    lengths = [10, 30, 20, 50, 5, 49]
    texts = ["\n\n".join("word " * n for n in lengths)]
    pieces = pieces_of(Partition.of_words(corpus_of(texts)), PARAGRAPH)
    assert np.diff(pieces.partition.corpus.doc_start).tolist() == [60, 50, 54]


def test_a_phrase_over_the_end_of_a_paragraph_stays_whole() -> None:
    corpus = corpus_of(["word " * 60 + "\n\n" + "word " * 60])
    starts = np.array([0, 59, 62, 120])
    partition = Partition(corpus, starts, np.array([0, 3]))
    assert pieces_of(partition, PARAGRAPH).partition.doc_start.tolist() == [0, 2, 3]


@given(st.lists(st.lists(st.integers(1, 130), max_size=5), min_size=1, max_size=4))
@example([[50, 50], [49, 50], []])
def test_paragraphs_are_the_documents_again(documents: list[list[int]]) -> None:
    texts = ["\n\n".join("word " * n for n in lengths) for lengths in documents]
    partition = Partition.of_words(corpus_of([*texts, "word"]))
    pieces = pieces_of(partition, PARAGRAPH)
    check(pieces, partition)
    lengths = np.diff(pieces.partition.corpus.doc_start)
    alone = np.repeat(pieces.n_pieces == 1, pieces.n_pieces)
    assert (lengths[~alone] >= 50).all()


def test_paragraphs_need_texts() -> None:
    corpus = Corpus.from_texts(["a word"], keep_texts=False)
    with pytest.raises(InputError, match="paragraphs need the texts of the documents: make the corpus with"):
        pieces_of(Partition.of_words(corpus), PARAGRAPH)
