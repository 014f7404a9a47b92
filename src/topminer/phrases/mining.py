"""Algorithm 1: find every contiguous sequence of stems that occurs often enough, and its support.

Phrases are known by their ids. The id of a single word is its stem. A longer phrase is a frequent phrase, its
*prefix*, and one more word. Ids are ordered by length, then by first occurrence. With minimum support 2 and
the chunks ``0 1 2 | 0 1 2 | 1 2``::

    id       0   1   2    3      4       5
    phrase   0   1   2   0 1    1 2    0 1 2
    prefix                0      1       3
    last     0   1   2    1      2       2
    support  2   3   3    2      3       2

Mining goes length by length. A place is a *candidate* for n words if frequent phrases of n - 1 words start
there and one token later, in the same chunk: if either is rare, the longer phrase is rare too (downward
closure)::

    tokens          0   1   2 | 0   1   2 | 1   2
    2 words: ids    3   4       3   4       4         all words are frequent, so are 0 1 and 1 2
    3 words: ids    5           5                     0 1 and, one token later, 1 2 are frequent
    4 words                                           no candidates: the end

As printed, Algorithm 1 never counts the last n-gram of a document, because it removes max(A) from the set A
of places and then requires i + 1 ∈ A. The rule above is what is meant.

The loop over lengths does not count candidates itself. :class:`.Blocks` counts them on threads
(candidates.py); on a cluster each worker counts those of its own documents.

Places that start or end inside a token (ties.py) are counted too, because a longer phrase over them may be
one of whole tokens. They are taken off at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from topminer.errors import InputError
from topminer.memory import require
from topminer.phrases.candidates import Blocks
from topminer.phrases.phrase_index import PhraseIndex, build_index, extend, find_longest
from topminer.phrases.phrase_tree import PhraseTree, count_beginnings, count_broken
from topminer.phrases.sequence import Bools, Int32s, Int64s, Sequence
from topminer.progress import Progress, silent

MAX_LENGTH = 64  # what max_length=None means: a periodic text has frequent phrases of any length
BYTES_PER_TOKEN = 48  # that mining, segmentation and judging need beside the corpus: measured
_MAX_PHRASES = np.iinfo(np.int32).max


class Mined(NamedTuple):
    """Phrases by id: all single words, rare ones included, and every longer phrase with enough support."""

    prefix: Int32s  # the phrase without its last word; -1 for a single word
    last: Int32s  # the stem of the last word
    evidence: Int64s  # how often each occurs in counted chunks: the f of equation 1 (evidence.py)
    length_start: Int64s  # the first id of each length, from length 0 to one more than the greatest
    n_tokens: int  # atoms in counted chunks: the L of equation 1
    min_support: int
    reached_max_length: bool  # whether phrases longer than the greatest length allowed may be frequent
    support: Int64s  # how often each occurs in all chunks

    @property
    def n_stems(self) -> int:
        """The size of the vocabulary."""
        return int(self.length_start[2])

    @property
    def max_length(self) -> int:
        """The number of words of the longest phrase."""
        return self.length_start.size - 2

    def with_counts(self, broken: Int64s, uncounted: Int64s) -> Mined:
        """Take places that start or end inside a token off, and add those in chunks that are not counted.

        A phrase that has too little evidence afterwards keeps its id, but is never formed.
        """
        evidence = self.evidence - broken
        return self._replace(evidence=evidence, support=evidence + uncounted)

    def make_index(self) -> PhraseIndex:
        """Index the phrases by their stems."""
        return build_index(self.prefix, self.last, self.length_start)

    def length_of(self, ids: Int32s) -> Int64s:
        """Return the number of words of each of some phrases."""
        return np.searchsorted(self.length_start, ids, side="right") - 1

    def words_of(self, id: int) -> list[int]:
        """Return the stems of one phrase."""
        words = []
        while id >= 0:
            words.append(int(self.last[id]))
            id = int(self.prefix[id])
        return words[::-1]

    def stems_of(self, length: int) -> Int32s:
        """Return the stems of all phrases of one length, one row for each phrase."""
        ids = np.arange(self.length_start[length], self.length_start[length + 1])
        stems = np.empty((ids.size, length), np.int32)
        for column in range(length - 1, -1, -1):
            stems[:, column] = self.last[ids]
            ids = self.prefix[ids]
        return stems


class CandidateCounter(Protocol):
    """Counts candidates for Algorithm 1. It has the tokens, and knows which places are candidates."""

    @property
    def n_candidates(self) -> int:
        """The number of candidates left."""

    def count_stems(self) -> Int64s:
        """Return how often each stem occurs."""

    def start(self, frequent: Bools) -> None:
        """Make every place a candidate where two frequent stems stand side by side in a chunk."""

    def count(self, length: int, first_id: int, min_support: int) -> tuple[Int64s, Int64s]:
        """Count the candidates of one length, then replace them by those of the next length.

        Return the keys (prefix * n_stems + last word) of the frequent phrases, by first occurrence, and their
        support. The phrases get ids from ``first_id`` on.
        """


def mine_with(
    counter: CandidateCounter, n_stems: int, min_support: int, max_length: int | None, progress: Progress
) -> Mined:
    """Run Algorithm 1 with any counter."""
    count = counter.count_stems()
    counter.start(count >= min_support)
    prefixes, lasts = [np.full(n_stems, -1, np.int32)], [np.arange(n_stems, dtype=np.int32)]
    supports, length_start = [count], [0, 0, n_stems]
    for length in range(2, 1 + (max_length or MAX_LENGTH)):
        if counter.n_candidates < min_support:
            break
        progress("Mining", length, None, "words long")
        keys, support = counter.count(length, length_start[-1], min_support)
        if keys.size == 0:
            break
        prefixes.append((keys // n_stems).astype(np.int32))
        lasts.append((keys % n_stems).astype(np.int32))
        supports.append(support)
        length_start.append(length_start[-1] + keys.size)
        if length_start[-1] > _MAX_PHRASES:
            raise InputError(
                f"more than 2**31 phrases occur {min_support} times or more; ask for more support"
            )
    return Mined(
        np.concatenate(prefixes),
        np.concatenate(lasts),
        np.concatenate(supports),
        np.array(length_start),
        int(count.sum()),
        min_support,
        counter.n_candidates >= min_support,
        np.concatenate(supports),
    )


class MinedText(NamedTuple):
    """The phrases of a text, and where they stand."""

    mined: Mined
    longest: Int32s  # the longest of them that starts at each atom (phrase_tree.py)


def mine(
    text: Sequence,
    n_stems: int,
    min_support: int,
    max_length: int | None = None,
    n_threads: int = 1,
    progress: Progress = silent,
) -> MinedText:
    """Find every phrase of up to ``max_length`` words (None: 64) that occurs ``min_support`` times or more.

    Only chunks that are counted decide. Every id of the text must be from 0 to ``n_stems`` - 1. The result
    does not depend on the number of threads.
    """
    require("mining phrases", BYTES_PER_TOKEN * text.ids.size, "fewer documents")
    blocks = Blocks(text, n_stems, n_threads)
    mined = mine_with(blocks, n_stems, min_support, max_length, progress)
    longest = blocks.longest
    del blocks  # with the candidates
    return MinedText(mined.with_counts(*corrections(text, longest, mined)), longest)


def corrections(text: Sequence, longest: Int32s, mined: Mined) -> tuple[Int64s, Int64s]:
    """Return what :meth:`Mined.with_counts` takes; complete ``longest`` in chunks that are not counted."""
    tree = PhraseTree(mined.prefix, mined.length_start)
    if text.is_counted is None:
        return count_broken(longest, text.inside, tree, all_mined=True), np.zeros(mined.prefix.size, np.int64)
    rest, atoms = text.uncounted(), text.uncounted_atoms()
    found = longest[atoms] = find_longest(rest, mined.make_index())
    broken_there = count_broken(found, rest.inside, tree, all_mined=True)
    broken = count_broken(longest, text.inside, tree, all_mined=True) - broken_there
    return broken, count_beginnings(found, tree) - broken_there


class Split(NamedTuple):
    """All mined phrases of one length, split after the same word."""

    ids: Int64s
    left: Int64s  # the phrase of the words before the split
    right: Int64s
    n_left: int  # number of words before the split


def splits(mined: Mined, index: PhraseIndex) -> Iterator[Split]:
    """Yield every way to split the mined phrases of several words in two.

    Both parts of a frequent phrase are frequent, so both have an id.
    """
    suffix = suffixes(mined, index)
    for length in range(2, mined.max_length + 1):
        ids = np.arange(mined.length_start[length], mined.length_start[length + 1])
        left, rights = ids, [suffix[ids]]
        for _ in range(length - 2):
            rights.append(suffix[rights[-1]])
        for n_left in range(length - 1, 0, -1):
            left = mined.prefix[left].astype(np.int64)
            yield Split(ids, left, rights[n_left - 1], n_left)


def suffixes(mined: Mined, index: PhraseIndex) -> Int64s:
    """Return each phrase without its first word, by id; -1 for a single word."""
    suffix = np.full(mined.prefix.size, -1)
    for length in range(2, mined.max_length + 1):
        ids = np.arange(mined.length_start[length], mined.length_start[length + 1])
        last = mined.last[ids].astype(np.int64)
        suffix[ids] = last if length == 2 else extend(index, suffix[mined.prefix[ids]], last)
    return suffix
