"""What topics show first, judged by lists of good phrases, by the topics' own documents and by intruders.

    python benchmarks/lists.py [CORPUS ...]

Each corpus (or a sample of it) is modelled with 20 topics and two seeds: with the paper's settings, whose
lists are by topical frequency, and with the defaults, whose lists are by topical frequency and in the best
order. Of the first ten phrases of each topic:

gold        the share that stand in a list of good phrases (Wikipedia, WordNet, a dictionary of computing)
diversity   the share of different ones among those of all topics; of words, among the first 25
coverage    of the documents in which the topic is the largest, the share that contain one of them
coherence   NPMI over documents; of words, of the first ten
intruders   the share that the automatic annotator finds

Labels: the share of those that are phrases, the share of these in gold, and how often a label picks its own
topic: of all topics, that in whose documents it is most common.
"""

from __future__ import annotations

import sys
from functools import cached_property
from typing import NamedTuple

import numpy as np
from gold import CORPORA, Judged
from harness import table
from numpy.typing import NDArray

from topminer import Listing, Summary, ToPMine
from topminer.evaluation.coherence import npmi
from topminer.evaluation.contract import Context
from topminer.evaluation.intrusion import questions
from topminer.evaluation.measures import diversity, intrusion
from topminer.methods.contract import Phrase

SAMPLES = {
    "titles_arxiv": 60_000,
    "abstracts_acl": 8_000,
    "abstracts_arxiv_cs": 8_000,
    "news_reuters": 8_000,
    "reviews_imdb": 5_000,
}
N_TOPICS, N_SWEEPS, SEEDS, N_QUESTIONS = 20, 300, (0, 1), 400
N_WORDS, N_PHRASES = 25, 10
BY_FREQUENCY = {"order": "frequency", "word_order": "probability", "typical": False, "longest": None}
SETTINGS = ("paper", "frequency", "best")
MEASURES = ("gold", "coverage", "diversity", "coherence", "intruders", "words: diversity", "words: coherence")


class Score(NamedTuple):
    """A measure, and its standard error over topics if there is one."""

    value: float
    error: float = float("nan")

    @classmethod
    def of(cls, values: list[float]) -> Score:
        """The mean of topics."""
        known = np.array([value for value in values if not np.isnan(value)])
        return cls(float(known.mean()), float(known.std(ddof=1) / np.sqrt(known.size)))


class Lists:
    """A fitted model's lists, with what judges them."""

    def __init__(self, judged: Judged, model: ToPMine) -> None:
        self.judged, self.model, self.summary = judged, model, Summary(model)
        ties = model.miner_.fitted.ties
        self.gold = {ties.of_phrase(each) for each in judged.gold}
        self.of_phrase = ties.of_phrase

    def phrases(self, listing: Listing) -> list[list[tuple[int, ...]]]:
        """The phrases of each topic, as stems of the form that is shown."""
        entries = self.summary.entries_of(tie=listing.tie)
        return [
            [self.stems(entry, listing.tie) for entry in entries.frequency.types[here].tolist()]
            for here in self.summary.places(listing)
        ]

    def stems(self, entry: int, tie: bool) -> tuple[int, ...]:
        """The stems of an entry's shown form."""
        entries, partition = self.summary.entries_of(tie=tie), self.model.partition_
        start = partition.type_start[(form := int(entries.first_forms[entry])) : form + 2]
        return tuple(partition.type_stems[start[0] : start[1]].tolist())

    @cached_property
    def leading(self) -> NDArray[np.int64]:
        """The largest topic of each document; -1: it has no tokens."""
        documents, topics, tokens = self.model.lda_.document_topics()
        n_dk = np.zeros((len(self.model.corpus_), N_TOPICS))
        n_dk[documents, topics] = tokens
        return np.where(n_dk.sum(axis=1) > 0, n_dk.argmax(axis=1), -1)

    def rates(self, entries: NDArray[np.int64], tie: bool) -> NDArray[np.float64]:
        """Of the documents that each topic leads, the share that contain one of the entries."""
        partition = self.model.partition_
        entry_of = self.summary.entries_of(tie=tie).entry_of
        places = np.flatnonzero(np.isin(entry_of[partition.type_ids], entries))
        has = np.zeros(len(partition), np.bool_)
        has[np.searchsorted(partition.doc_start, places, "right") - 1] = True
        led = self.leading >= 0
        n = np.bincount(self.leading[led], minlength=N_TOPICS)
        return np.bincount(self.leading[led], has[led], N_TOPICS) / np.maximum(n, 1)

    def coverage(self, listing: Listing) -> list[float]:
        """The coverage of each topic that leads a document."""
        types = self.summary.entries_of(tie=listing.tie).frequency.types
        led = set(self.leading.tolist())
        places = self.summary.places(listing)
        return [float(self.rates(types[here], listing.tie)[k]) for k, here in enumerate(places) if k in led]

    def words(self, listing: Listing) -> list[list[tuple[int, ...]]]:
        """The words of each topic, as stems."""
        return [[(word,) for word in words.tolist()] for words in self.summary.words(listing)]

    def measured(self, listing: Listing) -> dict[str, Score]:
        """All measures of what a listing shows."""
        phrases, words, corpus = self.phrases(listing), self.words(listing), self.model.corpus_
        gold = [
            float(np.mean([self.of_phrase(each) in self.gold for each in topic])) if topic else np.nan
            for topic in phrases
        ]
        shown = [[Phrase(" ".join(map(str, each)), each, 1.0) for each in topic] for topic in phrases]
        asked = questions({"lists": shown}, n=N_QUESTIONS, n_top=N_PHRASES)
        right = (intrusion(asked, Context(corpus)) or {"share": float("nan")})["share"]
        undefined = float("nan")
        by_topic = [undefined if each is None else each for each in npmi(phrases, corpus).topics]
        of_words = [undefined if each is None else each for each in npmi(words, corpus).topics]
        return {
            "gold": Score.of(gold),
            "coverage": Score.of(self.coverage(listing)),
            "diversity": Score(diversity(phrases, N_PHRASES) or undefined),
            "coherence": Score.of(by_topic),
            "intruders": Score(right, float(np.sqrt(right * (1 - right) / len(asked)))),
            "words: diversity": Score(diversity(words, N_WORDS) or undefined),
            "words: coherence": Score.of(of_words),
        }

    def labels(self) -> tuple[float, float, float]:
        """The share of labels that are phrases, of these the share in gold, and that pick their topic."""
        entries = self.summary.entries
        several = np.flatnonzero((entries.lengths > 1) & (entries.totals > 0)).tolist()
        entry_of = {entries.text(entry): entry for entry in reversed(several)}
        named = [(k, entry_of[name]) for k, name in enumerate(self.summary.names) if name in entry_of]
        good = [self.of_phrase(self.stems(entry, True)) in self.gold for _, entry in named]
        picks = [int(self.rates(np.array([entry]), True).argmax()) == k for k, entry in named]
        return len(named) / N_TOPICS, float(np.mean(good)), float(np.mean(picks))


def measured(name: str) -> tuple[dict[str, dict[str, Score]], NDArray[np.float64]]:
    """The means over seeds of all measures, by setting; and those of labels."""
    judged = Judged.read(name, SAMPLES.get(name))
    found: dict[str, list[dict[str, Score]]] = {setting: [] for setting in SETTINGS}
    labels = []
    for seed in SEEDS:
        parameters = {"n_topics": N_TOPICS, "n_sweeps": N_SWEEPS, "random_state": seed}
        sizes = {"n_words": N_WORDS, "n_phrases": N_PHRASES}
        paper = Lists(judged, ToPMine.as_in_paper(**parameters).fit(judged.corpus))
        found["paper"].append(paper.measured(Listing.usual(paper.model, **sizes)))
        lists = Lists(judged, ToPMine(**parameters).fit(judged.corpus))
        found["frequency"].append(lists.measured(Listing(**sizes, **BY_FREQUENCY)))
        found["best"].append(lists.measured(Listing(**sizes)))
        labels.append(lists.labels())
    means = {
        setting: {
            measure: Score(
                float(np.mean([run[measure].value for run in runs])),
                float(np.sqrt(np.sum([run[measure].error ** 2 for run in runs])) / len(runs)),
            )
            for measure in MEASURES
        }
        for setting, runs in found.items()
    }
    return means, np.mean(labels, axis=0)


def main() -> None:
    names = sys.argv[1:] or list(CORPORA)
    all_means, all_labels = [], []
    for name in names:
        means, labels = measured(name)
        all_means.append(means)
        all_labels.append(labels)
        print(
            name,
            {setting: each["gold"].value for setting, each in means.items()},
            file=sys.stderr,
            flush=True,
        )
    for measure in MEASURES:
        rows = []
        for name, means in zip(names, all_means, strict=True):
            before, after = means["paper"][measure], means["best"][measure]
            errors = (after.value - before.value) / np.hypot(before.error, after.error)
            values = [f"{means[setting][measure].value:.3f}" for setting in SETTINGS]
            rows.append([name, *values, f"{errors:+.1f}" if np.isfinite(errors) else ""])
        mean = [float(np.mean([each[setting][measure].value for each in all_means])) for setting in SETTINGS]
        rows.append(["mean", *(f"{value:.3f}" for value in mean), f"× {mean[2] / mean[0]:.2f}"])
        heads = [
            measure,
            "paper, by frequency",
            "defaults, by frequency",
            "defaults, best",
            "standard errors",
        ]
        print(table(heads, rows), end="\n\n")
    rows = [[name, *(f"{value:.2f}" for value in row)] for name, row in zip(names, all_labels, strict=True)]
    rows.append(["mean", *(f"{value:.2f}" for value in np.mean(all_labels, axis=0))])
    print(table(["labels", "that are phrases", "of these in gold", "that pick their topic"], rows))


if __name__ == "__main__":
    main()
