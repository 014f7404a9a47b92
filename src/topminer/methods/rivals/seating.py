"""Who sits down in which restaurant, and who leaves: the kernels behind PD-LDA's sampler.

A token sits down in the restaurant of its context, at a table drawn from its conditional; at a new table it
sends a customer to the parent, and so on. Leaving is the way back. Both note which tables it was, so that a
step can be undone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, bare_kernel
from topminer.methods.rivals.pitman_yor import (
    ALL,
    ALL_TABLES,
    CHILD,
    CUSTOMERS,
    DEPTH,
    FREE_NODE,
    LEFT,
    N_FIELDS,
    N_NODES,
    N_SLOTS,
    NEXT,
    NODE,
    TABLES,
    TAKEN,
    WORD,
    Restaurants,
    drawn,
    fallen,
    home,
    join_table,
    leave_table,
    open_table,
    table_of,
)


@bare_kernel
def row_of(state: Restaurants, node: Int, word: Int) -> np.int64:
    """The row of a word in a restaurant; where it has none, ~ (not) the free row that it would get."""
    rows = state.rows
    if node <= state.n_topics:
        return np.int64(word) * (state.n_topics + 1) + np.int64(node)
    n_dense = state.n_words * (state.n_topics + 1)
    mask = rows.shape[0] - n_dense - 1
    row = n_dense + home(node, word, mask)
    while rows[row, NODE] != 0 and (rows[row, NODE] != node or rows[row, WORD] != word):
        row = n_dense + ((row - n_dense + 1) & mask)
    return row if rows[row, NODE] != 0 else ~row


@bare_kernel
def _row_for(state: Restaurants, node: Int, word: Int) -> np.int64:
    """The row of a word in a restaurant, made where there is none."""
    row = row_of(state, node, word)
    if row < 0:
        row = ~row
        state.rows[row, NODE] = node
        state.rows[row, WORD] = word
        state.counters[N_SLOTS] += 1
    return row


@bare_kernel
def _drop(state: Restaurants, row: Int) -> None:
    """Take a hashed row that says nothing out of the table; those that collided with it move up."""
    rows, n_dense = state.rows, state.n_words * (state.n_topics + 1)
    if row >= n_dense and rows[row, CUSTOMERS] == 0 and rows[row, CHILD] == 0:
        mask = rows.shape[0] - n_dense - 1
        hole = np.int64(row - n_dense)
        slot = (hole + 1) & mask
        while rows[n_dense + slot, NODE] != 0:
            node, word = np.int64(rows[n_dense + slot, NODE]), np.int64(rows[n_dense + slot, WORD])
            at = home(node, word, mask)
            if ((slot - at) & mask) >= ((slot - hole) & mask):
                for field in range(N_FIELDS):
                    rows[n_dense + hole, field] = rows[n_dense + slot, field]
                hole = slot
            slot = (slot + 1) & mask
        for field in range(N_FIELDS):
            rows[n_dense + hole, field] = 0
        state.counters[N_SLOTS] -= 1


@bare_kernel
def find_path(state: Restaurants, stems: NDArray[np.int32], j: Int, start: Int, topic: Int) -> int:
    """Note the open restaurants on the way to the context of token ``j``; how deep they go.

    The context is the topic and the tokens from ``start`` to before ``j``. In a closed restaurant a word is
    as probable as in the last open one.
    """
    rows, path = state.rows, state.path
    path[0], path[1] = 0, topic + 1
    depth = 1
    while depth <= j - start:
        row = row_of(state, np.int64(path[depth]), np.int64(stems[j - depth]))
        if row < 0 or rows[row, CHILD] == 0:
            break
        path[depth + 1] = rows[row, CHILD]
        depth += 1
    return depth


@bare_kernel
def foretell(state: Restaurants, word: Int, depth: Int) -> float:
    """Probability that the next customer has ``word``, at the end of the path noted last and on the way."""
    rows, nodes = state.rows, state.nodes
    p = 1.0 / state.n_words
    for d in range(depth + 1):
        node = np.int64(state.path[d])
        a, b = state.discount[d], state.strength[d]
        p = (b + a * nodes[node, ALL_TABLES]) * p
        row = row_of(state, node, word)
        if row >= 0:
            p += rows[row, CUSTOMERS] - a * rows[row, TABLES]
        p /= b + nodes[node, ALL]
        state.chance[d] = p
    return p


@bare_kernel
def _make_path(state: Restaurants, stems: NDArray[np.int32], j: Int, start: Int, depth: Int) -> None:
    """Open the restaurants that the path noted last, ``depth`` deep, still wants."""
    rows, nodes, path, counters = state.rows, state.nodes, state.path, state.counters
    for d in range(depth, j - start + 1):
        node = counters[FREE_NODE]
        if node > 0:
            counters[FREE_NODE] = nodes[node, NEXT]
        else:
            node = counters[N_NODES]
            counters[N_NODES] += 1
        nodes[node, DEPTH] = d + 1
        row = _row_for(state, np.int64(path[d]), np.int64(stems[j - d]))
        rows[row, CHILD] = node
        path[d + 1] = node
        state.chance[d + 1] = state.chance[d]


@bare_kernel
def seat(
    state: Restaurants,
    stems: NDArray[np.int32],
    j: Int,
    start: Int,
    topic: Int,
    trace: NDArray[np.int32],
    side: Int,
) -> float:
    """Token ``j`` sits down in the restaurant of its context; how probable its word was there.

    A customer at a new table sends another to the parent, and so on. How many are at each table then is noted
    in ``trace[TAKEN, j - start]``, by depth. ``trace[LEFT]`` instead says at which tables to sit, those that
    were left, and the probability is not computed.
    """
    known = side == LEFT
    rows, nodes, chance = state.rows, state.nodes, state.chance
    word = np.int64(stems[j])
    depth = find_path(state, stems, j, start, topic)
    p = 1.0
    if not known:
        p = foretell(state, word, depth)
    _make_path(state, stems, j, start, depth)
    for d in range(j - start + 1, -1, -1):
        node = np.int64(state.path[d])
        row = _row_for(state, node, word)
        table = -1
        if known:
            if trace[side, j - start, d] > 1:
                table = table_of(state, row, trace[side, j - start, d] - 1)
        elif rows[row, CUSTOMERS] > 0:
            a = state.discount[d]
            seated = rows[row, CUSTOMERS] - a * rows[row, TABLES]
            base = chance[d - 1] if d > 0 else 1.0 / state.n_words
            x = drawn(state) * (seated + (state.strength[d] + a * nodes[node, ALL_TABLES]) * base)
            if x < seated:
                table = fallen(state, row, x, a)
        nodes[node, ALL] += 1
        if table >= 0:
            trace[side, j - start, d] = join_table(state, row, table)
            break
        open_table(state, row)
        nodes[node, ALL_TABLES] += 1
        trace[side, j - start, d] = 1
    return p


@bare_kernel
def unseat(
    state: Restaurants,
    stems: NDArray[np.int32],
    j: Int,
    start: Int,
    topic: Int,
    trace: NDArray[np.int32],
    side: Int,
) -> None:
    """Token ``j`` leaves its restaurant.

    Customers with the same word in the same restaurant are all alike: any of them leaves, with equal chance.
    A table that gets empty takes a customer from the parent. How many were at each table before is noted in
    ``trace[LEFT, j - start]``; ``trace[TAKEN]`` instead says which tables to leave, those that were taken.
    """
    known = side == TAKEN
    rows, nodes, path, counters = state.rows, state.nodes, state.path, state.counters
    word = np.int64(stems[j])
    find_path(state, stems, j, start, topic)
    for d in range(j - start + 1, -1, -1):
        node = np.int64(path[d])
        row = row_of(state, node, word)
        if known:
            table = table_of(state, row, np.int64(trace[side, j - start, d]))
        elif rows[row, TABLES] > 1:
            table = fallen(state, row, drawn(state) * rows[row, CUSTOMERS], 0.0)
        else:
            table = 0
        size = leave_table(state, row, table)
        trace[side, j - start, d] = size
        nodes[node, ALL] -= 1
        if size > 1:
            break
        nodes[node, ALL_TABLES] -= 1
        _drop(state, row)
        if d > 1 and nodes[node, ALL] == 0:
            nodes[node, NEXT] = counters[FREE_NODE]
            counters[FREE_NODE] = node
            row = row_of(state, np.int64(path[d - 1]), np.int64(stems[j - d + 1]))
            rows[row, CHILD] = 0
            _drop(state, row)


@bare_kernel
def chance(state: Restaurants, stems: NDArray[np.int32], j: Int, start: Int, topic: Int) -> float:
    """Probability of token ``j`` behind those from ``start`` on."""
    return float(foretell(state, np.int64(stems[j]), find_path(state, stems, j, start, topic)))
