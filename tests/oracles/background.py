"""The background test, slowly: dictionaries of documents, plain sums."""

import math


def divergence(q: list[float], p: list[float]) -> float:
    return sum(a * math.log(a / b) for a, b in zip(q, p, strict=True) if a > 0)


def rest_of(document: list[tuple[int, int, int]], group: int, n_topics: int) -> list[float] | None:
    """Topic shares of a document, given as (group, topic, tokens), without the phrases of a group."""
    tokens = [0.0] * n_topics
    for other, topic, length in document:
        if other != group:
            tokens[topic] += length
    total = sum(tokens)
    return [each / total for each in tokens] if total else None


def tested(
    documents: list[list[tuple[int, int, int]]], group: int, p: list[float], delta: float, least: int
) -> tuple[float, float] | None:
    """Divergence and p value of one group of phrases; None where too few documents hold it."""
    holding = [document for document in documents if any(g == group for g, _, _ in document)]
    n_instances = sum(g == group for document in holding for g, _, _ in document)
    rests = [rest for document in holding if (rest := rest_of(document, group, len(p))) is not None]
    if len(rests) < least or n_instances < least:
        return None
    n = len(rests)
    q = [sum(rest[k] for rest in rests) / n for k in range(len(p))]
    found = divergence(q, p)
    if found >= delta:
        return found, 1.0
    variance = max(_variance(rests, logs) for logs in (_logs(q, p), _logs(_border(q, p, delta), p)))
    if variance <= 1e-9:
        return found, 1.0
    error = math.sqrt(variance / n)
    return found, 0.5 * math.erfc((delta - found) / error / math.sqrt(2))


def _logs(q: list[float], p: list[float]) -> list[float]:
    return [math.log(a / b) if a > 0 else 0.0 for a, b in zip(q, p, strict=True)]


def _variance(rests: list[list[float]], logs: list[float]) -> float:
    values = [sum(a * b for a, b in zip(rest, logs, strict=True)) for rest in rests]
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / (len(values) - 1)


def _border(q: list[float], p: list[float], delta: float) -> list[float]:
    """The point where KL is δ on the curve from P through Q; where Q is 0 it goes by P."""
    logs = _logs(q, p)

    def at(t: float) -> list[float]:
        weights = [b * math.exp(t * (log - max(logs))) for log, b in zip(logs, p, strict=True)]
        return [weight / sum(weights) for weight in weights]

    low, high = 1.0, 2.0
    while high < 1e6 and divergence(at(high), p) < delta:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if divergence(at(middle), p) < delta else (low, middle)
    return at(high)
