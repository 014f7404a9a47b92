"""In how many documents, or sliding windows, phrases occur: alone and in pairs.

A window is a number of kept tokens in a row of one document; stop words are gone, and the ends of chunks do
not matter to it. It moves on token by token, as in Röder, Both and Hinneburg (2015), and a document shorter
than the window is one window. A phrase occurs in a window that holds all of it.

No window is looked at. The windows around one occurrence have consecutive numbers, so what holds a phrase is
a list of runs of windows, and what holds two phrases is where the runs of both overlap::

    window 3     tokens   a b c d a          windows  0: a b c   1: b c d   2: c d a
    a  at 0, 4   runs [0, 1), [2, 3)         2 windows
    b c  at 1    run  [0, 2)                 2 windows, 1 of them together with a
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from topminer._parameters import whole_or_none
from topminer.errors import InputError
from topminer.jit import bare_kernel
from topminer.methods.contract import Stems
from topminer.phrases.phrase_index import places_of
from topminer.progress import Progress, silent
from topminer.text.corpus import Corpus

STAGE = "Counting where phrases occur"
EPSILON = 1e-12  # what Röder et al., and gensim, add to the probability of a pair


@dataclass(frozen=True, eq=False, repr=False)
class Occurrences:
    """The documents or windows in which given phrases occur. Made by :meth:`of`.

    Run i is the units from ``first[i]`` to before ``stop[i]``; runs of a phrase ascend and do not touch.
    """

    n_units: int  # documents or windows, those without kept tokens included
    number_of: dict[Stems, int]  # the phrases, numbered
    start: NDArray[np.int64]  # (phrases + 1,): first run of each phrase
    first: NDArray[np.int64]
    stop: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        phrases: Iterable[Stems],
        *,
        window: int | None = None,
        contiguous: bool = True,
        progress: Progress = silent,
    ) -> Occurrences:
        """Find where phrases occur, in windows of so many tokens; in whole documents if ``window`` is None.

        A phrase occurs where its stems stand side by side in one chunk, inside longer phrases too; without
        ``contiguous``, where all its words occur in the document or window, in any order. A phrase with an id
        below 0, or without any, occurs nowhere.

        >>> corpus = Corpus.from_texts(["support vector machine", "support vector", "machine translation"])
        >>> support, vector, machine = (corpus.vocabulary["stem"].to_list().index(stem) for stem in
        ...                             ["support", "vector", "machin"])
        >>> found = Occurrences.of(corpus, [(support, vector), (machine,)])
        >>> found.n_units, found.counts([(support, vector), (machine,)]).tolist()
        (3, [[2, 1], [1, 2]])
        """
        window = whole_or_none("the window", window, 1)
        asked = sorted({tuple(map(int, phrase)) for phrase in phrases})
        sought = asked if contiguous else sorted({(stem,) for phrase in asked for stem in phrase})
        sought = [phrase for phrase in sought if min(phrase, default=-1) >= 0]
        progress(STAGE, 0, corpus.n_tokens, "tokens")
        lengths = np.diff(corpus.doc_start)
        size = int(lengths.max(initial=1)) if window is None else window
        unit_start = np.append(0, np.cumsum(np.maximum(lengths - size + 1, 1)))
        places = places_of(corpus, sought)
        length = np.array([len(phrase) for phrase in sought], np.int64)
        runs = _runs(places.start, places.first, length, corpus.doc_start, unit_start, size)
        runs = _gathered(asked, {phrase: i for i, phrase in enumerate(sought)}, *runs, contiguous)
        progress(STAGE, corpus.n_tokens, corpus.n_tokens, "tokens")
        return cls(int(unit_start[-1]), {phrase: i for i, phrase in enumerate(asked)}, *runs)

    def counts(self, phrases: Sequence[Stems]) -> NDArray[np.int64]:
        """In how many units each two phrases occur together, (phrases, phrases); on the diagonal, alone."""
        numbers = np.array([self.number_of[phrase] for phrase in phrases], np.int64)
        counts = np.zeros((numbers.size, numbers.size), np.int64)
        runs = [slice(*self.start[[number, number + 1]]) for number in numbers]
        for a, one in enumerate(runs):
            for b, other in enumerate(runs[: a + 1]):
                first, stop = self.first[other], self.stop[other]
                before, after = (_n_covered(first, stop, units[one]) for units in (self.first, self.stop))
                counts[a, b] = counts[b, a] = (after - before).sum()
        return counts

    def npmi(self, a: Stems, b: Stems, eps: float = 0.0) -> float:
        """Normalised pointwise mutual information of two phrases; see :func:`npmi_of_counts`."""
        counts = self.counts([a, b])
        return float(npmi_of_counts(counts, self.n_units, eps)[0, 1])


def npmi_of_counts(counts: NDArray[np.int64], n_units: int, eps: float = 0.0) -> NDArray[np.float64]:
    """Normalised pointwise mutual information (Bouma 2009) of each two phrases, from -1 to 1.

    It is log (P(a, b) / (P(a) P(b))) / −log P(a, b). 1: neither occurs without the other; 0: together as
    often as by chance; -1: never together. Of phrases that both occur everywhere nothing can be told: 0.

    Röder et al. and gensim add ``eps`` = 1e-12 to P(a, b). That matters only at the extremes. Phrases that
    are never together get −1 + log(P(a) P(b)) / log(eps), nearer to 0 the rarer they are: -0.5 where both
    occur once in 1,000 units. Phrases that both occur everywhere get -1. A phrase that never occurs, of which
    gensim makes infinity or NaN, gets -1 with all others, whatever ``eps`` is.
    """
    if not 0.0 <= eps < 1.0:
        raise InputError(f"eps is added to a probability: it must be at least 0 and below 1, not {eps}")
    alone = counts.diagonal() / max(n_units, 1)
    both = counts / max(n_units, 1) + eps
    chance = np.outer(alone, alone)
    values = np.full(counts.shape, -1.0)
    known = (chance > 0.0) & (both > 0.0)
    values[known & (both == 1.0)] = 0.0
    known &= both != 1.0
    values[known] = np.log(both[known] / chance[known]) / -np.log(both[known])
    np.clip(values, -1.0, 1.0, out=values)
    return values


_Runs = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def _gathered(
    asked: list[Stems],
    row_of: dict[Stems, int],
    start: NDArray[np.int64],
    first: NDArray[np.int64],
    stop: NDArray[np.int64],
    contiguous: bool,
) -> _Runs:
    """The runs of the phrases that were asked for, from those of the phrases that were sought."""

    def of(phrase: Stems) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        row = row_of.get(phrase)
        here = slice(0, 0) if row is None else slice(start[row], start[row + 1])
        return first[here], stop[here]

    found = []
    for phrase in asked:
        parts = [phrase] if contiguous or not phrase else [(stem,) for stem in sorted(set(phrase))]
        runs = of(parts[0])
        for part in parts[1:]:
            runs = _meeting(runs, of(part))
        found.append(runs)
    return _joined(found)


def _runs(
    place_start: NDArray[np.int64],
    places: NDArray[np.int32] | NDArray[np.int64],
    length: NDArray[np.int64],
    doc_start: NDArray[np.int64],
    unit_start: NDArray[np.int64],
    size: int,
) -> _Runs:
    """Runs of units that hold each phrase, from its places in the order of tokens."""
    runs = []
    for phrase, n_words in enumerate(length):
        place = places[place_start[phrase] : place_start[phrase + 1]].astype(np.int64)
        document = np.searchsorted(doc_start, place, side="right") - 1
        here = np.minimum(size, doc_start[document + 1] - doc_start[document])
        fits = n_words <= here
        place, document, here = place[fits], document[fits], here[fits]
        # The window at t holds the occurrence if t ≤ its first token and its last token < t + size.
        behind = unit_start[document] + place - doc_start[document]
        low = np.maximum(behind + n_words - here, unit_start[document])
        high = np.minimum(behind + 1, unit_start[document + 1])
        opens = np.flatnonzero(np.append(True, low[1:] > high[:-1])[: low.size])
        runs.append((low[opens], high[np.append(opens[1:], low.size)[: opens.size] - 1]))
    return _joined(runs)


def _joined(runs: list[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> _Runs:
    """The runs of all phrases, one phrase after the other."""
    starts = np.append(0, np.cumsum([first.size for first, _ in runs], dtype=np.int64))
    none = [np.empty(0, np.int64)]
    return starts, np.concatenate(none + [a for a, _ in runs]), np.concatenate(none + [b for _, b in runs])


def _meeting(
    a: tuple[NDArray[np.int64], NDArray[np.int64]], b: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Runs of the units that are in runs of both."""
    first, stop = np.empty((2, a[0].size + b[0].size), np.int64)
    n = _meet(*a, *b, first, stop)
    return first[:n].copy(), stop[:n].copy()


@bare_kernel
def _meet(
    first_a: NDArray[np.int64],
    stop_a: NDArray[np.int64],
    first_b: NDArray[np.int64],
    stop_b: NDArray[np.int64],
    first: NDArray[np.int64],
    stop: NDArray[np.int64],
) -> int:
    """Write the runs of the units that are in runs of both; how many they are."""
    i = j = n = 0
    while i < first_a.size and j < first_b.size:
        low = first_a[i] if first_a[i] > first_b[j] else first_b[j]
        high = stop_a[i] if stop_a[i] < stop_b[j] else stop_b[j]
        if low < high:
            first[n], stop[n] = low, high
            n += 1
        if stop_a[i] < stop_b[j]:
            i += 1
        else:
            j += 1
    return n


def _n_covered(
    first: NDArray[np.int64], stop: NDArray[np.int64], units: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return how many units before each of some units are covered by ascending runs."""
    run = np.searchsorted(first, units) - 1  # the last run that starts before the unit; -1: none does
    ends = np.append(np.cumsum(stop - first), 0)
    covered: NDArray[np.int64] = ends[run] - np.where(
        run >= 0, np.maximum(np.append(stop, 0)[run] - units, 0), 0
    )
    return covered
