"""`topminer report`, end to end, and the report that `topminer run` writes."""

import json
import re
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from runs import all_files, model_files, texts, write_corpus

from topminer import load
from topminer.cli import main
from topminer.topics.results.labels import automatic_labels
from topminer.topics.results.own_labels import update_labels
from topminer.views.explorer.explorer import Explorer

RUN = ["--topics", "3", "--sweeps", "20", "--seed", "4", "--quiet"]
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.S)


def data_in(path: Path) -> dict[str, Any]:
    """The page data of a report."""
    (found,) = DATA.findall(path.read_text(encoding="utf-8"))
    return dict(json.loads(found))


def without_data(path: Path) -> str:
    return DATA.sub("", path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with the report that its run wrote."""
    folder = tmp_path_factory.mktemp("report")
    corpus = write_corpus(folder / "titles.txt")
    assert main(["run", str(corpus), *RUN, "--output", str(folder / "model")]) == 0
    return folder / "model"


@pytest.fixture
def model(fitted: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(fitted, tmp_path / "model"))


@pytest.fixture
def report(model: Path, topminer):
    """Run `topminer report` on the model, and return what it said."""

    def run(*arguments: object, code: int = 0) -> str:
        out, err = topminer("report", model, *arguments, code=code)
        assert out == ""
        return err

    return run


def refused(said: str) -> str:
    """The one line that says what was wrong."""
    assert said.count("\n") == 1 and said.startswith("topminer: error: ")
    return said


# -------------------------------------------------------------------------------------------- the file


def test_a_report_is_written_into_the_model(report, model: Path) -> None:
    target, before = model / "report.html", model_files(model)
    target.write_text("old", encoding="utf-8")
    assert f"Report written to {target}  (" in report().replace("\n", "")
    assert model_files(model) == before
    data = data_in(target)
    assert (data["title"], data["live"], data["n_documents"]) == ("titles", False, 300)
    assert len(data["topics"]) == 3
    assert "support vector machines" in {entry["text"] for entry in data["entries"]}
    assert {document["text"] for document in data["documents"]} <= set(texts())


def test_another_file_and_another_title(report, model: Path, tmp_path: Path) -> None:
    before, target = all_files(model), tmp_path / "über topics.HTML"
    assert str(target) in report("--output", target, "--title", "Titles <2003> & on").replace("\n", "")
    assert data_in(target)["title"] == "Titles <2003> & on"
    assert "<title>Titles &lt;2003&gt; &amp; on" in target.read_text(encoding="utf-8")
    assert report("--output", tmp_path / "short.htm", "--title", "a \udcff b", "--quiet") == ""
    assert data_in(tmp_path / "short.htm")["title"] == "a \udcff b"  # which no encoding has
    assert all_files(model) == before


def test_labels_are_used(report, model: Path, tmp_path: Path) -> None:
    automatic = automatic_labels(load(model))
    update_labels(model, lambda labels: labels.renamed(1, "my </script> topic"))
    report("--quiet")
    data = data_in(model / "report.html")
    assert [topic["label"] for topic in data["topics"]] == [automatic[0], "my </script> topic", automatic[2]]
    assert [topic["renamed"] for topic in data["topics"]] == [False, True, False]
    report("--charts", tmp_path / "charts", "--quiet")
    assert "my &lt;/script&gt; topic" in (tmp_path / "charts" / "map.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("content", [None, '{"seconds": 3, "versions": []}'])
def test_a_model_without_run_facts(report, model: Path, content: str | None) -> None:
    (model / "run.json").unlink()
    if content is not None:
        (model / "run.json").write_text(content, encoding="utf-8")
    report("--quiet")
    titles = [facts["title"] for facts in data_in(model / "report.html")["facts"]]
    assert titles == ["Corpus", "Phrases", "Topics", "Parameters"]


def test_it_loads_nothing_and_tells_no_place(model: Path) -> None:
    html = (model / "report.html").read_text(encoding="utf-8")
    assert not re.search(r'(src|href)="(?!#|data:)[^"]*"', html)
    assert str(model.parent) not in html


SECRETS = ("secret-folder", "secret-user", "secret-host", "secret-system")


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that is made to be given to others: reports, charts, exports, the page."""
    folder = tmp_path_factory.mktemp("secret-folder") / "secret-user"
    folder.mkdir()
    corpus, model, out = write_corpus(folder / "titles.txt"), folder / "model", folder / "out"
    corpus.write_bytes(corpus.read_bytes() + b"\xff is no UTF-8\n")
    out.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("platform.node", lambda: "secret-host")
        patch.setattr("platform.platform", lambda *_, **__: "secret-system")
        assert main(["run", str(corpus), *RUN, "--output", str(model), "--errors", "replace"]) == 0
        (model / "report.html").rename(out / "of-the-run.html")
        assert main(["report", str(model), "--output", str(out / "report.html"), "--quiet"]) == 0
        assert main(["report", str(model), "--charts", str(out / "charts"), "--quiet"]) == 0
        for to in ("csv", "json", "parquet", "markdown", "latex", "pyldavis"):
            assert main(["export", str(model), "--to", to, "--output", str(out / to), "--quiet"]) == 0
    with closing(Explorer(load(model), model)) as explorer:
        (out / "explorer.html").write_text(explorer.page(), encoding="utf-8")
        (out / "model.json").write_text(json.dumps(explorer.overview()), encoding="utf-8")
    return out


def test_nothing_that_is_given_to_others_names_a_folder_a_user_or_a_machine(published: Path) -> None:
    files = all_files(published)
    assert len(files) > 15
    for path, content in files.items():
        # Parquet compresses its texts: they are looked at as JSON.
        is_table = path.endswith(".parquet")
        said = pl.read_parquet(published / path).write_json() if is_table else content.decode("latin-1")
        assert not [secret for secret in SECRETS if secret in said], path


@pytest.mark.parametrize("name", ["of-the-run.html", "report.html"])
def test_a_report_names_the_corpus_file_only(published: Path, name: str) -> None:
    data = data_in(published / name)
    rows = {key: value for facts in data["facts"] for key, value in facts["rows"]}
    assert (data["title"], rows["source"]) == ("titles", "titles.txt")
    assert {"host", "platform", "ray_address"}.isdisjoint(rows)


# ------------------------------------------------------------------------------------------- refusals


def test_an_output_that_exists(report, tmp_path: Path) -> None:
    target = tmp_path / "mine.html"
    target.write_text("mine", encoding="utf-8")
    assert "exists already" in refused(report("--output", target, code=2))
    assert "ends with .html or .htm" in refused(report("--output", tmp_path / "report.pdf", code=2))
    assert target.read_text(encoding="utf-8") == "mine"
    report("--output", target, "--overwrite", "--quiet")
    assert data_in(target)["format"] == 1


def test_no_model(tmp_path: Path, topminer) -> None:
    for more in ([], ["--output", tmp_path / "a.html"], ["--charts", tmp_path / "charts"]):
        assert "no model here" in refused(topminer("report", tmp_path, *more, code=2)[1])
    assert list(tmp_path.iterdir()) == []


def test_labels_that_are_damaged(report, model: Path) -> None:
    before = (model / "report.html").read_bytes()
    (model / "labels.json").write_text("{", encoding="utf-8")
    assert "labels.json" in refused(report("--quiet", code=2))
    assert (model / "report.html").read_bytes() == before


# --------------------------------------------------------------------------------------------- charts


def test_charts(report, model: Path, tmp_path: Path) -> None:
    before, folder = all_files(model), tmp_path / "new" / "charts"
    assert "charts written to" in report("--charts", folder)
    names = ("map", "history", "weights", *(f"topic-{k}" for k in range(3)))
    files = all_files(folder)
    assert set(files) == {f"{name}.{ending}" for name in names for ending in ("svg", "png")}
    for name, content in files.items():
        assert content.startswith(b"\x89PNG") if name.endswith(".png") else b"<svg" in content[:100]
    assert all_files(model) == before


def test_charts_and_a_report_at_once(report, tmp_path: Path) -> None:
    for more in (["--output", tmp_path / "a.html"], ["--title", "x"]):
        said = refused(report("--charts", tmp_path / "charts", *more, code=2))
        assert "leave --output and --title out" in said
    assert not (tmp_path / "charts").exists()
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    assert "is a file" in refused(report("--charts", tmp_path / "file", code=2))
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


# ----------------------------------------------------------------------------------------- with a run


def test_a_run_writes_the_report_that_the_command_writes(report, fitted: Path, model: Path) -> None:
    report("--quiet")
    written, again = fitted / "report.html", model / "report.html"
    assert len(data_in(written)["facts"]) == 6
    assert (without_data(again), data_in(again)) == (without_data(written), data_in(written))


def test_two_runs_of_one_seed_differ_in_their_facts_alone(fitted: Path, tmp_path: Path, topminer) -> None:
    topminer("run", fitted.parent / "titles.txt", *RUN, "--threads", 1, "--output", tmp_path / "model")
    one, other = (path / "report.html" for path in (fitted, tmp_path / "model"))
    first, second = data_in(one), data_in(other)
    assert first.pop("facts")[:3] == second.pop("facts")[:3]
    assert json.dumps(first) == json.dumps(second)
    assert without_data(one) == without_data(other)


def test_a_run_without_a_report(fitted: Path, tmp_path: Path, topminer) -> None:
    directory = tmp_path / "model"
    run = ["run", fitted.parent / "titles.txt", *RUN[:-1], "--output", directory]
    assert "Report:" not in topminer(*run, "--no-report")[1]
    assert not (directory / "report.html").exists()
    assert f"Report: {directory / 'report.html'}" in topminer(*run, "--overwrite")[1]
    assert (directory / "report.html").exists()
    topminer(*run, "--overwrite", "--no-report")  # the report would be of another model
    assert not (directory / "report.html").exists()


def test_a_run_without_texts_and_phrases(fitted: Path, tmp_path: Path, topminer) -> None:
    run = ["run", fitted.parent / "titles.txt", *RUN, "--output", tmp_path / "model"]
    topminer(*run, "--no-texts", "--no-phrases")
    data = data_in(tmp_path / "model" / "report.html")
    assert not data["has_texts"]
    assert (data["documents"], data["threshold"], data["n_types"]) == ([], None, 0)


def test_times_make_trends(tmp_path: Path, topminer) -> None:
    table, model = tmp_path / "papers.v2.jsonl", tmp_path / "model"
    years = [1990 + i % 4 for i in range(120)]
    pl.DataFrame({"text": texts(120), "year": years}).write_ndjson(table)
    columns = ["--text-column", "text", "--time-column", "year"]
    topminer("run", table, *columns, *RUN, "--output", model)
    data = data_in(model / "report.html")
    assert (data["title"], data["periods"]) == ("papers.v2", ["1990", "1991", "1992", "1993"])
    topminer("report", model, "--charts", tmp_path / "charts", "--quiet")
    assert (tmp_path / "charts" / "trends.svg").exists()
