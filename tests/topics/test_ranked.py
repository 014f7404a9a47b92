"""Topics in any order: the paper's is the model's own, and what is hidden comes back unchanged."""

from typing import Any

import numpy as np
import pytest
from models import EVERY, EVERYWHERE, topmine, unsure, usual
from oracles.ranking import best_words

from topminer import InputError, Listing, Summary, ToPMine
from topminer.topics.model.phraselda import topics_in
from topminer.topics.results.entries import ORDERS, Entries
from topminer.topics.results.listing import AS_IN_PAPER
from topminer.topics.results.summary import ranked_topics
from topminer.topics.results.topic import Topic

MODELS = pytest.mark.parametrize("name", EVERY)


def in_order(model: ToPMine, **how: Any) -> list[Topic]:
    """Topics with every phrase that the order has, by their numbers."""
    listing = Listing.usual(model, all=True, n_phrases=1000, order="frequency", **how)
    return sorted(Summary(model).topics(listing), key=lambda topic: topic.id)


@MODELS
@pytest.mark.parametrize(("n_words", "n_phrases"), [(10, 10), (3, 1000), (0, 2), (2, 0)])
def test_the_order_of_the_paper_is_that_of_the_model(name: str, n_words: int, n_phrases: int) -> None:
    model = EVERY[name]()
    assert ranked_topics(model, n_words, n_phrases) == model.topics(n_words, n_phrases)
    frequency, totals = model.lda_.frequency_, model.partition_.instances().tolist()
    surfaces, lengths = model.partition_.type_surfaces(), np.diff(model.partition_.type_start).tolist()
    words = model.corpus_.vocabulary["surface"].to_list()
    found = Summary(model).topics(Listing(n_words, n_phrases, **AS_IN_PAPER))
    assert [topic.id for topic in found] == list(range(len(found)))
    for topic in found:
        rows = zip(*(each[frequency.topics == topic.id].tolist() for each in frequency[:3]), strict=True)
        ranked = sorted((-mean, -totals[kind], kind) for kind, _, mean in rows if lengths[kind] > 1)
        assert list(topic.phrases) == [(surfaces[kind], -mean) for mean, _, kind in ranked[:n_phrases]]
        row = model.lda_.topic_word_[topic.id]
        likely = np.argsort(-row, kind="stable")[:n_words].tolist()
        assert list(topic.words) == [(words[word], row[word]) for word in likely]


@MODELS
@pytest.mark.parametrize("tie", [True, False])
def test_the_usual_lists_are_as_defined(name: str, tie: bool) -> None:
    """The best order, without background, what is not typical, single words and more than six words."""
    model = EVERY[name]()
    entries, summary = Entries.of(model, tie=tie), Summary(model)
    best, places, is_last = entries.scores("best"), entries.places, summary.is_background.tolist()
    hidden = {entry for entry in range(len(entries)) if entries.background.declared[entry]}
    phi, weight = model.lda_.topic_word_, model.lda_.topic_weight_
    surfaces, words = model.corpus_.vocabulary["surface"].to_list(), Entries.of(model)
    found = model.topics(5, 7, tie=tie)
    assert [topic.background for topic in found] == sorted(is_last)
    for topic in found:
        k, rows = topic.id, []
        for place in places[k].tolist():
            entry = int(entries.frequency.types[place])
            fits = (
                entries.lengths[entry] > 1
                and entries.text(entry).count(" ") < 6
                and entries.is_typical[place]
            )
            if fits and (is_last[k] or entry not in hidden):
                rows.append((-best[place], -entries.totals[entry], entry, entries.frequency.mean[place]))
        assert list(topic.phrases) == [(entries.text(entry), mean) for *_, entry, mean in sorted(rows)[:7]]
        likely = np.argsort(-phi[k], kind="stable").tolist()
        if not is_last[k]:
            of_word = words.background.declared[words.entry_of[: len(surfaces)]]
            n_tokens = int(topics_in(model.lda_).n_k[k])
            likely = best_words(phi[k], weight @ phi, n_tokens, set(np.flatnonzero(of_word).tolist()))
        assert [word for word, _ in topic.words] == [surfaces[word] for word in likely[:5]]


def phrases_of(topics: list[Topic]) -> list[dict[str, float]]:
    return [dict(topic.phrases) for topic in topics]


@MODELS
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("tie", [True, False])
def test_hidden_phrases_come_back_with_the_same_counts(name: str, order: str, tie: bool) -> None:
    model = EVERY[name]()
    of_topics = {False: ranked_topics(model, n_phrases=1000, order=order, tie=tie)}
    of_topics[True] = ranked_topics(model, n_phrases=1000, order=order, tie=tie, background=True)
    # A background topic shows its background phrases anyway.
    hidden, shown = (
        phrases_of(
            [each for each in sorted(of_topics[all], key=lambda topic: topic.id) if not each.background]
        )
        for all in (False, True)
    )
    entries = Entries.of(model, tie=tie)
    away = {entries.text(i) for i in range(len(entries)) if entries.background.declared[i]}
    for some, everything in zip(hidden, shown, strict=True):
        assert some == {text: count for text, count in everything.items() if text not in away}
        assert [text for text in everything if text not in away] == list(some)


def test_background_phrases_are_hidden_in_all_topics() -> None:
    hidden, shown = (
        [phrase for topic in phrases_of(in_order(usual(), background=background)) for phrase in topic]
        for background in (False, True)
    )
    assert not set(EVERYWHERE) & set(hidden)
    assert set(EVERYWHERE) <= set(shown)


def test_variants_are_counted_together() -> None:
    apart, together = (phrases_of(in_order(usual(), tie=tie)) for tie in (False, True))
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


def test_no_phrase_is_long_unless_asked_for() -> None:
    """Sentences that stand in many documents were listed as phrases."""
    text = "zinc and gold and iron and lead and tin and nickel and copper"
    model = topmine(2, n_sweeps=5, quality=-99.0).fit([text, "data mining, rules"] * 60)
    shown, everything = (
        [phrase for topic in model.topics(all=all) for phrase, _ in topic.phrases] for all in (False, True)
    )
    assert text.capitalize() not in map(str.capitalize, shown)
    assert text.capitalize() in map(str.capitalize, everything)


def test_no_phrases_and_no_such_order() -> None:
    for order in ORDERS:
        assert all(topic.phrases == () for topic in ranked_topics(EVERY["words"](), order=order))
    with pytest.raises(InputError, match="the order must be one of"):
        ranked_topics(usual(), order="purity")
