"""The worker's side of inference: reads new documents, infers their topics and returns frames to write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from topminer.errors import InputError
from topminer.phrases.miner import take_over
from topminer.phrases.partition import Partition
from topminer.progress import silent
from topminer.text.corpus import Corpus
from topminer.text.corpus_fields import fields_from_batches
from topminer.text.documents import Batch
from topminer.text.provenance import Origin
from topminer.text.reading.reader import Reading
from topminer.topics.results.documents import documents_with_topics
from topminer.topics.results.fold_in import Inferred
from topminer.topics.sampler.exchange import own


class Model(Protocol):
    """A fitted model; its own documents are not needed."""

    corpus_: Corpus
    miner_: Any
    lda_: Any
    n_threads: int | None

    def infer(self, texts: Any) -> tuple[Partition, Inferred]:
        """Return new documents as phrase instances, and their topics."""


Shape = Callable[[pl.DataFrame], pl.DataFrame]


def as_it_is(documents: pl.DataFrame) -> pl.DataFrame:
    """Return documents as they are: nothing has to be changed before they are written."""
    return documents


@dataclass
class Found:
    """Totals of new documents; `origin` has what was skipped in reading."""

    origin: Origin
    n_documents: int = 0
    n_without_tokens: int = 0
    n_tokens: int = 0
    n_unknown: int = 0  # phrases with a word that the model does not know

    def __add__(self, other: Found) -> Found:
        mine, theirs = self.origin, other.origin
        counts = {
            name: getattr(mine, name) + getattr(theirs, name) for name in vars(mine) if name.startswith("n_")
        }
        first = mine.first_undecodable or theirs.first_undecodable
        kinds = dict(Counter(mine.kinds) + Counter(theirs.kinds))
        columns = mine.columns or theirs.columns
        origin = replace(mine, columns=columns, first_undecodable=first, kinds=kinds, **counts)
        counts = {name: getattr(self, name) + getattr(other, name) for name in vars(self) if name != "origin"}
        return Found(origin, **counts)


class Result(NamedTuple):
    """What a worker returns for a batch, or at the end of a stretch."""

    frames: list[pl.DataFrame]
    found: Found
    bytes_read: int  # of the stretch, so far
    is_last: bool = False
    error: InputError | None = None


class InferenceWorker:
    """Reads one stretch after another, and infers the topics of its documents."""

    def __init__(self, model: Model, shape: Shape, n_threads: int) -> None:
        self._model = _on_threads(model, n_threads)
        self._shape, self._n_threads = shape, n_threads
        self._results: Iterator[Result] = iter(())

    def start(self, reading: Reading, n_done: int) -> None:
        """Begin a stretch; its first batches are done already."""
        self._results = self._read(reading, n_done)

    def more(self) -> Result | None:
        """Return the result of the next batch of the stretch, or None at its end."""
        return next(self._results, None)

    def _read(self, reading: Reading, n_done: int) -> Iterator[Result]:
        # An error is returned, not raised: if several stretches have one, the first in the source counts.
        error = None
        try:
            for number, batch in enumerate(reading):
                if number >= n_done:
                    yield self._inferred(batch, reading)
        except InputError as raised:
            error = raised
        yield Result([], Found(Origin().with_reading(reading)), reading.bytes_read, True, error)

    def _inferred(self, batch: Batch, reading: Reading) -> Result:
        rules = self._model.corpus_.rules
        documents = [Batch(batch.texts, batch.ids)]
        corpus = Corpus(**fields_from_batches(documents, rules, self._n_threads, silent))
        partition, inferred = self._model.infer(corpus)
        frames = [self._shape(frame) for frame in documents_with_topics(partition, inferred)]
        n_without = int(np.count_nonzero(np.diff(corpus.doc_start) == 0))
        found = Found(corpus.origin, len(corpus), n_without, corpus.n_tokens, inferred.n_skipped)
        return Result(frames, found, reading.bytes_read)


def _on_threads(model: Model, n_threads: int) -> Model:
    """Return the same model with another number of threads, and with writable arrays."""
    model = copy(model)
    model.miner_, model.lda_ = copy(model.miner_), copy(model.lda_)
    steps = [model, model.lda_]
    if model.miner_ is not None:
        fitted = copy(model.miner_.fitted)
        take_over(model.miner_, fitted)
        steps += [model.miner_, fitted]
    for step in steps:
        vars(step).update({name: own(value) for name, value in vars(step).items()})
    for step in filter(None, (model, model.miner_, model.lda_)):
        step.n_threads = n_threads
    return model
