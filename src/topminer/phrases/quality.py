"""Quality: how good a finished phrase is. Phrases of low quality are split.

Equation 1 cuts text well, but it is close to the square root of a count, so it judges phrases poorly. Once
Algorithm 2 has cut the text, each phrase type gets one quality: a weighted sum of a few statistics of its
instances (:data:`WEIGHTS`). The weights come from a logistic regression against lists of good phrases
(benchmarks/fit_quality.py), so quality is in units of log odds. 0 is the cut: a phrase below it is split at
its weakest boundary, and the parts are judged in turn until all of them pass or are single words::

                 association   left entropy   completeness   fixedness   quality
    wide range          0.64           2.71           1.00        1.00      2.47   stays
    paper present       0.24           1.50           0.83        0.50     -1.35   paper | present

(in 2,000 abstracts).

A type is judged once, by its instances at that time. The judgement belongs to the type: it also holds for
new documents, and at other thresholds.

All counts are of counted chunks (evidence.py), by atoms (ties.py).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from topminer._parameters import is_auto, number
from topminer.phrases.cliques import find_cliques, split_rejected
from topminer.phrases.instance_counts import POINT, Counts, Text
from topminer.phrases.mining import Mined, splits
from topminer.phrases.phrase_index import PhraseIndex
from topminer.phrases.phrase_tree import PhraseTree
from topminer.phrases.sequence import Bools, Floats, Int32s, Int64s
from topminer.text.scan.classes import ALONE, KIND, classes

# One line for each statistic, with its weight. Those of length are about half of what the regression gives:
# gold lists have few long phrases, and at equal recall the share in gold is not lower.
WEIGHTS = {
    "association": 3.14,  # normalised mutual information of the two parts, at the weakest split
    "left_entropy": 0.66,  # of the word before it, in nats: a whole phrase follows many words
    "completeness": 1.63,  # the share of its places that are instances, and not part of a longer phrase
    "fixedness": 2.99,  # the share of instances written with the most common words between its words
    "capitals": 1.32,  # the share of instances with every word capitalised, times what is unusual about it
    "digit": -1.8,  # one of its words has a digit
    "three_words": -0.74,  # the share of instances of three words, if words are written with blanks between
    "four_words": -1.5,  # likewise, of four or more
}
INTERCEPT = -5.96
N_STATISTICS = len(WEIGHTS)


def check_cut(quality: float | str | None) -> float | None:
    """Return the lowest quality of a phrase, as the parameter ``quality`` says; None: nothing is judged."""
    if quality is None:
        return None
    return 0.0 if is_auto(quality) else number("quality", quality, -1e6, 1e6)


class Judge:
    """Judges phrase types, one round of instances after the other. All arrays are by phrase id."""

    def __init__(self, mined: Mined, index: PhraseIndex, stems: pl.Series, cut: float) -> None:
        n = mined.evidence.size
        self._mined, self._cut = mined, cut
        self._usual_capitals = 0.0
        self.quality = np.full(n, np.nan)  # NaN: not judged
        self.n_left = np.zeros(n, np.int32)  # of a rejected phrase: words before its weakest split; else 0
        self._weakest = np.zeros(n, np.int32)
        self.statistics = np.zeros((n, N_STATISTICS))  # in the order of WEIGHTS
        named = dict(zip(WEIGHTS, self.statistics.T, strict=True))
        self._left_entropy, self._completeness = named["left_entropy"], named["completeness"]
        self._fixedness, self._capitals = named["fixedness"], named["capitals"]
        named["association"][:] = self._associations(index)
        digit, alone = has_digit(stems), stands_alone(stems)
        for flag in (digit, alone):
            flag.resize(n, refcheck=False)
        for length in range(2, mined.max_length + 1):
            ids = slice(mined.length_start[length], mined.length_start[length + 1])
            for flag in (digit, alone):
                flag[ids] = flag[mined.prefix[ids]] | flag[mined.last[ids]]
        named["digit"][:] = digit
        self._three_words, self._four_words, self._alone = named["three_words"], named["four_words"], alone

    def _associations(self, index: PhraseIndex) -> Floats:
        """Return the association of each phrase at its weakest split, and remember where that is."""
        f, n_tokens = self._mined.evidence.astype(np.float64), self._mined.n_tokens
        weakest = np.full(f.size, np.inf)
        for ids, left, right, n_left in splits(self._mined, index):
            together = f[ids] / n_tokens
            with np.errstate(divide="ignore", invalid="ignore"):  # a part may only occur inside tokens
                npmi = np.log(together * n_tokens * n_tokens / (f[left] * f[right])) / -np.log(together)
            npmi = np.where(together < 1, npmi, 1.0)
            is_weaker = npmi < weakest[ids]
            weakest[ids[is_weaker]] = npmi[is_weaker]
            self._weakest[ids[is_weaker]] = n_left
        # A part that often occurs inside tokens (ties.py) may have less evidence than the phrase.
        return np.where(np.isfinite(weakest), np.minimum(weakest, 1.0), 0.0)

    def set_usual_capitals(self, n_capitals: int, n_atoms: int) -> None:
        """Take over how many of the words in counted chunks are capitalised."""
        self._usual_capitals = n_capitals / n_atoms if n_atoms else 0.0

    def judge(self, counts: Counts) -> None:
        """Judge the phrases that have instances. None of them was judged before."""
        ids = np.flatnonzero(counts.instances)
        n = counts.instances[ids].astype(np.float64)
        self._left_entropy[ids] = np.log(n) - counts.n_log_n[ids] / (POINT * n)
        self._completeness[ids] = np.minimum(n / self._mined.evidence[ids], 1.0)
        self._fixedness[ids] = np.maximum(counts.adjacent[ids], counts.most_fixed[ids]) / n
        self._capitals[ids] = (1.0 - self._usual_capitals) * counts.capitals[ids] / n
        self._three_words[ids] = np.where(self._alone[ids], 0.0, counts.three_words[ids] / n)
        self._four_words[ids] = np.where(self._alone[ids], 0.0, counts.four_words[ids] / n)
        self._take(ids, quality_of(self.statistics[ids]))

    def restore(self, ids: Int64s, quality: Floats, statistics: Floats) -> None:
        """Take over the judgement of some phrases, as it was: the weights may have changed since."""
        self.statistics[ids] = statistics
        self._take(ids, quality)

    def _take(self, ids: Int64s, quality: Floats) -> None:
        self.quality[ids] = quality
        rejected = ids[self.quality[ids] < self._cut]
        self.n_left[rejected] = self._weakest[rejected]

    @property
    def ids(self) -> Int64s:
        """The phrases that were judged."""
        return np.flatnonzero(~np.isnan(self.quality))


def quality_of(statistics: Floats) -> Floats:
    """Return the quality that statistics give, (phrases,); they are in the order of :data:`WEIGHTS`."""
    quality = np.full(len(statistics), INTERCEPT)
    for value, weight in zip(statistics.T, WEIGHTS.values(), strict=True):
        quality += weight * value
    return quality


def has_digit(stems: pl.Series) -> Bools:
    """Return whether each of some stems has a digit."""
    return stems.str.contains(r"\p{N}").to_numpy().copy()


def stands_alone(stems: pl.Series) -> Bools:
    """Return whether each of some stems is of a script that is written without blanks."""
    is_alone = stems.str.contains(r"^[^\x00-\x7f]").to_numpy().copy()
    first = "".join(stem[0] for stem in stems.filter(pl.Series(is_alone)))
    codes = np.frombuffer(first.encode("utf-32-le", "surrogatepass"), "<u4")
    is_alone[is_alone] = classes().of_char[codes] & KIND == ALONE
    return is_alone


def judge_phrases(
    text: Text, longest: Int32s, tree: PhraseTree, strength: Floats, threshold: float, judge: Judge
) -> None:
    """Judge all phrases of the partition at ``threshold``; ``strength`` is cut where phrases are rejected."""
    judge.set_usual_capitals(*text.capitals())
    cliques, uncounted = text.counted(find_cliques(strength, threshold, longest, tree))
    while True:
        cliques = cliques.chosen((cliques.ids >= 0) & np.isnan(judge.quality[cliques.ids]))
        if cliques.ids.size == 0:
            break
        rows, before, between = text.look_at(cliques, judge.quality.size)
        judge.judge(Counts.of(rows, before.n_log_n(judge.quality.size), between.most(judge.quality.size)))
        cliques = split_rejected(cliques, judge.n_left, longest, tree, strength)
    split_rejected(uncounted, judge.n_left, longest, tree, strength)
