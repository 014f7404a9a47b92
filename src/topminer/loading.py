"""A model directory becomes a model again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from topminer import store
from topminer._documentless import leave_documents_out, topics_without_documents, without_documents
from topminer._facts import lda_of, miner_of, reading, times
from topminer.engines.local import n_threads_or_all
from topminer.errors import InputError
from topminer.phrases.miner import restore_phrases
from topminer.phrases.partition import Partition
from topminer.phrases.types import PhraseTypes
from topminer.pipeline import RUN, ToPMine
from topminer.store.formats import MODEL
from topminer.text.corpus import Corpus
from topminer.text.provenance import PATHS
from topminer.topics.model.phraselda import take_over
from topminer.topics.model.topics import Topics


def load(directory: str | PathLike[str], *, documents: bool = True, n_threads: int | None = None) -> ToPMine:
    """Load a model. A model that is damaged, foreign or from a newer topminer is refused.

    With ``documents=False`` the model's own documents are not read. That is quicker, takes far less memory,
    and is enough for its topics and for new documents: ``topics``, ``transform``, ``infer``, ``segment`` and
    ``score`` give what they always give. ``explain`` does not count what is not frequent. Whatever else needs
    the documents raises an InputError.
    """
    reader = store.Reader(Path(directory), MODEL)
    return _restored(
        reader, without_documents(reader) if not documents else reader.stored(), documents, n_threads
    )


def load_tokens(directory: Path, n_threads: int | None = None) -> ToPMine:
    """Load a model without its documents, but with their stems: ``explain`` counts what is not frequent."""
    reader = store.Reader(directory, MODEL)
    return _restored(reader, without_documents(reader, tokens=True), False, n_threads)


def _restored(reader: store.Reader, stored: store.Stored, documents: bool, n_threads: int | None) -> ToPMine:
    path = reader.directory
    if n_threads is not None:
        n_threads = n_threads_or_all(n_threads)
    try:
        return restored(stored, store.read_json(path / RUN), documents=documents, n_threads=n_threads)
    except InputError as error:
        raise InputError(f"{path}: damaged: {error}") from None
    except (LookupError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{path}: damaged: the model lacks or does not know {error}") from None


def restored(
    stored: store.Stored, run: Mapping[str, Any], *, documents: bool = True, n_threads: int | None = None
) -> ToPMine:
    """Return a stored model, with or without its documents; ``run`` is the content of run.json."""
    lda, corpus = store.part(stored, "topics"), Corpus.restored(store.part(stored, "corpus"))
    paths = {name: run[name] for name in PATHS if isinstance(run.get(name), str)}
    corpus = replace(corpus, origin=replace(corpus.origin, **paths))
    settings = {**stored.facts["parameters"], **reading(corpus.rules), "random_state": lda.facts["seed"]}
    model = ToPMine(**settings, n_threads=n_threads)
    model.corpus_, model.miner_, model.lda_ = corpus, miner_of(model), lda_of(model)
    if model.miner_ is not None:
        partition = store.part(stored, "partition")
        types = PhraseTypes.of_stored(partition, corpus.n_stems)
        strength = partition.arrays["strength"] if documents else None
        restore_phrases(model.miner_, store.part(stored, "phrases"), corpus, strength)
    else:
        word_topic = lda.arrays["word_topic"].reshape(corpus.n_stems, -1)
        types = PhraseTypes.of_words(word_topic.sum(axis=1, dtype=np.int64))
    topics = Topics.of_stored(lda, times(run.get("history")))
    if documents:
        miner = model.miner_
        model.partition_ = Partition.of_words(corpus) if miner is None else miner.transform(corpus)
        types.check(model.partition_)
        model.partition_.show_as(types.surfaces)
        topics.check(model.partition_)
    else:
        topics.check_frequency(types.instances)
        topics = topics_without_documents(topics)
        model.partition_ = leave_documents_out(corpus, types, model.miner_)
    take_over(model.lda_, topics)
    return model
