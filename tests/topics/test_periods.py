"""Periods of documents, and topics and phrases in them, counted one by one."""

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer import Corpus, ToPMine
from topminer.topics.results.periods import (
    MOST_PERIODS,
    Periods,
    period_sizes,
    periods,
    phrase_trend,
    topic_trend,
)

WORDS = ["iron", "zinc", "copper", "apple", "pear", "plum"]
TEXTS = [
    " ".join(WORDS[(i * j + j) % len(WORDS)] for j in range(i % 7)) + ", frequent pattern" * (i % 3)
    for i in range(1, 61)
]


@cache
def model() -> ToPMine:
    return ToPMine(3, n_sweeps=10, random_state=0, min_support=3, n_threads=1).fit(TEXTS)


def series(times: list[datetime | None]) -> pl.Series:
    return pl.Series(times, dtype=pl.Datetime("us"))


def found(times: list[datetime | None]) -> Periods:
    result = periods(series(times))
    assert result is not None
    return result


def test_without_any_time_there_are_no_periods() -> None:
    assert periods(None) is None
    assert periods(series([])) is None
    assert periods(series([None, None])) is None


def test_years_with_a_gap() -> None:
    result = found([datetime(2003, 5, 1), None, datetime(1999, 12, 31), datetime(2003, 1, 1)])
    assert result.names == ["1999", "2000", "2001", "2002", "2003"]
    assert result.unit == "year"
    assert result.of_document.tolist() == [4, -1, 0, 4]
    assert result.of_document.dtype == np.int32


def test_months() -> None:
    result = found([datetime(2003, 11, 5), datetime(2004, 2, 28)])
    assert result.names == ["2003-11", "2003-12", "2004-01", "2004-02"]
    assert (result.unit, result.of_document.tolist()) == ("month", [0, 3])


def test_days() -> None:
    result = found([datetime(2004, 2, 28, 23, 59), datetime(2004, 3, 1)])
    assert result.names == ["2004-02-28", "2004-02-29", "2004-03-01"]
    assert (result.unit, result.of_document.tolist()) == ("day", [0, 2])
    result = found([datetime(1969, 12, 30, 23), datetime(1970, 1, 2, 1)])
    assert result.names == ["1969-12-30", "1969-12-31", "1970-01-01", "1970-01-02"]


@pytest.mark.parametrize(
    ("first", "last", "unit"),
    [
        (datetime(2001, 1, 1), datetime(2002, 1, 1), "year"),  # bare years
        (datetime(2001, 1, 1), datetime(2001, 1, 1), "year"),
        (datetime(2001, 3, 1), datetime(2001, 4, 1), "month"),  # bare months
        (datetime(2001, 3, 2), datetime(2001, 3, 2), "day"),
        (datetime(2001, 3, 2), datetime(2001, 4, 30), "day"),
        (datetime(2001, 3, 2), datetime(2001, 5, 30), "month"),
        (datetime(2001, 3, 2), datetime(2004, 2, 29), "month"),
        (datetime(2001, 3, 2), datetime(2004, 3, 1), "year"),
    ],
)
def test_units(first: datetime, last: datetime, unit: str) -> None:
    assert found([last, first]).unit == unit


def test_decades_and_longer() -> None:
    result = found([datetime(1895, 1, 1), datetime(2004, 1, 1)])
    assert (result.names[0], result.names[1], result.names[-1]) == ("1890s", "1900s", "2000s")
    assert (len(result.names), result.unit) == (12, "year")
    result = found([datetime(101, 1, 1), datetime(2004, 1, 1)])
    assert (result.names[0], result.names[-1], len(result.names)) == ("100–199", "2000–2099", 20)


TIMES = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31))
NEAR = st.integers(0, 3000).map(lambda days: datetime(1968, 2, 27, 13) + timedelta(days))


@given(st.lists(st.none() | TIMES, max_size=8) | st.lists(st.none() | NEAR, max_size=8))
def test_periods_are_in_order_and_every_document_is_in_its_own(times: list[datetime | None]) -> None:
    result = periods(series(times))
    known = [time for time in times if time is not None]
    if not known:
        assert result is None
        return
    assert result is not None
    assert len(result.names) == len(set(result.names)) <= MOST_PERIODS
    numbers = [number for number, time in zip(result.of_document, times, strict=True) if time is not None]
    assert min(numbers) == 0
    assert max(numbers) == len(result.names) - 1
    assert [number < 0 for number in result.of_document] == [time is None for time in times]
    by_time = [number for _, number in sorted(zip(known, numbers, strict=True))]
    assert by_time == sorted(by_time)
    for time, number in zip(known, numbers, strict=True):
        name = result.names[number]
        if result.unit == "year":
            first, _, last = name.partition("–")
            length = 10 if name.endswith("s") else int(last) - int(first) + 1 if last else 1
            assert int(first.removesuffix("s")) == time.year // length * length
        else:
            assert time.isoformat().startswith(name)


TIMELY = [None if i % 5 == 0 else datetime(2000 + i * i % 7 // 2 * 2, 6, 2) for i in range(len(TEXTS))]


def test_shares_of_topics_against_a_count_of_tokens() -> None:
    """Tokens of a phrase all count for its topic; years without documents are 0."""
    fitted, when = model(), found(TIMELY)
    lengths = np.diff(fitted.partition_.clique_start).tolist()
    tokens: Counter[tuple[int, int]] = Counter()
    for document in range(len(TEXTS)):
        first, behind = fitted.partition_.doc_start[document : document + 2].tolist()
        for clique in range(first, behind):
            topic = int(fitted.lda_.clique_topic_[clique])
            tokens[topic, int(when.of_document[document])] += lengths[clique]
    shares = topic_trend(fitted, when)
    assert shares.shape == (3, len(when.names))
    for period in range(len(when.names)):
        total = sum(tokens[topic, period] for topic in range(3))
        for topic in range(3):
            assert shares[topic, period] == pytest.approx(tokens[topic, period] / max(total, 1))
    assert shares.sum(axis=0).tolist() == pytest.approx([1, 0, 1, 0, 1][: len(when.names)])


@given(st.lists(st.integers(-1, 3), min_size=len(TEXTS), max_size=len(TEXTS)))
def test_instances_of_types_against_a_count(of_document: list[int]) -> None:
    """Types with one row are counted together, and those without a row not at all."""
    fitted = model()
    when = Periods(["a", "b", "c", "d"], "year", np.array(of_document, np.int32))
    partition = fitted.partition_
    seen: Counter[tuple[int, int]] = Counter()
    for document, period in enumerate(of_document):
        first, behind = partition.doc_start[document : document + 2].tolist()
        seen.update((kind, period) for kind in partition.type_ids[first:behind].tolist())
    row_of = np.arange(partition.n_types) % 5 - 1
    counts = phrase_trend(fitted, when, row_of, 4)
    assert counts.dtype == np.int64
    for row in range(4):
        kinds = np.flatnonzero(row_of == row).tolist()
        assert counts[row].tolist() == [sum(seen[kind, period] for kind in kinds) for period in range(4)]
    every = phrase_trend(fitted, when, np.zeros(partition.n_types, np.int64), 1)
    assert every[0].tolist() == period_sizes(fitted, when).tolist()


def test_words_that_are_not_in_the_vocabulary_count_for_nothing() -> None:
    miner = model().miner_
    assert miner is not None
    other = ToPMine(3)
    other.partition_ = miner.transform(model().corpus_.encode(["iron xyzzy", "xyzzy"]))
    when = Periods(["a"], "year", np.zeros(2, np.int32))
    assert phrase_trend(other, when, np.arange(other.partition_.n_types), other.partition_.n_types).sum() == 1
    assert period_sizes(other, when).tolist() == [3]


def test_times_of_a_corpus(tmp_path) -> None:
    path = tmp_path / "documents.csv"
    path.write_text("text,year\niron,2001\nzinc,\npear,2003\n")
    corpus = Corpus.read(path, text="text", time="year")
    result = periods(corpus.times)
    assert result is not None
    assert (result.names, result.of_document.tolist()) == (["2001", "2002", "2003"], [0, -1, 2])
    assert periods(replace(corpus, times=None).times) is None
