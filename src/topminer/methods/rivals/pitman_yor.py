"""Hierarchical Pitman–Yor processes as Chinese restaurants: who sits where, for words in contexts (Teh 2006).

Every context is a restaurant, its customers are words, and all at a table have the same word. In a restaurant
of depth d with C customers at T tables, c of them at t tables with word w, the next customer has word w with
probability::

    P(w) = (c - a_d t + (b_d + a_d T) P'(w)) / (b_d + C)        discount a_d, strength b_d

P' is the same of the parent, where every table of this restaurant is a customer. The context of a word is its
topic and the words of its phrase before it; the parent forgets the farthest::

    support vector → machine, topic 3:      ⟨3, vector, support⟩ → ⟨3, vector⟩ → ⟨3⟩ → ⟨⟩ → 1/V

How many sit at each table is kept: a customer leaves a table with probability in proportion to its size, and
without the sizes that could not be known. A restaurant without customers is closed, so that there are never
more of them than words in phrases.

This module holds the restaurants and their tables; who sits down and who leaves is in seating.py.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel, inlined

# Fields of a row: a word in a restaurant. The restaurants ⟨⟩ and ⟨topic⟩ have a row for every word, in order,
# and so need no name; their first two fields count coins (pdlda_sampler.py). All other rows are hashed.
NODE, WORD = 0, 1
CONTINUED, STARTED = np.int64(0), np.int64(1)
CUSTOMERS, TABLES = 2, 3
SIZES, ROOM = 4, 5  # where the sizes of the tables are, and room for how many; one table needs neither
CHILD = 6  # the restaurant whose context is this one's and the word, one farther; 0: closed
N_FIELDS = 8

# Fields of a restaurant.
ALL, ALL_TABLES, DEPTH, NEXT = 0, 1, 2, 3

# What is used and what is free.
N_SLOTS, N_NODES, FREE_NODE, N_SIZES, LARGEST = 0, 1, 2, 3, 4
FREE_SIZES = 8  # and on: of room 2, 4, 8, ...; where one starts, plus 1
N_COUNTERS = FREE_SIZES + 32

LEFT, TAKEN = 0, 1  # tables, in the trace of a step


class Restaurants(NamedTuple):
    """All restaurants; 0 is ⟨⟩, 1 to ``n_topics`` are the topics'."""

    rows: NDArray[np.int32]  # (words * (topics + 1) + a power of 2, N_FIELDS)
    nodes: NDArray[np.int32]  # (restaurants, 4)
    sizes: NDArray[np.int32]  # of tables
    counters: NDArray[np.int64]
    discount: NDArray[np.float64]  # by depth
    strength: NDArray[np.float64]
    path: NDArray[np.int32]  # room for the restaurants from ⟨⟩ to a context
    chance: NDArray[np.float64]  # room for the probability of a word in each of them
    random: NDArray[np.uint64]  # (1,)
    n_topics: int
    n_words: int


def n_bytes(n_topics: int, n_words: int, n_tokens: int) -> int:
    """About how much memory the restaurants of a corpus take: most phrases are short."""
    return 4 * N_FIELDS * (n_words * (n_topics + 1) + 2 * n_tokens) + 24 * n_tokens


def open_restaurants(
    n_topics: int, n_words: int, max_length: int, seed: int, discount: float, strength: float
) -> Restaurants:
    """Restaurants without customers."""
    counters = np.zeros(N_COUNTERS, np.int64)
    counters[N_NODES] = n_topics + 1
    nodes = np.zeros((n_topics + 1 + 1024, 4), np.int32)
    nodes[1 : n_topics + 1, DEPTH] = 1
    return Restaurants(
        np.zeros((n_words * (n_topics + 1) + 1024, N_FIELDS), np.int32),
        nodes,
        np.zeros(1024, np.int32),
        counters,
        np.full(max_length + 1, discount),
        np.full(max_length + 1, strength),
        np.zeros(max_length + 1, np.int32),
        np.zeros(max_length + 1),
        np.array([seed], np.uint64),
        n_topics,
        n_words,
    )


def grown(state: Restaurants) -> Restaurants:
    """The same with more room for whatever may soon be full."""
    n_dense = state.n_words * (state.n_topics + 1)
    rows, nodes, sizes, counters = state.rows, state.nodes, state.sizes, state.counters
    spare = 4 * (state.discount.size + 1) ** 2
    if 2 * (counters[N_SLOTS] + spare) > len(rows) - n_dense:
        while 2 * (counters[N_SLOTS] + spare) > len(rows) - n_dense:
            rows = np.zeros((2 * len(rows) - n_dense, N_FIELDS), np.int32)
        rows[:n_dense] = state.rows[:n_dense]
        _rehash(state.rows, rows, n_dense)
    if counters[N_NODES] + spare > len(nodes):
        nodes = np.concatenate((nodes, np.zeros((len(nodes) + spare, nodes.shape[1]), np.int32)))
    wanted = 2 * spare * (int(counters[LARGEST]) + state.discount.size)
    if counters[N_SIZES] + wanted > len(sizes):
        sizes = np.concatenate((sizes, np.zeros(len(sizes) + wanted, np.int32)))
    return state._replace(rows=rows, nodes=nodes, sizes=sizes)


@inlined
def has_room(state: Restaurants) -> bool:
    """Whether a whole phrase may change, and back again, without anything being full."""
    counters, n = state.counters, state.discount.size
    n_slots = state.rows.shape[0] - state.n_words * (state.n_topics + 1)
    return not (
        2 * (counters[N_SLOTS] + 2 * n * n) > n_slots
        or counters[N_NODES] + n * n > state.nodes.shape[0]
        or counters[N_SIZES] + 6 * n * n * (counters[LARGEST] + n) > state.sizes.size
    )


@inlined
def drawn(state: Restaurants) -> float:
    """Draw from 0 up to, but not including, 1 (SplitMix64)."""
    state.random[0] += np.uint64(0x9E3779B97F4A7C15)
    bits = state.random[0]
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits = bits ^ (bits >> np.uint64(31))
    return float(np.int64(bits >> np.uint64(11))) * 2.0**-53


@inlined
def home(node: Int, word: Int, mask: Int) -> np.int64:
    """Where a row would be in a table without collisions."""
    bits = np.uint64(node) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(word) * np.uint64(0xC2B2AE3D27D4EB4F)
    bits = (bits ^ (bits >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return np.int64(bits >> np.uint64(33)) & np.int64(mask)


@inlined
def table_of(state: Restaurants, row: Int, size: Int) -> int:
    """One of the tables with as many customers, -1 if there is none."""
    rows, sizes = state.rows, state.sizes
    n_tables, first = rows[row, TABLES], rows[row, SIZES]
    table = -1
    if n_tables == 1 and rows[row, CUSTOMERS] == size:
        table = 0
    if n_tables > 1:
        for other in range(n_tables):
            if sizes[first + other] == size:
                table = other
                break
    return table


@inlined
def fallen(state: Restaurants, row: Int, x: float, discount: float) -> int:
    """The table at which ``x`` falls, each being as wide as it has customers, less the discount."""
    sizes, first, last = state.sizes, state.rows[row, SIZES], state.rows[row, TABLES] - 1
    table = 0
    if last > 0:
        x -= sizes[first] - discount
        while x >= 0.0 and table < last:
            table += 1
            x -= sizes[first + table] - discount
    return table


@inlined
def open_table(state: Restaurants, row: Int) -> None:
    """A customer takes a new table."""
    rows, sizes, counters = state.rows, state.sizes, state.counters
    n_tables, room, old = rows[row, TABLES], rows[row, ROOM], rows[row, SIZES]
    if n_tables == 1 or (n_tables > 1 and n_tables == room):
        wider = 2 * room if room > 0 else 2
        kind, k = 0, wider
        while k > 2:
            kind, k = kind + 1, k >> 1
        first = counters[FREE_SIZES + kind] - 1
        if first >= 0:
            counters[FREE_SIZES + kind] = sizes[first]
        else:
            first = counters[N_SIZES]
            counters[N_SIZES] += wider
            counters[LARGEST] = wider if wider > counters[LARGEST] else counters[LARGEST]
        if n_tables == 1:
            sizes[first] = rows[row, CUSTOMERS]
        else:
            for table in range(n_tables):
                sizes[first + table] = sizes[old + table]
            sizes[old] = counters[FREE_SIZES + kind - 1]
            counters[FREE_SIZES + kind - 1] = old + 1
        rows[row, SIZES], rows[row, ROOM] = first, wider
    if n_tables >= 1:
        sizes[rows[row, SIZES] + n_tables] = 1
    rows[row, TABLES] += 1
    rows[row, CUSTOMERS] += 1


@inlined
def join_table(state: Restaurants, row: Int, table: Int) -> np.int64:
    """A customer sits down at a table; how many are there now."""
    rows, sizes = state.rows, state.sizes
    rows[row, CUSTOMERS] += 1
    size = np.int64(rows[row, CUSTOMERS])
    if rows[row, TABLES] > 1:
        at = rows[row, SIZES] + table
        size = np.int64(sizes[at]) + 1
        if table > 0 and sizes[at - 1] < size:  # large tables to the front: they are looked for most
            sizes[at] = sizes[at - 1]
            at -= 1
        sizes[at] = size
    return size


@inlined
def leave_table(state: Restaurants, row: Int, table: Int) -> np.int64:
    """A customer leaves a table; how many were there before."""
    rows, sizes, counters = state.rows, state.sizes, state.counters
    n_tables, first = rows[row, TABLES], rows[row, SIZES]
    size = np.int64(rows[row, CUSTOMERS])
    rows[row, CUSTOMERS] -= 1
    if n_tables > 1:
        size = np.int64(sizes[first + table])
        sizes[first + table] -= 1
        if size == 1:
            sizes[first + table] = sizes[first + n_tables - 1]
            if n_tables == 2:
                kind, k = 0, rows[row, ROOM]
                while k > 2:
                    kind, k = kind + 1, k >> 1
                sizes[first] = counters[FREE_SIZES + kind]
                counters[FREE_SIZES + kind] = first + 1
                rows[row, SIZES], rows[row, ROOM] = 0, 0
    if size == 1:
        rows[row, TABLES] -= 1
    return size


@bare_kernel
def _rehash(rows: NDArray[np.int32], larger: NDArray[np.int32], n_dense: int) -> None:
    mask = len(larger) - n_dense - 1
    for row in range(n_dense, len(rows)):
        if rows[row, NODE] != 0:
            slot = home(np.int64(rows[row, NODE]), np.int64(rows[row, WORD]), mask)
            while larger[n_dense + slot, NODE] != 0:
                slot = (slot + 1) & mask
            for field in range(N_FIELDS):
                larger[n_dense + slot, field] = rows[row, field]
