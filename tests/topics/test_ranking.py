"""Orders of words and phrases: by φ, by topical frequency, KERT's four measures, relevance."""

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from topminer.topics.results.frequency import Average, TopicalFrequency
from topminer.topics.results.ranking import (
    LOWEST,
    best,
    by_frequency,
    by_score,
    completeness,
    concordance,
    is_typical,
    kert,
    of_length,
    popularity,
    purity,
    relevance,
    together,
    top_words,
)

pytestmark = pytest.mark.small
log2 = math.log2
Table = list[list[int]]  # occurrences of each phrase (row) in each topic


def counted(table: Table) -> TopicalFrequency:
    """What one sample with these counts gives."""
    cliques = [(i, k) for i, row in enumerate(table) for k, n in enumerate(row) for _ in range(n)]
    mean = Average(len(table[0]))
    mean.add(*np.array(cliques, np.int32).reshape(-1, 2).T)
    return mean.result()


def tables(most: int = 6) -> st.SearchStrategy[Table]:
    """One to five topics, none to five phrases, small counts with many ties."""
    rows = st.integers(1, 5).map(lambda k: st.lists(st.integers(0, most), min_size=k, max_size=k))
    return rows.flatmap(lambda row: st.lists(row, min_size=1, max_size=5))


# ------------------------------------------------------------------------------------------ words by φ


@given(st.lists(st.integers(0, 4), max_size=30), st.integers(0, 40))
def test_top_words_is_a_sort(weights: list[int], n: int) -> None:
    phi = np.array(weights, np.float32)
    expected = sorted(range(len(weights)), key=lambda word: (-weights[word], word))
    assert top_words(phi, n).tolist() == expected[:n]


# -------------------------------------------------------------------------------- phrases by frequency


def test_some_types_only() -> None:
    frequency = counted([[2], [9], [4], [5], [1]])
    type_start = np.array([0, 1, 2, 4, 7, 9])  # two words, then phrases of 2, 3 and 2 words
    for bounds, expected in [({}, [3, 2, 4]), ({"most": 2}, [2, 4]), ({"least": 3}, [3])]:
        chosen = by_frequency(frequency, 0, eligible=of_length(type_start, **bounds))
        assert frequency.types[chosen].tolist() == expected


@given(tables(3), st.data())
def test_by_frequency_is_a_sort(table: Table, data: st.DataObject) -> None:
    """Most frequent in the topic, then in all, then the lower id."""
    topic = data.draw(st.integers(0, len(table[0]) - 1))
    eligible = data.draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table)))
    expected = sorted(
        (i for i, row in enumerate(table) if row[topic] and eligible[i]),
        key=lambda i: (-table[i][topic], -sum(table[i]), i),
    )
    frequency = counted(table)
    chosen = by_frequency(frequency, topic, eligible=np.array(eligible))
    assert frequency.types[chosen].tolist() == expected
    totals = frequency.totals(len(table))
    again = by_frequency(frequency, topic, 2, eligible=np.array(eligible), totals=totals)
    assert again.tolist() == chosen[:2].tolist()


def test_equal_totals_of_thirds_are_equal() -> None:
    """A sum of rounded thirds must not decide between types that occur equally often."""
    mean = Average(4)
    for topics in ([0, 1, 1, 0, 2, 2], [1, 0, 3, 1, 0, 3], [1, 2, 0, 1, 2, 0]):
        mean.add(np.array([0, 0, 0, 1, 1, 1]), np.array(topics))
    frequency = mean.result()
    assert frequency.totals().tolist() == [3, 3]
    assert frequency.types[by_frequency(frequency, 0)].tolist() == [0, 1]


def test_by_score() -> None:
    frequency = counted([[1, 1], [2, 1], [4, 1]])
    scores = np.array([0.5, 9, 0.5, 9, -1, 9])  # entries go by type, then topic
    assert frequency.types[by_score(frequency, scores, 0)].tolist() == [1, 0, 2]
    assert frequency.types[by_score(frequency, scores, 1)].tolist() == [2, 1, 0]


# --------------------------------------------------------------------------------------- KERT, by hand


def test_purity_by_hand() -> None:
    """Topics of 8, 8 and 16 instances; a pure phrase, an even one, one that belongs to the third topic."""
    types, topics = np.array([0, 1, 1, 1, 2, 2]), np.array([0, 0, 1, 2, 0, 2])
    counts = np.array([4.0, 2, 2, 4, 1, 8])
    expected = [
        log2(4 / 8) - log2(4 / 16),  # against the smaller of the topics without it
        log2(2 / 8) - log2(6 / 24),  # mixed with either other topic it is as likely as in this one
        log2(2 / 8) - log2(6 / 24),
        log2(4 / 16) - log2(6 / 24),
        log2(1 / 8) - log2(9 / 24),
        log2(8 / 16) - log2(9 / 24),
    ]
    found = purity(types, topics, counts, together([8, 8, 16]))
    assert found == pytest.approx(expected)
    assert found[:2].tolist() == [1, 0]


def test_purity_where_documents_have_several_topics() -> None:
    """KERT proper: six documents, four with topic 0, four with topic 1, two with both."""
    sizes = np.array([[4.0, 6.0], [6.0, 4.0]])
    found = purity(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([2.0, 1.0, 3.0]), sizes)
    assert found == pytest.approx([log2(2 / 4 / (3 / 6)), log2(1 / 4 / (3 / 6)), log2(3 / 4 / (3 / 6))])


def test_without_a_rival_purity_is_zero() -> None:
    one = np.zeros(1, np.int64)
    for count, sizes in ((3.0, [5.0]), (3.0, [5.0, 0.0]), (0.0, [5.0, 1.0])):
        assert purity(one, one, np.array([count]), together(sizes)).tolist() == [0]
    assert purity(one[:0], one[:0], np.empty(0), together([])).size == 0
    types, topics, counts = np.array([0, 0]), np.array([0, 1]), np.array([3.0, 1.0])
    alone = purity(types, topics, counts, together([4, 4]))  # an empty topic is nobody's rival
    assert purity(types, topics, counts, together([4, 4, 0])).tolist() == alone.tolist()


@pytest.mark.parametrize("sizes", [together([0, 4]), np.array([[4.0, 0.0], [0.0, 4.0]])])
def test_sizes_that_cannot_be(sizes: NDArray[np.float64]) -> None:
    with pytest.raises(ValueError, match="size 0"):
        purity(np.zeros(1, int), np.zeros(1, int), np.array([1.0]), sizes)


def test_the_other_measures_by_hand() -> None:
    assert popularity([2, 0, 3], [8, 8, 0]).tolist() == [0.25, 0, 0]
    assert popularity([2, 4], 8).tolist() == [0.25, 0.5]
    # A phrase by itself, two that often go on, one that always does, one that does not occur.
    assert completeness([10, 10, 8, 10, 0], [0, 4, 4, 10, 0]).tolist() == [1, 0.6, 0.5, 0, 0]
    # In 1024 tokens: a word, a pair, three words that avoid one another, words never counted.
    supports, start = [64, 16, 1, 0, 5], np.array([0, 1, 3, 6, 8, 10])
    words = [64, 32, 32, 512, 512, 512, 3, 4, 0, 7]
    assert concordance(supports, words, start, 1024).tolist() == [0, 4, -7, 0, 0]
    assert concordance([], [], np.zeros(1, int), 1024).size == 0


def test_kert_by_hand() -> None:
    measures = [np.array(m) for m in ([0.5, 0.5, 0.25], [1.0, 1.0, -2.0], [3.0, 3.0, 1.0], [0.6, 0.5, 1.0])]
    assert kert(*measures).tolist() == [1.0, 0.0, -0.125]
    assert kert(*measures, gamma=0.4).tolist() == [1.0, 1.0, -0.125]
    assert kert(*measures, omega=0).tolist() == [0.5, 0.0, -0.5]
    assert kert(*measures, omega=1).tolist() == [1.5, 0.0, 0.25]
    for wrong in ({"gamma": -0.1}, {"omega": 1.5}, {"omega": math.nan}):
        with pytest.raises(ValueError, match="must lie between 0 and 1"):
            kert(*measures, **wrong)


# ----------------------------------------------------------------------------- KERT, against dictionaries


class Counts(NamedTuple):
    """Phrases as tuples of words, with what KERT needs to know of them."""

    table: dict[tuple[int, ...], list[int]]  # occurrences in each topic
    support: dict[tuple[int, ...], int]
    n_tokens: int


@st.composite
def corpora(draw: st.DrawFn) -> Counts:
    """A text of few words, cut anyhow into phrases with topics."""
    n_topics = draw(st.integers(1, 4))
    text = draw(st.lists(st.integers(0, 3), min_size=1, max_size=30))
    table: dict[tuple[int, ...], list[int]] = {(word,): [0] * n_topics for word in set(text)}
    at = 0
    while at < len(text):
        phrase = tuple(text[at : at + draw(st.integers(1, 3))])
        table.setdefault(phrase, [0] * n_topics)[draw(st.integers(0, n_topics - 1))] += 1
        at += len(phrase)
    support: dict[tuple[int, ...], int] = {}
    for length in range(1, 5):
        for i in range(len(text) - length + 1):
            gram = tuple(text[i : i + length])
            support[gram] = support.get(gram, 0) + 1
    return Counts(table, support, len(text))


def slow_kert(counts: Counts, phrase: tuple[int, ...], k: int) -> float:
    table, support, n = counts
    sizes = [sum(row[t] for row in table.values()) for t in range(len(table[phrase]))]
    f = table[phrase]
    longer = [m for other, m in support.items() if phrase in (other[1:], other[:-1])]
    if 1 - max(longer, default=0) / support[phrase] <= 0.5:
        return 0.0
    mixed = [
        (f[k] + f[other]) / (sizes[k] + sizes[other])
        for other in range(len(sizes))
        if other != k and sizes[other]
    ]
    pure = log2(f[k] / sizes[k]) - log2(max(mixed)) if mixed else 0.0
    chance = math.prod(support[word,] / n for word in phrase)
    return f[k] / sizes[k] * (0.5 * pure + 0.5 * log2(support[phrase] / n / chance))


def measures(counts: Counts) -> tuple[TopicalFrequency, list[NDArray[np.float64]]]:
    """The four measures for every entry of the topical frequency."""
    phrases, support = list(counts.table), counts.support
    frequency = counted(list(counts.table.values()))
    types, topics = frequency.types, frequency.topics
    sizes = frequency.sizes(len(counts.table[phrases[0]]))
    whole = [support[phrase] for phrase in phrases]
    words = [support[word,] for phrase in phrases for word in phrase]
    start = np.cumsum([0, *map(len, phrases)])
    longer = [
        max((n for other, n in support.items() if phrase in (other[1:], other[:-1])), default=0)
        for phrase in phrases
    ]
    return frequency, [
        popularity(frequency.mean, sizes[topics]),
        purity(types, topics, frequency.mean, together(sizes)),
        concordance(whole, words, start, counts.n_tokens)[types],
        completeness(whole, longer)[types],
    ]


@given(corpora())
def test_kert_is_the_formula(counts: Counts) -> None:
    phrases = list(counts.table)
    frequency, found = measures(counts)
    expected = [
        slow_kert(counts, phrases[i], k)
        for i, k in zip(frequency.types.tolist(), frequency.topics.tolist(), strict=True)
    ]
    assert kert(*found).tolist() == pytest.approx(expected, abs=1e-9)
    assert np.all((found[3] >= 0) & (found[3] <= 1))
    words = np.array([len(phrase) == 1 for phrase in phrases])
    assert not found[2][words[frequency.types]].any()


@given(tables(), st.integers(0, 2**32 - 1))
def test_never_nan_nor_infinite(table: Table, seed: int) -> None:
    """Not even for counts that contradict one another."""
    rng = np.random.default_rng(seed)
    frequency = counted(table)
    supports, extended, words = (rng.integers(0, 4, frequency.mean.size) for _ in range(3))
    start = np.arange(frequency.mean.size + 1)
    sizes = frequency.sizes(len(table[0]))
    found: list[NDArray[Any]] = [
        popularity(frequency.mean, rng.integers(0, 3, frequency.mean.size)),
        purity(frequency.types, frequency.topics, frequency.mean, together(sizes)),
        concordance(supports, words, start, 0),
        completeness(supports, extended),
    ]
    found += [kert(*found), relevance(found[0], supports / 4)]
    assert all(np.all(np.isfinite(scores)) for scores in found)


# --------------------------------------------------------------------------------------------- relevance


def test_relevance_by_hand() -> None:
    inside, overall = [math.e**-2, math.e**-1, 0.0, 0.5], [math.e**-3, math.e**-1, 0.5, 0.0]
    assert relevance(inside, overall, 1)[:2] == pytest.approx([-2, -1])
    assert relevance(inside, overall, 0)[:2] == pytest.approx([1, 0])
    assert relevance(inside, overall, 0.5)[:2] == pytest.approx([-0.5, -0.5])
    assert relevance(inside, overall)[2:].tolist() == [LOWEST, LOWEST]
    with pytest.raises(ValueError, match="weight must be a number from 0 to 1"):
        relevance(inside, overall, 1.1)


@given(tables())
def test_relevance_with_all_weight_on_frequency_orders_by_frequency(table: Table) -> None:
    frequency = counted(table)
    sizes, totals = frequency.sizes(len(table[0])), frequency.totals(len(table))
    within = popularity(frequency.mean, sizes[frequency.topics])
    overall = popularity(totals, totals.sum())[frequency.types]
    scores = relevance(within, overall, 1.0)
    for topic in range(len(table[0])):
        order = by_score(frequency, scores, topic)
        assert order.tolist() == by_frequency(frequency, topic).tolist()


# ---------------------------------------------------------------- the best order, and where lists end


def test_the_best_order_by_hand() -> None:
    # 16 of 19 documents with the phrase are those of a topic of a fifth: of 20, 4 would be; 16.2 by 4.
    common = math.log(16) - 1 / 4 + 0.8 * math.log(16.2 / 4)
    assert best(16, 19, 0.2, 2.0) == pytest.approx(common + 2.1)
    assert best(16, 19, 0.2, 2.0, 1) == pytest.approx(common + 2.1 - 0.5)
    assert best(16, 19, 0.2, math.nan) == best(16, 19, 0.2, 1.0)  # not judged: average
    assert best([16, 16], 19, 0.2, [1.0, -1.0]) == pytest.approx([common + 1.05, common - 1.05])
    assert np.isfinite(best([0, 0, 1], [0, 5, 1], [0.5, 0.0, 1.0], 0)).all()
    # Rare and found nowhere else is worth less than common and in other topics, too.
    assert best(3, 3, 0.05, 0) < best(40, 80, 0.05, 0)


@given(st.floats(0.01, 1e4), st.floats(1.01, 10), st.floats(0.01, 1), st.integers(0, 1000))
def test_more_documents_of_the_topic_are_better(e: float, more: float, share: float, others: int) -> None:
    documents = math.ceil(e * more) + others
    assert best(e * more, documents, share, 0) > best(e, documents, share, 0)
    assert best(e, documents, share, 0) > best(e, documents + 1, share, 0)  # elsewhere


def test_what_is_typical_by_hand() -> None:
    # Of 100 instances a topic of a fifth has 20, and the deviation is 4.
    assert is_typical([27, 28, 29], 100, 0.2).tolist() == [False, True, True]
    assert is_typical([1, 1.99, 2], [1, 1.99, 2], 0.01).tolist() == [False, False, True]
    assert is_typical([2, 100], [2, 100], 1.0).all()  # the only topic


@given(st.integers(1, 400), st.floats(0.01, 0.99))
def test_what_is_typical_is_rare_by_chance(total: int, share: float) -> None:
    """A binomial count is typical beyond two of its own deviations."""
    chance = stats.binom(total, share)
    counts = np.arange(total + 1)
    expected = (counts >= 2) & (counts >= chance.mean() + 2 * chance.std() - 1e-9)
    assert np.array_equal(is_typical(counts, total, share), expected)
    if total * share * (1 - share) > 9:
        assert chance.pmf(counts)[is_typical(counts, total, share)].sum() < 0.05
