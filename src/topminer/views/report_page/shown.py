"""Documents as a page shows them: the text, its kept tokens, how strongly they are joined, and their topics.

A page cuts a text into phrases itself, at any threshold: tokens are joined where their *strength* is at least
the threshold. So one document serves every position of a slider, and the merge tree as well.
"""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.phrases.partition import Partition

ALWAYS = 1e9  # the strength, in JSON, of what is always whole
N_TOPICS = 5
_SIX_DIGITS = Context(prec=6, rounding=ROUND_FLOOR)


def shown(
    partition: Partition,
    clique_topic: NDArray[np.int32],
    shares: NDArray[np.float64],
    *,
    most_chars: int | None = None,
    only_years: bool | None = None,
) -> list[dict[str, Any]]:
    """Return the documents of a partition as JSON has them, given their shares of topics.

    Texts longer than ``most_chars`` end with a phrase within so many characters. Times are given as years if
    ``only_years``; None: if all these documents are as of 1 January.
    """
    corpus, lengths = partition.corpus, np.diff(partition.clique_start)
    if corpus.texts is None:
        raise InputError("the documents' texts were not kept")
    topics, stops = np.repeat(clique_topic, lengths), corpus.stops
    # A phrase ends where its last token does: no phrase is cut in two.
    ends = np.repeat(stops[partition.clique_start[1:] - 1], lengths)
    strengths = _strengths(partition)
    times = _dates(corpus.times, only_years)
    documents = []
    for row, (first, stop) in enumerate(pairwise(corpus.doc_start.tolist())):
        text: str = corpus.texts[row]
        is_cut = most_chars is not None and len(text) > most_chars
        if most_chars is not None and is_cut:
            stop = first + int(np.searchsorted(ends[first:stop], most_chars, side="right"))
            text = text[: int(ends[stop - 1]) if stop > first else most_chars]
        documents.append(
            {
                "row": row,
                "id": corpus.ids[row],
                "time": None if times is None else times[row],
                "text": text,
                "cut": is_cut,
                "topics": _foremost(shares[row]),
                "start": corpus.starts[first:stop].tolist(),
                "end": stops[first:stop].tolist(),
                "strength": strengths[first:stop],
                "topic": topics[first:stop].tolist(),
            }
        )
    return documents


def _strengths(partition: Partition) -> list[float | None]:
    if partition.strength is None:
        return [None] * partition.corpus.n_tokens
    return [
        None if strength == -np.inf else ALWAYS if strength == np.inf else _short(strength)
        for strength in partition.strength.tolist()
    ]


def _short(strength: float) -> float:
    """Return six digits of a strength, rounded down: it reaches the same thresholds of up to six digits.

    >>> _short(3.99999996), _short(4.00000004), _short(4.1), _short(-0.12345678)
    (3.99999, 4.0, 4.1, -0.123457)
    """
    return float(_SIX_DIGITS.create_decimal(repr(strength)))


def _foremost(shares: NDArray[np.float64]) -> list[list[float]]:
    topics = np.argsort(-shares, kind="stable")[:N_TOPICS]
    return [[int(k), round(float(shares[k]), 4)] for k in topics]


def _dates(times: pl.Series | None, only_years: bool | None) -> pl.Series | None:
    if times is None:
        return None
    only_years = has_only_years(times) if only_years is None else only_years
    return times.dt.year().cast(pl.String) if only_years else times.dt.date().cast(pl.String)


def has_only_years(times: pl.Series | None) -> bool:
    """Return whether documents have years and no days: then all are as of 1 January."""
    return times is not None and bool((times.dt.truncate("1y") == times).all())
