"""Algorithm 2: words grow into phrases, the most significant pair of neighbours first.

Each chunk starts as single words. While two neighbours make a frequent phrase, the pair with the best score
(of equal ones the leftmost) is merged into one unit, and the unit is scored with its neighbours. The order of
merges does not depend on the threshold, so merging goes on to the end, and each boundary between two tokens
gets a *strength*: the lowest score among the merges up to the one that removed the boundary, -inf if none
did::

    token        mining   frequent   patterns   (without)   candidate   generation
    strength      -inf       7.90       2.92                   -inf         2.17

(with the counts of 44,000 titles). The partition at threshold t joins tokens over every boundary of strength
t or more: at 4 "mining frequent" is one phrase, at 2.5 "mining frequent patterns" is one.

As printed, Algorithm 2 stops while one pair is left (``H.size() > 1``). Here merging ends when no pair is
left.

A boundary between two words that are no frequent phrase always stays, because no longer phrase over it is
frequent. Such boundaries cut a chunk into *stretches*, and each stretch is merged on its own. That changes no
strength: while a stretch has a merge of score r left, the whole chunk makes no merge of a lower score.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from topminer.engines.local import map_in_order
from topminer.jit import bare_kernel, inlined
from topminer.phrases.mining import Mined
from topminer.phrases.phrase_index import PhraseIndex, Stems, sequence_ids
from topminer.phrases.phrase_tree import PhraseTree, beginning
from topminer.phrases.scores import significance, significances
from topminer.phrases.sequence import Bools, Floats, Int32s, Int64s, Sequence
from topminer.progress import Progress, silent

_RANGE = 1 << 15  # tokens that a thread takes at a time


class ScoredPhrases(NamedTuple):
    """Mined phrases as segmentation needs them."""

    tree: PhraseTree
    score: Floats  # by phrase: of joining its last word to the rest; -inf: never to be formed
    evidence: Int64s  # by phrase
    n_tokens: int


class Merges(NamedTuple):
    """The merges of one text, in the order of Algorithm 2."""

    boundary: Int64s  # the tokens boundary - 1 and boundary are joined
    left: Int64s  # the phrase on the left
    right: Int64s  # the phrase on the right
    joined: Int64s  # the phrase that the merge makes
    score: Floats
    strength: Floats  # the lowest score so far


class _Units(NamedTuple):
    """Arrays that a kernel overwrites: a unit stands at the token where it starts."""

    phrase: Int32s
    end: Int32s
    before: Int32s  # the start of the unit on its left
    joined: Int32s  # the phrase that the two would make; its score is a leaf of the tournament
    tournament: Floats


def _make_units(part: Sequence) -> _Units:
    """Allocate the units of some chunks."""
    longest_chunk = int(np.diff(part.chunk_start).max(initial=1))
    phrase, end, before, joined = np.empty((4, part.ids.size), np.int32)
    tournament = np.empty(2 << longest_chunk.bit_length())  # twice a power of two that is no less
    return _Units(phrase, end, before, joined, tournament)


def score_phrases(mined: Mined, index: PhraseIndex, never: Iterable[Stems] = ()) -> ScoredPhrases:
    """Prepare mined phrases for segmentation; the phrases in ``never`` are not formed."""
    n_stems, f = mined.n_stems, mined.evidence
    score = np.full(f.size, -np.inf)
    enough = n_stems + np.flatnonzero(f[n_stems:] >= mined.min_support)
    score[enough] = significances(f[mined.prefix[enough]], f[mined.last[enough]], f[enough], mined.n_tokens)
    forbidden = sequence_ids(index, never)
    score[forbidden[forbidden >= 0]] = -np.inf
    return ScoredPhrases(index.tree, score, f, mined.n_tokens)


@inlined
def _set(tournament: Floats, leaf: int, value: float) -> None:
    """Change a leaf of a tree in which each node is the maximum of its two children."""
    tournament[leaf] = value
    node = leaf >> 1
    while node > 0:
        left, right = tournament[2 * node], tournament[2 * node + 1]
        best = right if right > left else left
        if tournament[node] == best:
            break
        tournament[node] = best
        node >>= 1


@inlined
def _leftmost_best(tournament: Floats, n_leaves: int) -> int:
    """Return the first leaf that is equal to the root."""
    node = 1
    while node < n_leaves:
        node = 2 * node + (tournament[2 * node] < tournament[1])
    return node


@bare_kernel
def _merge(
    stems: Int32s,
    longest: Int32s,
    glued: Bools,
    phrases: ScoredPhrases,
    units: _Units,
    strength: Floats,
    log: Int64s,
) -> int:
    """Run Algorithm 2 on each stretch of some chunks, write the strengths, and return the number of merges.

    ``longest`` is the longest phrase that starts at each token (phrase_tree.py). ``glued`` is empty if no
    token is glued. If ``log`` has rows, each merge gets one: its boundary, the phrases on its left and right,
    and the phrase made.
    """
    tree, score, evidence, n_tokens = phrases
    phrase, end, before, joined, tournament = units
    first_pair = tree.length_start[2]
    any_glued = glued.size > 0
    stop, n_merges = 0, 0
    while stop < stems.size:
        start, stop = stop, stop + 1
        while stop < stems.size and (longest[stop - 1] >= first_pair or (any_glued and glued[stop])):
            stop += 1
        strength[start] = -np.inf
        if stop - start == 1:
            continue
        is_pair = stop - start == 2 and not (any_glued and glued[start + 1])
        if is_pair and log.size == 0:  # the most frequent case
            strength[start + 1] = score[longest[start]]
            continue

        # Units are single words, except where tokens are glued.
        left = start
        phrase[start], end[start] = stems[start], start + 1
        for i in range(start + 1, stop):
            strength[i] = -np.inf
            if any_glued and glued[i]:
                strength[i] = np.inf
                phrase[left] = beginning(longest[left], i + 1 - left, tree)
            else:
                before[i], phrase[i], left = left, stems[i], i
            end[left] = i + 1
        n_leaves = 1
        while n_leaves < stop - start - 1:
            n_leaves *= 2
        for node in range(2 * n_leaves):
            tournament[node] = -np.inf
        first_leaf = n_leaves - (start + 1)

        lowest = np.inf
        at, last = end[start], stop  # the boundaries to be scored: where units start, from `at` to `last`
        while True:
            while at <= last and at < stop:
                left = before[at]
                made = beginning(longest[left], end[at] - left, tree)
                value = score[made] if made >= 0 else -np.inf
                if end[at] - at > 1 and value > -np.inf:
                    f1, f2 = evidence[phrase[left]], evidence[phrase[at]]
                    value = significance(f1, f2, evidence[made], n_tokens)
                joined[at] = made
                _set(tournament, first_leaf + at, value)
                at = end[at]
            if tournament[1] == -np.inf:
                break
            at = _leftmost_best(tournament, n_leaves) - first_leaf
            left, last = before[at], end[at]
            if log.size > 0:
                log[n_merges, 0], log[n_merges, 1] = at, phrase[left]
                log[n_merges, 2], log[n_merges, 3] = phrase[at], joined[at]
            n_merges += 1
            lowest = tournament[1] if tournament[1] < lowest else lowest
            strength[at] = lowest
            _set(tournament, first_leaf + at, -np.inf)
            phrase[left], end[left] = joined[at], last
            if last < stop:
                before[last] = left
            at = left if left > start else last
    return n_merges


def _run(part: Sequence, longest: Int32s, phrases: ScoredPhrases, strength: Floats, log: Int64s) -> int:
    """Write the strengths of some chunks, and return the number of merges."""
    glued = np.empty(0, np.bool_) if part.glued is None else part.glued.copy()
    if part.glued is not None:
        glued[part.chunk_start[:-1] - part.chunk_start[0]] = False
    return _merge(part.ids, longest, glued, phrases, _make_units(part), strength, log)


def segment(
    sequence: Sequence,
    longest: Int32s,
    phrases: ScoredPhrases,
    n_threads: int = 1,
    progress: Progress = silent,
) -> Floats:
    """Run Algorithm 2, and return the strength of the boundary before each token.

    ``longest`` is the longest phrase that starts at each token (phrase_tree.py). A word that is not in the
    vocabulary joins nothing. Tokens that are glued are one unit from the start, whatever the counts; the
    strength inside is inf. The unit joins others only if the result is a frequent phrase.
    """
    n_tokens = sequence.ids.size
    strength, no_log = np.empty(n_tokens), np.empty((0, 4), np.int64)

    def run(part: Sequence) -> int:
        start, stop = part.chunk_start[[0, -1]] - sequence.chunk_start[0]
        _run(part, longest[start:stop], phrases, strength[start:stop], no_log)
        return int(stop)

    for n_done in map_in_order(run, sequence.in_ranges(_RANGE), n_threads):
        progress("Segmenting", n_done, n_tokens, "tokens")
    return strength


def find_merges(sequence: Sequence, longest: Int32s, phrases: ScoredPhrases) -> Merges:
    """Return every merge of one document, in order."""
    n_tokens = sequence.ids.size
    strength, log = np.empty(n_tokens), np.empty((max(1, n_tokens), 4), np.int64)
    log = log[: _run(sequence, longest, phrases, strength, log)]
    # The log goes stretch by stretch from left to right; Algorithm 2 takes the best merge first.
    boundary, left, right, joined = log[np.argsort(-strength[log[:, 0]], kind="stable")].T
    f1, f2, f12 = (phrases.evidence[phrase] for phrase in (left, right, joined))
    score = significances(f1, f2, f12, phrases.n_tokens)
    return Merges(boundary, left, right, joined, score, strength[boundary])


def phrase_bounds(strength: Floats, threshold: float) -> Int64s:
    """Return the first token of each phrase instance of the partition at ``threshold``, and the last's end.

    A boundary of strength -inf is cut at every threshold.
    """
    starts = np.ones(strength.size + 1, np.bool_)
    np.less(strength, max(threshold, np.finfo(np.float64).min), out=starts[:-1])
    return np.flatnonzero(starts)
