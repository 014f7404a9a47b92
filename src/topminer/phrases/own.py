"""Phrases of the user's own: always whole, or never formed."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.jit import Int, inlined, kernel
from topminer.text.corpus import Corpus
from topminer.text.rules import lines_of

OwnPhrases = Iterable[str] | PathLike[str] | None


def stems_of(phrases: OwnPhrases, corpus: Corpus, name: str) -> list[tuple[int, ...]]:
    """Phrases as people write them, to stem ids of ``corpus``; a phrase with an unknown word is left out.

    Each must have at least two kept tokens, and no punctuation that ends a chunk between them.
    """
    if phrases is None:
        return []
    if not isinstance(phrases, Iterable | PathLike) or isinstance(phrases, str):
        raise InputError(f"{name}: expected a list of phrases, or a pathlib.Path to a file of them")
    written = lines_of(Path(phrases), "phrase") if isinstance(phrases, PathLike) else list(phrases)
    for phrase in written:
        if not isinstance(phrase, str):
            raise InputError(f"{name}: expected phrases as strings, not {phrase!r}")
    if not written:
        return []
    read = corpus.encode(written)
    n_chunks = np.searchsorted(read.chunk_start, read.doc_start[1:]) - np.searchsorted(
        read.chunk_start, read.doc_start[:-1]
    )
    found = []
    for d, phrase in enumerate(written):
        stems = tuple(read.stem_ids[read.doc_start[d] : read.doc_start[d + 1]].tolist())
        if len(stems) < 2:
            raise InputError(
                f"{name}: {phrase!r} has fewer than two words that are kept; no phrase can be made of it"
            )
        if n_chunks[d] > 1:
            raise InputError(f"{name}: {phrase!r} has punctuation inside, which no phrase crosses")
        if min(stems) >= 0:
            found.append(stems)
    return found


class _Trie(NamedTuple):
    """Phrases by their words: ``keys`` are node * n_stems + stem, sorted, and lead to ``child``."""

    keys: NDArray[np.int64]
    child: NDArray[np.int64]
    ends: NDArray[np.bool_]  # by node: whether a phrase ends there
    n_stems: int


def _trie(phrases: list[tuple[int, ...]], n_stems: int) -> _Trie:
    children: dict[int, int] = {}
    ends = {}
    for phrase in phrases:
        node = 0
        for stem in phrase:
            node = children.setdefault(node * n_stems + stem, len(children) + 1)
        ends[node] = True
    keys = np.array(sorted(children), np.int64)
    is_end = np.zeros(len(children) + 1, np.bool_)
    is_end[list(ends)] = True
    return _Trie(keys, np.array([children[key] for key in keys.tolist()], np.int64), is_end, n_stems)


@inlined
def _next(node: Int, stem: Int, keys: NDArray[np.int64], child: NDArray[np.int64], n_stems: int) -> np.int64:
    """The node that one more word leads to, or -1."""
    key = np.int64(node) * n_stems + np.int64(stem)
    at = np.searchsorted(keys, key)
    return np.int64(-1) if at == keys.size or keys[at] != key else np.int64(child[at])


@kernel
def _glue(stems: NDArray[np.int32], chunk_start: NDArray[np.int64], trie: _Trie) -> NDArray[np.bool_]:
    """Mark tokens that belong to the one before them: from the left the longest phrase, then on behind it."""
    keys, child, ends, n_stems = trie
    glued = np.zeros(stems.size, np.bool_)
    for c in range(chunk_start.size - 1):
        i, stop = chunk_start[c], chunk_start[c + 1]
        while i < stop:
            node, longest, j = np.int64(0), i, i
            while j < stop and stems[j] >= 0:
                node = _next(node, stems[j], keys, child, n_stems)
                if node < 0:
                    break
                if ends[node]:
                    longest = j
                j += 1
            glued[i + 1 : longest + 1] = True
            i = longest + 1
    return glued


@kernel
def _count(stems: NDArray[np.int32], chunk_start: NDArray[np.int64], trie: _Trie) -> NDArray[np.int64]:
    """How often each node's words stand side by side in a chunk."""
    keys, child, ends, n_stems = trie
    count = np.zeros(ends.size, np.int64)
    for c in range(chunk_start.size - 1):
        for i in range(chunk_start[c], chunk_start[c + 1]):
            node, j = np.int64(0), i
            while j < chunk_start[c + 1] and stems[j] >= 0:
                node = _next(node, stems[j], keys, child, n_stems)
                if node < 0:
                    break
                count[node] += 1
                j += 1
    return count


def supports(corpus: Corpus, phrases: list[tuple[int, ...]]) -> list[int]:
    """How often each of some phrases occurs, frequent or not."""
    trie = _trie(phrases, corpus.n_stems)
    count = _count(corpus.stem_ids, corpus.chunk_start, trie)
    child_of = dict(zip(trie.keys.tolist(), trie.child.tolist(), strict=True))
    found = []
    for phrase in phrases:
        node = 0
        for stem in phrase:
            node = child_of[node * corpus.n_stems + stem]
        found.append(int(count[node]))
    return found


def glue(
    stem_ids: NDArray[np.int32],
    chunk_start: NDArray[np.int64],
    phrases: list[tuple[int, ...]],
    n_stems: int,
) -> NDArray[np.bool_] | None:
    """Which tokens belong to the one before them, because of phrases that are always whole."""
    if not phrases:
        return None
    return _glue(stem_ids, chunk_start, _trie(phrases, n_stems))
