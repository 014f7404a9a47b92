"""Facts of a run, in words: its parameters, its corpus, what was found, and how long it took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from topminer.text.facts import skipped
from topminer.views.fitted import Fitted

_UNSAID = ("random_state", "n_threads", "always", "never", "stop_words")
_STAGES = {"read": "reading", "phrases": "mining and cutting", "topics": "sampling topics"}


def facts_of(model: Fitted, run: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Titled tables of facts; ``run`` is what run.json tells, or nothing."""
    tables = {
        "Corpus": _corpus(model),
        "Phrases": _phrases(model),
        "Topics": _topics(model),
        "Parameters": _parameters(model),
        "Time": _times(run),
        "Machine": _machine(run),
    }
    return [{"title": title, "rows": rows} for title, rows in tables.items() if rows]


def _corpus(model: Fitted) -> list[list[str]]:
    corpus = model.corpus_
    rows = [
        ["source", corpus.origin.name],
        ["documents", f"{len(corpus):,}"],
        ["kept tokens", f"{corpus.n_tokens:,}"],
        ["stems", f"{corpus.n_stems:,}"],
        ["language", corpus.rules.language or "none"],
        ["stop words", f"{len(corpus.rules.stop_words):,}, policy {corpus.rules.stop_word_policy}"],
    ]
    return rows + [[what, f"{count:,}"] for what, count, _ in skipped(corpus)]


def _phrases(model: Fitted) -> list[list[str]]:
    if model.miner_ is None:
        return [["phrases", "none: every word alone"]]
    partition = model.partition_
    lengths = np.diff(partition.clique_start)
    return [
        ["types of several words", f"{partition.n_types - partition.corpus.n_stems:,}"],
        ["instances of them", f"{int((lengths > 1).sum()):,}"],
        ["kept tokens inside", f"{lengths[lengths > 1].sum() / max(lengths.sum(), 1):.1%}"],
        ["minimum support", f"{model.miner_.min_support_:,}"],
        ["threshold", f"{model.miner_.cutting.threshold:g}"],
    ]


def _topics(model: Fitted) -> list[list[str]]:
    lda = model.lda_
    last = lda.history_.row(-1, named=True) if lda.history_.height else {}
    rows = [
        ["topics", f"{lda.topic_weight_.size:,}"],
        ["sum of α", f"{lda.alpha_.sum():.3g}"],
        ["β", f"{lda.beta_:.3g}"],
        ["shards", f"{lda.n_shards_} (exact)" if lda.n_shards_ == 1 else f"{lda.n_shards_} (approximate)"],
    ]
    for name, digits in (("log_likelihood", 4), ("perplexity", 1), ("held_out_perplexity", 1)):
        if last.get(name) is not None:
            rows.append([name.replace("_", " "), f"{last[name]:,.{digits}f}"])
    return rows


def _parameters(model: Fitted) -> list[list[str]]:
    chosen = {name: value for name, value in model.get_params().items() if name not in _UNSAID}
    return [[name, _told(value)] for name, value in chosen.items()]


def _told(value: Any) -> str:
    return f"{np.size(value):,} numbers" if np.ndim(value) else str(value)


def _times(run: Mapping[str, Any]) -> list[list[str]]:
    seconds = run.get("seconds")
    known: Iterable[tuple[str, Any]] = seconds.items() if isinstance(seconds, Mapping) else ()
    return [
        [_STAGES.get(stage, str(stage)), f"{value:.1f} s"]
        for stage, value in known
        if isinstance(value, int | float)
    ]


def _machine(run: Mapping[str, Any]) -> list[list[str]]:
    versions = run.get("versions")
    rows = [[name, str(run[name])] for name in ("threads", "engine", "platform") if name in run]
    if isinstance(versions, Mapping):
        rows.append(["versions", ", ".join(f"{name} {number}" for name, number in versions.items())])
    return rows
