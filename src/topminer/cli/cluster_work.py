"""A run on a Ray cluster, begun or resumed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from topminer.cli.cluster import cluster_at
from topminer.cli.console import visible
from topminer.cli.model import loaded, tell_rows
from topminer.cli.stopping import graceful_stop
from topminer.cli.work import Keeper, Work
from topminer.errors import InputError

if TYPE_CHECKING:
    from topminer.cluster.job import Job
    from topminer.engines.contract import Engine
    from topminer.pipeline import ToPMine
    from topminer.progress import Progress

TIMES_ON_DISK = 4  # memory that a loaded model takes, in sizes of its files


class ClusterWork(Work):
    """One run in a model directory that all nodes of a cluster see."""

    def done(self, progress: Progress) -> ToPMine | None:
        """Do the rest of the run. Return the model, if this machine has the memory for it."""
        from topminer.cluster.job import TooManyLosses, run_until_done

        self._is_sampling = self.resumed
        try:
            with cluster_at(self.places.ray_address, self.threads, self.told) as cluster:
                work = partial(self._go_on, progress)
                run_until_done(cluster, self.checkpoint, work, self._tell)
        except (InputError, OSError, MemoryError) as error:
            if self._is_sampling or isinstance(error, TooManyLosses):
                self.interrupted()
            else:  # a run that cannot start need not be resumed
                self.abandon()
            raise
        return self._loaded()

    def _go_on(self, progress: Progress, engine: Engine) -> None:
        """Do the rest of the run with these workers."""
        from topminer._facts import run_facts
        from topminer.pipeline import ToPMine

        self._tell(f"On {_counted(len(engine.names), 'node')}: {', '.join(engine.names)}")
        model = ToPMine(**self.plan["model"], n_threads=self.threads)
        job = model.job(engine, self.checkpoint)
        self._prepare(job, model, progress)
        self._is_sampling = True
        with self.timed("topics"), graceful_stop() as stop:
            chain = job.sample(progress, Keeper(job.keep, self.plan["checkpoint_every"], stop))
        sampler, likelihood = chain.sampler, chain.history()["log_likelihood"][-1]
        sweeps = f"{model.n_topics:,} topics after {model.n_sweeps:,} sweeps"
        moved = f"; {sampler.bytes_moved / max(sampler.n_sampled, 1) / 1e6:,.1f} MB moved a sweep"
        moved = moved if len(engine.names) > 1 else ""
        self._say(f"{sweeps}, log likelihood {likelihood:.3f} a token{moved}", "topics")
        with self.timed("writing"):
            model.write(job, self.directory, keep_texts=self.plan["keep_texts"])
        self._tell_run(
            {
                **run_facts(job.words, chain.history()),
                "engine": "ray",
                "nodes": engine.names,
                "threads": engine.threads,
                "bytes_moved": sampler.bytes_moved,
            }
        )

    def _prepare(self, job: Job, model: ToPMine, progress: Progress) -> None:
        """Do the steps before sampling. Parameters that do not fit the corpus are refused here."""
        from topminer.text.describe import skipped_in

        with self.timed("read"):
            job.read(self.places.corpus or "", self.plan["reading"], progress)
        self._say(f"{job.n_documents:,} documents, {job.n_tokens:,} kept tokens", "read")
        model.check(job.n_tokens)
        with self.timed("phrases"):
            cut = job.cut(progress)
        tell_rows(skipped_in(job.words.origin, cut.n_empty), self.told)
        self._say_cut(model, cut.type_start.size - 1 - cut.n_stems, cut.n_long)
        alone = len(job.engine.names) == 1
        self._say_estimate(job.estimate(), "" if alone else " on a node; more time, if the network is slow")

    def _loaded(self) -> ToPMine | None:
        """Load the model to show it, unless this machine has too little memory."""
        from topminer.memory import available_bytes, size

        needed = TIMES_ON_DISK * sum(path.stat().st_size for path in self.directory.rglob("*.*"))
        there = available_bytes()
        if there is not None and needed > there:
            self._tell(f"No report: the model needs about {size(needed)} here, and {size(there)} are free")
            return None
        return loaded(self.directory, self.threads)

    def _tell(self, what: str) -> None:
        self.told.print(visible(what), style="dim", soft_wrap=True)


def _counted(n: int, what: str) -> str:
    """How many there are.

    >>> _counted(1, "node"), _counted(3, "node")
    ('1 node', '3 nodes')
    """
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
