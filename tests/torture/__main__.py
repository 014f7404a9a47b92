"""``python -m torture``: run the parts, print one table, and tell how to repeat each failure."""

import argparse
import sys
import time
from pathlib import Path

from torture import results
from torture.parts import chosen
from torture.schedule import Wish, run_parts

SLACK = 0.95  # share of the time that is given to trials: the rest is for what ends late


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
    start = time.monotonic()

    def ended(rows: list[results.Row]) -> None:
        _tell(rows[-1])
        if asked.out is not None:
            minutes = (time.monotonic() - start) / 60
            results.write(asked.out, rows, results.facts_of(asked.seed, minutes))

    seconds = 60 * asked.minutes * SLACK
    wish = Wish(seconds, asked.seed, asked.trials, asked.short, asked.trial, asked.jobs)
    rows = run_parts(chosen(asked.part), wish, ended)
    print(results.as_text(rows))
    return 1 if any(row.failed for row in rows) else 0


def _tell(row: results.Row) -> None:
    """Tell what came of a part at once: a run that is stopped has not failed in vain."""
    for failure in row.failures:
        print(f"FAILED {failure}\n")
    print(f"{row.part}: {row.tried:,} tried, {row.failed:,} failed in {row.seconds:,.0f} s\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
