"""Small models, each fitted once and stored once: planted topics, and all that may be missing."""

import atexit
import shutil
import tempfile
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import polars as pl

from topminer import Corpus, ToPMine

THEMES = (
    [
        "data mining",
        "mining of data",
        "association rules",
        *["support vector machines"] * 3,
        "support vector",
    ],
    ["machine translation", "word alignment", "multi-document summaries", "multi document summaries", "text"],
    ["query optimization", "optimization of queries", "e-mail index", "email index", "tables", "locks"],
    ["face detection", "optical flow", "stereo 𝒗ision 👩\u200d🔬 camera", "edges", "pixels", "motion"],
)
EVERYWHERE = ("experimental results", "case study", "proposed approach")
RARE = "quartz clock"
LONG = "very long chain of words that always stand together here"


@cache
def texts(n: int = 480) -> list[str]:
    """Documents of four themes, with phrases that stand in all of them; some have no kept token."""
    random = Random(5)
    documents = []
    for number in range(n):
        own = THEMES[number % len(THEMES)]
        parts = [random.choice(own) for _ in range(random.randint(4, 9))]
        parts += [each for each in EVERYWHERE if random.random() < 0.6]
        random.shuffle(parts)
        documents.append(", ".join(parts).capitalize() + ".")
    documents[7] = documents[50] = "The of and."
    documents[9] += f" {RARE}!"
    documents[90] = f"𝒜 {RARE}. " + documents[90]
    for number in range(20, 40):
        documents[number] += f" {LONG}"
    return documents


def topmine(n_topics: int = 4, **parameters: Any) -> ToPMine:
    # Oracles of rankings count tokens, in all chunks.
    usual = {"n_sweeps": 60, "random_state": 3, "evidence": None, "ties": None, "n_threads": 1, "alpha": 0.2}
    usual["optimize_interval"] = 0
    return ToPMine(n_topics, **usual | parameters)


def read(**rules: Any) -> Corpus:
    return Corpus.from_texts(texts(), ids=[f"doc-{i}" for i in range(len(texts()))], n_threads=1, **rules)


def dated(corpus: Corpus) -> Corpus:
    """The same documents with years; every eleventh has none."""
    times = [None if i % 11 == 0 else datetime(1999 + i % 5, 1, 1) for i in range(len(corpus))]
    return replace(corpus, times=pl.Series(times, dtype=pl.Datetime("us")))


@cache
def usual() -> ToPMine:
    """With phrases, variants, background phrases, times, texts, and a rare phrase that is always whole."""
    return topmine(always=[RARE]).fit(dated(read()))


@cache
def unsure() -> ToPMine:
    """Too many topics after too few sweeps: topical frequencies are no whole numbers."""
    return topmine(7, n_sweeps=30, alpha=1.0, start="random").fit(read())


@cache
def kept() -> ToPMine:
    """Stop words are kept, words are not stemmed."""
    return topmine(stop_word_policy="keep", stem=False).fit(texts())


@cache
def words() -> ToPMine:
    return topmine(phrases=False).fit(read())


@cache
def one_topic() -> ToPMine:
    return topmine(1, n_sweeps=5).fit(read())


@cache
def alone() -> ToPMine:
    """An infinite threshold: every word is alone, but for what is always whole."""
    return topmine(significance=float("inf"), n_sweeps=5, always=[RARE]).fit(read())


@cache
def textless() -> ToPMine:
    return topmine(n_sweeps=5).fit(read(keep_texts=False))


@cache
def crowded() -> ToPMine:
    """More topics than there is anything to say about: some are empty."""
    return topmine(60, n_sweeps=4, alpha=0.01, min_support=3).fit(texts()[:12])


@cache
def divided() -> ToPMine:
    """Documents are sampled in pieces of a few words."""
    return topmine(split=4).fit(read())


EVERY = {
    made.__name__: made for made in (usual, unsure, kept, words, one_topic, alone, textless, crowded, divided)
}


@cache
def stored(name: str = "usual") -> Path:
    """One of the models in a directory; a test that changes it makes a copy first."""
    folder = tempfile.mkdtemp(prefix="topminer-models-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    EVERY[name]().save(Path(folder) / "model")
    return Path(folder) / "model"
