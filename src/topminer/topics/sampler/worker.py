"""What one process holds of a chain: some neighbouring shards, and its copy of what all shards share.

A process with shards 2 and 3 of 6 starts a sweep with groups 2 and 3 of phrase types. After each phase its
first group goes to the process before it, and the next one's first group comes in::

    phase 0   2 3      Rows and bags of a group travel. Rows that all share do not: every process has
    phase 1   3 4      them, and is told after each phase where the blocks of all others have changed them.
    phase 2   4 5
    ...

After as many phases as there are groups each is home again. A process alone just turns its groups round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.topics.model import histograms
from topminer.topics.model.histograms import Histograms
from topminer.topics.results.frequency import Average, Pairs, count, joined
from topminer.topics.sampler.doc_topic_counts import Held, same_lists
from topminer.topics.sampler.exchange import add, lanes, own, packed
from topminer.topics.sampler.latin_square import PACKED, arrange_cliques
from topminer.topics.sampler.layout import Layout
from topminer.topics.sampler.shard import Changes, Shard, Shared
from topminer.topics.sampler.word_topic_counts import (
    add_block,
    no_counts,
    row_counts,
    rows_of,
    table_of,
    with_room,
)

Rows = tuple[NDArray[np.int64], NDArray[np.int32]]  # words, and their counts by topic
Group = tuple[NDArray[np.int32], NDArray[np.uint16]]  # rows and bags, on their way
Documents = tuple[NDArray[np.int32], NDArray[np.int64]]  # a shard's: types of cliques, and where each starts


class Holding:
    """Shards from number ``first_shard`` on, given by their documents, of which the first is ``first_doc``.

    Attributes
    ----------
    shards : list of Shard
    words : WordCounts
        Of the groups that are here now; the others are empty.
    tokens : int64 array (topics,)
        Of each topic, in all shards.
    average : Average
        Topical frequency of one range of the phrase types, over the samples taken so far.
    """

    def __init__(
        self,
        layout: Layout,
        first_shard: int,
        first_doc: int,
        n_threads: int,
        *documents: Documents,
    ) -> None:
        self.layout = layout = own(layout)
        self._pool = ThreadPoolExecutor(n_threads, "topminer") if n_threads > 1 < len(documents) else None
        self.first_shard, self.first_doc = first_shard, first_doc
        self.shards = []
        for type_ids, doc_start in documents:
            cliques = arrange_cliques(layout.types, own(type_ids), own(doc_start))
            self.shards.append(
                Shard(layout.types, cliques, doc_start.size - 1, layout.n_topics, layout.longest, layout.path)
            )
            self.shards[-1].scatter(layout.key(0, 0, first_shard + len(self.shards) - 1))
        self.average = Average(layout.n_topics)
        self.given = self.changed = 0  # bytes of groups, and of changes in what all share, that left
        self.forget()

    def close(self) -> None:
        """Let the threads go."""
        if self._pool is not None:
            self._pool.shutdown()

    # ---------------------------------------------------------------- counting

    def forget(self) -> None:
        """Forget all counts by word, to count anew."""
        layout = self.layout
        self.words = no_counts(layout.types, layout.in_phrases, layout.sizes, layout.n_topics)
        self.tokens = np.zeros(layout.n_topics, np.int64)

    def count(self, number: int, counted: tuple[Any, ...] | None) -> tuple[Any, ...]:
        """Add the tokens here to a group's rows and bags, as those who hold earlier shards have left them."""
        layout, group = self.layout, with_room(self.words.groups[number], self.layout.n_topics)
        filled = group.bag_start[:-1].copy()
        if counted is not None:
            group, filled = group._replace(own=lanes(counted[0]), bags=own(counted[1])), own(counted[2])
        self.words.groups[number] = group
        for shard in self.shards:
            start = shard.cliques.place_start
            add_block(self.words, number, filled, layout.types, start, shard.topics, layout.n_topics)
        return (*self._give(number), filled)

    def count_shared(self, rows: NDArray[np.int32] | None) -> NDArray[np.int32]:
        """Add rows that all share, as counted by others, to those counted here."""
        if rows is not None:
            self.words.shared[:] += rows
        return self.words.shared

    def count_tokens(self) -> NDArray[np.int64]:
        """Tokens of each topic, here."""
        total = np.zeros(self.layout.n_topics, np.int64)
        for shard in self.shards:
            _, topics, counts = shard.entries()
            total += np.bincount(topics, counts, total.size).astype(np.int64)
        return total

    def come_home(self, number: int, counted: tuple[Any, ...]) -> None:
        """Keep a group that all have counted."""
        self._take(number, counted[:2])

    def begin(self, shared: NDArray[np.int32], tokens: NDArray[np.int64]) -> None:
        """Take over what all have counted together."""
        self.words = self.words._replace(shared=lanes(shared))
        self.tokens = own(tokens)
        self.given = 0

    def _give(self, number: int) -> Group:
        """Rows and bags of a group, which is gone from here."""
        group = self.words.groups[number]
        self.words.groups[number] = group._replace(own=group.own[:0], bags=group.bags[:0])
        self.given += group.own.nbytes + group.bags.nbytes
        return group.own, group.bags

    def _take(self, number: int, group: Sequence[Any]) -> None:
        here = self.words.groups[number]
        self.words.groups[number] = here._replace(own=lanes(group[0]), bags=own(group[1]))

    # ---------------------------------------------------------------- sampling

    def shared(self, alpha: NDArray[np.float64], beta: float) -> Shared:
        """What every block of a phase reads."""
        words = self.words
        return Shared(words.row_of, words.shared, self.tokens, alpha, beta, self.layout.n_shards == 1)

    def sweep(
        self, sweep: int, alpha: NDArray[np.float64], beta: float
    ) -> tuple[NDArray[np.int64], int, int]:
        """All phases, if all shards are here."""
        group, changes = None, list[tuple[Changes, ...]]()
        for phase in range(self.layout.n_shards):
            group, changed = self.sample(sweep, phase, alpha, beta, group, *changes)
            changes = [changed]
        return self.settle(group, *changes)

    def sample(
        self,
        sweep: int,
        phase: int,
        alpha: NDArray[np.float64],
        beta: float,
        incoming: Group | None,
        *changes: tuple[Changes, ...],
    ) -> tuple[Group | None, tuple[Changes, ...]]:
        """Sample the blocks of a phase, and give a group away."""
        self._take_in(phase, incoming, changes)
        shared = self.shared(alpha, beta)

        def block(i: int) -> Changes:
            shard, group = self.first_shard + i, self._group_of(i, phase)
            key = self.layout.key(sweep, phase, shard)
            return self.shards[i].sample(group, self.words.groups[group], shared, key)

        given, changed = self._each(block, phase)
        if len(self.shards) < self.layout.n_shards:  # others are to be told
            changed = tuple(packed(change) for change in changed)
        self.changed += sum(array.nbytes for change in changed for array in change)
        return given, changed

    def measure(
        self, phase: int, alpha: NDArray[np.float64], beta: float, incoming: Group | None
    ) -> tuple[Group | None, tuple[float, ...]]:
        """Sums of log p(word | document) over the blocks of a phase, but for the documents' lengths."""
        self._take_in(phase, incoming)
        shared = self.shared(alpha, beta)

        def block(i: int) -> float:
            group = self._group_of(i, phase)
            return self.shards[i].log_predictive(group, self.words.groups[group], shared)

        return self._each(block, phase)

    def _group_of(self, i: int, phase: int) -> int:
        return (self.first_shard + i + phase) % self.layout.n_shards

    def _each(self, block: Any, phase: int) -> tuple[Group | None, tuple[Any, ...]]:
        """Every shard's block; the first one's group leaves."""
        if not self.shards:
            return None, ()
        numbers = range(len(self.shards))
        done = tuple(map(block, numbers) if self._pool is None else self._pool.map(block, numbers))
        return self._give(self._group_of(0, phase)), done

    def _take_in(
        self, phase: int, incoming: Group | None, changes: Sequence[tuple[Changes, ...]] = ()
    ) -> None:
        """Take in what came of the phase before ``phase``: a group, and everybody's changes."""
        if incoming is not None:
            self._take(self._group_of(len(self.shards) - 1, phase), incoming)
        for change in (each for one in changes for each in one):
            self.tokens = self.tokens + change.tokens
            add(self.words.shared, change)

    def settle(
        self, incoming: Group | None, *changes: tuple[Changes, ...]
    ) -> tuple[NDArray[np.int64], int, int]:
        """Take in what came of a sweep's last phase.

        Gives the tokens of each topic, and the bytes of groups and of changes that left since the last time.
        """
        self._take_in(self.layout.n_shards, incoming, changes)
        left = self.given, self.changed
        self.given = self.changed = 0
        return self.tokens, *left

    # ----------------------------------------------------------------- looking

    def measure_lengths(self, alpha_sum: float) -> tuple[float, ...]:
        """What the documents' lengths add to :meth:`measure`, of each shard."""
        return tuple(
            float((lengths * np.log(lengths + alpha_sum)).sum()) for lengths in self._document_lengths()
        )

    def _document_lengths(self) -> Iterator[NDArray[Any]]:
        for shard in self.shards:
            docs, _, counts = shard.entries()
            yield np.bincount(docs, counts, shard.n_docs)

    def histograms(self, shared: bool) -> Histograms:
        """What priors and likelihood need of what is here; one process counts what is shared."""
        entries = [shard.entries() for shard in self.shards]
        nothing = np.zeros(0, np.int32)
        topics = np.concatenate([nothing, *(topics for _, topics, _ in entries)])
        counts = np.concatenate([nothing, *(counts for _, _, counts in entries)])
        lengths = np.concatenate([nothing, *self._document_lengths()])
        return Histograms(
            *histograms.count_by_topic(topics, counts),
            histograms.count(lengths.astype(np.int32)),
            histograms.count(row_counts(self.words, self._groups(), shared)),
            self.tokens if shared else np.zeros_like(self.tokens),
            self.words.row_of.size,
        )

    def _groups(self) -> range:
        """The groups that are here between sweeps."""
        return range(self.first_shard, self.first_shard + len(self.shards))

    def pairs(self, bounds: NDArray[np.int64]) -> Pairs | tuple[Pairs, ...]:
        """How many of the instances here have each type and topic, for each range of types."""
        types, n_topics = self.layout.types, self.layout.n_topics
        sizes = [np.diff(shard.cliques.place_start) for shard in self.shards]
        type_ids = np.concatenate([types.at[:0], *(np.repeat(types.at, size) for size in sizes)])
        topics = np.concatenate([np.zeros(0, np.uint16), *(shard.topics for shard in self.shards)])
        kinds, topic, counts = count(type_ids, topics, n_topics)
        keys = kinds * np.int64(n_topics) + topic
        cuts = np.searchsorted(keys, bounds[1:-1] * n_topics)
        pieces = tuple(map(Pairs, np.split(keys, cuts), np.split(counts, cuts)))
        return pieces if len(pieces) > 1 else pieces[0]

    def add_sample(self, *pieces: Pairs) -> None:
        """Take everybody's pairs of a type, in this process's range, and a topic into the average."""
        self.average.add_pairs(joined([own(piece) for piece in pieces]))

    def rows(self, first: int, last: int) -> Rows:
        """Words from ``first`` to ``last`` that belong to groups that are here, and their counts by topic."""
        return rows_of(self.words, self.layout.types, self.layout.n_topics, self._groups(), first, last)

    def table(self, first: int, last: int, *pieces: Rows) -> NDArray[np.int32]:
        """Counts by topic of the words from ``first`` to ``last``, given everybody's :meth:`rows`."""
        return table_of(self.words, self.layout.n_topics, first, last, pieces)

    def doc_topic(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """Documents, topics and tokens, where there are any, by document and topic."""
        none, first = np.zeros(0, np.int32), self.first_doc
        parts: list[tuple[NDArray[Any], ...]] = [(np.zeros(0, np.int64), none, none)]
        for shard in self.shards:
            docs, topics, counts = shard.entries()
            parts.append((docs.astype(np.int64) + first, topics, counts))
            first += shard.n_docs
        doc, topic, count = map(np.concatenate, zip(*parts, strict=True))
        order = np.lexsort((topic, doc))
        return doc[order], topic[order], count[order]

    def clique_topics(self) -> NDArray[np.int32]:
        """The topic of each clique in the partition's order; -1 for a word never seen."""
        pieces = [np.zeros(0, np.int32)]
        for shard in self.shards:
            place_in = shard.cliques.place_in
            topics = np.full(place_in.size, -1, np.int32)
            topics[place_in >= 0] = shard.topics[place_in[place_in >= 0]]
            pieces.append(topics)
        return np.concatenate(pieces)

    # ----------------------------------------------------------------- storing

    def state(self) -> dict[str, NDArray[Any]]:
        """What sampling goes on from, here, beside priors, sweeps and the average.

        Counts follow from the topics; but a draw also depends on where in its list a topic stands.
        """
        return {name: np.concatenate(arrays) for name, arrays in self._state().items()}

    def state_sizes(self) -> dict[str, int]:
        """How much of each there is."""
        return {name: sum(array.size for array in arrays) for name, arrays in self._state().items()}

    def average_state(self) -> dict[str, NDArray[np.int64]]:
        """What the average goes on from, here."""
        return self.average.state()

    def topics_restored(self, topics: NDArray[np.uint16]) -> None:
        """Give every clique the topic it had; counts by word are to be made anew."""
        _fill(self._state()["topics"], np.asarray(topics))
        for shard in self.shards:
            shard.recount()

    def order_restored(
        self,
        held: NDArray[Any],
        held_size: NDArray[np.int32],
        bags: NDArray[np.uint16],
        average: dict[str, NDArray[np.int64]],
        n_samples: int,
    ) -> None:
        """Put lists and bags into the order they had, and go on with the average.

        They must hold what was counted from the topics: kernels follow the lists without looking.
        """
        own_state = self._state()
        lists = [np.asarray(held), np.asarray(held_size)]
        self._check_lists(*lists)
        self._check_bags(np.asarray(bags))
        for name, values in (("held", lists[0]), ("held_size", lists[1]), ("bags", np.asarray(bags))):
            _fill(own_state[name], values)
        restored = {name: own(np.asarray(array)) for name, array in average.items()}
        self._check_average(restored, n_samples)
        self.average.restore(restored, n_samples)

    def _check_average(self, average: dict[str, NDArray[np.int64]], n_samples: int) -> None:
        """Compare sums of topical frequencies with the instances of phrase types."""
        keys, sums, squares = average.values()
        if not keys.size:
            return
        types = keys // self.layout.n_topics
        instances = np.zeros(self.layout.types.place_of.size, np.int64)
        instances[self.layout.types.at] = self.layout.sizes
        wanted = n_samples * instances
        starts = np.flatnonzero(np.append(True, types[1:] != types[:-1]))
        if (
            np.any(sums > wanted[types])  # else their total may wrap around
            or not np.array_equal(np.add.reduceat(sums, starts), wanted[types[starts]])
            or np.any(n_samples * squares - sums * sums < 0)  # right although a product may wrap around
        ):
            raise InputError("damaged: topical frequencies do not add up to the instances of phrases")

    def _check_lists(self, slots: NDArray[Any], sizes: NDArray[np.int32]) -> None:
        """Compare lists of topics that were stored with those that were counted."""
        slot, document = 0, 0
        for held, n_docs in ((shard.held, shard.n_docs) for shard in self.shards if shard.held.size.size):
            stored = Held(
                slots[slot : slot + held.counts.size], held.start, sizes[document : document + n_docs]
            )
            slot, document = slot + held.counts.size, document + n_docs
            if not same_lists(stored, held, n_docs):
                raise InputError(
                    "damaged: the lists of topics in documents do not match the topics of phrases"
                )

    def _check_bags(self, bags: NDArray[np.uint16]) -> None:
        """Compare the topics of rare words that were stored with those that were counted."""
        first = 0
        for group in (self.words.groups[number] for number in self._groups()):
            word = np.repeat(np.arange(group.bag_start.size - 1), np.diff(group.bag_start))
            stored, counted = (
                np.sort(word * self.layout.n_topics + topics.astype(np.int64))
                for topics in (bags[first : first + group.bags.size], group.bags)
            )
            first += group.bags.size
            if not np.array_equal(stored, counted):
                raise InputError("damaged: the topics of rare words do not match the topics of phrases")

    def _state(self) -> dict[str, list[NDArray[Any]]]:
        packed = [shard.held for shard in self.shards if shard.held.size.size]
        width = np.int32 if self.layout.path == PACKED and self.layout.longest >= 2**16 else np.uint16
        return {
            "topics": [np.zeros(0, np.uint16), *(shard.topics for shard in self.shards)],
            "held": [np.zeros(0, width), *(held.counts for held in packed)],
            "held_size": [np.zeros(0, np.int32), *(held.size for held in packed)],
            "bags": [
                np.zeros(0, np.uint16),
                *(self.words.groups[number].bags for number in self._groups()),
            ],
        }


def _fill(arrays: list[NDArray[Any]], values: NDArray[Any]) -> None:
    """Let some arrays have the values of one that they were joined to."""
    start = 0
    for array in arrays:
        array[:] = values[start : start + array.size]
        start += array.size
