"""The sampler of PD-LDA: where phrases start, and their topics, token by token.

Token i either starts a phrase (c_i = 1) with a topic of its own, or continues the one before it. Only what
lies from i to the end of the phrase that holds i changes: its topic, its coins, the contexts of its words.
With all that taken out, there are K + 1 ways to put it back: one for each topic of a new phrase, and one that
continues::

    ... database | support vector machine ...        i at "support"
    starts, topic k:    coin(starts)    * (alpha + N_dk) / (K alpha + N_d) * P(support | ⟨k⟩) * ...
    continues:          coin(continues) *                                    P(support | ⟨z, database⟩) * ...

The rest of each product runs over the words and coins behind i. One way is drawn in proportion to these
products F, all taken at the counts that are left. Then words and coins are put in one after the other, each
word at a table drawn from its conditional, which gives the product E at counts as they change.

For a single word with coins of its own E is F, and this is a Gibbs step. Else one word changes what the next
finds, and the step is accepted if a draw is below (E_new / F_new) / (E_old / F_old), after Metropolis and
Hastings. E_old comes from taking out the last first, which is the way back. The tables cancel: they are drawn
from their conditionals both ways. A step that is refused is undone, table by table. So the joint distribution
of phrases, topics and tables is left as it is, exactly.

The coin of token i belongs to the topic and the word of token i - 1. No coin is thrown at the first token of
a chunk, nor behind a phrase of the maximum length: both start a phrase.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel
from topminer.methods.rivals.pitman_yor import (
    ALL,
    ALL_TABLES,
    CHILD,
    CONTINUED,
    CUSTOMERS,
    LEFT,
    STARTED,
    TABLES,
    TAKEN,
    Restaurants,
    drawn,
    has_room,
)
from topminer.methods.rivals.seating import chance, row_of, seat, unseat

ALPHA, CONTINUE, START = 0, 1, 2  # priors: of each topic in a document, and of the faces of a coin


class Chain(NamedTuple):
    """Phrases and their topics, and room for a step."""

    stems: NDArray[np.int32]
    doc_start: NDArray[np.int64]
    first: NDArray[np.uint8]  # 1 where a chunk starts
    starts: NDArray[np.uint8]  # 1 where a phrase starts
    topics: NDArray[np.int32]  # of each token
    priors: NDArray[np.float64]
    held: NDArray[np.int64]  # phrases of each topic in the document at hand
    weights: NDArray[np.float64]  # of each topic of a new phrase, and of none
    trace: NDArray[np.int32]  # (2, length, depths): tables that were left, and tables that were taken
    max_length: int


class Place(NamedTuple):
    """A token, the start of the phrase before it, the end of its own, and which ends of that have coins.

    1: at the token, 2: behind the end; if the token starts a phrase, and if it does not.
    """

    i: np.int64
    before: np.int64
    stop: np.int64
    if_new: int
    if_not: int


# What happens to a coin.
IN, OUT, ASK = (
    np.int64(1),
    np.int64(-1),
    np.int64(0),
)  # typed: Numba compiles a function again for each literal


@bare_kernel
def _throw(state: Restaurants, chain: Chain, topic: Int, word: Int, face: Int, by: Int) -> float:
    """Count a coin IN, OUT or not at all (ASK); how probable its face is without it."""
    rows, row = state.rows, row_of(state, topic + 1, word)
    if by < 0:
        rows[row, face] -= 1
    n = rows[row, CONTINUED] + rows[row, STARTED]
    either = chain.priors[CONTINUE] + chain.priors[START]
    p = float((rows[row, face] + chain.priors[CONTINUE + face]) / (n + either))
    if by > 0:
        rows[row, face] += 1
    return p


@bare_kernel
def _is_single(stems: NDArray[np.int32], i: Int, stop: Int, coins: Int) -> bool:
    """Whether there is one word only, whose coins are two different ones."""
    return bool(stop == i + 1 and (coins & 1 == 0 or stems[i] != stems[i - 1]))


@bare_kernel
def _put_in(
    state: Restaurants, chain: Chain, i: Int, start: Int, stop: Int, topic: Int, coins: Int, side: Int
) -> float:
    """Seat tokens ``i`` to before ``stop`` of a phrase that starts at ``start``; the product of chances.

    ``coins`` says at which ends there are any: 1 at ``i``, 2 at ``stop``.
    """
    stems = chain.stems
    p = 1.0
    if coins & 1:
        face = STARTED if start == i else CONTINUED
        p *= _throw(state, chain, np.int64(chain.topics[i - 1]), np.int64(stems[i - 1]), face, IN)
    for j in range(i, stop):
        if j > i:
            p *= _throw(state, chain, topic, np.int64(stems[j - 1]), CONTINUED, IN)
        p *= seat(state, stems, j, start, topic, chain.trace, side)
    if coins & 2:
        p *= _throw(state, chain, topic, np.int64(stems[stop - 1]), STARTED, IN)
    return p


@bare_kernel
def _take_out(
    state: Restaurants,
    chain: Chain,
    i: Int,
    start: Int,
    stop: Int,
    topic: Int,
    coins: Int,
    side: Int,
) -> float:
    """Undo :func:`_put_in`, the last first; the product of chances that it would give, where anybody asks."""
    stems = chain.stems
    p, ask = 1.0, not _is_single(stems, i, stop, coins)
    if coins & 2:
        p *= _throw(state, chain, topic, np.int64(stems[stop - 1]), STARTED, OUT)
    for j in range(stop - 1, i - 1, -1):
        unseat(state, stems, j, start, topic, chain.trace, side)
        if ask and side == LEFT:
            p *= chance(state, stems, j, start, topic)
        if j > i:
            p *= _throw(state, chain, topic, np.int64(stems[j - 1]), CONTINUED, OUT)
    if coins & 1:
        face = STARTED if start == i else CONTINUED
        p *= _throw(state, chain, np.int64(chain.topics[i - 1]), np.int64(stems[i - 1]), face, OUT)
    return p


@bare_kernel
def _weigh_topics(state: Restaurants, chain: Chain, i: Int, stop: Int) -> None:
    """Multiply the weight of each topic by the chances of a phrase from ``i`` to before ``stop``."""
    rows, nodes, stems, weights = state.rows, state.nodes, chain.stems, chain.weights
    discount, strength, n_topics = state.discount, state.strength, state.n_topics
    continues = chain.priors[CONTINUE]
    either = continues + chain.priors[START]
    for j in range(i, stop):
        word = np.int64(stems[j])
        row = word * (n_topics + 1)
        base = (strength[0] + discount[0] * nodes[0, ALL_TABLES]) / state.n_words
        base += rows[row, CUSTOMERS] - discount[0] * rows[row, TABLES]
        base /= strength[0] + nodes[0, ALL]
        for k in range(n_topics):
            row = word * (n_topics + 1) + k + 1
            p = (strength[1] + discount[1] * nodes[k + 1, ALL_TABLES]) * base
            p += rows[row, CUSTOMERS] - discount[1] * rows[row, TABLES]
            p /= strength[1] + nodes[k + 1, ALL]
            if j > i:
                row = np.int64(stems[j - 1]) * (n_topics + 1) + k + 1
                n = rows[row, CONTINUED]
                weights[k] *= (n + continues) / (n + rows[row, STARTED] + either)
                node, d = np.int64(rows[row, CHILD]), 2
                while node > 0:
                    p *= strength[d] + discount[d] * nodes[node, ALL_TABLES]
                    row = row_of(state, node, word)
                    if row >= 0:
                        p += rows[row, CUSTOMERS] - discount[d] * rows[row, TABLES]
                    p /= strength[d] + nodes[node, ALL]
                    if d > j - i:
                        break
                    row = row_of(state, node, np.int64(stems[j - d]))
                    node = np.int64(rows[row, CHILD]) if row >= 0 else np.int64(0)
                    d += 1
            weights[k] *= p


@bare_kernel
def _weigh(state: Restaurants, chain: Chain, place: Place, n_held: Int) -> None:
    """Weigh all ways to put token i and those behind it back, at the counts as they are."""
    stems, weights, n_topics = chain.stems, chain.weights, state.n_topics
    i, before, stop = place.i, place.before, place.stop
    scale = 1.0 / (n_topics * chain.priors[ALPHA] + n_held)
    weights[n_topics] = 0.0
    if place.if_new & 1:
        topic, word = np.int64(chain.topics[i - 1]), np.int64(stems[i - 1])
        scale *= _throw(state, chain, topic, word, STARTED, ASK)
        if stop - before <= chain.max_length:
            p = 1.0
            for j in range(i, stop):
                p *= _throw(state, chain, topic, np.int64(stems[j - 1]), CONTINUED, ASK)
                p *= chance(state, stems, j, before, topic)
            if place.if_not & 2:
                p *= _throw(state, chain, topic, np.int64(stems[stop - 1]), STARTED, ASK)
            weights[n_topics] = p
    for k in range(n_topics):
        weights[k] = scale * (chain.priors[ALPHA] + chain.held[k])
    _weigh_topics(state, chain, i, stop)
    if place.if_new & 2:
        for k in range(n_topics):
            weights[k] *= _throw(state, chain, np.int64(k), np.int64(stems[stop - 1]), STARTED, ASK)


@bare_kernel
def _place(chain: Chain, i: Int) -> Place:
    """What token ``i`` stands between."""
    starts, longest = chain.starts, chain.max_length
    before, stop = np.int64(i), np.int64(i + 1)
    if not chain.first[i]:
        before -= 1
        while not starts[before]:
            before -= 1
    while stop < starts.size and not starts[stop]:
        stop += 1
    here = 1 if before < i and i - before < longest else 0
    there = 2 if stop < starts.size and not chain.first[stop] else 0
    return Place(
        np.int64(i),
        before,
        stop,
        here + (there if stop - i < longest else 0),
        here + (there if stop - before < longest else 0),
    )


@bare_kernel
def _move(state: Restaurants, chain: Chain, i: Int, n_held: Int) -> Int:
    """Draw whether token ``i`` starts a phrase, and its topic; how many phrases the document then has."""
    topics, weights, held, n_topics = chain.topics, chain.weights, chain.held, state.n_topics
    place = _place(chain, i)
    before, stop = place.before, place.stop
    single = _is_single(chain.stems, i, stop, place.if_new)
    none = np.int64(n_topics)  # instead of the topic of a new phrase

    old_topic = np.int64(topics[i])
    old = old_topic if chain.starts[i] else none
    old_start, old_coins = (before, place.if_not) if old == none else (place.i, place.if_new)
    exact_old = _take_out(state, chain, i, old_start, stop, old_topic, old_coins, np.int64(LEFT))
    if old < none:
        held[old] -= 1
        n_held -= 1

    _weigh(state, chain, place, n_held)
    total = 0.0
    for k in range(n_topics + 1):
        total += weights[k]
    x = drawn(state) * total - weights[0]
    new, last = np.int64(0), n_topics if weights[n_topics] > 0.0 else n_topics - 1
    while x >= 0.0 and new < last:
        new += 1
        x -= weights[new]

    topic = new if new < none else np.int64(topics[i - 1])
    start, coins = (before, place.if_not) if new == none else (place.i, place.if_new)
    exact = _put_in(state, chain, i, start, stop, topic, coins, np.int64(TAKEN))
    if not single:
        alpha, all_held = chain.priors[ALPHA], n_topics * chain.priors[ALPHA] + n_held
        exact *= (alpha + held[new]) / all_held if new < none else 1.0
        exact_old *= (alpha + held[old]) / all_held if old < none else 1.0
        if drawn(state) * (exact_old / weights[old]) >= exact / weights[new]:
            _take_out(state, chain, i, start, stop, topic, coins, np.int64(TAKEN))
            _put_in(state, chain, i, old_start, stop, old_topic, old_coins, np.int64(LEFT))
            new, topic = old, old_topic
    if new < none:
        held[new] += 1
        n_held += 1
    chain.starts[i] = 1 if new < none else 0
    for j in range(i, stop):
        topics[j] = topic
    return n_held


@bare_kernel
def sweep(state: Restaurants, chain: Chain, doc: Int, token: Int) -> int:
    """Draw from ``token``, in or before ``doc``, to the end; the token for which there was no room."""
    doc_start, held = chain.doc_start, chain.held
    for d in range(doc, doc_start.size - 1):
        for k in range(held.size):
            held[k] = 0
        n_held: Int = np.int64(0)
        for j in range(doc_start[d], doc_start[d + 1]):
            if chain.starts[j]:
                held[chain.topics[j]] += 1
                n_held += 1
        for i in range(token if token > doc_start[d] else doc_start[d], doc_start[d + 1]):
            if not has_room(state):
                return i
            n_held = _move(state, chain, i, n_held)
    return chain.stems.size


@bare_kernel
def seat_all(state: Restaurants, chain: Chain, token: Int) -> int:
    """Seat all tokens from ``token`` on, phrases and topics being given; where there was no more room."""
    start = token
    while start > 0 and start < chain.stems.size and not chain.starts[start]:
        start -= 1
    length = 0  # of the phrase before
    if token > 0:
        length = 1
        while not chain.starts[token - length]:
            length += 1
    for j in range(token, chain.stems.size):
        if not has_room(state):
            return j
        if chain.starts[j]:
            start = j
        if not chain.first[j] and length < chain.max_length:
            face = STARTED if start == j else CONTINUED
            _throw(state, chain, np.int64(chain.topics[j - 1]), np.int64(chain.stems[j - 1]), face, IN)
        seat(state, chain.stems, j, start, np.int64(chain.topics[j]), chain.trace, np.int64(TAKEN))
        length = j - start + 1
    return chain.stems.size
