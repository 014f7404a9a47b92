"""All that a page shows, as one JSON object: the same for the report and for the explorer.

Lists hold what any of their orders could show: a page orders, ties and hides by itself. What grows with the
corpus is bounded: so many entries and documents for all topics together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.phrases.miner import PhraseMiner
from topminer.topics.ranking import top_words
from topminer.views.distances import similarities
from topminer.views.entries import RELEVANCE, Entries
from topminer.views.fitted import Fitted
from topminer.views.naming import labels_of, names_of, similar_topics
from topminer.views.report_facts import facts_of
from topminer.views.shown import most_representative, shares_in, shown
from topminer.views.trends import Periods, period_sizes, periods, topic_trend, type_trend

FORMAT = 1
N_WORDS, N_SIMILAR, N_TOPICS, N_FORMS = 30, 6, 8, 6
N_ENTRIES = 6_000  # of one kind and order, in all topics
N_CHARACTERS = 500_000  # of all documents that are shown
LAMBDAS = (0.0, 0.3, RELEVANCE, 1.0)


def page_data(
    model: Fitted,
    *,
    labels: Mapping[int, str],
    title: str,
    run: Mapping[str, Any],
    live: bool,
) -> dict[str, Any]:
    """What a page shows of a model.

    Parameters
    ----------
    model : ToPMine
        Fitted.
    labels : mapping of int to str
        The user's own names of topics.
    title : str
        What the page is called.
    run : mapping
        What run.json tells.
    live : bool
        Whether a server stands behind the page: it needs no documents then.
    """
    entries, spans = Entries.of(model), periods(model.corpus_.times)
    candidates = _candidates(entries)
    listed = np.unique(entries.frequency.types[np.concatenate([*candidates, _background(entries)])])
    documents, places = ([], [[]] * entries.sizes.size) if live else _documents(model)
    threshold = None if model.miner_ is None else float(model.miner_.significance)
    return {
        "format": FORMAT,
        "title": title,
        "version": version("topminer"),
        "live": live,
        "n_documents": len(model.corpus_),
        "n_tokens": model.corpus_.n_tokens,
        "n_types": model.partition_.n_types - model.corpus_.n_stems,
        "threshold": _finite(threshold),
        "lowest": None if model.miner_ is None else _finite(lowest_threshold(model.miner_)),
        "highest": _highest(model),
        "has_texts": model.corpus_.texts is not None,
        "periods": spans and spans.names,
        "unit": spans and spans.unit,
        "period_sizes": spans and period_sizes(model, spans).tolist(),
        "facts": facts_of(model, run),
        "topics": _topics(entries, spans, candidates, listed, labels, places),
        "entries": list(_entries(entries, spans, listed)),
        "documents": documents,
    }


def lowest_threshold(miner: PhraseMiner) -> float:
    """The threshold from which on no phrase is missing: below, some were too rare to be mined."""
    if miner.scorer != "paper":
        return float(miner.significance)
    return min(float(miner.significance), math.sqrt(max(miner.min_support_ - 1, 0)))


def _finite(number: float | None) -> float | None:
    return number if number is None or math.isfinite(number) else None


def _highest(model: Fitted) -> float:
    strength = model.partition_.strength
    finite = strength[np.isfinite(strength)] if strength is not None else np.zeros(0)
    return float(np.ceil(finite.max(initial=10.0)))


def _candidates(entries: Entries) -> list[NDArray[np.int64]]:
    """Of each topic, the places in ``frequency`` of what may come to the front in some order."""
    frequency, n_topics = entries.frequency, entries.sizes.size
    n = int(np.clip(N_ENTRIES // n_topics, 12, 60))
    several = (entries.lengths > 1)[frequency.types]
    hidden = entries.background.declared[frequency.types]
    kinds = [several & ~hidden, several & hidden, ~several]
    # Of equal scores the more frequent come first.
    slight = 1e-9 * np.log1p(entries.totals[frequency.types])
    orders = [entries.scores("relevance", weight) + slight for weight in LAMBDAS]
    orders += [entries.scores("frequency") + slight, entries.scores("kert") + slight]
    by_topic = np.argsort(frequency.topics, kind="stable")
    starts = np.searchsorted(frequency.topics[by_topic], np.arange(n_topics + 1)).tolist()
    found = []
    for first, stop in pairwise(starts):
        here = by_topic[first:stop]
        parts = [here[kind[here]] for kind in kinds]
        chosen = [_foremost(part, score, n) for part in parts for score in orders]
        found.append(np.unique(np.concatenate(chosen)))
    return found


def _foremost(places: NDArray[np.int64], scores: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    if places.size <= n:
        return places
    return places[np.argpartition(-scores[places], n)[:n]]


def _background(entries: Entries) -> NDArray[np.int64]:
    """Background phrases of several words, the most frequent: one place in ``frequency`` each."""
    chosen = np.flatnonzero(entries.background.declared & (entries.lengths > 1))
    chosen = np.sort(chosen[np.argsort(-entries.totals[chosen], kind="stable")][: N_ENTRIES // 10])
    return np.searchsorted(entries.frequency.types, chosen)


def _topics(
    entries: Entries,
    spans: Periods | None,
    candidates: Sequence[NDArray[np.int64]],
    listed: NDArray[np.int32],
    labels: Mapping[int, str],
    documents: Sequence[list[int]],
) -> list[dict[str, Any]]:
    model, frequency, kert = entries.model, entries.frequency, entries.scores("kert")
    lda, words = model.lda_, model.corpus_.vocabulary["surface"].to_list()
    topic_word = lda.topic_word_
    similarity = similarities(topic_word)
    overall = topic_word.T @ lda.topic_weight_
    shares = None if spans is None else topic_trend(model, spans)
    topics = []
    for k, name in enumerate(labels_of(names_of(entries), labels)):
        here = candidates[k][np.argsort(-frequency.mean[candidates[k]], kind="stable")]
        numbers = np.searchsorted(listed, frequency.types[here]).tolist()
        counted = zip(numbers, frequency.mean[here].tolist(), kert[here].tolist(), strict=True)
        topics.append(
            {
                "id": k,
                "weight": float(lda.topic_weight_[k]),
                "size": _short(entries.sizes[k]),
                "label": name,
                "renamed": k in labels,
                "similar": [
                    [other, _short(near)] for other, near in similar_topics(similarity, k, N_SIMILAR)
                ],
                "words": [
                    [words[i], _short(topic_word[k, i]), _short(overall[i])]
                    for i in _words(topic_word[k], overall)
                ],
                "phrases": [[number, _short(mean), _short(score)] for number, mean, score in counted],
                "trend": None if shares is None else [_short(share) for share in shares[k]],
                "documents": documents[k],
            }
        )
    return topics


def _words(inside: NDArray[np.float64], overall: NDArray[np.float64]) -> list[int]:
    """Words that are foremost at one λ or another, by φ."""
    lift = np.log(inside) - np.log(overall)
    ranked = [
        top_words((np.log(inside) * weight + lift * (1 - weight))[None], 0, N_WORDS) for weight in LAMBDAS
    ]
    found = np.unique(np.concatenate(ranked))
    chosen: list[int] = found[np.argsort(-inside[found], kind="stable")].tolist()
    return chosen


def _entries(entries: Entries, spans: Periods | None, listed: NDArray[np.int32]) -> Iterable[dict[str, Any]]:
    frequency, tested = entries.frequency, entries.background
    places = _Places(frequency.types, frequency.topics, frequency.mean)
    plain = entries.model.lda_.frequency_
    places_of_types = _Places(plain.types, plain.topics, plain.mean)
    totals = plain.totals(entries.entry_of.size)
    trend = None if spans is None else _trends(entries, spans, listed)
    for at, entry in enumerate(listed.tolist()):
        forms = entries.forms[entries.form_start[entry] : entries.form_start[entry + 1]][:N_FORMS].tolist()
        p = float(tested.p[entry])
        yield {
            "text": entries.text(entry),
            "n": int(entries.lengths[entry]),
            "total": _short(entries.totals[entry]),
            "background": bool(tested.declared[entry]),
            "p": None if math.isnan(p) else _short(p),
            "forms": [
                [entries.surfaces[form], _short(totals[form]), places_of_types.of(form)] for form in forms
            ]
            if len(forms) > 1
            else None,
            "topics": places.of(entry),
            "trend": None if trend is None else trend[at].tolist(),
        }


class _Places:
    """Topics that entries, or types, stand in."""

    def __init__(
        self, types: NDArray[np.int32], topics: NDArray[np.int32], mean: NDArray[np.float64]
    ) -> None:
        self._types, self._topics, self._mean = types, topics, mean

    def of(self, which: int) -> list[list[float]]:
        """Topic and frequency, the largest first."""
        first, stop = np.searchsorted(self._types, [which, which + 1])
        order = first + np.argsort(-self._mean[first:stop], kind="stable")[:N_TOPICS]
        return [[int(self._topics[i]), _short(self._mean[i])] for i in order]


def _trends(entries: Entries, spans: Periods, listed: NDArray[np.int32]) -> NDArray[np.int64]:
    """Instances of each listed entry in each period: those of all its forms."""
    of_types = type_trend(entries.model, spans, entries.forms)
    summed: NDArray[np.int64] = np.add.reduceat(of_types, entries.form_start[:-1], axis=0)[listed]
    return summed


def _documents(model: Fitted) -> tuple[list[dict[str, Any]], list[list[int]]]:
    """The most representative documents of all topics, and where those of each topic stand among them."""
    n_topics = model.lda_.topic_weight_.size
    if model.corpus_.texts is None:
        return [], [[] for _ in range(n_topics)]
    n = int(np.clip(400 // n_topics, 2, 8))
    chosen = most_representative(model.lda_, n)
    rows = np.unique(np.concatenate([*chosen, np.zeros(0, np.int64)]).astype(np.int64))
    most_chars = int(np.clip(N_CHARACTERS // max(rows.size, 1), 300, 4_000))
    documents = shown(
        model.partition_, model.lda_.clique_topic_, shares_in(model.lda_), rows, most_chars=most_chars
    )
    return documents, [np.searchsorted(rows, each).tolist() for each in chosen]


def _short(number: float) -> float:
    """A number with as many digits as a page needs.

    >>> _short(812.4333), _short(0.00312345), _short(17.0)
    (812.43, 0.0031235, 17.0)
    """
    return float(f"{float(number):.5g}")
