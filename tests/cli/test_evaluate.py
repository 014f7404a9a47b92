"""`topminer evaluate`, end to end."""

import json
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from runs import QUICK, all_files, texts, write_corpus


@pytest.fixture
def evaluate(titles_model: Path, topminer):
    """Run `topminer evaluate` with few sweeps, and return what it printed."""
    return partial(topminer, "evaluate", titles_model, "--sweeps", 5)


def test_measures_are_printed_and_nothing_is_written_into_the_model(evaluate, titles_model: Path) -> None:
    before, out = all_files(titles_model), evaluate()[0]
    said = ("NPMI words", "stability", "diversity of phrases", "held-out perplexity, LDA", "not by people")
    assert [each for each in said if each not in out] == []
    assert all_files(titles_model) == before


def test_the_same_again_to_the_byte(evaluate, tmp_path: Path) -> None:
    for name in ("one.json", "two.json"):
        out, err = evaluate("--output", tmp_path / name, "--format", "json")
        assert name in err
    written = (tmp_path / "one.json").read_bytes()
    assert written == (tmp_path / "two.json").read_bytes()
    found = json.loads(written)
    assert found == json.loads(out)
    assert (len(found["topics"]), found["settings"]["repeats"]) == (3, 3)
    assert 0 <= found["stability"] <= 1


def test_topics_as_csv_and_markdown(evaluate) -> None:
    head, *rows = evaluate("--no-perplexity", "--format", "csv", "--repeats", 1)[0].splitlines()
    coherence, more = "npmi_words,npmi_phrases,cv_words,cv_phrases", "documents,stability,nearest,similarity"
    assert head == f"topic,phrases,weight,{coherence},exclusivity,{more}"
    assert len(rows) == 4  # three topics and their mean
    markdown = evaluate("--no-perplexity", "--format", "markdown", "--seeds", 0)[0]  # an earlier name
    assert "| diversity of words |" in markdown


def test_a_gold_list_and_a_reference(evaluate, tmp_path: Path) -> None:
    gold, output = tmp_path / "gold.txt", tmp_path / "found.json"
    gold.write_text("data streams\nassociation rules\nstreams\nzymurgic algebra\n", encoding="utf-8")
    reference = write_corpus(tmp_path / "other.txt", 40)
    options = ["--gold", gold, "--reference", reference, "--seeds", 0, "--no-perplexity"]
    out, err = evaluate(*options, "--output", output)
    assert "good phrases" in out
    assert "gold: phrases with an unknown word: 1 (the corpus lacks it, so they can not occur)" in err
    assert "gold: single words: 1 (left out: fewer than two kept tokens)" in err
    quality = json.loads(output.read_text())["quality"][0]
    assert (quality["gold"], quality["recall"]) == ("gold", 1)


@pytest.mark.parametrize(("writes", "reads"), [("--forms", "--key"), ("--sheets", "--sheets")])
def test_forms_of_a_model_and_answers_to_them(evaluate, tmp_path: Path, writes: str, reads: str) -> None:
    """Also by the earlier name of both options."""
    folder, answers = tmp_path / "forms", tmp_path / "ben.csv"
    evaluate(writes, folder)
    assert (folder / "intrusion.html").exists()
    key = (folder / "key.csv").read_text(encoding="utf-8-sig").splitlines()
    answers.write_text("id,answer\n" + "".join(f"{line.split(',')[0]},?\n" for line in key[1:]))
    assert "intruders found" in evaluate(reads, folder, "--answers", answers)[0]
    assert "holds questions already" in evaluate(writes, folder, code=2)[1]
    assert "--key must name the folder" in evaluate("--answers", answers, code=2)[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--output x.txt", "ends with .json"),
        ("--gold nowhere.txt", "nowhere.txt"),
        ("--key nowhere --answers nobody.csv", "nowhere"),
    ],
)
def test_what_cannot_be_meant_is_refused(evaluate, arguments: str, message: str) -> None:
    assert message in evaluate(*arguments.split(), code=2)[1]


def test_no_model_is_refused(tmp_path: Path, topminer) -> None:
    assert str(tmp_path) in topminer("evaluate", tmp_path, code=2)[1]


def test_keyphrases_are_read_from_where_the_documents_came_from(tmp_path: Path, topminer) -> None:
    corpus, model, output = tmp_path / "papers.jsonl", tmp_path / "model", tmp_path / "found.json"
    keyphrases = ["data streams; association rules"] * 200
    pl.DataFrame({"text": texts(200), "keyphrases": keyphrases}).write_ndjson(corpus)
    topminer("run", corpus, "--text-column", "text", *QUICK, "--output", model)
    options = ["--keyphrases", "keyphrases", "--repeats", 1, "--no-perplexity", "--output", output]
    assert "documents' own keyphrases" in topminer("evaluate", model, *options)[0]
    assert json.loads(output.read_text())["quality"][0]["recall"] == 1
    corpus.unlink()
    assert "it is not there" in topminer("evaluate", model, *options, code=2)[1]
