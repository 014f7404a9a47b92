"""All methods on the same tokens, with the same number of sweeps: the paper's section 7, on any corpus.

What comes out is what ``compare.json`` holds. Each method is run once on a few documents first, so that no
compiler is timed. Priors stay as they are. A method that runs out of memory is listed with its reason.
KERT's phrases are sets of words, so for coherence and intrusion all phrases are taken as such: they occur
where all their words do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from topminer._parameters import number as check_number
from topminer.errors import InputError
from topminer.evaluation.gold import Gold
from topminer.evaluation.intrusion import Question, questions
from topminer.evaluation.measured import intrusion, measured
from topminer.evaluation.perplexity import compared
from topminer.evaluation.scaling import decomposition
from topminer.methods.contract import Found, Method, Phrase, Stems
from topminer.methods.registry import named
from topminer.methods.stopwatch import Watch
from topminer.phrases.miner import PhraseMiner
from topminer.progress import Progress, silent
from topminer.text.corpus import Corpus
from topminer.topics.model.phraselda import PhraseLDA

FORMAT = 1
WARM_DOCUMENTS, WARM_SWEEPS = 300, 2
LDAS = ("lda", "topmine", "paper")  # whose time is that of PhraseLDA's sweeps
SHOWN = 20  # words and phrases of each topic in the result

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
        """The method of that name with these settings."""
        return named(name).make(n_sweeps or self.n_sweeps, self.n_threads, self.mining)

    def shown(self) -> dict[str, Any]:
        """The settings as the result names them."""
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
    """A comparison on its way: ``data`` grows with every method, ``asked`` are the questions for people."""

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
            named(name)
        check_number("budget", settings.budget, 0, np.inf)
        self.corpus, self.settings, self.progress = corpus, settings, progress
        self.golds, self.keyphrases = golds, keyphrases
        self.found: dict[str, Found] = {}
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
        """Run one method, and note what it found or why it could not."""
        settings, title = self.settings, named(name).title
        row: dict[str, Any] = {"name": name, "title": title, "seconds": None, "extrapolated": False}
        row |= {"ratio": None, "failed": None, "stages": [], "notes": [], "topics": []}
        self.data["methods"].append(row)
        watch = Watch(self._told(title), settings.budget)
        try:
            self._warm(name)
            found = settings.method(name).fit(self.corpus, settings.n_topics, settings.seed, watch=watch)
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
        """Judge what all methods found; the questions of intrusion are drawn for all of them together."""
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
            rows[name] |= measured(
                found.topics,
                self.corpus,
                contiguous=found.contiguous,
                as_sets=True,
                n_top=settings.n_top,
                window=settings.window,
                golds=self.golds,
                keyphrases=self.keyphrases,
            )
            own = [question for question in asked if question.method == name]
            chosen.update(question.id for question in own[: settings.n_for_people])
            rows[name]["intrusion"] = intrusion(own, self.corpus, as_sets=True) if own else None
        self.asked = [question for question in asked if question.id in chosen]

    def perplexity(self) -> None:
        """PhraseLDA and LDA on held-out documents, along as many sweeps as the budget allows."""
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
        self.data["perplexity"] = compared(partition, lda, self._told("Perplexity"))

    def scaling(self) -> None:
        """ToPMine's time on growing samples."""
        settings = self.settings
        found = decomposition(
            self.corpus,
            settings.n_topics,
            settings.n_sweeps,
            seed=settings.seed,
            n_threads=settings.n_threads,
            mining=settings.mining,
            progress=self._told("Growing samples"),
        )
        self.data["scaling"] = {"points": [each._asdict() for each in found]}

    def _told(self, what: str) -> Progress:
        def told(stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
            self.progress(f"{what}: {stage.lower()}", done, total, unit, note)

        return told

    def _warm(self, name: str) -> None:
        """Have everything compiled that is about to be timed."""
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
    """Run the methods, one after the other, and judge them.

    ``after`` is called with the data so far whenever there is more: whoever is interrupted has that.
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
