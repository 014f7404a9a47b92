"""The measures of one method's topics that need nobody's judgement: the registry, and all of them at once.

Coherence is in coherence.py, phrase quality in quality.py, intrusion in intrusion.py. Diversity says whether
topics differ or repeat each other: the share of distinct words among the first 25 of all topics (Dieng, Ruiz
and Blei 2020), and of distinct phrases among the first 10::

    data mining, decision trees | data mining, query processing        3 distinct of 4: 0.75
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from topminer._parameters import whole
from topminer.evaluation.coherence import c_v, npmi
from topminer.evaluation.contract import Context, Measure, Score
from topminer.evaluation.intrusion import AUTOMATIC, Question, automatic_answers, scores
from topminer.evaluation.occurrences import Occurrences
from topminer.evaluation.quality import keyphrase_agreement, quality
from topminer.methods.contract import RankedTopic, Stems

N_DIVERSE_WORDS = 25
KEYPHRASES = "documents' own keyphrases"


def words_of(topics: Sequence[RankedTopic]) -> list[list[Stems]]:
    """Return the words of topics as stem ids."""
    return [[word.stems for word in topic.words] for topic in topics]


def phrases_of(topics: Sequence[RankedTopic]) -> list[list[Stems]]:
    """Return the phrases of topics as stem ids; none if all are single words, which are measured as words."""
    phrases = [[phrase.stems for phrase in topic.phrases] for topic in topics]
    return phrases if any(len(stems) > 1 for topic in phrases for stems in topic) else [[] for _ in topics]


def diversity(topics: Sequence[Sequence[Stems]], n: int = 25, *, contiguous: bool = True) -> float | None:
    """Return the share of distinct phrases among the first ``n`` of all topics; None: there are no phrases.

    With ``contiguous=False`` a phrase is a set of words, the same in whatever order they stand.

    >>> diversity([[(3, 4), (7, 1)], [(3, 4), (5,)]])
    0.75
    """
    whole("the number of phrases of a topic", n, 1)
    listed = [tuple(map(int, phrase)) for topic in topics for phrase in topic[:n]]
    if not listed:
        return None
    distinct = set(listed) if contiguous else {frozenset(phrase) for phrase in listed}
    return len(distinct) / len(listed)


def _counting(context: Context) -> dict[str, Any]:
    return {
        "n": context.n_top,
        "contiguous": not context.as_sets,
        "reference": context.reference,
        "progress": context.progress,
    }


def _npmi(topics: Sequence[Sequence[Stems]], context: Context) -> Score:
    rules = _counting(context)
    return npmi(topics, context.corpus, window=context.window, eps=context.smoothing, **rules)


def _c_v(topics: Sequence[Sequence[Stems]], context: Context) -> Score:
    return c_v(topics, context.corpus, **_counting(context))


NPMI_WORDS = Measure("npmi_words", "NPMI words", 1, lambda topics, given: _npmi(words_of(topics), given))
NPMI_PHRASES = Measure("npmi_phrases", "phrases", 1, lambda topics, given: _npmi(phrases_of(topics), given))
CV_WORDS = Measure("cv_words", "C_V words", 1, lambda topics, given: _c_v(words_of(topics), given))
CV_PHRASES = Measure("cv_phrases", "phrases", 1, lambda topics, given: _c_v(phrases_of(topics), given))
DIVERSITY_WORDS = Measure(
    "words", "diversity of words", 1, lambda topics, _: Score(diversity(words_of(topics), N_DIVERSE_WORDS))
)
DIVERSITY_PHRASES = Measure(
    "phrases",
    "diversity of phrases",
    1,
    lambda topics, given: Score(diversity(phrases_of(topics), given.n_top, contiguous=given.contiguous)),
)
COHERENCE: Mapping[str, Measure] = {
    each.name: each for each in (NPMI_WORDS, NPMI_PHRASES, CV_WORDS, CV_PHRASES)
}
DIVERSITY: Mapping[str, Measure] = {each.name: each for each in (DIVERSITY_WORDS, DIVERSITY_PHRASES)}


def measured(topics: Sequence[RankedTopic], context: Context) -> dict[str, Any]:
    """Return coherence, diversity and phrase quality as plain numbers."""
    coherence = {name: measure(topics, context) for name, measure in COHERENCE.items()}
    return {
        "coherence": {name: score.mean for name, score in coherence.items()},
        "coherence_by_topic": {name: list(score.topics) for name, score in coherence.items()},
        "diversity": {name: measure(topics, context).mean for name, measure in DIVERSITY.items()},
        "quality": list(_qualities(phrases_of(topics), context)),
    }


def _qualities(phrases: Sequence[Sequence[Stems]], context: Context) -> Iterator[dict[str, Any]]:
    if not any(phrases):
        return
    found = [quality(phrases, gold, context.corpus, contiguous=context.contiguous) for gold in context.golds]
    if context.keyphrases is not None:
        own = keyphrase_agreement(phrases, context.keyphrases, context.corpus, contiguous=context.contiguous)
        found.append(own._replace(gold=KEYPHRASES))
    for each in found:
        yield {
            "gold": each.gold,
            "precision": {str(n): value for n, value in each.precision.items()},
            "counted": {str(n): value for n, value in each.n_counted.items()},
            "recall": each.recall,
            "relevant": each.n_relevant,
        }


def intrusion(questions: Sequence[Question], context: Context) -> dict[str, Any] | None:
    """Score the automatic annotator on one method's questions; None if there are none.

    It associates phrases by their NPMI over documents.
    """
    if not questions:
        return None
    phrases = {stems for question in questions for stems in question.stems}
    counts = Occurrences.of(context.corpus, phrases, contiguous=not context.as_sets)
    (score,) = scores(questions, {AUTOMATIC: automatic_answers(questions, counts.npmi)}).values()
    return {"annotator": AUTOMATIC, **asdict(score)}
