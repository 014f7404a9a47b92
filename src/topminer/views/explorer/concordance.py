"""Keyword in context: every place where the words of a phrase stand side by side."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.phrases.partition import Partition
from topminer.text.corpus import Corpus

CONTEXT = 60  # characters on each side
# A word that is cut off, with the blank beside it; a character where there are no blanks.
_FIRST_WORD = re.compile(r"\A(?:\S*\s|.)", re.DOTALL)
_LAST_WORD = re.compile(r"(?:\s\S*|.)\Z", re.DOTALL)
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
    """Return the first tokens of all places where a phrase stands, in any form, and its length in words.

    The phrase is read as the corpus was. It stands nowhere if the corpus has not all of its words, or if they
    make more than one chunk.
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
    """Return the lines of some places of a phrase of ``length`` words."""
    corpus = partition.corpus
    assert corpus.texts is not None
    rows = np.searchsorted(corpus.doc_start, places, "right") - 1
    cliques = np.searchsorted(partition.clique_start, places, "right") - 1
    surfaces = corpus.surfaces["surface"].gather(corpus.surface_ids[places + length - 1]).to_list()
    lines = []
    wanted = zip(rows.tolist(), cliques.tolist(), places.tolist(), surfaces, strict=True)
    for row, clique, place, last in wanted:
        text = corpus.texts[row]
        start, stop = int(corpus.starts[place]), int(corpus.starts[place + length - 1]) + len(last)
        left, right = text[max(0, start - CONTEXT - 1) : start], text[stop : stop + CONTEXT + 1]
        if len(left) > CONTEXT:
            left = _FIRST_WORD.sub("", left)
        if len(right) > CONTEXT:
            right = _LAST_WORD.sub("", right)
        left, match, right = (each.translate(_BLANKS) for each in (left, text[start:stop], right))
        lines.append(Line(row, corpus.ids[row], left, match, right, int(clique_topic[clique])))
    return lines
