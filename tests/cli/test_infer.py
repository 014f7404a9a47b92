"""`topminer infer` and `topminer explain` with a model, end to end."""

import csv
import io
import json
from pathlib import Path

import polars as pl
import pytest
from models import stored
from runs import QUICK, all_files

from topminer import load

NEW = [
    "🎉 Support vector machines for data streams",
    "zebras and unicorns",
    "",
    "the kernel method of frequent pattern mining",
]


@pytest.fixture
def new(tmp_path: Path) -> Path:
    path = tmp_path / "new.txt"
    path.write_text("\n".join(NEW) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def infer(titles_model: Path, new: Path, topminer):
    """Run `topminer infer` on new documents, and return what it said."""

    def run(output: Path, *more: object, code: int = 0, source: Path = new, of: Path = titles_model) -> str:
        out, err = topminer("infer", of, source, "--output", output, *more, code=code)
        assert out == ""
        return err

    return run


def read(path: Path) -> list[dict]:
    """The documents in a file, whatever its format."""
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_bytes().splitlines()]
    if path.suffix == ".parquet":
        return pl.read_parquet(path).to_dicts()
    rows = list(csv.DictReader(io.StringIO(path.read_bytes().decode(), newline="")))
    assert list(rows[0]) == ["id", "topic_0", "topic_1", "topic_2", "phrases"]
    shares = [[float(row[f"topic_{k}"]) for k in range(3)] for row in rows]
    return [
        {"id": row["id"], "topics": topics, "phrases": json.loads(row["phrases"])}
        for row, topics in zip(rows, shares, strict=True)
    ]


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
def test_shares_and_phrases_with_their_places(infer, titles_model: Path, tmp_path: Path, ending: str) -> None:
    output = tmp_path / f"new{ending}"
    told = infer(output)
    documents = read(output)
    assert [each["id"] for each in documents] == ["1", "2", "4"]
    texts = [text for text in NEW if text]
    for text, document, expected in zip(texts, documents, load(titles_model).transform(texts), strict=True):
        assert sum(document["topics"]) == pytest.approx(1)
        assert document["topics"] == pytest.approx(expected.tolist())
        for phrase in document["phrases"]:
            assert text[phrase["start"] : phrase["end"]] == phrase["text"]
            assert -1 <= phrase["topic"] < 3
    first, second, third = (document["phrases"] for document in documents)
    assert [each["text"] for each in first] == ["Support vector machines", "data streams"]
    assert [each["topic"] for each in second] == [-1, -1]
    assert [each["text"] for each in third] == ["kernel method", "frequent pattern mining"]
    assert f"3 documents written to {output}" in told
    assert "blank documents: 1" in told
    assert "2 words that the model does not know were skipped" in told


def test_all_formats_hold_the_same_in_any_batches(infer, tmp_path: Path, monkeypatch) -> None:
    infer(tmp_path / "new.jsonl")
    monkeypatch.setattr("topminer.phrases.document_slices.DOCUMENTS", 1)
    for ending in (".csv", ".parquet"):
        assert infer(tmp_path / f"new{ending}", "--quiet") == ""
        assert read(tmp_path / f"new{ending}") == read(tmp_path / "new.jsonl")


def test_a_file_that_exists(infer, tmp_path: Path) -> None:
    output = tmp_path / "new.jsonl"
    output.write_text("old", encoding="utf-8")
    assert infer(output, code=2) == f"topminer: error: {output}: exists already; --overwrite replaces it\n"
    assert output.read_text(encoding="utf-8") == "old"
    infer(output, "--overwrite")
    assert len(read(output)) == 3


def test_columns(infer, tmp_path: Path) -> None:
    table = tmp_path / "new.csv"
    table.write_text("key,title,note\na-1,Large margin,x\nb-2,Data streams,y\n", encoding="utf-8")
    infer(tmp_path / "out.jsonl", "--text-column", "title", "--id-column", "key", source=table)
    assert [each["id"] for each in read(tmp_path / "out.jsonl")] == ["a-1", "b-2"]


def test_ids_are_no_formulas_in_a_spreadsheet(infer, tmp_path: Path) -> None:
    ids = ["=HYPERLINK(1)", "+1", "-1", "@x", "\t1", "\r1", "1=1"]
    source = tmp_path / "new.jsonl"
    pl.DataFrame({"text": ["Data streams"] * len(ids), "id": ids}).write_ndjson(source)
    for ending, expected in ((".csv", [*(f"'{id}" for id in ids[:-1]), "1=1"]), (".parquet", ids)):
        infer(tmp_path / f"out{ending}", "--id-column", "id", "--text-column", "text", source=source)
        assert [each["id"] for each in read(tmp_path / f"out{ending}")] == expected


def test_new_documents_are_read_as_the_model_s_were(infer, topminer, tmp_path: Path) -> None:
    corpus, new, stops = (tmp_path / f"{name}.txt" for name in ("titles", "german", "stops"))
    corpus.write_text("schöne häuser 12, die-stadt\n" * 30, encoding="utf-8")
    new.write_text("Die schönen Häuser! 12 die-stadt\n", encoding="utf-8")
    stops.write_text("die\n", encoding="utf-8")
    words = ["--language", "german", "--no-numbers", "--token-pattern", r"[\w-]+", "--stop-words", stops]
    topminer("run", corpus, *QUICK, *words, "--output", tmp_path / "german")
    assert "does not know" not in infer(tmp_path / "out.jsonl", source=new, of=tmp_path / "german")
    (document,) = read(tmp_path / "out.jsonl")
    assert " ".join(each["text"] for each in document["phrases"]) == "schönen Häuser die-stadt"


def test_bad_input_leaves_nothing_behind(infer, tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("\n\n", encoding="utf-8")
    before = all_files(tmp_path)
    bad = ({"source": empty}, {"source": tmp_path / "absent.txt"}, {"source": empty, "of": tmp_path}, {})
    for given in bad:
        told = infer(tmp_path / ("out.parquet" if given else "out.txt"), code=2, **given)
        assert told.startswith("topminer: error: ") and len(told.splitlines()) == 1
    assert all_files(tmp_path) == before


# Explaining with a model

TEXT = "The support vector machine of data streams"


def test_a_model_explains_a_text(titles_model: Path, topminer) -> None:
    assert "[support vector machine]" in topminer("explain", titles_model, TEXT)[0]
    found = json.loads(topminer("explain", titles_model, TEXT, "--json")[0])
    assert (found["text"], found["threshold"], found["cut"]) == (TEXT, 2.0, 0.0)
    assert topminer("explain", titles_model, TEXT, "--quiet") == ("", "")


@pytest.mark.parametrize("option", ["--significance 1", "--language german", "--no-stem"])
def test_a_model_has_its_own_words_and_phrases(titles_model: Path, topminer, option: str) -> None:
    err = topminer("explain", titles_model, TEXT, *option.split(), code=2)[1]
    assert "a model, which has its own words and phrases" in err


def test_a_model_of_words_has_nothing_to_explain(topminer) -> None:
    out, err = topminer("explain", stored("words"), TEXT, code=2)
    assert out == "" and err.startswith("topminer: error: ") and "nothing was merged" in err
