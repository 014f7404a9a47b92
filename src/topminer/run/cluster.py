"""A run on the workers of a cluster, each of which has some of the documents.

What is stored lies in a folder that all nodes see. A corpus from Python stays in memory, and is sent to them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from topminer.engines.contract import Engine, Placed
from topminer.engines.held import store_held
from topminer.errors import InputError
from topminer.phrases.evidence import least_words
from topminer.phrases.fitted import Fitted
from topminer.phrases.miner import PhraseMiner, min_support_in, settings_in, take_over
from topminer.phrases.partition import Partition
from topminer.phrases.pieces import PARAGRAPH
from topminer.phrases.types import PhraseTypes
from topminer.progress import Progress
from topminer.run import cutting
from topminer.run.backend import CorpusSummary, PartitionSummary, Source, SplitSummary
from topminer.run.checkpoint import AnyCheckpoint, Checkpoint
from topminer.run.mining import mine
from topminer.run.reading_worker import read
from topminer.run.shards import estimate_sampling, place_shards
from topminer.store import AnyReader, AnyWriter, MemoryReader, Reader, Writer
from topminer.store.schema import stored_name
from topminer.text.corpus import Corpus
from topminer.text.describe import skipped_in
from topminer.text.provenance import Origin
from topminer.text.rules import TextRules
from topminer.topics.model.fitting import check_parameters, most_sweeps
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.number.selection import Choose, Selection
from topminer.topics.sampler.chain import Chain
from topminer.topics.sampler.estimate import Estimate
from topminer.topics.sampler.latin_square import Layout, lay_out
from topminer.topics.sampler.sampler import Sampler

NO_PARAGRAPHS = "paragraphs need the engine local: the workers of a cluster hold no texts"


class ClusterBackend:
    """The workers of a cluster. A context manager: on exit, the workers are stopped.

    ``start_engine`` starts workers on the nodes that are alive. The partition's strengths are stored in the
    checkpoint, too. ``corpus`` is one that is in memory.
    """

    corpus: Corpus  # without its documents, if it is stored
    engine: Engine  # the workers that are running

    def __init__(
        self, start_engine: Callable[[], Engine], checkpoint: AnyCheckpoint, corpus: Corpus | None = None
    ) -> None:
        self._start_engine, self._checkpoint, self._given = start_engine, checkpoint, corpus
        self._running = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    def start(self) -> list[str]:
        """Start workers on the nodes that are alive."""
        self._running.close()
        self.engine = self._start_engine()
        self._running.callback(self.engine.close)
        if isinstance(self._checkpoint, Checkpoint):
            _check_that_all_see(self.engine, self._checkpoint)
        return self.engine.names

    def read(self, source: Source, writer: AnyWriter, progress: Progress) -> None:
        """Have the workers read the corpus and write it. Commands have checked that nothing is filtered."""
        read(self.engine, source.path, source.reading, writer, progress)

    def open(self, reader: AnyReader | None) -> CorpusSummary:
        """Open the corpus: everything but its documents."""
        if reader is None:
            assert self._given is not None
            self._reader: AnyReader = MemoryReader(self._given.stored())
            self.corpus = self._given
        else:
            self._reader = reader
            rules, origin = TextRules.from_json(reader.facts["rules"]), Origin(**reader.facts["origin"])
            self.corpus = Corpus.bare(reader.table("vocabulary"), rules, origin)
        lengths = self._reader.lengths()
        self._n_tokens = lengths["stem_ids"]
        return CorpusSummary(lengths["doc_start"] - 1, self._n_tokens)

    def cut(self, miner: PhraseMiner | None, progress: Progress) -> PartitionSummary:
        """Have the workers mine their documents, and cut them into phrase instances."""
        documents = self._documents = cutting.place_documents(self.engine, self._reader, self.corpus.n_stems)
        if miner is None:
            self._cut = cutting.words(documents)
        else:
            self._mine_and_cut(miner, documents, progress)
        cut = self._cut
        n_phrases = cut.type_start.size - 1 - cut.n_stems
        return PartitionSummary(n_phrases, cut.n_long, skipped_in(self.corpus.origin, cut.n_empty))

    def _mine_and_cut(self, miner: PhraseMiner, documents: Placed, progress: Progress) -> None:
        support = min_support_in(miner, self._n_tokens)
        settings, ties = settings_in(miner, self.corpus)
        mined = mine(documents, ties, least_words(miner.evidence), support, miner.max_length, progress)
        fitted = Fitted(mined, self.corpus, settings, tied=miner.ties is not None, ties=ties)
        cut = self._cut = cutting.cut(documents, fitted, self._reader, progress)
        take_over(miner, fitted)
        with self._checkpoint.writer("partition") as writer:
            store_held(documents, writer, {"strength": "strength"})
            writer.finish({})
        surfaces = cutting.surfaces(documents, self._reader, cut.type_start.size - 1 - cut.n_stems)
        self._types = PhraseTypes(cut.type_start, cut.type_stems, cut.instances, surfaces)

    def split(self, lda: PhraseLDA) -> SplitSummary:
        """Have the workers divide their documents; of these only the cliques are left."""
        if lda.split == PARAGRAPH:
            raise InputError(NO_PARAGRAPHS)
        found = self._divided = cutting.divide(self._documents, lda.split)
        return SplitSummary(found.rule, self._cut.n_documents, found.n_pieces, self._n_tokens)

    def select(self, choose: Choose, seed: int) -> Selection:
        """Have the workers select documents, or pieces of long ones, to find topics on."""
        return cutting.select(self._documents, self._cut, self._divided, self._n_tokens, choose, seed)

    def estimate(self, lda: PhraseLDA) -> Estimate:
        """Estimate what sampling needs on the node that needs most."""
        layout, n_pieces = self._layout(lda), self._divided.n_pieces
        return estimate_sampling(self._documents, self._cut, layout, n_pieces, most_sweeps(lda), lda.n_chains)

    def sampler(self, lda: PhraseLDA, seed: int) -> Sampler:
        """Spread the shards over the workers.

        With one chain the documents that they have cut are dropped: no other chain needs them.
        """
        _, alpha, beta = check_parameters(lda, self._n_tokens)
        layout = self._layout(lda)._replace(seed=seed)
        sampler = place_shards(self._documents, self._cut, layout, alpha, beta)
        if lda.n_chains == 1:
            self._documents.drop()
        return sampler

    def _layout(self, lda: PhraseLDA) -> Layout:
        found = self._divided
        return lay_out(self._cut.types, found.longest, int(lda.n_topics), lda.n_shards, split=found.rule)

    def write_partition(self, writer: Writer) -> None:
        """Write the section of the partition; its strengths are in the checkpoint, and are linked."""
        strength = self._checkpoint.reader("partition")
        assert isinstance(strength, Reader)
        writer.link(strength, {"strength": stored_name("partition", "strength")})
        writer.write_section("partition", self._types.stored(self.corpus.n_stems))

    def partition(self, miner: PhraseMiner | None) -> Partition:
        """Return the partition of a corpus that is in memory."""
        assert self._given is not None
        if miner is None:
            return Partition.of_words(self._given)
        reader = self._checkpoint.reader("partition")
        assert reader is not None
        partition = miner.fitted.take_strength(self._given, reader.array("strength"))
        partition.show_as(self._types.surfaces)
        return partition

    def write_topics(self, chain: Chain, lda: PhraseLDA, writer: Writer) -> dict[str, Any]:
        """Have the workers write the section of the topics."""
        return chain.write_topics(writer, "topics")

    def facts(self) -> dict[str, Any]:
        """Return where the run runs, for run.json."""
        return {"engine": "ray", "nodes": self.engine.names, "threads": self.engine.threads}


def _check_that_all_see(engine: Engine, checkpoint: Checkpoint) -> None:
    """Raise InputError unless every node sees the folder of the checkpoint."""
    folders = engine.place(Path, [(checkpoint.folder,)] * len(engine.threads))
    seen = folders.run("exists")
    folders.drop()
    for name, sees in zip(engine.names, seen, strict=True):
        if not sees:
            raise InputError(
                f"{checkpoint.directory}: the node {name} does not see it; "
                "a run on a cluster needs a directory on storage that all nodes share"
            )
