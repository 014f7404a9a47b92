"""A worker of a chain: one process with some neighbouring shards and a copy of what all shards share.

A worker with shards 2 and 3 of 6 starts a sweep with groups 2 and 3 of phrase types. After each phase it
gives its first group to the worker before it, and takes the first group of the worker behind it::

    phase 0   2 3      The rows and rare words of a group travel. Shared rows do not travel: every worker
    phase 1   3 4      has all of them, and receives the changes of all other workers after each phase.
    phase 2   4 5
    ...

After as many phases as there are groups, each group is back. If there is one worker, it keeps all groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import chain, pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from topminer.topics.model.histograms import Histograms, count, count_by_topic
from topminer.topics.results.frequency import Average, Pairs, count_keys, joined
from topminer.topics.sampler.blocks import (
    Shared,
    Workspace,
    make_workspace,
    sample_blocks,
    shared_of,
    tasks,
)
from topminer.topics.sampler.exchange import Changes, add, narrowed, own, own_rows
from topminer.topics.sampler.latin_square import Documents, Layout, arrange_cliques
from topminer.topics.sampler.shard import Shard
from topminer.topics.sampler.start import Start, draw
from topminer.topics.sampler.word_topic_counts import (
    GroupCounts,
    WordTopicCounts,
    all_counts,
    allocated,
    count_block,
    empty_counts,
    group_rows,
    table_of,
)

Task = TypeVar("Task")
Result = TypeVar("Result")
Rows = tuple[NDArray[np.int64], NDArray[np.int32]]  # words, and their counts by topic
Group = tuple[NDArray[np.int32], NDArray[np.uint16]]  # n_wk_own and z_rare of a group that travels


CLIQUES_AT_ONCE = 1 << 20  # whose topics are counted together


class ShardWorker:
    """Shards from number ``first_shard`` on, given by their documents; the first is ``first_doc``."""

    words: WordTopicCounts  # the counts of groups that are elsewhere now are empty
    n_k: NDArray[np.int64]  # tokens of each topic, in all shards

    def __init__(
        self, layout: Layout, first_shard: int, first_doc: int, n_threads: int, *documents: Documents
    ) -> None:
        self.layout = layout = own(layout)
        self._pool = ThreadPoolExecutor(n_threads, "topminer") if n_threads > 1 < len(documents) else None
        self._tasks = tasks(len(documents), n_threads, layout.path)
        self._free: list[Workspace] = []
        self.first_shard, self.first_doc = first_shard, first_doc
        self.shards: list[Shard] = []
        self.first_piece = [own(each.first_piece) for each in documents]  # of the documents of each shard
        for number, (type_ids, piece_start, _) in enumerate(documents, first_shard):
            cliques = arrange_cliques(layout.types, own(type_ids), own(piece_start))
            self.shards.append(Shard(layout, cliques, piece_start.size - 1))
            self.shards[-1].draw_topics(layout.key(0, 0, number))
        self.average = Average(layout.n_topics)  # topical frequency of one range of the phrase types
        self.bytes_given = self.bytes_changed = 0  # bytes of groups and of changes sent to other workers
        self.reset_counts()

    def draw_from(self, start: Start) -> None:
        """Draw the topic of every clique from topics that were found before."""
        for number, shard in enumerate(self.shards, self.first_shard):
            draw(own(start), shard, self.layout.key(0, 0, number))

    def close(self) -> None:
        """Stop the threads and free what only sampling needs."""
        if self._pool is not None:
            self._pool.shutdown()
        self._free.clear()

    # ---------------------------------------------------------------- counting

    def reset_counts(self) -> None:
        """Empty all counts by word."""
        layout = self.layout
        self.words = empty_counts(layout.types, layout.in_phrases, layout.sizes, layout.n_topics)
        self.n_k = np.zeros(layout.n_topics, np.int64)

    def count_group(self, number: int, counted: tuple[Any, ...] | None) -> tuple[Any, ...]:
        """Add the tokens of the shards here to a group's counts, as workers with earlier shards left them."""
        layout, group = self.layout, allocated(self.words.groups[number], self.layout.n_topics)
        filled = group.z_rare_start[:-1].copy()
        if counted is not None:
            n_wk_own, z_rare, filled = own_rows(counted[0]), own(counted[1]), own(counted[2])
            group = group._replace(n_wk_own=n_wk_own, z_rare=z_rare)
        self.words.groups[number] = group
        for shard in self.shards:
            start = shard.cliques.clique_start
            count_block(self.words, number, filled, layout.types, start, shard.z, layout.n_topics)
        return (*self._give(number), filled)

    def return_group(self, number: int, counted: tuple[Any, ...]) -> None:
        """Keep a group that all workers have counted."""
        self._take(number, counted[:2])

    def count_shared(self, rows: NDArray[np.int32] | None) -> NDArray[np.int32]:
        """Add the shared rows that other workers have counted to those counted here."""
        if rows is not None:
            self.words.n_wk_shared[:] += rows
        return self.words.n_wk_shared

    def count_topics(self) -> NDArray[np.int64]:
        """Return the tokens of each topic in the shards here."""
        total = np.zeros(self.layout.n_topics, np.int64)
        for shard in self.shards:
            _, topics, counts = shard.entries()
            total += np.bincount(topics, counts, total.size).astype(np.int64)
        return total

    def set_shared(self, n_wk_shared: NDArray[np.int32], n_k: NDArray[np.int64]) -> None:
        """Take over what all workers have counted together."""
        self.words = self.words._replace(n_wk_shared=own_rows(n_wk_shared))
        self.n_k = own(n_k)
        self.bytes_given = 0

    def _give(self, number: int) -> Group:
        """Remove a group from this worker and return its counts."""
        group = self.words.groups[number]
        self.words.groups[number] = group._replace(n_wk_own=group.n_wk_own[:0], z_rare=group.z_rare[:0])
        self.bytes_given += group.n_wk_own.nbytes + group.z_rare.nbytes
        return group.n_wk_own, group.z_rare

    def _take(self, number: int, group: Sequence[Any]) -> None:
        here = self.words.groups[number]
        self.words.groups[number] = here._replace(n_wk_own=own_rows(group[0]), z_rare=own(group[1]))

    # ---------------------------------------------------------------- sampling

    def shared(self, alpha: NDArray[np.float64], beta: float) -> Shared:
        """Return what all blocks of a phase read."""
        words = self.words
        return shared_of(self.layout, words.row_of, words.n_wk_shared, self.n_k, alpha, beta)

    @contextmanager
    def workspace(self) -> Iterator[Workspace]:
        """Lend a block memory. There is as much of it as blocks run at once."""
        try:
            workspace = self._free.pop()
        except IndexError:
            n_copies = 0 if self.layout.n_shards == 1 else int(self.layout.in_phrases.sum())
            workspace = make_workspace(self.layout, n_copies)
        workspace.copies.copy_of[:] = -1  # a block that was interrupted may have left some copies
        workspace.copies.n_copies[0] = 0
        try:
            yield workspace
        finally:
            self._free.append(workspace)

    def sweep(
        self, sweep: int, alpha: NDArray[np.float64], beta: float
    ) -> tuple[NDArray[np.int64], int, int]:
        """Sample all phases of a sweep, if all shards are here."""
        group, changes = None, list[tuple[Changes, ...]]()
        for phase in range(self.layout.n_shards):
            group, changed = self.sample_phase(sweep, phase, alpha, beta, group, *changes)
            changes = [changed]
        return self.end_sweep(group, *changes)

    def sample_phase(
        self,
        sweep: int,
        phase: int,
        alpha: NDArray[np.float64],
        beta: float,
        incoming: Group | None,
        *changes: tuple[Changes, ...],
    ) -> tuple[Group | None, tuple[Changes, ...]]:
        """Sample the blocks of a phase. Return the first group and what the blocks changed."""
        self._take_in(phase, incoming, changes)
        shared = self.shared(alpha, beta)

        def sample_some(numbers: range) -> list[Changes]:
            with ExitStack() as stack:
                blocks = []
                for i in numbers:
                    group = self._group_of(i, phase)
                    key = self.layout.key(sweep, phase, self.first_shard + i)
                    workspace = stack.enter_context(self.workspace())
                    blocks.append(
                        self.shards[i].prepare(group, self.words.groups[group], shared, key, workspace)
                    )
                sample_blocks(blocks, self.layout.path)
                return [self.shards[i].changes(block) for i, block in zip(numbers, blocks, strict=True)]

        given, done = self._each_task(sample_some, self._tasks, phase)
        changed = tuple(chain.from_iterable(done))
        if len(self.shards) < self.layout.n_shards:  # other workers receive them
            changed = tuple(narrowed(change) for change in changed)
        self.bytes_changed += sum(array.nbytes for change in changed for array in change)
        return given, changed

    def end_sweep(
        self, incoming: Group | None, *changes: tuple[Changes, ...]
    ) -> tuple[NDArray[np.int64], int, int]:
        """Take in the results of the last phase.

        Return the tokens of each topic, and the bytes of groups and of changes sent since the last sweep.
        """
        self._take_in(self.layout.n_shards, incoming, changes)
        sent = self.bytes_given, self.bytes_changed
        self.bytes_given = self.bytes_changed = 0
        return self.n_k, *sent

    def measure_phase(
        self, phase: int, alpha: NDArray[np.float64], beta: float, incoming: Group | None
    ) -> tuple[Group | None, tuple[float, ...]]:
        """Sum log p(word | document) over each block of a phase, without the documents' lengths."""
        self._take_in(phase, incoming)
        shared = self.shared(alpha, beta)

        def measure_block(i: int) -> float:
            group = self._group_of(i, phase)
            with self.workspace() as workspace:
                return self.shards[i].log_predictive(group, self.words.groups[group], shared, workspace)

        return self._each_task(measure_block, range(len(self.shards)), phase)

    def _group_of(self, i: int, phase: int) -> int:
        return (self.first_shard + i + phase) % self.layout.n_shards

    def _each_task(
        self, run: Callable[[Task], Result], todo: Iterable[Task], phase: int
    ) -> tuple[Group | None, tuple[Result, ...]]:
        """Run all tasks of a phase. Return the first shard's group and all results."""
        if not self.shards:
            return None, ()
        done = tuple(map(run, todo) if self._pool is None else self._pool.map(run, todo))
        return self._give(self._group_of(0, phase)), done

    def _take_in(
        self, phase: int, incoming: Group | None, changes: Sequence[tuple[Changes, ...]] = ()
    ) -> None:
        """Take in the results of the phase before ``phase``: a group, and the changes of all workers."""
        if incoming is not None:
            self._take(self._group_of(len(self.shards) - 1, phase), incoming)
        for change in (each for one in changes for each in one):
            self.n_k = self.n_k + change.n_k
            add(self.words.n_wk_shared, change)

    # ------------------------------------------------------------- what was sampled

    def measure_lengths(self, alpha_sum: float) -> tuple[float, ...]:
        """Return what the documents' lengths subtract from :meth:`measure_phase`, for each shard."""
        lengths = (shard.lengths() for shard in self.shards)
        return tuple(float((each * np.log(each + alpha_sum)).sum()) for each in lengths)

    def histograms(self, shared: bool) -> Histograms:
        """Count the counts of this worker; one worker also counts what is ``shared``."""
        entries = [shard.entries() for shard in self.shards]
        nothing = np.zeros(0, np.int32)
        topics = np.concatenate([nothing, *(topics for _, topics, _ in entries)])
        counts = np.concatenate([nothing, *(counts for _, _, counts in entries)])
        lengths = np.concatenate([nothing, *(shard.lengths() for shard in self.shards)])
        return Histograms(
            *count_by_topic(topics, counts),
            count(lengths.astype(np.int32)),
            count(all_counts(self.words, self._group_numbers(), shared)),
            self.n_k if shared else np.zeros_like(self.n_k),
            self.words.row_of.size,
        )

    def _group_numbers(self) -> range:
        """The groups that are here between sweeps."""
        return range(self.first_shard, self.first_shard + len(self.shards))

    def _groups(self) -> list[GroupCounts]:
        return [self.words.groups[number] for number in self._group_numbers()]

    def pairs(self, bounds: NDArray[np.int64]) -> Pairs | tuple[Pairs, ...]:
        """Count the instances here by type and topic, for each range of types."""
        first_key = self.layout.types.type_of * np.int64(self.layout.n_topics)
        counted = [Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64))]
        for first, last in pairwise(self._some_types()):
            keys = []
            for shard in self.shards:
                start = shard.cliques.clique_start[first : last + 1]
                keys.append(np.repeat(first_key[first:last], np.diff(start)))
                keys[-1] += shard.z[start[0] : start[-1]]
            counted.append(count_keys(np.concatenate(keys)))
        pairs = Pairs(*map(np.concatenate, zip(*counted, strict=True)))
        order = np.argsort(pairs.keys)
        pairs = Pairs(pairs.keys[order], pairs.counts[order])
        cuts = np.searchsorted(pairs.keys, bounds[1:-1] * self.layout.n_topics)
        pieces = tuple(map(Pairs, np.split(pairs.keys, cuts), np.split(pairs.counts, cuts)))
        return pieces if len(pieces) > 1 else pieces[0]

    def _some_types(self) -> list[int]:
        """Divide all types into ranges with some cliques each: counting a range takes little memory."""
        ends = np.cumsum(self.layout.sizes)
        n_ranges = -(-int(ends[-1]) // CLIQUES_AT_ONCE) if self.shards and ends.size else 0
        cuts = np.searchsorted(ends, CLIQUES_AT_ONCE * np.arange(1, n_ranges))
        return np.unique([0, *cuts.tolist(), ends.size]).tolist() if n_ranges else []

    def add_sample(self, *pieces: Pairs) -> None:
        """Add the pairs of all workers, in this worker's range of types, to the average."""
        self.average.add_pairs(joined([own(piece) for piece in pieces]))

    def rows(self, first: int, last: int) -> Rows:
        """Return words from ``first`` to ``last`` that belong to groups here, and their counts by topic."""
        layout = self.layout
        return group_rows(self.words, layout.types, layout.n_topics, self._group_numbers(), first, last)

    def table(self, first: int, last: int, *pieces: Rows) -> NDArray[np.int32]:
        """Return counts by topic of words ``first`` to ``last``, given the :meth:`rows` of all workers."""
        return table_of(self.words, self.layout.n_topics, first, last, pieces)

    def n_documents(self) -> int:
        """Return the number of documents here."""
        return sum(first_piece.size - 1 for first_piece in self.first_piece)
