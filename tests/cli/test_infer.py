"""`topminer infer` and `topminer explain` with a model, end to end."""

import csv
import io
import json
from pathlib import Path

import polars as pl
import pytest
from models import stored
from runs import QUICK, all_files, write_corpus

from topminer import load
from topminer.cli import main

NEW = [
    "🎉 Support vector machines for data streams",
    "zebras and unicorns",
    "",
    "the kernel method of frequent pattern mining",
]


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("infer")
    corpus = write_corpus(folder / "titles.txt")
    assert main(["run", str(corpus), *QUICK, "--output", str(folder / "model"), "--quiet"]) == 0
    return folder / "model"


@pytest.fixture
def new(tmp_path: Path) -> Path:
    path = tmp_path / "new.txt"
    path.write_text("\n".join(NEW) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def infer(model: Path, new: Path, capsys):
    """Run `topminer infer` on new documents, and return what it said."""

    def run(output: Path, *arguments: object, code: int = 0, source: Path = new, of: Path = model) -> str:
        arguments = tuple(map(str, arguments))
        assert main(["infer", str(of), str(source), "--output", str(output), *arguments]) == code
        out, err = capsys.readouterr()
        assert out == ""
        return err

    return run


def read(path: Path) -> list[dict]:
    """The documents in a file, whatever its format."""
    content = path.read_bytes()
    match path.suffix:
        case ".jsonl":
            return [json.loads(line) for line in content.splitlines()]
        case ".parquet":
            return pl.read_parquet(io.BytesIO(content)).to_dicts()
        case _:
            rows = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
            names = [name for name in rows[0] if name.startswith("topic_")]
            assert names == [f"topic_{k}" for k in range(3)]
            return [
                {
                    "id": row["id"],
                    "topics": [float(row[name]) for name in names],
                    "phrases": json.loads(row["phrases"]),
                }
                for row in rows
            ]


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
def test_shares_and_phrases_with_their_places(infer, model: Path, tmp_path: Path, ending: str) -> None:
    output = tmp_path / f"new{ending}"
    told = infer(output)
    documents = read(output)
    assert [each["id"] for each in documents] == ["1", "2", "4"]
    texts = [text for text in NEW if text]
    shares = load(model).transform(texts)
    for text, document, expected in zip(texts, documents, shares, strict=True):
        assert sum(document["topics"]) == pytest.approx(1)
        assert document["topics"] == pytest.approx(expected.tolist())
        for phrase in document["phrases"]:
            assert text[phrase["start"] : phrase["end"]] == phrase["text"]
            assert -1 <= phrase["topic"] < 3
    assert [each["text"] for each in documents[0]["phrases"]] == ["Support vector machines", "data streams"]
    assert [each["topic"] for each in documents[1]["phrases"]] == [-1, -1]
    assert [each["text"] for each in documents[2]["phrases"]] == ["kernel method", "frequent pattern mining"]
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
    documents = [{"text": "Data streams", "id": id} for id in ids]
    source = tmp_path / "new.jsonl"
    source.write_text("".join(json.dumps(each) + "\n" for each in documents), encoding="utf-8")
    for ending in (".csv", ".parquet"):
        infer(tmp_path / f"out{ending}", "--id-column", "id", source=source)
    written = [each["id"] for each in read(tmp_path / "out.csv")]
    assert written == [*(f"'{id}" for id in ids[:-1]), "1=1"]
    assert [each["id"] for each in read(tmp_path / "out.parquet")] == ids


def test_new_documents_are_read_as_the_model_s_were(infer, tmp_path: Path) -> None:
    corpus, new = tmp_path / "titles.txt", tmp_path / "german.txt"
    corpus.write_text("schöne häuser 12, die-stadt\n" * 30, encoding="utf-8")
    new.write_text("Die schönen Häuser! 12 die-stadt\n", encoding="utf-8")
    stops = tmp_path / "stops.txt"
    stops.write_text("die\n", encoding="utf-8")
    options = [
        "--language",
        "german",
        "--no-numbers",
        "--token-pattern",
        r"[\w-]+",
        "--stop-words",
        str(stops),
    ]
    german = tmp_path / "german"
    assert main(["run", str(corpus), *QUICK, *options, "--output", str(german), "--quiet"]) == 0
    assert "does not know" not in infer(tmp_path / "out.jsonl", source=new, of=german)
    (document,) = read(tmp_path / "out.jsonl")
    assert " ".join(each["text"] for each in document["phrases"]) == "schönen Häuser die-stadt"


def test_bad_input_leaves_nothing_behind(infer, tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("\n\n", encoding="utf-8")
    before = all_files(tmp_path)
    for output, given in (
        ("out.parquet", {"source": empty}),
        ("out.parquet", {"source": tmp_path / "absent.txt"}),
        ("out.parquet", {"source": empty, "of": tmp_path}),
        ("out.txt", {}),
    ):
        told = infer(tmp_path / output, code=2, **given)
        assert told.startswith("topminer: error: ")
        assert len(told.splitlines()) == 1
    assert all_files(tmp_path) == before


# Explaining with a model

TEXT = "The support vector machine of data streams"


def test_a_model_explains_a_text(model: Path, capsys) -> None:
    assert main(["explain", str(model), TEXT]) == 0
    assert "[support vector machine]" in capsys.readouterr().out
    assert main(["explain", str(model), TEXT, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["text"], found["threshold"], found["cut"]) == (TEXT, 2.0, 0.0)
    assert main(["explain", str(model), TEXT, "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("option", ["--significance 1", "--language german", "--no-stem"])
def test_a_model_has_its_own_words_and_phrases(model: Path, capsys, option: str) -> None:
    assert main(["explain", str(model), TEXT, *option.split()]) == 2
    assert "a model, which has its own words and phrases" in capsys.readouterr().err


def test_a_model_of_words_has_nothing_to_explain(capsys) -> None:
    assert main(["explain", str(stored("words")), TEXT]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("topminer: error: ")
    assert "nothing was merged" in err
