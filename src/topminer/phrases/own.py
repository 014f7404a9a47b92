"""Phrases of the user's own: always kept whole, or never formed."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

import numpy as np

from topminer.containers.arrays import read_only
from topminer.errors import InputError
from topminer.jit import bare_kernel
from topminer.phrases.phrase_index import PhraseIndex, Stems, index_phrases, longer_by
from topminer.phrases.sequence import Bools, Int32s, Int64s, Sequence
from topminer.text.corpus import Corpus
from topminer.text.rules import lines_of

OwnPhrases = Iterable[str] | PathLike[str] | None


def stems_of(phrases: OwnPhrases, corpus: Corpus, name: str) -> list[Stems]:
    """Read phrases as people write them, and return their stem ids; leave out phrases with an unknown word.

    Each phrase must have at least two kept tokens, and no punctuation that ends a chunk between them.
    ``name`` is the parameter that errors name.
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
    n_chunks = np.diff(np.searchsorted(read.chunk_start, read.doc_start))
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


def glue(sequence: Sequence, always: list[Stems], n_stems: int) -> Sequence:
    """Return the sequence with the tokens of each phrase in ``always`` glued together.

    Phrases may overlap: of those that start at a token the longest is taken, and the next one starts after
    it. A phrase that starts or ends inside a token (ties.py) is not one of the text.

    >>> words = Sequence(np.array([0, 1, 2, 0], np.int32), np.array([0, 4]))
    >>> glue(words, [(0, 1), (1, 2)], n_stems=3).glued.tolist()
    [False, True, False, False]
    """
    if not always:
        return sequence
    index, ids = index_phrases(always, n_stems)
    is_whole = np.zeros(index.goes_on.size, np.bool_)
    is_whole[ids] = True
    inside = sequence.flags(sequence.inside)
    glued = np.zeros(sequence.ids.size, np.bool_)
    _glue(read_only(sequence.ids), read_only(sequence.chunk_start), read_only(inside), index, is_whole, glued)
    return sequence._replace(glued=glued | inside)


@bare_kernel
def _glue(
    stems: Int32s, chunk_start: Int64s, inside: Bools, index: PhraseIndex, is_whole: Bools, glued: Bools
) -> None:
    """Mark each atom that a phrase joins to the atom before it."""
    table, goes_on, n_stems, _ = index
    for c in range(chunk_start.size - 1):
        i, stop = chunk_start[c] - chunk_start[0], chunk_start[c + 1] - chunk_start[0]
        while i < stop:
            id, after, end = np.int64(stems[i]), i + 1, i + 1
            while after < stop and id >= 0 and goes_on[id] and not inside[i]:
                id = longer_by(id, stems[after], n_stems, table)
                after += 1
                if id >= 0 and is_whole[id] and not (after < stop and inside[after]):
                    end = after
            for joined in range(i + 1, end):
                glued[joined] = True
            i = end
