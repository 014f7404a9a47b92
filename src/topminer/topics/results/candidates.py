"""What a page holds of each topic, so that it can order, tie and hide phrases by itself.

A page has every entry and word that is among the first in some order: the best, by frequency, by KERT's
score, or by relevance with some λ.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from topminer.topics.results.entries import RELEVANCE, Entries
from topminer.topics.results.listing import LONGEST
from topminer.topics.results.ranking import foremost
from topminer.topics.results.words import LikelyWords

LAMBDAS = (0.0, 0.3, RELEVANCE, 1.0)


def candidates(entries: Entries, n: int) -> list[NDArray[np.int64]]:
    """Return the places in ``frequency`` of the candidates of each topic.

    These are the first ``n`` of each order among phrases, among background phrases, and among single words.
    Single words are ordered by relevance with the two higher λ: words have lists of their own.
    """
    frequency = entries.frequency
    several = (entries.lengths > 1)[frequency.types]
    hidden = entries.background.declared[frequency.types]
    kinds = [several & ~hidden, several & hidden, ~several]
    # Of equal scores the more frequent come first.
    slight = 1e-9 * np.log1p(entries.totals[frequency.types])
    orders = [entries.scores("relevance", lam) + slight for lam in LAMBDAS]
    orders += [entries.scores("frequency") + slight, entries.scores("kert") + slight, best_of(entries)]
    found = []
    for here in entries.places:
        parts = [here[kind[here]] for kind in kinds]
        chosen = [_highest(part, scores, n) for part in parts[:2] for scores in orders]
        chosen += [_highest(parts[2], scores, n) for scores in orders[2:4]]
        found.append(np.unique(np.concatenate(chosen)))
    return found


def best_of(entries: Entries) -> NDArray[np.float64]:
    """Return the scores of the best order; -inf for what a list leaves out: too long, or not typical."""
    is_listed = entries.is_typical & (entries.shown_words <= LONGEST)[entries.frequency.types]
    return np.where(is_listed, entries.scores("best"), -np.inf)


def _highest(places: NDArray[np.int64], scores: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    return places if places.size <= n else places[np.argpartition(-scores[places], n)[:n]]


def frequent_background(entries: Entries, n: int) -> NDArray[np.int64]:
    """Return the ``n`` most frequent background phrases of several words, in ascending order."""
    chosen = np.flatnonzero(entries.background.declared & (entries.lengths > 1))
    return np.sort(chosen[foremost(entries.totals[chosen], n)])


def candidate_words(words: LikelyWords, hidden: NDArray[np.bool_], n: int) -> NDArray[np.int64]:
    """Return which of the likely words are among the first ``n`` in some order, in ascending order.

    ``hidden`` are those that a list leaves out: of the best order, the first of the others are also found.
    """
    scores = [words.scores("best"), *(words.scores("relevance", lam) for lam in LAMBDAS)]
    shown = np.flatnonzero(~hidden)
    ranked = [foremost(each, n) for each in scores]
    return np.unique(np.concatenate([*ranked, shown[foremost(scores[0][shown], n)]]))
