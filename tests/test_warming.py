"""Compiling beforehand, compiling side by side, and how much there is to compile."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba import config
from project import ROOT

from topminer.cli import main
from topminer.jit.cache import observed_by
from topminer.warming import processes
from topminer.warming.jobs import FUNCTIONS, JOBS, jobs_of_comparison, jobs_of_run, n_functions_of
from topminer.warming.processes import (
    CompilationFailed,
    Compiler,
    Helper,
    compile_all,
    compiled_for_host,
    helper,
    n_missing,
)

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="the JIT is off")

MOST_FOR_DEMO, MOST_FOR_RUN = 80, 110  # functions: a budget that new kernels must keep
COUNTED = """
import sys
from topminer.cli import main
from topminer.jit import on_compile

with on_compile(print):
    assert main(sys.argv[1:]) == 0
"""


def test_every_job_is_counted() -> None:
    assert set(FUNCTIONS) == set(JOBS)
    assert n_functions_of(["dense", "sparse"]) < FUNCTIONS["dense"] + FUNCTIONS["sparse"]
    assert [jobs_of_run(k)[1:] for k in (5, 20, 1000)] == [["registers"], ["dense"], ["sparse"]]
    assert jobs_of_run(20, 5, 30) == ["text", "dense", "registers"]
    assert jobs_of_comparison(5, ["tng", "lda", "kert"]) == ["text", "registers", "tng", "kert"]


def test_after_warming_no_command_compiles_anything(tmp_path: Path) -> None:
    for n_done, expected in compile_all(2):
        assert n_done <= expected
    command = [sys.executable, str(ROOT / "tests" / "warmed.py"), str(tmp_path)]
    without = os.environ | {"TOPMINER_COMPILE_HELPER": "0"}
    done = subprocess.run(command, capture_output=True, text=True, env=without)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert list(compile_all(2)) == []


def test_warm_says_that_there_is_nothing_left(capsys) -> None:
    list(compile_all(2))
    assert main(["warm"]) == 0
    assert capsys.readouterr().err == "Everything was compiled already\n"


@pytest.mark.parametrize(
    ("command", "most", "jobs"),
    [
        (["demo"], MOST_FOR_DEMO, jobs_of_run(8)),
        (["run", "texts.txt", "--topics", "200"], MOST_FOR_RUN, jobs_of_run(200)),
    ],
)
def test_there_is_little_to_compile(tmp_path: Path, command: list[str], most: int, jobs: list[str]) -> None:
    """Each function counts once for each signature, Numba's own functions included."""
    from topminer.demo import paragraphs

    (tmp_path / "texts.txt").write_text("\n".join(paragraphs()), encoding="utf-8")
    options = ["--quiet"] if command == ["demo"] else ["--sweeps", "120", "--output", "model", "--quiet"]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "TOPMINER_COMPILE_HELPER": "0"}
    done = subprocess.run(
        [sys.executable, "-c", COUNTED, *command, *options],
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
        check=True,
    )
    functions = done.stdout.split()
    assert len(functions) <= most, functions
    assert len(functions) == pytest.approx(n_functions_of(jobs), rel=0.25)  # as the bar says


def test_a_process_that_fails_is_reported(monkeypatch) -> None:
    monkeypatch.setitem(FUNCTIONS, "no such job", 1)
    with pytest.raises(CompilationFailed, match=r"compiling for 'no such job' failed: KeyError"):
        list(compile_all(1, ["no such job"]))
    with monkeypatch.context() as patch:
        patch.setattr(processes, "compile_all", lambda n: compile_all(n, ["no such job"]))
        assert main(["warm"]) == 2


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"TOPMINER_JIT_CACHE": "0"}, "compiled kernels are not stored"),
        ({"NUMBA_DISABLE_JIT": "1"}, "compiled kernels are not stored"),
        ({"NUMBA_CACHE_DIR": "{}"}, "compiled kernels cannot be written to"),
    ],
)
def test_warm_does_not_promise_what_cannot_be_stored(
    tmp_path: Path, variables: dict[str, str], message: str
) -> None:
    (tmp_path / "file").write_text("not a folder")
    given = {name: value.format(tmp_path / "file") for name, value in variables.items()}
    # One short job stands for all: nothing that it compiles is stored.
    script = "from topminer.warming.processes import compile_all; print(list(compile_all(1, ['results'])))"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | given)
    assert f"CompilationFailed: {message}" in done.stderr, done.stderr


class _Compiling(Compiler):
    """Compiles one kernel, and is done with it when somebody has waited three times."""

    def __init__(self) -> None:
        self.waited = 0

    def is_compiling(self, kernel: str) -> bool:
        return kernel == "slow" and self.waited < 3

    def wait(self, seconds: float) -> None:
        self.waited += 1

    def stop(self) -> int:
        return 0


def test_a_process_waits_for_what_its_helper_compiles_and_for_nothing_else(monkeypatch) -> None:
    monkeypatch.setattr(processes, "Compiler", lambda jobs: _Compiling())
    drawn: list[int] = []
    started = Helper(["text"])
    started.on_wait = lambda: drawn.append(1)
    assert started.missing("other") and not drawn
    assert started.missing("slow") and len(drawn) == 3


def test_without_a_helper_all_is_compiled_here(monkeypatch) -> None:
    def no_more(jobs: list[str]) -> Compiler:
        raise BlockingIOError("Resource temporarily unavailable")

    monkeypatch.setattr(processes, "Compiler", no_more)
    started = Helper(["text"])
    with observed_by(started):
        assert not started.missing("any")
    started.stop()


@pytest.mark.parametrize("shipped", [False, True])
def test_shipped_kernels_are_compiled_for_this_machine_meanwhile(monkeypatch, shipped: bool) -> None:
    started: list[tuple[list[str], bool]] = []

    def compiler(jobs: list[str], *, for_host: bool) -> Compiler:
        started.append((jobs, for_host))
        return _Compiling()

    monkeypatch.setattr(processes, "Compiler", compiler)
    monkeypatch.setattr(processes, "can_use_shipped", lambda: shipped)
    monkeypatch.setattr(processes, "is_done", lambda job, *, also_shipped: also_shipped or job == "text")
    monkeypatch.delenv(processes.HELPER, raising=False)
    with compiled_for_host(["text", "dense"]):
        pass
    assert started == ([(["dense"], True)] if shipped else [])


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_helper_needs_a_core_and_something_to_do(monkeypatch, n_threads: int) -> None:
    monkeypatch.setattr(processes, "Compiler", lambda jobs: _Compiling())
    monkeypatch.setattr(processes.os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    monkeypatch.delenv(processes.HELPER, raising=False)
    for is_empty in (False, True):
        monkeypatch.setattr(processes, "is_empty", lambda is_empty=is_empty: is_empty)
        with helper(["text"], n_threads) as started:
            assert (started is not None) == (n_threads == 2 and is_empty)
    monkeypatch.setenv(processes.HELPER, "0")
    with helper(["text"], n_threads) as started:
        assert started is None


def test_how_much_is_missing(monkeypatch) -> None:
    monkeypatch.setattr(processes, "is_done", lambda job: job == "dense")
    jobs = ["text", "dense", "sparse"]
    for is_empty, missing in ((True, ["text", "sparse"]), (False, ["sparse"])):
        monkeypatch.setattr(processes, "is_empty", lambda is_empty=is_empty: is_empty)
        assert n_missing(jobs) == n_functions_of(missing)


def test_a_helper_says_what_it_does_and_can_be_ended_at_any_time(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    compiler = Compiler(["text"])
    while compiler.n_functions < 3 and compiler.is_running:
        compiler.wait(1.0)
    assert compiler.n_functions >= 3, compiler.last_line
    compiler.stop()
    assert not compiler.is_running
