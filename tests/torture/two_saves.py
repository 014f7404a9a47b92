"""Two processes that write to one directory at the same time: one of them wins, and nothing else is left."""

import json
import os
import random
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from torture.preload import preload
from torture.processes import Child
from torture.specimens import READING, SAMPLING, Specimens, copied, differences, expect_success
from torture.trials import Trials

NAME = "two saves"
WANTED = 60

_SAVES = 8  # by each process, one after the other

Work = Callable[[], int | None]


class Contest(NamedTuple):
    """A kind of work that two processes do at once in one directory."""

    name: str
    references: Callable[[Specimens, Path], list[Path]]  # one of these models must be there in the end
    works: Callable[[Specimens, Path, random.Random], list[Work]]  # what each process does
    check: Callable[[Path], str | None] = lambda directory: None  # what else is wrong in the end


def torture(trials: Trials) -> None:
    """Let two processes save, run, resume, or rename topics; these take turns."""
    specimens = Specimens(trials.folder.parent / "specimens")
    wanted: dict[str, list[Path]] = {}
    for chance in trials:
        contest = CONTESTS[trials.number % len(CONTESTS)]
        if contest.name not in wanted:
            folder = trials.folder / contest.name
            folder.mkdir()
            wanted[contest.name] = contest.references(specimens, folder)
        directory = trials.folder / "both"
        shutil.rmtree(directory, ignore_errors=True)
        complaint = _both(contest.works(specimens, directory, chance), trials.folder / "gate", chance)
        complaint = complaint or contest.check(directory) or differences(directory, *wanted[contest.name])
        if complaint:
            trials.failed(f"{contest.name}: {complaint}")


def _both(works: list[Work], gate: Path, chance: random.Random) -> str | None:
    """Let both work, and say what is wrong with how they end."""
    shutil.rmtree(gate, ignore_errors=True)
    gate.mkdir()
    delays = [chance.choice((0, 0, 0.005, 0.05)) * chance.random() for _ in works]
    children = [Child(_at_once, gate, *each) for each in zip(delays, works, strict=True)]
    endings = [child.ending() for child in children]
    for ending in endings:
        if ending.complaint is not None:
            return ending.complaint
    if all(ending.code != 0 for ending in endings):
        return f"both were refused: {endings[0].printed[-300:]}; {endings[1].printed[-300:]}"
    return None


def _at_once(gate: Path, delay: float, work: Work) -> int | None:
    """Wait for the other process, and then a moment."""
    (gate / str(os.getpid())).touch()
    end = time.monotonic() + 60
    while len(list(gate.iterdir())) < 2 and time.monotonic() < end:
        time.sleep(0.0005)
    time.sleep(delay)
    return work()


def _main(*arguments: str) -> int:
    from topminer.cli import main

    return main(list(arguments))


def _save(specimen: Path, directory: Path, times: int) -> None:
    from topminer.loading import load

    model = load(specimen, n_threads=1)
    for _ in range(times):
        model.save(directory, overwrite=True)


def _made(paths: list[Path], work: Callable[[Path], int | None]) -> list[Path]:
    """References, each made in a child."""
    for path in paths:
        expect_success(preload(work, path), f"making {path}")
    return paths


def _saved(specimens: Specimens, folder: Path) -> list[Path]:
    models = {folder / kind: specimens.model(kind) for kind in ("few", "words")}
    return _made(list(models), lambda path: _save(models[path], path, 1))


def _two_saves(specimens: Specimens, directory: Path, chance: random.Random) -> list[Work]:
    models = [specimens.model(chance.choice(("few", "words"))) for _ in range(2)]
    return [partial(_save, model, directory, _SAVES) for model in models]


def _run(specimens: Specimens, seed: str, directory: Path, *options: str) -> int:
    sampling = [*READING, *SAMPLING, "--topics", "3", "--seed", seed, "--checkpoint-every", "0"]
    return _main("run", str(specimens.corpus), *sampling, *options, "--output", str(directory))


def _were_run(specimens: Specimens, folder: Path) -> list[Path]:
    return _made([folder / "1", folder / "2"], lambda path: _run(specimens, path.name, path))


def _two_runs(specimens: Specimens, directory: Path, chance: random.Random) -> list[Work]:
    options = chance.choice(([], ["--overwrite"]))
    seeds = chance.choice((("1", "2"), ("1", "1")))
    return [partial(_run, specimens, seed, directory, *options) for seed in seeds]


def _resumed(specimens: Specimens, folder: Path) -> list[Path]:
    path = copied(specimens.checkpoint("few"), folder / "resumed")
    return _made([path], lambda path: _main("resume", str(path)))


def _two_resumes(specimens: Specimens, directory: Path, chance: random.Random) -> list[Work]:
    copied(specimens.checkpoint("few"), directory)
    return [partial(_main, "resume", str(directory))] * 2


def _two_labels(specimens: Specimens, directory: Path, chance: random.Random) -> list[Work]:
    copied(specimens.model("few"), directory)
    topics = chance.choice((("1", "2"), ("1", "1")))
    return [partial(_main, "label", str(directory), topic, f"name {topic}") for topic in topics]


def _check_labels(directory: Path) -> str | None:
    try:
        labels = json.loads((directory / "labels.json").read_text(encoding="utf-8"))["labels"]
    except (OSError, ValueError, LookupError) as error:
        return f"labels.json is damaged: {error}"
    return None if {"name 1", "name 2"} & set(labels.values()) else f"neither name was kept: {labels}"


CONTESTS = (
    Contest("two saves", _saved, _two_saves),
    Contest("two runs", _were_run, _two_runs),
    Contest("two resumed runs", _resumed, _two_resumes),
    Contest("two names of topics", lambda specimens, _: [specimens.model("few")], _two_labels, _check_labels),
)
