"""Documents as a page shows them: offsets, joins, cut texts, shares, and which represent a topic."""

import json
from dataclasses import replace
from datetime import datetime
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from models import EVERY, textless, texts, unsure, usual, words

from topminer import Corpus, InputError, Partition, ToPMine
from topminer.topics.results.summary import Summary
from topminer.views.report_page.documents import Documents
from topminer.views.report_page.shown import ALWAYS, shown

WITH_TEXTS = [name for name in EVERY if name != "textless"]
MODELS = pytest.mark.parametrize("name", WITH_TEXTS)


def every(model: ToPMine, most_chars: int | None = None) -> list[dict[str, Any]]:
    lda = model.lda_
    return shown(model.partition_, lda.clique_topic_, lda.doc_topic_, most_chars=most_chars)


def show(model: ToPMine, rows: list[int], most_chars: int | None = None) -> list[dict[str, Any]]:
    """Some documents, as a page gets them."""
    return Documents(Summary(model)).of_rows(rows, most_chars)


def cliques_of(model: ToPMine, row: int) -> list[tuple[int, int]]:
    """Tokens of each phrase instance of a document, counted from its first token."""
    partition = model.partition_
    first, stop = partition.doc_start[row : row + 2].tolist()
    offset = int(model.corpus_.doc_start[row])
    return [
        (start - offset, behind - offset)
        for start, behind in pairwise(partition.clique_start[first : stop + 1].tolist())
    ]


def joined(document: dict[str, Any], threshold: float) -> list[tuple[int, int]]:
    """Runs of tokens of at least this strength."""
    runs: list[list[int]] = []
    for i, strength in enumerate(document["strength"]):
        if runs and strength is not None and strength >= threshold:
            runs[-1][1] = i + 1
        else:
            runs.append([i, i + 1])
    return [(start, stop) for start, stop in runs]


# ------------------------------------------------------------------------------------ tokens and joins


@MODELS
def test_offsets_cut_the_text_to_the_tokens(name: str) -> None:
    model = EVERY[name]()
    corpus = model.corpus_
    surfaces = corpus.surfaces["surface"].gather(corpus.surface_ids).to_list()
    found = every(model)
    assert [each["row"] for each in found] == list(range(len(corpus)))
    assert [each["id"] for each in found] == corpus.ids.to_list()
    assert [each["text"] for each in found] == texts()[: len(corpus)]
    spelled = [
        each["text"][start:end]
        for each in found
        for start, end in zip(each["start"], each["end"], strict=True)
    ]
    assert spelled == surfaces
    assert not any(each["cut"] for each in found)
    assert name != "usual" or any("𝒗ision" in each["text"] for each in found)  # counts as one character
    topics = np.repeat(model.lda_.clique_topic_, np.diff(model.partition_.clique_start)).tolist()
    assert [topic for each in found for topic in each["topic"]] == topics
    json.dumps(found, allow_nan=False)


@MODELS
def test_strengths_give_the_partition(name: str) -> None:
    model = EVERY[name]()
    threshold = float("inf") if model.miner_ is None else min(model.miner_.significance, ALWAYS)
    for document in every(model):
        assert joined(document, threshold) == cliques_of(model, document["row"])


@pytest.mark.parametrize("threshold", [2.5, 3.14159, 8.0])
def test_strengths_give_every_partition_above(threshold: float) -> None:
    model = usual()
    cut = model.partition_.at(threshold)
    for document in every(model):
        first, stop = cut.doc_start[document["row"] : document["row"] + 2].tolist()
        offset = int(model.corpus_.doc_start[document["row"]])
        starts = (cut.clique_start[first:stop] - offset).tolist()
        assert [start for start, _ in joined(document, threshold)] == starts


@given(st.floats(-1e6, 1e6), st.integers(-(10**6) + 1, 10**6 - 1), st.integers(-5, 2))
def test_a_shortened_strength_reaches_the_same_thresholds(strength: float, digits: int, power: int) -> None:
    """Of 3.9999999 six digits are 4.00000, which would join at 4."""
    near = float(f"{strength:.5e}")
    for threshold in (float(f"{digits}e{power}"), near):
        assert (short(strength) >= threshold) == (strength >= threshold)


@cache
def two_words() -> Corpus:
    return Corpus.from_texts(["alpha beta"], n_threads=1)


def short(strength: float) -> float:
    """What is told of a strength."""
    partition = Partition.from_strength(two_words(), np.array([-np.inf, strength]), 0.0)
    topics = np.zeros(partition.n_cliques, np.int32)
    document = shown(partition, topics, np.ones((1, 1)))[0]
    assert document["strength"][0] is None
    return float(document["strength"][1])


def test_what_is_always_whole_and_what_never_is() -> None:
    document = show(usual(), [90])[0]
    assert document["strength"][:3] == [None, None, ALWAYS]
    assert {strength for each in every(words()) for strength in each["strength"]} == {None}


# --------------------------------------------------------------------------------------------- cutting


@MODELS
@pytest.mark.parametrize("most_chars", [1, 40, 120])
def test_a_cut_text_ends_with_a_phrase(name: str, most_chars: int) -> None:
    model = EVERY[name]()
    for document, whole in zip(every(model, most_chars), every(model), strict=True):
        n, text = len(document["start"]), document["text"]
        assert document["cut"] == (len(whole["text"]) > most_chars)
        assert whole["text"].startswith(text)
        for key in ("start", "end", "strength", "topic"):
            assert document[key] == whole[key][:n]
        assert document["topics"] == whole["topics"]
        if not document["cut"]:
            assert document == whole
            continue
        assert len(text) <= most_chars
        bounds = cliques_of(model, document["row"])
        fitting = [stop for _, stop in bounds if whole["end"][stop - 1] <= most_chars]
        assert n == max(fitting, default=0)
        assert len(text) == (document["end"][-1] if n else most_chars)


# -------------------------------------------------------------------------------------------- documents


@MODELS
def test_shares_are_rows_of_doc_topic(name: str) -> None:
    model = EVERY[name]()
    table = model.lda_.doc_topic_
    for row in range(len(model.corpus_)):
        assert model.lda_.shares(row, row + 1)[0].tolist() == table[row].tolist()
    for document in every(model):
        row = table[document["row"]]
        foremost = np.argsort(-row, kind="stable")[:5].tolist()
        assert [topic for topic, _ in document["topics"]] == foremost
        assert [share for _, share in document["topics"]] == pytest.approx(row[foremost], abs=5.1e-5)


def test_a_document_without_kept_tokens() -> None:
    document = show(usual(), [7])[0]
    assert document["text"] == "The of and."
    assert document["start"] == document["end"] == document["strength"] == document["topic"] == []
    share = usual().lda_.alpha_ / usual().lda_.alpha_.sum()
    assert sorted(p for _, p in document["topics"]) == pytest.approx(sorted(share), abs=1e-4)
    cut = show(usual(), [7], 4)[0]
    assert (cut["text"], cut["cut"], cut["start"]) == ("The ", True, [])


def test_rows_in_any_order() -> None:
    rows = [50, 3, 3, 0, 239]
    found = every(usual())
    assert show(usual(), rows) == [found[row] for row in rows]
    assert show(usual(), []) == []
    assert show(usual(), np.array(rows)) == show(usual(), rows)


def test_times() -> None:
    assert [each["time"] for each in show(usual(), [0, 1, 2])] == [None, "2000", "2001"]
    assert show(unsure(), [1])[0]["time"] is None
    years = usual().corpus_.times
    assert years is not None
    days = pl.Series([datetime(188, 2, 29, 23, 59, 59)] * len(years), dtype=pl.Datetime("us"))
    for times, expected in (
        (days, ["0188-02-29"] * 2),
        (years.clone().scatter(2, datetime(2001, 3, 1)), [None, "2000-01-01"]),  # a day anywhere
    ):
        corpus = replace(usual().corpus_, times=times)
        partition = replace(usual().partition_, corpus=corpus)
        found = shown(partition, usual().lda_.clique_topic_, usual().lda_.doc_topic_)[:2]
        assert [each["time"] for each in found] == expected


def test_texts_that_were_not_kept() -> None:
    with pytest.raises(InputError, match="texts were not kept"):
        show(textless(), [0])


# --------------------------------------------------------------------------------------- representative


@MODELS
def test_representative_documents_are_as_defined(name: str) -> None:
    model = EVERY[name]()
    lda, lengths = model.lda_, np.diff(model.corpus_.doc_start).tolist()
    tokens = np.repeat(lda.clique_topic_, np.diff(model.partition_.clique_start)).tolist()
    bounds = model.corpus_.doc_start.tolist()
    usual_length = sum(lengths) / sum(length > 0 for length in lengths)
    n_topics = lda.topic_weight_.size
    summary = Summary(model)
    for topic in range(n_topics):
        weight = tokens.count(topic) / len(tokens)
        scores = {}
        for row, (start, stop) in enumerate(pairwise(bounds)):
            own = tokens[start:stop].count(topic)
            if own:
                scores[row] = (own + usual_length * weight) / (lengths[row] + usual_length)
        found = summary.representative(topic).tolist()
        assert sorted(found) == sorted(scores)
        ranked = [scores[row] for row in found]
        assert ranked == pytest.approx(sorted(ranked, reverse=True))
        for one, other in pairwise(found):
            assert scores[one] > scores[other] - 1e-12
        assert summary.representative(topic, 3).tolist() == found[:3]
        assert summary.representative(topic, 0).size == 0


def test_a_document_of_one_word_represents_little() -> None:
    corpus = Corpus.from_texts(["alpha"] * 3 + ["alpha " * 30] + ["beta " * 30] * 4, n_threads=1)
    model = ToPMine(2, phrases=False, n_sweeps=30, random_state=0, n_threads=1, alpha=0.1).fit(corpus)
    topic = int(model.lda_.clique_topic_[0])
    assert Summary(model).representative(topic, 1).tolist()[0] == 3
