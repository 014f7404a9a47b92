"""What is kept beside a stored model because computing it reads all documents: ``names.json``.

It holds the automatic names of topics, the phrase types that describe no topic in particular, the background
topics, and in how many documents phrases stand. With it, topics are shown without reading the documents. If
it is deleted, it is computed and kept again.
"""

from __future__ import annotations

from contextlib import suppress
from math import inf
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer import store
from topminer.errors import InputError
from topminer.topics.results.document_frequency import DocumentFrequency
from topminer.topics.results.own_labels import model_in
from topminer.topics.results.summary import Summary

FILE = "names.json"
FORMAT = 4  # higher when any of this is found in another way: what was kept before is found anew


class Kept(NamedTuple):
    """What was kept for a model."""

    names: list[str]
    background: NDArray[np.int64]  # phrase types, of entries with variants tied
    topics: NDArray[np.int64]  # background topics
    frequency: DocumentFrequency  # of the entries of several words, variants tied


def keep(directory: Path, summary: Summary) -> Kept:
    """Keep names and background phrases beside a stored model, if the directory can be written to."""
    entries, topics = summary.entries, np.flatnonzero(summary.is_background)
    kept = Kept(summary.names, entries.background_types, topics, entries.document_frequency)
    content = {
        "names": kept.names,
        "background": kept.background.tolist(),
        "topics": kept.topics.tolist(),
        "documents": kept.frequency.documents.tolist(),
        "in_topic": kept.frequency.in_topic.tolist(),
    }
    with suppress(InputError):
        store.write_json(directory / FILE, {"format": FORMAT, "model": model_in(directory)[0], **content})
    return kept


def read_kept(directory: Path) -> Kept | None:
    """Return what was kept for the model in ``directory``; None if there is nothing, or it is damaged."""
    model, n_topics = model_in(directory)
    content = store.read_json(directory / FILE)
    names, types, topics = (content.get(name) for name in ("names", "background", "topics"))
    if (content.get("format"), content.get("model")) != (FORMAT, model) or not isinstance(names, list):
        return None
    if n_topics not in (None, len(names)) or not all(isinstance(name, str) for name in names):
        return None
    if not _are_numbers(types, 2**31) or not _are_numbers(topics, len(names)):
        return None
    documents, in_topic = content.get("documents"), content.get("in_topic")
    if not _are_numbers(documents, 2**63) or not _are_counts(in_topic):
        return None
    frequency = DocumentFrequency(np.array(documents, np.int64), np.array(in_topic, np.float64))
    return Kept(names, np.array(types, np.int64), np.array(topics, np.int64), frequency)


def _are_numbers(values: object, below: int) -> bool:
    return isinstance(values, list) and all(type(each) is int and 0 <= each < below for each in values)


def _are_counts(values: object) -> bool:
    return isinstance(values, list) and all(type(each) in (int, float) and 0 <= each < inf for each in values)
