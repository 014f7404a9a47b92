"""From all tokens to kept tokens: stop words go into the gaps between them, chunks get their final ends."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, kernel
from topminer.text.folding import DROP, KEEP, SKIP
from topminer.text.interning import SPARE, Strings
from topminer.text.scan import OPENS, OTHER, Tokens


class Kept(NamedTuple):
    """Kept tokens of some documents, in order."""

    surface: NDArray[np.int32]
    start: NDArray[np.int32]
    gap: NDArray[np.int32]  # 0: one blank, or a chunk opens; else 1 + the number of the gap
    doc_start: NDArray[np.int32]  # first kept token of each document, and the number of kept tokens
    chunk_start: NDArray[np.int32]  # first kept token of each chunk


class Numbers(NamedTuple):
    """The corpus's numbers for those in :class:`Kept`."""

    stem: NDArray[np.int32]  # of each surface
    surface: NDArray[np.int32]
    gap: NDArray[np.int32]


class Columns(NamedTuple):
    """Kept tokens of a corpus, a row each."""

    stem: NDArray[np.int32]
    surface: NDArray[np.int32]
    start: NDArray[np.int32]
    gap: NDArray[np.int32]


class Gaps(NamedTuple):
    """What stands between kept tokens: gap i is ``pieces[bounds[i]:bounds[i + 1]]``.

    A piece is the number of a surface, or minus the number of a separator. Where no separator is named,
    before or behind a surface, it is one blank: a lone *the* is one piece.
    """

    pieces: NDArray[np.int32]
    bounds: NDArray[np.int64]


@kernel
def keep_tokens(
    tokens: Tokens,
    found: NDArray[np.int32],
    separator: NDArray[np.int32],
    role: NDArray[np.uint8],
    counts: NDArray[np.int64],
    lone: NDArray[np.int32],
) -> tuple[Kept, Gaps, NDArray[np.int32]]:
    """Keep what is to be kept, and count all surfaces.

    ``found`` is the surface of each token; ``separator`` says for each token that OTHER stands before what
    that is (0: one blank after all). Most gaps are one stop word: ``lone`` has, where it is known already,
    what :class:`Kept` says of the gap that is just this surface. The others are returned, equal or not, with
    the kept tokens that they belong to.
    """
    char_start, before, doc_start = tokens.char_start, tokens.before, tokens.doc_start
    surface, start, gap = np.empty_like(found), np.empty_like(found), np.empty_like(found)
    kept_docs = np.zeros(doc_start.size, np.int32)
    chunks = np.empty(found.size, np.int32)
    pieces = np.empty(2 * found.size + SPARE // 4, np.int32)
    bounds = np.empty(found.size + 1, np.int64)
    bounds[0] = 0
    behind = np.empty(found.size, np.int32)
    n, n_chunks, n_gaps, n_others = 0, 0, 0, 0
    at = 0  # the end of the gap being written
    for d in range(doc_start.size - 1):
        in_chunk = False  # whether a kept token of this chunk came before
        for i in range(doc_start[d], doc_start[d + 1]):
            this = found[i]
            counts[this] += 1
            what = role[this]
            between: Int = 0
            if before[i] == OTHER:
                between = separator[n_others]
                n_others += 1
            if before[i] == OPENS or what >= DROP:
                in_chunk = False
            if in_chunk:
                if between > 0:
                    pieces[at] = -between
                    at += 1
                if what == SKIP:
                    pieces[at] = this
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
            n_pieces = at - bounds[n_gaps]
            if n_pieces == 1 and pieces[at - 1] >= 0:
                gap[n] = lone[pieces[at - 1]]
            if n_pieces > 0 and gap[n] == 0:
                behind[n_gaps] = n
                n_gaps += 1
                bounds[n_gaps] = at
            at = bounds[n_gaps]
            surface[n], start[n] = this, char_start[i]
            n += 1
        kept_docs[d + 1] = n
    kept = Kept(surface[:n].copy(), start[:n].copy(), gap[:n].copy(), kept_docs, chunks[:n_chunks].copy())
    return kept, Gaps(pieces, bounds[: n_gaps + 1]), behind[:n_gaps]


@kernel
def write_columns(kept: Kept, numbers: Numbers, out: Columns) -> None:
    """Write kept tokens to their places in the corpus."""
    for i in range(kept.surface.size):
        surface = kept.surface[i]
        out.stem[i], out.surface[i] = numbers.stem[surface], numbers.surface[surface]
        out.start[i], out.gap[i] = kept.start[i], numbers.gap[kept.gap[i]]


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
    surface_data, separator_data = surfaces.words.view(np.uint8), separators.words.view(np.uint8)
    longest = 0
    for piece in pieces[: bounds[-1]]:
        strings, i = (separators, -piece) if piece < 0 else (surfaces, piece)
        longest += strings.bounds[i + 1] - strings.bounds[i] + 2
    data = np.empty(longest // 8 * 8 + 8 + SPARE, np.uint8)
    ends = np.zeros(bounds.size, np.int64)
    at = 0
    for gap in range(bounds.size - 1):
        separated = False
        for piece in pieces[bounds[gap] : bounds[gap + 1]]:
            if piece < 0:
                at = _copied(
                    data, at, separator_data, separators.bounds[-piece], separators.bounds[1 - piece]
                )
            else:
                if not separated:
                    data[at] = 32
                    at += 1
                at = _copied(data, at, surface_data, surfaces.bounds[piece], surfaces.bounds[piece + 1])
            separated = piece < 0
        if not separated:
            data[at] = 32
            at += 1
        ends[gap + 1] = at
    return Strings(data.view(np.uint64), ends)
