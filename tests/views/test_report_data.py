"""The page data, checked against its schema and against the model; the facts of a run; the report."""

import json
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from models import EVERY, EVERYWHERE, read, topmine, usual
from oracles.ranking import best_words, lift_of_word

from topminer import Corpus, ToPMine, load
from topminer.topics.model.phraselda import topics_in
from topminer.topics.results.candidates import best_of
from topminer.topics.results.entries import Entries
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.labels import automatic_labels
from topminer.topics.results.summary import Summary
from topminer.views.report_page import data as report_data
from topminer.views.report_page import report
from topminer.views.report_page.data import page_data
from topminer.views.report_page.facts import facts_of
from topminer.views.report_page.shown import ALWAYS

MODELS = pytest.mark.parametrize("name", EVERY)
NEAR = 6e-5  # of five digits


def data_of(model: Fitted, *, live: bool = False, **given: Any) -> dict[str, Any]:
    summary = Summary(model, labels=given.pop("labels", {}))
    return page_data(summary, **{"title": "titles", "run": {}} | given, live=live)


@cache
def page(name: str) -> dict[str, Any]:
    """The page data of a model; tests leave it as it is."""
    return data_of(EVERY[name]())


def written(data: dict[str, Any]) -> str:
    return json.dumps(data, allow_nan=False, ensure_ascii=False)


# --------------------------------------------------------------------------------------------- schema

NUMBERS = [(int, float)]
PLACES = [{0: int, 1: float}]  # topic and frequency
SCHEMA: dict[Any, Any] = {
    **{"format": int, "title": str, "version": str, "live": bool},
    **{"n_documents": int, "n_tokens": int, "n_types": int},
    **{"threshold": (float, None), "lowest": (float, None), "highest": (float, None), "has_texts": bool},
    **{"periods": ([str], None), "unit": (str, None), "order": str, "period_sizes": ([int], None)},
    "facts": [{"title": str, "rows": [{0: str, 1: str}]}],
    **{"verdict": [str], "warning": (str, None), "rate": (float, None)},
    "topics": [
        {
            **{"id": int, "weight": float, "size": float, "label": str},
            **{"background": bool, "renamed": bool, "similar": PLACES},
            "words": [{0: str, 1: float, 2: float, 3: bool, 4: float}],
            "phrases": [{0: int, 1: float, 2: (float, None), 3: (float, None)}],
            **{"trend": (NUMBERS, None), "documents": [int]},
            "measures": {
                **{"exclusivity": (float, None), "coherence": (float, None), "documents": int},
                **{"stability": (float, None), "stable": (bool, None)},
                **{"weight_low": (float, None), "weight_high": (float, None)},
            },
        }
    ],
    "entries": [
        {
            **{"text": str, "n": int, "total": float, "background": bool, "p": (float, None)},
            **{"quality": (float, None), "forms": ([{0: str, 1: float, 2: PLACES}], None)},
            **{"topics": PLACES, "trend": (NUMBERS, None)},
        }
    ],
    "documents": [
        {
            **{"row": int, "id": str, "time": (str, None), "text": str, "cut": bool, "topics": PLACES},
            **{"start": [int], "end": [int], "strength": [(float, None)], "topic": [int]},
        }
    ],
}


def matches(value: Any, schema: Any) -> bool:
    """Whether a value is of a type, one of several, a list of such, or an object or row with such parts."""
    if isinstance(schema, tuple):
        return any(matches(value, each) for each in schema)
    if isinstance(schema, list):
        return type(value) is list and all(matches(each, schema[0]) for each in value)
    if isinstance(schema, dict):
        parts = dict(enumerate(value)) if type(value) is list else value
        return list(parts) == list(schema) and all(matches(parts[key], schema[key]) for key in schema)
    return value is None if schema is None else type(value) is schema


def falling(numbers: list[float]) -> bool:
    return numbers == sorted(numbers, reverse=True)


def check(data: dict[str, Any]) -> None:
    """Refuse whatever a page does not expect."""
    assert matches(data, SCHEMA)
    assert data["format"] == 1
    if data["threshold"] is not None:
        assert 0 <= data["lowest"] <= data["threshold"]
        assert data["highest"] >= 10
    n_periods = None if data["periods"] is None else len(data["periods"])
    assert data["unit"] in (["year", "month", "day"] if n_periods else [None])
    assert data["period_sizes"] is None if n_periods is None else len(data["period_sizes"]) == n_periods
    assert all(facts["rows"] for facts in data["facts"])
    n_topics, n_entries = len(data["topics"]), len(data["entries"])
    for k, topic in enumerate(data["topics"]):
        assert topic["id"] == k and 0 <= topic["weight"] <= 1 and topic["size"] >= 0 and topic["label"]
        others, near = zip(*topic["similar"], strict=True) if n_topics > 1 else ([], [])
        assert falling(list(near)) and all(0 <= each <= 1 for each in near)
        assert k not in others and len(near) == min(n_topics - 1, 6)
        assert falling([share for _, share, *_ in topic["words"]])
        assert all(0 < p <= 1 and 0 < overall <= 1 for _, p, overall, *_ in topic["words"])
        numbers = [number for number, *_ in topic["phrases"]]
        assert falling([count for _, count, *_ in topic["phrases"]])
        assert len(set(numbers)) == len(numbers) and all(0 <= each < n_entries for each in numbers)
        check_trend(topic["trend"], n_periods)
        assert all(0 <= place < len(data["documents"]) for place in topic["documents"])
        assert len(set(topic["documents"])) == len(topic["documents"])
    for entry in data["entries"]:
        check_entry(entry, n_topics, n_periods)
    rows = [document["row"] for document in data["documents"]]
    assert len(set(rows)) == len(rows)
    for document in data["documents"]:
        check_document(document, n_topics, data["n_documents"])


def check_trend(trend: list[Any] | None, n_periods: int | None) -> None:
    assert (trend is None) == (n_periods is None)
    assert trend is None or (len(trend) == n_periods and min(trend) >= 0)


def check_entry(entry: dict[str, Any], n_topics: int, n_periods: int | None) -> None:
    assert entry["text"] and entry["n"] >= 1 and entry["total"] > 0 and entry["topics"]
    assert entry["p"] is None or 0 <= entry["p"] <= 1
    assert entry["p"] is not None or not entry["background"]
    assert entry["quality"] is None or entry["n"] > 1
    forms = entry["forms"] or []
    assert len(forms) in (0, 2, 3, 4, 5, 6)
    assert not forms or forms[0][0] == entry["text"]
    for places in (entry["topics"], *(where for _, _, where in forms)):
        assert len(places) <= 8 and falling([count for _, count in places])
        assert all(0 <= topic < n_topics for topic, _ in places)
    has_trend = n_periods is not None and entry["total"] >= report_data.LEAST_FOR_TREND
    check_trend(entry["trend"], n_periods if has_trend else None)


def check_document(document: dict[str, Any], n_topics: int, n_documents: int) -> None:
    assert 0 <= document["row"] < n_documents
    assert document["time"] is None or re.fullmatch(r"\d{4}(-\d\d-\d\d)?", document["time"])
    assert len({len(document[key]) for key in ("start", "end", "strength", "topic")}) == 1
    for start, end in zip(document["start"], document["end"], strict=True):
        assert 0 <= start < end <= len(document["text"])
    assert document["strength"][:1] in ([None], [])
    assert all(0 <= topic < n_topics for topic in document["topic"])
    assert falling([share for _, share in document["topics"]])
    assert len(document["topics"]) == min(n_topics, 5)


@MODELS
@pytest.mark.parametrize("live", [False, True])
def test_the_schema(name: str, live: bool) -> None:
    data = data_of(EVERY[name](), live=live)
    check(data)
    check(json.loads(written(data)))
    assert data["live"] == live
    assert live or written(data) == written(page(name))  # the same bytes twice


@pytest.mark.parametrize("name", ["usual", "words", "alone", "kept"])
def test_a_model_that_was_stored_shows_the_same(name: str, tmp_path: Path) -> None:
    model = EVERY[name]()
    model.save(tmp_path / "model")
    again = load(tmp_path / "model", n_threads=1)
    one, other = page(name), data_of(again)
    assert one["facts"][:3] == other["facts"][:3]  # parameters of reading are told by the corpus
    assert written(one | {"facts": []}) == written(other | {"facts": []})


# -------------------------------------------------------------------------------- what it says of a model


@MODELS
def test_counts_of_the_whole(name: str) -> None:
    model, data = EVERY[name](), page(name)
    assert data["n_documents"] == len(model.corpus_)
    assert data["n_tokens"] == model.corpus_.n_tokens
    assert data["n_types"] == len(model.partition_.surfaces())
    assert [topic["weight"] for topic in data["topics"]] == model.lda_.topic_weight_.tolist()
    assert sum(topic["weight"] for topic in data["topics"]) == pytest.approx(1)
    sizes = model.lda_.frequency_.sizes(len(data["topics"]))
    assert [topic["size"] for topic in data["topics"]] == pytest.approx(sizes, rel=NEAR)


@MODELS
def test_counts_of_entries(name: str) -> None:
    model, data = EVERY[name](), page(name)
    entries = Entries.of(model)
    entry_of = {(entries.text(i), int(entries.lengths[i])): i for i in range(len(entries))}
    assert len(entry_of) == len(entries)
    table = np.zeros((len(entries), len(data["topics"])))
    table[entries.frequency.types, entries.frequency.topics] = entries.frequency.mean
    kert = np.zeros(table.shape)
    kert[entries.frequency.types, entries.frequency.topics] = entries.scores("kert")
    best, typical = np.zeros(table.shape), np.zeros(table.shape, bool)
    best[entries.frequency.types, entries.frequency.topics] = entries.scores("best")
    typical[entries.frequency.types, entries.frequency.topics] = entries.is_typical
    chosen = [entry_of[entry["text"], entry["n"]] for entry in data["entries"]]
    assert chosen == sorted(set(chosen))
    for i, entry in zip(chosen, data["entries"], strict=True):
        assert entry["total"] == pytest.approx(table[i].sum(), rel=NEAR)
        assert dict(entry["topics"]) == pytest.approx({k: table[i, k] for k, _ in entry["topics"]}, rel=NEAR)
        often = (table[i] >= report_data.LEAST_FREQUENCY).sum()
        assert len(entry["topics"]) == min(8, max(often, 1))
        assert entry["background"] == entries.background.declared[i]
        if entry["forms"] is not None:
            assert sum(total for _, total, _ in entry["forms"]) == pytest.approx(entry["total"], rel=NEAR)
            for k, count in entry["topics"]:
                parts = [dict(where).get(k, 0) for _, _, where in entry["forms"]]
                untold = report_data.LEAST_FREQUENCY * (len(parts) - 1)
                assert sum(parts) == pytest.approx(count, rel=1e-4, abs=untold)
    for topic in data["topics"]:
        assert topic["background"] == Summary(model).is_background[topic["id"]]
        for number, mean, score, value in topic["phrases"]:
            if entries.text(chosen[number]).count(" ") > 5 or not typical[chosen[number], topic["id"]]:
                assert value is None  # lists leave it out
            else:
                assert value == pytest.approx(best[chosen[number], topic["id"]], rel=NEAR)
            assert mean == pytest.approx(table[chosen[number], topic["id"]], rel=NEAR)
            if entries.completeness[chosen[number]] <= 0.5:  # a mere piece of others
                assert score is None
            else:
                assert score == pytest.approx(kert[chosen[number], topic["id"]], rel=NEAR)


@MODELS
def test_words_are_those_of_every_order(name: str) -> None:
    model, data = EVERY[name](), page(name)
    phi, entries = model.lda_.topic_word_, Entries.of(model)
    overall = phi.T @ model.lda_.topic_weight_
    ids = {word: i for i, word in enumerate(model.corpus_.vocabulary["surface"].to_list())}
    for topic in data["topics"]:
        row, n_tokens = phi[topic["id"]], int(topics_in(model.lda_).n_k[topic["id"]])
        declared = {word for word in ids.values() if entries.background.declared[entries.entry_of[word]]}
        lifts = [lift_of_word(*here, n_tokens) for here in zip(row, overall, strict=True)]
        for word, inside, everywhere, hidden, best in topic["words"]:
            assert hidden == (ids[word] in declared and lifts[ids[word]] < 4)
            assert best == pytest.approx(np.log(row[ids[word]] * lifts[ids[word]]), rel=NEAR, abs=NEAR)
            assert inside == pytest.approx(row[ids[word]], rel=NEAR)
            assert everywhere == pytest.approx(overall[ids[word]], rel=NEAR)
        listed = {ids[word] for word, *_ in topic["words"]}
        for weight in (0, 0.3, 0.6, 1):
            scores = weight * np.log(row) + (1 - weight) * np.log(row / overall)
            best = sorted(scores, reverse=True)[:10]
            assert sorted(scores[list(listed)], reverse=True)[:10] == pytest.approx(best)
        assert listed >= set(best_words(row, overall, n_tokens, declared)[:10])


@MODELS
@pytest.mark.parametrize(("n_entries", "background"), [(report_data.N_ENTRIES, False), (0, True)])
def test_lists_hold_the_foremost_of_every_order(
    name: str, n_entries: int, background: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_data, "N_ENTRIES", n_entries)
    model = EVERY[name]()
    data, entries = data_of(model), Entries.of(model)
    eligible = entries.lengths > 1
    if not background:
        eligible &= ~entries.background.declared
    number_of = {entries.text(i): i for i in range(len(entries)) if eligible[i]}
    orders = [
        ("best", 1.0),
        ("frequency", 1.0),
        ("kert", 1.0),
        *(("relevance", weight) for weight in (0, 0.3, 0.6, 1.0)),
    ]
    for order, weight in orders:
        scores = best_of(entries) if order == "best" else entries.scores(order, weight)
        by_place = {}
        for place, (entry, k) in enumerate(zip(*entries.frequency[:2], strict=True)):
            if np.isfinite(scores[place]):
                by_place[int(entry), int(k)] = scores[place], entries.totals[entry]
        for topic in data["topics"]:
            texts = [data["entries"][number]["text"] for number, *_ in topic["phrases"]]
            listed = [number_of[text] for text in texts if text in number_of]
            of_all = [value for (i, k), value in by_place.items() if k == topic["id"] and eligible[i]]
            found = [by_place[i, topic["id"]] for i in listed if (i, topic["id"]) in by_place]
            # Of phrases alike in all that counts any may be there.
            best, mine = (sorted(values, reverse=True)[:10] for values in (of_all, found))
            assert np.array(mine).reshape(-1) == pytest.approx(np.array(best).reshape(-1))


def test_background_phrases_are_listed_whether_or_not_they_come_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entries = data_of(usual())["entries"]
    found = {entry["text"] for entry in entries if entry["background"] and entry["n"] > 1}
    assert found == set(EVERYWHERE)
    monkeypatch.setattr(report_data, "N_BACKGROUND", 1)
    check(data_of(usual()))


def test_names_and_own_labels() -> None:
    names = automatic_labels(usual())
    data = data_of(usual(), labels={1: "<b>mine</b>", 99: "nobody's"})
    assert [topic["label"] for topic in data["topics"]] == [names[0], "<b>mine</b>", *names[2:]]
    assert [topic["renamed"] for topic in data["topics"]] == [False, True, False, False]


# ---------------------------------------------------------------------------------------------- times


def test_trends_add_up() -> None:
    model, data = usual(), page("usual")
    assert data["periods"] == ["1999", "2000", "2001", "2002", "2003"]
    assert model.corpus_.times is not None
    with_time = model.corpus_.times.is_not_null().to_numpy()
    instances = np.diff(model.partition_.doc_start)
    assert sum(data["period_sizes"]) == instances[with_time].sum()
    for i in range(5):
        assert sum(topic["trend"][i] for topic in data["topics"]) == pytest.approx(1, abs=1e-3)
    dated_cliques = np.repeat(with_time, instances)
    types = model.partition_.type_ids[dated_cliques]
    surfaces = [*model.corpus_.vocabulary["surface"], *model.partition_.surfaces()]
    counts = Counter(surfaces[i] for i in types.tolist())
    often = [entry for entry in data["entries"] if entry["trend"] is not None]
    assert len(often) > 10
    for entry in often:
        forms = [form for form, _, _ in entry["forms"] or [[entry["text"], 0, []]]]
        assert sum(entry["trend"]) == sum(counts[form] for form in forms)
        assert sum(entry["trend"]) <= entry["total"] * (1 + NEAR)


def test_no_times_at_all() -> None:
    data = page("unsure")
    assert data["periods"] is data["unit"] is data["period_sizes"] is None
    empty = replace(read(), times=pl.Series([None] * 480, dtype=pl.Datetime("us")))
    html = report(topmine(n_sweeps=2).fit(empty))
    data = embedded(html)
    check(data)
    assert data["periods"] is None
    assert {document["time"] for document in data["documents"]} == {None}
    assert "trends" not in charts_in(html)


# ------------------------------------------------------------------------------------------ documents


@pytest.mark.parametrize("name", [name for name in EVERY if name != "textless"])
def test_documents_are_the_most_representative(name: str) -> None:
    model, data = EVERY[name](), page(name)
    rows = [document["row"] for document in data["documents"]]
    assert rows == sorted(rows)
    n = max(2, min(8, 400 // len(data["topics"])))
    chosen = [[rows[place] for place in topic["documents"]] for topic in data["topics"]]
    assert chosen == [Summary(model).representative(k, n).tolist() for k in range(len(data["topics"]))]
    assert set(rows) == {row for each in chosen for row in each}


@pytest.mark.parametrize("name", ["usual", "unsure", "kept", "one_topic", "words"])
def test_documents_are_cut_as_the_model_cut_them(name: str) -> None:
    model, data = EVERY[name](), page(name)
    for document in data["documents"]:
        row, n = document["row"], len(document["start"])
        first, stop = model.partition_.doc_start[row : row + 2].tolist()
        starts = model.partition_.clique_start[first:stop] - model.corpus_.doc_start[row]
        joined = [
            strength is not None and data["threshold"] is not None and strength >= data["threshold"]
            for strength in document["strength"]
        ]
        assert [i for i in range(n) if not joined[i]] == [i for i in starts.tolist() if i < n]


def test_no_documents_where_none_are_needed_or_kept() -> None:
    for data in (data_of(usual(), live=True), page("textless")):
        assert data["documents"] == []
        assert all(topic["documents"] == [] for topic in data["topics"])
    assert not page("textless")["has_texts"]


def test_many_topics_and_long_documents() -> None:
    random = np.random.default_rng(0)
    stems = np.array([f"w{i}" for i in range(3000)])
    texts = [" ".join(stems[random.zipf(1.3, 400) % 3000]) for _ in range(600)]
    model = topmine(300, n_sweeps=1).fit(Corpus.from_texts(texts, language=None, n_threads=1))
    data = data_of(model)
    check(data)
    n_topics, n_rows = 300, len(data["documents"])
    assert n_rows <= 2 * n_topics
    n_characters = sum(len(document["text"]) for document in data["documents"])
    assert n_characters <= max(report_data.N_CHARACTERS, 300 * n_rows)
    per_topic = max(report_data.N_ENTRIES // n_topics, 10)
    assert max(len(topic["phrases"]) for topic in data["topics"]) <= 3 * 7 * per_topic
    assert max(len(topic["words"]) for topic in data["topics"]) <= 4 * 30
    assert any(document["cut"] for document in data["documents"])


# ----------------------------------------------------------------------------------------- thresholds


def test_thresholds() -> None:
    data = page("usual")
    assert data["threshold"] == 2
    assert 0 <= data["lowest"] < 2
    strength = usual().partition_.strength
    assert strength is not None
    assert data["highest"] == max(10, np.ceil(strength[np.isfinite(strength)].max()))
    words = page("words")
    assert words["threshold"] is words["lowest"] is None
    alone = page("alone")  # infinite: joined is only what is always whole
    assert alone["threshold"] == alone["highest"] == ALWAYS


# ---------------------------------------------------------------------------------------------- facts


def table_of(facts: list[dict[str, Any]], title: str) -> dict[str, str]:
    (rows,) = [each["rows"] for each in facts if each["title"] == title]
    return dict(rows)


def test_facts() -> None:
    run = {
        "seconds": {"read": 0.25, "phrases": 1, "topics": 61.04, "odd": "x"},
        "threads": 2,
        "engine": "local",
        "versions": {"python": "3.11.2", "numpy": "2.0"},
        "host": "secret",
    }
    facts = facts_of(usual(), run)
    titles = ["Corpus", "Phrases", "Topics", "Parameters", "Time", "Machine"]
    assert [each["title"] for each in facts] == titles
    corpus = table_of(facts, "Corpus")
    assert (corpus["documents"], corpus["language"]) == ("480", "english")
    assert corpus["kept tokens"] == f"{usual().corpus_.n_tokens:,}"
    phrases = table_of(facts, "Phrases")
    lengths = np.diff(usual().partition_.clique_start)
    assert phrases["threshold"] == "2"
    assert phrases["instances of them"] == f"{(lengths > 1).sum():,}"
    assert phrases["types of several words"] == f"{len(usual().partition_.surfaces()):,}"
    assert table_of(facts, "Topics")["topics"] == "4"
    assert table_of(facts, "Parameters")["n_sweeps"] == "60"
    times = {"reading": "0.2 s", "mining and cutting": "1.0 s", "sampling topics": "61.0 s"}
    assert table_of(facts, "Time") == times
    machine = {"threads": "2", "engine": "local", "versions": "python 3.11.2, numpy 2.0"}
    assert table_of(facts, "Machine") == machine
    assert "secret" not in json.dumps(facts)


@pytest.mark.parametrize(
    "run",
    [
        {},
        {"seconds": None, "versions": 3},
        {"seconds": [1], "versions": "x"},
        {"seconds": {"read": 10**400, "topics": float("nan"), "phrases": -1, "writing": [1]}},
        {"threads": "/home/ann", "engine": ["ray"], "platform": "Linux", "host": "ann", "nodes": ["ann"]},
        {"threads": [1, "ann"], "engine": "ray://ann:10001", "versions": {"numpy": "2 ann", "ann": "2"}},
        {"threads": [], "versions": {"numpy": "2" * 1000, "numba": 3}},
    ],
)
def test_facts_of_a_run_that_tells_nothing(run: dict[str, Any]) -> None:
    assert [each["title"] for each in facts_of(usual(), run)] == ["Corpus", "Phrases", "Topics", "Parameters"]


def test_facts_of_other_models() -> None:
    assert table_of(facts_of(EVERY["words"](), {}), "Phrases") == {"phrases": "none: every word alone"}
    assert table_of(facts_of(EVERY["alone"](), {}), "Phrases")["threshold"] == "inf"
    assert table_of(facts_of(EVERY["divided"](), {}), "Topics")["pieces of documents"] == "of about 4 words"
    assert "pieces of documents" not in table_of(facts_of(usual(), {}), "Topics")
    model = topmine(3, n_sweeps=2, alpha=[0.1, 0.2, 0.3]).fit(read())
    assert table_of(facts_of(model, {}), "Parameters")["alpha"] == "3 numbers"
    model.set_params(ray_address="ann:6379")
    facts = facts_of(model, {"threads": [2, 4], "engine": "ray"})
    assert "ann" not in json.dumps(facts)
    assert table_of(facts, "Machine") == {"threads": "2, 4", "engine": "ray"}


# --------------------------------------------------------------------------------------------- report


def embedded(html: str) -> dict[str, Any]:
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)
    data = json.loads(found)
    assert isinstance(data, dict)
    return data


def charts_in(html: str) -> set[str]:
    return set(re.findall(r'<template id="chart-(\w+)"><svg', html))


@pytest.mark.parametrize("name", ["usual", "words", "one_topic", "alone", "textless", "crowded"])
def test_a_report_holds_the_page_data_and_charts(name: str) -> None:
    model = EVERY[name]()
    html = report(model, title="titles")
    assert embedded(html) == json.loads(written(page(name)))
    assert charts_in(html) == {"map", "history", "weights"} | ({"trends"} if name == "usual" else set())
    assert "<title>titles" in html
    assert name != "one_topic" or html == report(model, title="titles")


def test_what_a_report_is_told() -> None:
    seen: list[tuple[Any, ...]] = []
    html = report(
        usual(),
        labels={0: "</script><script>alert(1)</script>"},
        run={"engine": "local"},
        progress=lambda *told: seen.append(told),
    )
    data = embedded(html)
    assert data["title"] == usual().corpus_.origin.name
    assert data["topics"][0]["label"] == "</script><script>alert(1)</script>"
    assert data["facts"][-1] == {"title": "Machine", "rows": [["engine", "local"]]}
    assert "alert(1)</script>" not in html.replace(json.dumps("x"), "")
    assert [told[1:3] for told in seen] == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_a_report_of_one_word() -> None:
    model = ToPMine(2, n_sweeps=2, random_state=0, n_threads=1).fit(["apple, apple"])
    data = embedded(report(model))
    check(data)
    assert [topic["words"][0][0] for topic in data["topics"]] == ["apple"] * 2


# ------------------------------------------------------------------------------------ how sure the model is


def test_what_several_chains_say_is_on_the_page() -> None:
    model = topmine(4, n_sweeps=20, n_chains=2)
    model.fit([f"{one} and {other}" for one in ("data mining", "neural networks") for other in "abcdef"] * 5)
    data, frame = data_of(model), model.diagnostics()
    check(data)
    assert data["rate"] == 0.95 and len(data["verdict"]) == 3
    for topic, row in zip(data["topics"], frame.iter_rows(named=True), strict=True):
        measures = topic["measures"]
        assert (measures["stable"], measures["documents"]) == (row["stable"], row["documents"])
        for name in ("exclusivity", "stability", "weight_low", "weight_high"):
            assert measures[name] == pytest.approx(row[name], rel=1e-3)


def test_a_page_of_one_chain_has_a_verdict_and_no_intervals() -> None:
    data = page("usual")
    assert data["rate"] is None and len(data["verdict"]) == 1
    assert all(topic["measures"]["weight_low"] is None for topic in data["topics"])
