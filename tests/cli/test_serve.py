"""`topminer serve` as a real process on this machine, and what it refuses."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from clocks import ENOUGH
from runs import QUICK, all_files, write_corpus

from topminer.cli import main
from topminer.cli import serve as command

needs_posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
TOKEN = "a-token-of-some-length"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("serve")
    corpus = write_corpus(folder / "titles.txt")
    assert main(["run", str(corpus), *QUICK, "--output", str(folder / "model"), "--quiet"]) == 0
    return folder / "model"


@contextmanager
def serving(model: Path, *options: str) -> Iterator[tuple[subprocess.Popen, str]]:
    """Start a server, and wait until it says where it is."""
    with subprocess.Popen(
        [sys.executable, "-m", "topminer", "serve", str(model), "--port", "0", *options],
        text=True,
        encoding="utf-8",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        try:
            told = ""
            for line in process.stderr:
                told += line
                if found := re.search(r"http://\S+", line):
                    yield process, found[0]
                    return
            raise AssertionError(told)
        finally:
            process.kill()


def ask(address: str, path: str = "", **headers: str) -> tuple[int, dict[str, str], bytes]:
    host, port, own_path = re.fullmatch(r"http://([\w.]+):(\d+)(/.*)", address).groups()
    connection = http.client.HTTPConnection(host, int(port), timeout=ENOUGH)
    try:
        connection.request("GET", path or own_path, headers=headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def stop(process: subprocess.Popen, signum: int, code: int, last_words: str) -> None:
    process.send_signal(signum)
    out, err = process.communicate(timeout=ENOUGH)
    assert (process.returncode, out, err) == (code, "", last_words)


@needs_posix
def test_it_serves_until_it_is_interrupted(model: Path) -> None:
    before = all_files(model)
    with serving(model) as (process, address):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
        status, headers, page = ask(address)
        assert status == 200
        assert page.startswith(b"<!doctype html>")
        assert "server" not in {name.lower() for name in headers}
        status, _, told = ask(address, "/api/topics")
        assert (status, len(json.loads(told))) == (200, 3)
        assert ask(address, "/api/topics", Host="evil.example")[0] == 421
        stop(process, signal.SIGINT, 130, "topminer: interrupted\n")
    assert all_files(model) == before


@needs_posix
def test_a_token_is_made_and_told_and_holds_until_it_is_terminated(model: Path) -> None:
    before = all_files(model)
    with serving(model, "--token", "auto") as (process, address):
        token = re.search(r"\?token=([\w-]{24,})$", address)[1]
        status, headers, _ = ask(address)
        assert (status, headers["location"]) == (303, "/")
        plain = address.partition("?")[0]
        assert ask(plain)[0] == 401
        assert ask(plain, Cookie=headers["set-cookie"].partition(";")[0])[0] == 200
        assert ask(plain, "/api/topics", Authorization=f"Bearer {token}")[0] == 200
        stop(process, signal.SIGTERM, 143, "topminer: terminated\n")
    assert all_files(model) == before


def test_an_own_token_is_not_told(model: Path, capsys, monkeypatch) -> None:
    import uvicorn

    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: None)
    opened = []
    monkeypatch.setattr(command.webbrowser, "open", opened.append)
    arguments = ["serve", str(model), "--host", "0.0.0.0", "--port", "0", "--token", TOKEN, "--open"]
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "titles at http://" in err
    assert TOKEN not in err
    assert opened[0].endswith(f"/?token={TOKEN}")
    assert main([*arguments[:-1], "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_port_that_is_taken(model: Path, capsys) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", str(model), "--port", str(port)]) == 2
    assert capsys.readouterr().err == (
        f"topminer: error: --port {port} on 127.0.0.1: Address already in use; --port 0 takes any\n"
    )


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--host", "0.0.0.0"], "needs a --token"),
        (["--host", "example.org"], "needs a --token"),
        (["--host", "::"], "needs a --token"),
        (["--token", "short"], "at least 16 characters"),
        (["--token", ""], "at least 16 characters"),
        (["--token", "with blanks and more; yes"], "letters A to Z"),
        (["--token", "auto", "--quiet"], "does not tell it"),
        (["--port", "65536"], "--port"),
        (["--port", "-1"], "--port"),
        (["--host", "no such host", "--token", "auto"], "--host no such host"),
        (["--host", "a" * 300, "--token", "auto"], "--host aaa"),
    ],
)
def test_what_is_refused(model: Path, capsys, options: list[str], why: str) -> None:
    assert main(["serve", str(model), "--port", "0", *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("topminer: error: ")
    assert why in err
    assert "Traceback" not in err


def test_what_is_no_model_is_refused(tmp_path: Path, capsys) -> None:
    assert main(["serve", str(tmp_path), "--port", "0"]) == 2
    assert "no model here" in capsys.readouterr().err


@pytest.mark.parametrize("absent", ["fastapi", "uvicorn"])
def test_without_the_libraries_it_says_how_to_get_them(model: Path, capsys, monkeypatch, absent: str) -> None:
    monkeypatch.setitem(sys.modules, absent, None)
    assert main(["serve", str(model), "--port", "0"]) == 2
    expected = "topminer serve needs FastAPI and uvicorn: pip install 'topminer[serve]'"
    assert capsys.readouterr().err == f"topminer: error: {expected}\n"


def test_an_address_for_every_host() -> None:
    assert command._address("127.0.0.1", 8000) == "http://127.0.0.1:8000/"
    assert command._address("::1", 8000) == "http://[::1]:8000/"
    assert command._address("0.0.0.0", 80) == f"http://{socket.gethostname()}:80/"
