"""Topical frequency: counts of a sample, their average and spread, other topic numbers."""

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer.topics.results.frequency import Average, TopicalFrequency

pytestmark = pytest.mark.small
Sample = list[tuple[int, int]]  # type and topic of each clique


@st.composite
def samples(draw: st.DrawFn) -> tuple[int, list[Sample]]:
    """Several samples of the topics of the same cliques."""
    n_topics = draw(st.integers(1, 6))
    types = draw(st.lists(st.integers(-1, 8), max_size=40))
    topics = st.lists(st.integers(0, n_topics - 1), min_size=len(types), max_size=len(types))
    drawn = draw(st.lists(topics, min_size=1, max_size=4))
    return n_topics, [list(zip(types, each, strict=True)) for each in drawn]


def average(n_topics: int, drawn: list[Sample]) -> TopicalFrequency:
    mean = Average(n_topics)
    for sample in drawn:
        mean.add(*np.array(sample, np.int32).reshape(-1, 2).T)
    return mean.result()


def as_dict(frequency: TopicalFrequency) -> dict[tuple[int, int], tuple[float, float]]:
    columns = (frequency.types, frequency.topics, frequency.mean, frequency.spread)
    types, topics, mean, spread = (column.tolist() for column in columns)
    return dict(zip(zip(types, topics, strict=True), zip(mean, spread, strict=True), strict=True))


def assert_same(one: TopicalFrequency, other: TopicalFrequency) -> None:
    for a, b in zip(one[:4], other[:4], strict=True):
        assert a.dtype == b.dtype and a.tobytes() == b.tobytes()
    assert one.n_samples == other.n_samples


def test_worked_example() -> None:
    mean = Average(4)
    mean.add(np.array([7, 7, 2, 7]), np.array([0, 0, 1, 3]))
    mean.add(np.array([7, 7, 2, 7]), np.array([0, 3, 1, 3], np.int16))
    frequency = mean.result()
    assert as_dict(frequency) == {(2, 1): (1.0, 0.0), (7, 0): (1.5, 0.5), (7, 3): (1.5, 0.5)}
    assert frequency.n_samples == 2
    assert frequency.totals().tolist() == [0, 0, 1, 0, 0, 0, 0, 3]
    assert frequency.totals(9).tolist() == [0, 0, 1, 0, 0, 0, 0, 3, 0]
    assert frequency.sizes().tolist() == [1.5, 1, 0, 1.5]
    assert frequency.sizes(5).tolist() == [1.5, 1, 0, 1.5, 0]


@given(samples())
def test_average_is_mean_and_standard_deviation_of_the_counters(case: tuple[int, list[Sample]]) -> None:
    n_topics, drawn = case
    counters = [Counter(pair for pair in sample if pair[0] >= 0) for sample in drawn]
    table = {pair: [counter[pair] for counter in counters] for pair in sorted(set().union(*counters))}
    found = as_dict(average(n_topics, drawn))
    assert list(found) == list(table)
    for pair, seen in table.items():
        assert found[pair] == pytest.approx((np.mean(seen), np.std(seen)), abs=1e-12)


@given(samples(), st.randoms())
def test_the_order_of_samples_does_not_matter(case: tuple[int, list[Sample]], random: Random) -> None:
    n_topics, drawn = case
    shuffled = list(drawn)
    random.shuffle(shuffled)
    assert_same(average(n_topics, drawn), average(n_topics, shuffled))


@given(samples())
def test_nothing_is_lost(case: tuple[int, list[Sample]]) -> None:
    """Means summed over topics are the instances of the type, exactly."""
    n_topics, drawn = case
    frequency = average(n_topics, drawn)
    instances = Counter(kind for kind, _ in drawn[0] if kind >= 0)
    assert frequency.totals(9).tolist() == [instances[kind] for kind in range(9)]
    assert frequency.sizes(n_topics).sum() == pytest.approx(instances.total())


@given(samples())
def test_a_single_sample_has_no_spread(case: tuple[int, list[Sample]]) -> None:
    n_topics, (sample, *_) = case
    assert not average(n_topics, [sample]).spread.any()
    assert not average(n_topics, [sample] * 3).spread.any()


def test_large_counts_keep_their_spread() -> None:
    """Squares of such counts, times the samples, do not fit an integer; their difference does."""
    mean = Average(1)
    mean.n_samples = 1000
    mean._keys = np.zeros(1, np.int64)
    counts = [10**9, 10**9 + 2] * 500
    mean._sums = np.array([sum(counts)])
    mean._squares = np.array([sum(n * n for n in counts) % 2**64], np.uint64).view(np.int64)
    assert mean.result().spread.tolist() == [1.0]
    assert mean.result().mean.tolist() == [10**9 + 1]


@pytest.mark.parametrize("n_samples", [0, 1, 2])
def test_empty(n_samples: int) -> None:
    mean = Average(3)
    for _ in range(n_samples):
        mean.add(np.array([-1], np.int32), np.array([-1], np.int32))
    frequency = mean.result()
    assert [part.size for part in frequency[:4]] == [0] * 4
    assert frequency.totals(2).tolist() == [0, 0]
    assert frequency.sizes(3).tolist() == [0, 0, 0]
    assert frequency.relabelled([2, 1, 0]).types.size == 0


# ------------------------------------------------------------------------------------- other numbers


@given(samples(), st.data())
def test_relabelled_is_counting_with_other_numbers(
    case: tuple[int, list[Sample]], data: st.DataObject
) -> None:
    n_topics, drawn = case
    order = data.draw(st.permutations(range(n_topics)))
    renamed = [[(kind, order.index(topic)) for kind, topic in sample] for sample in drawn]
    frequency = average(n_topics, drawn)
    assert_same(frequency.relabelled(order), average(n_topics, renamed))
    assert_same(frequency.relabelled(order).relabelled(np.argsort(order)), frequency)


@pytest.mark.parametrize("order", [[0, 0, 1], [1, 2, 3], [0, 1]])
def test_an_order_that_is_none(order: list[int]) -> None:
    with pytest.raises(ValueError, match="each topic once"):
        average(3, [[(0, 0), (1, 2)]]).relabelled(order)
