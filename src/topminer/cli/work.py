"""A run from its plan to its model: what ``topminer run`` and ``topminer resume`` share.

The plan is written first. The corpus is stored when it was read, and the state of the chain from time to
time while topics are sampled. Mining is quick and is repeated. So a run that was killed goes on from its last
stored step.
"""

from __future__ import annotations

import platform
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from topminer.cli.console import visible
from topminer.cli.model import tell_skipped
from topminer.cli.stopping import Stop, graceful_stop
from topminer.errors import InputError

if TYPE_CHECKING:
    from topminer.checkpoint import Checkpoint
    from topminer.cli.options import EngineOptions
    from topminer.phrases.partition import Partition
    from topminer.pipeline import ToPMine
    from topminer.places import Places
    from topminer.progress import Progress
    from topminer.text.corpus import Corpus
    from topminer.topics.sampler.chain import Chain
    from topminer.topics.sampler.estimate import Estimate


def work_on(
    checkpoint: Checkpoint,
    directory: Path,
    run: EngineOptions,
    places: Places,
    told: Console,
    resumed: bool,
) -> Work:
    """Return the rest of a run, on the engine that ``run`` names or on the engine it was started on."""
    from topminer.cli.cluster_work import ClusterWork

    kind = ClusterWork if (run.engine or checkpoint.plan["engine"]) == "ray" or run.ray_address else Work
    return kind(checkpoint, directory, places, run.threads, told, resumed)


class Work:
    """One run in a model directory."""

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Path,
        places: Places,
        threads: int | None,
        told: Console,
        resumed: bool,
    ) -> None:
        self.checkpoint, self.directory, self.threads = checkpoint, directory, threads
        self.plan, self.places, self.told, self.resumed = checkpoint.plan, places, told, resumed
        self.seconds: dict[str, float] = {}

    def done(self, progress: Progress) -> ToPMine | None:
        """Do the rest of the run. Return the model, or None if this machine has too little memory for it."""
        from topminer.pipeline import ToPMine

        model = ToPMine(**self.plan["model"], n_threads=self.threads)
        try:
            partition = self._prepared(model, progress)
        except (InputError, OSError, MemoryError):
            if not self.resumed:  # a run that cannot start need not be resumed
                self.abandon()
            raise
        with self.timed("topics"):
            self._sample(model, partition, progress)
        likelihood = model.lda_.history_["log_likelihood"][-1]
        sweeps = f"{model.n_topics:,} topics after {model.n_sweeps:,} sweeps"
        self._say(f"{sweeps}, log likelihood {likelihood:.3f} a token", "topics")
        self._write(model)
        return model

    def interrupted(self) -> None:
        """Say how to resume the run; or remove it, if the rest of standard input is lost."""
        if self._is_lost():
            self.abandon()
            return
        directory = shlex.quote(visible(str(self.directory)))
        self.told.print(f"Unfinished. Go on with: topminer resume {directory}", soft_wrap=True)

    def _prepared(self, model: ToPMine, progress: Progress) -> Partition:
        """Do the steps before sampling. Parameters that do not fit the corpus are refused here."""
        with self.timed("read"):
            corpus = self._corpus(progress)
        self._say(f"{len(corpus):,} documents, {corpus.n_tokens:,} kept tokens", "read")
        tell_skipped(corpus, self.told)
        with self.timed("phrases"):
            partition = model.cut(corpus, progress=progress)
        self._say_cut(model, partition.n_types - corpus.n_stems, _n_long(partition))
        model.check(corpus.n_tokens)
        self._estimate(model, partition)
        return partition

    def _say(self, what: str, stage: str) -> None:
        self.told.print(f"{what}  ({self.seconds[stage]:.1f} s)", style="dim", soft_wrap=True)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Note how long a stage takes."""
        start = time.perf_counter()
        yield
        self.seconds[stage] = time.perf_counter() - start

    def _corpus(self, progress: Progress) -> Corpus:
        from topminer.text.corpus import Corpus

        if kept := self.checkpoint.load("corpus"):
            return Corpus.restored(kept)
        if self.resumed and self._is_lost():
            self.abandon()
            raise InputError("the run was stopped before all of standard input was read: start it again")
        assert self.places.corpus is not None
        corpus = Corpus.read(
            self.places.corpus, **self.plan["reading"], n_threads=self.threads, progress=progress
        )
        self.checkpoint.save("corpus", corpus.stored())
        return corpus

    def _is_lost(self) -> bool:
        """Whether the corpus came from standard input and was not stored yet."""
        return self.plan["corpus"] == "-" and self.checkpoint.reader("corpus") is None

    def abandon(self) -> None:
        """Remove everything that the run has written."""
        from topminer.places import forget

        self.checkpoint.abandon()
        forget(self.plan["id"])

    def _say_cut(self, model: ToPMine, n_phrases: int, n_instances: int) -> None:
        found = f"{n_phrases:,} phrases of several words, {n_instances:,} instances of them"
        self._say(found if model.phrases else "every word alone: no phrases were asked for", "phrases")

    def _estimate(self, model: ToPMine, partition: Partition) -> None:
        from topminer.engines.local import n_threads_or_all
        from topminer.memory import available_bytes
        from topminer.topics.sampler.estimate import check_memory, estimate

        needed = estimate(
            partition,
            model.n_topics,
            model.n_sweeps,
            n_shards=model.n_shards,
            n_threads=n_threads_or_all(self.threads),
        )
        check_memory(needed.n_bytes, available_bytes())
        self._say_estimate(needed)

    def _say_estimate(self, needed: Estimate, where: str = "") -> None:
        from topminer.memory import size

        told = f"Sampling will take about {_span(needed.seconds)} and {size(needed.n_bytes)}{where}"
        self.told.print(told, style="dim", soft_wrap=True)

    def _sample(self, model: ToPMine, partition: Partition, progress: Progress) -> None:
        with graceful_stop() as stop:
            keep = Keeper(
                lambda chain: self.checkpoint.save("chain", chain.state()),
                self.plan["checkpoint_every"],
                stop,
            )
            model.model(
                partition,
                progress=progress,
                after_sweep=keep,
                state=self.checkpoint.load("chain"),
            )

    def _write(self, model: ToPMine) -> None:
        from topminer import store
        from topminer.engines.local import n_threads_or_all
        from topminer.store.formats import MODEL

        corpus = self.checkpoint.reader("corpus")
        assert corpus is not None
        with self.timed("writing"), store.Writer(self.directory, MODEL, overwrite=True) as writer:
            model.write_with(corpus, writer, keep_texts=self.plan["keep_texts"])
        self._tell_run({**model.run_facts(), "threads": n_threads_or_all(self.threads), "engine": "local"})

    def _tell_run(self, run: dict[str, Any]) -> None:
        """Write run.json beside the model: facts that differ from run to run."""
        from topminer import store
        from topminer.cli.report import NAME
        from topminer.pipeline import RUN

        facts = {
            **run,
            "id": self.plan["id"],
            "source": self.places.corpus or self.plan["corpus"],
            "seconds": self.seconds,
            "host": platform.node(),
            "platform": platform.platform(),
            "versions": _versions(),
        }
        store.write_json(self.directory / RUN, facts)
        (self.directory / NAME).unlink(missing_ok=True)  # of an earlier model


class Keeper:
    """Stores the state of the chain at an interval, and when the user asks to stop."""

    def __init__(self, keep: Callable[[Chain], None], interval: float, stop: Stop) -> None:
        self._keep, self._interval, self._stop = keep, interval, stop
        self._last = time.monotonic()

    def __call__(self, chain: Chain) -> None:
        """Store the state if it is time, or if a signal arrived."""
        stopping = self._stop.asked()
        if stopping or time.monotonic() - self._last >= self._interval:
            self._keep(chain)
            self._last = time.monotonic()
        if stopping:
            self._stop.now()


def _n_long(partition: Partition) -> int:
    """Return how many phrase instances have several words."""
    import numpy as np

    return int((np.diff(partition.clique_start) > 1).sum())


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
