"""`topminer export`, end to end."""

import csv
import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from directories import bytes_of
from models import stored

from topminer import Corpus, ToPMine, load
from topminer.topics.results.own_labels import update_labels
from topminer.views.export import batches_of, pyldavis_json, with_times_as_texts

TABLES = {"csv": ".csv", "json": ".jsonl", "parquet": ".parquet"}
HOSTILE = [
    '=cmd|x -1+1 @a "q,q" it\'s',
    "50% & #1 $x_1^2$ ~ \\input{/etc/passwd} <script>",
    "a\tb\rc\0d\n\u202eevil 机器翻译 👩‍🔬",
]


@pytest.fixture(scope="module")
def model() -> Path:
    return stored()  # of documents with names and times


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> Path:
    """A model of a corpus whose words, names and texts would all be obeyed, if they could."""
    directory = tmp_path_factory.mktemp("hostile") / "m_1 & $x"
    texts = HOSTILE * 20
    ids = [f'=id {i}\0\r"x",\n' for i in range(len(texts))]
    corpus = Corpus.from_texts([*texts, ""], None, False, token_pattern=r"[^ ]+", ids=[*ids, "-empty"])
    ToPMine(2, n_sweeps=10, random_state=0, quality=None).fit(corpus).save(directory)
    return directory


@pytest.fixture
def export(model: Path, tmp_path: Path, topminer, monkeypatch):
    """Run `topminer export` in a folder of its own, and return what it printed and said."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object, of: Path = model, code: int = 0) -> tuple[str, str]:
        printed = topminer("export", of, *arguments, code=code)
        assert not [path for path in tmp_path.rglob(".*")]  # nothing unfinished
        return printed

    return run


def read(path: Path) -> list[dict]:
    """The rows of a table; of a .csv as texts."""
    match path.suffix:
        case ".jsonl":
            return [json.loads(line) for line in path.read_bytes().splitlines()]
        case ".parquet":
            return pl.read_parquet(path).to_dicts()
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# Tables


@pytest.mark.parametrize("to", TABLES)
def test_a_folder_of_tables(export, model: Path, to: str) -> None:
    out, err = export("--to", to)
    fitted, folder = load(model), Path(f"model-{to}")
    said = [f"4 topics written to {folder / 'topics'}{'.json' if to == 'json' else TABLES[to]}"]
    for part in ("documents", "phrases", "segments"):
        batches, n_rows, unit = batches_of(fitted, part, flat=to == "csv")
        expected, path = pl.concat(batches), folder / f"{part}{TABLES[to]}"
        said.append(f"{n_rows:,} {unit} written to {path}")
        if to == "parquet":
            assert pl.read_parquet(path).equals(expected)
        else:
            (expected,) = with_times_as_texts([expected], fitted.corpus_.times)
            read = pl.read_csv if to == "csv" else pl.read_ndjson
            assert read(path, schema=expected.schema).equals(expected)
    assert (out, err.splitlines()) == ("", said)
    assert len(list(folder.iterdir())) == 4


def test_times_of_documents(export) -> None:
    for to in ("csv", "json"):
        export("--to", to, "--only", "documents", "--output", "out")
        rows = read(Path(f"out/documents{TABLES[to]}"))
        assert list(rows[0]) == ["id", "time", *(f"topic_{k}" for k in range(4))]
        assert [row["time"] or None for row in rows[:3]] == [None, "2000-01-01", "2001-01-01"]


@pytest.mark.parametrize("more", [[], ["--all"]])
def test_topics(export, model: Path, topminer, more: list[str]) -> None:
    for to in TABLES:
        export("--to", to, "--only", "topics", "--n-words", 4, "--n-phrases", 2, *more, "--output", "out")
    shown = ["topics", model, "--words", "4", "--phrases", "2", *more, "--format"]
    assert Path("out/topics.csv").read_text(encoding="utf-8") == topminer(*shown, "csv")[0]
    assert json.loads(Path("out/topics.json").read_bytes()) == json.loads(topminer(*shown, "json")[0])
    rows = read(Path("out/topics.parquet"))
    assert [{name: str(value) for name, value in row.items()} for row in rows] == read(Path("out/topics.csv"))
    assert len(rows) <= 4 * 6


@pytest.mark.parametrize("to", TABLES)
def test_batches_make_no_difference(export, monkeypatch, to: str) -> None:
    export("--to", to, "--output", "whole")
    monkeypatch.setattr("topminer.phrases.document_slices.DOCUMENTS", 7)
    monkeypatch.setattr("topminer.views.export.CELLS", 30)
    monkeypatch.setattr("topminer.views.export.PAIRS", 3)
    export("--to", to, "--output", "slices")
    for path in sorted(Path("whole").iterdir()):
        other = Path("slices") / path.name
        if to == "parquet":
            assert pl.read_parquet(path).equals(pl.read_parquet(other))
        else:
            assert path.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("to", TABLES)
def test_a_hostile_corpus(export, hostile: Path, to: str) -> None:
    export("--to", to, "--output", "out", of=hostile)
    fitted, ending = load(hostile), TABLES[to]
    apostrophe = "'" if to == "csv" else ""
    documents = read(Path(f"out/documents{ending}"))
    assert [row["id"] for row in documents] == [f"{apostrophe}{each}" for each in fitted.corpus_.ids]
    segments = read(Path(f"out/segments{ending}"))
    if to == "csv":
        for table in ("topics", "documents", "phrases", "segments"):
            for row in read(Path(f"out/{table}.csv")):
                texts = (value for name, value in row.items() if name in ("id", "text", "phrase", "stems"))
                assert not any(text.startswith(("=", "+", "-", "@", "\t", "\r")) for text in texts)
        assert segments[0]["text"] == f"'{HOSTILE[0]}"
    else:
        assert [row["text"] for row in segments] == fitted.corpus_.texts.to_list()
        assert segments[-1]["phrases"] == []
    phrases = {row["phrase"] for row in read(Path(f"out/phrases{ending}"))}
    assert any("\u202e" in phrase for phrase in phrases)
    assert any('"q,q"' in phrase for phrase in phrases)


@pytest.mark.parametrize("to", TABLES)
def test_a_model_without_texts(export, to: str) -> None:
    assert "no texts" not in export("--to", to, "--only", "topics", of=stored("textless"))[1]
    _, err = export("--to", to, "--output", "out", of=stored("textless"))
    assert "the model has no texts" in err.splitlines()[-1]
    first = read(Path(f"out/segments{TABLES[to]}"))[0]
    if to == "csv":
        assert list(first) == ["id", "start", "end", "surface", "topic"]
    else:
        assert list(first) == ["id", "phrases"]
        assert list(first["phrases"][0]) == ["surface", "start", "end", "topic"]


# One file


def test_markdown(export, model: Path, topminer) -> None:
    assert export("--to", "markdown")[1] == "4 topics written to model.md\n"
    shown = topminer("topics", model, "--format", "markdown")[0]
    assert Path("model.md").read_text(encoding="utf-8") == shown
    assert export("--to", "markdown", "--output", "-") == (shown, "")


def test_latex(export, model: Path, tmp_path: Path) -> None:
    shutil.copytree(model, tmp_path / "named")
    update_labels(tmp_path / "named", lambda labels: labels.renamed(1, "R&D"))
    export("--to", "latex", "--n-words", 3, "--n-phrases", 2, "--output", "topics.tex", of=tmp_path / "named")
    latex = Path("topics.tex").read_text(encoding="utf-8")
    rows = [line for line in latex.splitlines() if line.endswith(r" \\")]
    assert len(rows) == 1 + 3 + 2
    assert rows[0] == r" & Topic 0 & Topic 1: R\&D & Topic 2 & Topic 3 \\"
    assert r"\caption{Topics 0 to 3 of named: " in latex
    earlier = ["--words", 3, "--phrases", 2]  # spellings
    assert export("--to", "latex", *earlier, "--output", "-", of=tmp_path / "named") == (latex, "")


def test_latex_of_a_hostile_corpus(export, hostile: Path) -> None:
    latex, _ = export("--to", "latex", "--output", "-", of=hostile)
    assert r"of m\_1 \& \$x: " in latex
    assert r"\input{/etc" not in latex
    assert r"\textbackslash{}input\{/etc/passwd\}" in latex
    assert "机器翻译" in latex
    assert not set(latex) & set("\0\r\t\u202e")


def test_pyldavis(export, model: Path) -> None:
    assert export("--to", "pyldavis")[1] == "4 topics written to model-pyldavis.json\n"
    content = Path("model-pyldavis.json").read_text(encoding="ascii")
    assert content == "".join(pyldavis_json(load(model)))
    assert export("--to", "pyldavis", "--output", "-") == (content, "")


def test_pyldavis_of_one_topic(export, tmp_path: Path) -> None:
    _, err = export("--to", "pyldavis", of=stored("one_topic"), code=2)
    assert err == "topminer: error: pyLDAvis draws a map of topics: it needs 2 or more, not 1\n"
    assert list(tmp_path.iterdir()) == []


# What is refused


@pytest.mark.parametrize("to", [*TABLES, "markdown", "latex", "pyldavis"])
def test_files_that_exist(export, tmp_path: Path, to: str) -> None:
    assert export("--to", to, "--quiet") == ("", "")
    before = bytes_of(tmp_path)
    assert "exists already; --overwrite replaces it" in export("--to", to, code=2)[1]
    for path in map(Path, before):
        path.write_text("old", encoding="utf-8")
    assert export("--to", to, "--overwrite", "--quiet") == ("", "")
    after = bytes_of(tmp_path)
    assert sorted(after) == sorted(before) if to == "parquet" else after == before


def test_a_folder_that_has_other_files(export, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine", encoding="utf-8")
    export("--to", "csv", "--output", "out", "--only", "topics")
    export("--to", "csv", "--output", "out", "--only", "phrases, documents")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["documents.csv", "mine.txt", "phrases.csv", "topics.csv"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--to xml", "invalid value for '--to'"),
        ("", "missing option '--to'"),
        ("--to csv --only words", "--only must be some of topics, documents, phrases, segments"),
        ("--to csv --only ,", "--only must be some of"),
        ("--to latex --only topics", "--only chooses tables of csv, json and parquet; latex is one file"),
        ("--to csv --output -", "tables are written to a folder, not to standard output"),
        ("--to csv --output file.txt", "file.txt: is a file; expected a folder"),
        ("--to csv --output absent/out", "there is no folder absent to write to"),
        ("--to latex --output absent/out.tex", "there is no folder absent to write to"),
        ("--to latex --output folder", "folder: is a folder; expected the name of a file"),
    ],
)
def test_what_cannot_be_meant(export, tmp_path: Path, arguments: str, message: str) -> None:
    (tmp_path / "file.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    before = bytes_of(tmp_path)
    out, err = export(*arguments.split(), code=2)
    assert out == "" and message in err
    assert bytes_of(tmp_path) == before


@pytest.mark.parametrize("to", ["csv", "latex"])
def test_no_model(export, tmp_path: Path, to: str) -> None:
    _, err = export("--to", to, of=tmp_path, code=2)
    assert err == f"topminer: error: {tmp_path}: no model here (there is no model.json)\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("to", TABLES)
def test_a_failure_leaves_nothing_half_written(export, tmp_path: Path, monkeypatch, to: str) -> None:
    def full(model: object):
        yield pl.DataFrame({"id": ["1"]})
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("topminer.views.export.document_topics", full)
    _, err = export("--to", to, "--only", "documents", "--output", "out", code=2)
    assert "cannot be written: No space left on device" in err
    assert list(tmp_path.iterdir()) == []
