"""Keyword in context: every place where the words of a phrase stand side by side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.phrases.partition import Partition
from topminer.text.corpus import Corpus

CONTEXT = 60  # characters on each side
_BLANKS = {ord(char): " " for char in "\t\n\v\f\r\x85\u2028\u2029"}


class Line(NamedTuple):
    """A phrase where it stands; ``left + match + right`` is a part of the document's text, on one line."""

    row: int
    id: str
    left: str
    match: str
    right: str
    topic: int


def places_of(corpus: Corpus, phrase: str) -> tuple[NDArray[np.int64], int]:
    """The first tokens of all places where a phrase stands, whatever the forms of its words, and its length.

    The phrase is read as the corpus was; one with words that are not in it, or that no chunk can hold, stands
    nowhere.
    """
    read = corpus.encode([phrase], n_threads=1)
    stems, nowhere = read.stem_ids, np.zeros(0, np.int64)
    if read.n_chunks != 1 or stems.min() < 0 or stems.size > corpus.n_tokens:
        return nowhere, 0
    counts = corpus.vocabulary["count"].gather(stems).to_numpy()
    order = np.argsort(counts, kind="stable").tolist()  # the rarest word leaves the fewest places
    places = np.flatnonzero(corpus.stem_ids == stems[order[0]]) - order[0]
    places = places[(places >= 0) & (places + stems.size <= corpus.n_tokens)]
    for at in order[1:]:
        places = places[corpus.stem_ids[places + at] == stems[at]]
    chunks = np.searchsorted(corpus.chunk_start, places, "right")
    whole = places + stems.size <= corpus.chunk_start[chunks]
    return places[whole], int(stems.size)


def lines_at(
    partition: Partition, clique_topic: NDArray[np.int32], places: NDArray[np.int64], length: int
) -> list[Line]:
    """The lines of some places of a phrase of ``length`` words."""
    corpus = partition.corpus
    assert corpus.texts is not None
    rows = np.searchsorted(corpus.doc_start, places, "right") - 1
    cliques = np.searchsorted(partition.clique_start, places, "right") - 1
    surfaces = corpus.surfaces["surface"].gather(corpus.surface_ids[places + length - 1]).to_list()
    lines = []
    for row, clique, place, last in zip(
        rows.tolist(), cliques.tolist(), places.tolist(), surfaces, strict=True
    ):
        text = corpus.texts[row]
        start, stop = int(corpus.starts[place]), int(corpus.starts[place + length - 1]) + len(last)
        left, right = (
            _left(text[max(0, start - CONTEXT - 1) : start]),
            _right(text[stop : stop + CONTEXT + 1]),
        )
        left, match, right = (each.translate(_BLANKS) for each in (left, text[start:stop], right))
        lines.append(Line(row, corpus.ids[row], left, match, right, int(clique_topic[clique])))
    return lines


def _left(text: str) -> str:
    """What stands before; a word that began too early is left out."""
    if len(text) <= CONTEXT:
        return text
    at = next((i for i, char in enumerate(text) if char.isspace()), 0)
    return text[at + 1 :]


def _right(text: str) -> str:
    """What stands behind; a word that ends too late is left out."""
    if len(text) <= CONTEXT:
        return text
    at = next((i for i in range(len(text) - 1, -1, -1) if text[i].isspace()), CONTEXT)
    return text[:at]
