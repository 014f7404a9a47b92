"""The weights of phrase quality: a logistic regression against lists of good phrases.

    python benchmarks/fit_quality.py [CORPUS ...]

Every finished phrase of each corpus is a row, with its statistics and whether it stands in a gold list.
Corpora weigh the same, whatever their size, and so do the lists. For each corpus the weights are fitted on
all others, and the share in gold is compared with that of equation 1 at the same recall, for all phrases and
for those of three and more words. Then each statistic is left out once. At the end stands the table for
phrases/quality.py, fitted on all corpora; the intercept is such that the cut is 0.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from gold import CORPORA, Judged, judged_phrases, share_at
from harness import table
from sklearn.linear_model import LogisticRegression

from topminer.phrases.quality import WEIGHTS

MOST_ROWS = 5_000  # of a corpus: more change no digit that is shown
RECALLS = (0.4, 0.6, 0.8)
CUT = -2.25  # log odds below which phrases are rejected: benchmarks/phrase_quality.py shows what it does
NAMES = list(WEIGHTS)
SHRUNK = {"three_words": 0.6, "four_words": 0.55}  # gold lists have few long phrases


@dataclass
class Rows:
    """The finished phrases of a corpus."""

    statistics: np.ndarray  # (phrases, statistics)
    in_list: np.ndarray  # (lists, phrases)
    is_wanted: np.ndarray  # whether it is a gold phrase that occurs often enough
    is_long: np.ndarray  # whether it has three or more words
    n_wanted: int
    n_long_wanted: int
    shares: list[float]  # in gold, by equation 1 at each recall
    long_shares: list[float]

    @classmethod
    def of(cls, judged: Judged) -> Rows:
        """Mine a corpus with the defaults, but reject nothing."""
        statistics, phrases, fitted = judged_phrases(judged)
        lists = [{fitted.ties.of_phrase(each) for each in gold} for gold in judged.lists]
        wanted = {fitted.ties.of_phrase(each) for each in judged.wanted}
        return cls(
            statistics,
            np.array([[each in gold for each in phrases] for gold in lists]),
            np.array([each in wanted for each in phrases]),
            np.array([len(each) > 2 for each in phrases]),
            len(wanted),
            sum(len(each) > 2 for each in wanted),
            [judged.share_by_equation_1(recall) for recall in RECALLS],
            [judged.share_by_equation_1(recall, 3) for recall in RECALLS],
        )

    def drawn(self) -> np.ndarray:
        """The rows that weights are fitted to."""
        n = len(self.statistics)
        return np.random.default_rng(0).choice(n, min(n, MOST_ROWS), replace=False)

    def ratios(self, scores: np.ndarray) -> list[float]:
        """The share in gold of the foremost phrases, divided by equation 1's, at each recall."""
        is_good = self.in_list.any(axis=0)
        pairs = zip(RECALLS, self.shares, strict=True)
        return [share_at(scores, is_good, self.is_wanted, self.n_wanted, at) / share for at, share in pairs]

    def long_ratios(self, scores: np.ndarray) -> list[float]:
        """The same for phrases of three and more words."""
        some = self.is_long
        rows = (scores[some], self.in_list.any(axis=0)[some], self.is_wanted[some], self.n_long_wanted)
        pairs = zip(RECALLS, self.long_shares, strict=True)
        return [share_at(*rows, recall) / share for recall, share in pairs]


def fit(rows: list[Rows], columns: list[int]) -> tuple[np.ndarray, float]:
    """Weights and intercept, each corpus and each list with the same weight."""
    statistics, good, weight = [], [], []
    for each in rows:
        drawn = each.drawn()
        in_list, is_good = each.in_list[:, drawn], each.in_list[:, drawn].any(axis=0)
        # Good phrases weigh one on average, and those of each list the same all in all.
        of_lists = (in_list / np.maximum(in_list.sum(axis=1, keepdims=True), 1)).sum(axis=0)
        own = np.where(is_good, of_lists * is_good.sum() / max(of_lists.sum(), 1e-9), 1.0)
        statistics.append(each.statistics[drawn][:, columns])
        good.append(is_good)
        weight.append(own * MOST_ROWS / drawn.size)
    model = LogisticRegression(C=1e4, max_iter=2_000)
    model.fit(np.concatenate(statistics), np.concatenate(good), np.concatenate(weight))
    shrunk = np.array([SHRUNK.get(NAMES[column], 1.0) for column in columns])
    return shrunk * model.coef_[0], float(model.intercept_[0])


def left_out(rows: dict[str, Rows], columns: list[int]) -> dict[str, np.ndarray]:
    """The scores of each corpus's phrases by weights that were fitted on all others."""
    scores = {}
    for name, own in rows.items():
        weights, _ = fit([each for other, each in rows.items() if other != name], columns)
        scores[name] = own.statistics[:, columns] @ weights
    return scores


def means(ratios: list[list[float]]) -> list[str]:
    """The mean at each recall, and the lowest at the second."""
    values = np.array(ratios)
    return [*(f"{value:.2f}" for value in np.nanmean(values, axis=0)), f"{np.nanmin(values[:, 1]):.2f}"]


def main() -> None:
    names = sys.argv[1:] or list(CORPORA)
    rows = {name: Rows.of(Judged.read(name)) for name in names}
    every = list(range(len(NAMES)))
    scores = left_out(rows, every)
    heads = [f"recall {recall}" for recall in RECALLS]
    cells = {name: [*own.ratios(scores[name]), *own.long_ratios(scores[name])] for name, own in rows.items()}
    lines = [[name, *(f"{cell:.2f}" for cell in row)] for name, row in cells.items()]
    print(table(["corpus left out", *heads, *(f"{head}, long" for head in heads)], lines))
    found = [["nothing", *means([own.ratios(scores[name]) for name, own in rows.items()])]]
    for i, left in enumerate(NAMES):
        scores = left_out(rows, [column for column in every if column != i])
        found.append([left, *means([own.ratios(scores[name]) for name, own in rows.items()])])
    print("\n" + table(["statistic left out", *heads, "lowest at 0.6"], found))
    weights, intercept = fit(list(rows.values()), every)
    for name, weight in zip(NAMES, weights, strict=True):
        print(f'    "{name}": {weight:.2f},')
    print(f"INTERCEPT = {intercept - CUT:.2f}")


if __name__ == "__main__":
    main()
