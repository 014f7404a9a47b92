"""Trials that damage a copy of a model or a checkpoint and then use it."""

import json
import random
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from torture.commands import RESUME, Use, uses_of
from torture.preload import preload
from torture.processes import GIGABYTE, in_child
from torture.specimens import OPTIONS, Specimens, copied, expect_success
from torture.trials import Trials

KINDS = [(kind, stage) for kind in OPTIONS for stage in ("model", "checkpoint")]
MEMORY = 4 * GIGABYTE
SECONDS = 120
LONG = 20  # seconds after which work is asked to stop that may rightly take any time


class Damaged(NamedTuple):
    """What was done to a copy, and whether nothing may accept it."""

    what: str
    must_refuse: bool = False


Damage = Callable[[Path, random.Random, int], Damaged]


def damage_and_use(
    trials: Trials,
    damage: Damage,
    check: Callable[[Path], str | None] = lambda directory: None,
    seconds: float = SECONDS,
    may_take_long: bool = False,
) -> None:
    """In each trial, copy a model or a checkpoint, damage the copy, and see how a command gets on with it.

    ``damage`` is given the copy, random numbers, and a number that goes up by one each time a specimen of
    this kind is damaged. ``check`` is given the copy after its use, and says what is wrong there. Specimens
    take turns. ``may_take_long`` if a damaged checkpoint may ask for very many sweeps: then a resumed run is
    interrupted at last.
    """
    specimens = Specimens(trials.folder.parent / "specimens")
    for chance in trials:
        turn, place = divmod(trials.number, len(KINDS))
        kind, stage = KINDS[place]
        specimen = specimens.model(kind) if stage == "model" else specimens.checkpoint(kind)
        use = RESUME if stage == "checkpoint" else chance.choice(uses_of(kind))
        _expect_use(use, specimen, specimens.corpus)
        places = *_prepared(specimen, trials.folder), specimens.corpus
        interrupt_after = LONG if may_take_long and use is RESUME else None
        what, complaint = _trial(use, places, (damage, chance, turn + place), seconds, interrupt_after)
        if complaint := complaint or check(places[0]):
            trials.failed(f"{use.name} of {kind} {stage}, {what}: {complaint}")


def _prepared(specimen: Path, parent: Path) -> tuple[Path, Path]:
    """A copy of the specimen, and an empty folder."""
    folder = parent / "results"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return copied(specimen, parent / "copy"), folder


@cache
def _expect_use(use: Use, specimen: Path, corpus: Path) -> None:
    """Use an undamaged copy once, so that all later children have its kernels, and see that this works."""
    directory, folder = _prepared(specimen, specimen.parent)
    ending = preload(use.run, directory, folder, corpus)
    expect_success(ending, f"{use.name} of {specimen.name}")
    if complaint := use.check(ending, folder):
        raise RuntimeError(f"{use.name} of {specimen.name}, without any damage: {complaint}")


def _trial(
    use: Use,
    places: tuple[Path, Path, Path],
    how: tuple[Damage, random.Random, int],
    seconds: float,
    interrupt_after: float | None = None,
) -> tuple[str, str | None]:
    """What was damaged, and what went wrong then."""
    folder, notes = places[1], places[1].with_name("notes")
    notes.unlink(missing_ok=True)
    work = _damage_and_use, use, places, how, notes
    ending = in_child(*work, seconds=seconds, memory=MEMORY, interrupt_after=interrupt_after)
    if not notes.exists():
        return "the torture itself failed", ending.complaint
    damaged = Damaged(*json.loads(notes.read_text(encoding="utf-8")))
    complaint = use.complaint(ending, folder)
    if complaint is None and damaged.must_refuse and ending.code == 0:
        complaint = "was not refused"
    return damaged.what, complaint


def _damage_and_use(
    use: Use, places: tuple[Path, Path, Path], how: tuple[Damage, random.Random, int], notes: Path
) -> int | None:
    damage, chance, turn = how
    damaged = damage(places[0], chance, turn)
    notes.write_text(json.dumps(damaged), encoding="utf-8")
    return use.run(*places)
