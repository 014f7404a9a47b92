"""Chains over small corpora: documents as the oracles have them, and the kernels one clique at a time."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles import topics as oracle
from oracles.topics import Document, Topics

from topminer import Corpus, Partition
from topminer.store import MemoryWriter
from topminer.topics.sampler.latin_square import N_KINDS
from topminer.topics.sampler.sampler import Sampler
from topminer.topics.sampler.shard import Shard

FAST = ("registers", "dense", "sparse")
PATHS = (*FAST, "plain")
DRAWS = 2**23  # how many different numbers the kernels' `uniform` can give


def paths_and_topics(*n_topics: int) -> list[tuple[str, int]]:
    """Every path with every number of topics that it can have."""
    return [(path, n) for path in PATHS for n in n_topics if path != "registers" or n <= 16]


@cache
def _vocabulary(n_words: int) -> Corpus:
    """A corpus of which only the vocabulary is used."""
    return Corpus.from_texts([[f"w{i}" for i in range(n_words)]], language=None, stop_words=[])


def partition_of(documents: Sequence[Document], n_words: int) -> Partition:
    """Documents of the oracles' kind as a partition: any run of words is a clique, -1 a word never seen."""
    words = [word for document in documents for clique in document for word in clique]
    lengths = [len(clique) for document in documents for clique in document]
    clique_start = np.cumsum([0, *lengths])
    doc_start = np.cumsum([0, *map(len, documents)])
    token_start = clique_start[doc_start]
    nothing = np.zeros(len(words), np.int32)
    corpus = replace(
        _vocabulary(n_words),
        stem_ids=np.array(words, np.int32),
        surface_ids=nothing,
        gap_ids=nothing,
        starts=nothing,
        doc_start=token_start,
        chunk_start=np.unique(token_start),
        ids=pl.Series(map(str, range(len(documents))), dtype=pl.String),
        texts=None,
    )
    return Partition(corpus, clique_start, doc_start)


@st.composite
def documents_and_words(draw: st.DrawFn) -> tuple[list[Document], int]:
    """Up to six documents, some of them empty: words alone, often alike; phrases, some of them long."""
    n_words = draw(st.integers(1, 6))
    word = st.integers(0, n_words - 1)
    phrases = draw(st.lists(st.lists(word, min_size=2, max_size=7).map(tuple), max_size=3))
    clique = st.tuples(word) | st.sampled_from(phrases) if phrases else st.tuples(word)
    return draw(st.lists(st.lists(clique, max_size=8), max_size=6)), n_words


def random_documents(seed: int, n_docs: int, n_words: int, n_cliques: int = 8) -> list[Document]:
    """About ``n_cliques`` cliques a document; the last half of the words, some frequent, is in no phrase.

    Some phrases have a word twice, some are long.
    """
    rng = np.random.default_rng(seed)
    phrases = [tuple(rng.integers(0, n_words // 2, n).tolist()) for n in (2, 2, 3, 4, 5, 7)]
    phrases += [(0, 0), (1, 0, 1), (0, 1, 0, 0, 1, 2)]
    documents = []
    for size in rng.poisson(n_cliques, n_docs).tolist():
        words = (n_words * (1 - rng.random(size) ** 3)).astype(int).tolist()
        kinds = rng.integers(0, 2 * len(phrases), size).tolist()
        cliques = zip(words, kinds, strict=True)
        documents.append([phrases[kind] if kind < len(phrases) else (word,) for word, kind in cliques])
    return documents


def clique_topics(sampler: Sampler) -> NDArray[np.int32]:
    """The topic of each clique in the partition's order; -1 for a word that was never seen."""
    return np.concatenate(sampler.workers.run("clique_topics"))


def doc_topic(sampler: Sampler) -> tuple[NDArray[Any], ...]:
    """Documents, topics and tokens where there are tokens, by document and topic."""
    parts = zip(*sampler.workers.run("doc_topics"), strict=True)
    return tuple(np.concatenate(part) for part in parts)


def state_of(sampler: Sampler) -> dict[str, NDArray[Any]]:
    """What a sampler saves."""
    writer = MemoryWriter()
    sampler.save(writer)
    return dict(writer.stored.arrays)


def set_topics(sampler: Sampler, partition: Partition, topics: Sequence[int] | NDArray[Any]) -> None:
    """Put a chain into a state: the topic of each clique in the partition's order."""
    row, first = np.asarray(topics, np.uint16), 0
    for shard in sampler.here.shards:
        slot_of = shard.cliques.slot_of
        shard.z[slot_of[slot_of >= 0]] = row[first : first + slot_of.size][slot_of >= 0]
        shard.recount()
        first += slot_of.size
    sampler.recount()


def assert_counts_follow(sampler: Sampler, documents: Sequence[Document], n_words: int) -> None:
    """All counts are those of the cliques' topics, and nothing is lost."""
    row = clique_topics(sampler)
    lengths = np.array([len(clique) for document in documents for clique in document], np.int64)
    words = np.array([word for document in documents for clique in document for word in clique], np.int64)
    known = np.array([clique[0] >= 0 for document in documents for clique in document], bool)
    n_topics = sampler.n_topics
    assert ((row >= 0) == known).all() and row.max(initial=0) < n_topics
    topic_of = np.repeat(row, lengths)
    docs = np.repeat(np.arange(len(documents)), [sum(map(len, document)) for document in documents])
    here = topic_of >= 0

    by_word = np.zeros((n_words, n_topics), np.int64)
    np.add.at(by_word, (words[here], topic_of[here]), 1)
    np.testing.assert_array_equal(sampler.word_topic(), by_word)
    np.testing.assert_array_equal(sampler.word_topic().sum(1), np.bincount(words[here], minlength=n_words))
    np.testing.assert_array_equal(sampler.n_k, by_word.sum(0))
    assert sampler.n_k.sum() == sampler.n_tokens == here.sum()

    by_document = np.zeros((len(documents), n_topics), np.int64)
    np.add.at(by_document, (docs[here], topic_of[here]), 1)
    found = np.nonzero(by_document)
    doc, topic, tokens = doc_topic(sampler)
    assert (doc.tolist(), topic.tolist()) == (found[0].tolist(), found[1].tolist())
    assert tokens.tolist() == by_document[found].tolist()


# ----------------------------------------------------------------------- one clique at a time


def key_for(draw: int, i: int) -> np.uint64:
    """The key with which ``uniform(key, i)`` is ``draw / 2**23``: SplitMix64 backwards."""
    mask = 2**64 - 1
    bits = draw << 41
    bits ^= (bits >> 31) ^ (bits >> 62)
    bits = bits * pow(0x94D049BB133111EB, -1, 2**64) & mask
    bits ^= (bits >> 27) ^ (bits >> 54)
    bits = bits * pow(0xBF58476D1CE4E5B9, -1, 2**64) & mask
    bits ^= (bits >> 30) ^ (bits >> 60)
    return np.uint64((bits - i * 0x9E3779B97F4A7C15) & mask)


class Lone:
    """One clique of a chain, sampled alone: the other cliques of its shard are hidden.

    ``slot`` says where in the shard it lies. Whatever the kernels change is put back before each draw.
    """

    def __init__(self, sampler: Sampler, shard: Shard, slot: int) -> None:
        clique_start = shard.cliques.clique_start
        t = int(np.searchsorted(clique_start, slot, side="right")) - 1
        self.slot, self._shard, self._sampler = slot, shard, sampler
        self._cliques = shard.cliques
        lone = np.where(np.arange(clique_start.size) <= t, slot, slot + 1)
        self._alone = shard.cliques._replace(clique_start=lone)
        self.number = int(np.searchsorted(sampler.layout.types.t_start, t, side="right") - 1) // N_KINDS
        self._group = sampler.here.words.groups[self.number]
        arrays = (shard.z, shard.doc_topic.n_dk, shard.doc_topic.list_size, sampler.here.words.n_wk_shared)
        self._kept = [(array, array.copy()) for array in (*arrays, self._group.n_wk_own, self._group.z_rare)]

    def step(self, key: np.uint64) -> Any:
        """Sample the clique, once and for all; what changed in what all shards share."""
        self._shard.cliques = self._alone
        try:
            sampler = self._sampler
            shared = sampler.here.shared(sampler.alpha, sampler.beta)
            with sampler.here.workspace() as workspace:
                return self._shard.sample(self.number, self._group, shared, key, workspace)
        finally:
            self._shard.cliques = self._cliques

    def draw(self, draw: int) -> int:
        """The topic that the number ``draw / 2**23`` falls into."""
        self.step(key_for(draw, self.slot))
        topic = int(self._shard.z[self.slot])
        for array, kept in self._kept:
            array[:] = kept
        return topic


def share_of_each(
    topic_of: Callable[[int], int], n_topics: int, parts: Sequence[float] = (), fine: int = 64
) -> list[float]:
    """How many of all numbers there are to draw fall into each topic, to ``fine`` of them at each bound.

    A topic has one interval at most in each of the parts that ``parts``, shares of all numbers, divide them
    into. Where both ends of a piece are the same topic's, no other can lie inside; all other bounds are found
    by halving.
    """
    tokens = [0] * n_topics

    def halve(low: int, high: int, at_low: int, at_high: int) -> None:
        if at_low == at_high:
            tokens[at_low] += high - low
        elif high - low <= fine:
            tokens[at_low] += (high - low) // 2
            tokens[at_high] += (high - low + 1) // 2
        else:
            middle = (low + high) // 2
            at_middle = topic_of(middle)
            halve(low, middle, at_low, at_middle)
            halve(middle, high, at_middle, at_high)

    near = [int(part * DRAWS) + by for part in parts for by in (-fine, fine)]
    starts = np.unique(np.clip([0, DRAWS // 2, *near, DRAWS - 1], 0, DRAWS - 1)).tolist()
    found = [topic_of(start) for start in starts]
    for (low, high), (at_low, at_high) in zip(pairwise(starts), pairwise(found), strict=True):
        halve(low, high, at_low, at_high)
    return [n / sum(tokens) for n in tokens]


def parts_of_draw(
    shard: Shard, slot: int, shares: Sequence[float], alpha: Sequence[float], tokens: Sequence[int], n: int
) -> list[float]:
    """Where the parts of a draw of sparse.py end; no bounds if the shard has no lists.

    Each of the eight lanes has two parts: topics on the document's list, then tiles of 64 topics. ``tokens``
    are those of each topic in the document without the clique, which has ``n`` words.
    """
    counts, d = shard.doc_topic, shard.cliques.d_of[slot]
    if not counts.list_start.size:
        return []
    entries = np.arange(counts.list_size[d])
    on_list = counts.n_dk[counts.list_start[d] + entries + entries // 8 * 8].tolist()
    absent = [
        share * math.prod((a + j) / (a + of_topic + j) for j in range(n))
        for share, a, of_topic in zip(shares, alpha, tokens, strict=True)
    ]
    parts = []
    for lane in range(8):
        parts.append(math.fsum(shares[k] - absent[k] for k in on_list[lane::8]))
        parts.append(math.fsum(each for k, each in enumerate(absent) if k // 64 % 8 == lane))
    return list(accumulate(parts))


def tokens_of_others(
    documents: Sequence[Document], topics: Topics, d: int, g: int, n_topics: int
) -> list[int]:
    """The tokens of each topic in a document without clique g."""
    counts = Counter[int]()
    for i, (clique, k) in enumerate(zip(documents[d], topics[d], strict=True)):
        counts[k] += len(clique) if i != g else 0
    return [counts[k] for k in range(n_topics)]


def slots(sampler: Sampler, documents: Sequence[Document]) -> Iterator[tuple[Shard, int, int, int]]:
    """Shard and slot of every clique, with its document and its number there."""
    bounds = pairwise(accumulate((shard.n_docs for shard in sampler.here.shards), initial=0))
    for shard, (first, last) in zip(sampler.here.shards, bounds, strict=True):
        row = iter(shard.cliques.slot_of.tolist())
        for d in range(first, last):
            for g in range(len(documents[d])):
                yield shard, next(row), d, g


# ------------------------------------------------------------------- all there is to know of a chain


def transitions(
    documents: list[Document],
    order: Sequence[int],
    alpha: Sequence[float],
    beta: float,
    n_words: int,
    corrected: bool = True,
) -> NDArray[np.float64]:
    """How likely a sweep leads from each state to each, (states, states), by equation 7.

    States are in the order of `oracles.topics.posterior`; ``order`` is that in which cliques are visited.
    """
    n_topics = len(alpha)
    places = [(d, g) for d, document in enumerate(documents) for g in range(len(document))]
    states = np.array(list(np.ndindex(*[n_topics] * len(places))))
    sweep = np.eye(len(states))
    for i in order:
        step = np.zeros_like(sweep)
        radix = n_topics ** (len(places) - 1 - i)
        for s, state in enumerate(states.tolist()):
            topics = oracle.shaped(state, documents)
            shares = oracle.equation_7(documents, topics, *places[i], alpha, beta, n_words, corrected)
            for k, share in enumerate(shares):
                step[s, s + (k - state[i]) * radix] = share
        sweep = sweep @ step
    return sweep


def stationary(sweep: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where a chain of such sweeps is to be found in the long run."""
    share = np.full(len(sweep), 1 / len(sweep))
    for _ in range(10_000):
        after = share @ sweep
        if np.abs(after - share).max() < 1e-16:
            break
        share = after
    return share / share.sum()
