"""Coherence: whether the phrases of a topic occur together more often than by chance.

:func:`npmi` is the mean normalised pointwise mutual information of each two phrases of a topic (Bouma 2009;
Aletras and Stevenson 2013). :func:`c_v` is C_V of Röder, Both and Hinneburg (2015): each phrase is described
by its NPMI with all phrases of the topic, and compared with the topic, the sum of these vectors, by the
cosine::

                  a     b     c                          a: cos((1, ½, 0), (1½, 1½, 1)) = 0.86
    NPMI    a     1     ½     0                          b: cos((½, 1, 0), (1½, 1½, 1)) = 0.86
            b     ½     1     0                          c: cos((0, 0, 1), (1½, 1½, 1)) = 0.43
            c     0     0     1     sum  1½   1½   1     C_V = 0.71,  NPMI = (½ + 0 + 0) / 3 = 0.17

For words these are gensim's ``c_npmi`` and ``c_v``, but for one thing: of a word that stands twice in a
window, gensim (4.4) loses sight as soon as the window has left the first behind, and counts too few windows.

A phrase occurs wherever its stems stand side by side, inside longer phrases too. So of two phrases of which
one contains the other, "support vector" and "support vector machine", the longer never occurs without the
shorter, and they would be called coherent for nothing: no phrase is compared with one that it contains or
that contains it. Phrases that only share a word are compared. A phrase that a topic lists twice counts once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from topminer._parameters import whole
from topminer.evaluation.contract import Score
from topminer.evaluation.occurrences import EPSILON, Occurrences, npmi_of_counts
from topminer.methods.contract import Stems
from topminer.progress import Progress, silent
from topminer.text.corpus import Corpus

Topics = Sequence[Sequence[Stems]]

NOTHING = 1e-9  # vectors shorter than this are sums that cancel out, but for rounding


def npmi(
    topics: Topics,
    corpus: Corpus,
    *,
    n: int = 10,
    window: int | None = 10,
    contiguous: bool = True,
    reference: Corpus | None = None,
    eps: float = EPSILON,
    progress: Progress = silent,
) -> Score:
    """Mean NPMI of each two of a topic's first ``n`` phrases, from -1 to 1.

    ``window`` is how many kept tokens a sliding window has; None: whole documents. Without ``contiguous``, a
    phrase occurs where all its words do, in any order. With a ``reference``, occurrences are counted there
    and not in ``corpus``; its words are known by their stems. ``eps`` is added to the probability of a pair.
    With it, as in gensim, phrases that never occur together are the nearer to 0 the rarer they are, which
    flatters rare phrases; with 0 they are -1. A phrase that never occurs has an NPMI of -1 with all others. A
    topic has no value, None, if no two of its phrases can be compared.

    >>> texts = ["apple pear", "apple pear plum", "iron tin", "tin iron gold"]
    >>> corpus = Corpus.from_texts(texts)
    >>> apple, pear, tin = ((corpus.vocabulary["surface"].to_list().index(word),)
    ...                     for word in ["apple", "pear", "tin"])
    >>> found = npmi([[apple, pear], [apple, tin]], corpus)
    >>> [round(value, 2) for value in found.topics]
    [1.0, -0.95]
    """

    def mean_of_pairs(counts: NDArray[np.int64], apart: NDArray[np.bool_], n_units: int) -> float | None:
        values = npmi_of_counts(counts, n_units, eps)[np.triu(apart, 1)]
        return float(values.mean()) if values.size else None

    return _scored(mean_of_pairs, topics, corpus, n, window, contiguous, reference, progress)


def c_v(
    topics: Topics,
    corpus: Corpus,
    *,
    n: int = 10,
    window: int | None = 110,
    contiguous: bool = True,
    reference: Corpus | None = None,
    eps: float = EPSILON,
    progress: Progress = silent,
) -> Score:
    """C_V of each topic, from -1 to 1, in practice above 0.

    The one-set segmentation, NPMI with γ = 1 and the cosine; parameters as in :func:`npmi`. Of a phrase that
    never occurs nothing is known: its NPMI with all phrases is taken as 0, and so is its likeness to the
    topic. (With -1, phrases that never occur would be like each other.)

    >>> corpus = Corpus.from_texts(["apple pear", "apple pear plum", "iron tin", "tin iron gold"])
    >>> apple, pear, tin = ((corpus.vocabulary["surface"].to_list().index(word),)
    ...                     for word in ["apple", "pear", "tin"])
    >>> found = c_v([[apple, pear], [apple, tin]], corpus)
    >>> [round(value, 2) for value in found.topics]
    [1.0, 0.03]
    """

    def mean_cosine(counts: NDArray[np.int64], apart: NDArray[np.bool_], n_units: int) -> float | None:
        vectors = npmi_of_counts(counts, n_units, eps)
        never = counts.diagonal() == 0
        vectors[never] = vectors[:, never] = 0.0
        cosines = []
        for i in np.flatnonzero(apart.any(axis=1)):
            rest = apart[i].copy()
            rest[i] = True
            own = vectors[i, rest]
            whole = vectors[np.ix_(rest, rest)].sum(axis=0)
            size = math.sqrt(float(own @ own)) * math.sqrt(float(whole @ whole))
            cosines.append(min(max(float(own @ whole) / size, -1.0), 1.0) if size > NOTHING else 0.0)
        return math.fsum(cosines) / len(cosines) if cosines else None

    return _scored(mean_cosine, topics, corpus, n, window, contiguous, reference, progress)


def _scored(
    measure: Callable[[NDArray[np.int64], NDArray[np.bool_], int], float | None],
    topics: Topics,
    corpus: Corpus,
    n: int,
    window: int | None,
    contiguous: bool,
    reference: Corpus | None,
    progress: Progress,
) -> Score:
    """The measure of each topic, from its counts and from which of its phrases can be compared."""
    whole("the number of phrases of a topic", n, 1)
    chosen = [list(dict.fromkeys(tuple(map(int, phrase)) for phrase in topic[:n])) for topic in topics]
    looked_at = corpus if reference is None else reference.in_vocabulary_of(corpus)
    found = Occurrences.of(
        looked_at,
        (phrase for topic in chosen for phrase in topic),
        window=window,
        contiguous=contiguous,
        progress=progress,
    )
    values = []
    for k, topic in enumerate(chosen):
        values.append(measure(found.counts(topic), _apart(topic, contiguous), found.n_units))
        progress("Measuring coherence", k + 1, len(chosen), "topics")
    return Score.of(values)


def _apart(topic: Sequence[Stems], contiguous: bool) -> NDArray[np.bool_]:
    """Which phrases neither contain each other nor are the same, (phrases, phrases)."""

    def within(a: Stems, b: Stems) -> bool:
        if not contiguous:
            return set(a) <= set(b)
        return any(b[i : i + len(a)] == a for i in range(len(b) - len(a) + 1))

    inside = np.array([within(a, b) for a in topic for b in topic], np.bool_).reshape(len(topic), len(topic))
    return ~(inside | inside.T)
