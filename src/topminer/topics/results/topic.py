"""A topic as a person sees it: its words and its phrases, best first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from topminer._parameters import whole
from topminer.phrases.partition import Partition
from topminer.topics.model.phraselda import PhraseLDA, topics_in
from topminer.topics.results.ranking import by_frequency, of_length, top_words


class TopicWord(NamedTuple):
    """A word of a topic, and its probability there."""

    word: str
    p: float


class TopicPhrase(NamedTuple):
    """A phrase of a topic, and its topical frequency: a mean over samples, so it may be a fraction."""

    phrase: str
    frequency: float


@dataclass(frozen=True)
class Topic:
    """A topic. Topics are numbered by weight, the heaviest is 0."""

    id: int
    weight: float  # fraction of the kept tokens
    words: tuple[TopicWord, ...]
    phrases: tuple[TopicPhrase, ...]  # of two or more words


def topics_of(lda: PhraseLDA, partition: Partition, n_words: int, n_phrases: int) -> list[Topic]:
    """Return topics by weight; ``partition`` is the one they were fitted to."""
    n_words, n_phrases = whole("n_words", n_words, 0), whole("n_phrases", n_phrases, 0)
    words, first = partition.corpus.vocabulary["surface"].to_list(), partition.corpus.n_stems
    surfaces, fitted, frequency = partition.surfaces(), topics_in(lda), lda.frequency_
    totals, long = frequency.totals(partition.n_types), of_length(partition.type_start)
    topics = []
    for k, weight in enumerate(lda.topic_weight_.tolist()):
        p = fitted.word_probabilities(k)  # a row at a time: the whole table may be large
        chosen = top_words(p, n_words).tolist()
        entries = by_frequency(frequency, k, n_phrases, eligible=long, totals=totals)
        counted = zip(frequency.types[entries].tolist(), frequency.mean[entries].tolist(), strict=True)
        topics.append(
            Topic(
                k,
                weight,
                tuple(TopicWord(words[i], float(p[i])) for i in chosen),
                tuple(TopicPhrase(surfaces[i - first], mean) for i, mean in counted),
            )
        )
    return topics
