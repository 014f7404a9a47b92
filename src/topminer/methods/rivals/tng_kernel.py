"""Topical n-grams, one sweep: topic and flag of each token, drawn together from their exact conditional.

Token i, word w, has a topic z, and a flag x that says whether its word was drawn after the word before it (1)
or by itself (0). The token before has word w' and topic z', the next one flag x⁺. With counts that leave out
token i and the flag behind it::

    p(z, x) ∝ (α + tokens of topic z in the document)
            × (γ + flags x after w' of topic z')
            × (β + tokens w by themselves in z) / (Vβ + tokens by themselves in z)      if x = 0
              (δ + tokens w after w' in z) / (Vδ + tokens after w' in z)                if x = 1
            × (γ + flags x⁺ after w of topic z) / (2γ + flags after w of topic z)

In "w w" with z = z' both flags come from one urn: there the last factor counts flag x too. The first token of
a chunk has x = 0 and no flag is drawn; behind the last there is no next flag.

A word has four rows of counts by topic: tokens of it by themselves, flags 0 and flags 1 after it, tokens
drawn after it. A pair of words that occurs once has no row: without that token its counts are 0. One more
word, which is none, stands before the first token of a chunk and for the urn of the last; its counts stay 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel, inlined
from topminer.jit.lanes import (
    WIDTH,
    Floats,
    aligned,
    every,
    lane,
    last,
    load,
    load_counts,
    only,
    padded,
    prefetch,
    prefix_sum,
    replaced,
    store,
)
from topminer.topics.kernels.draw import draw_by_lanes, uniform

AHEAD = 6  # tokens whose counts are asked for early
LINE = 16  # counts in a cache line
N_ROWS = 4  # of a word
NONE, IN, OUT = (
    np.int64(0),
    np.int64(1),
    np.int64(-1),
)  # typed: Numba compiles a function again for each literal
ZEROS, AFTER = 1, 3  # which of them: flags 0, flags 1 being next; tokens drawn after the word


class Priors(NamedTuple):
    """Each a symmetric one: of topics in documents, words in topics, flags, words after a word in topics."""

    alpha: float
    beta: float
    gamma: float
    delta: float


class Text(NamedTuple):
    """The tokens, as the kernel reads them."""

    words: NDArray[np.int32]
    begins: NDArray[np.uint8]  # (tokens + 1): 1 where a chunk begins, and behind the last token
    pairs: NDArray[np.int32]  # the row of each token's pair of words; 0: it occurs once, or there is none
    doc_start: NDArray[np.int64]
    n_words: int
    n_pairs: int  # rows, the first of them for those that have none


class State(NamedTuple):
    """Topics, flags and what follows from them. Arrays by topic are padded to full lanes, tables are flat."""

    text: Text
    topics: NDArray[np.uint16]
    flags: NDArray[np.uint8]
    counts: NDArray[np.int32]  # four rows for each word, and for the word that is none
    after: NDArray[np.int32]  # a row for each pair: tokens drawn after the word before
    tokens: NDArray[np.int32]  # drawn by themselves, by topic
    share: NDArray[np.float32]  # 1 / (Vβ + tokens)
    alpha: NDArray[np.float32]  # 0 behind the last topic
    beta: float
    gamma: float
    delta: float
    n_topics: int
    # Room to work in.
    document: NDArray[np.int32]  # tokens of each topic in the document at hand
    sums: NDArray[np.float32]
    vector_of: NDArray[np.int32]


class _Place(NamedTuple):
    """Where the counts of one token lie."""

    by_itself: Int  # the row of its word
    urn: Int  # the four rows of its word, if a flag is drawn after it
    before: Int  # the four rows of the word before it
    topic_before: Int
    pair: Int
    next_flag: Int
    has_before: Int  # 1 or 0, as the next two
    has_next: Int
    has_pair: Int


def read(
    stem_ids: NDArray[np.int32], doc_start: NDArray[np.int64], chunk_start: NDArray[np.int64], n_words: int
) -> Text:
    """The tokens of a corpus; pairs of words that occur more than once get a row each."""
    words = np.array(stem_ids, np.int32)
    begins = np.zeros(words.size + 1, np.uint8)
    begins[chunk_start] = 1
    begins[-1] = 1
    second = np.flatnonzero(begins[:-1] == 0)
    keys = words[second - 1] * np.int64(n_words) + words[second]
    _, kind, n = np.unique(keys, return_inverse=True, return_counts=True)
    often = n > 1
    row_of = np.where(often, np.cumsum(often), 0)
    pairs = np.zeros(words.size, np.int32)
    pairs[second] = row_of[kind]
    return Text(words, begins, pairs, np.array(doc_start, np.int64), n_words, int(often.sum()) + 1)


def bytes_needed(text: Text, n_topics: int) -> int:
    """How much memory a state takes."""
    n_rows = N_ROWS * (text.n_words + 1) + text.n_pairs
    return 4 * int(padded(n_topics)) * n_rows + 3 * text.words.size


def start(text: Text, n_topics: int, priors: Priors, seed: int) -> State:
    """A state of random topics and flags."""
    n, n_tokens = padded(n_topics), text.words.size
    alpha = aligned(n, np.float32)
    alpha[:n_topics] = priors.alpha
    random = np.random.default_rng([seed, 0])
    state = State(
        text,
        random.integers(n_topics, size=n_tokens, dtype=np.uint16),
        random.integers(2, size=n_tokens, dtype=np.uint8) * (1 - text.begins[:-1]),
        aligned(N_ROWS * n * (text.n_words + 1), np.int32),
        aligned(n * text.n_pairs, np.int32),
        aligned(n, np.int32),
        aligned(n, np.float32),
        alpha,
        priors.beta,
        priors.gamma,
        priors.delta,
        n_topics,
        aligned(n, np.int32),
        aligned(2 * n, np.float32),
        aligned(WIDTH, np.int32),
    )
    recount(state)
    return state


def tables(state: State) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Counts as (words, four rows, topics) and (pairs, topics), without what pads them."""
    n, k = state.alpha.size, state.n_topics
    return state.counts.reshape(-1, N_ROWS, n)[:-1, :, :k], state.after.reshape(-1, n)[1:, :k]


@inlined
def _place(state: State, i: Int, n: Int) -> _Place:
    """Where the counts of token ``i`` lie, with ``n`` counts in a row."""
    text = state.text
    words, begins, size = text.words, text.begins, N_ROWS * n
    none, word = np.int64(text.n_words) * size, np.int64(words[i]) * size
    has_before, has_next = 1 - np.int64(begins[i]), 1 - np.int64(begins[i + 1])
    one_back, one_on = i - has_before, i + has_next
    pair = np.int64(text.pairs[i])
    return _Place(
        word,
        word if has_next else none,
        np.int64(words[one_back]) * size if has_before else none,
        np.int64(state.topics[one_back]),
        pair * n,
        np.int64(state.flags[one_on]) * has_next,
        has_before,
        has_next,
        np.int64(pair > 0),
    )


@inlined
def _add(table: NDArray[np.int32], row: Int, topic: Int, by: Int) -> None:
    """Change one count: as a whole vector, since it is soon loaded as such."""
    v = topic - topic % WIDTH
    store(table, row + v, load_counts(table, row + v) + only(lane(topic - v), by))


@inlined
def _count(state: State, place: _Place, topic: Int, flag: Int, by: Int, n: Int) -> None:
    """Count a token, and its flag, in (``by`` 1) or out (-1)."""
    _add(state.document, NONE, topic, by)
    _add(state.counts, place.before + (ZEROS + flag) * n, place.topic_before, by * place.has_before)
    if flag:
        _add(state.counts, place.before + AFTER * n, topic, by)
        _add(state.after, place.pair, topic, by * place.has_pair)
    else:
        _add(state.counts, place.by_itself, topic, by)
        _add(state.tokens, NONE, topic, by)
        v = topic - topic % WIDTH
        smoothed = every(np.float32(state.text.n_words * state.beta)) + load(state.tokens, v)
        store(state.share, v, every(np.float32(1)) / smoothed)


@inlined
def _count_all(state: State, place: _Place, topic: Int, flag: Int, by: Int, n: Int) -> None:
    """Count in or out whatever depends on a token: also the next flag, which is drawn given its topic."""
    _count(state, place, topic, flag, by, n)
    _add(state.counts, place.urn + (ZEROS + place.next_flag) * n, topic, by * place.has_next)


@inlined
def _flags(state: State, place: _Place, n: Int) -> tuple[Any, Any, Int, Any, Any]:
    """Factors of the token's own flag, if it is 0, if it is 1; then the topic that needs others, and those.

    It is the one in which the next flag comes from the same urn; -1: none.
    """
    counts, gamma = state.counts, state.gamma
    urn = place.before + ZEROS * n + place.topic_before
    zeros, ones = gamma + counts[urn], (gamma + counts[urn + n]) * place.has_before
    if place.urn == place.before and place.has_before:
        drawn = gamma + counts[urn + place.next_flag * n]
        # Both flags are drawn from here: the next one finds this one in the urn.
        both = zeros + ones
        grown = both / (both + 1) / drawn
        same_0 = zeros * grown * (drawn + (1 - place.next_flag))
        same_1 = ones * grown * (drawn + place.next_flag)
        return np.float32(zeros), np.float32(ones), place.topic_before, np.float32(same_0), np.float32(same_1)
    return np.float32(zeros), np.float32(ones), np.int64(-1), np.float32(0), np.float32(0)


@inlined
def _weights(
    state: State, place: _Place, flags: tuple[Any, Any, Int, Any, Any], v: Int, n: Int
) -> tuple[Floats, Floats]:
    """Weights of eight topics from ``v`` on: with flag 0, with flag 1. Token and flags are counted out."""
    counts = state.counts
    beta, delta = every(np.float32(state.beta)), every(np.float32(state.delta))
    gamma, two_gamma = every(np.float32(state.gamma)), every(np.float32(2 * state.gamma))
    delta_sum = every(np.float32(state.text.n_words * state.delta))
    zeros, ones, same, same_0, same_1 = flags
    urn = place.urn + ZEROS * n + v
    document = load(state.alpha, v) + load(state.document, v)
    next_flag = gamma + load(counts, urn + place.next_flag * n)
    both = two_gamma + (load(counts, urn) + load(counts, urn + n))
    after = delta_sum + load(counts, place.before + AFTER * n + v)
    # One division for two: what it should not have divided by is multiplied back.
    common = document * next_flag / (both * after)
    own_0 = replaced(every(zeros), lane(same - v), same_0)
    own_1 = replaced(every(ones), lane(same - v), same_1)
    by_itself = (beta + load(counts, place.by_itself + v)) * load(state.share, v) * after
    paired = delta + load(state.after, place.pair + v)
    return own_0 * by_itself * common, own_1 * paired * common


@inlined
def _draw(state: State, place: _Place, number: np.float32, n: Int) -> tuple[Int, Int]:
    """Topic and flag of a token that is counted out."""
    sums, flags = state.sums, _flags(state, place, n)
    added = every(np.float32(0))
    for v in range(0, n, WIDTH):
        flag_0, flag_1 = _weights(state, place, flags, v, n)
        added = added + flag_0
        store(sums, 2 * v, added)
        added = added + flag_1
        store(sums, 2 * v + WIDTH, added)
    below = prefix_sum(added)
    drawn = draw_by_lanes(sums, 2 * n, below, every(number) * last(below), state.vector_of)
    vector = drawn // WIDTH
    # Rounding may carry a draw past what is possible.
    topic = vector // 2 * WIDTH + drawn % WIDTH
    topic = topic if topic < state.n_topics else np.int64(state.n_topics - 1)
    return topic, (vector & 1) * place.has_before


@inlined
def _ask(state: State, i: Int, n: Int) -> None:
    """Ask for the counts of a token whose turn comes soon."""
    text = state.text
    soon = i if i < text.words.size else np.int64(text.words.size - 1)
    word, pair = np.int64(text.words[soon]) * N_ROWS * n, np.int64(text.pairs[soon]) * n
    for at in range(0, N_ROWS * n, LINE):
        prefetch(state.counts, word + at)
    for at in range(0, n, LINE):
        prefetch(state.after, pair + at)


@inlined
def _sweep(state: State, key: np.uint64, n: Int) -> None:
    """A sweep; ``n`` is often known when this is compiled."""
    doc_start, document, topics, flags = state.text.doc_start, state.document, state.topics, state.flags
    for d in range(doc_start.size - 1):
        document[:] = 0
        for i in range(doc_start[d], doc_start[d + 1]):
            _add(document, NONE, np.int64(topics[i]), IN)
        for i in range(doc_start[d], doc_start[d + 1]):
            _ask(state, i + AHEAD, n)
            place = _place(state, i, n)
            _count_all(state, place, np.int64(topics[i]), np.int64(flags[i]), OUT, n)
            topic, flag = _draw(state, place, uniform(key, i), n)
            _count_all(state, place, topic, flag, IN, n)
            topics[i], flags[i] = topic, flag


@bare_kernel
def _sweep_few(state: State, key: np.uint64) -> None:
    _sweep(state, key, np.int64(WIDTH))


@bare_kernel
def _sweep_many(state: State, key: np.uint64) -> None:
    _sweep(state, key, state.alpha.size)


def sweep(state: State, key: np.uint64) -> None:
    """Draw every token once; ``key`` is the stream of random numbers."""
    (_sweep_few if state.alpha.size == WIDTH else _sweep_many)(state, key)


@bare_kernel
def recount(state: State) -> None:
    """Count everything anew from topics and flags."""
    n, doc_start = state.alpha.size, state.text.doc_start
    state.counts[:] = 0
    state.after[:] = 0
    state.tokens[:] = 0
    state.document[:] = 0
    beta_sum = every(np.float32(state.text.n_words * state.beta))
    for v in range(0, n, WIDTH):
        store(state.share, v, every(np.float32(1)) / beta_sum)
    for i in range(doc_start[0], doc_start[doc_start.size - 1]):
        topic, flag, place = np.int64(state.topics[i]), np.int64(state.flags[i]), _place(state, i, n)
        _count(state, place, topic, flag, IN, n)
