"""Turbo Topics' nested permutation tests: which units follow a history more often than chance would have it.

Of N events, c have the history u and n the follower v; x have both. If "u v" becomes a phrase, its x events
are no longer drawn from π, and with π(v|u) = x / c, π(v) = (n - x) / (N - x) and π(w) = n(w) / (N - x) for
any other w, the log likelihood of the back-off model changes by::

    x log(x N / (c n)) + (c - x) log((c - x) N / (c (N - n)))
      + (n - x) log((n - x) / n) + (N - c) log(N / (N - x))

its *gain*. For N = 8, c = n = x = 4 that is 4 log 2 + 0 + 0 + 4 log 2 = 5.5. The gain grows with x wherever
x is above the c n / N of chance; below it, v shuns u, which is no phrase: there the gain counts as nothing.

The follower with the greatest gain is tested: all followers are shuffled among all events, and it is
significant if the greatest gain that *any* follower then has behind u reaches its own in few enough
permutations. If so, "u v" is a phrase. Then u no longer backs off to v, so all events of v are left out,
and the next best is tested with the rest: the tests are nested. The first that fails ends them, for those
behind it gain less.

A permutation is an order of all events; u gets the first c followers, not counting those left out. One set
of orders, which depend on seed, topic and round alone, serves all histories. Instead of gains, counts are
compared with the *reach* of each follower: the smallest count whose gain is as great as the one tested. So
it is enough to know where in any order a follower is first seen for the t-th time. That is noted once, for
all followers and all t, and decides nearly every test; with three orders of the five events that have
followers a a b b b::

    orders      b a b b a     a b a b b     b b a a b
    earliest    a: 1, 3    b: 1, 2, 4        c = 3: within reach are counts up to 2 of a, 2 of b

Where it cannot decide (some followers are left out, or some permutations may reach the gain), the same
orders are drawn again, one by one, no longer than needed. The answer is always that of all permutations
drawn to their ends.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import bare_kernel, inlined

Bools = NDArray[np.bool_]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]

NEVER = np.iinfo(np.int32).max
FAILED, UNSURE, PASSED = -1, 0, 1
_U11, _U27, _U30, _U31 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31)
_STEP = np.uint64(0x9E3779B97F4A7C15)  # SplitMix64
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


class Rule(NamedTuple):
    """How pairs of units are tested."""

    min_count: int  # of pairs that are tested
    n_permutations: int
    n_allowed: int  # permutations that may reach the gain of what is significant


class Followers(NamedTuple):
    """The followers of all events."""

    unit: Int32s  # (events,): those of each history together
    start: Int64s  # (units + 1,): where the events of each history start
    n_of: Int64s  # (units,): how often each unit follows
    by_n: Int32s  # units that do, the rarest first


class Orders(NamedTuple):
    """Random orders of the events, and where in them followers are seen."""

    key: np.uint64
    pool: Int32s  # followers; shuffled while an order is drawn
    swapped: Int32s  # the steps of a shuffle, to undo them
    depth: int  # how far the orders were looked through
    first: Int64s  # (units + 1,): where the places of each follower begin
    place: Int32s  # of each follower for each t: the fewest events in which any order shows it t times


class _Scratch(NamedTuple):
    """Arrays by unit, and room for the candidates of one history."""

    seen: Int32s
    reach: Int32s
    is_left_out: Bools
    candidates: Int32s
    n_of_each: Int64s


@inlined
def _mixed(bits: np.uint64) -> np.uint64:
    bits = (bits ^ (bits >> _U30)) * _FIRST
    bits = (bits ^ (bits >> _U27)) * _SECOND
    return bits ^ (bits >> _U31)


@inlined
def _share(bits: np.uint64) -> np.float64:
    """From 0 up to but not including 1."""
    return np.float64(np.int64(_mixed(bits) >> _U11)) * 2.0**-53


@bare_kernel
def gain(x: int, c: int, n: int, total: int) -> float:
    """By how much the log likelihood grows if the ``x`` events of a pair become a phrase; 0 if shunned.

    ``c`` events of ``total`` have its history, ``n`` its follower.
    """
    if x * total <= c * n:
        return 0.0
    value = x * math.log(x * total / (c * n)) - (total - c) * math.log1p(-x / total)
    if x < c:
        value += (c - x) * math.log((c - x) * total / (c * (total - n)))
    if x < n:
        value += (n - x) * math.log1p(-x / n)
    return value


@inlined
def _step(pool: Int32s, swapped: Int32s, i: int, bits: np.uint64) -> np.int32:
    """One step of a Fisher-Yates shuffle: draw the follower of the ``i``-th event."""
    at = i + np.int64(_share(bits) * (pool.size - i))
    v = np.int32(pool[at])
    pool[at], pool[i] = pool[i], v
    swapped[i] = at
    return v


@bare_kernel
def _undo(pool: Int32s, swapped: Int32s, n: int, seen: Int32s) -> None:
    """Take back ``n`` steps of a shuffle, and forget how often their followers were seen."""
    for i in range(n - 1, -1, -1):
        v = pool[i]
        seen[v] = 0
        pool[i] = pool[swapped[i]]
        pool[swapped[i]] = v


def drawn(followers: Followers, n_permutations: int, depth: int, key: np.uint64) -> Orders:
    """Draw orders of the events, and look through their first ``depth``."""
    unit, n_of = followers.unit, followers.n_of
    orders = Orders(
        np.uint64(key),
        unit.copy(),
        np.empty(unit.size, np.int32),
        depth,
        np.concatenate(([0], np.cumsum(n_of))),
        np.full(unit.size, NEVER, np.int32),
    )
    _look_through(orders, n_permutations, np.zeros(n_of.size, np.int32))
    return orders


@bare_kernel
def _look_through(orders: Orders, n_permutations: int, seen: Int32s) -> None:
    key, pool, swapped, depth, first, place = orders
    for permutation in range(n_permutations):
        bits = _mixed(key + np.uint64(permutation) * _STEP)
        for i in range(depth):
            bits += _STEP
            v = _step(pool, swapped, i, bits)
            t = first[v] + seen[v]
            place[t] = i + 1 if i + 1 < place[t] else place[t]
            seen[v] += 1
        _undo(pool, swapped, depth, seen)


@bare_kernel
def _set_reach(reach: Int32s, goal: float, c: int, total: int, followers: Followers) -> None:
    """Set the reach of all followers, NEVER where it is more than there can be.

    The more frequent a follower, the farther its reach: one walk upwards finds them all.
    """
    x, before, found = 1, 0, NEVER
    for v in followers.by_n:
        n = followers.n_of[v]
        if n != before:
            most = c if c < n else n
            while x <= most and gain(x, c, n, total) < goal:
                x += 1
            found, before = (x if x <= most else NEVER), n
        reach[v] = found


@bare_kernel
def _foretold(orders: Orders, by_n: Int32s, reach: Int32s, c: int, left_out: Int32s, n_allowed: int) -> int:
    """What the places at which followers are seen say of a test.

    ``c`` followers that are not left out stand among the first ``c`` events, or at most so many more as
    copies of the others may stand among them.
    """
    first, place = orders.first, orders.place
    depth, before = c, 0
    while before < depth <= orders.depth:
        before, depth = depth, c
        for v in left_out:
            at = first[v]
            while at < first[v + 1] and place[at] <= before:
                at += 1
            depth += at - first[v]
    answer = PASSED if depth <= orders.depth else UNSURE
    for v in by_n:
        if reach[v] < NEVER:
            seen_at = place[first[v] + reach[v] - 1]
            if seen_at <= c and n_allowed == 0:
                return FAILED
            if seen_at <= depth:
                answer = UNSURE
    return answer


@bare_kernel
def _is_significant(
    orders: Orders, c: int, reach: Int32s, is_left_out: Bools, rule: Rule, seen: Int32s
) -> bool:
    """Whether few enough orders reach the gain, by drawing them."""
    pool, swapped = orders.pool, orders.swapped
    n_reached = 0
    for permutation in range(rule.n_permutations):
        bits = _mixed(orders.key + np.uint64(permutation) * _STEP)
        i, n, reached = 0, 0, False
        while n < c and not reached:
            bits += _STEP
            v = _step(pool, swapped, i, bits)
            i += 1
            if not is_left_out[v]:
                n += 1
                seen[v] += 1
                reached = seen[v] >= reach[v]
        _undo(pool, swapped, i, seen)
        n_reached += reached
        if n_reached > rule.n_allowed:
            return False
    return True


@bare_kernel
def _candidates(mine: Int32s, min_count: int, seen: Int32s, found: Int32s, count: Int64s) -> int:
    """Write the followers that occur ``min_count`` times or more, and how often; how many they are."""
    n = 0
    for v in mine:
        seen[v] += 1
        if seen[v] == min_count:
            found[n] = v
            n += 1
    for i in range(n):
        count[i] = seen[found[i]]
    for v in mine:
        seen[v] = 0
    return n


@bare_kernel
def _best(candidates: Int32s, count: Int64s, c: int, total: int, n_of: Int64s) -> tuple[int, float]:
    """The candidate with the greatest gain, and that; of equals the most frequent, then the lowest."""
    best, greatest = -1, 0.0
    for i in range(candidates.size):
        if count[i] > 0:
            value = gain(count[i], c, n_of[candidates[i]], total)
            is_better = value > greatest
            if value == greatest and best >= 0:
                lower = candidates[i] < candidates[best]
                is_better = count[i] > count[best] or (count[i] == count[best] and lower)
            if is_better:
                best, greatest = i, value
    return best, greatest


def significant(followers: Followers, orders: Orders, histories: Int32s, rule: Rule) -> tuple[Int32s, Int32s]:
    """Test what follows some ``histories``: those of the pairs that are phrases, and their followers."""
    n_most, n_units = followers.unit.size // rule.min_count, followers.n_of.size
    scratch = _Scratch(
        np.zeros(n_units, np.int32),
        np.empty(n_units, np.int32),
        np.zeros(n_units, np.bool_),
        np.empty(n_most, np.int32),
        np.empty(n_most, np.int64),
    )
    first, second = np.empty((2, n_most), np.int32)
    n = _test(followers, orders, histories, rule, scratch, first, second)
    return first[:n], second[:n]


@bare_kernel
def _test(
    followers: Followers,
    orders: Orders,
    histories: Int32s,
    rule: Rule,
    scratch: _Scratch,
    first: Int32s,
    second: Int32s,
) -> int:
    """Write the pairs that are phrases; how many they are."""
    unit, start, n_of, by_n = followers
    seen, reach, is_left_out, found, found_count = scratch
    n_found = 0
    for u in histories:
        c, total, begin = start[u + 1] - start[u], unit.size, n_found
        n = _candidates(unit[start[u] : start[u + 1]], rule.min_count, seen, found, found_count)
        candidates, count = found[:n], found_count[:n]
        best, goal = _best(candidates, count, c, total, n_of)
        while best >= 0:
            left_out = second[begin:n_found]
            _set_reach(reach, goal, c, total, followers)
            for v in left_out:
                reach[v] = NEVER
            answer = _foretold(orders, by_n, reach, c, left_out, rule.n_allowed)
            if answer == FAILED:
                break
            if answer == UNSURE and not _is_significant(orders, c, reach, is_left_out, rule, seen):
                break
            v = candidates[best]
            first[n_found], second[n_found] = u, v
            n_found += 1
            is_left_out[v] = True
            c, total = c - count[best], total - n_of[v]
            count[best] = 0
            best, goal = _best(candidates, count, c, total, n_of)
        for v in second[begin:n_found]:
            is_left_out[v] = False
    return n_found
