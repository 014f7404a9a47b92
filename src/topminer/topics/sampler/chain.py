"""A chain from its first sweep to its last: when to fit priors, record history and take samples."""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.progress import Progress, silent
from topminer.store import MemoryReader, MemoryWriter, Reader, Stored, Writer
from topminer.store.schema import stored_name
from topminer.topics.model import priors
from topminer.topics.model.likelihood import log_likelihood
from topminer.topics.results.certainty import Certainty
from topminer.topics.results.held_out import HeldOut, perplexity
from topminer.topics.sampler.flatness import flat_at
from topminer.topics.sampler.sampler import Sampler
from topminer.topics.sampler.storing import AVERAGE, STATE

STAGE = "Sampling topics"
HISTORY_INTERVAL = 50  # sweeps: what a row of history costs is then a few per cent of them
N_SAMPLES, SAMPLE_INTERVAL = 10, 10
SAMPLING_SWEEPS = N_SAMPLES * SAMPLE_INTERVAL
MOST_SWEEPS = 2000  # of a chain that stops by itself


class Tried(NamedTuple):
    """A number of topics that was tried in a search (topics/number/search.py)."""

    n_topics: int
    perplexity: float  # of held-out documents


HISTORY = {
    "sweep": pl.Int64,
    "log_likelihood": pl.Float64,  # log P(words, topics) per token
    "perplexity": pl.Float64,  # of the documents the model was made from
    "held_out_perplexity": pl.Float64,
    "seconds": pl.Float64,  # since the first sweep started
    "tokens_per_second": pl.Float64,  # of the sweeps since the last entry
}


TIMES = ["seconds", "tokens_per_second"]  # the columns that differ from run to run


@dataclass(frozen=True)
class Schedule:
    """When things happen. Sweeps are counted from 1."""

    n_sweeps: int  # if it stops by itself: the most
    optimize_interval: int  # 0: priors stay as they are
    burn_in: int
    stops: bool = False  # whether it ends earlier, once the likelihood is flat (flatness.py)

    def records(self, sweep: int) -> bool:
        """Whether history is recorded after this sweep."""
        return sweep % HISTORY_INTERVAL == 0 or sweep == self.n_sweeps

    def optimizes(self, sweep: int) -> bool:
        """Whether priors are fitted after this sweep. The last sweep keeps the priors it was drawn with."""
        interval = self.optimize_interval
        return bool(interval) and sweep % interval == 0 and self.burn_in <= sweep < self.n_sweeps

    def samples(self, sweep: int) -> bool:
        """Whether topical frequencies are sampled: at the last sweep, and at some of the second half."""
        left = self.n_sweeps - sweep
        return left % SAMPLE_INTERVAL == 0 and left < min(SAMPLING_SWEEPS, self.n_sweeps / 2 + 1)

    def after(self, sweeps: Sequence[int], likelihoods: Sequence[float]) -> Schedule:
        """Return the schedule that follows from the history so far.

        Once the likelihood is flat, the sweeps that are left are those in which samples are taken.
        """
        if not self.stops:
            return self
        first = self.burn_in if self.optimize_interval else 0  # a new prior makes another likelihood flat
        since = bisect_left(sweeps, first)
        flat = flat_at(likelihoods[since:])
        if flat is None:
            return self
        n_sweeps = sweeps[since + flat] + SAMPLING_SWEEPS
        return replace(self, n_sweeps=min(n_sweeps, self.n_sweeps), stops=False)

    def check(self, sweep: int, n_samples: int, recorded: list[int]) -> None:
        """Refuse a state that a chain with this schedule cannot have after ``sweep``."""
        if sweep > self.n_sweeps:
            raise InputError(f"damaged: the state is of sweep {sweep:,}; the run has {self.n_sweeps:,}")
        latest = range(max(1, self.n_sweeps - SAMPLING_SWEEPS), sweep + 1)
        n_records = sweep // HISTORY_INTERVAL + (sweep == self.n_sweeps and sweep % HISTORY_INTERVAL > 0)
        is_recorded = len(recorded) == n_records and all(
            found == min(number * HISTORY_INTERVAL, sweep) for number, found in enumerate(recorded, 1)
        )
        if n_samples != sum(map(self.samples, latest)) or not is_recorded:
            raise InputError(f"damaged: the state is not that of this run after sweep {sweep:,}")


# Called after each sweep: to keep the chain's state, or to stop the chain with an exception.
AfterSweep: TypeAlias = "Callable[[Chain], None]"


def nothing(chain: Chain) -> None:
    """Do nothing after a sweep."""


@dataclass
class Chain:
    """A sampler, its schedule and the history so far."""

    sampler: Sampler
    schedule: Schedule
    held_out: HeldOut | None = None
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    seconds: float = 0.0  # so far
    sampled: list[NDArray[np.int64]] = field(default_factory=list)  # n_k at the sampled sweeps
    label: str = ""  # for progress messages, if there are several chains
    certainty: Certainty | None = None  # what several chains say together, if this one is the model
    tried: list[Tried] = field(default_factory=list)  # numbers of topics, in a search before the first sweep
    begin: Callable[[Progress], None] | None = None  # called before the first sweep

    def run(self, progress: Progress = silent, after_sweep: AfterSweep = nothing) -> None:
        """Run all remaining sweeps."""
        sampler = self.sampler
        if self.begin is not None and sampler.n_sweeps == 0:
            self.begin(progress)
        started, sampling, since = time.perf_counter() - self.seconds, 0.0, sampler.n_sweeps
        progress(STAGE, sampler.n_sweeps, self.schedule.n_sweeps, "sweeps", self._note())
        while sampler.n_sweeps < self.schedule.n_sweeps:
            schedule = self.schedule
            before = time.perf_counter()
            sampler.sweep()
            sampling += time.perf_counter() - before
            sweep = sampler.n_sweeps
            if schedule.samples(sweep):
                sampler.take_sample()
                self.sampled.append(sampler.n_k.copy())
            if schedule.records(sweep) or schedule.optimizes(sweep):
                histograms = sampler.histograms()
                if schedule.records(sweep):
                    rate = sampler.n_tokens * (sweep - since) / max(sampling, 1e-9)
                    joint = log_likelihood(histograms, sampler.alpha, sampler.beta)
                    elapsed = time.perf_counter() - started
                    self.rows.append(
                        (sweep, joint / max(sampler.n_tokens, 1), *self._perplexities(), elapsed, rate)
                    )
                    sampling, since = 0.0, sweep
                    self._look_at_history()
                if schedule.optimizes(sweep):
                    sampler.alpha, sampler.beta = priors.optimize(histograms, sampler.alpha, sampler.beta)
            self.seconds = time.perf_counter() - started
            progress(STAGE, sweep, self.schedule.n_sweeps, "sweeps", self._note())
            after_sweep(self)

    def _look_at_history(self) -> None:
        """Set the last sweep, if the history so far says which it is."""
        self.schedule = self.schedule.after([row[0] for row in self.rows], [row[1] for row in self.rows])

    def _note(self) -> str:
        likelihood = f"log likelihood {self.rows[-1][1]:.3f}" if self.rows else ""
        end = "stops once the likelihood is flat" if self.schedule.stops else ""
        return ", ".join(filter(None, [self.label, self.sampler.note(), likelihood, end]))

    def save(self, writer: Writer | MemoryWriter) -> None:
        """Write what the remaining sweeps depend on, and the history so far."""
        sampler = self.sampler
        sampler.save(writer)
        sampled = np.concatenate([np.zeros(0, np.int64), *self.sampled])
        writer.write({"alpha": sampler.alpha, "sampled": sampled}, {})
        facts = {"sweep": sampler.n_sweeps, "rows": list(self.rows), "seconds": self.seconds}
        facts["tried"] = list(map(tuple, self.tried))
        writer.finish({**facts, **self._facts()})

    def state(self) -> Stored:
        """Return what :meth:`save` writes."""
        writer = MemoryWriter()
        self.save(writer)
        return writer.stored

    def write_topics(self, writer: Writer | MemoryWriter, section: str = "") -> dict[str, Any]:
        """Write what was found as arrays and tables of a section. Return the facts of the section."""
        self.sampler.write_topics(writer, section)
        writer.write({}, {stored_name(section, name): table for name, table in self._tables().items()})
        return {**self._facts(), "n_documents": self.sampler.n_documents}

    def _facts(self) -> dict[str, Any]:
        sampler = self.sampler
        return {
            "seed": sampler.seed,
            "beta": float(sampler.beta),
            "n_samples": sampler.n_samples,
            "n_shards": sampler.n_shards,
            "split": sampler.split,
        }

    def _tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables that are stored with the topics."""
        history = {"history": self.history().drop(*TIMES)}
        return {**history, "tried": tried_frame(self.tried)} if self.tried else history

    def restore(self, state: Stored) -> None:
        """Go on from a :meth:`state` of the same chain."""
        facts, arrays, sampler = state.facts, state.arrays, self.sampler
        self.rows, self.seconds = [tuple(row) for row in facts["rows"]], facts["seconds"]
        self.tried = [Tried(*each) for each in facts["tried"]]
        self._look_at_history()
        self.schedule.check(facts["sweep"], facts["n_samples"], [row[0] for row in self.rows])
        for name, found, own in (
            ("topics", arrays["alpha"].size, sampler.n_topics),
            ("shards", facts["n_shards"], sampler.n_shards),
        ):
            if found != own:
                raise InputError(f"the state is of a chain with {found:,} {name}, this one has {own:,}")
        if facts["split"] != sampler.split:
            raise InputError(f"the state is of documents split by {facts['split']}, not {sampler.split}")
        sampler.restore(arrays, facts["sweep"], facts["n_samples"])
        sampler.alpha, sampler.beta = arrays["alpha"], facts["beta"]
        sampled = arrays["sampled"].reshape(-1, sampler.n_topics)
        if len(sampled) != facts["n_samples"] or np.any(sampled.sum(axis=1) != sampler.n_tokens):
            raise InputError("damaged: the sampled sizes of topics do not add up to the tokens")
        self.sampled = list(sampled)

    def _perplexities(self) -> tuple[float, float | None]:
        own = math.exp(-self.sampler.log_predictive() / max(self.sampler.n_tokens, 1))
        return own, None if self.held_out is None else self.perplexity_of(self.held_out)

    def perplexity_of(self, test: HeldOut) -> float:
        """Return the perplexity of held-out documents by the topics as they are now."""
        sampler = self.sampler
        return perplexity(
            test,
            sampler.word_topic(),
            sampler.n_k,
            sampler.alpha,
            sampler.beta,
            seed=sampler.seed,
            n_threads=sampler.n_threads,
            split=sampler.split,
        )

    def history(self) -> pl.DataFrame:
        """Return the history so far as a frame."""
        return pl.DataFrame(self.rows, HISTORY, orient="row")


def tried_frame(tried: Sequence[Tried]) -> pl.DataFrame:
    """Return the numbers of topics that a search has tried, with their perplexities, as a frame."""
    return pl.DataFrame(tried, {"n_topics": pl.Int64, "perplexity": pl.Float64}, orient="row")


def stored_state(reader: Reader | MemoryReader) -> Stored:
    """Return a state whose long arrays are read by the workers that need them."""
    arrays: dict[str, Any] = {name: reader.lazy_array(name) for name in (*STATE, *AVERAGE)}
    small = {name: reader.array(name) for name in ("alpha", "sampled")}
    return Stored(reader.facts, arrays | small, {})
