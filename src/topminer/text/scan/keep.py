"""Kept tokens: stop words become part of the gaps between kept tokens, and chunks get their final ends."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import bare_kernel
from topminer.text.scan.tokens import Tokens

# The role of a word. KEEP: a kept token. SKIP: left out, and shown again inside phrases. DROP and
# DROP_NUMBER: left out, and the chunk ends there.
KEEP, SKIP, DROP, DROP_NUMBER = 0, 1, 2, 3

_BLANK = ord(" ")


class Kept(NamedTuple):
    """Kept tokens of some documents, in order."""

    surface: NDArray[np.int32]
    start: NDArray[np.int32]  # first code point, in the token's own document
    gap: NDArray[np.int32]  # 0: one blank, or the token opens a chunk
    doc_start: NDArray[np.int32]  # first kept token of each document, and the number of kept tokens
    chunk_start: NDArray[np.int32]  # first kept token of each chunk


class GapSpans(NamedTuple):
    """The bytes between kept tokens of one chunk, wherever they are not just one blank."""

    start: NDArray[np.int32]
    stop: NDArray[np.int32]
    token: NDArray[np.int32]  # the kept token after the gap


def keep_tokens(
    data: NDArray[np.uint8],
    tokens: Tokens,
    surface_of: NDArray[np.int32],
    role: NDArray[np.uint8],
    counts: NDArray[np.int64],
    room: NDArray[np.int32],
) -> tuple[Kept, GapSpans]:
    """Select the tokens whose surface has the role KEEP, and count all surfaces.

    ``surface_of`` is the surface of each token, ``role`` and ``counts`` are by surface. The gaps in
    :class:`Kept` are 0; the caller gives an id to each of the spans that are returned. ``room`` has six rows,
    with a column for each token. The spans are written to it, until the next call writes others.
    """
    surface, start, chunks, *spans = room
    gaps, kept_docs = GapSpans(*spans), np.zeros(tokens.doc_start.size, np.int32)
    n, n_chunks, n_gaps = _keep(
        data, tokens, surface_of, role, counts, surface, start, gaps, kept_docs, chunks
    )
    none = np.zeros(n, np.int32)
    kept = Kept(surface[:n].copy(), start[:n].copy(), none, kept_docs, chunks[:n_chunks].copy())
    return kept, GapSpans(*(each[:n_gaps] for each in gaps))


@bare_kernel
def _keep(
    data: NDArray[np.uint8],
    tokens: Tokens,
    surface_of: NDArray[np.int32],
    role: NDArray[np.uint8],
    counts: NDArray[np.int64],
    surface: NDArray[np.int32],
    start: NDArray[np.int32],
    gaps: GapSpans,
    kept_docs: NDArray[np.int32],
    chunks: NDArray[np.int32],
) -> tuple[int, int, int]:
    """Write the kept tokens, chunks and gaps, and return the number of each."""
    doc_start = tokens.doc_start
    gap_start, gap_stop, gap_token = gaps
    n, n_chunks, n_gaps = 0, 0, 0
    for d in range(doc_start.size - 1):
        in_chunk = False  # whether the chunk has a kept token already
        end = 0  # where the last kept token ends
        for i in range(doc_start[d], doc_start[d + 1]):
            this = surface_of[i]
            counts[this] += 1
            if tokens.opens[i] or role[this] >= DROP:
                in_chunk = False
            if role[this] != KEEP:
                continue
            if not in_chunk:
                chunks[n_chunks] = n
                n_chunks += 1
                in_chunk = True
            elif tokens.start[i] - end != 1 or data[end] != _BLANK:
                gap_start[n_gaps], gap_stop[n_gaps], gap_token[n_gaps] = end, tokens.start[i], n
                n_gaps += 1
            end = tokens.stop[i]
            surface[n], start[n] = this, tokens.char_start[i]
            n += 1
        kept_docs[d + 1] = n
    return n, n_chunks, n_gaps
