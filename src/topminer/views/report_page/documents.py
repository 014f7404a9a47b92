"""The documents of a model as pages show them: with strengths of lower thresholds than the model's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.containers.arrays import ranges
from topminer.topics.results.summary import Summary
from topminer.views.report_page.shown import has_only_years, shown


class Documents:
    """The documents of a model, and new texts, that can be cut at thresholds from the lowest on."""

    def __init__(self, summary: Summary) -> None:
        self._summary, self._model = summary, summary.model
        self._only_years = has_only_years(summary.model.corpus_.times)

    def of_rows(
        self, rows: Sequence[int] | NDArray[np.int64], most_chars: int | None, *, finer: bool = True
    ) -> list[dict[str, Any]]:
        """Return some of the model's own documents.

        ``finer`` strengths serve thresholds below the model's own. The first call mines the corpus for them.
        """
        lda, chosen = self._model.lda_, np.asarray(rows, np.int64)
        if chosen.size == 0:
            return []
        start = self._model.partition_.doc_start
        documents = shown(
            self._summary.segments(chosen, lowest=self._summary.lowest if finer else None),
            lda.clique_topic_[ranges(start[chosen], start[chosen + 1])],
            np.concatenate([lda.shares(row, row + 1) for row in chosen.tolist()]),
            most_chars=most_chars,
            only_years=self._only_years,
        )
        return [{**each, "row": row} for each, row in zip(documents, chosen.tolist(), strict=True)]

    def of_text(self, text: str) -> dict[str, Any]:
        """Return a text that belongs to no row, with the topics that the model infers."""
        partition, inferred = self._model.infer([text])
        (document,) = shown(self._summary.finer(partition), inferred.clique_topic, inferred.doc_topic)
        return {**document, "row": -1, "id": "", "time": None}


def cut(document: dict[str, Any], threshold: float) -> list[dict[str, Any]]:
    """Return the phrase instances of a shown document at a threshold, each with the topic of most words."""
    groups: list[list[int]] = []
    for token, strength in enumerate(document["strength"]):
        if groups and strength is not None and strength >= threshold:
            groups[-1].append(token)
        else:
            groups.append([token])
    phrases = []
    for group in groups:
        start, end = document["start"][group[0]], document["end"][group[-1]]
        topics = [document["topic"][token] for token in group]
        topic = max(topics, key=topics.count)  # of equals the first
        phrases.append({"text": document["text"][start:end], "start": start, "end": end, "topic": topic})
    return phrases
