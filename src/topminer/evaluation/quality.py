"""How good the phrases of a method are, against lists that people made.

The topics' lists are pooled the same way for every method: all first places, then all second ones, and so on,
each phrase where it stands first. Precision at n is the share of good phrases among the first n of that list;
where a list has judged phrases, good and bad, among those of the first n that were judged::

    topics: [neural network, of course], [support vector, neural network]
    pooled: neural network, support vector, of course
    judged good: neural network; bad: of course         precision at 3: 1 of the 2 that were judged

Recall asks how many of the good phrases that the corpus has often enough are found at all. A method whose
phrases are sets of words (KERT) gives them no order: its phrases, and then those of the list too, are
compared as sorted stems.

Single words are no phrases here. What is not defined is None: precision at n of a shorter list, or where
nothing was judged; recall where no good phrase is frequent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.evaluation.gold import Gold
from topminer.methods.contract import Stems
from topminer.phrases.phrase_index import places_of, supports_of
from topminer.text.corpus import Corpus

NS = (10, 50, 100, 200, 500, 1000)
LEAST = 5  # occurrences of a phrase that a method may be expected to find

Topics = Sequence[Sequence[Stems]]


class Quality(NamedTuple):
    """Phrases against a list, or against the keyphrases that documents were given."""

    gold: str
    precision: dict[int, float | None]  # by n
    n_counted: dict[int, int]  # of the first n, those that precision is a share of
    recall: float | None  # of keyphrases: the mean over documents
    n_relevant: int  # good phrases that could have been found; of keyphrases: documents that have any


def pooled(topics: Topics) -> list[Stems]:
    """All phrases of several words in one list: first places first, each phrase once.

    >>> pooled([[(1, 2), (3, 4)], [(5, 6), (1, 2), (7, 8)]])
    [(1, 2), (5, 6), (3, 4), (7, 8)]
    """
    lists = [[tuple(stems) for stems in topic if len(stems) > 1] for topic in topics]
    longest = max(map(len, lists), default=0)
    return list(dict.fromkeys(each[rank] for rank in range(longest) for each in lists if rank < len(each)))


def quality(
    topics: Topics,
    gold: Gold,
    corpus: Corpus,
    *,
    ns: Sequence[int] = NS,
    contiguous: bool = True,
    least: int = LEAST,
) -> Quality:
    """Precision, at each of ``ns``, and recall of the phrases of topics, the best of each topic first.

    Without ``contiguous``, phrases are sets of words. Good phrases that occur fewer than ``least`` times side
    by side are not expected to be found.
    """
    found = _keys(pooled(topics), contiguous)
    good = set(_keys(gold.good, contiguous))
    bad = set(_keys(gold.bad, contiguous)) - good
    counted = [each in good or not gold.judged or each in bad for each in found]
    precision, n_counted = _precision([each in good for each in found], counted, ns)
    relevant = set(_keys(_frequent(corpus, gold.good, least), contiguous))
    recall = len(relevant.intersection(found)) / len(relevant) if relevant else None
    return Quality(gold.name, precision, n_counted, recall, len(relevant))


def keyphrase_agreement(
    topics: Topics,
    keyphrases: Sequence[frozenset[Stems]],
    corpus: Corpus,
    *,
    ns: Sequence[int] = NS,
    contiguous: bool = True,
) -> Quality:
    """Precision and recall of the phrases of topics, against the keyphrases of each document.

    Recall is a mean over documents: of a document's own keyphrases of several words that stand in it, side by
    side, the share that the method found, in whatever topic. Documents without any do not count.

    ``keyphrases`` (documents,) are those of :func:`topminer.evaluation.gold.gold_of_keyphrases`; the other
    parameters those of :func:`quality`.
    """
    if len(keyphrases) != len(corpus):
        raise InputError(f"keyphrases of {len(keyphrases):,} documents; the corpus has {len(corpus):,}")
    found = _keys(pooled(topics), contiguous)
    union = sorted(frozenset().union(*keyphrases))
    good = set(_keys(union, contiguous))
    precision, n_counted = _precision([each in good for each in found], [True] * len(found), ns)
    number_of = {stems: i for i, stems in enumerate(union)}
    known = set(found)
    is_found = np.array([_key(stems, contiguous) in known for stems in union], np.bool_)
    shares = []
    for own, here in zip(keyphrases, _by_document(corpus, union), strict=True):
        expected = np.intersect1d([number_of[stems] for stems in own], here).astype(np.int64)
        if expected.size:
            shares.append(float(is_found[expected].mean()))
    recall = float(np.mean(shares)) if shares else None
    return Quality("keyphrases", precision, n_counted, recall, len(shares))


def _keys(phrases: Sequence[Stems] | frozenset[Stems], contiguous: bool) -> list[Stems]:
    """What phrases are compared by, each once: their stems in order, or without one."""
    return list(dict.fromkeys(_key(stems, contiguous) for stems in phrases))


def _key(stems: Stems, contiguous: bool) -> Stems:
    return stems if contiguous else tuple(sorted(stems))


def _precision(
    good: Sequence[bool], counted: Sequence[bool], ns: Sequence[int]
) -> tuple[dict[int, float | None], dict[int, int]]:
    """Of the first n the share of good ones among those that count, and how many count."""
    precision: dict[int, float | None] = {}
    n_counted = {}
    for n in ns:
        if n < 1:
            raise InputError(f"precision is of the first 1 or more phrases, not of {n}")
        n_counted[n] = sum(counted[:n])
        defined = len(good) >= n and n_counted[n] > 0
        precision[n] = sum(good[:n]) / n_counted[n] if defined else None
    return precision, n_counted


def _frequent(corpus: Corpus, phrases: frozenset[Stems], least: int) -> list[Stems]:
    """Those that stand in the corpus, side by side, at least so often."""
    listed = sorted(phrases)
    often = supports_of(corpus, listed) >= least
    return [listed[i] for i in np.flatnonzero(often).tolist()]


def _by_document(corpus: Corpus, phrases: list[Stems]) -> list[NDArray[np.int32]]:
    """The numbers of the phrases that stand in each document."""
    start, first = places_of(corpus, phrases)
    order = np.argsort(first, kind="stable")
    which = np.repeat(np.arange(len(phrases), dtype=np.int32), np.diff(start))[order]
    return np.split(which, np.searchsorted(first[order], corpus.doc_start[1:-1]))
