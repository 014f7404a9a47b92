"""`topminer phrases`, end to end, and its pages."""

import io
import json
import math
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from rich.cells import cell_len
from runs import page_of

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
def run(titles: Path, topminer):
    """Run `topminer phrases` on the titles, and return what it printed."""
    return partial(topminer, "phrases", titles)


@pytest.fixture
def found(run):
    """The same, and return what it printed as JSON."""
    return lambda *arguments: json.loads(run(*arguments, "--json")[0])


@pytest.fixture
def mined(titles: Path) -> PhraseMiner:
    return PhraseMiner().fit(Corpus.read(titles))


# What is shown


def test_the_top_phrases_and_the_facts_above_them(run, found) -> None:
    shown = run()[0]
    facts = ("titles.txt", "150  documents", "each 5 times or more")
    assert [
        text for text in (*facts, "Support vector machines", "state of the art") if text not in shown
    ] == []
    assert "No phrase" in run("--significance", 1000)[0]
    assert found("--significance", 1000, "--by-length")["phrases"] == []


def test_json_holds_what_is_shown(found, mined: PhraseMiner) -> None:
    table, n_kept = mined.phrases_, mined.fitted.corpus.n_tokens
    with_instances = table.filter(pl.col("instances") > 0)
    inside = (with_instances["instances"] * with_instances["length"]).sum()
    expected = {"n_documents": 150, "n_kept": n_kept, "min_support": 5, "significance": 2.0}
    expected |= {"quality": 0.0, "max_length": None, "reached_max_length": False, "n_phrases": len(table)}
    expected |= {"n_types": len(with_instances), "n_instances": with_instances["instances"].sum()}
    expected |= {"coverage": pytest.approx(inside / n_kept), "phrases": with_instances.head(30).to_dicts()}
    shown = found()
    assert shown | expected == shown


def test_the_options_reach_the_miner(found) -> None:
    options = "--min-support 0.01 --significance 1.5 --max-length 2 --quality 0.5 --threads 1"
    expected = {"min_support": 5, "significance": 1.5, "quality": 0.5, "max_length": 2}
    shown = found(*options.split())
    assert shown | expected == shown and shown["reached_max_length"]


@pytest.mark.parametrize("order", ["instances", "support", "evidence", "significance", "quality"])
def test_the_order_and_the_number(found, mined: PhraseMiner, order: str) -> None:
    rows = found("--order", order, "--top", 4)["phrases"]
    best = mined.phrases_[order].drop_nulls().sort(descending=True).head(4).to_list()
    assert [row[order] for row in rows] == best


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


def test_by_length(run, found) -> None:
    lengths = [row["length"] for row in found("--by-length", "--top", 2)["phrases"]]
    assert lengths == sorted(lengths)
    assert len(set(lengths)) > 1 and max(map(lengths.count, lengths)) <= 2
    shown = run("--by-length")[0]
    assert all(f"{length} words" in shown for length in lengths)


def test_phrases_of_one_s_own(run, found, tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("# of mine\nsurvey of methods\n", encoding="utf-8")
    always = found("--significance", 1000, "--min-support", 3, "--always", own)["phrases"]
    assert [(row["phrase"], row["instances"]) for row in always] == [("survey of methods", 25)]
    never = found("--significance", 0, "--never", own)["phrases"]
    assert "survey of methods" not in {row["phrase"] for row in never}
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
    [("phrases", "--evidence"), *((each, "--quality") for each in ("run", "explain", "compare", "tune"))],
)
def test_the_paper_s_settings_exclude_others(command: str, option: str, letters: Path, topminer) -> None:
    more = {"explain": ["text"], "run": ["--topics", "2", "--output", f"{letters}-out"]}
    more["compare"] = more["run"]
    out, err = topminer(command, letters, *more.get(command, []), "--paper", option, "5", code=2)
    assert (out, len(err.splitlines())) == ("", 1)
    assert "leave out --quality and --evidence" in err
    assert [path.name for path in letters.parent.iterdir()] == ["letters.txt"]


# A warning instead of silence


def test_hardly_any_phrases_are_warned_of(run, topminer, tmp_path: Path) -> None:
    assert "Warning" not in run()[1]
    corpus = tmp_path / "few.txt"
    corpus.write_text("one red fish\ntwo blue birds\nthree green trees\n", encoding="utf-8")
    err = topminer("phrases", corpus)[1]
    assert "Warning: Hardly any phrases (none of several words): 3 documents with" in err
    assert "Try more text or a lower --significance." in err
    assert topminer("phrases", corpus, "--quiet") == ("", "")
    assert "Warning" not in topminer("phrases", corpus, "--thresholds", "auto")[1]


def test_another_language_is_warned_of(tmp_path: Path, topminer) -> None:
    corpus = tmp_path / "german.txt"
    line = "Der Hund und die Katze waren in dem Haus, und sie wussten nicht, was sie damit machen sollten.\n"
    corpus.write_text(line * 20, encoding="utf-8")
    assert "the text looks German, and was read as English" in topminer("phrases", corpus)[1]
    assert "looks" not in topminer("phrases", corpus, "--language", "german")[1]


# The sweep


def test_a_sweep_mines_once_for_its_lowest_threshold(run, found, mined: PhraseMiner) -> None:
    swept, thresholds = found("--threshold-sweep"), [1, 2, 3, 4, 5, 6, 8, 10, 15, 20]
    assert swept == json.loads(run("--thresholds", "auto", "--format", "json")[0])
    assert swept["min_support"] == 3
    steps = threshold_sweep(PhraseMiner(min_support=3).fit_transform(mined.fitted.corpus), thresholds)
    assert swept["sweep"] == json.loads(json.dumps([vars(step) for step in steps], default=vars))
    assert [step["threshold"] for step in swept["sweep"]] == thresholds
    assert any(step["lost"] for step in swept["sweep"])


@pytest.mark.parametrize(
    ("options", "thresholds", "support"),
    [
        (["8, 2,2.5"], [2.0, 2.5, 8.0], 5),
        (["8"], [8.0], 5),  # for --significance 2
        (["8", "--paper"], [8.0], 17),  # for --significance 4
        (["1,8", "--min-support", "7"], [1.0, 8.0], 7),
    ],
)
def test_thresholds_of_one_s_own(found, options: list[str], thresholds: list[float], support: int) -> None:
    swept = found("--thresholds", *options)
    assert ([step["threshold"] for step in swept["sweep"]], swept["min_support"]) == (thresholds, support)


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
    *lines, last = path.read_text(encoding="utf-8").split("\n")
    assert (len(lines), last) == (150, "")
    assert lines[2] == "[Support vector machines], and [frequent patterns] 🎉"
    assert f"150 documents written to {path}" in told


@pytest.mark.parametrize(("ending", "read"), [(".jsonl", pl.read_ndjson), (".parquet", pl.read_parquet)])
def test_segmented_documents_as_records(run, tmp_path: Path, monkeypatch, ending, read) -> None:
    monkeypatch.setattr("topminer.phrases.document_slices.DOCUMENTS", 40)
    path = tmp_path / f"all [of] them{ending}"
    run("--segmented", path)
    records = read(io.BytesIO(path.read_bytes())).to_dicts()
    assert [(record["id"], record["text"]) for record in records] == [
        (str(i + 1), title) for i, title in enumerate(TITLES * 25)
    ]
    found = [phrase["text"] for phrase in records[2]["phrases"]]
    assert found == ["Support vector machines", "frequent patterns"]
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
    assert path.read_text(encoding="utf-8").startswith("phrase,stems,length,support,evidence,instances,")


@pytest.mark.parametrize("ending", [".txt", ".jsonl", ".parquet"])
@pytest.mark.parametrize(
    ("failure", "told"),
    [(OSError(28, "No space left on device"), InputError), (KeyboardInterrupt(), KeyboardInterrupt)],
)
def test_a_file_is_whole_or_as_it_was(tmp_path: Path, failure: BaseException, told, ending: str) -> None:
    def batches():
        yield pl.DataFrame({"marked": ["one"]})
        raise failure

    path = tmp_path / f"old{ending}"
    path.write_text("mine", encoding="utf-8")
    write = partial(files.write_lines, column="marked") if ending == ".txt" else files.write_batches
    with pytest.raises(told, match=r"cannot be written: No space left" if told is InputError else None):
        write(batches(), path)
    assert path.read_text(encoding="utf-8") == "mine"
    assert list(tmp_path.iterdir()) == [path]


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
        *((f"--thresholds={x}", "--thresholds must be numbers") for x in ("2,x", "-2,4", "inf", "")),
        ("--output phrases.xlsx", "phrases.xlsx: cannot tell the format; expected a name"),
        ("--output -", "ends with .csv, .jsonl or .parquet"),
        ("--segmented marked.csv", "ends with .txt, .jsonl or .parquet"),
        ("--output absent/phrases.csv", "there is no folder absent"),
        ("--output folder.csv", "folder.csv: is a folder"),
        ("--output x.jsonl --segmented ./x.jsonl", "x.jsonl: given for both --output and --segmented"),
    ],
)
def test_what_cannot_be_meant_is_one_line_before_anything_is_read(
    tmp_path: Path, monkeypatch, topminer, arguments: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.csv").mkdir()
    out, err = topminer("phrases", "absent.corpus", *arguments.split(), code=2)
    assert (out, len(err.splitlines())) == ("", 1)
    assert message in err


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
    given = {"min_support": 30, "significance": 3.0, "quality": 0.5, "evidence": None, "max_length": 5}
    expected = PhraseMiner(**given, never=["big data"], n_threads=1).get_params()
    assert options.miner(RunOptions(threads=1)).get_params() == expected
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


def top(order: str = "instances", by_length: bool = False, rows=ROWS) -> TopPhrases:
    return TopPhrases(order, by_length, 1_197, EXTENT, rows)


def page(shown, width: int | None = 100, **more) -> str:
    facts = {"quality": 0.0, "max_length": None, "reached_max_length": False, "significance": 4.0} | more
    return page_of(Findings("papers", 6_136, 379_746, 17, shown=shown, **facts), width)


@pytest.mark.parametrize("width", [30, 60, 80, 200])
@pytest.mark.parametrize(
    "shown", [top(), top("quality"), top("support", True), top(rows=[]), STEPS, STEPS[2:]]
)
def test_pages_fit_their_width(shown, width: int) -> None:
    lines = page(shown, width, reached_max_length=True).splitlines()
    assert max(map(cell_len, lines)) <= width


def test_a_long_example_of_a_sweep_is_wrapped() -> None:
    long = " ".join(f"word{i}" for i in range(20))
    shown = page([SweepStep(1, 5, 0.1, 2.0, 4.0, 1, 0, (Example(long, 4),), ())], 60)
    assert "…" not in shown and "".join(long.split()) in "".join(shown.split())


def test_every_fact_is_on_the_page() -> None:
    facts = (
        *("6,136  documents", "379,746  kept tokens", "18 % of them inside", "1,197  frequent phrases"),
        *("each 17 times or more", "797  have instances", "31,560 of them, at significance 4 or more"),
    )
    assert [fact for fact in facts if fact not in page(top())] == []
    swept = page(STEPS)
    assert all(text in swept for text in ("Threshold sweep", "▸ 4", "+ 1 ", "− 6,216 ", " ×1,600"))


@pytest.mark.parametrize("shown", [top(), top(by_length=True), STEPS])
def test_text_of_the_corpus_is_shown_as_it_is(shown) -> None:
    text = page(shown)
    assert "\x1b" not in text
    assert "language[/]·[2J" in text or "number [0]·" in text


@pytest.mark.parametrize(("width", "is_wide"), [(100, True), (50, False)])
def test_lists_stand_side_by_side_where_there_is_room(width: int, is_wide: bool) -> None:
    lines = page(top(by_length=True), width).splitlines()
    assert any("2 words" in line and "5 words" in line for line in lines) == is_wide


def test_the_cut_and_the_limit_are_named() -> None:
    judged = " ".join(page(top(), quality=-1.5).split())
    assert "at significance 4 or more and quality -1.5 or more" in judged
    assert "or more and quality" not in page(top(), quality=None)
    assert "Phrases of 64 words are frequent" in page(top(), reached_max_length=True)
    assert "more than 3 words" in page(top(), reached_max_length=True, max_length=3)


def test_quality_is_shown_and_evidence_where_it_is_not_the_support() -> None:
    shown = page(top(), 120)
    (head,) = (line for line in shown.splitlines() if line.strip().startswith("phrase "))
    assert head.split() == ["phrase", "words", "instances", "support", "evidence", "significance", "quality"]
    assert all(text in shown for text in ("1,009", "2.3", "–"))  # 酒店 was not judged
    assert "evidence" not in page(top(rows=ROWS[1:]), 120)
    assert "evidence" not in page(top(), 60)


def test_nothing_is_cut_without_a_width() -> None:
    shown = page(top(), None)
    assert ROWS[2]["phrase"] in shown and "█" not in shown and "…" not in shown
    assert ROWS[2]["phrase"] in page(top(by_length=True), None)
    assert page(STEPS, None).count("phrase number") == 5


def test_an_infinite_threshold_is_null() -> None:
    facts = Findings("papers", 6_136, 379_746, 17, math.inf, 0.0, None, False, top())
    assert json.loads(json.dumps(facts.data(), allow_nan=False))["significance"] is None


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
