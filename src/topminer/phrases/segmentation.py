"""Algorithm 2: words grow into phrases, the most significant pair of neighbours first.

Each chunk starts as single words. While two neighbours make a frequent phrase, the pair with the best score
(of equal ones the leftmost) becomes one unit, and that is scored with its neighbours. The order does not
depend on the threshold, so merging goes on to the end, and each boundary between tokens gets a *strength*:
the lowest score among the merges up to the one that removed it, -inf if none did::

    token        mining   frequent   patterns   (without)   candidate   generation
    strength      -inf       7.90       2.92                   -inf         2.17

(from the counts of 44,000 titles). The partition at threshold t joins tokens over every boundary of strength
t or more: at 4 "mining frequent" is one phrase, at 2.5 "mining frequent patterns" is.

A boundary whose two words are no frequent phrase stays, as no longer phrase over it is frequent. Such
boundaries cut a chunk into *stretches*, and each is merged alone. That changes no strength: as long as a
stretch has a merge of score r to offer, none of less than r is made anywhere in the chunk.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.engines.local import map_in_order
from topminer.jit import inlined, kernel
from topminer.phrases.candidates import Int32s, Int64s
from topminer.phrases.mining import Phrases
from topminer.phrases.significance import PAPER, significance, significances
from topminer.progress import Progress, silent

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Int = np.int32 | np.int64

_RANGE = 1 << 15  # tokens a thread takes at a time
_PIECE = 1 << 10
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio
_U32 = np.uint64(32)
_FREE, _NO_KEY = -1, -2
_GLUED = np.iinfo(np.int32).max  # in place of a phrase


class Joins(NamedTuple):
    """Mined phrases as segmentation needs them: what a phrase and one more word make, and the score."""

    table: Int64s  # open addressing: a key, the phrase it stands for, the next key, ...
    goes_on: Bools  # by phrase: whether a longer one starts with it
    score: Floats  # by phrase: of joining its last word to the rest; -inf: never to be formed
    support: Int64s  # by phrase
    n_stems: int
    n_tokens: int
    scorer: int


class Merges(NamedTuple):
    """The merges of one text, in the order of Algorithm 2."""

    boundary: Int64s  # token boundary - 1 and token boundary come together
    left: Int64s  # the two phrases, and what they make
    right: Int64s
    joined: Int64s
    score: Floats
    strength: Floats  # the lowest score so far


@inlined
def _key(phrase: Int, stem: Int, n_stems: int) -> np.int64:
    """A phrase and one more word as a number; neither may be unknown."""
    return np.int64(phrase) * n_stems + stem if phrase >= 0 and stem >= 0 else np.int64(_NO_KEY)


@inlined
def _home(key: np.int64, table: Int64s) -> np.int64:
    """The place where the search for ``key`` starts."""
    h = np.uint64(key) * _MULTIPLIER
    return 2 * np.int64((h ^ (h >> _U32)) & np.uint64(table.size // 2 - 1))


@inlined
def _search(key: np.int64, at: np.int64, table: Int64s) -> np.int64:
    """The place of ``key``, looked for from ``at`` on, or the free one where it would be."""
    while (table[at] != key) & (table[at] != _FREE):
        at = (at + 2) & (table.size - 1)
    return at


@inlined
def _longer(phrase: Int, stem: Int, n_stems: int, table: Int64s) -> np.int64:
    """The phrase made of ``phrase`` and one more word; -1: not frequent."""
    key = _key(phrase, stem, n_stems)
    return np.int64(table[_search(key, _home(key, table), table) + 1])


@kernel
def _fill(phrases: Phrases, n_stems: int, scorer: int, table: Int64s, score: Floats) -> None:
    prefix, last, support, _, n_tokens, _, _ = phrases
    for phrase in range(n_stems, support.size):
        key = _key(prefix[phrase], last[phrase], n_stems)
        at = _search(key, _home(key, table), table)
        table[at], table[at + 1] = key, phrase
        f1, f2 = support[prefix[phrase]], support[last[phrase]]
        score[phrase] = significance(f1, f2, support[phrase], n_tokens, scorer)


def joins(phrases: Phrases, scorer: int = PAPER, forbidden: Int32s | None = None) -> Joins:
    """Prepare mined phrases for segmentation; the phrases in ``forbidden`` are never formed."""
    n_phrases, n_stems = phrases.support.size, phrases.n_stems
    table = np.full(2 << (4 * (n_phrases - n_stems)).bit_length(), _FREE, np.int64)
    score = np.full(n_phrases, -np.inf)
    _fill(phrases, n_stems, scorer, table, score)
    if forbidden is not None:
        score[forbidden] = -np.inf
    goes_on = np.zeros(n_phrases, np.bool_)
    goes_on[phrases.prefix[n_stems:]] = True
    return Joins(table, goes_on, score, phrases.support, n_stems, phrases.n_tokens, scorer)


@kernel
def _find_pairs(stems: Int32s, chunk_start: Int64s, known: Joins) -> Int32s:
    """The phrase that each token makes with the one before it; -1: none, or that is another chunk's.

    Piece by piece, in short loops: with no write between them, many reads from the table run at a time.
    """
    table, _, _, _, n_stems, _, _ = known
    pair = np.empty(stems.size, np.int32)
    key, home, unsure = np.empty(_PIECE, np.int64), np.empty(_PIECE, np.int64), np.empty(_PIECE, np.int64)
    for start in range(1, stems.size, _PIECE):
        size, n_unsure = min(_PIECE, stems.size - start), 0
        for k in range(size):
            key[k] = _key(stems[start + k - 1], stems[start + k], n_stems)
            home[k] = _home(key[k], table)
        for k in range(size):
            pair[start + k], unsure[n_unsure] = table[home[k] + 1], k
            n_unsure += (table[home[k]] != key[k]) & (table[home[k]] != _FREE)
        for k in unsure[:n_unsure]:
            pair[start + k] = table[_search(key[k], home[k], table) + 1]
    for c in range(chunk_start.size - 1):
        pair[chunk_start[c] - chunk_start[0]] = -1
    return pair


@inlined
def _set(tree: Floats, leaf: int, value: float) -> None:
    """Change a leaf of a tree in which each node is the greater of its two children."""
    tree[leaf] = value
    node = leaf >> 1
    while node > 0 and tree[node] != max(tree[2 * node], tree[2 * node + 1]):
        tree[node] = max(tree[2 * node], tree[2 * node + 1])
        node >>= 1


@inlined
def _leftmost_best(tree: Floats, n_leaves: int) -> int:
    """The first leaf that is as great as the root."""
    node = 1
    while node < n_leaves:
        node = 2 * node + (tree[2 * node] < tree[1])
    return node


@kernel
def _merge(stems: Int32s, pair: Int32s, known: Joins, strength: Floats, log: Int64s) -> int:
    """Run Algorithm 2 on each stretch of some chunks, write the strengths, and return the number of merges.

    If ``log`` has rows, they get each merge's boundary and the phrases on its left, on its right and made.
    """
    table, goes_on, score, support, n_stems, n_tokens, scorer = known
    phrase = np.empty(stems.size, np.int32)  # of the unit that starts at a token
    end = np.empty(stems.size, np.int32)  # of that unit
    before = np.empty(stems.size, np.int32)  # where the unit on its left starts
    joined = np.empty(stems.size, np.int32)  # the phrase the two would make, the score of which is a leaf
    tree = np.empty(64)
    stop, n_merges = 0, 0
    while stop < stems.size:
        start, stop = stop, stop + 1
        while stop < stems.size and pair[stop] >= 0:
            stop += 1
        strength[start:stop] = -np.inf
        if stop - start == 1:
            continue
        if stop - start == 2 and pair[start + 1] != _GLUED and log.size == 0:  # the most frequent case
            strength[start + 1] = score[pair[start + 1]]
            continue

        # Single words, but for what is glued together from the start.
        left = start
        phrase[start], end[start] = stems[start], start + 1
        for i in range(start + 1, stop):
            if pair[i] == _GLUED:
                strength[i] = np.inf
                phrase[left] = _longer(phrase[left], stems[i], n_stems, table)
            else:
                before[i], phrase[i], left = left, stems[i], i
            end[left] = i + 1
        n_leaves = 1
        while n_leaves < stop - start - 1:
            n_leaves *= 2
        if tree.size < 2 * n_leaves:
            tree = np.empty(2 * n_leaves)
        tree[: 2 * n_leaves] = -np.inf
        first_leaf = n_leaves - (start + 1)

        lowest = np.inf
        at, behind = end[start], stop  # the boundaries to be scored: where a unit starts from here to there
        while True:
            while at <= behind and at < stop:
                # What the units on both sides make: the left one and the words of the right one, one by one.
                left, i, made = before[at], at, np.int64(phrase[before[at]])
                if at - left == 1:
                    i, made = at + 1, np.int64(pair[at])
                while i < end[at] and made >= 0:
                    made = _longer(made, stems[i], n_stems, table) if goes_on[made] else np.int64(-1)
                    i += 1
                value = score[made] if made >= 0 else -np.inf
                if end[at] - at > 1 and value > -np.inf:
                    f1, f2 = support[phrase[left]], support[phrase[at]]
                    value = significance(f1, f2, support[made], n_tokens, scorer)
                joined[at] = made
                _set(tree, first_leaf + at, value)
                at = end[at]
            if tree[1] == -np.inf:
                break
            at = _leftmost_best(tree, n_leaves) - first_leaf
            left, behind = before[at], end[at]
            if log.size > 0:
                log[n_merges, 0], log[n_merges, 1] = at, phrase[left]
                log[n_merges, 2], log[n_merges, 3] = phrase[at], joined[at]
            n_merges += 1
            lowest = min(lowest, tree[1])
            strength[at] = lowest
            _set(tree, first_leaf + at, -np.inf)
            phrase[left], end[left] = joined[at], behind
            if behind < stop:
                before[behind] = left
            at = left if left > start else behind
    return n_merges


def _ranges(chunk_start: Int64s) -> Iterator[slice]:
    """Cut chunks into ranges of about ``_RANGE`` tokens, without cutting a chunk."""
    cuts = np.searchsorted(chunk_start, np.arange(0, chunk_start[-1] + _RANGE, _RANGE))
    for first, behind in pairwise(np.unique(np.minimum(cuts, chunk_start.size - 1)).tolist()):
        yield slice(first, behind + 1)


def _run(
    stem_ids: Int32s, chunk_start: Int64s, known: Joins, glued: Bools | None, strength: Floats, log: Int64s
) -> int:
    """Find the strengths of some chunks; ``glued`` and ``strength`` are the whole corpus's."""
    tokens = slice(chunk_start[0], chunk_start[-1])
    pair = _find_pairs(stem_ids[tokens], chunk_start, known)
    if glued is not None:
        is_glued = glued[tokens].copy()
        is_glued[chunk_start[:-1] - chunk_start[0]] = False
        pair[is_glued] = _GLUED
    return _merge(stem_ids[tokens], pair, known, strength[tokens], log)


def segment(
    stem_ids: Int32s,
    chunk_start: Int64s,
    known: Joins,
    glued: Bools | None = None,
    n_threads: int = 1,
    progress: Progress = silent,
) -> Floats:
    """Find the strength of the boundary before each token, by Algorithm 2.

    Chunks are as in :func:`mine`; a stem of -1 is a word never seen, and joins nothing. ``glued`` says which
    tokens belong to the one before them, whatever the counts: the strength is inf there, and what is glued is
    one unit from the start, which joins more only if it is a frequent phrase.
    """
    strength = np.empty(stem_ids.size)
    log = np.empty((0, 4), np.int64)

    def run(chunks: slice) -> int:
        _run(stem_ids, chunk_start[chunks], known, glued, strength, log)
        return int(chunk_start[chunks.stop - 1])

    for n_done in map_in_order(run, _ranges(chunk_start), n_threads):
        progress("Segmenting", n_done, stem_ids.size, "tokens")
    return strength


def merges(stem_ids: Int32s, chunk_start: Int64s, known: Joins, glued: Bools | None = None) -> Merges:
    """Find every merge of one document, in order."""
    strength, log = np.empty(stem_ids.size), np.empty((max(1, stem_ids.size), 4), np.int64)
    log = log[: _run(stem_ids, chunk_start, known, glued, strength, log)]
    # Stretch by stretch, from left to right, is how they come; the best first is how they happen.
    boundary, left, right, joined = log[np.argsort(-strength[log[:, 0]], kind="stable")].T
    f1, f2, f12 = (known.support[phrase] for phrase in (left, right, joined))
    score = significances(f1, f2, f12, known.n_tokens, known.scorer)
    return Merges(boundary, left, right, joined, score, strength[boundary])


def phrase_starts(strength: Floats, threshold: float) -> Int64s:
    """The first token of each phrase instance of the partition at ``threshold``."""
    return np.flatnonzero((strength < threshold) | (strength == -np.inf))


@kernel
def _walk(stems: Int32s, chunk_start: Int64s, known: Joins, found: Int64s) -> int:
    """Count the places where phrases of several words stand, and write them down where there is room."""
    table, goes_on, n_stems = known.table, known.goes_on, known.n_stems
    n = 0
    for c in range(chunk_start.size - 1):
        stop = chunk_start[c + 1]
        for i in range(chunk_start[c], stop):
            phrase, behind = np.int64(stems[i]), i + 1
            while behind < stop and goes_on[phrase]:
                phrase = _longer(phrase, stems[behind], n_stems, table)
                if phrase < 0:
                    break
                behind += 1
                if found.size > 0:
                    found[0, n], found[1, n], found[2, n] = i, behind - i, phrase
                n += 1
    return n


def occurrences(stem_ids: Int32s, chunk_start: Int64s, known: Joins) -> Int64s:
    """First token, length and id of every place where a frequent phrase of several words stands."""
    n = _walk(stem_ids, chunk_start, known, np.empty((3, 0), np.int64))
    found = np.empty((3, n), np.int64)
    _walk(stem_ids, chunk_start, known, found)
    return found
