"""Topics in any order, with or without background phrases, with variants tied or apart."""

from __future__ import annotations

from dataclasses import replace

from topminer._parameters import whole
from topminer.topics.results.entries import RELEVANCE, Entries
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.ranking import GAMMA
from topminer.topics.results.topic import Topic, TopicPhrase, topics_of


def ranked_topics(
    model: Fitted,
    n_words: int = 10,
    n_phrases: int = 10,
    *,
    order: str = "frequency",
    weight: float = RELEVANCE,
    tie: bool = True,
    background: bool = False,
) -> list[Topic]:
    """Topics by weight, their phrases as one wants to see them.

    Parameters
    ----------
    model : ToPMine
        Fitted.
    n_words, n_phrases : int
        How many of each, at most.
    order : {"frequency", "kert", "relevance"}
        Of phrases: topical frequency as in the paper, KERT's score, or relevance.
    weight : float
        λ of relevance: 1 orders by frequency, 0 by how exclusive a phrase is.
    tie : bool, default True
        Count the variants of a phrase together.
    background : bool, default False
        Show phrases of no topic in particular as well.
    """
    n_phrases = whole("n_phrases", n_phrases, 0)
    entries = Entries.of(model, tie=tie)
    scores = entries.scores(order, weight)
    eligible = entries.lengths > 1
    if not background:
        eligible &= ~entries.background.declared
    if order == "kert":
        eligible &= entries.completeness > GAMMA  # pieces of other phrases have no score
    frequency = entries.frequency
    topics = []
    for topic in topics_of(model.lda_, model.partition_, n_words, 0):
        places = entries.ranked(scores, topic.id, n_phrases, eligible)
        chosen = zip(frequency.types[places].tolist(), frequency.mean[places].tolist(), strict=True)
        shown = tuple(TopicPhrase(entries.text(entry), mean) for entry, mean in chosen)
        topics.append(replace(topic, phrases=shown))
    return topics
