"""`topminer inspect` and `topminer demo`, end to end."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest
from clocks import ENOUGH

from topminer.cli import main

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


def test_inspect_draws_the_facts(titles: Path, capsys) -> None:
    assert main(["inspect", str(titles)]) == 0
    shown = capsys.readouterr().out
    assert "titles.txt" in "".join(shown.split())  # a long path is wrapped
    assert "machines, │" in shown


def test_inspect_as_json(titles: Path, capsys) -> None:
    assert main(["inspect", str(titles), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["n_tokens"], facts["n_kept"], facts["n_chunks"]) == (11, 7, 3)


def test_the_options_reach_the_reader(tmp_path: Path, capsys) -> None:
    table, stops = tmp_path / "papers.data", tmp_path / "stops.txt"
    table.write_bytes(
        "key;title\n".replace(";", "\t").encode() + "1\tDas schöne Haus und 7 Zwerge\n".encode("latin-1")
    )
    stops.write_text("haus\n", encoding="utf-8")
    file = "--format tsv --text-column title --id-column key --encoding latin-1"
    words = f"--no-stem --no-numbers --stop-words {stops}"
    assert main(["inspect", str(table), *file.split(), *words.split(), "--threads", "1", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["columns"] == {"text": "title", "id": "key"}
    assert (facts["n_stop_words"], facts["n_numbers_dropped"]) == (1, 1)
    assert "schöne" in {top["word"] for top in facts["top_words"]}


def test_quiet_says_nothing(titles: Path, tmp_path: Path, capsys) -> None:
    assert main(["inspect", str(titles), "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["demo", "--quiet", "--report", str(tmp_path / "demo.html")]) == 0
    assert capsys.readouterr() == ("", "")


def test_quiet_still_tells_errors(tmp_path: Path, capsys) -> None:
    assert main(["inspect", str(tmp_path / "absent.txt"), "--quiet"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("topminer: error: ")
    assert "absent.txt" in err
    assert len(err.splitlines()) == 1


def test_standard_input(titles: Path) -> None:
    command = [sys.executable, "-m", "topminer", "inspect", "-", "--format", "txt", "--json"]
    run = subprocess.run(command, input=titles.read_bytes(), capture_output=True, check=True)
    assert json.loads(run.stdout)["n_tokens"] == 11


def n_unread(pipe: IO[bytes]) -> int:
    """Bytes in a pipe that nobody has read yet."""
    import fcntl
    import termios

    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_while_waiting_for_input() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", READY_THEN_MAIN, "inspect", "-", "--format", "txt"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        process.stdout.readline()
        process.stdin.write(b"some text\n")
        process.stdin.flush()
        while n_unread(process.stdin) and process.poll() is None:
            time.sleep(0.01)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(ENOUGH) == 130
        assert process.stderr.read() == b"topminer: interrupted\n"


def test_the_demo_shows_a_corpus_its_phrases_and_topics_and_what_to_try_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    assert (tmp_path / "topminer-demo.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    shown = capsys.readouterr().out
    assert "The language reference that comes with Python, by paragraphs" in shown
    assert "Its phrases" in shown
    assert "Its topics" in shown
    assert "Topic 0" in shown
    assert "Topic 7" in shown
    assert "keyword argument" in shown
    assert "topminer run FILE --topics 20 --output DIR" in shown
