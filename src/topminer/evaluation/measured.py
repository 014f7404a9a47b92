"""All measures of one method's topics that need nobody's judgement, as plain numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from topminer.evaluation.annotator import NAME, automatic
from topminer.evaluation.coherence import c_v, npmi
from topminer.evaluation.diversity import diversity
from topminer.evaluation.gold import Gold
from topminer.evaluation.intrusion import Question, scores
from topminer.evaluation.occurrences import Occurrences
from topminer.evaluation.quality import keyphrase_agreement, quality
from topminer.methods.contract import FoundTopic, Stems
from topminer.progress import Progress, silent
from topminer.text.corpus import Corpus

KEYPHRASES = "documents' own keyphrases"


def measured(
    topics: Sequence[FoundTopic],
    corpus: Corpus,
    *,
    contiguous: bool = True,
    as_sets: bool = False,
    n_top: int = 10,
    window: int | None = None,
    golds: Sequence[Gold] = (),
    keyphrases: Sequence[frozenset[Stems]] | None = None,
    reference: Corpus | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Coherence, diversity and phrase quality.

    Parameters
    ----------
    topics : sequence of FoundTopic
    corpus : Corpus
        Where they were found.
    contiguous : bool, default True
        Whether the method's phrases are words side by side, in that order.
    as_sets : bool, default False
        Whether coherence counts a phrase wherever all its words are. Where methods are compared of which
        one has sets of words for phrases, all are counted so: on one scale.
    n_top : int, default 10
        How many words and phrases of each topic are looked at.
    window : int or None
        NPMI is counted over windows of so many kept tokens; None: over documents.
    golds : sequence of Gold
        Lists of good phrases.
    keyphrases : sequence of sets, optional
        Each document's own: one more list, whose recall is a mean over documents.
    reference : Corpus or None
        Where co-occurrence is counted; None: in the corpus itself.
    progress : callable
        See :class:`topminer.progress.Progress`.
    """
    words, phrases = stems_of(topics)
    if not any(len(stems) > 1 for topic in phrases for stems in topic):
        phrases = [[] for _ in topics]  # of single words, the words tell all
    counted: dict[str, Any] = {"n": n_top, "reference": reference, "progress": progress}
    counted["contiguous"] = not as_sets
    found = {
        # Phrases are rarer than words, and gensim's epsilon flatters what is rare: without it, then.
        "npmi_words": npmi(words, corpus, window=window, eps=0.0, **counted),
        "npmi_phrases": npmi(phrases, corpus, window=window, eps=0.0, **counted),
        "cv_words": c_v(words, corpus, **counted),
        "cv_phrases": c_v(phrases, corpus, **counted),
    }
    return {
        "coherence": {name: each.mean for name, each in found.items()},
        "coherence_by_topic": {name: list(each.topics) for name, each in found.items()},
        "diversity": {
            "words": diversity(words, 25),
            "phrases": diversity(phrases, n_top, contiguous=contiguous),
        },
        "quality": list(_qualities(phrases, corpus, golds, keyphrases, contiguous)) if any(phrases) else [],
    }


def stems_of(topics: Sequence[FoundTopic]) -> tuple[list[list[Stems]], list[list[Stems]]]:
    """The words of topics, and their phrases, as stem ids."""
    return (
        [[word.stems for word in topic.words] for topic in topics],
        [[phrase.stems for phrase in topic.phrases] for topic in topics],
    )


def _qualities(
    phrases: Sequence[Sequence[Stems]],
    corpus: Corpus,
    golds: Sequence[Gold],
    keyphrases: Sequence[frozenset[Stems]] | None,
    contiguous: bool,
) -> Iterator[dict[str, Any]]:
    for gold in golds:
        found = quality(phrases, gold, corpus, contiguous=contiguous)
        yield _told(found.gold, found.precision, found.n_counted, found.recall, found.n_relevant)
    if keyphrases is not None:
        agreed = keyphrase_agreement(phrases, keyphrases, corpus, contiguous=contiguous)
        yield _told(KEYPHRASES, agreed.precision, agreed.n_counted, agreed.recall, agreed.n_documents)


def _told(
    gold: str,
    precision: Mapping[int, float | None],
    counted: Mapping[int, int],
    recall: float | None,
    of: int,
) -> dict[str, Any]:
    return {
        "gold": gold,
        "precision": {str(n): value for n, value in precision.items()},
        "counted": {str(n): value for n, value in counted.items()},
        "recall": recall,
        "relevant": of,
    }


def intrusion(questions: Sequence[Question], corpus: Corpus, *, as_sets: bool = False) -> dict[str, Any]:
    """How the automatic annotator fares with one method's questions: association by NPMI over documents."""
    counts = Occurrences.of(
        corpus, {stems for question in questions for stems in question.stems}, contiguous=not as_sets
    )
    answers = {NAME: automatic(questions, counts.npmi)}
    (found,) = scores(questions, answers).values()
    return {"annotator": NAME, **asdict(found)}
