"""From all tokens to kept tokens: stop words go into the gaps between them, chunks get their final ends."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer._jit import kernel
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


@kernel
def keep_tokens(
    found: NDArray[np.int32],
    separator: NDArray[np.int32],
    start: NDArray[np.int32],
    doc_start: NDArray[np.int64],
    role: NDArray[np.uint8],
    stem_of: NDArray[np.int32],
    surface_of: NDArray[np.int32],
    out: Columns,
) -> tuple[NDArray[np.int64], NDArray[np.int64], Gaps]:
    """Write the kept tokens of some documents into ``out``.

    ``found`` is the surface of each token, ``separator`` what stands before it (0: one blank; -1: it
    opens a chunk). Returns the first kept token of each document and of each chunk, and the gaps.
    """
    stem, surface, kept_start, gap = out
    kept_docs = np.zeros(doc_start.size, np.int64)
    chunks = np.empty(stem.size, np.int64)
    pieces = np.empty(2 * found.size + 6, np.int32)
    bounds = np.empty(stem.size + 1, np.int64)
    bounds[0] = 0
    n, n_chunks, n_gaps = 0, 0, 0
    for d in range(doc_start.size - 1):
        in_chunk = False  # whether a kept token of this chunk came before
        for i in range(doc_start[d], doc_start[d + 1]):
            this = found[i]
            what = role[this]
            if separator[i] < 0 or what == DROP:
                in_chunk = False
            if what == KEEP and not in_chunk:
                chunks[n_chunks] = n
                n_chunks += 1
                gap[n] = 0
                in_chunk = True
                at = bounds[n_gaps]  # end of the gap being written
            elif in_chunk:
                if separator[i] > 0:
                    pieces[at] = -separator[i]
                    at += 1
                if what == SKIP:
                    pieces[at] = this
                    at += 1
                    continue
                if at == bounds[n_gaps]:
                    gap[n] = 0
                else:
                    n_gaps += 1
                    bounds[n_gaps] = at
                    gap[n] = n_gaps
            else:
                continue
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
