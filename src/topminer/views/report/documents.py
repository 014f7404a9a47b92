"""The documents of a model as pages show them: with strengths of lower thresholds than the model's own."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.containers.arrays import ranges
from topminer.phrases.miner import PhraseMiner, lowered
from topminer.phrases.partition import Partition
from topminer.text.corpus import Corpus
from topminer.topics.results.fitted import Fitted
from topminer.views.report.shown import has_only_years, shown

LOWEST = 1.0  # threshold


class Documents:
    """The documents of a model, and texts of one's own, ready to be cut at thresholds from ``lowest`` on.

    What is too rare for the model's own threshold is mined when it is first needed.
    """

    def __init__(self, model: Fitted) -> None:
        self._model = model
        self._only_years = has_only_years(model.corpus_.times)
        self._lower: PhraseMiner | None = None
        self._lock = threading.Lock()

    @property
    def lowest(self) -> float:
        """The lowest threshold that documents can be cut at; with single words only, any."""
        miner = self._model.miner_
        return 0.0 if miner is None else min(miner.settings.threshold, LOWEST)

    def of_rows(
        self, rows: Sequence[int] | NDArray[np.int64], most_chars: int | None
    ) -> list[dict[str, Any]]:
        """Some of the model's own documents."""
        model, chosen = self._model, np.asarray(rows, np.int64)
        if chosen.size == 0:
            return []
        own = model.partition_[chosen]
        cliques = ranges(model.partition_.doc_start[chosen], model.partition_.doc_start[chosen + 1])
        topics = model.lda_.clique_topic_[cliques]
        told = shown(
            self._finer(own),
            topics,
            np.concatenate([model.lda_.shares(row, row + 1) for row in chosen.tolist()]),
            most_chars=most_chars,
            only_years=self._only_years,
        )
        return [{**each, "row": row} for each, row in zip(told, chosen.tolist(), strict=True)]

    def of_text(self, text: str) -> dict[str, Any]:
        """A text of one's own, which belongs to no row, with the topics that the model sees in it."""
        partition, inferred = self._model.infer([text])
        (told,) = shown(self._finer(partition), inferred.clique_topic, inferred.doc_topic)
        return {**told, "row": -1, "id": "", "time": None}

    def _finer(self, partition: Partition) -> Partition:
        """The same phrase instances, and strengths that tell of rarer ones as well."""
        strength = self._strength(partition.corpus)
        return partition if strength is None else replace(partition, strength=strength)

    def _strength(self, corpus: Corpus) -> NDArray[np.float64] | None:
        miner = self._model.miner_
        if miner is None:
            return None
        with self._lock:
            if self._lower is None:
                self._lower = lowered(miner, self.lowest)
        return self._lower.transform(corpus).strength


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
