"""Facts in model.json and run.json, and the parameters that they stand for."""

from __future__ import annotations

from typing import Any

import polars as pl

from topminer.text.corpus import Corpus
from topminer.text.provenance import PATHS
from topminer.text.rules import TextRules
from topminer.topics.sampler.chain import TIMES


def reading(rules: TextRules) -> dict[str, Any]:
    """Return the parameters of reading that make these rules."""
    usual = TextRules.choose(rules.language).stop_words
    return {
        "language": rules.language,
        "stem": rules.stem,
        "stop_words": None if rules.stop_words == usual else list(rules.stop_words),
        "stop_word_policy": rules.stop_word_policy,
        "numbers": rules.numbers,
        "token_pattern": rules.token_pattern,
    }


def times(history: Any) -> pl.DataFrame | None:
    """Return the times of the history in run.json, or None."""
    try:
        return pl.DataFrame({name: history[name] for name in TIMES}, dict.fromkeys(TIMES, pl.Float64))
    except (KeyError, TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return None


def run_facts(corpus: Corpus, history: pl.DataFrame) -> dict[str, Any]:
    """Return the paths of a run's corpus, and the times of its sweeps."""
    paths = {name: getattr(corpus.origin, name) for name in PATHS}
    return {**paths, "history": history.select(TIMES).to_dict(as_series=False)}
