"""Background phrases ("paper we propose"): those that are shown to belong to no topic in particular.

A phrase stands in documents, and documents have topics. Let Q be the mean, over the documents that hold the
phrase, of the topic shares of the *rest* of the document, and P the corpus's own shares. A background phrase
stands in documents of all kinds, so Q is near P. How near is the Kullback-Leibler divergence::

    KL(Q ‖ P) = Σ_k Q_k log (Q_k / P_k)        "paper describes" 0.03, "machine translation" 0.3

(The topics that the sampler gave the phrase's own instances say less. When the priors are fitted, such
phrases collect in one topic of their own.)

The test is one of equivalence. It takes a phrase to be topical, KL ≥ δ, until its documents show the
contrary; so a rare phrase stays in its topics, for want of evidence. For δ see :func:`delta_for`. KL is a
smooth function of a mean over documents, so its standard error is that of Σ_k θ_dk log (Q_k / P_k) over the
documents d. Near P this shrinks to nothing, while a phrase at the border would have a larger one; so the
error is also computed at the border, on the curve of P_k^(1 - t) Q_k^t where KL is δ, and the larger one
counts. KL is also estimated too high when documents are few, which errs on the safe side. The false discovery
rate is controlled over the phrases that are declared background (Benjamini and Hochberg 1995).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.engines.local import map_in_order, n_threads_or_all
from topminer.jit import kernel, part
from topminer.phrases.partition import Partition
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.results.concentration import concentration

# δ is at most so many nats, so much of the entropy of topics, and so much of their concentration.
DELTA, OF_ENTROPY, OF_CONCENTRATION = 0.2, 0.1, 0.4
RATE = 0.05  # of false discoveries
NOTHING = 1e-9  # smaller differences are rounding errors
BLOCK = 1 << 18  # instances tested at a time
LEAST_DOCUMENTS = 10  # fewer are not enough to estimate an error


class Background(NamedTuple):
    """The result of the test for each group of phrase types; nan: not tested."""

    divergence: NDArray[np.float64]  # KL(Q ‖ P)
    p: NDArray[np.float64]  # the probability of a divergence as small as this if it were δ
    declared: NDArray[np.bool_]


class _Documents(NamedTuple):
    """Tokens of each document in each of its topics, by document."""

    start: NDArray[np.int64]
    topic: NDArray[np.int32]
    tokens: NDArray[np.int32]
    length: NDArray[np.int32]  # of each document


class _Instances(NamedTuple):
    """Phrase instances by group, then by document."""

    group_start: NDArray[np.int64]
    document: NDArray[np.int32]
    topic: NDArray[np.int32]
    length: NDArray[np.int32]


def background(
    partition: Partition,
    lda: PhraseLDA,
    group_of: NDArray[np.int64] | None = None,
    *,
    delta: float | None = None,
) -> Background:
    """Test every group of phrase types.

    ``group_of`` is the group of each type; by default each type is a group. ``partition`` is the one that
    ``lda`` was fitted to. ``delta`` is by default :func:`delta_for`.
    """
    group_of = np.arange(partition.n_types) if group_of is None else group_of
    documents = _documents(lda, len(partition))
    instances = _instances(partition, lda, group_of)
    share = lda.topic_weight_.astype(np.float64)
    border = delta_for(share, concentration(lda).of_all) if delta is None else delta
    n_groups = instances.group_start.size - 1
    divergence, p = np.full(n_groups, np.nan), np.full(n_groups, np.nan)

    def run(groups: slice) -> None:
        start = instances.group_start[groups.start : groups.stop + 1]
        here = instances._replace(group_start=start)
        _test(here, documents, share, border, LEAST_DOCUMENTS, divergence[groups], p[groups])

    for _ in map_in_order(run, _blocks(instances), n_threads_or_all(lda.n_threads)):
        pass
    return Background(divergence, p, discoveries(p, RATE))


def _blocks(instances: _Instances) -> Iterator[slice]:
    """Divide the groups into blocks of about as many instances; a frequent group is a block of its own."""
    start = instances.group_start
    bounds = np.unique(np.searchsorted(start, np.arange(0, start[-1], BLOCK)))
    return (slice(*each) for each in pairwise([*bounds.tolist(), start.size - 1]))


def delta_for(share: NDArray[np.float64], concentrated: float = 1.0) -> float:
    """Return δ for topics of these shares and this concentration: 0.2 nats, or less where topics differ less.

    δ is at most a tenth of the entropy of topics. With two topics divergences are small: that of a phrase
    three times as frequent in one as in the other is 0.13. And it is at most 0.4 of the concentration: where
    all documents have nearly the same topics, most words are near the corpus's own, also those that describe
    a topic.

    >>> [round(delta_for(np.full(n, 1 / n)), 3) for n in (1, 2, 5, 20)]
    [0.0, 0.069, 0.161, 0.2]
    >>> round(delta_for(np.full(20, 0.05), concentrated=0.1), 3)
    0.04
    """
    some = share[share > 0]
    entropy = max(0.0, -float((some * np.log(some)).sum()))
    return float(min(DELTA, OF_ENTROPY * entropy, OF_CONCENTRATION * max(0.0, concentrated)))


def discoveries(p: NDArray[np.float64], rate: float) -> NDArray[np.bool_]:
    """Return which may be declared with a false discovery rate of at most ``rate``; nan was not tested.

    >>> discoveries(np.array([0.04, 0.01, np.nan, 0.5, 0.02]), 0.05).tolist()
    [False, True, False, False, True]
    """
    tested = np.sort(p[~np.isnan(p)])
    allowed = tested <= rate * np.arange(1, tested.size + 1) / max(tested.size, 1)
    threshold = tested[allowed][-1] if allowed.any() else -1.0
    declared: NDArray[np.bool_] = p <= threshold
    return declared


def _documents(lda: PhraseLDA, n_documents: int) -> _Documents:
    documents, topics, tokens = lda.document_topics()
    lengths = np.bincount(documents, tokens, n_documents).astype(np.int32)
    return _Documents(np.searchsorted(documents, np.arange(n_documents + 1)), topics, tokens, lengths)


def _instances(partition: Partition, lda: PhraseLDA, group_of: NDArray[np.int64]) -> _Instances:
    # Words that the model does not know are one more group, the last, which is left out.
    n_groups = int(group_of.max(initial=-1)) + 1
    groups = np.append(group_of, n_groups)[partition.type_ids]
    group_start = np.concatenate(([0], np.cumsum(np.bincount(groups, minlength=n_groups + 1))))
    by_group = _sorted(groups, group_start, partition.doc_start, lda.clique_topic_, partition.clique_start)
    return _Instances(group_start[:-1], *by_group)


@kernel
def _sorted(
    groups: NDArray[np.int64],
    group_start: NDArray[np.int64],
    doc_start: NDArray[np.int64],
    topics: NDArray[np.int32],
    clique_start: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return the document, topic and length of each clique, by group; those of a group stay in order."""
    place = group_start.copy()
    n = groups.size
    document, topic, length = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    for d in range(doc_start.size - 1):
        for i in range(doc_start[d], doc_start[d + 1]):
            at = place[groups[i]]
            place[groups[i]] += 1
            document[at] = d
            topic[at] = topics[i]
            length[at] = clique_start[i + 1] - clique_start[i]
    return document, topic, length


@kernel
def _test(
    instances: _Instances,
    documents: _Documents,
    share: NDArray[np.float64],
    delta: float,
    least: int,
    divergence: NDArray[np.float64],
    p: NDArray[np.float64],
) -> None:
    """Write the divergence and p of each group that has enough documents."""
    n_groups = instances.group_start.size - 1
    mean = np.zeros(share.size)
    ratio = np.zeros((2, share.size))  # log (Q / P): where Q is, and at the border
    for group in range(n_groups):
        first, stop = instances.group_start[group], instances.group_start[group + 1]
        n = _mean(instances, documents, first, stop, least, mean)
        if n < least:
            continue
        divergence[group] = _divergence(mean, share, ratio[0])
        p[group] = 1.0
        if divergence[group] < delta:
            _to_border(share, ratio, delta)
            variance = _variance(instances, documents, first, stop, ratio)
            if variance > NOTHING:  # documents that do not differ are no evidence
                away = (delta - divergence[group]) / math.sqrt(variance / n)
                p[group] = 0.5 * math.erfc(away / math.sqrt(2.0))


@part
def _rest(instances: _Instances, documents: _Documents, i: int, stop: int) -> tuple[int, int]:
    """Return the first instance behind i's document, and the tokens of that document outside instances."""
    document = instances.document[i]
    left = documents.length[document]
    while i < stop and instances.document[i] == document:
        left -= instances.length[i]
        i += 1
    return i, left


@part
def _mean(
    instances: _Instances, documents: _Documents, first: int, stop: int, least: int, mean: NDArray[np.float64]
) -> int:
    """Write Q, the mean of the topic shares of the rests of documents; return the number of documents."""
    for k in range(mean.size):
        mean[k] = 0.0
    n = 0
    i = first
    while stop - first >= least and i < stop:
        behind, left = _rest(instances, documents, i, stop)
        if left > 0:
            n += 1
            document, part = instances.document[i], 1.0 / left
            for entry in range(documents.start[document], documents.start[document + 1]):
                mean[documents.topic[entry]] += part * documents.tokens[entry]
            for j in range(i, behind):
                mean[instances.topic[j]] -= part * instances.length[j]
        i = behind
    for k in range(mean.size):
        mean[k] = mean[k] / n if mean[k] > NOTHING else 0.0
    return n


@part
def _variance(
    instances: _Instances, documents: _Documents, first: int, stop: int, ratio: NDArray[np.float64]
) -> float:
    """Return the variance, over the rests of documents, of Σ_k θ_dk log (Q_k / P_k).

    ``ratio`` has two rows of these logarithms; the larger variance is returned.
    """
    n = 0
    mean_0, mean_1, squares_0, squares_1 = 0.0, 0.0, 0.0, 0.0
    i = first
    while i < stop:
        behind, left = _rest(instances, documents, i, stop)
        if left > 0:
            document, x_0, x_1 = instances.document[i], 0.0, 0.0
            for entry in range(documents.start[document], documents.start[document + 1]):
                x_0 += documents.tokens[entry] * ratio[0, documents.topic[entry]]
                x_1 += documents.tokens[entry] * ratio[1, documents.topic[entry]]
            for j in range(i, behind):
                x_0 -= instances.length[j] * ratio[0, instances.topic[j]]
                x_1 -= instances.length[j] * ratio[1, instances.topic[j]]
            n += 1
            off_0, off_1 = x_0 / left - mean_0, x_1 / left - mean_1
            mean_0 += off_0 / n
            mean_1 += off_1 / n
            squares_0 += off_0 * (x_0 / left - mean_0)
            squares_1 += off_1 * (x_1 / left - mean_1)
        i = behind
    return max(squares_0, squares_1) / (n - 1)


@part
def _divergence(mean: NDArray[np.float64], share: NDArray[np.float64], ratio: NDArray[np.float64]) -> float:
    """Return KL(Q ‖ P) and write log (Q_k / P_k) to ``ratio``; the log is 0 where Q_k is 0."""
    total = 0.0
    for k in range(mean.size):
        ratio[k] = math.log(mean[k] / share[k]) if mean[k] > 0.0 else 0.0
        total += mean[k] * ratio[k]
    return total


@part
def _to_border(share: NDArray[np.float64], ratio: NDArray[np.float64], delta: float) -> None:
    """Follow the curve from P through Q until KL is δ, and write the logarithms there to the second row."""
    near, far = 1.0, 2.0
    while far < 1e6 and _tilt(share, ratio, far) < delta:
        near, far = far, 2.0 * far
    for _ in range(20):
        middle = 0.5 * (near + far)
        if _tilt(share, ratio, middle) < delta:
            near = middle
        else:
            far = middle
    _tilt(share, ratio, far)


@part
def _tilt(share: NDArray[np.float64], ratio: NDArray[np.float64], t: float) -> float:
    """Return KL of P_k^(1 - t) Q_k^t, normalised, from P; write its logarithms to the second row."""
    highest = ratio[0, 0]
    for k in range(1, share.size):
        highest = max(highest, ratio[0, k])
    total = 0.0
    for k in range(share.size):
        total += share[k] * math.exp(t * (ratio[0, k] - highest))
    result = 0.0
    for k in range(share.size):
        ratio[1, k] = t * (ratio[0, k] - highest) - math.log(total)
        result += share[k] * math.exp(ratio[1, k]) * ratio[1, k]
    return result
