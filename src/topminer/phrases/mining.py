"""Algorithm 1: every contiguous sequence of stems that occurs often enough, with its support.

A phrase is known by its id. The id of a single word is its stem; a longer phrase is a frequent one, its
*prefix*, and one more word; ids go by length, then by first occurrence. With support 2 and the
chunks ``0 1 2 | 0 1 2 | 1 2``::

    id       0   1   2    3      4       5
    phrase   0   1   2   0 1    1 2    0 1 2
    prefix                0      1       3
    last     0   1   2    1      2       2
    support  2   3   3    2      3       2

Mining goes length by length over *candidates*: places where a frequent phrase starts, and another of the
same length one token later (where not, by downward closure, nothing longer is frequent). Who counts them, and
where, the loop over lengths does not know: here it is :class:`.Blocks`, on threads (candidates.py).
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.memory import require
from topminer.phrases.candidates import Blocks, Int32s, Int64s
from topminer.progress import Progress, silent

MAX_LENGTH = 64  # what max_length=None means: a periodic text has frequent phrases of any length
BYTES_PER_TOKEN = 40  # that mining and cutting need at most, beside the corpus: measured
_MOST_PHRASES = np.iinfo(np.int32).max


class Phrases(NamedTuple):
    """Phrases by id: all single words, the rare ones too, and every longer phrase with enough support."""

    prefix: Int32s  # the phrase without its last word; -1 for a single word
    last: Int32s  # the stem of the last word
    support: Int64s
    length_start: Int64s  # the first id of each length, from length 0 to one more than the greatest
    n_tokens: int  # of the corpus: L in equation 1
    min_support: int
    reached_max_length: bool  # whether phrases of the greatest length allowed may go on

    @property
    def n_stems(self) -> int:
        """The size of the vocabulary."""
        return int(self.length_start[2])

    @property
    def max_length(self) -> int:
        """The number of words of the longest phrase."""
        return self.length_start.size - 2

    def length_of(self, ids: Int32s) -> Int64s:
        """How many words each of some phrases has."""
        return np.searchsorted(self.length_start, ids, side="right") - 1

    def stems_of(self, length: int) -> Int32s:
        """The stems of all phrases of one length, a row each."""
        ids = np.arange(self.length_start[length], self.length_start[length + 1])
        stems = np.empty((ids.size, length), np.int32)
        for column in range(length - 1, -1, -1):
            stems[:, column] = self.last[ids]
            ids = self.prefix[ids]
        return stems


class Counting(Protocol):
    """What counts for Algorithm 1: it knows the tokens, and where candidates are."""

    @property
    def n_candidates(self) -> int:
        """How many places are left."""

    def stems(self) -> Int64s:
        """How often each stem occurs."""

    def start(self, frequent: NDArray[np.bool_]) -> None:
        """Make a candidate of every place where two frequent stems stand side by side."""

    def count(self, length: int, first_id: int, min_support: int) -> tuple[Int64s, Int64s]:
        """Count the candidates of one length, and go on to those of the next.

        Returns the keys (prefix * stems + last word) of the frequent ones, by first occurrence, and their
        support; they get ids from ``first_id`` on.
        """


def mine_with(
    counting: Counting, n_stems: int, min_support: int, max_length: int | None, progress: Progress
) -> Phrases:
    """Algorithm 1, whoever counts."""
    count = counting.stems()
    counting.start(count >= min_support)
    prefixes, lasts = [np.full(n_stems, -1, np.int32)], [np.arange(n_stems, dtype=np.int32)]
    supports, length_start = [count], [0, 0, n_stems]
    for length in range(2, 1 + (max_length or MAX_LENGTH)):
        if counting.n_candidates < min_support:
            break
        progress("Mining", length, None, "words long")
        keys, support = counting.count(length, length_start[-1], min_support)
        if keys.size == 0:
            break
        prefixes.append((keys // n_stems).astype(np.int32))
        lasts.append((keys % n_stems).astype(np.int32))
        supports.append(support)
        length_start.append(length_start[-1] + keys.size)
        if length_start[-1] > _MOST_PHRASES:
            raise InputError(
                f"more than 2**31 phrases occur {min_support} times or more; ask for more support"
            )
    return Phrases(
        np.concatenate(prefixes),
        np.concatenate(lasts),
        np.concatenate(supports),
        np.array(length_start),
        int(count.sum()),
        min_support,
        counting.n_candidates >= min_support,
    )


def mine(
    stem_ids: Int32s,
    chunk_start: Int64s,
    n_stems: int,
    min_support: int,
    max_length: int | None = None,
    n_threads: int = 1,
    progress: Progress = silent,
) -> Phrases:
    """Find every phrase of up to ``max_length`` words (None: 64) that occurs ``min_support`` times or more.

    ``stem_ids`` are the kept tokens, each 0 to ``n_stems`` - 1; chunk c is the tokens from
    ``chunk_start[c]`` to ``chunk_start[c + 1]``, and no phrase leaves it. The result does not depend
    on the number of threads.
    """
    require("mining phrases", BYTES_PER_TOKEN * stem_ids.size, "fewer documents")
    blocks = Blocks(stem_ids, chunk_start, n_stems, n_threads)
    return mine_with(blocks, n_stems, min_support, max_length, progress)
