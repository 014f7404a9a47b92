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

from topminer.containers.arrays import ranges
from topminer.engines.local import map_in_order, n_threads_or_all
from topminer.phrases.partition import Partition
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.results.concentration import concentration

# δ is at most so many nats, so much of the entropy of topics, and so much of their concentration.
DELTA, OF_ENTROPY, OF_CONCENTRATION = 0.2, 0.1, 0.4
RATE = 0.05  # of false discoveries
NOTHING = 1e-9  # smaller differences are rounding errors
BLOCK = 1 << 15  # instances tested at a time
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
        divergence[groups], p[groups] = _test(here, documents, share, border, LEAST_DOCUMENTS)

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
    from scipy.sparse import csr_array

    # Words that the model does not know are one more group, the last, which is left out.
    n_groups = int(group_of.max(initial=-1)) + 1
    groups = np.append(group_of, n_groups)[partition.type_ids]
    group_start = np.concatenate(([0], np.cumsum(np.bincount(groups, minlength=n_groups + 1))))
    # The order by group; those of a group stay in order. SciPy sorts by counting.
    order = csr_array((np.arange(groups.size), groups, [0, groups.size]), (1, n_groups + 1)).tocsc().data
    document = np.repeat(np.arange(len(partition), dtype=np.int32), np.diff(partition.doc_start))
    length = np.diff(partition.clique_start).astype(np.int32)
    return _Instances(group_start[:-1], document[order], lda.clique_topic_[order], length[order])


class _Rests(NamedTuple):
    """The rests of documents outside a group's instances, by group."""

    group: NDArray[np.int64]
    n_tokens: NDArray[np.int32]


class _Entries(NamedTuple):
    """Tokens of rests in topics. Those of instances are taken away: they count as negative."""

    rest: NDArray[np.int64]
    topic: NDArray[np.int32]
    tokens: NDArray[np.int32]


def _test(
    instances: _Instances, documents: _Documents, share: NDArray[np.float64], delta: float, least: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the divergence and p of each group; nan where it has fewer than ``least`` rests of documents."""
    n_groups = instances.group_start.size - 1
    divergence, p = np.full(n_groups, np.nan), np.full(n_groups, np.nan)
    group, rests, entries = _rests(instances, documents, least)
    if not group.size:
        return divergence, p
    n = np.bincount(rests.group, minlength=group.size)
    weight = entries.tokens / rests.n_tokens[entries.rest]
    cell = rests.group[entries.rest] * share.size + entries.topic
    mean = np.bincount(cell, weight, group.size * share.size).reshape(group.size, -1) / n[:, None]  # Q
    mean[mean < NOTHING] = 0.0
    ratio = np.log(np.divide(mean, share, out=np.ones_like(mean), where=mean > 0.0))
    divergence[group] = (mean * ratio).sum(axis=1)
    p[group] = 1.0
    near = np.flatnonzero(divergence[group] < delta)
    variance = np.zeros(group.size)
    here = np.isin(rests.group[entries.rest], near)
    for logs in (ratio[near], _at_border(share, ratio[near], delta)):
        ratio[near] = logs
        x = np.bincount(entries.rest[here], weight[here] * ratio.reshape(-1)[cell[here]], rests.group.size)
        center = (np.bincount(rests.group, x) / n)[rests.group]
        variance = np.maximum(variance, np.bincount(rests.group, (x - center) ** 2) / (n - 1))
    near = near[variance[near] > NOTHING]  # documents that do not differ are no evidence
    away = (delta - divergence[group[near]]) / np.sqrt(variance[near] / n[near])
    p[group[near]] = [0.5 * math.erfc(each / math.sqrt(2.0)) for each in away.tolist()]
    return divergence, p


def _rests(
    instances: _Instances, documents: _Documents, least: int
) -> tuple[NDArray[np.int64], _Rests, _Entries]:
    """Return the groups with at least ``least`` rests of documents, these rests, and their tokens."""
    first, stop = instances.group_start[[0, -1]]
    document, topic, length = (each[first:stop] for each in instances[1:])
    group = np.repeat(np.arange(instances.group_start.size - 1), np.diff(instances.group_start))
    opens = np.ones(document.size, np.bool_)
    opens[1:] = (np.diff(document) != 0) | (np.diff(group) != 0)
    places = np.flatnonzero(opens)
    if not places.size:
        return places, _Rests(places, length), _Entries(places, topic, length)
    n_tokens = documents.length[document[places]] - np.add.reduceat(length, places)
    n_rests = np.bincount(group[places], n_tokens > 0, instances.group_start.size - 1)
    tested = np.flatnonzero(n_rests >= least)
    number_of = np.full(n_rests.size, -1)
    number_of[tested] = np.arange(tested.size)
    is_rest = (n_tokens > 0) & (n_rests[group[places]] >= least)
    rest_of = np.where(is_rest, np.cumsum(is_rest) - 1, -1)[np.cumsum(opens) - 1]  # by instance
    places = places[is_rest]
    rests = _Rests(number_of[group[places]], n_tokens[is_rest])
    starts, stops = documents.start[document[places]], documents.start[document[places] + 1]
    at, inside = ranges(starts, stops), rest_of >= 0
    entries = _Entries(
        np.concatenate((np.repeat(np.arange(places.size), stops - starts), rest_of[inside])),
        np.concatenate((documents.topic[at], topic[inside])),
        np.concatenate((documents.tokens[at], -length[inside])),
    )
    return tested, rests, entries


def _at_border(share: NDArray[np.float64], ratio: NDArray[np.float64], delta: float) -> NDArray[np.float64]:
    """Follow the curve from P through Q, in each row, until KL is δ. Return log (Q_k / P_k) there."""
    near, far = np.ones(len(ratio)), np.full(len(ratio), 2.0)
    while (rises := (far < 1e6) & (_tilted(share, ratio, far)[1] < delta)).any():
        near, far = np.where(rises, far, near), np.where(rises, 2.0 * far, far)
    for _ in range(20):
        middle = 0.5 * (near + far)
        is_below = _tilted(share, ratio, middle)[1] < delta
        near, far = np.where(is_below, middle, near), np.where(is_below, far, middle)
    return _tilted(share, ratio, far)[0]


def _tilted(
    share: NDArray[np.float64], ratio: NDArray[np.float64], t: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the logarithms of P_k^(1 - t) Q_k^t, normalised, over P_k, and the divergence from P."""
    logs = t[:, None] * (ratio - ratio.max(axis=1, initial=-np.inf)[:, None])
    logs -= np.log(np.exp(logs) @ share)[:, None]
    return logs, (np.exp(logs) * logs) @ share
