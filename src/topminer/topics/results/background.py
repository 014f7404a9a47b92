"""Background phrases ("paper we propose"): those that are shown to belong to no topic in particular.

A phrase stands in documents, and documents have topics. Let Q be the mean, over the documents that hold the
phrase, of the topic shares of the *rest* of the document, and P the corpus's own shares. A background phrase
stands in documents of all kinds, so Q is near P. How near is the Kullback-Leibler divergence::

    KL(Q ‖ P) = Σ_k Q_k log (Q_k / P_k)        "paper describes" 0.03, "machine translation" 0.3

(The topics that the sampler gave the phrase's own instances tell less: priors that are fitted have a topic
for such phrases, and there they all are.)

The test is one of equivalence. It holds a phrase for topical, KL ≥ δ, until its documents show the contrary;
so a rare phrase stays in its topics, for want of evidence. For δ see :func:`delta_for`. KL is a smooth
function of a mean over documents, whence its standard error: that of Σ_k θ_dk log (Q_k / P_k) over the
documents d. Near P this shrinks to nothing, while a phrase at the border would have had more; so the error
is taken at the border as well, on the curve of P_k^(1 - t) Q_k^t where KL is δ, and the larger one counts.
KL is also estimated too high when documents are few, which errs on the safe side. The false discovery rate
is held over the phrases that are declared background (Benjamini and Hochberg 1995).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.jit import kernel
from topminer.phrases.partition import Partition
from topminer.topics.model.phraselda import PhraseLDA

DELTA, OF_ENTROPY = 0.2, 0.1  # nats at most, and of all that a topic can tell
RATE = 0.05  # of false discoveries
NOTHING = 1e-9  # what rounding leaves of a difference
LEAST_DOCUMENTS = 10  # below, there is nothing to estimate an error from


class Background(NamedTuple):
    """What the test says of each group of phrase types."""

    divergence: NDArray[np.float64]  # KL(Q ‖ P); nan where it was not tested
    p: NDArray[np.float64]  # of seeing such a small one if it were δ; nan where it was not tested
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
    rate: float = RATE,
) -> Background:
    """Test every group of phrase types; ``group_of`` says the group of each type, by default its own.

    ``partition`` is the one that the topics of ``lda`` were found in. ``delta`` is :func:`delta_for` unless
    told otherwise.
    """
    group_of = np.arange(partition.n_types) if group_of is None else group_of
    documents = _documents(lda, len(partition))
    instances = _instances(partition, lda, group_of)
    share = lda.topic_weight_.astype(np.float64)
    border = delta_for(share) if delta is None else delta
    divergence, p = _test(instances, documents, share, border, LEAST_DOCUMENTS)
    return Background(divergence, p, discoveries(p, rate))


def delta_for(share: NDArray[np.float64]) -> float:
    """δ where topics have these shares: 0.2 nats, or a tenth of their entropy where that is less.

    Of two topics a phrase can tell little: one that is three times as often in one as in the other is 0.13
    away from their mean.

    >>> [round(delta_for(np.full(n, 1 / n)), 3) for n in (1, 2, 5, 20)]
    [0.0, 0.069, 0.161, 0.2]
    """
    some = share[share > 0]
    return float(min(DELTA, OF_ENTROPY * max(0.0, -(some * np.log(some)).sum())))


def discoveries(p: NDArray[np.float64], rate: float) -> NDArray[np.bool_]:
    """Those that may be declared with a false discovery rate of at most ``rate``; nan was not tested.

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
    # One more group, for words that the model does not know: it comes last, and is left out.
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
    """The document, topic and length of each clique, by group; those of a group stay in order."""
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
    instances: _Instances, documents: _Documents, share: NDArray[np.float64], delta: float, least: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    n_groups = instances.group_start.size - 1
    divergence, p = np.full(n_groups, np.nan), np.full(n_groups, np.nan)
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
            variance = max(
                _variance(instances, documents, first, stop, ratio[0]),
                _variance(instances, documents, first, stop, ratio[1]),
            )
            if variance > NOTHING:  # documents that do not differ are no evidence
                away = (delta - divergence[group]) / math.sqrt(variance / n)
                p[group] = 0.5 * math.erfc(away / math.sqrt(2.0))
    return divergence, p


@kernel
def _rest(instances: _Instances, documents: _Documents, i: int, stop: int) -> tuple[int, int]:
    """The next instance that stands in another document than i, and how many tokens this one has besides."""
    document = instances.document[i]
    left = documents.length[document]
    while i < stop and instances.document[i] == document:
        left -= instances.length[i]
        i += 1
    return i, left


@kernel
def _mean(
    instances: _Instances, documents: _Documents, first: int, stop: int, least: int, mean: NDArray[np.float64]
) -> int:
    """Put down Q, the mean of the topic shares of the rests of documents, and tell how many there are."""
    mean[:] = 0.0
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


@kernel
def _variance(
    instances: _Instances, documents: _Documents, first: int, stop: int, ratio: NDArray[np.float64]
) -> float:
    """The variance, over the rests of documents, of Σ_k θ_dk log (Q_k / P_k)."""
    n, mean, squares = 0, 0.0, 0.0
    i = first
    while i < stop:
        behind, left = _rest(instances, documents, i, stop)
        if left > 0:
            document, x = instances.document[i], 0.0
            for entry in range(documents.start[document], documents.start[document + 1]):
                x += documents.tokens[entry] * ratio[documents.topic[entry]]
            for j in range(i, behind):
                x -= instances.length[j] * ratio[instances.topic[j]]
            n += 1
            off = x / left - mean
            mean += off / n
            squares += off * (x / left - mean)
        i = behind
    return squares / (n - 1)


@kernel
def _divergence(mean: NDArray[np.float64], share: NDArray[np.float64], ratio: NDArray[np.float64]) -> float:
    """KL(Q ‖ P), and its logarithms; 0 where Q is, which no document has."""
    total = 0.0
    for k in range(mean.size):
        ratio[k] = math.log(mean[k] / share[k]) if mean[k] > 0.0 else 0.0
        total += mean[k] * ratio[k]
    return total


@kernel
def _to_border(share: NDArray[np.float64], ratio: NDArray[np.float64], delta: float) -> None:
    """Go on from P through Q until KL is δ, and put down the logarithms there."""
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


@kernel
def _tilt(share: NDArray[np.float64], ratio: NDArray[np.float64], t: float) -> float:
    """KL of P_k^(1 - t) Q_k^t, normalised, from P; its logarithms go to the second row."""
    highest = ratio[0].max()
    total = 0.0
    for k in range(share.size):
        total += share[k] * math.exp(t * (ratio[0, k] - highest))
    result = 0.0
    for k in range(share.size):
        ratio[1, k] = t * (ratio[0, k] - highest) - math.log(total)
        result += share[k] * math.exp(ratio[1, k]) * ratio[1, k]
    return result
