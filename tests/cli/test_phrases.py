"""`topminer phrases`, end to end, and its pages."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from topminer.cli import files, main
from topminer.cli.findings import Findings, TopPhrases
from topminer.cli.options import RunOptions
from topminer.cli.phrase_options import PhraseOptions
from topminer.errors import InputError
from topminer.phrases.miner import PhraseMiner
from topminer.phrases.sweep import Example, Extent, SweepStep, threshold_sweep
from topminer.text.corpus import Corpus

TITLES = [
    "Mining frequent patterns without candidate generation",
    "Support vector machines for text",
    "Support vector machines, and frequent patterns 🎉",
    "The state of the art",
    "A survey of methods",
    "Words of other kinds",
]


@pytest.fixture
def titles(tmp_path: Path) -> Path:
    path = tmp_path / "titles.txt"
    path.write_text("\n".join(TITLES * 25) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def run(titles: Path, capsys):
    """Run `topminer phrases` on the titles, and return what it printed."""

    def phrases(*arguments: object, code: int = 0) -> tuple[str, str]:
        assert main(["phrases", str(titles), *map(str, arguments)]) == code
        return capsys.readouterr()

    return phrases


@pytest.fixture
def mined(titles: Path) -> PhraseMiner:
    return PhraseMiner().fit(Corpus.read(titles))


# What is shown


def test_the_top_phrases_and_the_facts_above_them(run) -> None:
    shown = run()[0]
    for text in (
        "titles.txt",
        "150  documents",
        "each 5 times or more",
        "Support vector machines",
        "state of the art",
    ):
        assert text in shown
    assert "No phrase" in run("--significance", 1000)[0]
    assert json.loads(run("--significance", 1000, "--json", "--by-length")[0])["phrases"] == []


def test_json_holds_what_is_shown(run, mined: PhraseMiner) -> None:
    found = json.loads(run("--json")[0])
    table = mined.phrases_
    with_instances = table.filter(pl.col("instances") > 0)
    assert (found["n_documents"], found["n_kept"]) == (150, mined.fitted.corpus.n_tokens)
    assert (found["min_support"], found["significance"], found["quality"]) == (5, 2.0, 0.0)
    assert (found["max_length"], found["reached_max_length"]) == (None, False)
    assert (found["n_phrases"], found["n_types"]) == (len(table), len(with_instances))
    assert found["n_instances"] == with_instances["instances"].sum()
    inside = (with_instances["instances"] * with_instances["length"]).sum()
    assert found["coverage"] == pytest.approx(inside / mined.fitted.corpus.n_tokens)
    assert found["phrases"] == with_instances.head(30).to_dicts()


@pytest.mark.parametrize("order", ["instances", "support", "evidence", "significance", "quality"])
def test_the_order_and_the_number(run, mined: PhraseMiner, order: str) -> None:
    found = json.loads(run("--json", "--order", order, "--top", 4)[0])["phrases"]
    assert len(found) == 4
    best = mined.phrases_[order].drop_nulls().sort(descending=True).head(4).to_list()
    assert [row[order] for row in found] == best


@pytest.mark.parametrize(
    ("options", "head"),
    [
        (["--n-phrases", "2"], "phrase,length,instances,support,significance,quality"),
        (["--thresholds", "2,4"], "threshold,n_types,n_instances,mean_length,coverage,n_gained,n_lost"),
    ],
)
def test_csv_and_markdown(run, options: list[str], head: str) -> None:
    lines = run(*options, "--format", "csv")[0].splitlines()
    assert (lines[0], len(lines)) == (head, 3)
    assert run(*options, "--format", "markdown")[0].count("\n") == 4


def test_by_length(run, mined: PhraseMiner) -> None:
    found = json.loads(run("--json", "--by-length", "--top", 2)[0])["phrases"]
    lengths = [row["length"] for row in found]
    assert lengths == sorted(lengths)
    assert len(set(lengths)) > 1
    assert max(map(lengths.count, lengths)) <= 2
    shown = run("--by-length")[0]
    assert all(f"{length} words" in shown for length in lengths)


def test_the_options_reach_the_miner(run) -> None:
    options = "--min-support 0.01 --significance 1.5 --max-length 2 --quality 0.5 --threads 1"
    found = json.loads(run(*options.split(), "--json")[0])
    assert (found["min_support"], found["significance"], found["quality"]) == (5, 1.5, 0.5)
    assert (found["max_length"], found["reached_max_length"]) == (2, True)


def test_phrases_of_one_s_own(run, tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("# of mine\nsurvey of methods\n", encoding="utf-8")
    always = json.loads(run("--significance", 1000, "--min-support", 3, "--always", own, "--json")[0])
    never = json.loads(run("--significance", 0, "--never", own, "--json")[0])
    assert [(row["phrase"], row["instances"]) for row in always["phrases"]] == [("survey of methods", 25)]
    assert "survey of methods" not in {row["phrase"] for row in never["phrases"]}
    own.write_text("the machines\n", encoding="utf-8")
    assert "fewer than two words" in run("--always", own, code=2)[1]


def test_quiet_prints_nothing_and_writes_the_files(run, tmp_path: Path) -> None:
    output, marked = tmp_path / "phrases.csv", tmp_path / "marked.txt"
    assert run("--quiet", "--output", output, "--segmented", marked) == ("", "")
    assert output.stat().st_size > 0
    assert len(marked.read_text(encoding="utf-8").splitlines()) == 150


# Quality, evidence, ties, and the paper's settings


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    """Hyphen forms that are rare in each form, a sentence of nine words that is repeated, and a phrase."""
    kinds = ["red", "green", "blue", "white", "black"]
    lines = [f"a real-time {kind} system" for kind in kinds[:3]]
    lines += [f"real time {kind} web" for kind in kinds[:3]]
    lines += ["crimson lantern river mountain violin pepper copper garden window"] * 20
    lines += [f"{kind} support vector {other}" for kind in kinds for other in kinds]
    path = tmp_path / "letters.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def rows_of(capsys, corpus: Path, *options: str) -> dict[str, dict]:
    """The rows of `topminer phrases`, by stems."""
    assert main(["phrases", str(corpus), "--json", "--order", "support", "--top", "1000", *options]) == 0
    return {row["stems"]: row for row in json.loads(capsys.readouterr().out)["phrases"]}


def test_repeated_text_counts_once_unless_asked(letters: Path, capsys) -> None:
    assert not any("lantern" in stems for stems in rows_of(capsys, letters))
    every = rows_of(capsys, letters, "--evidence", "none")
    assert every["crimson lantern"]["support"] == every["crimson lantern"]["evidence"] == 20
    short = rows_of(capsys, letters, "--evidence", "4", "--min-support", "1", "--significance", "0")
    assert (short["crimson lantern"]["support"], short["crimson lantern"]["evidence"]) == (20, 1)


def test_hyphen_forms_are_counted_together_unless_asked(letters: Path, capsys) -> None:
    assert rows_of(capsys, letters)["real time"]["support"] == 6
    assert "real time" not in rows_of(capsys, letters, "--no-ties")


def test_quality_decides_unless_asked(letters: Path, capsys) -> None:
    judged = rows_of(capsys, letters)["support vector"]
    assert judged["quality"] is not None
    strict = rows_of(capsys, letters, "--quality", f"{judged['quality'] + 1}")["support vector"]
    assert strict["quality"] == judged["quality"]
    assert (judged["instances"] > 0, strict["instances"]) == (True, 0)
    free = rows_of(capsys, letters, "--quality", "none")
    assert all(row["quality"] is None for row in free.values())


def test_the_paper_s_settings_by_one_switch(letters: Path, capsys) -> None:
    paper = rows_of(capsys, letters, "--paper")
    options = ["--significance", "4", "--quality", "none", "--evidence", "none", "--no-ties"]
    assert paper == rows_of(capsys, letters, *options)
    assert "crimson lantern" in paper
    assert rows_of(capsys, letters, "--paper", "--significance", "2") != paper


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("run", "--quality"),
        ("phrases", "--evidence"),
        *((each, "--quality") for each in ("explain", "compare", "tune")),
    ],
)
def test_the_paper_s_settings_exclude_others(command: str, option: str, letters: Path, capsys) -> None:
    more = {"explain": ["text"], "run": ["--topics", "2", "--output", f"{letters}-out"]}
    more["compare"] = more["run"]
    arguments = [command, str(letters), *more.get(command, []), "--paper", option, "5"]
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert "leave out --quality and --evidence" in err
    assert [path.name for path in letters.parent.iterdir()] == ["letters.txt"]


# A warning instead of silence


def test_hardly_any_phrases_are_warned_of(run, tmp_path: Path, capsys) -> None:
    assert "Warning" not in run()[1]
    corpus = tmp_path / "few.txt"
    corpus.write_text("one red fish\ntwo blue birds\nthree green trees\n", encoding="utf-8")
    assert main(["phrases", str(corpus)]) == 0
    err = capsys.readouterr().err
    assert "Warning: Hardly any phrases (none of several words): 3 documents with" in err
    assert "Try more text or a lower --significance." in err
    assert main(["phrases", str(corpus), "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["phrases", str(corpus), "--thresholds", "auto"]) == 0
    assert "Warning" not in capsys.readouterr().err


def test_another_language_is_warned_of(tmp_path: Path, capsys) -> None:
    corpus = tmp_path / "german.txt"
    line = "Der Hund und die Katze waren in dem Haus, und sie wussten nicht, was sie damit machen sollten.\n"
    corpus.write_text(line * 20, encoding="utf-8")
    assert main(["phrases", str(corpus)]) == 0
    assert "the text looks German, and was read as English" in capsys.readouterr().err
    assert main(["phrases", str(corpus), "--language", "german"]) == 0
    assert "looks" not in capsys.readouterr().err


# The sweep


def test_a_sweep_mines_once_for_its_lowest_threshold(run, mined: PhraseMiner) -> None:
    found = json.loads(run("--threshold-sweep", "--json")[0])
    assert found == json.loads(run("--thresholds", "auto", "--format", "json")[0])
    assert [step["threshold"] for step in found["sweep"]] == [1, 2, 3, 4, 5, 6, 8, 10, 15, 20]
    assert found["min_support"] == 3
    partition = PhraseMiner(min_support=3).fit_transform(mined.fitted.corpus)
    steps = threshold_sweep(partition, [1, 2, 3, 4, 5, 6, 8, 10, 15, 20])
    assert found["sweep"] == json.loads(json.dumps([vars(step) for step in steps], default=vars))
    assert any(step["lost"] for step in found["sweep"])


def test_thresholds_of_one_s_own(run) -> None:
    found = json.loads(run("--thresholds", "8, 2,2.5", "--json")[0])
    assert [step["threshold"] for step in found["sweep"]] == [2.0, 2.5, 8.0]
    assert found["min_support"] == 5
    assert json.loads(run("--thresholds", "8", "--json")[0])["min_support"] == 5  # for --significance 2
    paper = json.loads(run("--thresholds", "8", "--paper", "--json")[0])
    assert paper["min_support"] == 17  # for --significance 4
    explicit = json.loads(run("--thresholds", "1,8", "--min-support", 7, "--json")[0])
    assert explicit["min_support"] == 7


def test_files_written_beside_a_sweep_are_those_of_the_threshold(run, tmp_path: Path) -> None:
    alone, beside = tmp_path / "alone.txt", tmp_path / "beside.txt"
    run("--segmented", alone, "--significance", 2)
    run("--segmented", beside, "--significance", 2, "--threshold-sweep")
    assert alone.read_text(encoding="utf-8") == beside.read_text(encoding="utf-8")


# The files


@pytest.mark.parametrize(
    ("ending", "read"),
    [(".csv", pl.read_csv), (".jsonl", pl.read_ndjson), (".parquet", pl.read_parquet), (".CSV", pl.read_csv)],
)
def test_every_frequent_phrase_is_written(run, mined: PhraseMiner, tmp_path: Path, ending, read) -> None:
    path = tmp_path / f"all [of] them{ending}"
    told = run("--output", path, "--top", 1)[1]
    assert read(io.BytesIO(path.read_bytes())).equals(mined.phrases_)
    assert f"{len(mined.phrases_)} phrases written to {path}" in told


def test_phrases_are_no_formulas_in_a_spreadsheet(tmp_path: Path) -> None:
    corpus, path = tmp_path / "cells.txt", tmp_path / "phrases.csv"
    corpus.write_text("=sum total\n@user name\n" * 50, encoding="utf-8")
    options = ["--token-pattern", "[^ ]+", "--significance", "2", "--quiet"]
    assert main(["phrases", str(corpus), *options, "--output", str(path)]) == 0
    table = pl.read_csv(path)
    assert sorted(table["phrase"]) == ["'=sum total", "'@user name"]
    assert not table["stems"].str.contains("^[=@]").any()


def test_segmented_documents_as_lines(run, tmp_path: Path) -> None:
    path = tmp_path / "marked.txt"
    told = run("--segmented", path)[1]
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines.pop() == ""
    assert len(lines) == 150
    assert lines[2] == "[Support vector machines], and [frequent patterns] 🎉"
    assert f"150 documents written to {path}" in told


@pytest.mark.parametrize(("ending", "read"), [(".jsonl", pl.read_ndjson), (".parquet", pl.read_parquet)])
def test_segmented_documents_as_records(run, tmp_path: Path, monkeypatch, ending, read) -> None:
    monkeypatch.setattr("topminer.phrases.document_slices.DOCUMENTS", 40)
    path = tmp_path / f"all [of] them{ending}"
    run("--segmented", path)
    records = read(io.BytesIO(path.read_bytes())).to_dicts()
    assert [record["id"] for record in records] == [str(i + 1) for i in range(150)]
    assert [record["text"] for record in records] == TITLES * 25
    assert [phrase["text"] for phrase in records[2]["phrases"]] == [
        "Support vector machines",
        "frequent patterns",
    ]
    for record in records:
        for phrase in record["phrases"]:
            assert record["text"][phrase["start"] : phrase["end"]] == phrase["text"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [path.name, "titles.txt"]


def test_line_ends_in_a_document_become_blanks(tmp_path: Path, capsys) -> None:
    table, path = tmp_path / "papers.jsonl", tmp_path / "marked.txt"
    text = "deep learning\r\nis\u2028words\x0bhere\n"
    table.write_text("".join(json.dumps({"text": text}) + "\n" for _ in range(30)), encoding="utf-8")
    assert main(["phrases", str(table), "--segmented", str(path), "-q", "--significance", "2"]) == 0
    assert path.read_text(encoding="utf-8") == "[deep learning] is words here\n" * 30


def test_a_file_is_replaced_only_when_asked(run, tmp_path: Path) -> None:
    path = tmp_path / "phrases.csv"
    path.write_text("mine", encoding="utf-8")
    assert "phrases.csv: exists already; --overwrite replaces it" in run("--output", path, code=2)[1]
    assert path.read_text(encoding="utf-8") == "mine"
    run("--output", path, "--overwrite")
    assert path.read_text(encoding="utf-8").startswith(
        "phrase,stems,length,support,evidence,instances,significance,quality\n"
    )


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_file_is_whole_or_as_it_was(tmp_path: Path, failure: BaseException) -> None:
    def batches():
        yield pl.DataFrame({"marked": ["one"]})
        raise failure

    for write, ending in (
        (lambda path: files.write_lines(batches(), path, "marked"), ".txt"),
        (lambda path: files.write_batches(batches(), path), ".jsonl"),
        (lambda path: files.write_batches(batches(), path), ".parquet"),
    ):
        path = tmp_path / f"old{ending}"
        path.write_text("mine", encoding="utf-8")
        expected = InputError if isinstance(failure, OSError) else KeyboardInterrupt
        with pytest.raises(
            expected, match=r"cannot be written: No space left" if expected is InputError else None
        ):
            write(path)
        assert path.read_text(encoding="utf-8") == "mine"
        assert list(tmp_path.iterdir()) == [path]
        path.unlink()


def test_no_link_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda _: "guessed")
    (tmp_path / "other").write_text("other")
    (tmp_path / ".unfinished-guessed").symlink_to("other")
    with pytest.raises(InputError, match=r"new\.csv: cannot be written: File exists"):
        files.write_table(pl.DataFrame({"a": [1]}), tmp_path / "new.csv")
    assert (tmp_path / "other").read_text() == "other"


# What cannot be meant


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--min-support 0", "min_support must be a whole number from 1 on"),
        ("--min-support 2.5", "min_support must be"),
        ("--min-support often", "--min-support must be a whole number from 1 on, a share"),
        ("--min-support nan", "--min-support must be"),
        ("--quality good", "--quality must be a number, auto or none, not 'good'"),
        ("--quality nan", "quality must be a number"),
        ("--evidence 2.5", "--evidence must be a whole number, auto or none, not '2.5'"),
        ("--evidence 0", "evidence must be"),
        ("--always absent.txt", "absent.txt: No such file"),
        ("--thresholds 2,x", "--thresholds must be numbers"),
        ("--thresholds=-2,4", "--thresholds must be numbers"),
        ("--thresholds inf", "--thresholds must be numbers"),
        ("--thresholds=", "--thresholds must be numbers"),
        ("--output phrases.xlsx", "phrases.xlsx: cannot tell the format; expected a name"),
        ("--output -", "ends with .csv, .jsonl or .parquet"),
        ("--segmented marked.csv", "ends with .txt, .jsonl or .parquet"),
        ("--output absent/phrases.csv", "there is no folder absent"),
        ("--output folder.csv", "folder.csv: is a folder"),
        ("--output x.jsonl --segmented ./x.jsonl", "x.jsonl: given for both --output and --segmented"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_one_line_before_anything_is_read(
    tmp_path: Path, monkeypatch, capsys, arguments: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.csv").mkdir()
    assert main(["phrases", "absent.corpus", *arguments.split()]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        *("--top 0", "--max-length 0", "--order luck", "--threads 1025"),
        *("--significance -1", "--significance nan", "--max-length 1000000000000000000000"),
    ],
)
def test_bad_usage(run, arguments: str) -> None:
    out, err = run(*arguments.split(), code=2)
    assert out == ""
    assert err.startswith("topminer: error: invalid value for '--")


def test_the_options_as_a_miner(tmp_path: Path) -> None:
    never = tmp_path / "never.txt"
    never.write_text("big data\n", encoding="utf-8")
    options = PhraseOptions("30", 5, "0.5", "none", never=never, significance=3.0)
    assert options.miner(RunOptions(threads=1)).get_params() == {
        "min_support": 30,
        "significance": 3.0,
        "quality": 0.5,
        "evidence": None,
        "ties": "auto",
        "max_length": 5,
        "always": None,
        "never": ["big data"],
        "n_threads": 1,
    }
    assert PhraseOptions().miner(RunOptions()).get_params() == PhraseMiner().get_params()


# Pages, drawn from findings made by hand

ROWS = [
    {"phrase": "natural [bold]language[/]\x1b[2J", "stems": "natur languag", "length": 2, "support": 1_233,
     "evidence": 1_009, "instances": 561, "significance": 34.56, "quality": 2.345},
    {"phrase": "酒店", "stems": "酒 店", "length": 2, "support": 17, "evidence": 17, "instances": 0,
     "significance": -0.5, "quality": None},
    {"phrase": "Annual Meeting of the Association for Computational Linguistics", "stems": "a m a c l",
     "length": 5, "support": 30, "evidence": 30, "instances": 30, "significance": 5.0, "quality": -0.1},
]  # fmt: skip
STEPS = [
    SweepStep(9_808, 55_220, 0.46, 2.19, 1.0, 0, 0, (), ()),
    SweepStep(
        3_600, 42_358, 0.0005, 2.15, 4.0, 1, 6_216, (Example("Learning Markov", 4),),
        tuple(Example(f"phrase number [{i}]\x1b", 1_600 - i) for i in range(5)),
    ),
    SweepStep(0, 0, 0.0, 0.0, 20.0, 0, 3_600, (), (Example("Learning Markov", 4),)),
]  # fmt: skip
EXTENT = Extent(n_types=797, n_instances=31_560, coverage=0.1754, mean_length=2.1)


def findings(shown, **more) -> Findings:
    facts = {"quality": 0.0, "max_length": None, "reached_max_length": False, "significance": 4.0} | more
    return Findings(name="papers", n_documents=6_136, n_kept=379_746, min_support=17, shown=shown, **facts)


def top(order: str = "instances", by_length: bool = False, rows=ROWS) -> TopPhrases:
    return TopPhrases(order, by_length, 1_197, EXTENT, rows)


def page(findings: Findings, width: int | None = 100) -> str:
    console = Console(file=io.StringIO(), width=width or 1000, markup=False, emoji=False, highlight=False)
    console.print(findings.page(width))
    return console.file.getvalue()


@pytest.mark.parametrize("width", [30, 60, 80, 200])
@pytest.mark.parametrize(
    "shown",
    [top(), top("quality"), top("support", True), top(rows=[]), STEPS, STEPS[2:]],
)
def test_pages_fit_their_width(shown, width: int) -> None:
    lines = page(findings(shown, reached_max_length=True), width).splitlines()
    console = Console(width=width)
    assert max(console.measure(line).maximum for line in lines) <= width


def test_every_fact_is_on_the_page() -> None:
    shown = page(findings(top()))
    for fact in (
        *("6,136  documents", "379,746  kept tokens", "18 % of them inside", "1,197  frequent phrases"),
        *("each 17 times or more", "797  have instances", "31,560 of them, at significance 4 or more"),
    ):
        assert fact in shown
    swept = page(findings(STEPS))
    assert all(text in swept for text in ("Threshold sweep", "▸ 4", "+ 1 ", "− 6,216 ", " ×1,600"))


def test_text_of_the_corpus_is_shown_as_it_is() -> None:
    for shown in (top(), top(by_length=True), STEPS):
        text = page(findings(shown))
        assert "\x1b" not in text
        assert "language[/]·[2J" in text or "number [0]·" in text


def test_lists_stand_side_by_side_where_there_is_room() -> None:
    wide, narrow = page(findings(top(by_length=True))), page(findings(top(by_length=True)), 50)
    assert any("2 words" in line and "5 words" in line for line in wide.splitlines())
    assert not any("2 words" in line and "5 words" in line for line in narrow.splitlines())


def test_the_cut_and_the_limit_are_named() -> None:
    judged, not_judged = page(findings(top(), quality=-1.5)), page(findings(top(), quality=None))
    assert "at significance 4 or more and quality -1.5 or more" in " ".join(judged.split())
    assert "or more and quality" not in not_judged
    assert "Phrases of 64 words are frequent" in page(findings(top(), reached_max_length=True))
    assert "more than 3 words" in page(findings(top(), reached_max_length=True, max_length=3))


def test_quality_is_shown_and_evidence_where_it_is_not_the_support() -> None:
    (head,) = (line for line in page(findings(top()), 120).splitlines() if line.strip().startswith("phrase "))
    assert head.split() == ["phrase", "words", "instances", "support", "evidence", "significance", "quality"]
    rows = page(findings(top()), 120)
    assert "1,009" in rows
    assert "2.3" in rows
    assert "–" in rows  # 酒店 was not judged
    assert "evidence" not in page(findings(top(rows=ROWS[1:])), 120)
    assert "evidence" not in page(findings(top()), 60)


def test_nothing_is_cut_without_a_width() -> None:
    shown = page(findings(top()), None)
    assert ROWS[2]["phrase"] in shown and "█" not in shown
    assert ROWS[2]["phrase"] in page(findings(top(by_length=True)), None)
    assert page(findings(STEPS), None).count("phrase number") == 5
    assert "…" not in shown


def test_data_of_an_infinite_threshold_and_of_a_sweep() -> None:
    plain = json.loads(json.dumps(findings(top(), significance=float("inf")).data(), allow_nan=False))
    assert plain["significance"] is None
    assert plain["phrases"][1]["phrase"] == "酒店"
    swept = findings(STEPS).data()["sweep"]
    assert list(swept[1]["gained"]) == [{"phrase": "Learning Markov", "instances": 4}]


# Real processes


INTERRUPTED_WHILE_WRITING = """
import os, signal, sys
from topminer.cli import main
from topminer.phrases import document_slices

document_slices.DOCUMENTS = 10
documents = document_slices.marked_documents

def interrupted(partition):
    for number, batch in enumerate(documents(partition)):
        yield batch
        if number == 3:
            os.kill(os.getpid(), signal.SIGINT)

document_slices.marked_documents = interrupted
sys.exit(main())
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_while_writing_leaves_nothing_behind(titles: Path) -> None:
    target = titles.with_name("marked.parquet")
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WHILE_WRITING, "phrases", titles, "-q", "--segmented", target],
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert (run.returncode, run.stderr) == (130, b"topminer: interrupted\n")
    assert [path.name for path in titles.parent.iterdir()] == ["titles.txt"]
