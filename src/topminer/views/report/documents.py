"""The documents of a model as pages show them: with strengths of lower thresholds than the model's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.containers.arrays import ranges
from topminer.topics.results.summary import Summary
from topminer.views.report.shown import has_only_years, shown


class Documents:
    """The documents of a model, and new texts, that can be cut at thresholds from the lowest on."""

    def __init__(self, summary: Summary) -> None:
        self._summary, self._model = summary, summary.model
        self._only_years = has_only_years(summary.model.corpus_.times)

    def of_rows(
        self, rows: Sequence[int] | NDArray[np.int64], most_chars: int | None, *, finer: bool = True
    ) -> list[dict[str, Any]]:
        """Return some of the model's own documents.

        ``finer`` strengths tell of thresholds below the model's own. The first call mines the corpus for it.
        """
        model, chosen = self._model, np.asarray(rows, np.int64)
        if chosen.size == 0:
            return []
        start = model.partition_.doc_start
        told = shown(
            self._summary.segments(chosen, lowest=self._summary.lowest if finer else None),
            model.lda_.clique_topic_[ranges(start[chosen], start[chosen + 1])],
            np.concatenate([model.lda_.shares(row, row + 1) for row in chosen.tolist()]),
            most_chars=most_chars,
            only_years=self._only_years,
        )
        return [{**each, "row": row} for each, row in zip(told, chosen.tolist(), strict=True)]

    def of_text(self, text: str) -> dict[str, Any]:
        """Return a text that belongs to no row, with the topics that the model sees in it."""
        partition, inferred = self._model.infer([text])
        (told,) = shown(self._summary.finer(partition), inferred.clique_topic, inferred.doc_topic)
        return {**told, "row": -1, "id": "", "time": None}


def cut(document: dict[str, Any], threshold: float) -> list[dict[str, Any]]:
    """The phrase instances of a shown document at a threshold, each with the topic most of its words have."""
    text, starts, ends = document["text"], document["start"], document["end"]
    groups: list[list[int]] = []
    for token, strength in enumerate(document["strength"]):
        if groups and strength is not None and strength >= threshold:
            groups[-1].append(token)
        else:
            groups.append([token])
    found = []
    for group in groups:
        start, end = starts[group[0]], ends[group[-1]]
        topics = [document["topic"][token] for token in group]
        topic = max(topics, key=topics.count)  # of equals the first
        found.append({"text": text[start:end], "start": start, "end": end, "topic": topic})
    return found
