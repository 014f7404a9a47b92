"""What a method is asked, and what it answers: ``fit(corpus, n_topics, seed)`` gives a :class:`MethodResult`.

All methods see the same kept tokens and give the same kind of result: topics with words and phrases, the best
first, each as the stem ids it is made of and as people write it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from topminer._parameters import MOST_SEED, MOST_TOPICS, whole
from topminer.errors import InputError
from topminer.methods.stopwatch import Stage, Stopwatch
from topminer.phrases.phrase_index import places_of
from topminer.phrases.table import surfaces_at
from topminer.text.corpus import Corpus
from topminer.topics.results.ranking import top_words

Stems = tuple[int, ...]

N_WORDS = 25  # that are kept of each topic
N_PHRASES = 1000  # that are kept of each topic, at most


class Phrase(NamedTuple):
    """A phrase of a topic; a single word is a phrase of length 1."""

    text: str  # as people write it
    stems: Stems  # ids in the corpus's vocabulary
    score: float  # the probability or frequency that the method ranks by; higher is better


@dataclass(frozen=True)
class RankedTopic:
    """A topic: its words, and its phrases of several words, the best first."""

    words: tuple[Phrase, ...]
    phrases: tuple[Phrase, ...]


@dataclass(frozen=True)
class MethodResult:
    """The topics that a method found in a corpus, and how long it took."""

    method: str
    topics: tuple[RankedTopic, ...]
    stages: tuple[Stage, ...] = ()
    contiguous: bool = True  # False: a phrase is a set of words of a document, side by side or not
    notes: tuple[str, ...] = ()  # what a reader of the result should know

    @property
    def seconds(self) -> float:
        """How long the method takes; extrapolated if it was not run to its end."""
        return float(np.sum([stage.seconds for stage in self.stages]))

    @property
    def extrapolated(self) -> bool:
        """Whether the method was not run to its end."""
        return any(stage.share < 1 for stage in self.stages)


class Method(Protocol):
    """A way to find topics described by phrases."""

    @property
    def name(self) -> str:
        """What it is called on the command line."""

    @property
    def title(self) -> str:
        """What it is called in tables and on pages."""

    def fit(
        self, corpus: Corpus, n_topics: int, seed: int = 0, *, stopwatch: Stopwatch | None = None
    ) -> MethodResult:
        """Find ``n_topics`` topics; the same seed gives the same ones."""


def check(corpus: Corpus, n_topics: int, seed: int) -> None:
    """Refuse what no method can work with."""
    whole("n_topics", n_topics, 1, MOST_TOPICS)
    whole("seed", seed, 0, MOST_SEED)
    if n_topics > corpus.n_tokens:
        raise InputError(f"{n_topics:,} topics are more than the {corpus.n_tokens:,} kept tokens there are")
    if corpus.stem_ids.min(initial=0) < 0:
        raise InputError(
            "the corpus has words that its vocabulary has not: methods learn from a corpus of its own"
        )


def ranked_topics(
    corpus: Corpus,
    topic_word: NDArray[np.floating],
    ranked: Sequence[Sequence[tuple[Stems, float]]],
    *,
    contiguous: bool = True,
) -> tuple[RankedTopic, ...]:
    """Make topics of word probabilities (topics, words) and of each topic's phrases with their scores.

    Phrases are shown as they stand in the corpus most often. Sets of words (``contiguous=False``) are shown
    word by word: where such words do stand side by side, a whole clause of stop words may lie between them.
    """
    ranked = [phrases[:N_PHRASES] for phrases in ranked]
    distinct = {stems for phrases in ranked for stems, _ in phrases}
    texts = _as_written(corpus, distinct) if contiguous else _word_by_word(corpus, distinct)
    surfaces = corpus.vocabulary["surface"]
    topics = []
    for k, phrases in enumerate(ranked):
        words = [
            Phrase(surfaces[i], (i,), float(topic_word[k, i]))
            for i in top_words(topic_word[k], N_WORDS).tolist()
        ]
        found = [Phrase(texts[stems], stems, float(score)) for stems, score in phrases]
        topics.append(RankedTopic(tuple(words), tuple(found)))
    return tuple(topics)


def _as_written(corpus: Corpus, phrases: set[Stems]) -> dict[Stems, str]:
    """Return each phrase as it stands in the corpus most often; word by word if it stands nowhere."""
    listed = sorted(phrases)
    places = places_of(corpus, listed)
    length = np.array([len(stems) for stems in listed], np.int64)
    shown = surfaces_at(corpus, places, np.repeat(length, np.diff(places.start)))
    apart = _word_by_word(corpus, phrases)
    return {stems: text or apart[stems] for stems, text in zip(listed, shown, strict=True)}


def _word_by_word(corpus: Corpus, phrases: set[Stems]) -> dict[Stems, str]:
    """Return each phrase as its words are written most often, with blanks between."""
    words: list[str] = corpus.vocabulary["surface"].to_list()
    return {stems: " ".join(words[stem] for stem in stems) for stems in phrases}
