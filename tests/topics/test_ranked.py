"""Topics in any order: the paper's is the model's own, and what is hidden comes back unchanged."""

import pytest
from models import EVERY, EVERYWHERE, unsure, usual

from topminer import InputError
from topminer.topics.results.entries import ORDERS, Entries
from topminer.topics.results.summary import ranked_topics
from topminer.topics.results.topic import Topic

MODELS = pytest.mark.parametrize("name", EVERY)


@MODELS
@pytest.mark.parametrize(("n_words", "n_phrases"), [(10, 10), (3, 1000), (0, 2), (2, 0)])
def test_the_order_of_the_paper_is_that_of_the_model(name: str, n_words: int, n_phrases: int) -> None:
    model = EVERY[name]()
    found = ranked_topics(model, n_words, n_phrases, tie=False, background=True)
    assert found == model.topics(n_words, n_phrases, tie=False, background=True)
    assert ranked_topics(model, n_words, n_phrases) == model.topics(n_words, n_phrases)
    assert found == ranked_topics(model, n_words, n_phrases, order="frequency", tie=False, background=True)


def phrases_of(topics: list[Topic]) -> list[dict[str, float]]:
    return [dict(topic.phrases) for topic in topics]


@MODELS
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("tie", [True, False])
def test_hidden_phrases_come_back_with_the_same_counts(name: str, order: str, tie: bool) -> None:
    model = EVERY[name]()
    hidden = phrases_of(ranked_topics(model, n_phrases=1000, order=order, tie=tie))
    shown = phrases_of(ranked_topics(model, n_phrases=1000, order=order, tie=tie, background=True))
    entries = Entries.of(model, tie=tie)
    away = {entries.text(i) for i in range(len(entries)) if entries.background.declared[i]}
    for some, everything in zip(hidden, shown, strict=True):
        assert some == {text: count for text, count in everything.items() if text not in away}
        assert [text for text in everything if text not in away] == list(some)


def test_background_phrases_are_hidden_in_all_topics() -> None:
    hidden, shown = (
        [phrase for topic in phrases_of(ranked_topics(usual(), background=background)) for phrase in topic]
        for background in (False, True)
    )
    assert not set(EVERYWHERE) & set(hidden)
    assert set(EVERYWHERE) <= set(shown)


def test_variants_are_counted_together() -> None:
    apart, together = (phrases_of(ranked_topics(usual(), n_phrases=99, tie=tie)) for tie in (False, True))
    for forms in (("data mining", "mining of data"), ("e-mail index", "email index")):
        for some, summed in zip(apart, together, strict=True):
            counts = [some[form] for form in forms if form in some]
            assert [summed[form] for form in forms if form in summed] == ([sum(counts)] if counts else [])
    assert sum(map(len, together)) < sum(map(len, apart))


@pytest.mark.parametrize("tie", [True, False])
@pytest.mark.parametrize("order", ORDERS)
def test_phrases_go_by_their_scores(order: str, tie: bool) -> None:
    model = unsure()
    entries = Entries.of(model, tie=tie)
    scores = {}
    found = entries.scores(order, 0.3).tolist()
    for entry, topic, score in zip(*(each.tolist() for each in entries.frequency[:2]), found, strict=True):
        scores[entries.text(entry), topic] = score
    for topic in ranked_topics(model, n_phrases=99, order=order, weight=0.3, tie=tie, background=True):
        ranked = [scores[phrase.phrase, topic.id] for phrase in topic.phrases]
        assert ranked == sorted(ranked, reverse=True)


def test_kert_leaves_pieces_out() -> None:
    by_frequency = [phrase for topic in phrases_of(ranked_topics(usual())) for phrase in topic]
    by_kert = [phrase for topic in phrases_of(ranked_topics(usual(), order="kert")) for phrase in topic]
    assert {"support vector", "support vector machines"} <= set(by_frequency)
    assert "support vector machines" in by_kert
    assert "support vector" not in by_kert


def test_no_phrases_and_no_such_order() -> None:
    for order in ORDERS:
        assert all(topic.phrases == () for topic in ranked_topics(EVERY["words"](), order=order))
    with pytest.raises(InputError, match="the order must be one of"):
        ranked_topics(usual(), order="purity")
