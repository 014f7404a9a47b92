"""What is stored of several chains: of each finished one in a checkpoint, and of all together in a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer._parameters import BETA_RANGE, MOST_CHAINS, MOST_SEED
from topminer.store.facts import Fact, Float, Int, Record
from topminer.store.relations import pairs_ascend, words_add_up
from topminer.store.schema import Array, Column, Format, Range, Relation, Section, Table

_COUNT = Range(low=0)
_FLOATS = Range(low=0.0)
_SHARE = Range(low=0.0, high=1.0)
_SEED = Int(high=MOST_SEED)
_HISTORY = {"sweep": Column(pl.Int64, Range(low=1)), "log_likelihood": Column(pl.Float64)}


def ends_in_order(low: NDArray[np.float64], high: NDArray[np.float64]) -> bool:
    """An interval starts before it ends."""
    return bool((low <= high).all())


def hold_the_model(low: NDArray[Any], high: NDArray[Any], value: NDArray[Any]) -> bool:
    """An interval holds the model's own value."""
    return bool(((low <= value) & (value <= high)).all())


def samples_add_up(sampled: NDArray[np.int64], tokens: NDArray[np.int64]) -> bool:
    """Topics have the same tokens together in every sample."""
    return bool((sampled.reshape(-1, tokens.size).sum(axis=1) == tokens.sum()).all())


def chains_are_numbered(chains: pl.DataFrame, history: pl.DataFrame) -> bool:
    """There are several chains, and rows of history belong to one of them."""
    return 2 <= chains.height <= MOST_CHAINS and bool((history["chain"] < chains.height).all())


CERTAINTY = Section(
    facts=Record(
        {"model": Int(below="chains"), "rate": Float(0.0, 1.0), "threshold": Float(0.0, 1.0)},
    ),
    arrays={
        "stability": Array("<f8", "topics", _SHARE),
        "weight_low": Array("<f8", "topics", _SHARE),
        "weight_high": Array("<f8", "topics", _SHARE),
        "frequency_low": Array("<f8", "type_topics", _FLOATS),
        "frequency_high": Array("<f8", "type_topics", _FLOATS),
    },
    tables={
        "chains": Table(
            "chains",
            {
                "seed": Column(pl.UInt64),
                "sweeps": Column(pl.Int64, Range(low=1)),
                "log_likelihood": Column(pl.Float64),
            },
        ),
        "history": Table("chain_records", {"chain": Column(pl.Int64, _COUNT), **_HISTORY}),
    },
    relations=(
        Relation("weights lie in order", ("weight_low", "weight_high"), ends_in_order),
        Relation(
            "there are several chains, and every row of history is of one of them",
            ("chains", "history"),
            chains_are_numbered,
        ),
    ),
    may_lack=True,
)
INTERVALS_HOLD = Relation(
    "an interval holds the model's own topical frequency",
    ("certainty-frequency_low", "certainty-frequency_high", "topics-frequency_mean"),
    hold_the_model,
)

_FINISHED: Mapping[str, Fact] = {
    "seed": _SEED,
    "beta": Float(*BETA_RANGE),
    "n_samples": Int(1, equals="samples"),
}


def finished(number: int) -> Format:
    """Return the format of a finished chain, numbered from 1."""
    return Format(
        f"finished{number}",
        {
            "": Section(
                facts=Record(_FINISHED),
                arrays={
                    "word_topic": Array("<i4", "stems*topics", _COUNT),
                    "tokens": Array("<i8", "topics", _COUNT),
                    "sampled": Array("<i8", "samples*topics", _COUNT),
                    "frequency_type": Array("<i4", "type_topics", _COUNT),
                    "frequency_topic": Array("<i4", "type_topics", Range(low=0, below="topics")),
                    "frequency_mean": Array("<f8", "type_topics", _FLOATS),
                    "frequency_spread": Array("<f8", "type_topics", _FLOATS),
                },
                tables={"history": Table("records", _HISTORY)},
                relations=(
                    Relation(
                        "the words of a topic add up to its tokens", ("word_topic", "tokens"), words_add_up
                    ),
                    Relation("every sample has all tokens", ("sampled", "tokens"), samples_add_up),
                    Relation(
                        "phrase types and topics ascend", ("frequency_type", "frequency_topic"), pairs_ascend
                    ),
                ),
            )
        },
    )
