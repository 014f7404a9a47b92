"""Two processes that write to one directory at the same time: one of them wins, and nothing else is left."""

import json
import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from torture.directories import differences
from torture.preload import preload
from torture.processes import Child, Ending
from torture.specimens import READING, SAMPLING, Specimens, copied, expect_success
from torture.trials import Trials

NAME = "two saves"
WANTED = 60

_SAVES = 8  # by each process, one after the other

Work = Callable[[], int | None]


def torture(trials: Trials) -> None:
    """Let two processes save, run, resume, or rename topics; these take turns."""
    kinds = [_TwoSaves, _TwoRuns, _TwoResumes, _TwoLabels]
    specimens = Specimens(trials.folder / "specimens")
    made: dict[int, _Two] = {}
    for chance in trials:
        turn = trials.number % len(kinds)
        if turn not in made:
            made[turn] = kinds[turn](specimens, trials.folder / f"references-{turn}")
        directory = trials.folder / "both"
        shutil.rmtree(directory, ignore_errors=True)
        if complaint := made[turn].complaint(directory, chance):
            trials.failed(f"{made[turn].name}: {complaint}")


class _Two:
    """A kind of work that two processes do at once in one directory."""

    name = ""

    def __init__(self, specimens: Specimens, folder: Path) -> None:
        self.specimens = specimens
        folder.mkdir()
        self.wanted = self.references(folder)

    def references(self, folder: Path) -> list[Path]:
        """The models of which one must lie in the directory in the end."""
        raise NotImplementedError

    def works(self, directory: Path, chance: random.Random) -> list[Work]:
        """What each process does there."""
        raise NotImplementedError

    def complaint(self, directory: Path, chance: random.Random) -> str | None:
        """Let both work, and say what is wrong then."""
        gate = directory.with_name("gate")
        shutil.rmtree(gate, ignore_errors=True)
        gate.mkdir()
        children = []
        for work in self.works(directory, chance):
            delay = chance.choice((0, 0, 0.005, 0.05)) * chance.random()
            children.append(Child(_at_once, gate, delay, work))
        endings = [child.ending() for child in children]
        for ending in endings:
            if ending.complaint is not None:
                return ending.complaint
        if all(ending.code != 0 for ending in endings):
            return f"both were refused: {endings[0].printed[-300:]}; {endings[1].printed[-300:]}"
        return self.wrong(directory, endings)

    def wrong(self, directory: Path, endings: list[Ending]) -> str | None:
        """What is wrong with the directory in the end."""
        return differences(directory, *self.wanted)


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


class _TwoSaves(_Two):
    name = "two saves"

    def references(self, folder: Path) -> list[Path]:
        found = []
        for kind in ("few", "words"):
            ending = preload(_save, self.specimens.model(kind), folder / kind, 1)
            expect_success(ending, f"saving the specimen {kind}")
            found.append(folder / kind)
        return found

    def works(self, directory: Path, chance: random.Random) -> list[Work]:
        models = [self.specimens.model(chance.choice(("few", "words"))) for _ in range(2)]
        return [_saving(model, directory) for model in models]


def _saving(model: Path, directory: Path) -> Work:
    return lambda: _save(model, directory, _SAVES)


def _save(specimen: Path, directory: Path, times: int) -> None:
    from topminer.loading import load

    model = load(specimen, n_threads=1)
    for _ in range(times):
        model.save(directory, overwrite=True)


class _TwoRuns(_Two):
    name = "two runs"

    def references(self, folder: Path) -> list[Path]:
        found = []
        for seed in ("1", "2"):
            ending = preload(_main, *self._arguments(folder / seed, seed))
            expect_success(ending, "a run")
            found.append(folder / seed)
        return found

    def works(self, directory: Path, chance: random.Random) -> list[Work]:
        options = chance.choice(([], ["--overwrite"]))
        seeds = chance.choice((("1", "2"), ("1", "1")))
        return [_running([*self._arguments(directory, seed), *options]) for seed in seeds]

    def _arguments(self, directory: Path, seed: str) -> list[str]:
        corpus = str(self.specimens.corpus)
        options = [*READING, *SAMPLING, "--topics", "3", "--seed", seed, "--checkpoint-every", "0"]
        return ["run", corpus, *options, "--output", str(directory)]


def _running(arguments: list[str]) -> Work:
    return lambda: _main(*arguments)


class _TwoResumes(_Two):
    name = "two resumed runs"

    def references(self, folder: Path) -> list[Path]:
        path = copied(self.specimens.checkpoint("few"), folder / "resumed")
        expect_success(preload(_main, "resume", str(path)), "resuming")
        return [path]

    def works(self, directory: Path, chance: random.Random) -> list[Work]:
        copied(self.specimens.checkpoint("few"), directory)
        return [_running(["resume", str(directory)])] * 2


class _TwoLabels(_Two):
    name = "two names of topics"

    def references(self, folder: Path) -> list[Path]:
        return [self.specimens.model("few")]

    def works(self, directory: Path, chance: random.Random) -> list[Work]:
        copied(self.specimens.model("few"), directory)
        topics = chance.choice(((1, 2), (1, 1)))
        return [_running(["label", str(directory), str(topic), f"name {topic}"]) for topic in topics]

    def wrong(self, directory: Path, endings: list[Ending]) -> str | None:
        try:
            labels = json.loads((directory / "labels.json").read_text(encoding="utf-8"))["labels"]
        except (OSError, ValueError, LookupError) as error:
            return f"labels.json is damaged: {error}"
        if not {"name 1", "name 2"} & set(labels.values()):
            return f"neither name was kept: {labels}"
        return super().wrong(directory, endings)
