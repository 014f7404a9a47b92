"""All parts, each in a process of its own, some at a time: how long each may take, and what came of it."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from torture.parts import Part
from torture.results import Row

GRACE = 180.0  # seconds that a part may take beyond its time, to end its last trial
_SPOILING = {"NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK", "TOPMINER_TOKEN"}


@dataclass(frozen=True)
class Wish:
    """What is asked of a run."""

    seconds: float
    seed: int
    trials: int | None = None  # of each part, at most
    short: bool = False  # only as many as a test can take
    trial: int | None = None  # this one alone
    jobs: int = 2


@dataclass
class Running:
    """A part under way."""

    part: Part
    process: subprocess.Popen[bytes]
    result: Path
    output: Path
    started: float
    seconds: float


def run_parts(parts: list[Part], wish: Wish, ended: Callable[[list[Row]], None]) -> list[Row]:
    """Run all parts, those of the greatest weight first, and return a row of each.

    ``ended`` is given all rows so far whenever a part ends, its own row last.
    The time of all jobs together is divided by weight. What a part does not use is left to those that start
    later.
    """
    waiting = sorted(parts, key=lambda part: -part.weight)
    running: list[Running] = []
    rows: dict[str, Row] = {}
    end = time.monotonic() + wish.seconds
    with tempfile.TemporaryDirectory(prefix="topminer-torture-") as folder:
        while waiting or running:
            while waiting and len(running) < wish.jobs:
                seconds = _seconds_for(waiting, running, end, wish.jobs)
                running.append(_started(waiting.pop(0), seconds, wish, Path(folder)))
            for each in [each for each in running if _has_ended(each)]:
                running.remove(each)
                rows[each.part.name] = _row(each)
                ended(list(rows.values()))
            time.sleep(0.05)
    return [rows[part.name] for part in parts]


def _seconds_for(waiting: list[Part], running: list[Running], end: float, jobs: int) -> float:
    """The time of the next part: its share of all that is left, but not beyond the end."""
    now = time.monotonic()
    taken = sum(max(each.started + each.seconds - now, 0) for each in running)
    left = max(jobs * (end - now) - taken, 0)
    return min(left * waiting[0].weight / sum(part.weight for part in waiting), max(end - now, 0))


def _started(part: Part, seconds: float, wish: Wish, folder: Path) -> Running:
    place = folder / part.module
    place.mkdir()
    result, output = place / "result.json", place / "output"
    first, wanted = 0, part.short if wish.short else min(wish.trials or part.wanted, part.wanted)
    if wish.trial is not None:
        first, wanted = wish.trial, 1
    arguments = [part.module, seconds, wish.seed, first, wanted, place, result]
    with output.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "torture.parts", *map(str, arguments)],
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
        )
    return Running(part, process, result, output, time.monotonic(), seconds)


def _environment() -> dict[str, str]:
    """That of this process, with kernels compiled and without checks of their indices."""
    others = {name: value for name, value in os.environ.items() if name not in _SPOILING}
    paths = [str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**others, "PYTHONPATH": os.pathsep.join(paths)}


def _has_ended(each: Running) -> bool:
    if time.monotonic() > each.started + each.seconds + GRACE:
        each.process.kill()
        each.process.wait()
    return each.process.poll() is not None


def _row(each: Running) -> Row:
    """The row that a part wrote; a part that broke has failed, whatever it tried."""
    row = Row(each.part.name)
    if each.result.exists():
        row = Row(**json.loads(each.result.read_text(encoding="utf-8")))
    row.seconds = time.monotonic() - each.started
    if each.process.returncode != 0:
        printed = each.output.read_text(encoding="utf-8", errors="replace")[-3000:]
        row.failures.append(f"the part {each.part.name} itself broke ({each.process.returncode}): {printed}")
        row.tried, row.failed = row.tried + 1, row.failed + 1
    return row
