"""Which point of a grid to take, and why, in sentences.

No one measure will do. Perplexity mostly falls as long as topics are added, ever more slowly; stability falls
too, since the more topics there are the more ways there are to split the corpus; coherence has its peak
somewhere. So each of the three is put on a scale from the worst of the grid (0) to the best (1), and the
point with the highest mean is taken. Of points that score nearly as much, with a perplexity that is no more
than 1 % higher, it is the one with the fewest topics::

    topics   perplexity     coherence      stability      mean
        10    812  0.00     0.09  0.00     0.86  1.00     0.33
        20    768  0.89     0.12  1.00     0.81  0.79     0.89     taken
        40    763  1.00     0.11  0.67     0.62  0.00     0.56

Perplexity counts by its logarithm. Coherence is that of words and that of phrases, in equal shares. A measure
that hardly differs over the grid is not blown up: its scale has a least length.

Phrases are what describes a topic. So a threshold with fewer than ten distinct ones for each topic is left
out if a lower one has at least twice as many; words alone (an infinite threshold) are there to compare with,
and are taken only where nothing else was tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

PHRASES_OF_A_TOPIC = 10  # that describe it
NEARLY, AS_GOOD = 0.03, 0.01  # less score, and more perplexity, for which fewer topics are taken
STABLE, SHAKY = 0.8, 0.6  # stability above which topics come back, and below which many do not


@dataclass(frozen=True)
class Point:
    """A number of topics and a threshold, and what models with them are worth: means over seeds.

    None: not defined. Coherence of phrases where there are none, stability and the error with one seed.
    """

    n_topics: int
    threshold: float  # infinity: every word alone
    perplexity: float  # of held-out documents
    perplexity_error: float | None  # the standard error of the mean
    coherence: float | None  # of words
    phrase_coherence: float | None
    stability: float | None
    n_phrases: int  # distinct ones of several words, in the documents learned from
    seconds: float  # of all its fits together


Measure = Callable[[Point], float | None]

# Each with the least length of its scale; those in a group count together as much as another group.
PERPLEXITY: tuple[Measure, float] = (lambda point: -math.log(point.perplexity), 0.03)
OF_WORDS: tuple[Measure, float] = (lambda point: point.coherence, 0.03)
OF_PHRASES: tuple[Measure, float] = (lambda point: point.phrase_coherence, 0.06)
STABILITY: tuple[Measure, float] = (lambda point: point.stability, 0.1)
GROUPS = ((PERPLEXITY,), (OF_WORDS, OF_PHRASES), (STABILITY,))


def recommend(points: Sequence[Point]) -> tuple[Point | None, list[str]]:
    """The point to take, and why; None where there is no point."""
    tried = [point for point in points if math.isfinite(point.threshold)] or list(points)
    if not tried:
        return None, ["Nothing was tried."]
    rivals = [point for point in tried if not _has_too_few_phrases(point, tried)]
    if len(points) == 1:
        return points[0], [f"{_capital(named(points[0]))}: nothing else was tried."]
    score = dict(zip(rivals, scores(rivals), strict=True))
    best = max(rivals, key=lambda point: score[point])
    near = [
        point
        for point in rivals
        if score[point] >= score[best] - NEARLY and point.perplexity <= best.perplexity * (1 + AS_GOOD)
    ]
    fewest = min(point.n_topics for point in near)
    taken = max((point for point in near if point.n_topics == fewest), key=lambda point: score[point])
    others = [point for point in points if point not in rivals]
    return taken, [*_reasons(taken, rivals, score), *_about_left_out(taken, others)]


def _has_too_few_phrases(point: Point, tried: Sequence[Point]) -> bool:
    most = max(other.n_phrases for other in tried if other.n_topics == point.n_topics)
    return point.n_phrases < PHRASES_OF_A_TOPIC * point.n_topics and most >= max(2 * point.n_phrases, 1)


def scores(points: Sequence[Point]) -> list[float]:
    """The mean of each point's measures, each from 0 for the worst of all points to 1 for the best.

    A measure that a point lacks is left out of its mean.
    """
    groups = [[_scaled(points, *measure) for measure in group] for group in GROUPS]
    found = []
    for i in range(len(points)):
        of_groups = [_mean([scaled[i] for scaled in group]) for group in groups]
        found.append(_mean(of_groups) or 0.0)
    return found


def _scaled(points: Sequence[Point], measure: Measure, least: float) -> list[float | None]:
    """A measure of all points from 0 to 1; where they hardly differ, all are near 1."""
    values = [measure(point) for point in points]
    known = [value for value in values if value is not None]
    best = max(known, default=0.0)
    length = max(best - min(known, default=0.0), least)
    return [None if value is None else 1.0 - (best - value) / length for value in values]


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def of_threshold(threshold: float) -> str:
    """A threshold in words."""
    return "words alone" if math.isinf(threshold) else f"threshold {threshold:g}"


def named(point: Point) -> str:
    """A point in words.

    >>> named(Point(1, 4.0, 9.0, None, None, None, None, 0, 0.0))
    '1 topic, threshold 4'
    """
    topics = "1 topic" if point.n_topics == 1 else f"{point.n_topics:,} topics"
    return f"{topics}, {of_threshold(point.threshold)}"


def _reasons(taken: Point, rivals: Sequence[Point], score: dict[Point, float]) -> Iterator[str]:
    best = max(rivals, key=lambda point: score[point])
    balance = (
        "perplexity, coherence and stability" if taken.stability is not None else "perplexity and coherence"
    )
    if best is taken:
        yield f"{_capital(named(taken))}: the best balance of {balance}, {score[taken]:.2f} of 1."
    else:
        yield (
            f"{_capital(named(taken))}: the balance of {balance} is {score[taken]:.2f} of 1. "
            f"{_capital(named(best))}, would score {score[best]:.2f}: nearly the same, with more topics."
        )
    yield _about_perplexity(taken, rivals)
    yield from _about_coherence(taken, rivals)
    if taken.stability is not None:
        yield _about_stability(taken)
    yield from _about_others(taken, rivals, score)
    yield from _about_the_edge(taken, rivals)


def _about_perplexity(taken: Point, rivals: Sequence[Point]) -> str:
    best = min(rivals, key=lambda point: point.perplexity)
    if best is taken:
        return f"Perplexity is the lowest of all, {taken.perplexity:,.4g}."
    above = taken.perplexity / best.perplexity - 1
    return (
        f"Perplexity is {taken.perplexity:,.4g}, {_percent(above)} above the lowest "
        f"({best.perplexity:,.4g}: {named(best)})."
    )


def _about_coherence(taken: Point, rivals: Sequence[Point]) -> Iterator[str]:
    for kind, measure in (("words", OF_WORDS[0]), ("phrases", OF_PHRASES[0])):
        known = [(value, point) for point in rivals if (value := measure(point)) is not None]
        own = measure(taken)
        if own is None:
            continue
        value, best = max(known, key=lambda each: each[0])
        if best is taken:
            yield f"Coherence of {kind} is the highest of all, {own:.3f}."
        else:
            yield f"Coherence of {kind} is {own:.3f}; the highest is {value:.3f} ({named(best)})."


def _about_stability(taken: Point) -> str:
    assert taken.stability is not None
    means = "another seed finds much the same topics"
    if taken.stability < STABLE:
        means = "another seed finds most of these topics again"
    if taken.stability < SHAKY:
        means = "another seed finds many other topics, so do not read too much into a single one"
    return f"Stability is {taken.stability:.2f}: {means}."


def _about_others(taken: Point, rivals: Sequence[Point], score: dict[Point, float]) -> Iterator[str]:
    """The nearest smaller and larger number of topics, and the best other threshold."""
    numbers = sorted({point.n_topics for point in rivals})
    at = numbers.index(taken.n_topics)
    for other in (*numbers[max(at - 1, 0) : at], *numbers[at + 1 : at + 2]):
        point = max((each for each in rivals if each.n_topics == other), key=lambda each: score[each])
        yield f"{_capital(named(point))}: {_compared(point, taken)}."
    same = [point for point in rivals if point.n_topics == taken.n_topics and point is not taken]
    if same:
        point = max(same, key=lambda each: score[each])
        change = f"{point.n_phrases:,} distinct phrases instead of {taken.n_phrases:,}"
        if point.n_phrases == taken.n_phrases:
            change = "just as many distinct phrases"
        yield f"{_capital(of_threshold(point.threshold))}: {change}, {_compared(point, taken)}."


def _compared(point: Point, taken: Point) -> str:
    """What another point is like."""
    change = point.perplexity / taken.perplexity - 1
    how = "higher" if change > 0 else "lower"
    parts = [f"perplexity {_percent(abs(change))} {how}" if abs(change) >= 0.001 else "the same perplexity"]
    if point.coherence is not None and taken.coherence is not None:
        parts.append(f"coherence {point.coherence:.3f}")
    if point.stability is not None and taken.stability is not None:
        parts.append(f"stability {point.stability:.2f}")
    return ", ".join(parts)


def _about_the_edge(taken: Point, rivals: Sequence[Point]) -> Iterator[str]:
    numbers = {point.n_topics for point in rivals}
    if len(numbers) > 1 and taken.n_topics in (min(numbers), max(numbers)):
        end, more = ("fewest", "fewer") if taken.n_topics == min(numbers) else ("most", "more")
        if taken.n_topics > 2 or more == "more":
            yield f"These are the {end} topics that were tried: {more} may be better still."


def _about_left_out(taken: Point, others: Sequence[Point]) -> Iterator[str]:
    """The thresholds that have too few phrases for this number of topics, and words alone."""
    for point in others:
        if point.n_topics != taken.n_topics:
            continue
        name = _capital(of_threshold(point.threshold))
        if math.isinf(point.threshold):
            yield f"{name}, to compare with: {_compared(point, taken)}."
        else:
            few = f"{point.n_phrases:,} distinct phrases are too few"
            yield f"{name} is left out: {few} to describe {taken.n_topics:,} topics."


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
