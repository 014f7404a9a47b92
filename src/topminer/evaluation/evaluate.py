"""All measures of a fitted model that need no person: what ``topminer evaluate`` shows.

Held-out perplexity and stability need more models like it: with documents held out, and with other seeds.
They are made with the model's own settings, and as many sweeps as are asked for. A model of several chains
knows its stability already.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from topminer._parameters import MOST_SEEDS, whole
from topminer.evaluation.contract import Context, Score
from topminer.evaluation.diagnostics import diagnostics
from topminer.evaluation.gold import Gold
from topminer.evaluation.intrusion import questions
from topminer.evaluation.measures import intrusion, measured
from topminer.evaluation.perplexity import perplexity_curves
from topminer.evaluation.stability import stability
from topminer.methods.contract import Stems
from topminer.methods.topmine import topics_of
from topminer.phrases.partition import Partition
from topminer.progress import Progress, silent
from topminer.text.corpus import Corpus
from topminer.topics.model.phraselda import PhraseLDA, topics_in
from topminer.topics.results.verdict import large_topic, verdict_of

FORMAT = 1
NAME = "model"  # of the one method whose questions are asked


def evaluate(
    lda: PhraseLDA,
    partition: Partition,
    *,
    n_top: int = 10,
    n_questions: int = 200,
    window: int | None = None,
    golds: Sequence[Gold] = (),
    keyphrases: Sequence[frozenset[Stems]] | None = None,
    reference: Corpus | None = None,
    n_sweeps: int = 200,
    repeats: int = 3,
    perplexity: bool = True,
    seed: int = 0,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Measure fitted topics by their ``n_top`` first words and phrases; see `Context` for what is counted.

    Stability compares ``repeats`` fits: this model, and others of ``n_sweeps`` with other seeds; with one
    there is none. If the model has several chains, they are compared instead. Perplexity follows the sweeps
    of two further models. The seed is that of the questions of phrase intrusion, and of all further models.
    """
    whole("repeats", repeats, 1, MOST_SEEDS)
    corpus, topics = partition.corpus, topics_of(lda, partition)
    several = any(topic.phrases for topic in topics)
    context = Context(
        corpus, n_top, window, golds=golds, keyphrases=keyphrases, reference=reference, progress=progress
    )
    found = measured(topics, context)
    by_topic = found.pop("coherence_by_topic")
    shown = [topic.phrases if several else topic.words for topic in topics]
    asked = questions({NAME: shown}, n=n_questions, n_top=n_top, seed=seed)
    certainty = lda.certainty_
    if certainty is not None:
        steady: Score | None = Score.of(certainty.stability.tolist())
    else:
        steady = _stability(lda, partition, n_sweeps, repeats, seed, progress) if repeats > 1 else None
    measures = diagnostics(
        lda, partition, coherence=None if window or reference else by_topic["npmi_words"], progress=progress
    ).drop("topic", "stability")
    verdict, large = verdict_of(lda), large_topic(topics_in(lda).n_k)
    curves = None
    if perplexity:
        curves = perplexity_curves(partition, _another(lda, n_sweeps, seed), seed, progress)
    return {
        "format": FORMAT,
        "corpus": {"documents": len(corpus), "tokens": corpus.n_tokens, "stems": corpus.n_stems},
        "settings": {
            "topics": len(topics),
            "top_phrases": n_top,
            "window": window,
            "sweeps": n_sweeps,
            "repeats": repeats,
            "chains": verdict.n_chains,
            "seed": seed,
        },
        **found,
        "intrusion": intrusion(asked, context),
        "perplexity": curves,
        "stability": None if steady is None else steady.mean,
        "verdict": {
            "sweeps": verdict.n_sweeps,
            "flat": verdict.is_flat,
            "gain": verdict.gain,
            "agree": verdict.agree,
            "difference": verdict.difference,
            "stable_topics": None if certainty is None else int(certainty.is_stable.sum()),
            "lines": verdict.lines(),
            "advice": verdict.advice(),
            "large_topic": None if large is None else large.text(as_options=True),
        },
        "topics": [
            {
                "id": k,
                "words": [word.text for word in topic.words[:n_top]],
                "phrases": [phrase.text for phrase in topic.phrases[:n_top]],
                **{name: values[k] for name, values in by_topic.items()},
                "stability": None if steady is None else steady.topics[k],
                **measures.row(k, named=True),
            }
            for k, topic in enumerate(topics)
        ],
    }


def _stability(
    lda: PhraseLDA, partition: Partition, n_sweeps: int, repeats: int, seed: int, progress: Progress
) -> Score:
    runs = [lda.topic_word_]
    for number in range(1, repeats):
        runs.append(_another(lda, n_sweeps, seed + number).fit(partition, progress=progress).topic_word_)
    return stability(runs)


def _another(lda: PhraseLDA, n_sweeps: int, seed: int) -> PhraseLDA:
    """Return a model with the same settings, to be fitted."""
    # Fits that start from the same topics would look more stable than they are.
    new = {"n_topics": lda.alpha_.size, "n_chains": 1, "n_sweeps": n_sweeps, "start": "random"}
    return PhraseLDA(**{**lda.get_params(), **new, "random_state": seed})
