"""Load a model from its directory: whole, without its documents, or what `explain` needs.

Documents are by far the largest part of a model. In a model that is loaded without them, an object that
raises an error at any use stands for each missing part: no code mistakes it for a model of no documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer import store
from topminer._facts import lda_of, miner_of
from topminer.engines.local import n_threads_or_all
from topminer.errors import InputError
from topminer.phrases.miner import restore_phrases
from topminer.phrases.partition import Partition
from topminer.phrases.types import PhraseTypes
from topminer.pipeline import RUN, ToPMine
from topminer.store import Stored
from topminer.store.formats import MODEL
from topminer.text.corpus import Corpus
from topminer.text.kinds import resolve
from topminer.text.provenance import PATHS, Origin
from topminer.text.rules import TextRules
from topminer.topics.model.phraselda import take_over
from topminer.topics.model.topics import Topics
from topminer.topics.results.document_frequency import DocumentFrequency
from topminer.topics.results.entries import Entries
from topminer.topics.results.kept import Kept, keep, read_kept
from topminer.topics.results.own_labels import model_in
from topminer.topics.results.summary import Summary
from topminer.topics.sampler.chain import TIMES


def load(directory: str | PathLike[str], *, documents: bool = True, n_threads: int | None = None) -> ToPMine:
    """Load a model. A model that is damaged, foreign or from a newer topminer is refused.

    With ``documents=False`` the model's own documents are not read. That is quicker, takes far less memory,
    and is enough for its topics and for new documents: ``topics``, ``transform``, ``infer``, ``segment`` and
    ``score`` give what they always give. (``topics`` may read the documents once, to find background phrases
    and to count the documents of phrases; the result is kept beside the model.) ``explain`` does not count
    what is not frequent. Whatever else needs the documents raises an InputError.
    """
    if n_threads is not None:
        n_threads = n_threads_or_all(n_threads)
    path = Path(directory)
    reader, run = store.Reader(path, MODEL), store.read_json(path / RUN)
    stored = reader.stored() if documents else _without_documents(reader)
    with _damage_named(path):
        results = None if documents else _StoredResults(path.absolute(), model_in(path)[0])
        return restored(stored, run, results, n_threads=n_threads)


def load_to_explain(directory: Path, n_threads: int | None = None) -> ToPMine:
    """Load what ``explain`` needs: the phrases of a model, and its stems, to count what is not frequent."""
    reader = store.Reader(directory, MODEL)
    phrases = [name for name in reader.arrays if name.startswith("phrases-")]
    stored = reader.stored(["corpus-vocabulary", *phrases])
    stems, chunk_start = reader.array("corpus-stem_ids"), reader.array("corpus-chunk_start")
    with _damage_named(directory):
        corpus = replace(_bare_corpus(stored), stem_ids=stems, chunk_start=chunk_start)
        model = _unfitted(stored.facts, corpus, {}, n_threads)
        if model.miner_ is not None:
            restore_phrases(model.miner_, store.part(stored, "phrases"), model.corpus_)
        return model


def restored(
    stored: Stored,
    run: Mapping[str, Any],
    results: _StoredResults | None = None,
    *,
    n_threads: int | None = None,
) -> ToPMine:
    """Return a stored model; ``run`` is the content of run.json.

    With ``results``, which knows what is background, the model is without its documents.
    """
    documents = results is None
    corpus = Corpus.restored(store.part(stored, "corpus")) if documents else _bare_corpus(stored)
    model = _unfitted(stored.facts, corpus, run, n_threads)
    corpus, miner = model.corpus_, model.miner_
    if miner is not None:
        partition = store.part(stored, "partition")
        types = PhraseTypes.of_stored(partition, corpus.n_stems)
        strength = partition.arrays["strength"] if documents else None
        restore_phrases(miner, store.part(stored, "phrases"), corpus, strength)
    else:
        word_topic = stored.arrays["topics-word_topic"].reshape(corpus.n_stems, -1)
        types = PhraseTypes.of_words(word_topic.sum(axis=1, dtype=np.int64))
    topics = Topics.of_sections(stored, _times(run.get("history")))
    if results is None:
        model.partition_ = Partition.of_words(corpus) if miner is None else miner.transform(corpus)
        types.check(model.partition_)
        model.partition_.show_as(types.surfaces)
        topics.check(model.partition_)
    else:
        topics.check_frequency(types.instances)
        absent: Any = _Absent()
        topics = topics._replace(doc_topic=absent, doc_pieces=absent, clique_topic=absent)
        if miner is not None:
            miner.fitted.partition = absent
        types_only: Any = _TypesOnly(corpus, types, results)
        model.partition_ = types_only
    take_over(model.lda_, topics)
    return model


def _unfitted(
    facts: Mapping[str, Any], corpus: Corpus, run: Mapping[str, Any], n_threads: int | None
) -> ToPMine:
    """Return a model with the parameters and the corpus of a stored one."""
    paths = {name: run[name] for name in PATHS if isinstance(run.get(name), str)}
    corpus = replace(corpus, origin=replace(corpus.origin, **paths))
    rules = corpus.rules
    reading = rules.to_json()
    if rules.stop_words == TextRules.choose(rules.language).stop_words:
        reading["stop_words"] = None
    if rules.kinds == resolve("auto", numbers=rules.numbers):
        reading["kinds"] = "auto"
    model = ToPMine(
        **{**facts["parameters"], **reading, "random_state": facts["topics"]["seed"]}, n_threads=n_threads
    )
    model.corpus_, model.miner_, model.lda_ = corpus, miner_of(model), lda_of(model)
    return model


def _times(history: Any) -> pl.DataFrame | None:
    """Return the times of the history in run.json, or None."""
    try:
        return pl.DataFrame({name: history[name] for name in TIMES}, dict.fromkeys(TIMES, pl.Float64))
    except (KeyError, TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return None


@contextmanager
def _damage_named(directory: Path) -> Iterator[None]:
    """Say which model is damaged, if that shows while it is put together."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{directory}: damaged: {error}") from None
    except (LookupError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{directory}: damaged: the model lacks or does not know {error}") from None


# ------------------------------------------------------------------------------- without documents


class _Absent:
    """Something that was not loaded. Any use of it raises an error that says so."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise InputError("the model was loaded without its documents: load(directory) has them")

    __array__ = __getitem__ = __iter__ = __len__ = _refuse

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # Python itself asks, say to make a copy
            raise AttributeError(name)
        self._refuse()

    def __repr__(self) -> str:
        return "<not loaded>"


class _TypesOnly(_Absent):
    """A partition of which nothing but the phrase types is loaded, and what was found in its documents."""

    def __init__(self, corpus: Corpus, types: PhraseTypes, results: _StoredResults) -> None:
        self.corpus = corpus
        self.type_start, self.type_stems, self.n_types = types.start, types.stems, types.start.size - 1
        self._types = types
        self.background_types, self.background_topics = results.background_types, results.background_topics
        self.document_frequency = results.document_frequency

    def instances(self) -> NDArray[np.int64]:
        return self._types.instances.copy()

    def surfaces(self) -> list[str]:
        return self._types.surfaces

    def type_surfaces(self) -> list[str]:
        return [*self.corpus.vocabulary["surface"].to_list(), *self._types.surfaces]


@dataclass(frozen=True)
class _StoredResults:
    """What lists show of a stored model's documents: kept beside the model, or else found in them."""

    directory: Path
    model: str

    def background_types(self, tie: bool) -> NDArray[np.int64]:
        """Return the types of background entries, with variants tied or apart."""
        if not tie:
            self._check()
            return Entries.of(load(self.directory), tie=False).background_types
        return self._kept().background

    def background_topics(self) -> NDArray[np.int64]:
        """Return the background topics."""
        return self._kept().topics

    def document_frequency(self, tie: bool, n_entries: int, n_places: int) -> DocumentFrequency:
        """Return the documents of so many entries of several words, with variants tied or apart."""
        if not tie:
            self._check()
            return Entries.of(load(self.directory), tie=False).document_frequency
        found = self._kept().frequency
        if (found.documents.size, found.in_topic.size) != (n_entries, n_places):  # damaged
            found = self._keep().frequency
        return found

    def _kept(self) -> Kept:
        self._check()
        return read_kept(self.directory) or self._keep()

    def _keep(self) -> Kept:
        return keep(self.directory, Summary(load(self.directory)))

    def _check(self) -> None:
        if model_in(self.directory)[0] != self.model:
            raise InputError(f"{self.directory}: another model has been written here since this was loaded")


def _without_documents(reader: store.Reader) -> Stored:
    names = (name for name in (*reader.arrays, *reader.tables) if not reader.is_of_documents(name))
    stored = reader.stored(list(names))
    arrays: dict[str, Any] = {name: stored.arrays.get(name, _Absent()) for name in reader.arrays}
    return Stored(stored.facts, arrays, stored.tables)


def _bare_corpus(stored: Stored) -> Corpus:
    """Return the corpus of a stored model without its documents."""
    facts = stored.facts["corpus"]
    rules, origin = TextRules.from_json(facts["rules"]), Origin(**facts["origin"])
    return Corpus.bare(stored.tables["corpus-vocabulary"], rules, origin)
