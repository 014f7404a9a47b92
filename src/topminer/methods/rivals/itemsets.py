"""Frequent sets of words: what KERT mines, by a search in depth over lists of transactions.

A *transaction* is what one topic has of one document: its set of words. A *pattern* is a set of words that
stands in at least ``min_support`` transactions of one topic. All topics are searched at once, so that for
each pattern its count is known in every topic, also where it is rare. With support 2::

    topic 0   {0 1 2}  {0 1 2}  {0 2}            pattern    0    1    2    0 1   0 2   1 2   0 1 2
    topic 1   {0 1}                              topic 0    3    2    3     2     3     2      2
                                                 topic 1    1    1          1
                                                 extended   3    2    3     2     2     2      0

*Extended* is the count, in topic 0, of the most frequent pattern with one word more, be it frequent or not.

The search starts from each frequent word and adds words of lower number, which are more frequent: so each set
is met once, and the rare words, with few transactions, lead the long ways. A pattern comes with the list of
its transactions. One walk through them counts every word beside it, which gives the extension, and the words
that keep it frequent; for those, another walk makes the next lists (Uno's "occurrence deliver", FIMI 2004).

Patterns may be too many for any memory. They are found a batch at a time, and only the path from the first
word to the one at hand is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from topminer.errors import InputError
from topminer.jit import bare_kernel
from topminer.methods.rivals.transactions import Index, Int32s, Int64s, Transactions

BATCH = 1 << 16  # patterns
PARTS = 500
_NODES, _TRANSACTIONS, _PATTERNS, _WORDS, _ENTRIES = range(5)  # how many there are at the moment
_NONE, _BESIDE = -2, -1  # slots of words that are not added


class Patterns(NamedTuple):
    """A batch of patterns, and their counts in the topics where they occur."""

    start: Int64s  # first word of each pattern, and the end
    words: Int32s  # of each pattern the lowest number first
    pattern: Int64s  # of each entry, the entries of a pattern one behind the other
    topic: Int32s  # likewise
    counts: Int64s  # transactions of the topic that have the pattern
    extended: Int64s  # the most that have one certain word more; 0 where the pattern is not frequent


class _Stack(NamedTuple):
    """Patterns still to be searched, each with its list of transactions; those with most words on top."""

    word: Int32s  # the last one added
    depth: Int32s  # how many words
    own: Int64s  # once it was visited, the first transaction written for it; before, -1
    tid_start: Int64s  # its list ends where that of the next starts
    tids: Int32s


class _Scratch(NamedTuple):
    """Arrays by word, blank between two patterns, and lists of words."""

    tally: Int32s
    slot: Int32s  # number among the words to be added; _BESIDE: is kept, but not added; _NONE
    lists: Int32s  # three: words that were tallied, that have a slot, and that are added
    path: Int32s


class Miner:
    """Finds the patterns of ``transactions``, about ``batch`` of them at a time.

    A pattern needs ``min_support`` transactions of one topic, and has up to ``max_length`` words (None: any
    number). Extensions that fewer than ``least_extended`` transactions have need not be known: a lower number
    may be given for them. The search starts from the ``roots``: frequent words, the highest number first.
    """

    def __init__(
        self,
        transactions: Transactions,
        word_counts: Int64s,
        min_support: int,
        max_length: int | None = None,
        *,
        least_extended: int = 1,
        batch: int = BATCH,
    ) -> None:
        n_topics, n_stems = word_counts.shape
        self._longest = longest_in(transactions, max_length)
        self._min_support, self._least = min_support, min(least_extended, min_support)
        self.roots = np.flatnonzero(word_counts.max(axis=0, initial=0) >= min_support)[::-1].astype(np.int32)
        self.index = transactions.by_word(n_stems)
        room = _room(transactions, n_stems, self._longest)
        if transactions.topic.size + room > np.iinfo(np.int32).max:
            raise InputError("the documents are too many, or too long, to search them for sets of words")
        n_nodes = room // min_support + 2  # each has so many transactions
        self._stack = _Stack(
            np.empty(n_nodes, np.int32),
            np.empty(n_nodes, np.int32),
            np.empty(n_nodes, np.int64),
            np.empty(n_nodes + 1, np.int64),
            np.empty(room, np.int32),
        )
        start, words, topic = transactions
        self._transactions = Transactions(
            np.concatenate((start, np.empty(room, np.int64))),
            np.concatenate((words, np.empty(room, np.int32))),
            np.concatenate((topic, np.empty(room, np.int32))),
        )
        self._scratch = _Scratch(
            np.zeros(n_stems, np.int32),
            np.full(n_stems, _NONE, np.int32),
            np.empty((3, n_stems), np.int32),
            np.empty(self._longest, np.int32),
        )
        n_entries = 2 * batch + n_topics
        self._found = Patterns(
            np.zeros(batch + 1, np.int64),
            np.empty(4 * batch + self._longest, np.int32),
            np.empty(n_entries, np.int64),
            np.empty(n_entries, np.int32),
            np.empty(n_entries, np.int64),
            np.empty(n_entries, np.int64),
        )
        self._at = np.zeros(5, np.int64)
        self._at[_TRANSACTIONS] = transactions.topic.size
        self._n_taken = 0

    @property
    def n_found(self) -> int:
        """Patterns so far."""
        return self._n_taken + int(self._at[_PATTERNS])

    def parts(self, most: int = PARTS) -> list[list[int]]:
        """The roots in up to ``most`` parts of about equal work: each has rare and frequent ones."""
        n = min(most, self.roots.size)
        return [self.roots[i::n].tolist() for i in range(n)]

    def search(self, roots: Iterable[int]) -> Iterator[Patterns]:
        """Search from some of the roots; gives each batch that is full, which is overwritten by the next."""
        state = self._transactions, self._stack, self._scratch, self._found, self._at
        for root in roots:
            _start_from(root, self.index, self._stack, self._at)
            while not _search(*state, self._min_support, self._least, self._longest):
                yield self.rest()

    def rest(self) -> Patterns:
        """Patterns that were found but not handed over yet."""
        _, _, n, n_words, n_entries = self._at.tolist()
        self._at[_PATTERNS:] = 0
        self._n_taken += n
        found = self._found
        return Patterns(
            found.start[: n + 1],
            found.words[:n_words],
            found.pattern[:n_entries],
            found.topic[:n_entries],
            found.counts[:n_entries],
            found.extended[:n_entries],
        )


def longest_in(transactions: Transactions, max_length: int | None) -> int:
    """How many words a pattern may have."""
    longest = int(np.diff(transactions.start).max(initial=1))
    return longest if max_length is None else min(longest, max_length)


def _room(transactions: Transactions, n_stems: int, longest: int) -> int:
    """How long the lists of transactions may get, those from a root to the pattern at hand together.

    A transaction of n words is in the list of the root, in those of at most n - 1 words that are added to it,
    then of n - 2 that are added to one of these, and so on. Nor have those that are written more words.
    """
    lengths = np.diff(transactions.start)
    n = lengths.astype(np.float64)
    steps = np.minimum(n, longest) - 1
    places = 1 + steps * n - steps * (steps + 1) / 2
    return int(np.bincount(transactions.words, np.repeat(places, lengths), n_stems).max(initial=1))


def search_bytes(
    transactions: Transactions, n_stems: int, min_support: int, max_length: int | None, batch: int = BATCH
) -> int:
    """Memory a :class:`Miner` needs, whatever it finds."""
    room = _room(transactions, n_stems, longest_in(transactions, max_length))
    of_corpus = 28 * transactions.words.size + 12 * transactions.topic.size + 36 * n_stems
    return of_corpus + 20 * room + 24 * (room // min_support) + 80 * batch


@bare_kernel
def _start_from(root: int, index: Index, stack: _Stack, at: Int64s) -> None:
    first, n = index.start[root], index.start[root + 1] - index.start[root]
    for i in range(n):
        stack.tids[i] = index.tids[first + i]
    stack.word[0], stack.depth[0], stack.own[0] = root, 1, -1
    stack.tid_start[0], stack.tid_start[1] = 0, n
    at[_NODES] = 1


@bare_kernel
def _search(
    transactions: Transactions,
    stack: _Stack,
    scratch: _Scratch,
    found: Patterns,
    at: Int64s,
    min_support: int,
    least: int,
    longest: int,
) -> bool:
    """Go on until the stack is empty (true) or the batch full (false)."""
    start, words, topic = transactions
    tally, slot, lists, path = scratch
    touched, marked, added = lists[0], lists[1], lists[2]
    tid_start, tids = stack.tid_start, stack.tids
    n_topics = found.topic.size - 2 * (found.start.size - 1)
    while at[_NODES] > 0:
        node = at[_NODES] - 1
        word, depth = stack.word[node], stack.depth[node]
        if stack.own[node] >= 0:  # all that lay above it is done
            at[_NODES], at[_TRANSACTIONS] = node, stack.own[node]
            continue
        n_patterns, n_words, n_entries = at[_PATTERNS], at[_WORDS], at[_ENTRIES]
        if (
            n_patterns + 1 == found.start.size
            or n_words + depth > found.words.size
            or n_entries + n_topics > found.topic.size
        ):
            return False

        stack.own[node], path[depth - 1] = at[_TRANSACTIONS], word
        n_added, n_marked = np.int64(0), np.int64(0)
        first, last = tid_start[node], tid_start[node + 1]
        while first < last:  # topic by topic
            k, stop = topic[tids[first]], first + 1
            while stop < last and topic[tids[stop]] == k:
                stop += 1
            most = 0
            if stop - first >= min_support:  # where the pattern is rare, so is all that has more words
                n_touched = 0
                for i in range(first, stop):
                    for p in range(start[tids[i]], start[tids[i] + 1]):
                        other = words[p]
                        if tally[other] == 0:
                            touched[n_touched] = other
                            n_touched += 1
                        tally[other] += 1
                for i in range(n_touched):
                    other = touched[i]
                    n, tally[other] = tally[other], 0
                    if other == word:
                        continue
                    most = n if n > most else most
                    if n < least or depth == longest:
                        continue
                    if slot[other] == _NONE:
                        slot[other], marked[n_marked] = _BESIDE, other
                        n_marked += 1
                    if n >= min_support and other < word and slot[other] == _BESIDE:
                        slot[other], added[n_added] = n_added, other
                        n_added += 1
            found.pattern[n_entries], found.topic[n_entries] = n_patterns, k
            found.counts[n_entries], found.extended[n_entries] = stop - first, most
            n_entries += 1
            first = stop
        for i in range(depth):
            found.words[n_words + i] = path[depth - 1 - i]
        found.start[n_patterns + 1] = n_words + depth
        at[_PATTERNS], at[_WORDS], at[_ENTRIES] = n_patterns + 1, n_words + depth, n_entries

        if n_added:
            _push(transactions, stack, scratch, at, n_added)
        for i in range(n_marked):
            slot[marked[i]] = _NONE
    return True


@bare_kernel
def _push(
    transactions: Transactions, stack: _Stack, scratch: _Scratch, at: Int64s, n_added: np.int64
) -> None:
    """Put the pattern on top of the stack with each of the added words above it.

    Its transactions are written anew, behind all others, with only the words that may still matter.
    """
    start, words, topic = transactions
    tid_start, tids = stack.tid_start, stack.tids
    slot, added = scratch.slot, scratch.lists[2]
    node = at[_NODES] - 1
    base, t = node + 1, stack.own[node]
    n_words = start[t]
    for i in range(n_added):
        stack.word[base + i], stack.depth[base + i], stack.own[base + i] = added[i], stack.depth[node] + 1, -1
        tid_start[base + i + 1] = 0
    # The end of a new list is first its length, then its start, and moves on as the list is written.
    end = tid_start[base]
    for i in range(tid_start[node], end):
        for p in range(start[tids[i]], start[tids[i] + 1]):
            s = slot[words[p]]
            if s != _NONE:
                words[n_words] = words[p]
                n_words += 1
                if s >= 0:
                    tid_start[base + s + 1] += 1
        if n_words > start[t]:
            topic[t], start[t + 1] = topic[tids[i]], n_words
            t += 1
    for i in range(n_added):
        n = tid_start[base + i + 1]
        tid_start[base + i + 1] = end
        end += n
    for i in range(stack.own[node], t):
        for p in range(start[i], start[i + 1]):
            s = slot[words[p]]
            if s >= 0:
                tids[tid_start[base + s + 1]] = i
                tid_start[base + s + 1] += 1
    at[_NODES], at[_TRANSACTIONS] = base + n_added, t
