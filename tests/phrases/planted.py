"""Small corpora in which phrases are planted, so that there is something to merge."""

from typing import NamedTuple

import numpy as np
from corpora import JIT_IS_ON
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles.phrases import Document

from topminer.phrases.sequence import Sequence

some, many = (settings(max_examples=n if JIT_IS_ON else 10) for n in (100, 300))


class Flat(NamedTuple):
    """Documents as arrays."""

    sequence: Sequence
    doc_start: NDArray[np.int64]


def flatten(documents: list[Document]) -> Flat:
    chunks = [chunk for document in documents for chunk in document]
    ids = np.array([stem for chunk in chunks for stem in chunk], np.int32)
    return Flat(
        Sequence(ids, np.cumsum([0, *map(len, chunks)])),
        np.cumsum([0, *(sum(map(len, document)) for document in documents)]),
    )


@st.composite
def corpora(draw: st.DrawFn, n_words: int = 8) -> list[list[Document]]:
    """Documents of chunks of words and of a few phrases of two to five words that come again and again."""
    words = st.integers(0, draw(st.integers(0, n_words - 1)))
    planted = draw(st.lists(st.lists(words, min_size=2, max_size=5), min_size=1, max_size=3))
    piece = st.one_of(st.sampled_from(planted), st.lists(words, min_size=1, max_size=1))
    chunk = st.lists(piece, min_size=1, max_size=5).map(
        lambda pieces: [word for piece in pieces for word in piece]
    )
    document = st.lists(chunk, max_size=4)
    return draw(st.lists(document, min_size=1, max_size=6))
