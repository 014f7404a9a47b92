"""How a run ends: its exit code and its last words."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from clocks import ENOUGH
from stops import start

import topminer
from topminer import memory
from topminer.cli import app as app_module
from topminer.cli import main
from topminer.errors import InputError

TOPMINER = (sys.executable, "-m", "topminer")


@pytest.fixture
def fail_with(monkeypatch):
    """Make a command line whose one command raises the error given."""

    def install(error: BaseException) -> None:
        def command() -> None:
            raise error

        app = typer.Typer()
        app.command()(command)
        monkeypatch.setattr(app_module, "command", lambda: typer.main.get_command(app))

    return install


@pytest.mark.parametrize(
    ("error", "last_words"),
    [
        (InputError("papers.csv: no column 'text'"), "papers.csv: no column 'text'"),
        (InputError("[red]not markup[/red] :smile:"), "[red]not markup[/red] :smile:"),
        (InputError("two\nlines \x1b[31m"), r"two lines \x1b[31m"),
        (PermissionError(errno.EACCES, "Permission denied", "papers.csv"), "papers.csv: Permission denied"),
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
    ],
)
def test_what_a_user_can_mend_is_one_line(fail_with, capsys, error, last_words) -> None:
    fail_with(error)
    assert main([]) == 2
    assert capsys.readouterr() == ("", f"topminer: error: {last_words}\n")


NEEDS_LESS = "fewer topics, fewer documents or a smaller sample need less"


def from_cause(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "reason", "advice"),
    [
        (MemoryError("no 7.45 GiB for an array"), ": no 7.45 GiB for an array", NEEDS_LESS),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), ": [Errno 12] Cannot allocate memory", NEEDS_LESS),
        (RuntimeError("can't start new thread"), ": can't start new thread", NEEDS_LESS),
        (ImportError("x.so: failed to map segment"), ": x.so: failed to map segment", "raise the limit"),
        (from_cause(OSError("Could not load libllvmlite.so"), MemoryError()), "", NEEDS_LESS),
    ],
)
@pytest.mark.parametrize(("free", "told"), [(12_300_000, "; without this work 12.3 MB are free"), (None, "")])
def test_want_of_memory_is_one_line_with_numbers(
    fail_with, capsys, monkeypatch, error, reason, advice, free, told
) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda reserve: free)
    fail_with(error)
    assert main([]) == 2
    assert capsys.readouterr() == ("", f"topminer: error: out of memory{reason}{told}: {advice}\n")


def test_a_bug_shows_its_traceback_and_says_so(fail_with, capsys) -> None:
    fail_with(ZeroDivisionError("division by zero"))
    assert main([]) == 1
    message = capsys.readouterr().err
    assert message.startswith("Traceback")
    assert message.splitlines()[-1].startswith("topminer: this is a bug in topminer")


def test_a_reader_who_has_gone_is_no_error(fail_with, capsys) -> None:
    fail_with(BrokenPipeError())
    assert main([]) == 141
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("frobnicate", "no such command 'frobnicate'\nTry 'topminer --help'.\n"),
        ("inspect", "missing argument 'CORPUS'\nTry 'topminer inspect --help'.\n"),
        ("inspect x --format pdf", "invalid value for '--format': 'pdf' is not one of"),
        ("inspect x --threads 0", "invalid value for '--threads'"),
        ("inspect x --nonsense", "no such option: --nonsense"),
    ],
)
def test_bad_usage_is_one_line_and_a_hint(topminer, arguments: str, message: str) -> None:
    out, err = topminer(*arguments.split(), code=2)
    assert (out, len(err.splitlines())) == ("", 2)
    assert err.startswith(f"topminer: error: {message}")


def test_the_version(capsys) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr() == (f"topminer {topminer.__version__}\n", "")


@pytest.mark.parametrize(
    ("typed", "found"),
    [("topminer in", {"infer", "inspect"}), ("topminer run --qu", {"--quality", "--quiet"})],
)
def test_a_shell_completes_commands_and_options(typed: str, found: set[str]) -> None:
    place = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" ")), "_TOPMINER_COMPLETE": "complete_bash"}
    done = subprocess.run(TOPMINER, env=os.environ | place, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == found


def test_completion_installs_with_one_command(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "SHELL": "/bin/bash"}
    command = ["bash", "-c", '"$@"; true', "-", *TOPMINER, "--install-completion"]  # a shell is its parent
    subprocess.run(command, env=os.environ | home, capture_output=True, text=True, check=True)
    assert "_TOPMINER_COMPLETE" in (tmp_path / ".bash_completions" / "topminer.sh").read_text()


def test_no_command_at_all_shows_the_help(capsys) -> None:
    assert main([]) == 0
    assert "topminer demo" in capsys.readouterr().out


# From here on: real processes.

WAITING = """
import sys, time
from topminer.cli import main
from topminer.cli.app import app

@app.command()
def wait():
    try:
        print("ready", flush=True)
        time.sleep(600)
    finally:
        print("cleaned up", flush=True)

sys.exit(main(["wait"]))
"""


needs_posix = pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")


@needs_posix
@pytest.mark.parametrize(
    ("signum", "code", "last_words"),
    [(signal.SIGINT, 130, "topminer: interrupted\n"), (signal.SIGTERM, 143, "topminer: terminated\n")],
)
def test_an_interrupted_run_cleans_up_and_says_so(signum, code, last_words) -> None:
    with start("-c", WAITING) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signum)
        assert process.communicate(timeout=ENOUGH) == ("cleaned up\n", last_words)
    assert process.returncode == code


@needs_posix
def test_an_interrupt_while_the_command_is_still_being_imported_leaves_no_traceback(tmp_path: Path) -> None:
    # Some libraries turn whatever interrupts them into an ImportError.
    (tmp_path / "typer.py").write_text(
        "import time\nprint('ready', flush=True)\n"
        "try:\n    time.sleep(600)\n"
        "except KeyboardInterrupt:\n    raise ImportError('something went wrong')\n"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    with start("-m", "topminer", env=os.environ | {"PYTHONPATH": path}) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=ENOUGH) == ("", "topminer: interrupted\n")
    assert process.returncode == 130


@needs_posix
@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_a_closed_pipe_ends_the_run_silently(arguments) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [sys.executable, "-m", "topminer", *arguments]
    run = subprocess.run(command, stdout=write_end, stderr=subprocess.PIPE)
    os.close(write_end)
    assert (run.returncode, run.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_one_line() -> None:
    command = [sys.executable, "-m", "topminer", "--version"]
    with open("/dev/full", "w") as full:
        run = subprocess.run(command, stdout=full, stderr=subprocess.PIPE)
    assert (run.returncode, run.stderr) == (2, b"topminer: error: No space left on device\n")


@needs_posix
def test_a_closed_output_is_no_bug() -> None:
    command = f"{sys.executable} -m topminer --version >&-"
    run = subprocess.run(command, shell=True, stderr=subprocess.PIPE)
    assert (run.returncode, run.stderr) == (0, b"")
