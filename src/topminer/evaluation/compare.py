"""All methods on the same tokens, with the same number of sweeps: the paper's section 7, on any corpus.

The result is what ``compare.json`` holds. Each method is run once on a few documents first, so that no
compilation is timed. Priors stay as they are. A method that runs out of memory is listed with its reason.
KERT's phrases are sets of words, so for coherence and intrusion all phrases are taken as sets: they occur
where all their words do.

`scaling` is the paper's plot of mining against topic modelling: ToPMine's time on an eighth, a quarter, a
half and all of the documents, evenly spaced. All sweeps cost the same, so a hundred of them stand for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from topminer._parameters import number as check_number
from topminer.errors import InputError
from topminer.evaluation.contract import Context
from topminer.evaluation.gold import Gold
from topminer.evaluation.intrusion import Question, questions
from topminer.evaluation.measures import intrusion, measured
from topminer.evaluation.perplexity import perplexity_curves
from topminer.methods.contract import Method, MethodResult, Phrase, Stems
from topminer.methods.registry import method_named
from topminer.methods.stopwatch import Stopwatch
from topminer.methods.topmine import DefaultToPMine
from topminer.phrases.miner import PhraseMiner
from topminer.progress import Progress, silent
from topminer.text.corpus import Corpus
from topminer.topics.model.phraselda import PhraseLDA

FORMAT = 1
WARM_DOCUMENTS, WARM_SWEEPS = 300, 2
LDAS = ("lda", "topmine", "paper")  # whose time is that of PhraseLDA's sweeps
SHOWN = 20  # words and phrases of each topic in the result
PARTS = (8, 4, 2, 1)  # samples of one document in so many, to time ToPMine's parts
MOST_TIMED_SWEEPS = 100

After = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Settings:
    """What all methods are given alike."""

    n_topics: int
    n_sweeps: int = 1000
    seed: int = 0
    budget: float = 600.0  # seconds for each method
    n_threads: int = 1
    n_top: int = 10  # words and phrases of a topic that are judged
    n_questions: int = 200  # of phrase intrusion, for each method
    n_for_people: int = 20  # of them, as many as the paper asked people
    window: int | None = None  # of NPMI, in kept tokens; None: documents
    mining: Mapping[str, Any] = field(default_factory=dict)  # parameters of PhraseMiner

    def method(self, name: str, n_sweeps: int | None = None) -> Method:
        """Return the method of that name with these settings."""
        n_sweeps = n_sweeps or self.n_sweeps
        return method_named(name, n_sweeps=n_sweeps, n_threads=self.n_threads, mining=self.mining)

    def shown(self) -> dict[str, Any]:
        """Return the settings as the result names them."""
        return {
            "topics": self.n_topics,
            "sweeps": self.n_sweeps,
            "seed": self.seed,
            "budget": self.budget if np.isfinite(self.budget) else None,
            "threads": self.n_threads,
            "top_phrases": self.n_top,
            "questions": self.n_questions,
            "window": self.window,
        }


class Comparison:
    """A comparison that grows with every method: its ``data``, and the questions for people in ``asked``."""

    def __init__(
        self,
        corpus: Corpus,
        names: Sequence[str],
        settings: Settings,
        golds: Sequence[Gold] = (),
        keyphrases: Sequence[frozenset[Stems]] | None = None,
        progress: Progress = silent,
    ) -> None:
        for name in names:
            method_named(name)
        check_number("budget", settings.budget, 0, np.inf)
        self.corpus, self.settings, self.progress = corpus, settings, progress
        self.golds, self.keyphrases = golds, keyphrases
        self.found: dict[str, MethodResult] = {}
        self._shared: dict[Any, Any] = {}  # work that several methods start with
        self.asked: list[Question] = []
        self.data: dict[str, Any] = {
            "format": FORMAT,
            "corpus": {
                "name": Path(corpus.origin.name).name,
                "documents": len(corpus),
                "tokens": corpus.n_tokens,
                "stems": corpus.n_stems,
            },
            "settings": settings.shown(),
            "methods": [],
            "perplexity": None,
            "scaling": None,
            "people": None,
        }

    def run_method(self, name: str) -> None:
        """Run one method, and add what it found or why it could not be run."""
        settings, title = self.settings, method_named(name).title
        row: dict[str, Any] = {"name": name, "title": title, "seconds": None, "extrapolated": False}
        row |= {"ratio": None, "failed": None, "stages": [], "notes": [], "topics": []}
        self.data["methods"].append(row)
        stopwatch = Stopwatch(self._progress_of(title), settings.budget, shared=self._shared)
        try:
            self._warm(name)
            method = settings.method(name)
            found = method.fit(self.corpus, settings.n_topics, settings.seed, stopwatch=stopwatch)
        except (InputError, MemoryError) as error:
            row["failed"] = str(error) or "out of memory"
            return
        self.found[name] = found
        row |= {
            "seconds": found.seconds,
            "extrapolated": found.extrapolated,
            "stages": [
                {"name": each.name, "seconds": each.seconds, "measured": each.measured, "share": each.share}
                for each in found.stages
            ],
            "notes": list(found.notes),
            "contiguous": found.contiguous,
            "topics": [
                {"words": _texts(topic.words), "phrases": _texts(topic.phrases)} for topic in found.topics
            ],
        }
        self._relate()

    def measure(self) -> None:
        """Measure what all methods found; the questions of intrusion are drawn for all of them together."""
        settings, rows = self.settings, {row["name"]: row for row in self.data["methods"]}
        asked = questions(
            {name: [topic.phrases for topic in found.topics] for name, found in self.found.items()},
            n=settings.n_questions,
            n_top=settings.n_top,
            seed=settings.seed,
        )
        chosen: set[str] = set()
        for number, (name, found) in enumerate(self.found.items()):
            self.progress("Measuring", number, len(self.found), "methods", rows[name]["title"])
            context = Context(
                self.corpus,
                settings.n_top,
                settings.window,
                contiguous=found.contiguous,
                as_sets=True,
                golds=self.golds,
                keyphrases=self.keyphrases,
            )
            rows[name] |= measured(found.topics, context)
            own = [question for question in asked if question.method == name]
            chosen.update(question.id for question in own[: settings.n_for_people])
            rows[name]["intrusion"] = intrusion(own, context)
        self.asked = [question for question in asked if question.id in chosen]

    def perplexity(self) -> None:
        """Follow PhraseLDA and LDA on held-out documents, along as many sweeps as the budget allows."""
        settings = self.settings
        partition = PhraseMiner(**settings.mining, n_threads=settings.n_threads).fit_transform(self.corpus)
        slow = [row["seconds"] for row in self.data["methods"] if row["name"] in LDAS and row["extrapolated"]]
        share = min((settings.budget / seconds for seconds in slow), default=1.0)
        lda = PhraseLDA(
            settings.n_topics,
            n_sweeps=max(1, int(settings.n_sweeps * share)),
            random_state=settings.seed,
            n_threads=settings.n_threads,
        )
        progress = self._progress_of("Perplexity")
        self.data["perplexity"] = perplexity_curves(partition, lda, settings.seed, progress)

    def scaling(self) -> None:
        """Time ToPMine's parts on growing samples, without those that have fewer kept tokens than topics."""
        settings, points = self.settings, []
        n_run = min(settings.n_sweeps, MOST_TIMED_SWEEPS)
        method = DefaultToPMine(n_run, settings.n_threads, settings.mining)
        for part in PARTS:
            sample = self.corpus[::part]
            if sample.n_tokens < settings.n_topics:
                continue
            stopwatch = Stopwatch(self._progress_of("Growing samples"))
            method.fit(sample, settings.n_topics, settings.seed, stopwatch=stopwatch)
            seconds = {stage.name: stage.seconds for stage in stopwatch.stages}
            topics = seconds["preparing"] + seconds["sampling topics"] * settings.n_sweeps / n_run
            size = {"documents": len(sample), "tokens": sample.n_tokens}
            points.append({**size, "mining": seconds["mining phrases"], "topics": topics})
        self.data["scaling"] = {"points": points}

    def _progress_of(self, what: str) -> Progress:
        def report(stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
            self.progress(f"{what}: {stage.lower()}", done, total, unit, note)

        return report

    def _warm(self, name: str) -> None:
        """Compile everything that is about to be timed."""
        corpus, settings = self.corpus, self.settings
        few = corpus[:WARM_DOCUMENTS]
        if few.n_tokens >= settings.n_topics:
            settings.method(name, WARM_SWEEPS).fit(few, settings.n_topics)
        if name in (*LDAS, "kert", "turbo"):  # what large corpora need beside; two sweeps are soon done
            settings.method(name if name in LDAS else "lda", WARM_SWEEPS).fit(corpus, settings.n_topics)

    def _relate(self) -> None:
        """Relate all times to LDA's, once it is known."""
        times = {row["name"]: row["seconds"] for row in self.data["methods"]}
        if times.get("lda"):
            for row in self.data["methods"]:
                row["ratio"] = None if row["seconds"] is None else row["seconds"] / times["lda"]


def _texts(phrases: Sequence[Phrase]) -> list[str]:
    return [phrase.text for phrase in phrases[:SHOWN]]


def compare(
    corpus: Corpus,
    names: Sequence[str],
    settings: Settings,
    *,
    golds: Sequence[Gold] = (),
    keyphrases: Sequence[frozenset[Stems]] | None = None,
    perplexity: bool = True,
    scaling: bool = True,
    progress: Progress = silent,
    after: After = lambda data: None,
) -> Comparison:
    """Run the methods one after the other, and measure what they found.

    ``after`` is called with the data so far whenever there is more: an interrupted comparison is kept.
    """
    comparison = Comparison(corpus, names, settings, golds, keyphrases, progress)
    parts: list[Callable[[], None]] = [lambda name=name: comparison.run_method(name) for name in names]  # type: ignore[misc]
    parts.append(comparison.measure)
    if perplexity:
        parts.append(comparison.perplexity)
    if scaling:
        parts.append(comparison.scaling)
    for part in parts:
        part()
        after(comparison.data)
    return comparison
