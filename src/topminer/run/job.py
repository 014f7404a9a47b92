"""One run, from a corpus to a model: read, mine and cut, sample, write.

The steps are the same in this process and on a cluster; a backend does them (backend.py). Each step stores
its result in a checkpoint, and a step whose result is stored is not repeated. So a run goes on when a worker
is lost, and another process can resume it. Only mining and cutting, which are quick, are always repeated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from topminer._parameters import is_auto
from topminer.engines.contract import WorkerLost
from topminer.memory import return_freed
from topminer.phrases.advice import MiningSummary, advice
from topminer.phrases.miner import PhraseMiner, stored_phrases
from topminer.progress import Progress, silent
from topminer.run.backend import Backend, CorpusSummary, PartitionSummary, Source, SplitSummary
from topminer.run.checkpoint import AnyCheckpoint
from topminer.run.losses import Losses
from topminer.store import Reader, Writer
from topminer.text.provenance import without_paths
from topminer.topics.model.beginning import Beginning
from topminer.topics.model.fitting import check_parameters, run_chains, seed_of, start_chain
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.sampler.chain import AfterSweep, Chain, Tried, stored_state
from topminer.topics.sampler.estimate import Estimate


class Nodes(NamedTuple):
    """The run is starting, or going on, on these nodes; there are none if it runs in this process."""

    names: list[str]


class Loss(NamedTuple):
    """A worker was lost. The run goes on from what is stored."""

    message: str


class Done(NamedTuple):
    """The run is done."""


class NumberFound(NamedTuple):
    """The number of topics was found."""

    n_topics: int
    n_tried: int  # numbers


Step = NumberFound | Nodes | Loss | CorpusSummary | PartitionSummary | SplitSummary | Estimate | Chain | Done


class Job:
    """A run: ``backend`` does the steps, ``checkpoint`` stores their results.

    Without a miner every word stands alone. ``source`` is the corpus to be read; None if it is stored, or if
    the backend has it. ``sampling`` returns a context manager for the time of sampling: it gives a function
    that is called after each sweep, to :meth:`keep` the chain's state or to stop the run. ``finish`` is
    called after the last sweep, while the workers still have the chain.
    """

    chain: Chain

    def __init__(
        self,
        backend: Backend,
        checkpoint: AnyCheckpoint,
        miner: PhraseMiner | None,
        lda: PhraseLDA,
        *,
        source: Source | None = None,
        sampling: Callable[[Job], AbstractContextManager[AfterSweep]],
        finish: Callable[[Job], object],
    ) -> None:
        self.backend, self.miner, self.lda = backend, miner, lda
        self._checkpoint, self._source = checkpoint, source
        self._sampling, self._finish = sampling, finish
        self._seed: int | None = None

    def run(self, progress: Progress = silent) -> Iterator[Step]:
        """Yield the result of each step after it was done.

        After a :class:`Loss` all steps are yielded again.
        """
        losses, stored = Losses(), self._checkpoint.stored()
        while True:
            try:
                for step in self._steps(progress):
                    return_freed()
                    yield step
                return
            except WorkerLost as lost:
                before, stored = stored, self._checkpoint.stored()
                if stored != before:
                    losses.forget()
                losses.count(lost)
                loss = Loss(f"{lost}: going on from what is stored, with the nodes that are left")
            yield loss

    def _steps(self, progress: Progress) -> Iterator[Step]:
        backend, lda = self.backend, self.lda
        yield Nodes(backend.start())
        if self._source is not None and self._checkpoint.reader("corpus") is None:
            with self._checkpoint.writer("corpus") as writer:
                backend.read(self._source, writer, progress)
        corpus = backend.open(self._checkpoint.reader("corpus"))
        yield corpus
        check_parameters(lda, corpus.n_tokens)  # before anything is mined
        yield self._advised(corpus, backend.cut(self.miner, progress))
        yield backend.split(lda)
        beginning = self._begin(progress)
        if beginning.tried:
            yield NumberFound(int(beginning.lda.n_topics), len(beginning.tried))
        yield backend.estimate(beginning.lda)
        with self._sampling(self) as after_sweep:
            chain = self.chain = self._sampled(beginning, progress, after_sweep)
        yield chain
        self._finish(self)
        yield Done()

    def _advised(self, corpus: CorpusSummary, found: PartitionSummary) -> PartitionSummary:
        """Add a warning, if topics would have hardly any phrase."""
        if self.miner is None:
            return found
        summary = MiningSummary.of(
            self.backend.corpus,
            self.miner,
            n_documents=corpus.n_documents,
            n_tokens=corpus.n_tokens,
            n_phrases=found.n_phrases,
            n_instances=found.n_instances,
            n_topics=None if is_auto(self.lda.n_topics) else int(self.lda.n_topics),
        )
        return found._replace(advice=advice(summary))

    def _begin(self, progress: Progress) -> Beginning:
        """Find the number of topics, and topics to start with, unless a state is stored."""
        reader = self._checkpoint.reader("chain") or self._checkpoint.reader("best")
        if self._seed is None:  # once: after a loss the same chains start again
            is_its_own = reader is not None and self.lda.n_chains == 1
            self._seed = reader.facts["seed"] if reader and is_its_own else seed_of(self.lda.random_state)
        if reader is None:
            return Beginning.of_first(self.lda, self._seed, self.backend.select, progress)
        tried = [Tried(*each) for each in reader.facts["tried"]]
        return Beginning.known(self.lda, reader.lengths()["alpha"], self.backend.select, tried)

    def _sampled(self, beginning: Beginning, progress: Progress, after_sweep: AfterSweep) -> Chain:
        """Run all chains, from the states that are stored on. Return the one that is the model."""
        reader = self._checkpoint.reader("chain") if self.lda.n_chains == 1 else None
        state = None if reader is None else stored_state(reader)
        assert self._seed is not None

        def start(seed: int, lda: PhraseLDA) -> Chain:
            chain = start_chain(lda, self.backend.sampler(lda, seed), state, beginning=beginning)
            return_freed()
            return chain

        return run_chains(beginning.lda, self._seed, start, self._checkpoint, progress, after_sweep)

    def keep(self, chain: Chain) -> None:
        """Store the state of the chain."""
        with self._checkpoint.writer("chain") as writer:
            chain.save(writer)

    def write(self, writer: Writer, parameters: dict[str, Any], *, keep_texts: bool = True) -> None:
        """Write the model. The corpus is stored already, and is linked."""
        corpus = self._checkpoint.reader("corpus")
        assert isinstance(corpus, Reader)
        writer.link_section("corpus", corpus, leave_out=() if keep_texts else ("texts",))
        found = parameters | {"n_topics": self.chain.sampler.n_topics}
        facts: dict[str, Any] = {"corpus": without_paths(corpus.facts), "parameters": found}
        if self.miner is not None:
            phrases = stored_phrases(self.miner)
            writer.write_section("phrases", phrases)
            self.backend.write_partition(writer)
            facts |= {"phrases": phrases.facts, "partition": {}}
        facts["topics"] = self.backend.write_topics(self.chain, self.lda, writer)
        if self.chain.certainty is not None:
            certainty = self.chain.certainty.stored()
            writer.write_section("certainty", certainty)
            facts["certainty"] = certainty.facts
        writer.finish(facts)


def keep_every(seconds: float, keep: Callable[[Chain], None]) -> AfterSweep:
    """Return a function that keeps the state of the chain after a sweep, at this interval."""
    last = time.monotonic()

    def after_sweep(chain: Chain) -> None:
        nonlocal last
        if time.monotonic() - last >= seconds:
            keep(chain)
            last = time.monotonic()

    return after_sweep
