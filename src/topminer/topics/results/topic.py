"""A topic as a person sees it: its words and its phrases, best first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


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
    """A topic. Topics are numbered by weight, the heaviest is 0.

    A background topic is in most documents at an even share, and is listed behind all others.
    """

    id: int
    weight: float  # fraction of the kept tokens
    words: tuple[TopicWord, ...]
    phrases: tuple[TopicPhrase, ...]  # of two or more words
    background: bool = False
