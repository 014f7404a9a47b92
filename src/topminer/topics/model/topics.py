"""Everything that a fitted model holds: from a chain, and to a directory and back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer import store
from topminer.errors import InputError
from topminer.phrases.partition import Partition
from topminer.phrases.pieces import Rule
from topminer.store import MemoryWriter, Stored
from topminer.topics.results.certainty import Certainty
from topminer.topics.results.frequency import TopicalFrequency
from topminer.topics.sampler.chain import TIMES, Chain
from topminer.topics.sampler.storing import TOPICS


class Topics(NamedTuple):
    """Topics after the last sweep, numbered by weight, the heaviest first."""

    seed: int
    n_k: NDArray[np.int64]
    word_topic: NDArray[np.int32]  # n_wk, (words, topics)
    n_documents: int
    doc_topic: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]  # documents, topics, n_dk > 0
    doc_pieces: NDArray[np.int32]  # how many pieces of each document were sampled
    clique_topic: NDArray[np.int32]
    frequency: TopicalFrequency
    alpha: NDArray[np.float64]
    beta: float
    history: pl.DataFrame
    n_shards: int
    split: Rule  # how documents are divided into pieces
    certainty: Certainty | None = None  # of several chains
    tried: pl.DataFrame | None = None  # numbers of topics, if the number was found

    @classmethod
    def of_chain(cls, chain: Chain) -> Topics:
        """Take over what a chain has found."""
        writer = MemoryWriter()
        writer.finish(chain.write_topics(writer))
        topics = cls.of_stored(writer.stored, chain.history().select(TIMES))
        return topics._replace(certainty=chain.certainty)

    def word_probabilities(self, k: int) -> NDArray[np.float64]:
        """Return the probability of each word in topic k: a row of φ."""
        row: NDArray[np.float64] = np.add(self.word_topic[:, k], self.beta)
        row /= self.n_k[k] + row.size * self.beta
        return row

    def sections(self) -> dict[str, Stored]:
        """Return the sections that are written to a directory."""
        sections = {"topics": self.stored()}
        return sections if self.certainty is None else {**sections, "certainty": self.certainty.stored()}

    @classmethod
    def of_sections(cls, stored: Stored, times: pl.DataFrame | None = None) -> Topics:
        """Take over the sections that were stored."""
        topics = cls.of_stored(store.part(stored, "topics"), times)
        if "certainty" not in stored.facts:
            return topics
        return topics._replace(certainty=Certainty.of_stored(store.part(stored, "certainty")))

    def stored(self) -> Stored:
        """Return the section of the topics: everything but the times of the history."""
        by_document = self.clique_topic, *self.doc_topic, self.doc_pieces, *self.frequency[:4]
        arrays: dict[str, NDArray[Any]] = {
            "word_topic": self.word_topic.ravel(),
            "tokens": self.n_k,
            "alpha": self.alpha,
            **dict(zip(TOPICS, by_document, strict=True)),
        }
        facts = {
            "seed": self.seed,
            "beta": self.beta,
            "n_documents": self.n_documents,
            "n_samples": self.frequency.n_samples,
            "n_shards": self.n_shards,
            "split": self.split,
        }
        tables = {"history": self.history.drop(*TIMES)}
        return Stored(facts, arrays, tables if self.tried is None else {**tables, "tried": self.tried})

    @classmethod
    def of_stored(cls, stored: Stored, times: pl.DataFrame | None = None) -> Topics:
        """Take over what was stored; ``times`` are the columns of the history that were not."""
        facts, arrays, history = stored.facts, stored.arrays, stored.tables["history"]
        if times is None or times.height != history.height:
            times = pl.DataFrame(
                {name: [None] * history.height for name in TIMES}, dict.fromkeys(TIMES, pl.Float64)
            )
        n_k = arrays["tokens"]
        clique_topic, documents, topics, tokens, doc_pieces, types, of_types, mean, spread = (
            arrays[name] for name in TOPICS
        )
        return cls(
            facts["seed"],
            n_k,
            arrays["word_topic"].reshape(-1, n_k.size),
            facts["n_documents"],
            (documents, topics, tokens),
            doc_pieces,
            clique_topic,
            TopicalFrequency(types, of_types, mean, spread, facts["n_samples"]),
            arrays["alpha"],
            facts["beta"],
            pl.concat([history, times], how="horizontal"),
            facts["n_shards"],
            facts["split"],
            tried=stored.tables.get("tried"),
        )

    def check(self, partition: Partition) -> None:
        """Refuse topics that are not those of ``partition``."""
        clique_topic, (documents, _, tokens) = self.clique_topic, self.doc_topic
        known = partition.type_ids >= 0
        if clique_topic.size != known.size:
            raise InputError("the topics are of another partition")
        if not np.array_equal(clique_topic >= 0, known):
            raise InputError("a word outside the vocabulary has a topic, or another word has none")
        lengths = np.diff(partition.clique_start) * known
        of_topics = np.bincount(clique_topic[known], lengths[known], self.n_k.size)
        starts = partition.doc_start[:-1]
        of_documents = np.add.reduceat(np.append(lengths, 0), starts) * (np.diff(partition.doc_start) > 0)
        if not (
            np.array_equal(of_topics, self.n_k)
            and np.array_equal(of_documents, np.bincount(documents, tokens, self.n_documents))
        ):
            raise InputError("the topics of phrases do not add up to those of words and documents")
        if np.any(self.doc_pieces > np.maximum(np.diff(partition.doc_start), 1)):
            raise InputError("a document has more pieces than phrases")
        self.check_frequency(partition.instances())

    def check_frequency(self, instances: NDArray[np.int64]) -> None:
        """Refuse topics whose topical frequencies are not those of types with these instances."""
        if self.frequency.types.max(initial=-1) >= instances.size:
            raise InputError("the topics are of another partition")
        if not np.array_equal(self.frequency.totals(instances.size), instances):
            raise InputError("topical frequencies do not add up to the instances of phrases")
