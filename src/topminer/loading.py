"""A model directory becomes a model again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer import store
from topminer._documentless import Absent, TypesOnly, bare_corpus, without_documents
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
from topminer.topics.results.entries import Entries
from topminer.topics.results.kept import keep, read_kept
from topminer.topics.results.own_labels import model_in
from topminer.topics.results.summary import Summary


def load(directory: str | PathLike[str], *, documents: bool = True, n_threads: int | None = None) -> ToPMine:
    """Load a model. A model that is damaged, foreign or from a newer topminer is refused.

    With ``documents=False`` the model's own documents are not read. That is quicker, takes far less memory,
    and is enough for its topics and for new documents: ``topics``, ``transform``, ``infer``, ``segment`` and
    ``score`` give what they always give. (``topics`` may read the documents once, to find background
    phrases; the result is kept beside the model.) ``explain`` does not count what is not frequent. Whatever
    else needs the documents raises an InputError.
    """
    if n_threads is not None:
        n_threads = n_threads_or_all(n_threads)
    path = Path(directory)
    reader, run = store.Reader(path, MODEL), store.read_json(path / RUN)
    stored = reader.stored() if documents else without_documents(reader)
    with _explained(path):
        background = None if documents else _BackgroundTypes(path.absolute(), model_in(path)[0])
        return restored(stored, run, background, n_threads=n_threads)


def load_to_explain(directory: Path, n_threads: int | None = None) -> ToPMine:
    """Load what ``explain`` needs: the phrases of a model, and its stems, to count what is not frequent."""
    reader = store.Reader(directory, MODEL)
    phrases = [name for name in reader.arrays if name.startswith("phrases-")]
    stored = reader.stored(["corpus-vocabulary", *phrases])
    stems, chunk_start = reader.array("corpus-stem_ids"), reader.array("corpus-chunk_start")
    with _explained(directory):
        corpus = bare_corpus(stored.facts["corpus"], stored.tables["corpus-vocabulary"])
        corpus = replace(corpus, stem_ids=stems, chunk_start=chunk_start)
        model = _unfitted(stored.facts, corpus, {}, n_threads)
        if model.miner_ is not None:
            restore_phrases(model.miner_, store.part(stored, "phrases"), model.corpus_)
        return model


@contextmanager
def _explained(directory: Path) -> Iterator[None]:
    """Say that the model is damaged, where that shows while it is put together."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{directory}: damaged: {error}") from None
    except (LookupError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{directory}: damaged: the model lacks or does not know {error}") from None


def _unfitted(
    facts: Mapping[str, Any], corpus: Corpus, run: Mapping[str, Any], n_threads: int | None
) -> ToPMine:
    """Return a model with the parameters and the corpus of a stored one."""
    paths = {name: run[name] for name in PATHS if isinstance(run.get(name), str)}
    corpus = replace(corpus, origin=replace(corpus.origin, **paths))
    settings = {**facts["parameters"], **reading(corpus.rules), "random_state": facts["topics"]["seed"]}
    model = ToPMine(**settings, n_threads=n_threads)
    model.corpus_, model.miner_, model.lda_ = corpus, miner_of(model), lda_of(model)
    return model


@dataclass(frozen=True)
class _BackgroundTypes:
    """Finds the background phrases of a stored model: kept beside it, or else found in its documents."""

    directory: Path
    model: str

    def __call__(self, tie: bool) -> NDArray[np.int64]:
        if model_in(self.directory)[0] != self.model:
            raise InputError(f"{self.directory}: another model has been written here since this was loaded")
        if not tie:
            return Entries.of(load(self.directory), tie=False).background_types
        kept = read_kept(self.directory) or keep(self.directory, Summary(load(self.directory)))
        return kept.background


def restored(
    stored: store.Stored,
    run: Mapping[str, Any],
    background_types: Callable[[bool], NDArray[np.int64]] | None = None,
    *,
    n_threads: int | None = None,
) -> ToPMine:
    """Return a stored model; ``run`` is the content of run.json.

    With ``background_types``, which finds the background phrases, it is without its documents.
    """
    documents = background_types is None
    lda, tokens = store.part(stored, "topics"), store.part(stored, "corpus")
    corpus = Corpus.restored(tokens) if documents else bare_corpus(tokens.facts, tokens.tables["vocabulary"])
    model = _unfitted(stored.facts, corpus, run, n_threads)
    corpus, miner = model.corpus_, model.miner_
    if miner is not None:
        partition = store.part(stored, "partition")
        types = PhraseTypes.of_stored(partition, corpus.n_stems)
        strength = partition.arrays["strength"] if documents else None
        restore_phrases(miner, store.part(stored, "phrases"), corpus, strength)
    else:
        word_topic = lda.arrays["word_topic"].reshape(corpus.n_stems, -1)
        types = PhraseTypes.of_words(word_topic.sum(axis=1, dtype=np.int64))
    topics = Topics.of_stored(lda, times(run.get("history")))
    if background_types is None:
        model.partition_ = Partition.of_words(corpus) if miner is None else miner.transform(corpus)
        types.check(model.partition_)
        model.partition_.show_as(types.surfaces)
        topics.check(model.partition_)
    else:
        topics.check_frequency(types.instances)
        absent: Any = Absent()
        topics = topics._replace(doc_topic=absent, clique_topic=absent)
        if miner is not None:
            miner.fitted.partition = absent
        types_only: Any = TypesOnly(corpus, types, background_types)
        model.partition_ = types_only
    take_over(model.lda_, topics)
    return model
