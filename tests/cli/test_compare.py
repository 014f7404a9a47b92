"""`topminer compare`, end to end."""

import json
import signal
from functools import partial
from pathlib import Path

import pytest
from clocks import ticking
from runs import all_files, texts, write_corpus

from topminer.cli import main
from topminer.evaluation import compare as module
from topminer.methods import TNG
from topminer.methods.stopwatch import Stopwatch

QUICK = ["--topics", "2", "--sweeps", "5", "--min-support", "3"]


@pytest.fixture(scope="module")
def compared(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("compare")
    corpus = write_corpus(folder / "titles.txt", 200)
    gold = folder / "gold.txt"
    gold.write_text("support vector machines\ndata streams\nno such thing\n", encoding="utf-8")
    arguments = [str(corpus), *QUICK, "--gold", str(gold), "--output", str(folder / "compared"), "--quiet"]
    assert main(["compare", *arguments]) == 0
    return folder / "compared"


def test_the_file_is_as_documented(compared: Path) -> None:
    data = json.loads((compared / "compare.json").read_text())
    names = [method["name"] for method in data["methods"]]
    assert names == ["topmine", "paper", "lda", "kert", "tng", "turbo", "pdlda"]
    for method in data["methods"]:
        assert method["seconds"] > 0
        assert method["extrapolated"] is False
        assert len(method["topics"]) == 2
        assert all(isinstance(text, str) for topic in method["topics"] for text in topic["phrases"])


def test_options_hold_for_topmine_and_not_for_the_paper(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "titles.txt", 200)
    arguments = ["--topics", "2", "--sweeps", "3", "--no-perplexity", "--no-scaling", "--quiet"]

    def found(folder: str, *options: str) -> dict[str, set[str]]:
        output = tmp_path / folder
        given = [*arguments, "--methods", "topmine,paper", *options, "--output", str(output)]
        assert main(["compare", str(corpus), *given]) == 0
        methods = json.loads((output / "compare.json").read_text())["methods"]
        return {
            each["title"]: {text for topic in each["topics"] for text in topic["phrases"]} for each in methods
        }

    again = found("again", "--paper")
    assert again["ToPMine"] == again["ToPMine (paper)"] != set()
    strict = found("strict", "--quality", "100", "--significance", "1")
    assert strict["ToPMine"] == set()
    assert strict["ToPMine (paper)"] == again["ToPMine (paper)"]


def test_one_page_tells_all(compared: Path) -> None:
    page = (compared / "compare.html").read_text()
    for said in ("ToPMine", "Turbo Topics", "PD-LDA", "support vector machines", "gold"):
        assert said in page
    assert "http://" not in page.replace("http://www.w3.org", "")


def test_sheets_for_people_tell_no_method(compared: Path) -> None:
    sheets = compared / "sheets"
    names = {path.name for path in sheets.iterdir()}
    assert names == {
        "intrusion.html",
        "intrusion.csv",
        "key.csv",
        "ratings.html",
        "ratings.csv",
        "ratings_key.csv",
    }
    for name in ("intrusion.html", "intrusion.csv", "ratings.html", "ratings.csv"):
        assert "topmine" not in (sheets / name).read_text().lower()


def test_peoples_answers_come_into_the_page(compared: Path, tmp_path: Path, capsys) -> None:
    key = (compared / "sheets" / "key.csv").read_text(encoding="utf-8-sig").splitlines()
    header = key[0].split(",")
    rows = [dict(zip(header, line.split(","), strict=True)) for line in key[1:]]
    right = tmp_path / "anna.csv"
    right.write_text("id,answer\n" + "".join(f"{row['id']},{row['intruder']}\n" for row in rows))
    assert main(["evaluate", str(compared), "--answers", str(right), "--json"]) == 0
    people = json.loads(capsys.readouterr().out)
    assert people["annotators"] == ["anna"]
    assert all(each["share"] == 1 for each in people["intrusion"].values())
    assert json.loads((compared / "compare.json").read_text())["people"] == people
    assert "anna" in (compared / "compare.html").read_text()


def test_ratings_come_into_the_page(compared: Path, tmp_path: Path, capsys) -> None:
    key = (compared / "sheets" / "ratings_key.csv").read_text(encoding="utf-8-sig").splitlines()
    rows = [line.split(",")[:2] for line in key[1:]]
    rated = tmp_path / "expert.csv"
    lines = [
        f"{id},{9 if method == 'topmine' else 2},{8 if method == 'topmine' else 3}" for id, method in rows
    ]
    rated.write_text("\n".join(["id,coherence,quality", *lines]) + "\n")
    assert main(["evaluate", str(compared), "--ratings", str(rated)]) == 0
    assert "coherence (z)" in capsys.readouterr().out
    ratings = json.loads((compared / "compare.json").read_text())["people"]["ratings"]
    assert ratings["coherence"]["topmine"] > 0 > ratings["coherence"]["tng"]


def test_a_table_in_the_terminal(tmp_path: Path, capsys) -> None:
    corpus = write_corpus(tmp_path / "titles.txt", 60)
    arguments = [
        "compare",
        str(corpus),
        *QUICK,
        "--methods",
        "lda,topmine",
        "--no-perplexity",
        "--no-scaling",
    ]
    assert main([*arguments, "--output", str(tmp_path / "out")]) == 0
    out, err = capsys.readouterr()
    assert "ToPMine" in out
    assert "× LDA" in out
    assert "not by people" in out
    assert "compare.html" in err
    assert main([*arguments, "--output", str(tmp_path / "out")]) == 2
    assert "holds a comparison already; --overwrite replaces it" in capsys.readouterr().err
    for format, start in (
        ("csv", "method,extrapolated,seconds,ratio,npmi_words"),
        ("markdown", "|  |  | time |"),
    ):
        assert main([*arguments, "--output", str(tmp_path / "out"), "--overwrite", "--format", format]) == 0
        assert capsys.readouterr().out.startswith(start)


def test_a_method_over_its_budget_is_marked(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(module, "Stopwatch", partial(Stopwatch, clock=ticking()))
    corpus = write_corpus(tmp_path / "titles.txt", 60)
    arguments = ["--topics", "2", "--sweeps", "10000000", "--budget", "10", "--methods", "lda,tng"]
    arguments += ["--no-perplexity", "--no-scaling"]
    assert main(["compare", str(corpus), *arguments, "--output", str(tmp_path / "out")]) == 0
    assert "~ extrapolated" in capsys.readouterr().out
    data = json.loads((tmp_path / "out" / "compare.json").read_text())
    assert all(method["extrapolated"] for method in data["methods"])


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
def test_what_cannot_be_meant_is_refused(tmp_path: Path, capsys, arguments: list[str], message: str) -> None:
    corpus = write_corpus(tmp_path / "titles.txt", 20)
    given = ["compare", str(corpus), "--topics", "2", "--output", str(tmp_path / "out"), *arguments]
    assert main(given) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_model_is_not_written_over(tmp_path: Path, capsys) -> None:
    corpus = write_corpus(tmp_path / "titles.txt", 20)
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.json").write_text("{}")
    assert main(["compare", str(corpus), *QUICK, "--output", str(tmp_path / "model"), "--overwrite"]) == 2
    assert "holds a model" in capsys.readouterr().err


def test_keyphrases_of_documents_are_one_more_list(tmp_path: Path, capsys) -> None:
    corpus = tmp_path / "papers.jsonl"
    documents = [{"text": text, "keyphrases": ["data streams"]} for text in texts(100)]
    corpus.write_text("".join(json.dumps(document) + "\n" for document in documents))
    arguments = [
        *QUICK,
        "--methods",
        "topmine",
        "--keyphrases",
        "keyphrases",
        "--no-perplexity",
        "--no-scaling",
    ]
    given = ["compare", str(corpus), "--text-column", "text", *arguments, "--output", str(tmp_path / "out")]
    assert main([*given, "--quiet"]) == 0
    (method,) = json.loads((tmp_path / "out" / "compare.json").read_text())["methods"]
    (quality,) = method["quality"]
    assert quality["gold"] == "documents' own keyphrases"
    assert quality["recall"] == 1
    assert main(["compare", "-", *QUICK, "--keyphrases", "k", "--output", str(tmp_path / "other")]) == 2
    assert "give a file, not standard input" in capsys.readouterr().err


def test_whoever_interrupts_has_what_there_was(
    tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(TNG, "fit", interrupted)
    corpus = write_corpus(tmp_path / "titles.txt", 60)
    assert (
        main(["compare", str(corpus), *QUICK, "--methods", "lda,tng", "--output", str(tmp_path / "out")])
        == 130
    )
    assert "Unfinished. What there is:" in capsys.readouterr().err
    methods = json.loads((tmp_path / "out" / "compare-unfinished.json").read_text())["methods"]
    assert methods[0]["name"] == "lda"
    assert methods[0]["seconds"] > 0


@pytest.mark.parametrize("failing", ["tng", "page", "sheets"])
def test_an_earlier_comparison_stays_until_the_new_one_is_complete(
    tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        signal.raise_signal(signal.SIGINT)

    corpus, output = write_corpus(tmp_path / "titles.txt", 60), tmp_path / "out"
    arguments = ["compare", str(corpus), *QUICK, "--no-perplexity", "--no-scaling", "--output", str(output)]
    assert main([*arguments, "--methods", "lda"]) == 0
    earlier = all_files(output)
    match failing:
        case "tng":
            monkeypatch.setattr(TNG, "fit", interrupted)
        case "page":
            monkeypatch.setattr("topminer.views.comparison.comparison_page", interrupted)
        case "sheets":
            monkeypatch.setattr("topminer.views.forms.rating_form", interrupted)
    assert main([*arguments, "--methods", "lda,tng", "--overwrite"]) == 130
    left = all_files(output)
    del left["compare-unfinished.json"]
    assert left == earlier
    monkeypatch.undo()
    assert main([*arguments, "--methods", "lda,topmine", "--overwrite"]) == 0
    assert all_files(output).keys() == earlier.keys()
    methods = json.loads((output / "compare.json").read_text())["methods"]
    assert [method["name"] for method in methods] == ["lda", "topmine"]
