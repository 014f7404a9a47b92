"""Phrases against lists: pooled fairly, counted rightly, never NaN."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer import Corpus
from topminer.errors import InputError
from topminer.evaluation.gold import Gold
from topminer.evaluation.quality import Quality, keyphrase_agreement, pooled, quality

pytestmark = pytest.mark.small

stems = st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple)
topic_lists = st.lists(st.lists(stems, max_size=5), max_size=4)


@pytest.fixture
def corpus() -> Corpus:
    """Words a to f, which are stems 0 to 5."""
    letters = ["a b", "a b c", "a c. b d", "a, b", "e f", "f e"]
    return Corpus.from_texts(["a a a a a b b b b c c c d d e e f", *letters], language=None, stop_words=[])


def ids(corpus: Corpus, *phrases: str) -> list[tuple[int, ...]]:
    id_of = {stem: i for i, stem in enumerate(corpus.vocabulary["stem"])}
    return [tuple(id_of[word] for word in phrase.split()) for phrase in phrases]


def gold(corpus: Corpus, good: list[str], bad: list[str] | None = None) -> Gold:
    return Gold("list", frozenset(ids(corpus, *good)), frozenset(ids(corpus, *bad or [])), bad is not None)


# -------------------------------------------------------------------------------------------- pool


def test_first_places_come_first_every_phrase_once_and_single_words_take_no_place() -> None:
    topics = [[(9,), (1, 2), (3, 4)], [(5, 6), (1, 2), (7, 8)], [], [(3, 4), (3, 4), (0, 1)]]
    assert pooled(topics) == [(1, 2), (5, 6), (3, 4), (7, 8), (0, 1)]


@given(topic_lists)
def test_the_pool_is_what_the_topics_have_in_their_own_order(topics: list[list[tuple[int, ...]]]) -> None:
    pool = pooled(topics)
    assert len(pool) == len(set(pool))
    assert set(pool) == {each for topic in topics for each in topic if len(each) > 1}
    best = {each: min(_ranks(topics, each)) for each in pool}
    assert [best[each] for each in pool] == sorted(best.values())


def _ranks(topics: list[list[tuple[int, ...]]], phrase: tuple[int, ...]) -> list[int]:
    lists = [[each for each in topic if len(each) > 1] for topic in topics]
    return [each.index(phrase) for each in lists if phrase in each]


# --------------------------------------------------------------------------------------- precision


def test_precision_among_the_judged(corpus: Corpus) -> None:
    """The module's example: of three, two were judged, and one of them is good."""
    topics = [ids(corpus, "a b", "c d"), ids(corpus, "e f", "a b")]
    found = quality(topics, gold(corpus, ["a b"], ["c d"]), corpus, ns=(1, 2, 3, 4))
    assert found.gold == "list"
    assert found.precision == {1: 1.0, 2: 1.0, 3: 0.5, 4: None}  # there is no fourth
    assert found.n_counted == {1: 1, 2: 1, 3: 2, 4: 2}
    nobody = quality([ids(corpus, "e f")], gold(corpus, ["a b"], ["c d"]), corpus, ns=(1,))
    assert (nobody.precision, nobody.n_counted) == ({1: None}, {1: 0})


def test_precision_among_all_where_nothing_was_judged_bad(corpus: Corpus) -> None:
    topics = [ids(corpus, "e f", "a b", "c d")]
    found = quality(topics, gold(corpus, ["a b"]), corpus, ns=(1, 2, 3))
    assert found.precision == {1: 0.0, 2: 0.5, 3: pytest.approx(1 / 3)}
    assert found.n_counted == {1: 1, 2: 2, 3: 3}


def test_a_phrase_without_order_meets_any_order(corpus: Corpus) -> None:
    topics, known = [ids(corpus, "b a", "a b", "d c")], gold(corpus, ["a b"], ["b a", "c d"])
    assert quality(topics, known, corpus, ns=(1, 2)).precision == {1: 0.0, 2: 0.5}
    # Without order, a b is there once, and good; c d is bad.
    found = quality(topics, known, corpus, ns=(1, 2, 3), contiguous=False)
    assert found.precision == {1: 1.0, 2: 0.5, 3: None}
    with pytest.raises(InputError, match="not of 0"):
        quality([], gold(corpus, ["a b"]), corpus, ns=(0,))


# ------------------------------------------------------------------------------------------ recall


@pytest.mark.parametrize(
    ("least", "relevant", "recall"), [(1, 3, 2 / 3), (2, 1, 1.0), (3, 1, 1.0), (4, 0, None)]
)
def test_recall_is_of_what_stands_side_by_side_often_enough(
    corpus: Corpus, least: int, relevant: int, recall: float | None
) -> None:
    """a b stands three times side by side, and never across a comma; a c and f e once."""
    known = gold(corpus, ["a b", "a c", "f e", "d a"])  # d a: nowhere
    found = quality([ids(corpus, "a b"), ids(corpus, "f e")], known, corpus, least=least)
    assert (found.n_relevant, found.recall) == (relevant, recall if recall is None else pytest.approx(recall))


def test_recall_without_order_still_asks_for_words_side_by_side(corpus: Corpus) -> None:
    known = gold(corpus, ["a b", "f e", "e f", "d a"])
    topics = [ids(corpus, "b a", "e f")]
    assert quality(topics, known, corpus, least=1).recall == pytest.approx(1 / 3)  # e f of a b, f e and e f
    found = quality(topics, known, corpus, least=1, contiguous=False)
    assert (found.n_relevant, found.recall) == (2, 1.0)


@given(topic_lists, st.frozensets(stems), st.frozensets(stems), st.booleans(), st.booleans())
def test_shares_are_shares(topics, good, bad, judged, contiguous) -> None:
    corpus = Corpus.from_texts(["a b c d e", "a b, a b c"], language=None, stop_words=[])
    good = frozenset(each for each in good if len(each) > 1)
    bad = frozenset(each for each in bad if len(each) > 1) - good if judged else frozenset()
    known = Gold("x", good, bad, judged)
    found = quality(topics, known, corpus, ns=(1, 2, 4), contiguous=contiguous, least=1)
    assert all(share is None or 0 <= share <= 1 for share in (*found.precision.values(), found.recall))
    pool = pooled(topics)
    if contiguous:
        for n, share in found.precision.items():
            counted = [each for each in pool[:n] if each in good | bad or not judged]
            assert found.n_counted[n] == len(counted)
            if share is not None:
                assert share == sum(each in good for each in counted) / len(counted)
            else:
                assert not counted or len(pool) < n


# -------------------------------------------------------------------------------------- keyphrases


def test_a_document_asks_for_its_own_keyphrases(corpus: Corpus) -> None:
    own = [ids(corpus), ids(corpus, "a b", "c d"), ids(corpus, "a b", "b c"), *[[]] * 3, ids(corpus, "f e")]
    keyphrases = [frozenset(each) for each in own]
    topics = [ids(corpus, "a b", "c d"), ids(corpus, "e f")]
    found = keyphrase_agreement(topics, keyphrases, corpus, ns=(1, 2, 3, 4))
    # Document 1 has a b only (c d is not in it), 2 has a b and b c, the last f e: 1, 1/2 and 0 of them found.
    assert found.n_relevant == 3
    assert found.recall == pytest.approx(0.5)
    assert found.precision == {1: 1.0, 2: 0.5, 3: pytest.approx(2 / 3), 4: None}
    assert found.n_counted == {1: 1, 2: 2, 3: 3, 4: 3}
    without_order = keyphrase_agreement(topics, keyphrases, corpus, ns=(3,), contiguous=False)
    assert without_order.recall == pytest.approx((1 + 0.5 + 1) / 3)
    assert without_order.precision == {3: 1.0}


def test_no_keyphrases_at_all_and_those_of_other_documents(corpus: Corpus) -> None:
    found = keyphrase_agreement([], [frozenset()] * len(corpus), corpus, ns=(1,))
    assert found == Quality("keyphrases", {1: None}, {1: 0}, None, 0)
    with pytest.raises(InputError, match="keyphrases of 1 documents; the corpus has 7"):
        keyphrase_agreement([], [frozenset()], corpus)
