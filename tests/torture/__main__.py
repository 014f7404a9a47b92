"""``python -m torture``: run the parts, print one table, and tell how to repeat each failure."""

import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from torture import results
from torture.parts import Order, Part, chosen, run_in_process

SLACK = 0.95  # share of the time that is given to trials: the rest is for what ends late
GRACE = 180.0  # seconds that a part may take beyond its time, to end its last trial


def main() -> int:
    """Torture topminer as the command line says; 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60, help="how long all of it may take")
    parser.add_argument("--seed", type=int, default=0, help="other seeds make other trials")
    parser.add_argument(
        "--part", action="append", default=[], metavar="NAME", help="only this part; may be repeated"
    )
    parser.add_argument("--trials", type=int, metavar="N", help="at most so many trials of each part")
    parser.add_argument(
        "--short", action="store_true", help="a few trials of each part, as in the test suite"
    )
    parser.add_argument("--trial", type=int, metavar="N", help="only this trial, to repeat a failure")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="parts that run at the same time")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the table to FILE.json and FILE.md")
    asked = parser.parse_args()
    rows: list[results.Row] = []
    start = time.monotonic()
    waiting = sorted(chosen(asked.part), key=lambda part: -part.weight)  # the heaviest first
    with tempfile.TemporaryDirectory(prefix="topminer-torture-") as folder:
        end = start + 60 * asked.minutes * SLACK
        left = list(waiting)

        def run(part: Part) -> list[results.Row]:
            """Run a part in its share, by weight, of the time that is left now for all jobs."""
            seconds = max(end - time.monotonic(), 0)
            share = min(1, asked.jobs * part.weight / sum(each.weight for each in left))
            left.remove(part)
            return run_in_process(_order(part, seconds * share, asked, Path(folder)), seconds * share + GRACE)

        with ThreadPoolExecutor(asked.jobs) as pool:
            for ended in as_completed([pool.submit(run, part) for part in waiting]):
                rows += ended.result()
                _tell(rows[-1])
                facts = results.facts_of(asked.seed, (time.monotonic() - start) / 60)
                if asked.out is not None:
                    results.write(asked.out, rows, facts)
    print(results.as_markdown(rows, facts))
    return 1 if any(row.failed for row in rows) else 0


def _order(part: Part, seconds: float, asked: argparse.Namespace, parent: Path) -> Order:
    folder = parent / part.module
    folder.mkdir()
    first, wanted = 0, None if asked.short else min(asked.trials or part.wanted, part.wanted)
    if asked.trial is not None:
        first, wanted = asked.trial, 1
    return Order([part.module], str(folder), seconds, asked.seed, first, wanted)


def _tell(row: results.Row) -> None:
    """Tell what came of a part at once: a run that is stopped has not failed in vain."""
    for failure in row.failures:
        print(f"FAILED {failure}\n")
    print(f"{row.part}: {row.tried:,} tried, {row.failed:,} failed in {row.seconds:,.0f} s\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
