"""What model.json and run.json tell of a model, and parameters made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from topminer.text.corpus import Corpus
from topminer.text.rules import TextRules
from topminer.topics.chain import TIMES

PLACES = ("name", "first_undecodable")  # what an origin says of the file system


def plain(value: Any) -> Any:
    """A parameter as JSON has it: NumPy's numbers and arrays as Python's."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return np.asarray(value, None if isinstance(value, np.generic) else np.float64).tolist()


def reading(rules: TextRules) -> dict[str, Any]:
    """The parameters of reading that make these rules."""
    usual = TextRules.choose(rules.language).stop_words
    return {
        "language": rules.language,
        "stem": rules.stem,
        "stop_words": None if rules.stop_words == usual else list(rules.stop_words),
        "stop_word_policy": rules.stop_word_policy,
    }


def times(history: Any) -> pl.DataFrame | None:
    """The times that run.json tells, if it does."""
    try:
        return pl.DataFrame({name: history[name] for name in TIMES}, dict.fromkeys(TIMES, pl.Float64))
    except (KeyError, TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return None


def run_facts(corpus: Corpus, history: pl.DataFrame) -> dict[str, Any]:
    """Of a run, where its corpus came from, and how long its sweeps took."""
    places = {name: getattr(corpus.origin, name) for name in PLACES}
    return {**places, "history": history.select(TIMES).to_dict(as_series=False)}


def nameless(corpus: Mapping[str, Any]) -> dict[str, Any]:
    """What is stored of a corpus without its place in the file system, which is no part of a model."""
    origin = {name: value for name, value in corpus["origin"].items() if name not in PLACES}
    return {**corpus, "origin": origin}
