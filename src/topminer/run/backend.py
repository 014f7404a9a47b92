"""What differs between a run in this process (memory.py) and a run on a cluster (cluster.py)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from topminer.phrases.advice import Advice
from topminer.phrases.miner import PhraseMiner
from topminer.phrases.partition import Partition
from topminer.phrases.pieces import Rule
from topminer.progress import Progress
from topminer.store import AnyReader, AnyWriter, Writer
from topminer.text.corpus import Corpus
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.number.selection import Choose, Selection
from topminer.topics.sampler.chain import Chain
from topminer.topics.sampler.estimate import Estimate
from topminer.topics.sampler.sampler import Sampler


class Source(NamedTuple):
    """A corpus to be read: its path, and further arguments of :meth:`.Corpus.read` and `filtered`."""

    path: str
    reading: Mapping[str, Any]
    filters: Mapping[str, Any] = MappingProxyType({})


class CorpusSummary(NamedTuple):
    """The corpus is there."""

    n_documents: int
    n_tokens: int


class PartitionSummary(NamedTuple):
    """The corpus was cut into phrase instances."""

    n_phrases: int  # of several words
    n_instances: int  # of these phrases
    skipped: list[tuple[str, int, str]]  # of the corpus: what, how often, what became of it
    advice: Advice | None = None  # a warning, if topics would have hardly any phrase


class SplitSummary(NamedTuple):
    """It is known in which pieces the documents will be sampled."""

    rule: Rule
    n_documents: int
    n_pieces: int  # as many as documents, if none is divided
    n_tokens: int


class Backend(Protocol):
    """Where documents and their topics are. The methods are the steps of a :class:`Job`, in this order."""

    corpus: Corpus  # once it is open; on a cluster, without its documents

    def start(self) -> list[str]:
        """Start, or start again after a worker was lost. Return the names of the nodes, if there are any."""

    def read(self, source: Source, writer: AnyWriter, progress: Progress) -> None:
        """Read the corpus, and write it."""

    def open(self, reader: AnyReader | None) -> CorpusSummary:
        """Open the corpus that was written; without a reader, the one that the backend was made with."""

    def cut(self, miner: PhraseMiner | None, progress: Progress) -> PartitionSummary:
        """Fit the miner, and cut the corpus into phrase instances; without a miner, into words."""

    def split(self, lda: PhraseLDA) -> SplitSummary:
        """Divide long documents into the pieces in which they are sampled. Call it once, after `cut`."""

    def select(self, choose: Choose, seed: int) -> Selection:
        """Select documents, or pieces of long ones, to find topics on."""

    def estimate(self, lda: PhraseLDA) -> Estimate:
        """Estimate what sampling needs. Raise InputError if a machine has too little memory."""

    def sampler(self, lda: PhraseLDA, seed: int) -> Sampler:
        """Return a sampler at its start."""

    def partition(self, miner: PhraseMiner | None) -> Partition:
        """Return the partition of a corpus that is in memory; ``miner`` is the one that has cut it."""

    def write_partition(self, writer: Writer) -> None:
        """Write the section of the partition."""

    def write_topics(self, chain: Chain, lda: PhraseLDA, writer: Writer) -> dict[str, Any]:
        """Write the section of the topics that were found. Return its facts."""

    def facts(self) -> dict[str, Any]:
        """Return where the run runs, for run.json."""
