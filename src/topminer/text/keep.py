"""From all tokens to kept tokens: stop words go into the gaps between them, chunks get their final ends."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer._jit import kernel
from topminer.text.interning import SPARE
from topminer.text.vocabulary import DROP, KEEP, SKIP


class Columns(NamedTuple):
    """Kept tokens, a row each; filled by :func:`keep_tokens`."""

    stem: NDArray[np.int32]
    surface: NDArray[np.int32]
    start: NDArray[np.int32]
    gap: NDArray[np.int32]  # 0: one blank; else 1 + the number of the gap among those returned


class Gaps(NamedTuple):
    """What stands between kept tokens: gap i is ``pieces[bounds[i]:bounds[i + 1]]``.

    A piece is the number of a surface, or minus the number of a separator. Where no separator is named,
    before or behind a surface, it is one blank: a lone *the* is one piece.
    """

    pieces: NDArray[np.int32]
    bounds: NDArray[np.int64]


class Strings(NamedTuple):
    """UTF-8 strings: string i is ``data[bounds[i]:bounds[i + 1]]``."""

    data: NDArray[np.uint8]
    bounds: NDArray[np.int64]


class Fate(NamedTuple):
    """What becomes of each surface of a batch, by its number there."""

    role: NDArray[np.uint8]
    stem: NDArray[np.int32]
    surface: NDArray[np.int32]  # its number among kept surfaces
    piece: NDArray[np.int32]  # its number among all surfaces


@kernel
def keep_tokens(
    found: NDArray[np.int32],
    separator: NDArray[np.int16] | NDArray[np.int32],
    start: NDArray[np.int32],
    doc_start: NDArray[np.int64],
    fate: Fate,
    separator_of: NDArray[np.int32],
    out: Columns,
) -> tuple[NDArray[np.int64], NDArray[np.int64], Gaps]:
    """Write the kept tokens of some documents into ``out``.

    ``found`` is the surface of each token, ``separator`` what stands before it, both by their numbers in
    the batch; ``separator_of`` has the number among all separators (0: one blank; -1: a chunk opens).
    Returns the first kept token of each document and of each chunk, and the gaps.
    """
    stem, surface, kept_start, gap = out
    role, stem_of, surface_of, piece_of = fate
    kept_docs = np.zeros(doc_start.size, np.int64)
    chunks = np.empty(stem.size, np.int64)
    pieces = np.empty(2 * found.size + SPARE // 4, np.int32)
    bounds = np.empty(stem.size + 1, np.int64)
    bounds[0] = 0
    n, n_chunks, n_gaps, at = 0, 0, 0, 0  # at: the end of the gap being written
    for d in range(doc_start.size - 1):
        in_chunk = False  # whether a kept token of this chunk came before
        for i in range(doc_start[d], doc_start[d + 1]):
            this = found[i]
            what = role[this]
            between = separator_of[separator[i]]
            if between < 0 or what == DROP:
                in_chunk = False
            if in_chunk:
                if between > 0:
                    pieces[at] = -between
                    at += 1
                if what == SKIP:
                    pieces[at] = piece_of[this]
                    at += 1
                    continue
            elif what != KEEP:
                continue
            else:
                chunks[n_chunks] = n
                n_chunks += 1
                in_chunk = True
                at = bounds[n_gaps]
            gap[n] = 0
            if at > bounds[n_gaps]:
                n_gaps += 1
                bounds[n_gaps] = at
                gap[n] = n_gaps
            stem[n], surface[n], kept_start[n] = stem_of[this], surface_of[this], start[i]
            n += 1
        kept_docs[d + 1] = n
    return kept_docs, chunks[:n_chunks].copy(), Gaps(pieces, bounds[: n_gaps + 1].copy())


@kernel
def _copied(to: NDArray[np.uint8], at: int, data: NDArray[np.uint8], start: int, stop: int) -> int:
    for i in range(start, stop):
        to[at] = data[i]
        at += 1
    return at


@kernel
def write_gaps(gaps: Gaps, surfaces: Strings, separators: Strings) -> Strings:
    """Gaps as they are written."""
    pieces, bounds = gaps
    longest = 0
    for piece in pieces[: bounds[-1]]:
        strings, i = (separators, -piece) if piece < 0 else (surfaces, piece)
        longest += strings.bounds[i + 1] - strings.bounds[i] + 2
    data = np.empty(longest, np.uint8)
    ends = np.zeros(bounds.size, np.int64)
    at = 0
    for gap in range(bounds.size - 1):
        separated = False
        for piece in pieces[bounds[gap] : bounds[gap + 1]]:
            if piece < 0:
                at = _copied(
                    data, at, separators.data, separators.bounds[-piece], separators.bounds[1 - piece]
                )
            else:
                if not separated:
                    data[at] = 32
                    at += 1
                at = _copied(data, at, surfaces.data, surfaces.bounds[piece], surfaces.bounds[piece + 1])
            separated = piece < 0
        if not separated:
            data[at] = 32
            at += 1
        ends[gap + 1] = at
    return Strings(data, ends)
