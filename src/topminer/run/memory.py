"""A run in this process: the corpus and its partition are in memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from topminer.containers.mapped import mapped, unload
from topminer.engines.local import n_threads_or_all
from topminer.memory import available_bytes, return_freed
from topminer.phrases.miner import PhraseMiner
from topminer.phrases.partition import Partition
from topminer.phrases.pieces import pieces_of
from topminer.phrases.types import stored_partition
from topminer.progress import Progress
from topminer.run.backend import CorpusSummary, PartitionSummary, Source, SplitSummary
from topminer.store import AnyReader, AnyWriter, Writer
from topminer.text.corpus import Corpus
from topminer.text.corpus_fields import ARRAYS
from topminer.text.describe import skipped
from topminer.topics.model.beginning import selection_from
from topminer.topics.model.fitting import most_sweeps, rule_of, sampler_of
from topminer.topics.model.phraselda import PhraseLDA, take_over, topics_in
from topminer.topics.model.topics import Topics
from topminer.topics.number.selection import Choose, Selection
from topminer.topics.sampler.chain import Chain
from topminer.topics.sampler.estimate import Estimate, check_memory, estimate
from topminer.topics.sampler.sampler import Sampler


class MemoryBackend:
    """A run with so many threads; ``corpus`` is one that was read already.

    With a ``folder``, long arrays that are not needed all the time are kept in files there.
    """

    corpus: Corpus

    def __init__(
        self, n_threads: int | None = None, corpus: Corpus | None = None, folder: Path | None = None
    ) -> None:
        self._n_threads, self._folder = n_threads, folder
        if corpus is not None:
            self.corpus = corpus

    def start(self) -> list[str]:
        """Do nothing: there are no nodes to be started."""
        return []

    def read(self, source: Source, writer: AnyWriter, progress: Progress) -> None:
        """Read the corpus, and write it."""
        read = Corpus.read(source.path, **source.reading, n_threads=self._n_threads, progress=progress)
        self.corpus = read.filtered(**source.filters)
        stored = self.corpus.stored()
        writer.write(stored.arrays, stored.tables)
        writer.finish(stored.facts)
        del read, stored
        self.corpus = self._mapped(self.corpus)

    def _mapped(self, corpus: Corpus) -> Corpus:
        """Return a corpus whose columns are in files."""
        columns: dict[str, Any] = {name: mapped(getattr(corpus, name), self._folder) for name in ARRAYS}
        return replace(corpus, **columns)

    def open(self, reader: AnyReader | None) -> CorpusSummary:
        """Load the corpus, unless it was read here."""
        if not hasattr(self, "corpus"):
            assert reader is not None
            self.corpus = self._mapped(Corpus.restored(reader.stored()))
        return CorpusSummary(len(self.corpus), self.corpus.n_tokens)

    def cut(self, miner: PhraseMiner | None, progress: Progress) -> PartitionSummary:
        """Mine the corpus, and cut it into phrase instances."""
        corpus = self.corpus
        if miner is None:
            partition = Partition.of_words(corpus)
        else:
            miner.fit(corpus, progress=progress)
            miner.fitted.release()
            return_freed()
            partition = miner.fitted.partition = miner.transform(corpus).mapped(self._folder)
        self._partition = partition
        n_long = int((partition.type_ids >= corpus.n_stems).sum())
        found = PartitionSummary(partition.n_types - corpus.n_stems, n_long, skipped(corpus))
        self._unload()
        return found

    def split(self, lda: PhraseLDA) -> SplitSummary:
        """Count the pieces in which documents will be sampled."""
        rule = self._rule = rule_of(lda, self.corpus)
        n_pieces = len(pieces_of(self._partition, rule).partition)
        self._unload()
        return SplitSummary(rule, len(self.corpus), n_pieces, self.corpus.n_tokens)

    def select(self, choose: Choose, seed: int) -> Selection:
        """Select documents, or pieces of long ones, to find topics on."""
        return selection_from(self._partition, self._rule, choose, seed)

    def estimate(self, lda: PhraseLDA) -> Estimate:
        """Estimate what sampling needs. Raise InputError if there is too little memory."""
        n_threads = n_threads_or_all(self._n_threads)
        needed = estimate(
            self._partition,
            int(lda.n_topics),
            most_sweeps(lda),
            n_shards=lda.n_shards,
            n_threads=n_threads,
            split=self._rule,
            n_chains=lda.n_chains,
        )
        check_memory(needed.n_bytes, available_bytes())
        self._unload()
        return needed

    def sampler(self, lda: PhraseLDA, seed: int) -> Sampler:
        """Return a sampler at its start."""
        sampler = sampler_of(lda, self._partition, seed)
        self._unload()
        return sampler

    def write_topics(self, chain: Chain, lda: PhraseLDA, writer: Writer) -> dict[str, Any]:
        """Write the section of the topics. ``lda`` takes them over: it is fitted from now on."""
        take_over(lda, Topics.of_chain(chain))
        topics = topics_in(lda).stored()
        writer.write_section("topics", topics)
        return dict(topics.facts)

    def facts(self) -> dict[str, Any]:
        """Return where the run runs, for run.json."""
        return {"engine": "local", "threads": n_threads_or_all(self._n_threads)}

    def partition(self, miner: PhraseMiner | None) -> Partition:
        """Return the partition."""
        return self._partition

    def write_partition(self, writer: Writer) -> None:
        """Write the section of the partition."""
        stored = stored_partition(self._partition)
        self._unload()
        return_freed()
        writer.write_section("partition", stored)
        self._unload()

    def _unload(self) -> None:
        """Take what was read of the corpus and the partition out of memory, if they are in files."""
        partition = self._partition
        unload(*(getattr(self.corpus, name) for name in ARRAYS), partition.clique_start, partition.type_ids)
        if partition.strength is not None:
            unload(partition.strength)
