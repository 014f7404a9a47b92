"""KERT: topical keyphrases as frequent sets of words (Danilevsky, Wang, Desai, Ren, Guo, Han, SDM 2014).

LDA gives every token a topic. What a topic has of a document is a set of words, a transaction; a pattern is
a set of words that many transactions of a topic have, in any order, side by side or not (see itemsets.py).
Four measures rank it (see results/ranking.py, also for the edition): f_k counts the transactions of topic k
that have the pattern, N_k all of them, N_kk' the documents that have topic k or k'::

    "support", "vector", "machine" are of topic 0 in 40 of its 1,000 documents, and of topic 1 in 2
    popularity     40 / 1000  =  0.04
    purity         log2 0.04  -  log2 [(40 + 2) / 1800]  =  0.78      1,800 documents have topic 0 or 1
    concordance    log2 0.04  -  log2 (0.06 · 0.05 · 0.08)  =  7.38   the share of each word in topic 0
    completeness   1 - 4 / 40  =  0.9                                 4 of the 40 have one certain word more
    score          0.04 · (0.78 + 7.38) / 2  =  0.163

The authors' program mines up to 5 words and shows up to 4; of the 20Conf titles in more than 5 documents, of
DBLP's in more than 20. Here ``max_length`` is 4, and "auto" is 6 documents, or one in 100,000 if that is more
(19 of the 1.9 million titles of DBLP). The program leaves some uncounted: extensions that are not frequent,
or longer than what is shown; pairs of words in topics where they are rare. Here every count is exact. A
pattern is ranked in the topics where it is frequent, and a completeness of exactly γ is too little.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from topminer._parameters import number, whole, whole_or_none
from topminer.containers.arrays import ranges
from topminer.errors import InputError
from topminer.memory import require
from topminer.methods.contract import N_PHRASES, MethodResult, Stems, check, ranked_topics
from topminer.methods.lda import sampled_words
from topminer.methods.rivals.itemsets import Miner, Patterns, search_bytes
from topminer.methods.rivals.transactions import gather, in_usual_order
from topminer.methods.stopwatch import Stopwatch
from topminer.phrases.scores import number_or_share
from topminer.text.corpus import Corpus
from topminer.topics.results.ranking import completeness, concordance, kert, popularity, purity

Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]

LEAST_SUPPORT, SHARE = 6, 1e-5  # documents, and of all documents: what "auto" means
MOST_PATTERNS = 10**9  # long documents have more patterns than anyone can wait for
ADVICE = "a larger min_support, a smaller max_length or shorter documents"
DECIMALS = 12  # of scores: what is equal but for rounding is equal


@dataclass(frozen=True)
class KERT:
    """Topics of LDA, described by frequent sets of words.

    Patterns whose completeness is at most ``gamma`` are pieces of others: they score 0, and are left out.
    Words of a pattern are shown in the order they have in most documents of the topic. Patterns are ranked as
    they are found and only the best are kept, so it is the documents that need memory, not the patterns.

    Parameters
    ----------
    n_sweeps : int
        Of LDA.
    min_support : int, float or "auto"
        How many documents of a topic must have a pattern: a number, a share of all documents, or 6 documents
        and at least one in 100,000.
    max_length : int or None
        How many words a pattern may have; None: any number.
    gamma : float
        What completeness must exceed.
    omega : float
        Weight of concordance against purity.
    n_threads : int or None
        Of LDA; None: all cores. The result does not depend on it.
    """

    n_sweeps: int = 1000
    min_support: int | float | str = "auto"
    max_length: int | None = 4
    gamma: float = 0.5
    omega: float = 0.5
    n_threads: int | None = None

    name: ClassVar[str] = "kert"
    title: ClassVar[str] = "KERT"

    def fit(
        self, corpus: Corpus, n_topics: int, seed: int = 0, *, stopwatch: Stopwatch | None = None
    ) -> MethodResult:
        """Find ``n_topics`` topics; the same seed gives the same ones."""
        check(corpus, n_topics, seed)
        number("gamma", self.gamma, 0, 1)
        number("omega", self.omega, 0, 1)
        whole("n_sweeps", self.n_sweeps, 1)
        whole_or_none("max_length", self.max_length, 2)
        min_support = support_for(self.min_support, corpus.doc_start.size - 1)
        stopwatch = stopwatch or Stopwatch()
        n_bytes = 56 * corpus.n_tokens + 16 * n_topics * (corpus.n_stems + n_topics)
        require("KERT", n_bytes, "fewer topics or documents would need less")
        lda = sampled_words(corpus, n_topics, seed, self.n_sweeps, stopwatch, self.n_threads)
        with stopwatch.stage("gathering"):
            transactions, together = gather(
                corpus.stem_ids, corpus.doc_start, lda.clique_topic_, n_topics, corpus.n_stems
            )
            word_counts = transactions.word_counts(n_topics, corpus.n_stems)
            n_bytes = search_bytes(transactions, corpus.n_stems, min_support, self.max_length)
            require("KERT", n_bytes, f"{ADVICE} would need less")
            # An extension that fewer documents have leaves every frequent pattern complete.
            least = max(1, math.floor((1 - self.gamma) * min_support))
            miner = Miner(transactions, word_counts, min_support, self.max_length, least_extended=least)
        best = Best(together, word_counts, min_support, self.gamma, self.omega)
        for found in self._mined(miner, stopwatch):
            best.add(found)
        with stopwatch.stage("ranking"):
            ranked = in_usual_order(best.patterns, transactions, miner.index, n_topics)
            topics = ranked_topics(corpus, lda.topic_word_, ranked, contiguous=False)
        notes = (f"Sets of words in at least {min_support} documents of a topic, in any order.",)
        return MethodResult(self.name, topics, tuple(stopwatch.stages), contiguous=False, notes=notes)

    def _mined(self, miner: Miner, stopwatch: Stopwatch) -> Iterator[Patterns]:
        parts = miner.parts()

        def note() -> str:
            return f"{miner.n_found:,} patterns"

        for i in stopwatch.steps("mining", len(parts), "parts", sizes=list(map(len, parts)), note=note):
            for found in miner.search(parts[i]):
                yield found
                if miner.n_found > MOST_PATTERNS:
                    raise InputError(
                        f"KERT found more than {MOST_PATTERNS:,} patterns: {ADVICE} would give fewer"
                    )
                stopwatch.progress("mining", i, len(parts), "parts", note())
        yield miner.rest()


def support_for(min_support: int | float | str, n_documents: int) -> int:
    """What ``min_support`` means for so many documents.

    >>> support_for("auto", 44_165), support_for("auto", 1_900_000), support_for(0.01, 500)
    (6, 19, 5)
    """
    if min_support == "auto":
        return max(LEAST_SUPPORT, math.ceil(n_documents * SHARE))
    return min(number_or_share(min_support, n_documents), n_documents + 1)


class Best:
    """The best patterns of several words of each topic so far.

    ``patterns`` has for each topic minus score, minus count, and stems, in this order: equal scores go by
    count, then by stems.
    """

    def __init__(
        self, together: Floats, word_counts: Int64s, min_support: int, gamma: float, omega: float
    ) -> None:
        self._together, self._word_counts = together, word_counts
        self._sizes = together.diagonal()
        self._min_support, self._gamma, self._omega = min_support, gamma, omega
        self.patterns: list[list[tuple[float, int, Stems]]] = [[] for _ in word_counts]

    def add(self, found: Patterns) -> None:
        """Let a batch compete."""
        complete = completeness(found.counts, found.extended) > self._gamma
        several = np.diff(found.start)[found.pattern] > 1
        chosen = np.flatnonzero(complete & several & (found.counts >= self._min_support))
        scores = self._scores(found, chosen)
        topics = found.topic[chosen]
        for k in np.unique(topics).tolist():
            self._merge(k, found, chosen[topics == k], scores[topics == k])

    def _scores(self, found: Patterns, chosen: Int64s) -> Floats:
        pattern, topic = found.pattern[chosen], found.topic[chosen]
        # Purity looks at all topics of a pattern.
        wanted = np.zeros(found.start.size - 1, np.bool_)
        wanted[pattern] = True
        entries = np.flatnonzero(wanted[found.pattern])
        counts = found.counts[entries].astype(np.float64)
        pure = purity(found.pattern[entries], found.topic[entries], counts, self._together)
        popular = popularity(found.counts[chosen], self._sizes[topic])
        first, last = found.start[pattern], found.start[pattern + 1]
        length = last - first
        topics = np.repeat(topic, length)
        shares = popularity(self._word_counts[topics, found.words[ranges(first, last)]], self._sizes[topics])
        # Of shares of a topic, the whole is 1.
        together = concordance(popular, shares, np.concatenate(([0], np.cumsum(length))), 1.0)
        return kert(
            popular,
            pure[np.searchsorted(entries, chosen)],
            together,
            completeness(found.counts[chosen], found.extended[chosen]),
            gamma=self._gamma,
            omega=self._omega,
        ).round(DECIMALS)

    def _merge(self, topic: int, found: Patterns, entries: Int64s, scores: Floats) -> None:
        best = self.patterns[topic]
        least = -best[-1][0] if len(best) == N_PHRASES else -math.inf
        if entries.size > N_PHRASES:
            least = max(least, float(np.partition(scores, -N_PHRASES)[-N_PHRASES]))
        kept = scores >= least
        for entry, score in zip(entries[kept].tolist(), scores[kept].tolist(), strict=True):
            i = found.pattern[entry]
            stems = tuple(found.words[found.start[i] : found.start[i + 1]].tolist())
            best.append((-score, -int(found.counts[entry]), stems))
        best.sort()
        del best[N_PHRASES:]
