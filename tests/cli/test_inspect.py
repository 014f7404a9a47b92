"""`topminer inspect`, end to end, and its page, drawn from facts made by hand."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import IO

import pytest
from clocks import ENOUGH
from runs import page_of
from stops import start

from topminer.cli import main
from topminer.cli.inspect import Inspection, chunks_of
from topminer.text.describe import CorpusFacts, SampleDocument

READY_THEN_MAIN = """
import sys
from topminer import Corpus
from topminer.cli import main

print("ready", flush=True)
sys.exit(main())
"""
TEXTS = ["Support vector machines, and kernels.", "The support of a vector machine.", ""]


@pytest.fixture
def titles(tmp_path: Path) -> Path:
    path = tmp_path / "titles.txt"
    path.write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ([], ["titles.txt", "machines, │"]),
        (["--json"], ['"n_tokens": 11,', '"n_kept": 7,', '"n_chunks": 3,']),
        (["--format", "json"], ['"n_tokens": 11,']),
        (["--format", "csv"], ["fact,value\n", "n_tokens,11\n"]),
        (["--format", "markdown"], ["## Corpus", "| n\\_tokens | 11 |", "## Most frequent words"]),
    ],
)
def test_every_format(titles: Path, topminer, options: list[str], shown: list[str]) -> None:
    out, err = topminer("inspect", titles, *options)
    assert [text for text in shown if text not in out] == [] and err == ""


def test_the_options_reach_the_reader(tmp_path: Path, topminer) -> None:
    table, stops = tmp_path / "papers.data", tmp_path / "stops.txt"
    table.write_text("key\ttitle\n1\tDas schöne Haus und 7 Zwerge\n", encoding="latin-1")
    stops.write_text("haus\n", encoding="utf-8")
    file = ["--format", "tsv", "--text-column", "title", "--id-column", "key", "--encoding", "latin-1"]
    words = ["--no-stem", "--no-numbers", "--stop-words", stops, "--threads", 1]
    facts = json.loads(topminer("inspect", table, *file, *words, "--json")[0])
    assert facts["columns"] == {"text": "title", "id": "key"}
    assert (facts["n_stop_words"], facts["n_numbers_dropped"]) == (1, 1)
    assert "schöne" in {top["word"] for top in facts["top_words"]}


def test_quiet_tells_errors_alone(titles: Path, tmp_path: Path, topminer) -> None:
    assert topminer("inspect", titles, "--quiet") == ("", "")
    out, err = topminer("inspect", tmp_path / "absent.txt", "--quiet", code=2)
    assert (out, len(err.splitlines())) == ("", 1)
    assert err.startswith("topminer: error: ") and "absent.txt" in err


def test_standard_input(titles: Path) -> None:
    command = [sys.executable, "-m", "topminer", "inspect", "-", "--format", "txt", "--json"]
    run = subprocess.run(command, input=titles.read_bytes(), capture_output=True, check=True)
    assert json.loads(run.stdout)["n_tokens"] == 11


def n_unread(pipe: IO[str]) -> int:
    """Bytes in a pipe that nobody has read yet."""
    import fcntl
    import termios

    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_while_waiting_for_input() -> None:
    command = ["-c", READY_THEN_MAIN, "inspect", "-", "--format", "txt"]
    with start(*command, stdin=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdin.write("some text\n")
        process.stdin.flush()
        while n_unread(process.stdin) and process.poll() is None:
            time.sleep(0.01)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(ENOUGH) == 130
        assert process.stderr.read() == "topminer: interrupted\n"


# The page

PIECES = (
    "kept:Support|between: |kept:vector|between: |kept:machines|end:, as we |kept:know|end: (and |kept:love"
)
SAMPLE = SampleDocument("p1", [tuple(piece.split(":")) for piece in f"{PIECES}|between:).".split("|")])
FACTS = CorpusFacts(
    n_filtered=0,
    kinds=[],
    name="papers.jsonl",
    columns={"text": "abstract", "id": "doi"},
    n_documents=1_234,
    n_documents_without_tokens=3,
    n_tokens=50_000,
    n_kept=30_000,
    n_stop_words=19_000,
    n_numbers_dropped=1_000,
    n_surfaces=4_321,
    n_stems=3_210,
    n_chunks=10_000,
    chunk_lengths=[0, 4_000, 3_000, 2_000, 500, 400, 50, 20, 10, 5, 5, 4, 6],
    longest_chunk=41,
    mean_document=24.3,
    median_document=21.0,
    longest_document=987,
    scripts=[("Latin", 29_990), ("Han", 10)],
    skipped=[("empty documents", 12, "lines 3, 17, …")],
    top_words=[(f"word{i}", 1_000 - i) for i in range(20)],
    times=("1965", "2021"),
    samples=[SAMPLE],
)
EMPTY = replace(
    FACTS,
    **{name: type(value)() for name, value in vars(FACTS).items() if not isinstance(value, str | tuple)}
    | {"chunk_lengths": [0], "n_documents": 2, "times": None},
)


def page(facts: CorpusFacts, width: int | None = 100) -> str:
    return page_of(Inspection(facts), width)


def test_every_fact_is_on_the_page() -> None:
    facts = (
        *("papers.jsonl   text: abstract   id: doi", "1,234  documents", "50,000  tokens", "1965 – 2021"),
        "24.3 kept tokens on average, median 21, longest 987; 3 without any",
        *("4,321  distinct words  3,210 stems", "3.0 kept tokens on average, median 2, longest 41"),
        *("Latin 100 %, Han 0.03 %", "kept 60 %", "stop words 38 %", "numbers 2.0 %", "word19"),
        *("12  empty documents  lines 3, 17, …", "machines, │ as we know │ (and love"),
    )
    assert [fact for fact in facts if fact not in page(FACTS)] == []


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_the_page_fits_its_width(width: int) -> None:
    assert max(map(len, page(FACTS, width).splitlines())) <= width


def test_nothing_is_cut_without_a_width() -> None:
    long = "word" * 40
    sample = SampleDocument(long, SAMPLE.pieces * 20)
    shown = page(replace(FACTS, top_words=[(long, 3)], samples=[sample]), None)
    assert (shown.count(long), shown.count("…")) == (2, 1)  # the one of the skipped rows


def test_the_histogram_gathers_the_long_chunks() -> None:
    histogram = page(FACTS).partition("Kept tokens in a chunk\n")[2].partition("\n\n")[0]
    rows = re.findall(r"^ *(\S+) .*? ([\d,]+) +(?:< )?[\d.]+ %", histogram, re.MULTILINE)
    assert [name for name, _ in rows] == [*"123456789", "10+"]
    assert [n for _, n in rows] == ["4,000", "3,000", "2,000", "500", "400", "50", "20", "10", "5", "15"]


@pytest.mark.parametrize(
    ("facts", "shown"),
    [
        (EMPTY, "2  documents"),
        (replace(FACTS, n_kept=2, n_chunks=1, chunk_lengths=[0, 0, 1], longest_chunk=2), "median 2 or more"),
        (replace(EMPTY, n_tokens=7, n_stop_words=7), "stop words 100 %"),
    ],
)
def test_corpora_of_hardly_anything(facts: CorpusFacts, shown: str) -> None:
    assert shown in page(facts)
    assert ("Most frequent words" in page(facts)) == bool(facts.n_kept)
    assert [table.csv() for table in Inspection(facts).tables()]


def test_text_that_looks_like_markup_or_controls_the_terminal_is_shown_as_it_is() -> None:
    hostile = "[bold]:smile:\x1b[2J\u202e"
    sample = SampleDocument(hostile, [("kept", hostile)])
    shown = page(replace(FACTS, name=hostile, top_words=[("[/]", 3)], samples=[sample]))
    assert shown.count("[bold]:smile:·[2J·") == 2
    assert "[/]" in shown and "\x1b" not in shown


def test_kept_tokens_are_bright_and_the_rest_is_dim() -> None:
    text = chunks_of(SAMPLE)
    bright = [text.plain[span.start : span.end] for span in text.spans if span.style == "bold"]
    assert bright == ["Support", "vector", "machines", "know", "love"]


def test_json_holds_the_same_facts() -> None:
    facts = json.loads(json.dumps(Inspection(FACTS).data()))
    assert facts["n_documents"] == 1_234
    assert facts["scripts"] == {"Latin": 29_990, "Han": 10}
    assert facts["top_words"][0] == {"word": "word0", "count": 1_000}
    assert facts["skipped"] == [{"what": "empty documents", "count": 12, "where": "lines 3, 17, …"}]
    assert facts["samples"][0]["pieces"][0] == ["kept", "Support"]


def test_words_and_documents_can_be_filtered(tmp_path: Path, topminer) -> None:
    file, long = tmp_path / "t.txt", "deep neural networks learn from large sets of labelled images"
    file.write_text(f"{long}\n{long}!\nneural data\nneural mining\n")

    def inspected(*options: object) -> dict:
        return json.loads(topminer("inspect", file, "--format", "json", *options)[0])

    [found] = inspected()["skipped"]
    assert found["what"] == "near-duplicate documents" and found["count"] == 1
    assert found["where"] == "kept; --dedupe leaves them out"
    dropped = inspected("--dedupe")
    assert dropped["n_documents"] == 3 and dropped["n_filtered"] == 8
    assert [row["where"] for row in dropped["skipped"]] == ["left out as asked"]
    assert {word["word"] for word in inspected("--min-df", 3)["top_words"]} == {"neural"}
    assert "neural" not in {word["word"] for word in inspected("--max-df", "0.9")["top_words"]}
    assert "rare words and duplicates" in topminer("inspect", file, "--dedupe")[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--min-df", "0"), "--min-df must be a whole number from 1 on, or a share such as 0.5, not '0'"),
        (("--max-df", "1.5"), "--max-df must be a whole number from 1 on, or a share such as 0.5, not '1.5'"),
        (("--max-df", "few"), "not 'few'"),
        (("--max-df", "0.5", "--stop-word-policy", "keep"), "--stop-word-policy keep keeps them"),
        (("--min-df", "9"), "no kept tokens in 2 documents"),
    ],
)
def test_filters_that_cannot_be(titles: Path, capsys, options: tuple[str, ...], message: str) -> None:
    assert main(["inspect", str(titles), *options]) == 2
    assert message in capsys.readouterr().err


def test_kinds_of_text_are_counted_and_can_be_chosen(tmp_path: Path, topminer) -> None:
    def inspected(*more: str) -> dict[str, list[dict[str, object]]]:
        return json.loads(topminer("inspect", file, "--format", "json", *more)[0])

    file = tmp_path / "tweets.txt"
    file.write_text("RT @ann: parse http://a.org/b trees\nparse <b>trees</b>\n")
    assert inspected()["kinds"] == [
        {"kind": "inline_tag", "count": 2, "policy": "skip"},
        {"kind": "retweet", "count": 1, "policy": "drop"},
        {"kind": "url", "count": 1, "policy": "drop"},
    ]
    chosen = inspected("--kind", "url=keep", "--kind", "retweet=skip")
    assert [kind["policy"] for kind in chosen["kinds"]] == ["skip", "skip", "keep"]
    assert inspected("--kind", "none")["kinds"] == []
