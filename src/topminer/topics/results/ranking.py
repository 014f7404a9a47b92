"""All orders of phrases in topics.

Phrases are ordered by :func:`best`, by topical frequency as in the paper, by KERT's score or by LDAvis's
relevance; words.py has the orders of words. Scores are arrays with a number for each entry of a
:class:`TopicalFrequency`; :func:`by_score` sorts the entries of a topic. Entries with equal scores are sorted
by the type's total, then by its id, so the order is always the same.

KERT (Danilevsky, Wang, Desai, Ren, Guo, Han: Automatic Construction and Ranking of Topical Keyphrases on
Collections of Short Documents, SDM 2014) has four measures of a phrase P in a topic k. With f_k(P) its
occurrences in k, N_k the size of k, and N_kk' that of k and another topic k' together::

    popularity     f_k(P) / N_k
    purity         log2 [f_k(P) / N_k]  -  log2 max over k' of [(f_k(P) + f_k'(P)) / N_kk']
    concordance    log2 [f(P) / N]  -  Σ over words w of P  log2 [f(w) / N]
    completeness   1 - max over extensions P' of f(P') / f(P)
    score          0 if completeness ≤ γ, else popularity · ((1 - ω) purity + ω concordance)

We follow the program its authors published with that edition (RankNgram7.m, MinePattern.m and
FilterBrokenPhrase.m), where popularity times purity, or concordance, is a pointwise Kullback-Leibler
divergence in bits; its equal weights are ω = 0.5 here. The preprint (arXiv:1306.0271) says coverage for
popularity and phraseness for concordance. In the program phrases are sets of words, f_k and N_k count
documents, f is f_k in all measures, and a completeness of exactly γ = 0.5 is enough.

Our phrases are contiguous, and a token belongs to one phrase instance. So f_k(P) counts instances, N_k the
instances of topic k, and N_kk' = N_k + N_k'. An instance of a longer phrase is not an instance of its
parts, so by instances every phrase would be complete. Concordance and completeness therefore use supports
from mining, with N the number of tokens; an extension is a frequent phrase with one more word at either
end.

The scales differ, and the published score adds them unchanged: purity is at most log2 (N_kk' / N_k), about
one bit; concordance grows with every word and reaches ten or twenty bits. At ω = 0.5 concordance dominates.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from topminer._parameters import number
from topminer.jit import bare_kernel
from topminer.topics.results.frequency import TopicalFrequency

# The weights of the best order, found by benchmarks/lists.py (docs/views.md has the evidence).
OF_QUALITY, OF_LIFT, OF_STOP_WORD = 1.05, 0.8, 0.5
UNJUDGED = 1.0  # quality of what was not judged: that of an average phrase
SMALLEST = 1e-3  # documents: what is not found in any of a topic's
TYPICAL, LEAST = 2.0, 2.0  # standard deviations above the expected frequency; instances in the topic
LEAST_DOCUMENTS = 2.0  # of the topic, with a phrase that is listed
N_LIKELY = 1_000  # words of a topic that can be listed
GAMMA = 0.5  # a phrase with at most this completeness is only a piece of other phrases
LOWEST = float(np.finfo(np.float64).min)  # relevance of what does not occur: finite, so that it can be sorted


def foremost(scores: NDArray[np.floating], n: int) -> NDArray[np.int64]:
    """Return where the ``n`` highest scores stand, the highest first; of equal ones, the first."""
    places = np.arange(scores.size)
    if 0 < n < scores.size:  # only those that can be among them are sorted
        places = np.flatnonzero(scores >= np.partition(scores, -n)[-n])
    return places[np.argsort(-scores[places], kind="stable")[: max(n, 0)]]


def places_by_topic(topics: NDArray[np.integer], n_topics: int) -> list[NDArray[np.int64]]:
    """Return where each topic stands in ``topics``, in ascending order."""
    order = np.argsort(topics.astype(np.uint16), kind="stable")  # linear time for short integers
    return np.split(order, np.searchsorted(topics[order], np.arange(1, n_topics)))


def top_words(row: NDArray[np.floating], n: int) -> NDArray[np.int64]:
    """Return the ``n`` words of highest φ in a row; of equal ones, the more frequent: the lower id."""
    # Most words do not occur in a topic and have its lowest φ. Selecting among many equal numbers is slow, so
    # they are left out if there are enough others.
    words = np.flatnonzero(row > row.min(initial=np.inf))
    if words.size < n:
        words = np.arange(row.size)
    return words[foremost(row[words], n)]


def of_length(type_start: NDArray[np.int64], least: int = 2, most: int | None = None) -> NDArray[np.bool_]:
    """Return which types have ``least`` to ``most`` words; by default, those of several words."""
    lengths = np.diff(type_start)
    return (lengths >= least) & (lengths <= (math.inf if most is None else most))


def by_frequency(
    frequency: TopicalFrequency,
    topic: int,
    n: int | None = None,
    *,
    eligible: NDArray[np.bool_] | None = None,
    totals: NDArray[np.float64] | None = None,
) -> NDArray[np.int64]:
    """Return the entries of a topic by mean topical frequency: :func:`by_score` with the means as scores."""
    return by_score(frequency, frequency.mean, topic, n, eligible=eligible, totals=totals)


def by_score(
    frequency: TopicalFrequency,
    scores: NDArray[np.float64],
    topic: int,
    n: int | None = None,
    *,
    eligible: NDArray[np.bool_] | None = None,
    totals: NDArray[np.float64] | None = None,
    places: NDArray[np.int64] | None = None,
    within: NDArray[np.bool_] | None = None,
) -> NDArray[np.int64]:
    """Return the entries of a topic, best first: positions in ``frequency``, at most ``n``.

    ``scores`` has one number for each entry. ``eligible`` are the types that may be listed, for example
    :func:`of_length`; ``within`` are the entries that may be, for example :func:`is_typical`. A caller may
    give what it has already: ``totals`` (``frequency.totals()``) and ``places``, the positions of the topic's
    entries.
    """
    entries = np.flatnonzero(frequency.topics == topic) if places is None else places
    if eligible is not None:
        entries = entries[eligible[frequency.types[entries]]]
    if within is not None:
        entries = entries[within[entries]]
    if n is not None and 0 < n < entries.size:
        found = scores[entries]
        entries = entries[found >= np.partition(found, -n)[-n]]
    totals = frequency.totals() if totals is None else totals
    types = frequency.types[entries]
    best = np.lexsort((types, -totals[types], -scores[entries]))
    return entries[best[: None if n is None else max(n, 0)]]


def popularity(counts: ArrayLike, sizes: ArrayLike) -> NDArray[np.float64]:
    """Return the fraction of a topic's instances that are this phrase: f_k(P) / N_k; 0 in an empty topic."""
    count, size = np.broadcast_arrays(np.asarray(counts, np.float64), np.asarray(sizes, np.float64))
    share: NDArray[np.float64] = np.divide(count, size, out=np.zeros(count.shape), where=size > 0)
    return share


def together(sizes: ArrayLike) -> NDArray[np.float64]:
    """Return N_kk' if each occurrence has one topic: N_k + N_k', and N_k on the diagonal."""
    size = np.asarray(sizes, np.float64)
    both = size[:, None] + size
    np.fill_diagonal(both, size)
    return both


def purity(
    phrases: NDArray[np.integer],
    topics: NDArray[np.integer],
    counts: NDArray[np.float64],
    sizes: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return how much more a phrase belongs to a topic than to that topic mixed with its closest rival.

    ``counts`` are f_k(P) where it is not 0, the entries of a phrase one behind another; ``sizes`` (topics,
    topics) are N_kk' with N_k on the diagonal, for example :func:`together`. An empty topic is not a rival.
    Without a rival, and without an occurrence, purity is 0.
    """
    alone = sizes.diagonal()
    rivals = sizes.astype(np.float64)
    rivals[:, alone <= 0] = np.inf
    np.fill_diagonal(rivals, np.inf)
    smallest = rivals.min(axis=1, initial=np.inf)
    if np.any(np.minimum(alone, smallest)[topics[counts > 0]] <= 0):
        raise ValueError("a phrase occurs in a topic of size 0")
    scores = np.zeros(counts.size)
    _score_purity(
        np.asarray(phrases, np.int64),
        np.asarray(topics, np.int64),
        np.asarray(counts, np.float64),
        alone.astype(np.float64),
        rivals,
        smallest,
        scores,
    )
    return scores


@bare_kernel
def _score_purity(
    phrases: NDArray[np.int64],
    topics: NDArray[np.int64],
    counts: NDArray[np.float64],
    alone: NDArray[np.float64],
    rivals: NDArray[np.float64],
    smallest: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> None:
    start = 0
    while start < counts.size:
        stop = start + 1
        while stop < counts.size and phrases[stop] == phrases[start]:
            stop += 1
        for i in range(start, stop):
            k = topics[i]
            if counts[i] <= 0.0 or smallest[k] == np.inf:
                continue
            # Among the topics without the phrase, the smallest is the closest rival. If the smallest topic
            # has the phrase, the loop finds an even closer value for it.
            mixed = counts[i] / smallest[k]
            for j in range(start, stop):
                both = (counts[i] + counts[j]) / rivals[k, topics[j]]  # 0 if j is i
                mixed = both if both > mixed else mixed
            scores[i] = math.log2(counts[i] / alone[k] / mixed)
        start = stop


def concordance(
    supports: ArrayLike, word_supports: ArrayLike, start: NDArray[np.integer], size: float
) -> NDArray[np.float64]:
    """Return how much more often the words of each phrase occur together than independent words would.

    ``supports`` are f(P), and those of the words of phrase i are ``word_supports[start[i]:start[i + 1]]``;
    ``size`` is N. Concordance is 0 for a single word, and where a support is 0.
    """
    whole, parts = np.asarray(supports, np.float64), np.asarray(word_supports, np.float64)
    if not whole.size:
        return np.zeros(0)
    # log2 f(P) - Σ log2 f(w) + (words - 1) log2 N: of a single word, exactly 0.
    summed = np.add.reduceat(np.log2(np.where(parts > 0, parts, 1.0)), start[:-1])
    known = (whole > 0) & (np.minimum.reduceat(parts, start[:-1]) > 0)
    scores = np.log2(np.where(known, whole, 1.0)) - summed + (np.diff(start) - 1) * math.log2(max(size, 1.0))
    return np.where(known, scores, 0.0)


def completeness(supports: ArrayLike, extended: ArrayLike) -> NDArray[np.float64]:
    """Return the fraction of a phrase's occurrences outside its most frequent extension; 0 if there are none.

    ``extended`` is the largest support of a phrase with one more word, 0 if there is none. Phrases with two
    more words cannot be more frequent.
    """
    whole, longest = np.broadcast_arrays(np.asarray(supports, np.float64), np.asarray(extended, np.float64))
    share: NDArray[np.float64] = np.divide(longest, whole, out=np.ones(whole.shape), where=whole > 0)
    return np.maximum(1.0 - share, 0.0)


def kert(
    popularity: NDArray[np.float64],
    purity: NDArray[np.float64],
    concordance: NDArray[np.float64],
    completeness: NDArray[np.float64],
    *,
    gamma: float = GAMMA,
    omega: float = 0.5,
) -> NDArray[np.float64]:
    """Return KERT's score, given the four measures (see the module).

    A piece of another phrase scores 0; a complete phrase that belongs to another topic may score less. To
    leave the pieces out, as the authors' program does, pass types with completeness > γ as ``eligible``.
    """
    if not (0 <= gamma <= 1 and 0 <= omega <= 1):
        raise ValueError(f"gamma and omega must lie between 0 and 1, not {gamma} and {omega}")
    scores = popularity * ((1 - omega) * purity + omega * concordance)
    return np.where(completeness > gamma, scores, 0.0)


def relevance(in_topic: ArrayLike, overall: ArrayLike, weight: float = 0.6) -> NDArray[np.float64]:
    """Return λ log p(phrase | k) + (1 - λ) log [p(phrase | k) / p(phrase)] (Sievert and Shirley 2014).

    λ is ``weight``: 1 orders by frequency, 0 by lift; their readers did best with 0.6. If a probability is 0,
    the result is :data:`LOWEST`.
    """
    weight = number("weight", weight, 0, 1)
    inside, whole = np.broadcast_arrays(np.asarray(in_topic, np.float64), np.asarray(overall, np.float64))
    occurs = (inside > 0) & (whole > 0)
    scores = np.log(np.where(occurs, inside, 1.0)) - (1 - weight) * np.log(np.where(occurs, whole, 1.0))
    return np.where(occurs, np.round(scores, 9), LOWEST)  # rounding errors must not separate equal scores


def best(
    in_topic: ArrayLike,
    documents: ArrayLike,
    shares: ArrayLike,
    quality: ArrayLike,
    stop_words: ArrayLike = 0,
) -> NDArray[np.float64]:
    """Return how well phrases describe a topic: common in its documents, good as phrases, and of this topic.

    With e = e_k(P) documents of the topic and n = n(P) documents in all (document_frequency.py), and a topic
    that has the share p of all tokens::

        log e - 1 / √e  +  1.05 · quality  +  0.8 · log [(e + p) / ((n + 1) p)]  -  0.5 · stop words

    1 / √e is the standard error of log e if e is a count: rare phrases are worth what is certain. The third
    term is the lift, e by what it would be if documents had the usual topics, with one more document of that
    kind. ``quality`` is in log odds, 1 where it is not known; ``stop_words`` counts those that are shown.
    """
    whole, share = np.asarray(documents, np.float64), np.asarray(shares, np.float64)
    e = np.maximum(np.asarray(in_topic, np.float64), SMALLEST)
    lift = np.log((e + share) / ((whole + 1.0) * np.maximum(share, np.finfo(np.float64).tiny)))
    good = OF_QUALITY * np.nan_to_num(quality, nan=UNJUDGED) - OF_STOP_WORD * np.asarray(stop_words)
    return np.round(np.log(e) - 1.0 / np.sqrt(e) + good + OF_LIFT * lift, 9)


def is_typical(counts: ArrayLike, totals: ArrayLike, shares: ArrayLike) -> NDArray[np.bool_]:
    """Return whether phrases are significantly more frequent in a topic than in the corpus.

    Of its ``totals`` instances a phrase has ``counts`` in a topic that has ``shares`` of all instances. If
    topics were drawn at random, the count would be binomial; it must be two standard deviations above its
    mean, and at least 2. If a topic has all instances, every phrase is typical of it.
    """
    count, total, share = (np.asarray(each, np.float64) for each in (counts, totals, shares))
    deviation = np.sqrt(np.maximum(total * share * (1 - share), 0.0))
    return (count >= LEAST) & (count - total * share >= TYPICAL * deviation - 1e-9)
