"""`topminer evaluate`, end to end."""

import json
from pathlib import Path

import pytest
from runs import QUICK, all_files, texts, write_corpus

from topminer.cli import main

MORE = ["--sweeps", "5"]


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("evaluate")
    corpus = write_corpus(folder / "titles.txt")
    assert main(["run", str(corpus), *QUICK, "--output", str(folder / "model"), "--quiet"]) == 0
    return folder / "model"


def test_measures_are_printed_and_nothing_is_written_into_the_model(model: Path, capsys) -> None:
    before = all_files(model)
    assert main(["evaluate", str(model), *MORE]) == 0
    out = capsys.readouterr().out
    for said in (
        "NPMI words",
        "stability",
        "diversity of phrases",
        "held-out perplexity, LDA",
        "not by people",
    ):
        assert said in out
    assert all_files(model) == before


def test_the_same_again_to_the_byte(model: Path, tmp_path: Path, capsys) -> None:
    for name in ("one.json", "two.json"):
        assert (
            main(["evaluate", str(model), *MORE, "--output", str(tmp_path / name), "--format", "json"]) == 0
        )
        out, err = capsys.readouterr()
        assert name in err
    written = (tmp_path / "one.json").read_bytes()
    assert written == (tmp_path / "two.json").read_bytes()
    found = json.loads(written)
    assert found == json.loads(out)
    assert len(found["topics"]) == 3
    assert 0 <= found["stability"] <= 1
    assert found["settings"]["repeats"] == 3


def test_topics_as_csv_and_markdown(model: Path, capsys) -> None:
    given = ["evaluate", str(model), *MORE, "--no-perplexity", "--format"]
    assert main([*given, "csv", "--repeats", "1"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head == "topic,phrases,npmi_words,npmi_phrases,cv_words,cv_phrases,stability"
    assert len(rows) == 4  # three topics and their mean
    assert main([*given, "markdown", "--seeds", "0"]) == 0  # an earlier name, for fits beside the model
    assert "| diversity of words |" in capsys.readouterr().out


def test_a_gold_list_and_a_reference(model: Path, tmp_path: Path, capsys) -> None:
    gold = tmp_path / "gold.txt"
    gold.write_text("data streams\nassociation rules\nstreams\nzymurgic algebra\n", encoding="utf-8")
    reference = write_corpus(tmp_path / "other.txt", 40)
    output = tmp_path / "found.json"
    options = ["--gold", str(gold), "--reference", str(reference), "--seeds", "0", "--no-perplexity"]
    assert main(["evaluate", str(model), *options, "--output", str(output)]) == 0
    out, err = capsys.readouterr()
    assert "good phrases" in out
    assert "gold: phrases with an unknown word: 1 (the corpus lacks it, so they can not occur)" in err
    assert "gold: single words: 1 (left out: fewer than two kept tokens)" in err
    quality = json.loads(output.read_text())["quality"][0]
    assert quality["gold"] == "gold"
    assert quality["recall"] == 1


@pytest.mark.parametrize(("writes", "reads"), [("--forms", "--key"), ("--sheets", "--sheets")])
def test_forms_of_a_model_and_answers_to_them(
    model: Path, tmp_path: Path, capsys, writes: str, reads: str
) -> None:
    """Also by the earlier name of both options."""
    folder, answers = tmp_path / "forms", tmp_path / "ben.csv"
    assert main(["evaluate", str(model), writes, str(folder)]) == 0
    assert (folder / "intrusion.html").exists()
    key = (folder / "key.csv").read_text(encoding="utf-8-sig").splitlines()
    answers.write_text("id,answer\n" + "".join(f"{line.split(',')[0]},?\n" for line in key[1:]))
    capsys.readouterr()
    assert main(["evaluate", str(model), reads, str(folder), "--answers", str(answers)]) == 0
    assert "intruders found" in capsys.readouterr().out
    assert main(["evaluate", str(model), writes, str(folder)]) == 2
    assert "holds questions already" in capsys.readouterr().err
    assert main(["evaluate", str(model), "--answers", str(answers)]) == 2
    assert "--key must name the folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--output", "x.txt"], "ends with .json"),
        (["--gold", "nowhere.txt"], "nowhere.txt"),
        (["--key", "nowhere", "--answers", "nobody.csv"], "nowhere"),
    ],
)
def test_what_cannot_be_meant_is_refused(model: Path, capsys, arguments: list[str], message: str) -> None:
    assert main(["evaluate", str(model), *MORE, *arguments]) == 2
    assert message in capsys.readouterr().err


def test_no_model_is_refused(tmp_path: Path, capsys) -> None:
    assert main(["evaluate", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err


def test_keyphrases_are_read_from_where_the_documents_came_from(tmp_path: Path, capsys) -> None:
    corpus, model = tmp_path / "papers.jsonl", tmp_path / "model"
    documents = [{"text": text, "keyphrases": "data streams; association rules"} for text in texts(200)]
    corpus.write_text("".join(json.dumps(document) + "\n" for document in documents))
    given = ["run", str(corpus), "--text-column", "text", *QUICK, "--output", str(model), "--quiet"]
    assert main(given) == 0
    arguments = ["evaluate", str(model), "--keyphrases", "keyphrases", "--repeats", "1", "--no-perplexity"]
    arguments += ["--output", str(tmp_path / "found.json")]
    assert main(arguments) == 0
    assert "documents' own keyphrases" in capsys.readouterr().out
    assert json.loads((tmp_path / "found.json").read_text())["quality"][0]["recall"] == 1
    corpus.unlink()
    assert main(arguments) == 2
    assert "it is not there" in capsys.readouterr().err
