"""The whole method on a cluster: read, mine and cut, sample, write.

Every step stores its result in a checkpoint, in a folder that all nodes see. A step whose result is stored is
not repeated: so a run goes on when a worker is lost, and is resumed when the driver was killed. Only mining
and cutting, which are quick, are repeated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeVar

from topminer.checkpoint import Checkpoint
from topminer.cluster import cutting
from topminer.cluster.cutting import Cut, place_documents
from topminer.cluster.held import store_held
from topminer.cluster.mining import mine
from topminer.cluster.reading import read
from topminer.cluster.sampling import estimate_sampling, place_shards, store_chain, store_topics, stored_chain
from topminer.engines.contract import Engine, Placed, WorkerLost
from topminer.errors import InputError
from topminer.phrases.miner import PhraseMiner, min_support_in, take_over
from topminer.phrases.types import PhraseTypes
from topminer.progress import Progress, silent
from topminer.store import Reader, Writer
from topminer.text.corpus import Corpus
from topminer.text.provenance import Origin
from topminer.text.rules import TextRules
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.sampler.chain import TIMES, AfterSweep, Chain, nothing
from topminer.topics.sampler.estimate import Estimate
from topminer.topics.sampler.latin_square import Layout, lay_out

MAX_LOSSES = 5  # lost workers in a row, without anything stored between them
Result = TypeVar("Result")


class TooManyLosses(InputError):
    """Workers were lost again and again. The stored steps can be resumed."""


class Cluster(Protocol):
    """The nodes of a cluster, on which engines are started."""

    def engine(self) -> Engine:
        """Start workers on the nodes that are alive."""
        ...


def run_until_done(
    cluster: Cluster, checkpoint: Checkpoint, work: Callable[[Engine], Result], tell: Callable[[str], object]
) -> Result:
    """Do some work on a cluster. When a worker is lost, repeat the work on the nodes that are left.

    ``work`` goes on from what the checkpoint holds. ``tell`` is called with a message for every loss.
    """
    n_losses, stored = 0, checkpoint.stored()
    while True:
        engine = cluster.engine()
        try:
            return work(engine)
        except WorkerLost as lost:
            before, stored = stored, checkpoint.stored()
            n_losses = n_losses + 1 if stored == before else 1
            if n_losses == MAX_LOSSES:
                raise TooManyLosses(
                    f"{lost}; that was the {n_losses}th time in a row without getting any further. "
                    "Are the nodes short of memory?"
                ) from lost
            tell(f"{lost}: going on from what is stored, with the nodes that are left")
        finally:
            engine.close()


class Job:
    """A run on the workers of an engine.

    Parameters
    ----------
    engine : Engine
        The workers; each must see the checkpoint's folder, and the model's.
    checkpoint : Checkpoint
        Where steps store their results.
    miner, lda : PhraseMiner or None, PhraseLDA
        The steps, not fitted. Without a miner every word stands alone.

    Attributes
    ----------
    words : Corpus
        The corpus without its documents.
    n_documents, n_tokens : int
        How many the workers have.
    """

    words: Corpus

    def __init__(
        self, engine: Engine, checkpoint: Checkpoint, miner: PhraseMiner | None, lda: PhraseLDA
    ) -> None:
        self.engine, self._checkpoint = engine, checkpoint
        self.miner, self._lda = miner, lda
        self._reader: Reader | None = None
        self.n_documents = self.n_tokens = 0
        _check_that_all_see(engine, checkpoint)

    # ------------------------------------------------------------------- steps

    def read(self, source: str, reading: Mapping[str, Any], progress: Progress = silent) -> None:
        """Read the corpus and store it, unless it is stored already."""
        if self._checkpoint.reader("corpus") is None:
            with self._checkpoint.writer("corpus") as writer:
                read(self.engine, source, reading, writer, progress)
        self.open()

    def open(self) -> None:
        """Open the stored corpus."""
        reader = self._reader = self._checkpoint.reader("corpus")
        if reader is None:
            raise ValueError("there is no corpus in the checkpoint")
        rules, origin = TextRules.from_json(reader.facts["rules"]), Origin(**reader.facts["origin"])
        self.words = Corpus.bare(reader.table("vocabulary"), rules, origin)
        lengths = reader.lengths()
        self.n_documents, self.n_tokens = lengths["doc_start"] - 1, lengths["stem_ids"]

    def cut(self, progress: Progress = silent) -> Cut:
        """Mine, and cut the documents into phrase instances."""
        assert self._reader is not None
        miner, n_stems = self.miner, self.words.n_stems
        placed = self._documents = place_documents(self.engine, self._reader, n_stems)
        if miner is None:
            self._cut = cutting.words(placed)
            return self._cut
        support = min_support_in(miner, self.n_tokens)
        phrases = mine(placed, n_stems, support, miner.max_length, progress)
        take_over(miner, phrases, self.words)
        self._cut = cutting.cut(placed, phrases, *miner.settings, progress=progress)
        with self._checkpoint.writer("partition") as writer:
            store_held(placed, writer, {"strength": "strength"})
            writer.finish({})
        cut = self._cut
        shown = cutting.surfaces(placed, self._reader, cut.type_start.size - 1 - n_stems)
        self._types = PhraseTypes(cut.type_start, cut.type_stems, cut.instances, shown)
        placed.run("forget_tokens")
        return self._cut

    def estimate(self) -> Estimate:
        """Estimate what sampling needs. Raise InputError if a node has too little memory."""
        return estimate_sampling(self._documents, self._cut, self._layout, self._lda.n_sweeps)

    @cached_property
    def _layout(self) -> Layout:
        cut, lda = self._cut, self._lda
        return lay_out(cut.types, cut.longest, lda.n_topics, lda.n_shards)

    def sample(self, progress: Progress = silent, after_sweep: AfterSweep = nothing) -> Chain:
        """Sample topics, from the state that is stored or from the beginning."""
        schedule, alpha, beta = self._lda.checked(self.n_tokens)
        reader = self._checkpoint.reader("chain")
        state = None if reader is None else stored_chain(reader)
        seed = self._lda.seeded(state)
        layout = self._layout._replace(seed=seed)
        sampler = place_shards(self._documents, self._cut, layout, alpha, beta)
        self._documents.drop()
        self.chain = Chain(sampler, schedule)
        if state is not None:
            self.chain.restore(state)
        self.chain.run(progress, after_sweep)
        return self.chain

    def keep(self, chain: Chain) -> None:
        """Store the state of a chain."""
        with self._checkpoint.writer("chain") as writer:
            store_chain(chain, writer)

    def keep_every(self, seconds: float) -> AfterSweep:
        """Return a function that stores the state of the chain after a sweep, at this interval."""
        last = time.monotonic()

        def keep(chain: Chain) -> None:
            nonlocal last
            if time.monotonic() - last >= seconds:
                self.keep(chain)
                last = time.monotonic()

        return keep

    def write(self, writer: Writer, keep_texts: bool) -> dict[str, Any]:
        """Write all arrays and tables of the model. Return its facts."""
        assert self._reader is not None
        facts: dict[str, Any] = {"corpus": dict(self._reader.facts), "topics": self._topics_facts()}
        writer.link_section("corpus", self._reader, leave_out=() if keep_texts else ("texts",))
        if self.miner is not None:
            phrases, strength = self.miner.stored(), self._checkpoint.reader("partition")
            assert strength is not None
            writer.write({f"phrases-{name}": array for name, array in phrases.arrays.items()}, {})
            writer.link(strength, {"strength": "partition-strength"})
            types = self._types.stored(self.words.n_stems)
            writer.write({f"partition-{name}": array for name, array in types.arrays.items()}, {})
            writer.write({}, {f"partition-{name}": table for name, table in types.tables.items()})
            facts |= {"phrases": phrases.facts, "partition": {}}
        store_topics(self.chain, writer, "topics")
        order, sampler = self.chain.sampler.order(), self.chain.sampler
        arrays = {"topics-tokens": sampler.n_k[order], "topics-alpha": sampler.alpha[order]}
        writer.write(arrays, {"topics-history": self.chain.history().drop(*TIMES)})
        return facts

    def _topics_facts(self) -> dict[str, Any]:
        sampler = self.chain.sampler
        return {
            "seed": sampler.seed,
            "beta": float(sampler.beta),
            "n_documents": self.n_documents,
            "n_samples": sampler.n_samples,
            "n_shards": sampler.n_shards,
        }


class _Looking:
    """A worker's view of the storage."""

    def sees(self, path: Path) -> bool:
        """Return whether a file or folder exists."""
        return path.exists()


def _check_that_all_see(engine: Engine, checkpoint: Checkpoint) -> None:
    """Raise InputError unless every node sees the folder of the checkpoint."""
    placed: Placed = engine.place(_Looking, [()] * len(engine.threads))
    seen = placed.run("sees", [(checkpoint.folder,)] * len(engine.threads))
    placed.drop()
    for name, sees in zip(engine.names, seen, strict=True):
        if not sees:
            raise InputError(
                f"{checkpoint.directory}: the node {name} does not see it; "
                "a run on a cluster needs a directory on storage that all nodes share"
            )
