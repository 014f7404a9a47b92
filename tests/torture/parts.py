"""The parts there are, and processes that run them."""

import importlib
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torture
from torture.results import Row
from torture.trials import Trials

SHORT = 2  # trials of a part in the test suite, unless the part says otherwise
_SPOILING = {"NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK", "TOPMINER_TOKEN"}


@dataclass(frozen=True)
class Part:
    """A module of trials."""

    module: str
    name: str
    wanted: int
    weight: float
    short: int


@dataclass(frozen=True)
class Order:
    """Parts that one process runs, one after the other."""

    modules: list[str]
    folder: str  # an empty one, for the trials and, in the end, ``rows.json``
    seconds: float = 600.0  # for each part
    seed: int = 0
    first: int = 0  # trial of each part
    wanted: int | None = None  # trials of each part; None: as many as the test suite makes


def part_modules() -> list[str]:
    """The names of all modules of this package that are parts; none of them is imported."""
    sources = sorted(Path(torture.__path__[0]).glob("*.py"))
    return [path.stem for path in sources if "\nNAME = " in path.read_text(encoding="utf-8")]


def part_of(module: str) -> Part:
    """A part, by the name of its module."""
    part = importlib.import_module(f"torture.{module}")
    weight, short = getattr(part, "WEIGHT", 1), getattr(part, "SHORT", SHORT)
    return Part(module, part.NAME, part.WANTED, weight, short)


def chosen(names: list[str]) -> list[Part]:
    """The parts of these names, or of these modules; all, if no name is given."""
    parts = sorted(map(part_of, part_modules()), key=lambda part: part.name)
    known = {name: part for part in parts for name in (part.name, part.module)}
    if unknown := [name for name in names if name not in known]:
        raise SystemExit(f"no part {unknown[0]!r}; there are: {', '.join(part.name for part in parts)}")
    return [known[name] for name in names] if names else parts


def run_in_process(order: Order, timeout: float) -> list[Row]:
    """Run some parts in a process: kernels are compiled, and do not check their indices.

    A part that broke has failed, whatever it tried.
    """
    others = {name: value for name, value in os.environ.items() if name not in _SPOILING}
    paths = [str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    command = [sys.executable, "-m", "torture.parts", json.dumps(asdict(order))]
    output, start = Path(order.folder) / "output", time.monotonic()
    with output.open("wb") as file:
        environment = {**others, "PYTHONPATH": os.pathsep.join(paths)}
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file
        )
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    written = Path(order.folder) / "rows.json"
    rows = [Row(**row) for row in json.loads(written.read_text())] if written.exists() else []
    if process.returncode != 0:
        rows = rows or [Row(part_of(order.modules[0]).name, seconds=time.monotonic() - start)]
        printed = output.read_text(encoding="utf-8", errors="replace")[-3000:]
        rows[-1].failures.append(f"the part itself broke ({process.returncode}): {printed}")
        rows[-1].tried, rows[-1].failed = rows[-1].tried + 1, rows[-1].failed + 1
    return rows


def run(order: Order) -> None:
    """Run some parts here, and write what came of each."""
    rows = []
    for module in order.modules:
        folder = Path(order.folder) / module
        folder.mkdir()
        part, start = part_of(module), time.monotonic()
        wanted = part.short if order.wanted is None else order.wanted
        trials = Trials(part.name, wanted, order.seconds, order.seed, folder, first=order.first)
        try:
            importlib.import_module(f"torture.{module}").torture(trials)
        finally:
            counts = trials.tried, len(trials.failed_trials), time.monotonic() - start
            rows.append(asdict(Row(trials.name, *counts, trials.note, trials.failures)))
            (Path(order.folder) / "rows.json").write_text(json.dumps(rows), encoding="utf-8")


if __name__ == "__main__":
    run(Order(**json.loads(sys.argv[1])))
