"""Stability: whether another seed finds the same topics.

The topics of two runs are matched one to one first: see topics/results/alignment.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.evaluation.contract import Score
from topminer.topics.results.alignment import matched

__all__ = ["matched", "stability"]


def stability(runs: Sequence[NDArray[np.floating]]) -> Score:
    """How similar the topics of two or more runs are, as distributions of words.

    For each topic of the first run, how similar the topics matched in two runs are: the mean over all pairs
    of runs. 1: every run found the same topics, numbered in whatever way.
    """
    if len(runs) < 2:
        raise InputError(f"stability is a matter of two runs or more, not {len(runs)}")
    from_first = [matched(runs[0], run) for run in runs[1:]]
    found = [similarities for _, similarities in from_first]
    for i, j in combinations(range(1, len(runs)), 2):
        _, similarities = matched(runs[i], runs[j])
        found.append(similarities[from_first[i - 1][0]])  # numbered as in the first run
    topics = np.mean(found, axis=0).tolist()
    if not topics:
        raise InputError("runs have no topics")
    return Score.of(topics)
