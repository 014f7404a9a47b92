"""The sampler: sweep after sweep over the Latin square, on whatever engine runs the blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.engines.contract import Placed
from topminer.engines.local import LocalEngine
from topminer.errors import InputError
from topminer.phrases.partition import Partition
from topminer.topics.model import histograms
from topminer.topics.model.histograms import Histograms
from topminer.topics.results.frequency import TopicalFrequency, averaged
from topminer.topics.sampler.latin_square import cliques_of, shard_bounds, type_table
from topminer.topics.sampler.layout import Layout, lay_out, type_bounds
from topminer.topics.sampler.worker import Holding

STATE = ("topics", "held", "held_size", "bags")
AVERAGE = ("keys", "sums", "squares")


class Sampler:
    """A chain: the topic of every clique, and the counts that follow from them.

    Attributes
    ----------
    holdings : Placed
        On each worker of an engine a :class:`Holding` of some shards.
    tokens : int64 array (topics,)
        Tokens of each topic, after the last sweep.
    informed : list of int
        Workers that know the rows that all share as they are now.
    bytes_moved, n_sampled : int
        What workers have sent each other while sampling, and in how many sweeps.
    here : Holding
        All there is, where it is in this process.
    """

    here: Holding

    def __init__(
        self,
        holdings: Placed,
        layout: Layout,
        shares: Sequence[tuple[int, int]],
        alpha: NDArray[np.float64],
        beta: float,
    ) -> None:
        self.holdings, self.layout, self.shares = holdings, layout, list(shares)
        self.alpha, self.beta = alpha, beta
        self.n_topics, self.n_shards, self.seed = layout.n_topics, layout.n_shards, layout.seed
        self.n_tokens, self.path = layout.n_tokens, layout.path
        self.n_sweeps = self.n_samples = 0
        self.bytes_moved = self.n_sampled = 0
        self.n_threads = holdings.engine.threads[0]
        self._workers = range(len(self.shares))
        active = [worker for worker, (first, last) in enumerate(self.shares) if first < last]
        # A shard alone writes to shared rows, and tells nobody: only its worker has them as they are.
        self._active, self.informed = active, active if layout.n_shards == 1 else list(self._workers)
        self._type_bounds = type_bounds(layout, len(self.shares))  # whose average each worker has
        self.recount()

    @classmethod
    def of(
        cls,
        partition: Partition,
        n_topics: int,
        alpha: NDArray[np.float64],
        beta: float,
        *,
        n_shards: int | None = None,
        seed: int = 0,
        n_threads: int = 1,
        path: str | None = None,
    ) -> Sampler:
        """A chain in this process, from the beginning; ``path`` is for tests (see :func:`lay_out`)."""
        longest = int(np.diff(partition.corpus.doc_start).max(initial=0))
        layout = lay_out(type_table(partition), longest, n_topics, n_shards, seed, path)
        bounds = pairwise(shard_bounds(partition, layout.n_shards).tolist())
        documents = [cliques_of(partition, first, last) for first, last in bounds]
        holding = Holding(layout, 0, 0, n_threads, *documents)
        holdings = LocalEngine(n_threads).place(lambda: holding, [()])
        sampler = cls(holdings, layout, [(0, layout.n_shards)], alpha, beta)
        sampler.here = holding
        return sampler

    def close(self) -> None:
        """Let the workers' threads go."""
        self.holdings.run("close")

    # ---------------------------------------------------------------- counting

    def recount(self) -> None:
        """Count words and tokens by topic, from the topics of the cliques."""
        holdings = self.holdings
        holdings.keep("forget")
        for worker, (first, last) in enumerate(self.shares):
            for number in range(first, last):
                counted = None
                for each in self._workers:
                    counted = holdings.keep_on(each, "count", number, counted)
                holdings.keep_on(worker, "come_home", number, counted)
        shared = None
        for worker in self._workers:
            shared = holdings.keep_on(worker, "count_shared", shared)
        self.tokens: NDArray[np.int64] = sum(holdings.run("count_tokens"))
        holdings.run("begin", [(shared, self.tokens)] * len(self._workers))

    # ---------------------------------------------------------------- sampling

    def sweep(self) -> None:
        """Sample every clique once: as many phases as there are shards."""
        self.n_sweeps += 1
        self.n_sampled += 1
        if len(self._active) == 1:  # nobody else is to be told
            alone = self.holdings.keep_on(self._active[0], "sweep", self.n_sweeps, self.alpha, self.beta)
            ((self.tokens, _, _),) = self.holdings.engine.here([alone])
            return
        groups: list[Any] = [None for _ in self._workers]
        changes: list[Any] = []
        for phase in range(self.n_shards):
            before = self.n_sweeps, phase, self.alpha, self.beta
            arguments = [(*before, group, *changes) for group in groups]
            results = self.holdings.keep("sample", arguments, n_results=2)
            groups, changes = self._passed_on(results), [changed for _, changed in results]
        settled = self.holdings.run("settle", [(group, *changes) for group in groups])
        self.tokens, n_others = settled[0][0], len(self._workers) - 1
        self.bytes_moved += sum(given + n_others * changed for _, given, changed in settled)

    def _passed_on(self, results: Sequence[Sequence[Any]]) -> list[Any]:
        """To each worker the group that the next one with shards gave away."""
        active, groups = self._active, [results[worker][0] for worker in self._workers]
        for worker, following in zip(active, active[1:] + active[:1], strict=True):
            groups[worker] = results[following][0]
        return groups

    # ----------------------------------------------------------------- looking

    def log_predictive(self) -> float:
        """Sum of log p(word | document) over all tokens, with the counts as they stand."""
        groups: list[Any] = [None for _ in self._workers]
        phases = []
        for phase in range(self.n_shards):
            arguments = [(phase, self.alpha, self.beta, group) for group in groups]
            results = self.holdings.keep("measure", arguments, n_results=2)
            groups = self._passed_on(results)
            phases.append([values for _, values in results])
        self.holdings.run("settle", [(group,) for group in groups])
        total = 0.0
        for kept in phases:
            total += sum(value for values in self.holdings.engine.here(kept) for value in values)
        lengths = self.holdings.run("measure_lengths", [(float(self.alpha.sum()),)] * len(self._workers))
        for value in (value for values in lengths for value in values):
            total -= value
        return total

    def histograms(self) -> Histograms:
        """What priors and likelihood need."""
        parts = self.holdings.run("histograms", [(worker == self.informed[0],) for worker in self._workers])
        together: Histograms = reduce(histograms.add, parts)
        return together

    def order(self) -> NDArray[np.int64]:
        """Topics by their tokens, the heaviest first."""
        return np.argsort(-self.tokens, kind="stable")

    def note(self) -> str:
        """Where sampling goes on, if not just here."""
        n_nodes = len(self.holdings.engine.names)
        if n_nodes == 1:
            return ""
        moved = f"{self.bytes_moved / max(self.n_sampled, 1) / 1e6:,.1f} MB a sweep"
        return f"{n_nodes} nodes, {self.n_shards} shards, {moved}"

    def take_sample(self) -> None:
        """Add the topics as they stand to the average of topical frequencies."""
        n_workers = len(self._workers)
        pieces = self.holdings.keep("pairs", [(self._type_bounds,)] * n_workers, n_results=n_workers)
        by_range = list(zip(*pieces, strict=True)) if n_workers > 1 else [tuple(pieces)]
        self.holdings.run("add_sample", by_range)
        self.n_samples += 1

    def word_topic(self) -> NDArray[np.int32]:
        """Tokens of each word in each topic, (words, topics)."""
        words = 0, self.layout.in_phrases.size
        pieces = self.holdings.keep("rows", [words for _ in self._workers])
        (table,) = self.holdings.engine.here(
            [self.holdings.keep_on(self.informed[0], "table", *words, *pieces)]
        )
        counted: NDArray[np.int32] = table
        return counted

    def doc_topic(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """Documents, topics and tokens, where there are any, by document and topic."""
        parts = zip(*self.holdings.run("doc_topic"), strict=True)
        documents, topics, tokens = (np.concatenate(part) for part in parts)
        return documents, topics, tokens

    def clique_topics(self) -> NDArray[np.int32]:
        """The topic of each clique in the partition's order; -1 for a word never seen."""
        return np.concatenate(self.holdings.run("clique_topics"))

    def frequency(self) -> TopicalFrequency:
        """Topical frequencies, averaged over the samples taken."""
        state = self._joined("average_state")
        return averaged(state["keys"], state["sums"], state["squares"], self.n_topics, self.n_samples)

    # ----------------------------------------------------------------- storing

    def state(self) -> dict[str, NDArray[Any]]:
        """What sampling goes on from, beside priors, and numbers of sweeps and of samples."""
        return {**self._joined("state"), **self._joined("average_state")}

    def _joined(self, method: str) -> dict[str, NDArray[Any]]:
        states = self.holdings.run(method)
        return {name: np.concatenate([state[name] for state in states]) for name in states[0]}

    def restore(self, state: Mapping[str, NDArray[Any]], n_sweeps: int, n_samples: int = 0) -> None:
        """Go on from a :meth:`state` after ``n_sweeps`` sweeps, as if nothing had happened since."""
        sizes = [[each[name] for name in STATE] for each in self.holdings.run("state_sizes")]
        ends = np.cumsum(sizes, 0)
        for name, wanted in zip(STATE, ends[-1].tolist(), strict=True):
            if (found := state[name].size) != wanted:
                raise InputError(
                    f"the state has {found:,} {name} where {wanted:,} belong: of another corpus?"
                )
        self._check_average(state, n_samples)
        cuts = state["keys"].searchsorted(self._type_bounds * self.n_topics)
        pieces = [
            {name: state[name][end[i] - size[i] : end[i]] for i, name in enumerate(STATE)}
            for size, end in zip(sizes, ends, strict=True)
        ]
        averages = [{name: state[name][slice(*each)] for name in AVERAGE} for each in pairwise(cuts)]
        self.holdings.run("topics_restored", [(piece.pop("topics"),) for piece in pieces])
        self.recount()
        self.holdings.run(
            "order_restored",
            [(*piece.values(), average, n_samples) for piece, average in zip(pieces, averages, strict=True)],
        )
        self.n_sweeps, self.n_samples = n_sweeps, n_samples

    def _check_average(self, state: Mapping[str, NDArray[Any]], n_samples: int) -> None:
        """Compare the sums of topical frequencies with the number of samples that they are said to be of."""
        sizes = {state[name].size for name in AVERAGE}
        keys, n_keys = state["keys"], self.layout.types.place_of.size * self.n_topics
        if len(sizes) > 1 or (keys.size and int(np.asarray(keys[-1:])[0]) >= n_keys):
            raise InputError("damaged: the topical frequencies of the state do not fit the phrases")
        if bool(keys.size) != bool(n_samples):
            raise InputError(f"damaged: the state has topical frequencies of {n_samples:,} samples, or none")
