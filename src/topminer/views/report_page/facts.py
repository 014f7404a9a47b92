"""Facts of a run, in words: its parameters, its corpus, what was found, and how long it took.

Reports are mailed to others: they name the corpus file, and no folder, user, machine or system. No checksum
covers run.json, so only values of the expected kind are taken from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from topminer.phrases.pieces import NONE, PARAGRAPH
from topminer.text.describe import skipped_in
from topminer.topics.results.fitted import Fitted

_LEFT_OUT = ("random_state", "n_threads", "always", "never", "stop_words", "ray_address")
_STAGES = {
    "read": "reading",
    "phrases": "mining and cutting",
    "topics": "sampling topics",
    "writing": "writing the model",
}
_ENGINES = ("local", "ray")
_PACKAGES = ("python", "topminer", "numpy", "numba", "polars")
_VERSION = re.compile(r"[0-9A-Za-z.+-]{1,40}")


def facts_of(model: Fitted, run: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return titled tables of facts; ``run`` is the content of run.json, or nothing."""
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
        ["source", file_name(corpus.origin.name)],
        ["documents", f"{len(corpus):,}"],
        ["kept tokens", f"{corpus.n_tokens:,}"],
        ["stems", f"{corpus.n_stems:,}"],
        ["language", corpus.rules.language or "none"],
        ["stop words", f"{len(corpus.rules.stop_words):,}, policy {corpus.rules.stop_word_policy}"],
    ]
    n_empty = int((np.diff(corpus.doc_start) == 0).sum())
    return rows + [[what, f"{count:,}"] for what, count, _ in skipped_in(corpus.origin, n_empty)]


def _phrases(model: Fitted) -> list[list[str]]:
    if model.miner_ is None:
        return [["phrases", "none: every word alone"]]
    partition = model.partition_
    lengths = np.diff(partition.clique_start)
    cut = model.miner_.settings.cut
    return [
        ["types of several words", f"{partition.n_types - partition.corpus.n_stems:,}"],
        ["instances of them", f"{int((lengths > 1).sum()):,}"],
        ["kept tokens inside", f"{lengths[lengths > 1].sum() / max(lengths.sum(), 1):.1%}"],
        ["minimum support", f"{model.miner_.min_support_:,}"],
        ["threshold", f"{model.miner_.settings.threshold:g}"],
        ["lowest quality", "nothing was judged" if cut is None else f"{cut:g}"],
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
    if lda.split_ != NONE:
        pieces = lda.split_ if lda.split_ == PARAGRAPH else f"of about {lda.split_:,} words"
        rows.append(["pieces of documents", pieces])
    for name, digits in (("log_likelihood", 4), ("perplexity", 1), ("held_out_perplexity", 1)):
        if last.get(name) is not None:
            rows.append([name.replace("_", " "), f"{last[name]:,.{digits}f}"])
    return rows


def _parameters(model: Fitted) -> list[list[str]]:
    return [
        [name, f"{np.size(value):,} numbers" if np.ndim(value) else str(value)]
        for name, value in model.get_params().items()
        if name not in _LEFT_OUT
    ]


def file_name(path: str) -> str:
    r"""Return the last part of a path of any system.

    >>> file_name("/home/ann/titles.txt"), file_name(r"C:\Users\ann\titles.txt"), file_name("standard input")
    ('titles.txt', 'titles.txt', 'standard input')
    """
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1]


def _times(run: Mapping[str, Any]) -> list[list[str]]:
    return [
        [name, f"{seconds:.1f} s"]
        for stage, name in _STAGES.items()
        if _is_number(seconds := _mapping(run.get("seconds")).get(stage))
    ]


def _machine(run: Mapping[str, Any]) -> list[list[str]]:
    threads, engine, versions = run.get("threads"), run.get("engine"), _mapping(run.get("versions"))
    counts = threads if isinstance(threads, list) else [threads]  # on a cluster there is one for each node
    rows = []
    if counts and all(_is_number(count) for count in counts):
        rows.append(["threads", ", ".join(f"{count:g}" for count in counts)])
    if engine in _ENGINES:
        rows.append(["engine", str(engine)])
    known = [
        f"{name} {version}"
        for name in _PACKAGES
        if isinstance(version := versions.get(name), str) and _VERSION.fullmatch(version)
    ]
    return [*rows, ["versions", ", ".join(known)]] if known else rows


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and 0 <= value < 1e9
