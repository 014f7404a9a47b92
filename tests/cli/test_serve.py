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
from runs import all_files
from stops import start

from topminer.cli import serve as command

needs_posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
TOKEN = "a-token-of-some-length"


@contextmanager
def serving(model: Path, *options: str) -> Iterator[tuple[subprocess.Popen, str]]:
    """Start a server, and wait until it says where it is."""
    with start("-m", "topminer", "serve", model, "--port", "0", *options) as process:
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
def test_it_serves_until_it_is_interrupted(titles_model: Path) -> None:
    before = all_files(titles_model)
    with serving(titles_model) as (process, address):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
        status, headers, page = ask(address)
        assert status == 200
        assert page.startswith(b"<!doctype html>")
        assert "server" not in {name.lower() for name in headers}
        status, _, told = ask(address, "/api/topics")
        assert (status, len(json.loads(told))) == (200, 3)
        assert ask(address, "/api/topics", Host="evil.example")[0] == 421
        stop(process, signal.SIGINT, 130, "topminer: interrupted\n")
    assert all_files(titles_model) == before


@needs_posix
def test_a_token_is_made_and_told_and_holds_until_it_is_terminated(titles_model: Path) -> None:
    before = all_files(titles_model)
    with serving(titles_model, "--token", "auto") as (process, address):
        token = re.search(r"\?token=([\w-]{24,})$", address)[1]
        status, headers, _ = ask(address)
        assert (status, headers["location"]) == (303, "/")
        plain = address.partition("?")[0]
        assert ask(plain)[0] == 401
        assert ask(plain, Cookie=headers["set-cookie"].partition(";")[0])[0] == 200
        assert ask(plain, "/api/topics", Authorization=f"Bearer {token}")[0] == 200
        stop(process, signal.SIGTERM, 143, "topminer: terminated\n")
    assert all_files(titles_model) == before


def test_an_own_token_is_not_told(titles_model: Path, topminer, monkeypatch) -> None:
    opened = []
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: None)
    monkeypatch.setattr(command.webbrowser, "open", opened.append)
    arguments = ["serve", titles_model, "--host", "0.0.0.0", "--port", "0", "--token", TOKEN]
    out, err = topminer(*arguments, "--open")
    assert out == "" and "titles at http://" in err and TOKEN not in err
    assert opened[0].endswith(f"/?token={TOKEN}")
    assert topminer(*arguments, "--quiet") == ("", "")


def test_a_port_that_is_taken(titles_model: Path, topminer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        err = topminer("serve", titles_model, "--port", port, code=2)[1]
    taken = f"--port {port} on 127.0.0.1: Address already in use; --port 0 takes any"
    assert err == f"topminer: error: {taken}\n"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        *((["--host", host], "needs a --token") for host in ("0.0.0.0", "example.org", "::")),
        *((["--token", token], "at least 16 characters") for token in ("short", "")),
        (["--token", "with blanks and more; yes"], "letters A to Z"),
        (["--token", "auto", "--quiet"], "does not tell it"),
        *((["--port", port], "--port") for port in ("65536", "-1")),
        (["--host", "no such host", "--token", "auto"], "--host no such host"),
        (["--host", "a" * 300, "--token", "auto"], "--host aaa"),
    ],
)
def test_what_is_refused(titles_model: Path, topminer, options: list[str], why: str) -> None:
    out, err = topminer("serve", titles_model, "--port", "0", *options, code=2)
    assert out == "" and err.startswith("topminer: error: ") and why in err
    assert "Traceback" not in err


def test_what_is_no_model_is_refused(tmp_path: Path, topminer) -> None:
    assert "no model here" in topminer("serve", tmp_path, "--port", "0", code=2)[1]


@pytest.mark.parametrize("absent", ["fastapi", "uvicorn"])
def test_without_the_libraries_it_says_how_to_get_them(topminer, monkeypatch, absent: str) -> None:
    monkeypatch.setitem(sys.modules, absent, None)
    expected = "topminer serve needs FastAPI and uvicorn: pip install 'topminer[serve]'"
    assert topminer("serve", "absent", code=2)[1] == f"topminer: error: {expected}\n"


def test_an_address_for_every_host() -> None:
    assert command._address("127.0.0.1", 8000) == "http://127.0.0.1:8000/"
    assert command._address("::1", 8000) == "http://[::1]:8000/"
    assert command._address("0.0.0.0", 80) == f"http://{socket.gethostname()}:80/"
