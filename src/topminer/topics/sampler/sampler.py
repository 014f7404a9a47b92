"""The sampler: sweep after sweep over the Latin square, on the workers of an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.engines.contract import Placed
from topminer.engines.held import store_held
from topminer.engines.local import LocalEngine
from topminer.errors import InputError
from topminer.phrases.partition import Partition
from topminer.phrases.pieces import NONE, Rule, pieces_of
from topminer.store import MemoryWriter, Writer, part_files
from topminer.store.schema import stored_name
from topminer.topics.model import histograms
from topminer.topics.model.histograms import Histograms
from topminer.topics.sampler.latin_square import (
    Layout,
    documents_of,
    lay_out,
    shard_bounds,
    type_bounds,
    type_table,
)
from topminer.topics.sampler.start import Start
from topminer.topics.sampler.storing import AVERAGE, STATE, TOPICS, StoringWorker, check_average_size


class Sampler:
    """A chain: the topic of every clique, and the counts that follow from the topics."""

    n_k: NDArray[np.int64]  # tokens of each topic, after the last sweep
    here: StoringWorker  # the only worker, if it is in this process

    def __init__(
        self,
        workers: Placed,
        layout: Layout,
        shards: Sequence[tuple[int, int]],
        alpha: NDArray[np.float64],
        beta: float,
    ) -> None:
        self.workers = workers  # a StoringWorker with some of the shards on each worker of an engine
        self.layout, self.shards = layout, list(shards)  # shards: ranges of workers
        self.alpha, self.beta = alpha, beta
        self.n_topics, self.n_shards, self.seed = layout.n_topics, layout.n_shards, layout.seed
        self.n_tokens, self.path, self.split = layout.n_tokens, layout.path, layout.split
        self.n_sweeps = self.n_samples = 0
        self.bytes_moved = self.n_sampled = 0  # what workers sent each other, in how many sweeps
        self.n_threads = workers.engine.threads[0]
        self._numbers = range(len(self.shards))
        active = [worker for worker, (first, last) in enumerate(self.shards) if first < last]
        # Workers that know the current shared rows. A single shard changes them directly.
        self._active, self.up_to_date = active, active if layout.n_shards == 1 else list(self._numbers)
        self._type_bounds = type_bounds(layout, len(self.shards))  # which worker averages which types
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
        split: Rule = NONE,
    ) -> Sampler:
        """Start a chain in this process; ``path`` is for tests (see :func:`lay_out`)."""
        pieces = pieces_of(partition, split)
        longest = int(np.diff(pieces.partition.corpus.doc_start).max(initial=0))
        layout = lay_out(type_table(partition), longest, n_topics, n_shards, seed, path, split)
        bounds = pairwise(shard_bounds(partition, layout.n_shards).tolist())
        documents = [documents_of(pieces, first, last) for first, last in bounds]
        worker = StoringWorker(layout, 0, 0, n_threads, *documents)
        workers = LocalEngine(n_threads).place(lambda: worker, [()])
        sampler = cls(workers, layout, [(0, layout.n_shards)], alpha, beta)
        sampler.here = worker
        return sampler

    def close(self) -> None:
        """Stop the threads of a chain in this process, and free what only sampling needs."""
        if "here" in self.__dict__:  # the workers of a cluster end with their engine
            self.here.close()

    def drop(self) -> None:
        """End a chain: also its workers on a cluster drop what they have of it."""
        self.close()
        self.workers.drop()

    # ---------------------------------------------------------------- counting

    def recount(self) -> None:
        """Count words and tokens by topic, from the topics of the cliques."""
        workers = self.workers
        workers.keep("reset_counts")
        for worker, (first, last) in enumerate(self.shards):
            for number in range(first, last):
                counted = None
                for each in self._numbers:
                    counted = workers.keep_on(each, "count_group", number, counted)
                workers.keep_on(worker, "return_group", number, counted)
        shared = None
        for worker in self._numbers:
            shared = workers.keep_on(worker, "count_shared", shared)
        self.n_k = sum(workers.run("count_topics"))
        workers.run("set_shared", [(shared, self.n_k)] * len(self._numbers))

    def assign(self, clique_topic: NDArray[np.int64]) -> None:
        """Set the topic of every clique, in the partition's order, of a chain in this process."""
        self.here.assign_topics(clique_topic)
        self.recount()

    def start_from(self, start: Start) -> None:
        """Start from topics that were found before, and from their β."""
        shared = self.workers.engine.share(start)
        self.workers.run("draw_from", [(shared,)] * len(self._numbers))
        self.recount()
        self.beta = start.beta

    # ---------------------------------------------------------------- sampling

    def sweep(self) -> None:
        """Sample every clique once, in as many phases as there are shards."""
        self.n_sweeps += 1
        self.n_sampled += 1
        if len(self._active) == 1:  # no other worker needs to know
            alone = self.workers.keep_on(self._active[0], "sweep", self.n_sweeps, self.alpha, self.beta)
            ((self.n_k, _, _),) = self.workers.engine.here([alone])
            return
        groups: list[Any] = [None for _ in self._numbers]
        changes: list[Any] = []
        for phase in range(self.n_shards):
            before = self.n_sweeps, phase, self.alpha, self.beta
            arguments = [(*before, group, *changes) for group in groups]
            results = self.workers.keep("sample_phase", arguments, n_results=2)
            groups, changes = self._passed_on(results), [changed for _, changed in results]
        ended = self.workers.run("end_sweep", [(group, *changes) for group in groups])
        self.n_k, n_others = ended[0][0], len(self._numbers) - 1
        self.bytes_moved += sum(given + n_others * changed for _, given, changed in ended)

    def _passed_on(self, results: Sequence[Sequence[Any]]) -> list[Any]:
        """Return for each worker the group that the next worker with shards gave away."""
        active, groups = self._active, [results[worker][0] for worker in self._numbers]
        for worker, following in zip(active, active[1:] + active[:1], strict=True):
            groups[worker] = results[following][0]
        return groups

    # ------------------------------------------------------------- what was sampled

    def log_predictive(self) -> float:
        """Sum log p(word | document) over all tokens, with the current counts."""
        groups: list[Any] = [None for _ in self._numbers]
        phases = []
        for phase in range(self.n_shards):
            arguments = [(phase, self.alpha, self.beta, group) for group in groups]
            results = self.workers.keep("measure_phase", arguments, n_results=2)
            groups = self._passed_on(results)
            phases.append([values for _, values in results])
        self.workers.run("end_sweep", [(group,) for group in groups])
        total = 0.0
        for kept in phases:
            total += sum(value for values in self.workers.engine.here(kept) for value in values)
        lengths = self.workers.run("measure_lengths", [(float(self.alpha.sum()),)] * len(self._numbers))
        for value in (value for values in lengths for value in values):
            total -= value
        return total

    def histograms(self) -> Histograms:
        """Count the counts of all workers, for priors and likelihood."""
        first = self.up_to_date[0]
        parts = self.workers.run("histograms", [(worker == first,) for worker in self._numbers])
        together: Histograms = reduce(histograms.add, parts)
        return together

    def order(self) -> NDArray[np.int64]:
        """Return the topics by their tokens, the heaviest first."""
        return np.argsort(-self.n_k, kind="stable")

    def note(self) -> str:
        """Return a note on the nodes for progress messages; empty if there is one node."""
        n_nodes = len(self.workers.engine.names)
        if n_nodes == 1:
            return ""
        moved = f"{self.bytes_moved / max(self.n_sampled, 1) / 1e6:,.1f} MB a sweep"
        return f"{n_nodes} nodes, {self.n_shards} shards, {moved}"

    def take_sample(self) -> None:
        """Add the current topics to the average of topical frequencies."""
        n_workers = len(self._numbers)
        pieces = self.workers.keep("pairs", [(self._type_bounds,)] * n_workers, n_results=n_workers)
        by_range = list(zip(*pieces, strict=True)) if n_workers > 1 else [tuple(pieces)]
        self.workers.run("add_sample", by_range)
        self.n_samples += 1

    def word_topic(self) -> NDArray[np.int32]:
        """Return the tokens of each word in each topic, (words, topics)."""
        words = 0, self.layout.in_phrases.size
        pieces = self.workers.keep("rows", [words for _ in self._numbers])
        (table,) = self.workers.engine.here(
            [self.workers.keep_on(self.up_to_date[0], "table", *words, *pieces)]
        )
        counted: NDArray[np.int32] = table
        return counted

    def frequency(self, order: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Return the averaged topical frequencies of topics numbered by ``order``, as stored arrays."""
        self.workers.run("hold_topics", [(order,)] * len(self._numbers))
        writer = MemoryWriter()
        store_held(self.workers, writer, {name: name for name in TOPICS if name.startswith("frequency")})
        self.workers.run("release")
        return dict(writer.stored.arrays)

    @property
    def n_documents(self) -> int:
        """Number of documents in all shards."""
        return sum(self.workers.run("n_documents"))

    # ----------------------------------------------------------------- storing

    def save(self, writer: Writer | MemoryWriter) -> None:
        """Write what sampling goes on from, besides priors and the numbers of sweeps and samples."""
        self.workers.run("hold_state")
        store_held(self.workers, writer, {name: name for name in (*STATE, *AVERAGE)})
        self.workers.run("release")

    def write_topics(self, writer: Writer | MemoryWriter, section: str = "") -> None:
        """Write the topics that were found, the heaviest first, as arrays of a section."""
        order = self.order()
        if isinstance(writer, MemoryWriter):
            table = np.ascontiguousarray(self.word_topic()[:, order]).ravel()
            writer.write({stored_name(section, "word_topic"): table}, {})
        else:
            self._write_words(writer, stored_name(section, "word_topic"), order)
        self.workers.run("hold_topics", [(order,)] * len(self._numbers))
        store_held(self.workers, writer, {stored_name(section, name): name for name in TOPICS})
        self.workers.run("release")
        arrays = {"tokens": self.n_k[order], "alpha": self.alpha[order]}
        writer.write({stored_name(section, name): array for name, array in arrays.items()}, {})

    def _write_words(self, writer: Writer, name: str, order: NDArray[np.int64]) -> None:
        """Have workers write the table of words by topics, one file each at a time."""
        workers, n_topics, checksums = self.workers, order.size, {}
        with writer.writing():
            files = part_files(name, self.layout.in_phrases.size * n_topics, "npy")
            for i, (file, start, stop) in enumerate(files):
                words = start // n_topics, -(-stop // n_topics)
                rows = workers.keep("rows", [words for _ in self._numbers])
                worker = self.up_to_date[i % len(self.up_to_date)]
                path = writer.folder / file
                checksums[file] = workers.keep_on(worker, "write_words", path, order, start, stop, *rows)
            writer.files.update(zip(checksums, workers.engine.here(list(checksums.values())), strict=True))

    def restore(self, state: Mapping[str, NDArray[Any]], n_sweeps: int, n_samples: int = 0) -> None:
        """Go on from what :meth:`save` wrote after ``n_sweeps`` sweeps, as if never stopped."""
        sizes = [[each[name] for name in STATE] for each in self.workers.run("state_sizes")]
        ends = np.cumsum(sizes, 0)
        for name, wanted in zip(STATE, ends[-1].tolist(), strict=True):
            if (found := state[name].size) != wanted:
                raise InputError(
                    f"the state has {found:,} {name} where {wanted:,} belong: of another corpus?"
                )
        check_average_size(state, self.layout, n_samples)
        cuts = state["keys"].searchsorted(self._type_bounds * self.n_topics)
        pieces = [
            {name: state[name][end[i] - size[i] : end[i]] for i, name in enumerate(STATE)}
            for size, end in zip(sizes, ends, strict=True)
        ]
        averages = [{name: state[name][slice(*each)] for name in AVERAGE} for each in pairwise(cuts)]
        self.workers.run("restore_topics", [(piece.pop("z"),) for piece in pieces])
        self.recount()
        self.workers.run(
            "restore_order",
            [(*piece.values(), average, n_samples) for piece, average in zip(pieces, averages, strict=True)],
        )
        self.n_sweeps, self.n_samples = n_sweeps, n_samples
