"""Evidence: how often a phrase occurs if repeated text is counted once.

A signature below a thousand mails, or one sentence in fifty tweets, is one piece of evidence for its
phrases, not a thousand or fifty. A chunk of :data:`LEAST_WORDS` or more kept tokens that repeats an earlier
chunk word for word is not counted. Shorter chunks always are: in titles and lists of keywords, the phrase is
the chunk. With a limit of three words::

    the quick brown fox.   A fox.   The quick brown fox.   A fox.
    counted                counted  not counted            counted

Evidence replaces support wherever a count decides: whether a phrase is frequent, and in equation 1, where L
is the number of counted tokens. The support of a phrase stays the number of all its places.
"""

from __future__ import annotations

import numpy as np

from topminer._parameters import is_auto, whole_or_none
from topminer.containers.hashing import mix
from topminer.containers.integers import IntegerTable
from topminer.jit import bare_kernel
from topminer.phrases.sequence import Bools, Int32s, Int64s, Sequence
from topminer.phrases.ties import Ties

LEAST_WORDS = 8  # docs/phrases.md has the measurements


def least_words(evidence: object) -> int | None:
    """Return what the parameter ``evidence`` means: the least words of a chunk that is counted once."""
    return LEAST_WORDS if is_auto(evidence) else whole_or_none("evidence", evidence, 1)


def long_chunks(sequence: Sequence, least: int) -> tuple[Int64s, Int64s]:
    """Find the chunks of at least ``least`` tokens; return their numbers, and a digest of each one's text.

    Texts are compared by digests of 63 bits: two texts out of ten million have the same by chance once in
    200,000 corpora.
    """
    long = np.flatnonzero(np.diff(sequence.chunk_start) >= least)
    digests = np.empty(long.size, np.int64)
    _find_digests(sequence.ids, sequence.chunk_start - sequence.chunk_start[0], long, digests)
    return long, digests


@bare_kernel
def _find_digests(ids: Int32s, chunk_start: Int64s, chunks: Int64s, digests: Int64s) -> None:
    for k in range(chunks.size):
        code = np.uint64(0)
        for i in range(chunk_start[chunks[k]], chunk_start[chunks[k] + 1]):
            code = mix(code ^ np.uint64(ids[i] + 1))
        digests[k] = np.int64(code >> np.uint64(1))


def are_first(numbers: Int32s | Int64s, n_before: int = 0) -> Bools:
    """Return whether each number, given by first occurrence, is new; those below ``n_before`` are not.

    >>> are_first(np.array([0, 1, 0, 2, 1])).tolist()
    [True, True, False, True, False]
    """
    highest = np.maximum.accumulate(np.concatenate(([n_before - 1], numbers)))
    return highest[1:] > highest[:-1]


def counted_chunks(sequence: Sequence, least: int | None) -> Bools | None:
    """Return whether each chunk is counted; None: all are. ``least`` is as for :func:`long_chunks`."""
    if least is None:
        return None
    long, digests = long_chunks(sequence, least)
    numbers, table = np.empty(long.size, np.int32), IntegerTable(long.size)
    table.add(digests, out=numbers)
    if table.keys.size == long.size:
        return None
    counted = np.ones(sequence.chunk_start.size - 1, np.bool_)
    counted[long] = are_first(numbers)
    return counted


def counted_once(tokens: Sequence, ties: Ties, least: int | None) -> Sequence:
    """Read tokens as atoms (ties.py), and note which chunks are counted."""
    return ties.expanded(tokens)._replace(is_counted=counted_chunks(tokens, least))
