"""Diversity: whether topics differ, or repeat each other's phrases.

The share of distinct words among the first 25 of all topics (Dieng, Ruiz and Blei 2020), and of phrases::

    data mining, decision trees | data mining, query processing        3 distinct of 4: 0.75
"""

from __future__ import annotations

from collections.abc import Sequence

from topminer._parameters import whole
from topminer.methods.contract import Stems


def diversity(topics: Sequence[Sequence[Stems]], n: int = 25, *, contiguous: bool = True) -> float | None:
    """Share of distinct phrases among the first `n` of all topics.

    Parameters
    ----------
    topics : sequence of sequences of tuples of stem ids
        The phrases of each topic, the best first; a word is a tuple of one.
    n : int, default 25
        How many phrases of each topic are looked at; a topic may have fewer. 25 is usual for words, 10 for
        phrases.
    contiguous : bool, default True
        False: a phrase is a set of words, the same in whatever order they stand.

    Returns
    -------
    float or None
        1: no phrase is listed twice. 1 / topics: all topics are the same. None: there are no phrases.

    Examples
    --------
    >>> diversity([[(3, 4), (7, 1)], [(3, 4), (5,)]])
    0.75
    """
    whole("the number of phrases of a topic", n, 1)
    listed = [tuple(map(int, phrase)) for topic in topics for phrase in topic[:n]]
    if not listed:
        return None
    distinct = set(listed) if contiguous else {frozenset(phrase) for phrase in listed}
    return len(distinct) / len(listed)
