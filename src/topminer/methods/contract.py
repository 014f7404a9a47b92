"""What a method is asked, and what it answers: ``method.fit(corpus, n_topics, seed)`` gives a :class:`Found`.

All methods see the same kept tokens, and answer in the same words: topics with phrases, the best first, each
as the stem ids it is made of and as people write it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from topminer._parameters import MOST_SEED, MOST_TOPICS, whole
from topminer.errors import InputError
from topminer.methods.stopwatch import Stage, Watch
from topminer.phrases.phrase_index import places_of
from topminer.phrases.table import surfaces_at
from topminer.text.corpus import Corpus
from topminer.topics.results.ranking import top_words

Stems = tuple[int, ...]

N_WORDS = 25  # that are kept of each topic
N_PHRASES = 1000  # likewise, at most


class Phrase(NamedTuple):
    """A phrase of a topic; a single word is a phrase of length 1."""

    text: str  # as people write it
    stems: Stems  # ids in the corpus's vocabulary
    score: float  # probability, frequency or whatever the method ranks by; the higher the better


@dataclass(frozen=True)
class FoundTopic:
    """A topic: its words, and its phrases of several words, the best first."""

    words: tuple[Phrase, ...]
    phrases: tuple[Phrase, ...]


@dataclass(frozen=True)
class Found:
    """What a method found in a corpus, and how long it took."""

    method: str
    topics: tuple[FoundTopic, ...]
    stages: tuple[Stage, ...] = ()
    contiguous: bool = True  # False: a phrase is a set of words of a document, side by side or not
    notes: tuple[str, ...] = field(default=())  # what a reader of the result should know

    @property
    def seconds(self) -> float:
        """How long the method takes; where it was not run to its end, extrapolated."""
        return float(np.sum([stage.seconds for stage in self.stages]))

    @property
    def extrapolated(self) -> bool:
        """Whether it was not run to its end."""
        return any(stage.share < 1 for stage in self.stages)


class Method(Protocol):
    """A way to find topics described by phrases."""

    @property
    def name(self) -> str:
        """How it is called on the command line."""

    def fit(self, corpus: Corpus, n_topics: int, seed: int = 0, *, watch: Watch | None = None) -> Found:
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


def found_topics(
    corpus: Corpus,
    topic_word: NDArray[np.floating],
    ranked: Sequence[Sequence[tuple[Stems, float]]],
    *,
    contiguous: bool = True,
) -> tuple[FoundTopic, ...]:
    """Topics as a reader sees them.

    Parameters
    ----------
    corpus : Corpus
    topic_word : array (topics, words)
        Probability of each word in each topic.
    ranked : sequence of lists
        Of each topic, the phrases of several words with their scores, the best first.
    contiguous : bool, default True
        Whether phrases are shown as they stand in the corpus. A set of words is shown word by word: where
        they do stand side by side, there may be a whole clause of stop words between them.
    """
    ranked = [phrases[:N_PHRASES] for phrases in ranked]
    distinct = {stems for phrases in ranked for stems, _ in phrases}
    texts = written(corpus, distinct) if contiguous else word_by_word(corpus, distinct)
    words = corpus.vocabulary["surface"]
    topics = []
    for k, phrases in enumerate(ranked):
        chosen = top_words(topic_word[k], N_WORDS).tolist()
        topics.append(
            FoundTopic(
                tuple(Phrase(words[i], (i,), float(topic_word[k, i])) for i in chosen),
                tuple(Phrase(texts[stems], stems, float(score)) for stems, score in phrases),
            )
        )
    return tuple(topics)


def written(corpus: Corpus, phrases: set[Stems]) -> dict[Stems, str]:
    """How each phrase is shown: as it stands in the corpus most often, or else word by word."""
    listed = sorted(phrases)
    places = places_of(corpus, listed)
    length = np.array([len(stems) for stems in listed], np.int64)
    shown = surfaces_at(corpus, places, np.repeat(length, np.diff(places.start)))
    apart = word_by_word(corpus, phrases)
    return {stems: text or apart[stems] for stems, text in zip(listed, shown, strict=True)}


def word_by_word(corpus: Corpus, phrases: set[Stems]) -> dict[Stems, str]:
    """Phrases as their words are written most often, blanks between."""
    words: list[str] = corpus.vocabulary["surface"].to_list()
    return {stems: " ".join(words[stem] for stem in stems) for stems in phrases}
