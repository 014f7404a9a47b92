"""All that a page shows, as one JSON object: the same for the report and for the explorer.

Lists hold what any of their orders could show: a page orders, ties and hides by itself. What grows with the
corpus is bounded: so many entries and documents for all topics together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.topics.results.candidates import best_of, candidate_words, candidates, frequent_background
from topminer.topics.results.frequency import TopicalFrequency
from topminer.topics.results.listing import Listing
from topminer.topics.results.similarity import similar_topics
from topminer.topics.results.summary import Summary
from topminer.views.report_page.documents import Documents
from topminer.views.report_page.facts import facts_of
from topminer.views.report_page.shown import ALWAYS
from topminer.views.report_page.sureness import diagnostics_of, sureness

FORMAT = 1
N_WORDS, N_SIMILAR, N_TOPICS, N_FORMS = 30, 6, 8, 6
N_ENTRIES = 2_000  # of one kind and order, in all topics
FEWEST = 10  # to a topic
N_BACKGROUND = 500
LEAST_FOR_TREND = 20  # instances: the course of fewer is noise
LEAST_FREQUENCY = 0.5  # rarer phrases of a topic occurred there in few samples only, and are left out
N_CHARACTERS = 400_000  # of all documents that are shown


def page_data(summary: Summary, *, title: str, run: Mapping[str, Any], live: bool) -> dict[str, Any]:
    """Return what a page shows of a model.

    ``run`` is the content of run.json. A ``live`` page has a server behind it, and needs no documents.
    """
    model, entries, periods = summary.model, summary.entries, summary.periods
    places = candidates(entries, int(np.clip(N_ENTRIES // summary.n_topics, FEWEST, 40)))
    background = frequent_background(entries, N_BACKGROUND)
    listed = np.union1d(entries.frequency.types[np.concatenate(places)], background)
    documents, places_of_documents = _documents(summary, live)
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
        "periods": periods and periods.names,
        "unit": periods and periods.unit,
        "order": Listing.usual(model).order,
        "period_sizes": None if summary.period_sizes is None else summary.period_sizes.tolist(),
        "facts": facts_of(model, run),
        **sureness(summary),
        "topics": list(_topics(summary, places, listed, places_of_documents)),
        "entries": list(_entries(summary, listed)),
        "documents": documents,
    }


def _thresholds(summary: Summary) -> dict[str, float | None]:
    """Return the model's threshold and the ends of a slider."""
    miner = summary.model.miner_
    if miner is None:
        return {"threshold": None, "lowest": None, "highest": None}
    threshold = min(miner.settings.threshold, ALWAYS)
    return {"threshold": threshold, "lowest": summary.lowest, "highest": max(summary.highest, threshold)}


def _topics(
    summary: Summary,
    candidates: Sequence[NDArray[np.int64]],
    listed: NDArray[np.integer],
    documents: Sequence[list[int]],
) -> Iterator[dict[str, Any]]:
    entries, frequency, shares = summary.entries, summary.entries.frequency, summary.shares
    kert = np.where(entries.is_complete[frequency.types], entries.scores("kert"), np.nan)
    best = best_of(entries)
    best[np.isneginf(best)] = np.nan
    words = summary.model.corpus_.vocabulary["surface"]
    weight, background = summary.model.lda_.topic_weight_, entries.background_words
    measures = diagnostics_of(summary)
    for k, label in enumerate(summary.labels):
        here = candidates[k][np.argsort(-frequency.mean[candidates[k]], kind="stable")]
        numbers = np.searchsorted(listed, frequency.types[here])
        likely = summary.word_lists.likely(k)
        hidden, scores = likely.hidden(background), likely.scores("best")
        chosen = candidate_words(likely, hidden, N_WORDS)
        of_words = likely.in_topic, likely.overall, hidden, scores
        yield {
            "id": k,
            "weight": float(weight[k]),
            "size": _short(entries.sizes[k]),
            "label": label,
            "background": bool(summary.is_background[k]),
            "renamed": k in summary.own_labels,
            "similar": [
                [other, _short(near)] for other, near in similar_topics(summary.similarity, k, N_SIMILAR)
            ],
            "words": _rows(words.gather(likely.ids[chosen]).to_list(), *(each[chosen] for each in of_words)),
            "phrases": _rows(numbers.tolist(), frequency.mean[here], kert[here], best[here]),
            "trend": None if shares is None else [_short(share) for share in shares[k]],
            "documents": documents[k],
            "measures": measures[k],
        }


def _rows(first: list[Any], *columns_of: NDArray[Any]) -> list[list[Any]]:
    """Return rows of a table: something, then numbers and flags."""
    columns = (
        column.tolist() if column.dtype == np.bool_ else [_short(number) for number in column.tolist()]
        for column in columns_of
    )
    return [list(row) for row in zip(first, *columns, strict=True)]


def _entries(summary: Summary, listed: NDArray[np.integer]) -> Iterator[dict[str, Any]]:
    entries, plain = summary.entries, summary.model.lda_.frequency_
    n_types = entries.entry_of.size
    places, places_of_types = _Places(entries.frequency, len(entries)), _Places(plain, n_types)
    totals, trends = plain.totals(n_types), summary.entry_trends(listed)
    for row, entry in enumerate(listed.tolist()):
        forms = entries.forms[entries.form_start[entry] : entries.form_start[entry + 1]][:N_FORMS].tolist()
        trend = trends if entries.totals[entry] >= LEAST_FOR_TREND else None
        yield {
            "text": entries.text(entry),
            "n": int(entries.lengths[entry]),
            "total": _short(entries.totals[entry]),
            "background": bool(entries.background.declared[entry]),
            "p": _short(entries.background.p[entry]),
            "quality": _short(entries.quality[entry]),
            "forms": [
                [entries.surfaces[form], _short(totals[form]), places_of_types.of(form)] for form in forms
            ]
            if len(forms) > 1
            else None,
            "topics": places.of(entry),
            "trend": None if trend is None else trend[row].tolist(),
        }


class _Places:
    """Topics that entries, or types, stand in."""

    def __init__(self, frequency: TopicalFrequency, n: int) -> None:
        self._topics, self._mean = frequency.topics, frequency.mean
        self._start = np.searchsorted(frequency.types, np.arange(n + 1))

    def of(self, which: int) -> list[list[Any]]:
        """Return topics and frequencies, the largest first."""
        first, stop = self._start[which : which + 2]
        order = first + np.argsort(-self._mean[first:stop], kind="stable")[:N_TOPICS]
        often = order[self._mean[order] >= LEAST_FREQUENCY]
        shown = often if often.size else order[:1]
        return _rows(self._topics[shown].tolist(), self._mean[shown])


def _documents(summary: Summary, live: bool) -> tuple[list[dict[str, Any]], list[list[int]]]:
    """Return the most representative documents of all topics, and where each topic's stand among them."""
    n_topics = summary.n_topics
    if live or summary.model.corpus_.texts is None:
        return [], [[] for _ in range(n_topics)]
    n_documents = int(np.clip(400 // n_topics, 2, 8))
    chosen = [summary.representative(k, n_documents) for k in range(n_topics)]
    rows = np.unique(np.concatenate(chosen))
    most_chars = int(np.clip(N_CHARACTERS // max(rows.size, 1), 300, 4_000))
    documents = Documents(summary).of_rows(rows, most_chars)
    return documents, [np.searchsorted(rows, each).tolist() for each in chosen]


def _short(number: float) -> float | None:
    """Return a number with as many digits as a page needs; None if it is not known.

    >>> _short(812.4333), _short(0.003123456), _short(17.0), _short(math.nan)
    (812.43, 0.0031235, 17.0, None)
    """
    return None if math.isnan(number) else float(f"{number:.5g}")
