"""A model as tables, as LaTeX and for pyLDAvis: numbers are the model's own, texts are only texts."""

import json
import re
from datetime import datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topminer import Corpus, InputError, ToPMine
from topminer.loading import restored
from topminer.pipeline import stored_model
from topminer.topics.results.topic import Topic, TopicPhrase, TopicWord
from topminer.views.export import (
    document_topics,
    instances,
    phrase_topics,
    pyldavis_json,
    segments,
    with_times_as_texts,
)
from topminer.views.tables import latex_text
from topminer.views.topic_tables import as_latex

TEXTS = [
    "🎉 Frequent pattern mining\nfinds   patterns.",
    "A neural network learns the weights",
    "",
    "of the",
] * 40
TEXTS += ["Zebras"]
CHINESE = ["机器 翻译 系统", "数据 挖掘 算法", "机器 翻译 数据"] * 40
HOSTILE = ['=1+1 @a -b "q" \\input{x}', "100% & #1 $x_1^2$ ~", "a\tb\rc\0d <script> |", "'' -- ,, `x`"] * 40


def fitted(texts: list[str], n_topics: int = 3, **parameters: object) -> ToPMine:
    corpus = Corpus.from_texts(texts)
    return ToPMine(n_topics, n_sweeps=15, random_state=0, **parameters).fit(corpus)


def hostile() -> ToPMine:
    ids = [f'=id "{i}",\n' for i in range(len(HOSTILE))]
    corpus = Corpus.from_texts(HOSTILE, None, False, token_pattern=r"[^ ]+", ids=ids)
    return ToPMine(2, n_sweeps=15, random_state=0).fit(corpus)


MODELS = {
    "phrases": lambda: fitted(TEXTS),
    "words": lambda: fitted(TEXTS, phrases=False),
    "one topic": lambda: fitted(TEXTS, 1),
    "shards": lambda: fitted(TEXTS * 3, 4, n_shards=3),
    "chinese": lambda: fitted(CHINESE, 2),
    "hostile": hostile,
}


@pytest.fixture(scope="module", params=MODELS)
def model(request) -> ToPMine:
    return MODELS[request.param]()


# Documents and their topics


@pytest.mark.parametrize("cells", [1, 7])
def test_shares_are_the_model_s_to_the_last_bit(model: ToPMine, monkeypatch, cells: int) -> None:
    monkeypatch.setattr("topminer.views.export.CELLS", cells)
    table = pl.concat(document_topics(model))
    assert table.columns == ["id", *(f"topic_{k}" for k in range(model.n_topics))]
    assert table["id"].to_list() == model.corpus_.ids.to_list()
    assert np.array_equal(table.drop("id").to_numpy(), model.lda_.doc_topic_)


@pytest.mark.parametrize(
    ("times", "texts"),
    [
        ([datetime(1999, 5, 3), None], ["1999-05-03", None]),
        (
            [datetime(1999, 5, 1), datetime(2001, 2, 3, 4, 5, 6)],
            ["1999-05-01T00:00:00", "2001-02-03T04:05:06"],
        ),
    ],
)
def test_times_as_texts(times: list[datetime | None], texts: list[str | None]) -> None:
    column = pl.Series("time", times, pl.Datetime("us"))
    batches = [pl.DataFrame([column]), pl.DataFrame({"id": ["1"]})]
    (written, other) = with_times_as_texts(batches, column)
    assert written["time"].to_list() == texts
    assert other is batches[1]


# Phrases and their topics


@pytest.mark.parametrize("pairs", [5, 1 << 17])
def test_topical_frequency(model: ToPMine, monkeypatch, pairs: int) -> None:
    monkeypatch.setattr("topminer.views.export.PAIRS", pairs)
    table = pl.concat(phrase_topics(model))
    assert table.columns == ["phrase", "stems", "length", "topic", "frequency", "spread", "quality"]
    frequency, partition = model.lda_.frequency_, model.partition_
    assert np.array_equal(table["topic"], frequency.topics)
    assert np.array_equal(table["frequency"], frequency.mean)
    assert np.array_equal(table["spread"], frequency.spread)
    assert table["frequency"].sum() == pytest.approx(partition.n_cliques)
    counted = table.group_by("stems").agg(pl.col("frequency").sum())
    phrases = [" ".join(phrase) for document in partition.to_lists() for phrase in document]
    expected = pl.Series("stems", phrases).value_counts()
    both = counted.join(expected, on="stems", how="full")
    assert both["frequency"].to_list() == pytest.approx(both["count"].to_list())


def test_phrases_have_the_quality_they_were_judged_by() -> None:
    model = fitted(TEXTS, quality=-1e6)
    table = pl.concat(phrase_topics(model))
    judged = dict(model.miner_.quality_.select("stems", "quality").iter_rows())
    several = table.filter(pl.col("length") > 1)
    assert several.height
    assert several["quality"].to_list() == [judged[stems] for stems in several["stems"]]
    assert table.filter(length=1)["quality"].is_null().all()
    for other in (fitted(TEXTS, quality=None), fitted(TEXTS, phrases=False)):
        assert pl.concat(phrase_topics(other))["quality"].is_null().all()


def test_a_word_that_is_tied_to_a_phrase_has_no_quality() -> None:
    texts = [
        f"{kind}: {form}, maps" for form in ("real-time", "real time") for kind in ("red", "blue", "old")
    ]
    model = fitted(texts * 4, 1, quality=-1e6)
    quality = dict(pl.concat(phrase_topics(model)).select("phrase", "quality").iter_rows())
    (judged,) = model.miner_.quality_.filter(stems="real time")["quality"]
    assert quality["real time"] == judged
    assert quality["real-time"] is None  # a single word, though it is counted as two


def test_phrases_are_shown_as_topics_show_them() -> None:
    model = fitted(TEXTS, quality=None)
    table = pl.concat(phrase_topics(model))
    shown = {(row["phrase"], row["topic"]): row["frequency"] for row in table.to_dicts()}
    for topic in model.topics():
        for phrase, frequency in topic.phrases:
            assert shown[phrase, topic.id] == frequency
    (long,) = {(row["phrase"], row["stems"]) for row in table.filter(length=3).to_dicts()}
    assert long == ("Frequent pattern mining", "frequent pattern mine")
    assert set(table.filter(length=1)["phrase"]) == {"pattern", "Zebras"}  # find is a stop word


# The segmented corpus


def test_segments_are_places_in_the_text(model: ToPMine) -> None:
    table = pl.concat(segments(model))
    assert table.columns == ["id", "text", "phrases"]
    assert table["id"].to_list() == model.corpus_.ids.to_list()
    assert table["text"].to_list() == model.corpus_.texts.to_list()
    rows = []
    for id, text, phrases in table.iter_rows():
        for phrase in phrases:
            assert list(phrase) == ["text", "start", "end", "topic"]
            assert text[phrase["start"] : phrase["end"]] == phrase["text"] != ""
            rows.append({"id": id, **phrase})
    assert [row["topic"] for row in rows] == model.lda_.clique_topic_.tolist()
    flat = pl.concat(instances(model))
    assert flat.columns == ["id", "start", "end", "text", "topic"]
    assert flat.to_dicts() == rows


def test_batches_make_no_difference(model: ToPMine, monkeypatch) -> None:
    whole = pl.concat(segments(model)), pl.concat(instances(model))
    monkeypatch.setattr("topminer.phrases.document_slices.DOCUMENTS", 1)
    for table, batches in zip(whole, (segments(model), instances(model)), strict=True):
        found = list(batches)
        assert len(found) >= len(model.partition_)
        assert {str(batch.schema) for batch in found} == {str(table.schema)}  # also of an empty one
        assert pl.concat(found).equals(table)


def test_segments_without_texts(model: ToPMine) -> None:
    bare = restored(stored_model(model, keep_texts=False), {})
    table, flat = pl.concat(segments(bare)), pl.concat(instances(bare))
    assert table.columns == ["id", "phrases"]
    assert flat.columns == ["id", "start", "end", "surface", "topic"]
    written = pl.concat(instances(model))
    assert flat.drop("surface").equals(written.drop("text"))
    known = set(pl.concat(phrase_topics(model))["phrase"].to_list())
    assert set(flat["surface"].to_list()) <= known
    first = table["phrases"][0].to_list()[0]
    assert list(first) == ["surface", "start", "end", "topic"]


# LaTeX

PLAIN = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"\textasciigrave{}": "`",
    r"\symbol{34}": '"',
    **{f"\\{char}": char for char in "{}$&#%_"},
    "{}": "",
}
ESCAPES = re.compile("|".join(map(re.escape, PLAIN)))


def read_back(latex: str) -> str:
    """What LaTeX would print."""
    return ESCAPES.sub(lambda found: PLAIN[found[0]], latex)


@given(st.text() | st.text("\\{}$&#%_~^<>|`\"'-,[]* \n\0ab"))
def test_latex_prints_every_text(text: str) -> None:
    latex = latex_text(text)
    left = ESCAPES.sub("", latex)
    assert not set(left) & set('\\{}$&#%_~^<>|`"\n\r\0')
    assert not any(two in latex for two in ("--", "''", ",,", "``"))
    shown = read_back(latex)
    assert len(shown) == len(re.sub(r"\s+", " ", text))
    assert all(a == b or b in "· " for a, b in zip(re.sub(r"\s+", " ", text), shown, strict=True))


def topic(number: int, words: list[str], phrases: list[str]) -> Topic:
    return Topic(
        number, 0.1, tuple(TopicWord(w, 0.1) for w in words), tuple(TopicPhrase(p, 2.0) for p in phrases)
    )


def rows_of(table: str) -> list[list[str]]:
    """The cells of a table."""
    lines = (line for line in table.splitlines() if line.endswith(r" \\"))
    return [re.split(r"(?<!\\)&", line.removesuffix(r" \\")) for line in lines]


def test_a_latex_table() -> None:
    topics = [topic(0, ["data", "mining"], ["data mining", "R&D"]), topic(1, ["web"], [])]
    assert as_latex(topics, "my_titles", {1: "The 100% web"}) == (
        "% Put \\usepackage{array,booktabs} into the preamble, and this where the tables belong: "
        "\\input{topics}\n"
        "% Letters beyond Latin need XeLaTeX or LuaLaTeX, and a font that has them.\n"
        r"""
\begin{table}[tbp]
\centering\small\setlength{\tabcolsep}{3pt}
\caption{Topics 0 to 1 of my\_titles: most likely words, most frequent phrases.}
\label{tab:topics-1}
\begin{tabular}{@{}l*{2}{>{\raggedright\arraybackslash}p{0.300\linewidth}}@{}}
\toprule
 & Topic 0 & Topic 1: The 100\% web \\
\midrule
1-grams & data & web \\
 & mining &  \\
\midrule
n-grams & data mining &  \\
 & R\&D &  \\
\bottomrule
\end{tabular}
\end{table}
"""
    )


def test_many_topics_are_several_tables() -> None:
    latex = as_latex([topic(k, ["w"], ["p q"]) for k in range(11)], "t")
    tables = latex.split("\n\n")[1:]
    assert [{len(row) for row in rows_of(table)} for table in tables] == [{6}, {6}, {2}]
    assert re.findall(r"tab:topics-\d", latex) == ["tab:topics-1", "tab:topics-2", "tab:topics-3"]
    assert "Topic 10 of t" in tables[2]


def test_a_latex_table_of_any_model(model: ToPMine) -> None:
    topics = model.topics(5, 5)
    (table,) = as_latex(topics, "any & every").split("\n\n")[1:]
    rows = rows_of(table)
    assert {len(row) for row in rows} == {1 + model.n_topics}
    shown = [read_back(cell).strip() for row in rows[1:] for cell in row[1:]]
    expected = [text for each in topics for text, _ in [*each.words, *each.phrases]]
    assert sorted(filter(None, shown)) == sorted(re.sub("[\0]", "·", " ".join(t.split())) for t in expected)
    assert table.count(r"\midrule") == 1 + any(each.phrases for each in topics)
    depth = np.cumsum([(c == "{") - (c == "}") for c in re.sub(r"\\[{}]", "", table)])
    assert depth.min() == depth[-1] == 0


def test_latex_of_nothing() -> None:
    assert r"\begin" not in as_latex([], "t")
    assert rows_of(as_latex([topic(0, [], [])], "t")) == [[" ", " Topic 0"]]


# pyLDAvis


def prepared(model: ToPMine) -> dict:
    return json.loads("".join(pyldavis_json(model)))


def test_pyldavis_would_take_it(model: ToPMine, monkeypatch) -> None:
    """The rules of its _input_check, what its logarithms need, and the model's own numbers."""
    if model.n_topics < 2:
        with pytest.raises(InputError, match="needs 2 or more, not 1"):
            pyldavis_json(model)
        return
    monkeypatch.setattr("topminer.views.export.CELLS", 7)
    found = prepared(model)
    arguments = ["topic_term_dists", "doc_topic_dists", "doc_lengths", "vocab", "term_frequency"]
    assert sorted(found) == sorted([*arguments, "sort_topics", "start_index"])
    assert (found["sort_topics"], found["start_index"]) == (False, 0)
    lengths = np.diff(model.corpus_.doc_start)
    assert found["doc_lengths"] == lengths[lengths > 0].tolist()
    assert np.array_equal(found["topic_term_dists"], model.lda_.topic_word_)
    assert np.array_equal(found["doc_topic_dists"], model.lda_.doc_topic_[lengths > 0])
    for name in arguments[:2]:
        assert np.all(np.isfinite(found[name]) & (np.array(found[name]) > 0))
        assert np.allclose(np.sum(found[name], axis=1), 1, rtol=0, atol=1e-12)
    words = found["vocab"]
    assert len(set(words)) == len(words) == len(found["term_frequency"])
    assert not any(set(word) & set("<\0\n") for word in words)
    assert min(found["term_frequency"]) > 0
    assert sum(found["term_frequency"]) == sum(found["doc_lengths"]) == model.corpus_.n_tokens


def test_words_that_look_alike() -> None:
    corpus = Corpus.from_texts(["a\tb a\rb x"] * 5, None, False, token_pattern="a[\t\r]b|x")
    model = ToPMine(2, n_sweeps=5, random_state=0).fit(corpus)
    words = model.corpus_.vocabulary["surface"].to_list()
    assert sorted(words) == ["a\tb", "a\rb", "x"]
    assert sorted(prepared(model)["vocab"]) == ["a b", "a b (2)", "x"]
