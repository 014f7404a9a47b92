"""All that a page shows, as one JSON object: the same for the report and for the explorer.

Lists hold what any of their orders could show: a page orders, ties and hides by itself. What grows with the
corpus is bounded: so many entries and documents for all topics together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.topics.results.entries import RELEVANCE, Entries
from topminer.topics.results.frequency import TopicalFrequency
from topminer.topics.results.periods import Periods, period_sizes, type_trend
from topminer.topics.results.ranking import GAMMA, relevance, top_words
from topminer.topics.results.similarity import similar_topics
from topminer.topics.results.summary import Summary
from topminer.views.report.documents import Documents
from topminer.views.report.facts import facts_of
from topminer.views.report.shown import ALWAYS

FORMAT = 1
N_WORDS, N_SIMILAR, N_TOPICS, N_FORMS = 30, 6, 8, 6
N_LIKELY = 1_000  # words: rarer ones of a topic are there by chance
N_ENTRIES = 2_000  # of one kind and order, in all topics
FEWEST = 10  # to a topic
N_BACKGROUND = 500
LEAST_FOR_TREND = 20  # instances: the course of fewer is noise
LEAST_FREQUENCY = 0.5  # a topic that had a phrase in one sample of many is not told
N_CHARACTERS = 400_000  # of all documents that are shown
LAMBDAS = (0.0, 0.3, RELEVANCE, 1.0)


def page_data(summary: Summary, *, title: str, run: Mapping[str, Any], live: bool) -> dict[str, Any]:
    """Return what a page shows of a model.

    ``run`` is what run.json tells. A ``live`` page has a server behind it, and needs no documents.
    """
    model, entries, spans = summary.model, summary.entries, summary.periods
    candidates = _candidates(entries)
    listed = np.unique(entries.frequency.types[np.concatenate([*candidates, _background(entries)])])
    documents, places = ([], [[]] * entries.sizes.size) if live else _documents(summary)
    return {
        "format": FORMAT,
        "title": title,
        "version": version("topminer"),
        "live": live,
        "n_documents": len(model.corpus_),
        "n_tokens": model.corpus_.n_tokens,
        "n_types": model.partition_.n_types - model.corpus_.n_stems,
        **_thresholds(summary),
        "has_texts": model.corpus_.texts is not None,
        "periods": spans and spans.names,
        "unit": spans and spans.unit,
        "period_sizes": spans and period_sizes(model, spans).tolist(),
        "facts": facts_of(model, run),
        "topics": _topics(summary, candidates, listed, places),
        "entries": list(_entries(entries, spans, listed)),
        "documents": documents,
    }


def _thresholds(summary: Summary) -> dict[str, float | None]:
    """The model's threshold and the ends of a slider; infinity is the strength of what is always whole."""
    miner, strength = summary.model.miner_, summary.model.partition_.strength
    if miner is None or strength is None:
        return {"threshold": None, "lowest": None, "highest": None}
    threshold = min(miner.settings.threshold, ALWAYS)
    highest = float(np.ceil(strength[np.isfinite(strength)].max(initial=10.0)))
    return {"threshold": threshold, "lowest": summary.lowest, "highest": max(highest, threshold)}


def _candidates(entries: Entries) -> list[NDArray[np.int64]]:
    """Of each topic, the places in ``frequency`` of what may come to the front in some order."""
    frequency, n_topics = entries.frequency, entries.sizes.size
    n = int(np.clip(N_ENTRIES // n_topics, FEWEST, 40))
    several = (entries.lengths > 1)[frequency.types]
    hidden = entries.background.declared[frequency.types]
    kinds = [several & ~hidden, several & hidden, ~several]
    # Of equal scores the more frequent come first.
    slight = 1e-9 * np.log1p(entries.totals[frequency.types])
    orders = [entries.scores("relevance", weight) + slight for weight in LAMBDAS]
    orders += [entries.scores("frequency") + slight, entries.scores("kert") + slight]
    found = []
    for here in entries.places:
        parts = [here[kind[here]] for kind in kinds]
        chosen = [_foremost(part, score, n) for part in parts[:2] for score in orders]
        chosen += [_foremost(parts[2], score, n) for score in orders[2:4]]  # words have lists of their own
        found.append(np.unique(np.concatenate(chosen)))
    return found


def _foremost(places: NDArray[np.int64], scores: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    if places.size <= n:
        return places
    return places[np.argpartition(-scores[places], n)[:n]]


def _background(entries: Entries) -> NDArray[np.int64]:
    """Background phrases of several words, the most frequent: one place in ``frequency`` each."""
    chosen = np.flatnonzero(entries.background.declared & (entries.lengths > 1))
    chosen = np.sort(chosen[np.argsort(-entries.totals[chosen], kind="stable")][:N_BACKGROUND])
    return np.searchsorted(entries.frequency.types, chosen)


def _topics(
    summary: Summary,
    candidates: Sequence[NDArray[np.int64]],
    listed: NDArray[np.int32],
    documents: Sequence[list[int]],
) -> list[dict[str, Any]]:
    entries, lda, shares = summary.entries, summary.model.lda_, summary.shares
    frequency, complete = entries.frequency, entries.completeness > GAMMA
    kert = np.where(complete[frequency.types], entries.scores("kert"), np.nan)  # pieces have none
    words = summary.model.corpus_.vocabulary["surface"].to_list()
    topic_word, overall = summary.topic_word, summary.topic_word.T @ lda.topic_weight_
    topics = []
    for k, name in enumerate(summary.labels):
        here = candidates[k][np.argsort(-frequency.mean[candidates[k]], kind="stable")]
        numbers = np.searchsorted(listed, frequency.types[here]).tolist()
        counted = zip(numbers, frequency.mean[here].tolist(), kert[here].tolist(), strict=True)
        topics.append(
            {
                "id": k,
                "weight": float(lda.topic_weight_[k]),
                "size": _short(entries.sizes[k]),
                "label": name,
                "renamed": k in summary.own_labels,
                "similar": [
                    [other, _short(near)] for other, near in similar_topics(summary.similarity, k, N_SIMILAR)
                ],
                "words": [
                    [words[i], _short(topic_word[k, i]), _short(overall[i])]
                    for i in _words(topic_word, k, overall)
                ],
                "phrases": [
                    [number, _short(mean), None if math.isnan(score) else _short(score)]
                    for number, mean, score in counted
                ],
                "trend": None if shares is None else [_short(share) for share in shares[k]],
                "documents": documents[k],
            }
        )
    return topics


def _words(topic_word: NDArray[np.float64], topic: int, overall: NDArray[np.float64]) -> list[int]:
    """Of the likeliest words those that are foremost at one λ or another, by φ."""
    likely = top_words(topic_word[topic], N_LIKELY)
    inside, whole = topic_word[topic, likely], overall[likely]
    ranked = [np.argsort(-relevance(inside, whole, weight), kind="stable")[:N_WORDS] for weight in LAMBDAS]
    chosen: list[int] = likely[np.unique(np.concatenate(ranked))].tolist()
    return chosen


def _entries(entries: Entries, spans: Periods | None, listed: NDArray[np.int32]) -> Iterable[dict[str, Any]]:
    frequency, tested = entries.frequency, entries.background
    places = _Places(frequency, len(entries))
    plain = entries.model.lda_.frequency_
    places_of_types = _Places(plain, entries.entry_of.size)
    totals = plain.totals(entries.entry_of.size)
    trend, is_often = spans and _trends(entries, spans, listed), entries.totals[listed] >= LEAST_FOR_TREND
    for at, entry in enumerate(listed.tolist()):
        forms = entries.forms[entries.form_start[entry] : entries.form_start[entry + 1]][:N_FORMS].tolist()
        p, quality = float(tested.p[entry]), float(entries.quality[entry])
        yield {
            "text": entries.text(entry),
            "n": int(entries.lengths[entry]),
            "total": _short(entries.totals[entry]),
            "background": bool(tested.declared[entry]),
            "p": None if math.isnan(p) else _short(p),
            "quality": None if math.isnan(quality) else _short(quality),
            "forms": [
                [entries.surfaces[form], _short(totals[form]), places_of_types.of(form)] for form in forms
            ]
            if len(forms) > 1
            else None,
            "topics": places.of(entry),
            "trend": trend[at].tolist() if trend is not None and is_often[at] else None,
        }


class _Places:
    """Topics that entries, or types, stand in."""

    def __init__(self, frequency: TopicalFrequency, n: int) -> None:
        self._topics, self._mean = frequency.topics, frequency.mean
        self._start = np.searchsorted(frequency.types, np.arange(n + 1))

    def of(self, which: int) -> list[list[float]]:
        """Topic and frequency, the largest first."""
        first, stop = self._start[which : which + 2]
        order = first + np.argsort(-self._mean[first:stop], kind="stable")[:N_TOPICS]
        often = [i for i in order if self._mean[i] >= LEAST_FREQUENCY] or order[:1]
        return [[int(self._topics[i]), _short(self._mean[i])] for i in often]


def _trends(entries: Entries, spans: Periods, listed: NDArray[np.int32]) -> NDArray[np.int64]:
    """Instances of each listed entry in each period: those of all its forms."""
    of_types = type_trend(entries.model, spans, entries.forms)
    summed: NDArray[np.int64] = np.add.reduceat(of_types, entries.form_start[:-1], axis=0)[listed]
    return summed


def _documents(summary: Summary) -> tuple[list[dict[str, Any]], list[list[int]]]:
    """The most representative documents of all topics, and where those of each topic stand among them."""
    n_topics = summary.n_topics
    if summary.model.corpus_.texts is None:
        return [], [[] for _ in range(n_topics)]
    n_documents = int(np.clip(400 // n_topics, 2, 8))
    chosen = [summary.representative(k, n_documents) for k in range(n_topics)]
    rows = np.unique(np.concatenate([*chosen, np.zeros(0, np.int64)]).astype(np.int64))
    most_chars = int(np.clip(N_CHARACTERS // max(rows.size, 1), 300, 4_000))
    documents = Documents(summary).of_rows(rows, most_chars)
    return documents, [np.searchsorted(rows, each).tolist() for each in chosen]


def _short(number: float) -> float:
    """A number with as many digits as a page needs.

    >>> _short(812.4333), _short(0.003123456), _short(17.0)
    (812.43, 0.0031235, 17.0)
    """
    return float(f"{float(number):.5g}")
