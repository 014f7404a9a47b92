"""`topminer compare`, end to end."""

import csv
import json
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from clocks import ticking
from runs import all_files, texts, write_corpus

from topminer.cli import main
from topminer.errors import InputError
from topminer.evaluation import compare as module
from topminer.methods import TNG
from topminer.methods.registry import METHODS
from topminer.methods.stopwatch import Stopwatch

QUICK = ["--topics", "2", "--sweeps", "5", "--min-support", "3"]
BRIEF = [*QUICK, "--no-perplexity", "--no-scaling"]


def run(corpus: Path | str, output: Path, *options: str) -> int:
    return main(["compare", str(corpus), "--output", str(output), *options])


def methods_in(output: Path, file: str = "compare.json") -> list[dict[str, Any]]:
    methods: list[dict[str, Any]] = json.loads((output / file).read_text())["methods"]
    return methods


@pytest.fixture
def titles(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "titles.txt", 60)


@pytest.fixture(scope="module")
def compared(tmp_path_factory) -> Path:
    """Three of the methods: tests/evaluation/test_compare_methods.py runs them all."""
    folder = tmp_path_factory.mktemp("compare")
    corpus = write_corpus(folder / "titles.txt", 200)
    gold = folder / "gold.txt"
    gold.write_text("support vector machines\ndata streams\nno such thing\n", encoding="utf-8")
    options = [*QUICK, "--methods", "topmine,lda,tng", "--gold", str(gold), "--quiet"]
    assert run(corpus, folder / "compared", *options) == 0
    return folder / "compared"


def test_the_file_is_as_documented(compared: Path) -> None:
    methods = methods_in(compared)
    assert [method["name"] for method in methods] == ["topmine", "lda", "tng"]
    for method in methods:
        assert method["seconds"] > 0
        assert method["extrapolated"] is False
        assert len(method["topics"]) == 2
        assert all(isinstance(text, str) for topic in method["topics"] for text in topic["phrases"])


def test_all_methods_are_run_by_default(titles: Path, tmp_path: Path, monkeypatch) -> None:
    def fit(*_: object, **__: object) -> None:
        raise InputError("no memory")

    for method in METHODS.values():
        monkeypatch.setattr(method, "fit", fit)
    assert run(titles, tmp_path / "out", *BRIEF) == 0
    methods = methods_in(tmp_path / "out")
    assert [(method["name"], method["failed"]) for method in methods] == [
        (name, "no memory") for name in ("topmine", "paper", "lda", "kert", "tng", "turbo", "pdlda")
    ]


def test_options_hold_for_topmine_and_not_for_the_paper(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "titles.txt", 200)
    arguments = ["--topics", "2", "--sweeps", "3", "--no-perplexity", "--no-scaling", "--quiet"]

    def found(folder: str, *options: str) -> dict[str, set[str]]:
        assert run(corpus, tmp_path / folder, *arguments, "--methods", "topmine,paper", *options) == 0
        methods = methods_in(tmp_path / folder)
        return {
            each["title"]: {text for topic in each["topics"] for text in topic["phrases"]} for each in methods
        }

    again = found("again", "--paper")
    assert again["ToPMine"] == again["ToPMine (paper)"] != set()
    strict = found("strict", "--quality", "100", "--significance", "1")
    assert strict["ToPMine"] == set()
    assert strict["ToPMine (paper)"] == again["ToPMine (paper)"]


def test_one_page_tells_all_and_sheets_for_people_tell_no_method(compared: Path) -> None:
    page = (compared / "compare.html").read_text()
    for said in ("ToPMine", "TNG", "support vector machines", "gold"):
        assert said in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    blind = {"intrusion.html", "intrusion.csv", "ratings.html", "ratings.csv"}
    sheets = {path.name: path.read_text().lower() for path in (compared / "sheets").iterdir()}
    assert sheets.keys() == blind | {"key.csv", "ratings_key.csv"}
    assert not any("topmine" in sheets[name] for name in blind)


def key_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_answers_and_ratings_come_into_the_page(compared: Path, tmp_path: Path, capsys) -> None:
    asked = key_rows(compared / "sheets" / "key.csv")
    right = tmp_path / "anna.csv"
    right.write_text("id,answer\n" + "".join(f"{row['id']},{row['intruder']}\n" for row in asked))
    assert main(["evaluate", str(compared), "--answers", str(right), "--json"]) == 0
    people = json.loads(capsys.readouterr().out)
    assert people["annotators"] == ["anna"]
    assert all(each["share"] == 1 for each in people["intrusion"].values())
    assert json.loads((compared / "compare.json").read_text())["people"] == people
    assert "anna" in (compared / "compare.html").read_text()

    lists = key_rows(compared / "sheets" / "ratings_key.csv")
    rated = tmp_path / "expert.csv"
    lines = [f"{row['id']},{'9,8' if row['method'] == 'topmine' else '2,3'}" for row in lists]
    rated.write_text("\n".join(["id,coherence,quality", *lines]) + "\n")
    assert main(["evaluate", str(compared), "--ratings", str(rated)]) == 0
    assert "coherence (z)" in capsys.readouterr().out
    ratings = json.loads((compared / "compare.json").read_text())["people"]["ratings"]
    assert ratings["coherence"]["topmine"] > 0 > ratings["coherence"]["tng"]


def test_a_table_in_the_terminal(titles: Path, tmp_path: Path, capsys) -> None:
    arguments = titles, tmp_path / "out", *BRIEF, "--methods", "lda,topmine"
    assert run(*arguments) == 0
    out, err = capsys.readouterr()
    assert all(said in out for said in ("ToPMine", "× LDA", "not by people"))
    assert "compare.html" in err
    assert run(*arguments) == 2
    assert "holds a comparison already; --overwrite replaces it" in capsys.readouterr().err
    for format, start in (
        ("csv", "method,extrapolated,seconds,ratio,npmi_words"),
        ("markdown", "|  |  | time |"),
    ):
        assert run(*arguments, "--overwrite", "--format", format) == 0
        assert capsys.readouterr().out.startswith(start)


def test_a_method_over_its_budget_is_marked(titles: Path, tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(module, "Stopwatch", partial(Stopwatch, clock=ticking()))
    options = ["--sweeps", "10000000", "--budget", "10", "--methods", "lda,tng"]
    assert run(titles, tmp_path / "out", *BRIEF, *options) == 0
    assert "~ extrapolated" in capsys.readouterr().out
    assert all(method["extrapolated"] for method in methods_in(tmp_path / "out"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--methods", "lda,nmf"], "there is no 'nmf'; expected some of topmine, paper, lda"),
        (["--methods", ","], "expected some of topmine"),
        (["--topics", "100000"], "less than or equal to 65535"),
        (["--topics", "60000"], "60,000 topics are more than"),
        (["--gold", "nowhere.txt"], "nowhere.txt"),
        (["--significance", "-1"], "greater than or equal to 0"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    titles: Path, tmp_path: Path, capsys, arguments: list[str], message: str
) -> None:
    assert run(titles, tmp_path / "out", "--topics", "2", *arguments) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_model_is_not_written_over(titles: Path, tmp_path: Path, capsys) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.json").write_text("{}")
    assert run(titles, tmp_path / "model", *QUICK, "--overwrite") == 2
    assert "holds a model" in capsys.readouterr().err


def test_keyphrases_of_documents_are_one_more_list(tmp_path: Path, capsys) -> None:
    corpus = tmp_path / "papers.jsonl"
    documents = [{"text": text, "keyphrases": ["data streams"]} for text in texts(100)]
    corpus.write_text("".join(json.dumps(document) + "\n" for document in documents))
    options = ["--text-column", "text", "--methods", "topmine", "--keyphrases", "keyphrases", "--quiet"]
    assert run(corpus, tmp_path / "out", *BRIEF, *options) == 0
    (method,) = methods_in(tmp_path / "out")
    (quality,) = method["quality"]
    assert quality["gold"] == "documents' own keyphrases"
    assert quality["recall"] == 1
    assert run("-", tmp_path / "other", *QUICK, "--keyphrases", "k") == 2
    assert "give a file, not standard input" in capsys.readouterr().err


INTERRUPTED = {
    "tng": (TNG, "fit"),
    "page": ("topminer.views.comparison.comparison_page",),
    "sheets": ("topminer.views.forms.rating_form",),
}


@pytest.mark.parametrize("failing", INTERRUPTED)
def test_an_earlier_comparison_stays_until_the_new_one_is_complete(
    titles: Path, tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        signal.raise_signal(signal.SIGINT)

    options, output = [*BRIEF, "--overwrite", "--methods"], tmp_path / "out"
    assert run(titles, output, *options, "lda") == 0
    earlier = all_files(output)
    monkeypatch.setattr(*INTERRUPTED[failing], interrupted)
    for folder in (tmp_path / "new", output):
        assert run(titles, folder, *options, "lda,tng") == 130
        assert ("Unfinished. What there is:" in capsys.readouterr().err) == (failing == "tng")
        first = methods_in(folder, "compare-unfinished.json")[0]
        assert first["name"] == "lda" and first["seconds"] > 0
    left = all_files(output)
    del left["compare-unfinished.json"]
    assert left == earlier
    monkeypatch.undo()
    assert run(titles, output, *options, "lda,topmine") == 0
    assert all_files(output).keys() == earlier.keys()
    assert [method["name"] for method in methods_in(output)] == ["lda", "topmine"]
