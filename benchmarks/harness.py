"""How everything here is measured: rivals in one process, turn by turn, medians, ratios; memory as peaks."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def corpus_path(name: str) -> Path:
    """A corpus of ../shared/data; benchmarks have no meaning without it."""
    path = SHARED / name
    if not path.exists():
        raise SystemExit(f"{path} is not there: benchmarks need the corpora of ../shared/data")
    return path


def texts_of(name: str, limit: int | None = None) -> list[str]:
    """The documents of a corpus, as Python strings."""
    from topminer.text.reading.reader import Reading

    texts = [text for batch in Reading(corpus_path(name)) for text in batch.texts.to_list()]
    return texts[:limit]


def seconds(function: Callable[[], Any]) -> float:
    """Wall time of one call; what it returns is dropped outside the clock."""
    gc.collect()
    start = time.perf_counter()
    result = function()
    elapsed = time.perf_counter() - start
    del result
    return elapsed


def alternate(contestants: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median seconds of each contestant, who take turns for ``rounds`` rounds."""
    return {name: statistics.median(each) for name, each in turns(contestants, rounds).items()}


def turns(contestants: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each contestant in each of ``rounds`` rounds, in which they take turns."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            times[name].append(seconds(run))
    return times


def peak_bytes(function: Callable[[], Any]) -> tuple[int, Any]:
    """How far one call pushes this process's resident memory above where it stood, and its result."""
    gc.collect()
    forget_peak()
    before = status("VmRSS")
    result = function()
    return status("VmHWM") - before, result


def forget_peak() -> None:
    """Let VmHWM start again at what is resident now."""
    Path("/proc/self/clear_refs").write_text("5")


def status(field: str) -> int:
    """A size in /proc/self/status, in bytes: VmRSS is what is resident, VmHWM its peak."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return 1024 * int(line.split()[1])
    raise KeyError(field)


def table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table, ready for docs/performance.md."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
