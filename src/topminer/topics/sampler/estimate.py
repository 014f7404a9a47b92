"""How much memory and time a fit will take, from the partition and the number of topics alone.

No sampler is made: what it would allocate follows from a few numbers. On top of it come what threads copy,
and what is made along the way and thrown away again. The peak is the worst of a few moments::

    start: counting          sweep: copies, changes        histograms: documents' topics, all rows
    sample: topics of all cliques, pairs (type, topic)     end: tables by word, by document, by pair

How many pairs (document, topic) and (type, topic) there will be nobody knows beforehand: the constants below
are what was seen.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.jit.lanes import padded
from topminer.memory import size
from topminer.phrases.partition import Partition
from topminer.store import PART_SIZE
from topminer.text.ranges import ranges
from topminer.topics.kernels.sparse import BLOCK
from topminer.topics.sampler.chain import N_SAMPLES, SAMPLE_INTERVAL, Schedule
from topminer.topics.sampler.doc_topic_counts import nothing_held
from topminer.topics.sampler.latin_square import (
    DENSE,
    FEW,
    N_KINDS,
    PACKED,
    RARE,
    WORD,
    Cliques,
    row_length,
    type_table,
)
from topminer.topics.sampler.layout import Layout, lay_out

# Nanoseconds to sample a clique on one thread: of one word, of several, and more of either for each topic.
# Measured on one kind of machine; once sampling runs, the progress bar knows better.
NANOSECONDS = {FEW: (22.0, 35.0, 0.0), DENSE: (45.0, 45.0, 0.1), PACKED: (110.0, 110.0, 0.02)}
THREADS_SHARE = 0.85  # of what several threads could do, if they never waited for each other

# A document has this share of the topics that it would have if its cliques drew theirs blindly: half to
# two thirds were seen, with 10 to 400 topics.
SETTLED = 0.6
# All types together have this share of the topics that they could have in one sample, and in every sample
# as many again as the second number says: rare words wander. Seen with 10 to 400 topics.
SHARE_OF_PAIRS, SHARE_PER_SAMPLE = 0.1, 0.08


class Estimate(NamedTuple):
    """What a fit will take."""

    n_bytes: int  # at its peak, above the partition; not what Python itself and compiled code take
    seconds: float  # of all sweeps


def estimate(
    partition: Partition,
    n_topics: int,
    n_sweeps: int,
    *,
    n_shards: int | None = None,
    n_threads: int = 1,
) -> Estimate:
    """Memory and time of ``PhraseLDA(n_topics, n_sweeps=n_sweeps, …).fit(partition)``."""
    plan = plan_of(partition, n_topics, n_shards)
    n_at_once = min(n_threads, plan.n_here)
    n_bytes = peak_bytes(plan, n_samples_in(n_sweeps), n_at_once)
    return Estimate(n_bytes, sweep_seconds(plan, n_at_once) * n_sweeps)


def n_samples_in(n_sweeps: int) -> int:
    """How often topical frequencies are taken."""
    schedule = Schedule(n_sweeps, 0, 0)
    first = max(1, n_sweeps - N_SAMPLES * SAMPLE_INTERVAL)
    return sum(map(schedule.samples, range(first, n_sweeps + 1)))


class Plan(NamedTuple):
    """The numbers from which all others follow: of all documents, or of one worker's."""

    layout: Layout
    instances: NDArray[np.int64]  # of each type, wherever they are
    sizes: NDArray[np.int64]  # cliques of each document here, without words never seen
    n_cliques: int  # here
    n_here: int  # shards

    @property
    def n_words(self) -> int:
        """Words of the vocabulary."""
        return self.layout.in_phrases.size

    @property
    def row_bytes(self) -> int:
        """Bytes of one row of counts by topic."""
        return 4 * row_length(self.layout.n_topics)

    @property
    def share(self) -> float:
        """How much of what is divided among workers is here."""
        return self.n_here / self.layout.n_shards


def plan_of(
    partition: Partition, n_topics: int, n_shards: int | None = None, path: str | None = None
) -> Plan:
    """What a sampler with these arguments would start from."""
    before = np.concatenate(([0], np.cumsum(partition.type_ids >= 0)))
    longest = int(np.diff(partition.corpus.doc_start).max(initial=0))
    layout = lay_out(type_table(partition), longest, n_topics, n_shards, path=path)
    sizes = np.diff(before[partition.doc_start])
    return Plan(layout, partition.instances(), sizes, partition.n_cliques, layout.n_shards)


# ------------------------------------------------------------------------------------------- bytes


def sampler_bytes(plan: Plan) -> int:
    """All arrays of a sampler, from its first sweep to its last."""
    types, in_phrases, n_here = plan.layout.types, plan.layout.in_phrases, plan.n_here
    of_types = types.at.nbytes + types.place_of.nbytes + types.start.nbytes + in_phrases.nbytes
    of_types += plan.layout.sizes.nbytes
    # Of every clique a topic and a document; place_in also of words never seen.
    of_cliques = (2 + 4) * int(plan.sizes.sum()) + 8 * plan.n_cliques + 8 * n_here * (types.at.size + 1)
    of_words = 4 * plan.n_words + rows_bytes(plan)
    of_bags = 2 * int(_in_bags(plan)) + 8 * (_words(plan, RARE).size + plan.layout.n_shards)
    return of_types + of_cliques + held_bytes(plan) + of_words + of_bags


def rows_bytes(plan: Plan) -> int:
    """Counts of words by topic: of those in phrases everywhere, of others in one place each."""
    in_phrases = plan.layout.in_phrases
    n_own = int((in_phrases[_words(plan, WORD)] == 0).sum())
    return plan.row_bytes * (int(in_phrases.sum()) + int(plan.share * n_own))


def held_bytes(plan: Plan) -> int:
    """Counts by document and topic: rows, or packed lists."""
    n_topics, longest, packed = plan.layout.n_topics, plan.layout.longest, plan.layout.path == PACKED
    n_docs, n = plan.sizes.size, row_length(n_topics)
    nobody = Cliques(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64))
    of_number = nothing_held(nobody, 0, n_topics, n, longest, packed).counts.itemsize
    if not packed:
        return int(n_docs * n * of_number)
    on_lists = int(padded(np.minimum(plan.sizes, n_topics)).sum())
    numbers = 2 * on_lists + 4 * BLOCK * plan.n_here
    return of_number * numbers + 8 * (n_docs + plan.n_here) + 4 * n_docs


def copies_bytes(plan: Plan) -> int:
    """What one thread copies of the rows that words of phrases share: nothing, where there is one shard.

    There is room for all rows, but memory is only taken by as many as the largest group of types needs.
    """
    types, in_phrases, most = plan.layout.types, plan.layout.in_phrases, 0
    if plan.layout.n_shards == 1:
        return 0
    for number in range(plan.layout.n_shards):
        at = types.at[types.start[number * N_KINDS] : types.start[(number + 1) * N_KINDS]]
        needed = np.zeros(plan.n_words, bool)
        needed[types.words[ranges(types.word_start[at], types.word_start[at + 1])]] = True
        most = max(most, int((needed & (in_phrases != 0)).sum()))
    return most * plan.row_bytes + 8 * int(in_phrases.sum())


def entries_expected(plan: Plan) -> float:
    """How many pairs of a document and a topic there would be, if every clique drew its topic blindly."""
    k = plan.layout.n_topics
    return float((k * -np.expm1(plan.sizes * np.log1p(-1 / k))).sum()) if k > 1 else float(plan.sizes.size)


def pairs_expected(plan: Plan, n_samples: int) -> float:
    """How many pairs of a type and a topic all samples have together, as far as they are kept here.

    Each clique may bring a new one in every sample, but most of a type's instances agree.
    """
    most = plan.share * int(np.minimum(plan.instances, plan.layout.n_topics).sum())
    return (SHARE_OF_PAIRS + SHARE_PER_SAMPLE * n_samples) * most


def peak_bytes(plan: Plan, n_samples: int, n_at_once: int) -> int:
    """The sampler, and what the worst moment adds to it.

    The factors are bytes: those of all arrays in the functions named that live side by side.
    """
    n_shards, n_here, cliques = plan.layout.n_shards, max(plan.n_here, 1), plan.n_cliques
    blind, pairs = entries_expected(plan), pairs_expected(plan, n_samples)
    entries = SETTLED * blind
    copies = n_at_once * copies_bytes(plan)
    left = copies if n_at_once == 1 else 0  # other threads end with the last sweep, and their copies too
    rows, in_table, average = rows_bytes(plan), plan.n_words * plan.layout.n_topics, 24 * pairs
    table = 4 * (in_table if plan.share == 1 else min(in_table, PART_SIZE))  # several workers write its parts

    moments = (
        # Holding.count_tokens: one shard's documents after the other's.
        44 * blind / n_here,
        # Holding.sample: cells of shared rows, and by how much they changed. A token that moves changes two.
        copies + (12 * 2 * _shared_tokens(plan) / n_shards if n_shards > 1 else 0),
        # Holding.histograms, with counts.row_counts.
        copies + average + 20 * entries + rows + 32 * _in_bags(plan) / n_here,
        # Holding.pairs: frequency.count; then Average._merge.
        copies + 17 * cliques + average + 16 * pairs,
        copies + 2 * average + 24 * pairs,
        # PhraseLDA._keep: word_topic twice, doc_topic, clique_topics, Average.result with relabelled.
        left + average + table + max(rows, table),
        left + average + table + 56 * entries,
        left + average + table + 20 * entries + 17 * cliques,
        left + average + table + 20 * entries + 8 * cliques + 56 * pairs,
    )
    return sampler_bytes(plan) + int(max(moments))


def _words(plan: Plan, kind: int) -> NDArray[np.int32]:
    """All types of one of square.py's kinds."""
    types, start = plan.layout.types, plan.layout.types.start
    return types.at[ranges(start[kind:-1:N_KINDS], start[kind + 1 :: N_KINDS])]


def _in_bags(plan: Plan) -> float:
    """Tokens of rare words whose topics are kept here, one by one."""
    return plan.share * int(plan.instances[_words(plan, RARE)].sum())


def _shared_tokens(plan: Plan) -> int:
    """Tokens of words that stand in phrases, wherever they are."""
    alone = plan.layout.in_phrases == 0
    return plan.layout.n_tokens - int(plan.instances[: plan.n_words][alone].sum())


# ----------------------------------------------------------------------------------------- seconds


def sweep_seconds(plan: Plan, n_at_once: int) -> float:
    """Of one sweep, over all documents there are."""
    word, phrase, topic = NANOSECONDS[plan.layout.path]
    n_known = int(plan.instances.sum())
    n_alone = int(plan.instances[: plan.n_words].sum())
    work = n_alone * word + (n_known - n_alone) * phrase + n_known * topic * plan.layout.n_topics
    return 1e-9 * work / (n_at_once * THREADS_SHARE if n_at_once > 1 else 1)


# ---------------------------------------------------------------------------------- what there is


def check_memory(n_bytes: int, available: int | None, node: str = "") -> None:
    """Stop, if a fit needs more than is ``available``, here or on a node; None: nobody knows."""
    if available is not None and n_bytes > available:
        where, help = (
            (f" on {node}", "fewer documents, or more nodes") if node else ("", "or fewer documents")
        )
        raise InputError(
            f"sampling needs about {size(n_bytes)}{where}, {size(available)} are free: fewer topics, {help}"
        )
