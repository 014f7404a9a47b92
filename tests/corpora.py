"""Small corpora that tests of several rooms share."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from topminer import Corpus

JIT_IS_ON = not numba.config.DISABLE_JIT
needs_jit = pytest.mark.skipif(not JIT_IS_ON, reason="too slow without the JIT")

Document = str | Sequence[str] | Sequence[Sequence[str]]


def corpus_of(documents: Sequence[Document], **rules: Any) -> Corpus:
    """Documents as texts, as lists of words, or as lists of chunks of words; every word counts as it is."""
    usual = {"language": None, "stem": False, "stop_words": [], "n_threads": 1}
    return Corpus.from_texts(list(map(text_of, documents)), **usual | rules)


def text_of(document: Document) -> str:
    """The words with blanks between, the chunks with full stops between."""
    if isinstance(document, str):
        return document
    if all(isinstance(word, str) for word in document):
        return " ".join(document)
    return ". ".join(" ".join(chunk) for chunk in document)


TWO_TOPICS = (
    [
        "support vector machine",
        "kernel method",
        "margin",
        "classifier",
        "loss",
        "feature",
        "regression",
        "label",
    ],
    ["frequent pattern mining", "data stream", "itemset", "transaction", "basket", "join", "query", "index"],
)


def two_topics(n: int = 400, n_phrases: int = 3, seed: int = 3) -> Corpus:
    """Documents of one of two topics: some of its phrases in random order, full stops between."""
    choose = random.Random(seed)
    texts = [". ".join(choose.choices(TWO_TOPICS[i % 2], k=n_phrases)) + "." for i in range(n)]
    return Corpus.from_texts(texts, stem=False)


def many_topics(n_topics: int, n_documents: int, seed: int = 0) -> Corpus:
    """Documents of mostly one topic; topic t has words wtx0 to wtx19, of which five begin a phrase."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(n_documents):
        own, parts = int(rng.integers(n_topics)), []
        for _ in range(12):
            topic = own if rng.random() < 0.9 else int(rng.integers(n_topics))
            word = int(rng.integers(20))
            parts.append(f"w{topic}x{word} p{topic}x{word}" if word < 5 else f"w{topic}x{word}")
        texts.append(". ".join(parts))
    return Corpus.from_texts(texts, language=None, stop_words=[])


TITLES = (
    ["support vector machines", "kernel methods", "text classification", "large margin"],
    ["frequent pattern mining", "data streams", "association rules", "query processing"],
)


def titles(n: int = 300) -> list[str]:
    """Titles of two kinds, always the same."""
    choice = random.Random(7).choice
    return [f"{choice(group)}: {choice(group)}, {choice(group)}" for _ in range(n // 2) for group in TITLES]


def write_titles(path: Path, n: int = 300) -> Path:
    """The same in a file, one a line."""
    path.write_text("\n".join(titles(n)) + "\n", encoding="utf-8")
    return path
