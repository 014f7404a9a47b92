"""Topics as a table with a row for each word and each phrase."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from topminer.topics.results.topic import Topic

_COLUMNS = {
    "topic": pl.Int64,
    "weight": pl.Float64,
    "kind": pl.String,
    "rank": pl.Int64,
    "text": pl.String,
    "value": pl.Float64,
}


def topic_rows(topics: Sequence[Topic]) -> pl.DataFrame:
    """The rows of :func:`topminer.views.topic_tables.as_csv`, every text as it is."""
    rows = [
        (topic.id, float(topic.weight), kind, rank, text, float(value))
        for topic in topics
        for kind, ranked in (("word", topic.words), ("phrase", topic.phrases))
        for rank, (text, value) in enumerate(ranked, 1)
    ]
    return pl.DataFrame(rows, _COLUMNS, orient="row")
