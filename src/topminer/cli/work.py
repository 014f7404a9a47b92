"""A run as the user sees it, from its plan to its model: for ``topminer run`` and ``topminer resume``."""

from __future__ import annotations

import platform
import shlex
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from topminer.cli import graceful_stop, report
from topminer.cli.render import UNLIMITED
from topminer.cli.session import Session
from topminer.errors import InputError
from topminer.text.printable import printable
from topminer.views.numbers import counted

if TYPE_CHECKING:
    from topminer.cli.options import EngineOptions
    from topminer.pipeline import ToPMine
    from topminer.progress import Progress
    from topminer.run.backend import Backend, PartitionSummary, SplitSummary
    from topminer.run.checkpoint import Checkpoint
    from topminer.run.job import Job, Step
    from topminer.run.places import Places
    from topminer.topics.sampler.chain import AfterSweep, Chain
    from topminer.topics.sampler.estimate import Estimate

LONG = 30  # seconds of sampling
TIMES_ON_DISK = 4  # memory that a loaded model takes, in sizes of its files


class Work:
    """One run in a model directory: its plan, and how many seconds each stage took."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Path,
        run: EngineOptions,
        places: Places,
        resumed: bool = False,
    ) -> None:
        self.checkpoint, self.directory, self.session = checkpoint, directory, Session(run)
        self.plan, self.places, self.resumed = checkpoint.plan, places, resumed
        engine = run.place.get("engine") or checkpoint.plan["engine"]
        self.is_on_cluster = engine == "ray"
        self.seconds: dict[str, float] = {}
        self._nodes: list[str] = []
        self._seconds_of_sampling = 0.0  # as estimated
        self._has_begun = False  # all was checked: a run that an error stops from now on can be resumed

    def finish(self) -> None:
        """Do what is left of the run, and show what it found."""
        from topminer.cli.topics import TopicLists
        from topminer.topics.results.verdict import verdict_of

        try:
            with self.session.progress(self._needs()) as progress:
                model = self._model(progress)
            self.session.written("Model", self.directory, f"{self.seconds['writing']:.1f} s")
            if model is not None and self.plan["report"]:
                self._write_report(model)
            self.checkpoint.finish()  # only now is nothing left to resume
        except KeyboardInterrupt:
            self._interrupted()
            raise
        if model is None:
            return
        self.session.show(TopicLists(model.topics()), widest=UNLIMITED)
        if advice := verdict_of(model.lda_).advice():
            self.session.say(advice, "yellow")
        if self.plan["report"]:
            self.session.say(f"Report: {self.directory / report.NAME}  ({self.seconds['report']:.1f} s)")

    def _needs(self) -> list[str]:
        """Return what may have to be compiled on this machine; nothing, if a cluster does the work."""
        from topminer.warming.jobs import jobs_of_run, numbers_of

        return [] if self.is_on_cluster else jobs_of_run(*numbers_of(self.plan["model"]["n_topics"]))

    def _write_report(self, model: ToPMine) -> None:
        start = time.perf_counter()
        with self.session.progress() as progress:
            # A model that keeps no texts shows none.
            stored = model if self.plan["keep_texts"] else self.session.model(self.directory)
            report.write_report(stored, self.directory, self.directory / report.NAME, None, progress)
        self.seconds["report"] = time.perf_counter() - start

    def _model(self, progress: Progress) -> ToPMine | None:
        """Do the rest of the run. Return the model, or None if this machine has too little memory for it."""
        from topminer.run.losses import TooManyLosses

        if self.resumed and self._is_lost():
            self._abandon()
            raise InputError("the run was stopped before all of standard input was read: start it again")
        try:
            return self._run(progress)
        except (InputError, OSError, MemoryError) as error:
            if self._has_begun or isinstance(error, TooManyLosses):
                self._interrupted()
            elif not self.resumed:  # a run that cannot start need not be resumed
                self._abandon()
            raise

    def _run(self, progress: Progress) -> ToPMine | None:
        from topminer._facts import lda_of, miner_of
        from topminer.pipeline import ToPMine, take_over_run
        from topminer.run.backend import Source
        from topminer.run.job import Job
        from topminer.run.memory import MemoryBackend

        model = ToPMine(**self.plan["model"], n_threads=self.session.threads)
        source = Source(self.places.corpus or "", self.plan["reading"], self.plan["filters"])
        with self._backend() as backend:
            job = Job(
                backend,
                self.checkpoint,
                miner_of(model),
                lda_of(model),
                source=source,
                sampling=self._sampling,
                finish=lambda job: self._write(job, model),
            )
            start = time.perf_counter()
            for step in job.run(progress):
                elapsed = time.perf_counter() - start
                self._show(step, elapsed, job)
                start = time.perf_counter()
            if isinstance(backend, MemoryBackend):
                take_over_run(model, job)
                return model
        return self._loaded()

    @contextmanager
    def _backend(self) -> Iterator[Backend]:
        if self.is_on_cluster:
            from topminer.run.cluster import ClusterBackend

            with (
                self.session.cluster(self.places.ray_address) as cluster,
                ClusterBackend(cluster.engine, self.checkpoint) as backend,
            ):
                yield backend
        else:
            from topminer.run.memory import MemoryBackend

            yield MemoryBackend(self.session.threads, folder=self.checkpoint.folder)

    @contextmanager
    def _sampling(self, job: Job) -> Iterator[AfterSweep]:
        """Store the state of the chain at an interval, and when the user asks to stop."""
        from topminer.run.job import keep_every

        keep_at_interval = keep_every(self.plan["checkpoint_every"], job.keep)
        with graceful_stop() as stop, self._compiled_for_host():

            def after_sweep(chain: Chain) -> None:
                if stop.asked():
                    job.keep(chain)
                    stop.now()
                else:
                    keep_at_interval(chain)

            yield after_sweep

    def _compiled_for_host(self) -> AbstractContextManager[None]:
        """In a long run, have what a wheel has brought along compiled for this machine, for later runs."""
        from topminer.warming.processes import compiled_for_host

        is_long = self._seconds_of_sampling >= LONG
        return compiled_for_host(self._needs() if is_long else [])

    def _write(self, job: Job, model: ToPMine) -> None:
        from topminer import store
        from topminer._facts import stored_parameters
        from topminer.store.formats import MODEL

        parameters = stored_parameters(model, job.miner, job.lda)
        with store.Writer(self.directory, MODEL, overwrite=True) as writer:
            job.write(writer, parameters, keep_texts=self.plan["keep_texts"])

    def _loaded(self) -> ToPMine | None:
        """Load the model to show it, unless this machine has too little memory."""
        from topminer.memory import available_bytes, size

        needed = TIMES_ON_DISK * sum(path.stat().st_size for path in self.directory.rglob("*.*"))
        there = available_bytes()
        if there is not None and needed > there:
            self._say(f"No report: the model needs about {size(needed)} here, and {size(there)} are free")
            return None
        return self.session.model(self.directory)

    # ---------------------------------------------------------------- messages

    def _show(self, step: Step, elapsed: float, job: Job) -> None:
        """Say what a step has found, and how long it took."""
        from topminer.run.backend import CorpusSummary, PartitionSummary, SplitSummary
        from topminer.run.job import Done, Loss, Nodes, NumberFound
        from topminer.topics.sampler.estimate import Estimate

        if isinstance(step, Nodes):
            self._nodes = step.names
            if step.names:
                self._say(f"On {counted(len(step.names), 'node')}: {', '.join(step.names)}")
        elif isinstance(step, Loss):
            self._has_begun = True
            self._say(step.message)
        elif isinstance(step, CorpusSummary):
            self._say(f"{step.n_documents:,} documents, {step.n_tokens:,} kept tokens", "read", elapsed)
        elif isinstance(step, PartitionSummary):
            self._show_phrases(step, elapsed, job)
        elif isinstance(step, SplitSummary):
            self._show_split(step)
        elif isinstance(step, NumberFound):
            self._has_begun = True
            found = f"{counted(step.n_topics, 'topic')} found; {step.n_tried} numbers were tried"
            self._say(found, "number of topics", elapsed)
        elif isinstance(step, Estimate):
            self._has_begun = True
            self._show_estimate(step)
        elif isinstance(step, Done):
            self.seconds["writing"] = elapsed
            self._write_run(job)
        else:
            self._show_topics(step, elapsed, job)

    def _show_phrases(self, found: PartitionSummary, elapsed: float, job: Job) -> None:
        self.session.skipped(found.skipped)
        phrases = f"{found.n_phrases:,} phrases of several words, {found.n_instances:,} instances of them"
        alone = "every word alone: no phrases were asked for"
        self._say(alone if job.miner is None else phrases, "phrases", elapsed)
        self.session.warn(found.advice)

    def _show_split(self, split: SplitSummary) -> None:
        if split.n_pieces > split.n_documents:
            length = round(split.n_tokens / split.n_pieces)
            pieces = f"{split.n_pieces:,} pieces of about {length:,} words"
            self._say(f"Long documents are sampled in {pieces}; --split none keeps them whole")

    def _show_estimate(self, needed: Estimate) -> None:
        from topminer._parameters import is_auto
        from topminer.memory import size

        self._seconds_of_sampling = needed.seconds
        where = " on a node; more time, if the network is slow" if len(self._nodes) > 1 else ""
        most = "at most " if is_auto(self.plan["model"]["n_sweeps"]) else ""
        self._say(f"Sampling will take {most}about {_span(needed.seconds)} and {size(needed.n_bytes)}{where}")
        if needed.n_shards == 1:
            self._say("The sampler is exact; --shards 2 is approximate, and faster from 100,000 tokens on")
        else:
            self._say(f"The sampler has {needed.n_shards} shards and is approximate; --shards 1 is exact")

    def _show_topics(self, chain: Chain, elapsed: float, job: Job) -> None:
        from topminer.topics.results.verdict import large_topic

        sampler, likelihood = chain.sampler, chain.history()["log_likelihood"][-1]
        moved = f"; {sampler.bytes_moved / max(sampler.n_sampled, 1) / 1e6:,.1f} MB moved a sweep"
        sweeps = f"{sampler.n_topics:,} topics after {sampler.n_sweeps:,} sweeps"
        found = f"{sweeps}, log likelihood {likelihood:.3f} a token{moved if len(self._nodes) > 1 else ''}"
        if chain.certainty is not None:
            certainty = chain.certainty
            n_stable = f"{int(certainty.is_stable.sum()):,} of {counted(sampler.n_topics, 'topic')} stable"
            found += f"; chain {certainty.model + 1} of {certainty.chains.height} is the best, {n_stable}"
        self._say(found, "topics", elapsed)
        self.session.warn(large_topic(sampler.n_k))

    def _say(self, what: str, stage: str | None = None, elapsed: float = 0.0) -> None:
        """Say something; of a stage, with its time."""
        if stage is not None:
            self.seconds[stage] = elapsed
            what += f"  ({elapsed:.1f} s)"
        self.session.say(what, "dim")

    def _write_run(self, job: Job) -> None:
        """Write run.json beside the model: facts that differ from run to run."""
        from topminer import store
        from topminer._facts import run_facts
        from topminer.pipeline import RUN
        from topminer.topics.results.kept import FILE

        moved = {"bytes_moved": job.chain.sampler.bytes_moved} if self.is_on_cluster else {}
        facts = {
            **run_facts(job.backend.corpus, job.chain.history()),
            **job.backend.facts(),
            **moved,
            "id": self.plan["id"],
            "source": self.places.corpus or self.plan["corpus"],
            "seconds": self.seconds,
            "host": platform.node(),
            "platform": platform.platform(),
            "versions": _versions(),
        }
        store.write_json(self.directory / RUN, facts)
        for name in (report.NAME, FILE):  # of an earlier model
            (self.directory / name).unlink(missing_ok=True)

    # ---------------------------------------------------------------- stopping

    def _interrupted(self) -> None:
        """Say how to resume the run; or remove it, if the rest of standard input is lost."""
        if self._is_lost():
            self._abandon()
            return
        directory = shlex.quote(printable(str(self.directory)))
        self.session.say(f"Unfinished. Go on with: topminer resume {directory}")

    def _abandon(self) -> None:
        """Remove everything that the run has written."""
        from topminer.run.places import forget

        self.checkpoint.abandon()
        forget(self.plan["id"])

    def _is_lost(self) -> bool:
        """Whether the corpus came from standard input and was not stored yet."""
        return self.plan["corpus"] == "-" and self.checkpoint.reader("corpus") is None


def _versions() -> dict[str, str]:
    """Return the versions of everything that may change a result."""
    from importlib.metadata import version

    packages = {name: version(name) for name in ("topminer", "numpy", "numba", "polars")}
    return {"python": platform.python_version(), **packages}


def _span(seconds: float) -> str:
    """Return a time in words.

    >>> _span(0.4), _span(42), _span(240), _span(9000)
    ('a second', '42 seconds', '4 minutes', '2.5 hours')
    """
    if seconds < 1.5:
        return "a second"
    if seconds < 100:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 6000 else f"{seconds / 3600:.1f} hours"
