"""Every command and every line of Python in the README works as written, on what the demo leaves behind.

The blocks run in order, in one folder. A block after a comment ``<!-- not run: … -->`` is left out, and
the comment says why.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import ProxyHandler, build_opener

import pytest
from project import ROOT

from topminer.cli import main

_BLOCK = re.compile(r"(?:^<!-- not run: ([^\n]+) -->\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    language: str
    content: str
    not_run: str  # why, if it is not

    @property
    def commands(self) -> list[list[str]]:
        """The arguments of each command, without comments."""
        lines = self.content.splitlines()
        assert all(line.startswith("$ ") for line in lines)
        return [shlex.split(line[2:], comments=True) for line in lines]


def blocks() -> list[Block]:
    found = _BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    return [Block(language, content, reason) for reason, language, content in found]


def test_every_block_is_run_or_says_why_not() -> None:
    languages = [block.language for block in blocks()]
    assert {"console", "python"} <= set(languages) <= {"console", "python", "text", "bibtex"}
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("```") == 2 * len(languages)
    assert text.count("<!-- not run") == sum(bool(block.not_run) for block in blocks())


def test_what_is_not_run_is_the_environment_and_the_cluster() -> None:
    skipped = [command for block in blocks() if block.not_run for command in block.commands]
    assert [command[:2] for command in skipped] == [
        ["make", "demo"],
        ["make", "test"],
        ["pip", "install"],
        ["topminer", "--install-completion"],
        [".", ".venv/bin/activate"],
        ["topminer", "run"],
    ]
    assert "ray" in skipped[-1]


def test_make_demo_leaves_what_the_readme_uses() -> None:
    assert "$(BIN)/topminer demo --keep demo" in (ROOT / "Makefile").read_text(encoding="utf-8")


def test_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fastapi", reason="topminer serve needs FastAPI")
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--keep", "demo", "--quiet"]) == 0
    names: dict[str, Any] = {}
    for block in blocks():
        if block.not_run or block.language not in ("console", "python"):
            continue
        if block.language == "python":
            exec(compile(block.content, "README.md", "exec"), names)
            continue
        for program, command, *arguments in block.commands:
            assert program == "topminer"
            if command == "serve":
                _explore(arguments)
            else:
                assert main([command, *arguments]) == 0, shlex.join([command, *arguments])
    files = {path.name for path in (tmp_path / "reference").iterdir()}
    assert {"report.html", "labels.json"} <= files
    assert "evaluation.json" not in files  # everything else here is the model


def _explore(arguments: list[str]) -> None:
    """Serve a model on a free port without opening a browser, ask for its page, and end the server."""
    assert arguments.pop() == "--open"
    command = [sys.executable, "-m", "topminer", "serve", *arguments, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, encoding="utf-8") as server:
        try:
            assert server.stderr is not None
            address = next(
                found[0] for line in server.stderr if (found := re.search(r"http://\S+", line)) is not None
            )
            with build_opener(ProxyHandler({})).open(address) as answer:
                assert answer.read().lower().startswith(b"<!doctype html>")
        finally:
            server.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
