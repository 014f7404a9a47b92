"""Entries and their orders, against the definitions by brute force."""

import math
from collections import defaultdict
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from models import EVERY, RARE, texts, topmine, usual
from oracles import ranking

from topminer import InputError, ToPMine
from topminer.phrases.table import quality_table
from topminer.topics.results.entries import ORDERS, Entries
from topminer.topics.results.variants import tied

TIES = pytest.mark.parametrize("tie", [True, False], ids=["tied", "apart"])
MODELS = pytest.mark.parametrize("name", EVERY)


def frequencies(model: ToPMine) -> dict[tuple[int, int], float]:
    """Topical frequency by type and topic."""
    types, topics, mean, *_ = model.lda_.frequency_
    return dict(zip(zip(types.tolist(), topics.tolist(), strict=True), mean.tolist(), strict=True))


def forms_of(entries: Entries) -> list[list[int]]:
    return [entries.forms[start:stop].tolist() for start, stop in pairwise(entries.form_start.tolist())]


def table(entries: Entries) -> list[list[float]]:
    """Topical frequency by entry and topic, summed over forms."""
    counts = [[0.0] * entries.model.lda_.topic_weight_.size for _ in range(len(entries))]
    for (kind, topic), mean in frequencies(entries.model).items():
        counts[entries.entry_of[kind]][topic] += mean
    return counts


@cache
def chunks_of(model: ToPMine) -> list[list[str]]:
    stems = [stem for document in model.corpus_.to_lists() for stem in document]
    return [stems[start:stop] for start, stop in pairwise(model.corpus_.chunk_start.tolist())]


def stems_of(model: ToPMine, kind: int) -> tuple[str, ...]:
    partition, names = model.partition_, model.corpus_.vocabulary["stem"].to_list()
    start, stop = partition.type_start[kind : kind + 2].tolist()
    return tuple(names[i] for i in partition.type_stems[start:stop].tolist())


# ---------------------------------------------------------------------------------------------- forms


@MODELS
@TIES
def test_forms_are_all_types(name: str, tie: bool) -> None:
    model = EVERY[name]()
    entries = Entries.of(model, tie=tie)
    partition, instances = model.partition_, model.partition_.instances().tolist()
    assert sorted(entries.forms.tolist()) == list(range(partition.n_types))
    for entry, forms in enumerate(forms_of(entries)):
        assert forms
        assert {int(entries.entry_of[form]) for form in forms} == {entry}
        assert forms == sorted(forms, key=lambda form: (-instances[form], form))
        assert entries.first_forms[entry] == forms[0]
        assert entries.text(entry) == entries.surfaces[forms[0]]
        n_words = len(stems_of(model, forms[0]))
        is_open = n_words == 1 and max(len(stems_of(model, form)) for form in forms) > 1
        assert entries.lengths[entry] == n_words + (is_open and "-" in entries.text(entry))
    expected = tied(partition).tolist() if tie else list(range(partition.n_types))
    assert entries.entry_of.tolist() == expected
    assert len(entries.surfaces) == partition.n_types


def test_an_entry_is_shown_as_its_most_frequent_form() -> None:
    entries = Entries.of(usual())
    shown = {
        entries.text(entry): {entries.surfaces[form] for form in forms_of(entries)[entry]}
        for entry in range(len(entries))
    }
    assert {"data mining", "mining of data"} in shown.values()
    assert {"e-mail index", "email index"} in shown.values()
    assert {"multi document summaries", "multi-document summaries"} in shown.values()
    counts = dict(zip(entries.surfaces, usual().partition_.instances().tolist(), strict=True))
    for text, forms in shown.items():
        assert counts[text] == max(counts[form] for form in forms)


def test_a_word_with_a_hyphen_is_a_phrase_if_a_form_of_it_is() -> None:
    other = "Zinc and gold, iron. Lead, tin, nickel."
    documents = [f"Cross-lingual. Newsgroup. {other}"] * 30 + ["Cross lingual. News group."] * 10
    documents += [f"Well-known. News-group. {other}"] * 5
    model = ToPMine(1, n_sweeps=2, min_support=5, quality=None, random_state=0, n_threads=1).fit(documents)
    entries = Entries.of(model)
    lengths = {entries.text(entry): length for entry, length in enumerate(entries.lengths.tolist())}
    assert (lengths["Cross-lingual"], lengths["Newsgroup"], lengths["Well-known"]) == (2, 1, 1)
    shown = [phrase.phrase for phrase in model.topics()[0].phrases]
    assert "Cross-lingual" in shown and "Newsgroup" not in shown


@MODELS
@TIES
def test_counts_are_conserved(name: str, tie: bool) -> None:
    model = EVERY[name]()
    entries = Entries.of(model, tie=tie)
    frequency, plain = entries.frequency, model.lda_.frequency_
    expected = {
        (entry, k): count for entry, row in enumerate(table(entries)) for k, count in enumerate(row) if count
    }
    found = zip(frequency.types.tolist(), frequency.topics.tolist(), strict=True)
    assert dict(zip(found, frequency.mean.tolist(), strict=True)) == pytest.approx(expected)
    keys = list(zip(frequency.types.tolist(), frequency.topics.tolist(), strict=True))
    assert keys == sorted(set(keys))
    n_topics = model.lda_.topic_weight_.size
    assert frequency.mean.sum() == pytest.approx(plain.mean.sum())
    assert entries.sizes.tolist() == plain.sizes(n_topics).tolist()
    assert entries.totals.sum() == pytest.approx(model.partition_.n_cliques)
    by_entry = np.bincount(entries.entry_of, model.partition_.instances(), len(entries))
    assert entries.totals.tolist() == by_entry.tolist()
    assert frequency.n_samples == plain.n_samples


def test_spreads_are_those_of_independent_forms() -> None:
    entries, plain = Entries.of(EVERY["unsure"]()), EVERY["unsure"]().lda_.frequency_
    squares: dict[tuple[int, int], float] = defaultdict(float)
    for kind, topic, spread in zip(plain.types, plain.topics, plain.spread, strict=True):
        squares[int(entries.entry_of[kind]), int(topic)] += spread**2
    for entry, topic, spread in zip(*entries.frequency[:2], entries.frequency.spread, strict=True):
        assert spread == pytest.approx(math.sqrt(squares[int(entry), int(topic)]))
    assert any(squares.values())


# --------------------------------------------------------------------------------------------- orders


@cache
def slow(name: str, kind: int) -> tuple[float, float]:
    """Completeness and concordance of a type of a model."""
    model = EVERY[name]()
    chunks, phrase = chunks_of(model), stems_of(model, kind)
    complete = 1.0
    if model.miner_ is not None and (
        len(phrase) == 1 or ranking.support(chunks, phrase) >= model.miner_.min_support_
    ):
        complete = ranking.completeness(chunks, phrase, model.miner_.min_support_)
    return complete, ranking.concordance(chunks, phrase)


@MODELS
@TIES
def test_kert_is_as_defined(name: str, tie: bool) -> None:
    entries = Entries.of(EVERY[name](), tie=tie)
    counts, sizes = table(entries), entries.sizes.tolist()
    scores = entries.scores("kert")
    for entry in range(len(entries)):
        complete, concordant = slow(name, int(entries.first_forms[entry]))
        assert entries.completeness[entry] == pytest.approx(complete)
        assert entries.concordance[entry] == pytest.approx(concordant, abs=1e-9)
        for place in np.flatnonzero(entries.frequency.types == entry).tolist():
            k = int(entries.frequency.topics[place])
            pure = ranking.purity(counts[entry], sizes, k)
            assert entries.purity[place] == pytest.approx(pure, abs=1e-9)
            popular = counts[entry][k] / sizes[k]
            expected = ranking.kert(popular, pure, concordant, complete)
            assert scores[place] == pytest.approx(expected, abs=1e-12)


def test_a_phrase_that_is_rare_but_always_whole() -> None:
    for name in ("usual", "alone"):
        entries = Entries.of(EVERY[name]())
        entry = [entries.text(i) for i in range(len(entries))].index(RARE)
        assert (entries.totals[entry], entries.completeness[entry]) == (2, 1)
        n_tokens = EVERY[name]().corpus_.n_tokens
        assert entries.concordance[entry] == pytest.approx(
            math.log2(2 / n_tokens) - 2 * math.log2(2 / n_tokens)
        )


@MODELS
@TIES
@pytest.mark.parametrize("weight", [0.0, 0.6, 1.0])
def test_relevance_is_as_defined(name: str, tie: bool, weight: float) -> None:
    entries = Entries.of(EVERY[name](), tie=tie)
    counts, sizes = table(entries), entries.sizes.tolist()
    found = entries.scores("relevance", weight).tolist()
    for entry, k, score in zip(*map(np.ndarray.tolist, entries.frequency[:2]), found, strict=True):
        assert score == pytest.approx(ranking.relevance(counts[entry], sizes, k, weight), abs=1e-9)


@MODELS
@TIES
def test_the_best_order_and_what_is_typical_are_as_defined(name: str, tie: bool) -> None:
    entries = Entries.of(EVERY[name](), tie=tie)
    counts, sizes, shares = table(entries), entries.sizes.tolist(), entries.model.lda_.topic_weight_.tolist()
    rows = zip(*map(np.ndarray.tolist, entries.frequency[:2]), entries.scores("best").tolist(), strict=True)
    for place, (entry, k, score) in enumerate(rows):
        in_topic, documents = float(entries.in_topic[place]), int(entries.documents[entry])
        stop_words = max(entries.text(entry).count(" ") + 1 - int(entries.lengths[entry]), 0)
        quality = float(entries.quality[entry])
        expected = ranking.best(in_topic, documents, shares[k], quality, stop_words)
        assert score == pytest.approx(expected, abs=1e-8)
        is_typical = ranking.is_typical(counts[entry], sizes, k) and in_topic >= 2
        assert entries.is_typical[place] == is_typical


@TIES
def test_the_quality_of_an_entry_is_that_of_its_shown_form(tie: bool) -> None:
    names = [each.replace("face detection", "Face Detection") for each in texts()]
    model = topmine(n_sweeps=2).fit(names)
    entries = Entries.of(model, tie=tie)
    judged = {row["stems"]: row for row in quality_table(model.miner_.fitted).iter_rows(named=True)}
    for entry, quality in enumerate(entries.quality.tolist()):
        if not math.isnan(quality):
            stems = " ".join(stems_of(model, int(entries.first_forms[entry])))
            assert quality == pytest.approx(judged[stems]["quality"])
    assert np.isfinite(entries.quality).any()


def test_orders() -> None:
    entries = Entries.of(usual())
    assert ORDERS == ("best", "frequency", "kert", "relevance")
    assert entries.scores("frequency") is entries.frequency.mean
    assert np.array_equal(entries.scores("relevance"), entries.scores("relevance", 0.6))
    with pytest.raises(InputError, match="one of best, frequency, kert, relevance, not 'lift'"):
        entries.scores("lift")


def test_background_is_tested_by_entry() -> None:
    entries = Entries.of(usual())
    declared = {entries.text(entry) for entry in np.flatnonzero(entries.background.declared).tolist()}
    assert declared == {"experimental results", "case study", "proposed approach"}
    assert entries.background.p.size == len(entries)
