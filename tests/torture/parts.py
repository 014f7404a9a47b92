"""The parts there are, and one of them run in this process."""

import importlib
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import torture
from torture.results import Row
from torture.trials import Trials

SHORT = 2  # trials of a part in the test suite, unless the part says otherwise


@dataclass(frozen=True)
class Part:
    """A module of trials."""

    module: str
    name: str
    wanted: int
    weight: float
    short: int


def part_modules() -> list[str]:
    """The names of all modules of this package that are parts; none of them is imported."""
    sources = sorted(Path(torture.__path__[0]).glob("*.py"))
    return [path.stem for path in sources if "\nNAME = " in path.read_text(encoding="utf-8")]


def all_parts() -> list[Part]:
    """Every part, by name."""
    found = []
    for name in part_modules():
        part = importlib.import_module(f"torture.{name}")
        weight, short = getattr(part, "WEIGHT", 1), getattr(part, "SHORT", SHORT)
        found.append(Part(name, part.NAME, part.WANTED, weight, short))
    return sorted(found, key=lambda part: part.name)


def chosen(names: list[str]) -> list[Part]:
    """The parts of these names, or of these modules; all, if no name is given."""
    parts = all_parts()
    known = {name: part for part in parts for name in (part.name, part.module)}
    if unknown := [name for name in names if name not in known]:
        raise SystemExit(
            f"there is no part {unknown[0]!r}; there are: {', '.join(part.name for part in parts)}"
        )
    return [known[name] for name in names] if names else parts


def main(module: str, seconds: str, seed: str, first: str, wanted: str, folder: str, result: str) -> None:
    """Run one part, and write what came of it; whatever breaks the part itself ends this process."""
    part = importlib.import_module(f"torture.{module}")
    place = Path(folder) / "trials"
    place.mkdir()
    trials = Trials(part.NAME, int(wanted), float(seconds), int(seed), place, first=int(first))
    try:
        part.torture(trials)
    finally:
        row = Row(trials.name, trials.tried, len(trials.failed_trials), 0.0, trials.note, trials.failures)
        Path(result).write_text(json.dumps(asdict(row)), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
