"""How much memory and time a fit will take, from the partition and the number of topics alone.

No sampler is made: the sizes of its arrays follow from a few numbers. To these are added the tables of
results and temporary arrays. How many pairs (document, topic) and (type, topic) there will be cannot be known
beforehand; they are estimated with the constants below, which were measured.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.containers.arrays import ranges
from topminer.errors import InputError
from topminer.jit.lanes import padded
from topminer.memory import size
from topminer.phrases.partition import Partition
from topminer.phrases.pieces import NONE, Rule, pieces_of
from topminer.store import PART_SIZE
from topminer.topics.kernels.block import DENSE, REGISTERS, SPARSE, row_length
from topminer.topics.kernels.topic_lists import LIST_BLOCK
from topminer.topics.sampler.blocks import tasks
from topminer.topics.sampler.chain import N_SAMPLES, SAMPLE_INTERVAL, Schedule
from topminer.topics.sampler.doc_topic_counts import count_dtype
from topminer.topics.sampler.latin_square import N_KINDS, RARE, WORD, Layout, lay_out, type_table

# Nanoseconds to sample a clique on one thread: of one word, of several words, and the additional time per
# topic. Measured on one machine; once sampling runs, the progress bar shows the true speed.
NANOSECONDS = {REGISTERS: (14.0, 20.0, 0.0), DENSE: (14.0, 20.0, 0.1), SPARSE: (65.0, 65.0, 0.02)}
THREADS_EFFICIENCY = 0.85  # speed of several threads, relative to threads that never wait for each other

# Topics of a document, relative to random topics of its cliques: 0.5 to 0.67 was measured with 10 to 400
# topics.
TOPICS_OF_DOCUMENT = 0.6
# Pairs (type, topic) of one sample, relative to the most that are possible, and what every further sample
# adds, because the topics of rare words change: measured with 10 to 400 topics.
PAIRS_OF_SAMPLE, PAIRS_PER_SAMPLE = 0.1, 0.08

# Bytes for each word and topic while the topics of two chains are matched, and for each pair (type, topic)
# while their topical frequencies are compared; and what is kept of each finished chain, if it is in memory.
MATCHING_BYTES, PAIR_BYTES = 60, 140
FINISHED_WORD, FINISHED_PAIR = 4, 24


class Estimate(NamedTuple):
    """Memory and time of a fit."""

    n_bytes: int  # the peak, without the partition, Python itself and compiled code
    seconds: float  # of all sweeps
    n_shards: int  # 1: the exact sampler


def estimate(
    partition: Partition,
    n_topics: int,
    n_sweeps: int,
    *,
    n_shards: int | None = None,
    n_threads: int = 1,
    split: Rule = NONE,
    n_chains: int = 1,
) -> Estimate:
    """Estimate memory and time of ``PhraseLDA(n_topics, n_sweeps=n_sweeps, …).fit(partition)``."""
    plan = plan_of(pieces_of(partition, split).partition, n_topics, n_shards)
    n_at_once = min(n_threads, plan.n_here)
    n_bytes = peak_bytes(plan, n_samples_in(n_sweeps), n_at_once)
    n_bytes += comparison_bytes(plan, n_samples_in(n_sweeps), n_chains)
    seconds = n_chains * sweep_seconds(plan, n_at_once) * n_sweeps
    return Estimate(n_bytes, seconds, plan.layout.n_shards)


def n_samples_in(n_sweeps: int) -> int:
    """Return how many samples of topical frequencies a chain takes."""
    schedule = Schedule(n_sweeps, 0, 0)
    first = max(1, n_sweeps - N_SAMPLES * SAMPLE_INTERVAL)
    return sum(map(schedule.samples, range(first, n_sweeps + 1)))


class Plan(NamedTuple):
    """The numbers from which all others follow: of all documents, or of those of one worker."""

    layout: Layout
    instances: NDArray[np.int64]  # of each type, on all workers
    sizes: NDArray[np.int64]  # cliques of each document here, or of its pieces, without unknown words
    n_cliques: int  # here
    n_here: int  # shards here

    @property
    def n_words(self) -> int:
        """Words of the vocabulary."""
        return self.layout.in_phrases.size

    @property
    def row_bytes(self) -> int:
        """Bytes of one row of counts by topic."""
        return 4 * row_length(self.layout.n_topics)

    @property
    def fraction(self) -> float:
        """The fraction of all shards that is here."""
        return self.n_here / self.layout.n_shards


def plan_of(
    partition: Partition, n_topics: int, n_shards: int | None = None, path: str | None = None
) -> Plan:
    """Return the numbers of a chain in this process."""
    unknown = np.flatnonzero(partition.type_ids < 0)
    longest = int(np.diff(partition.corpus.doc_start).max(initial=0))
    table = type_table(partition)
    layout = lay_out(table, longest, n_topics, n_shards, path=path)
    sizes = np.diff(partition.doc_start - np.searchsorted(unknown, partition.doc_start))
    return Plan(layout, table.instances, sizes, partition.n_cliques, layout.n_shards)


# ------------------------------------------------------------------------------------------- bytes


def sampler_bytes(plan: Plan) -> int:
    """Return the size of all arrays that a sampler has from its first sweep to its last."""
    types, in_phrases, n_here = plan.layout.types, plan.layout.in_phrases, plan.n_here
    of_types = types.type_of.nbytes + types.t_of.nbytes + types.t_start.nbytes + in_phrases.nbytes
    of_types += plan.layout.sizes.nbytes
    # z and d_of of every clique; slot_of also of words that were never seen.
    of_cliques = (2 + 4) * int(plan.sizes.sum()) + 4 * plan.n_cliques + 8 * n_here * (types.type_of.size + 1)
    # Rows by word: every worker has the shared rows, one worker has each other row.
    n_own, rare = int((in_phrases[_types(plan, WORD)] == 0).sum()), _types(plan, RARE)
    of_words = 4 * plan.n_words + plan.row_bytes * (int(in_phrases.sum()) + int(plan.fraction * n_own))
    of_rare = 2 * int(plan.fraction * int(plan.instances[rare].sum()))
    of_rare += 8 * (rare.size + plan.layout.n_shards)
    return of_types + of_cliques + doc_topic_bytes(plan) + of_words + of_rare


def doc_topic_bytes(plan: Plan) -> int:
    """Return the size of counts by document and topic: rows or lists."""
    n_topics, n_docs, as_lists = plan.layout.n_topics, plan.sizes.size, plan.layout.path == SPARSE
    of_number = np.dtype(count_dtype(plan.layout.longest, as_lists)).itemsize
    if not as_lists:
        return int(n_docs * row_length(n_topics) * of_number)
    on_lists = int(padded(np.minimum(plan.sizes, n_topics)).sum())
    numbers = 2 * on_lists + 4 * LIST_BLOCK * plan.n_here
    return of_number * numbers + 8 * (n_docs + plan.n_here) + 4 * n_docs


def copies_bytes(plan: Plan) -> int:
    """Return the size of one block's copies of shared rows: 0 if there is one shard."""
    return int(plan.layout.in_phrases.sum()) * (plan.row_bytes + 8) if plan.layout.n_shards > 1 else 0


def entries_expected(plan: Plan) -> float:
    """Return the expected number of pairs (document, topic) if every clique had a random topic."""
    k = plan.layout.n_topics
    return float((k * -np.expm1(plan.sizes * np.log1p(-1 / k))).sum()) if k > 1 else float(plan.sizes.size)


def pairs_expected(plan: Plan, n_samples: int) -> float:
    """Return the expected number of pairs (type, topic) in all samples, as far as they are kept here."""
    most = plan.fraction * int(np.minimum(plan.instances, plan.layout.n_topics).sum())
    return (PAIRS_OF_SAMPLE + PAIRS_PER_SAMPLE * n_samples) * most


def peak_bytes(plan: Plan, n_samples: int, n_at_once: int) -> int:
    """Return the size of the sampler and of what is added to it while sampling or at the end of a fit."""
    entries, pairs = TOPICS_OF_DOCUMENT * entries_expected(plan), pairs_expected(plan, n_samples)
    blocks_at_once = sum(map(len, tasks(plan.n_here, n_at_once, plan.layout.path)[:n_at_once]))
    copies, alone = blocks_at_once * copies_bytes(plan), plan.fraction == 1
    in_table = plan.n_words * plan.layout.n_topics
    table = 4 * (in_table if alone else min(in_table, PART_SIZE))  # several workers write parts of the table
    left = 0 if alone else copies  # a chain in this process frees its copies after the last sweep
    # Bytes of temporary arrays for each clique, (document, topic) and (type, topic): in ShardWorker.pairs,
    # in StoringWorker.hold_topics and in TopicalFrequency.relabelled.
    temporary = 20 * plan.n_cliques + 20 * entries + 56 * pairs
    added = max(copies + temporary, left + table + max(table, temporary))  # the table exists twice
    return sampler_bytes(plan) + int(24 * pairs + added)


def comparison_bytes(plan: Plan, n_samples: int, n_chains: int) -> int:
    """Return what comparing several chains takes in the process that does it; 0 for one chain.

    It has a table of words by topics and the topical frequencies of each chain, and matches two at a time.
    """
    if n_chains == 1:
        return 0
    of_words, of_pairs = MATCHING_BYTES + n_chains * FINISHED_WORD, PAIR_BYTES + n_chains * FINISHED_PAIR
    table = plan.n_words * plan.layout.n_topics
    return of_words * table + int(of_pairs * pairs_expected(plan, n_samples))


def _types(plan: Plan, kind: int) -> NDArray[np.int32]:
    """Return all phrase types of one kind (see latin_square.py)."""
    types, start = plan.layout.types, plan.layout.types.t_start
    return types.type_of[ranges(start[kind:-1:N_KINDS], start[kind + 1 :: N_KINDS])]


# ----------------------------------------------------------------------------------------- seconds


def sweep_seconds(plan: Plan, n_at_once: int) -> float:
    """Return the expected time of one sweep over all documents."""
    word, phrase, topic = NANOSECONDS[plan.layout.path]
    n_known = int(plan.instances.sum())
    n_alone = int(plan.instances[: plan.n_words].sum())
    work = n_alone * word + (n_known - n_alone) * phrase + n_known * topic * plan.layout.n_topics
    return 1e-9 * work / (n_at_once * THREADS_EFFICIENCY if n_at_once > 1 else 1)


# ---------------------------------------------------------------------------------- free memory


def check_memory(n_bytes: int, available: int | None, node: str = "") -> None:
    """Refuse a fit that needs more memory than is ``available``, here or on a node; None: not known."""
    if available is not None and n_bytes > available:
        where, advice = (f" on {node}", ", or more nodes") if node else ("", "")
        raise InputError(
            f"sampling needs about {size(n_bytes)}{where}, {size(available)} are free: "
            f"fewer topics, or fewer documents{advice}"
        )
