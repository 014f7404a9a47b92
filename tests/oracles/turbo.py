"""Turbo Topics, slowly: events as pairs, likelihoods in full, every permutation drawn and scored to its end.

A document is a list of chunks, a chunk a list of (stem, whether it has the topic), a unit a tuple of stems.
An event is (unit before, unit), the unit before being None at the start of a chunk.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import count as count_up

Unit = tuple[int, ...]
Document = list[list[tuple[int, bool]]]
Event = tuple[Unit | None, Unit]

CLOSE = 1e-9
_WORD = 2**64 - 1
_STEP = 0x9E3779B97F4A7C15


def cut(chunk: list[tuple[int, bool]], phrases: Collection[Unit]) -> list[tuple[Unit, bool]]:
    """Units from the left, the longest first, each with whether its first word has the topic."""
    units, i = [], 0
    stems = [stem for stem, _ in chunk]
    while i < len(chunk):
        fitting = [phrase for phrase in phrases if tuple(stems[i : i + len(phrase)]) == phrase]
        unit = max(fitting, key=len, default=(stems[i],))
        units.append((unit, chunk[i][1]))
        i += len(unit)
    return units


def events(documents: list[Document], phrases: Collection[Unit]) -> tuple[list[Event], Counter[Unit]]:
    """What follows the topic's units, and how often these occur."""
    found, count = [], Counter()
    for document in documents:
        in_topic = False
        for chunk in document:
            before = None
            for unit, here in cut(chunk, phrases):
                if in_topic:
                    found.append((before, unit))
                count[unit] += here
                before, in_topic = unit, here
    return found, count


def log_likelihood(found: Sequence[Event], bigrams: Collection[tuple[Unit, Unit]]) -> float:
    """Of all events under the back-off model, whose π are the shares of units among what bigrams leave."""
    history, pair = Counter(u for u, _ in found), Counter(found)
    left = Counter(v for u, v in found if (u, v) not in bigrams)
    share = {v: n / left.total() for v, n in left.items()}
    total = 0.0
    for u, v in found:
        own = [w for h, w in bigrams if h == u]
        if v in own:
            total += math.log(pair[u, v] / history[u])
        else:
            own_share = sum(pair[u, w] / history[u] for w in own)
            total += math.log((1 - own_share) * share[v] / (1 - sum(share.get(w, 0) for w in own)))
    return total


def gain(found: Sequence[Event], u: Unit, v: Unit) -> float:
    """By how much the likelihood grows if "u v" becomes a phrase; 0 for what is rarer than by chance."""
    x = found.count((u, v))
    if x * len(found) <= sum(h == u for h, _ in found) * sum(w == v for _, w in found):
        return 0.0
    return log_likelihood(found, {(u, v)}) - log_likelihood(found, ())


def _mixed(bits: int) -> int:
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & _WORD
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & _WORD
    return bits ^ (bits >> 31)


def shuffled(followers: Iterable[Unit], key: int, permutation: int) -> list[Unit]:
    """A Fisher-Yates shuffle by SplitMix64."""
    order = list(followers)
    bits = _mixed(key + permutation * _STEP & _WORD)
    for i in range(len(order)):
        bits = bits + _STEP & _WORD
        at = i + int((_mixed(bits) >> 11) * 2.0**-53 * (len(order) - i))
        order[i], order[at] = order[at], order[i]
    return order


def phrases_behind(
    found: Sequence[Event],
    u: Unit,
    number: dict[Unit | None, int],
    min_count: int,
    n_permutations: int,
    n_allowed: int,
    key: int,
) -> list[Unit]:
    """The followers of ``u`` that the nested tests accept, the best first; of equals the lower number."""
    followers = [v for _, v in sorted(found, key=lambda event: number[event[0]])]
    accepted: list[Unit] = []
    while True:
        rest = [event for event in found if event[1] not in accepted]
        mine = Counter(v for h, v in rest if h == u)
        scored = [(gain(rest, u, v), n, v) for v, n in mine.items() if n >= min_count]
        scored.sort(key=lambda each: (-round(each[0], 9), -each[1], number[each[2]]))
        if not scored or scored[0][0] <= 0:
            return accepted
        goal, n_reached = scored[0][0], 0
        for permutation in range(n_permutations):
            order = [v for v in shuffled(followers, key, permutation) if v not in accepted]
            given = [(u if i < mine.total() else None, v) for i, v in enumerate(order)]
            n_reached += max(gain(given, u, v) for v in set(order[: mine.total()])) >= goal - CLOSE
        if n_reached > n_allowed:
            return accepted
        accepted.append(scored[0][2])


def grow(
    documents: list[Document],
    n_stems: int,
    min_count: int,
    n_permutations: int,
    n_allowed: int,
    key_of: Callable[[int], int],
) -> dict[Unit, int]:
    """All phrases with their counts; ``key_of`` gives each round its random numbers."""
    words = [(stem,) for stem in range(n_stems)]
    phrases: list[Unit] = []
    new = list(words)
    for n_rounds in count_up():
        found, frequency = events(documents, phrases)
        number = {unit: i for i, unit in enumerate([None, *words, *phrases])}
        tests = min_count, n_permutations, n_allowed, key_of(n_rounds)
        new = [u + v for u in new for v in phrases_behind(found, u, number, *tests)]
        if not new:
            return {phrase: frequency[phrase] for phrase in phrases}
        phrases += new
    raise AssertionError
