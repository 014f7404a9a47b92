"""Runs that are killed at random moments and resumed: the model must be the same, byte for byte."""

import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from torture.processes import TRACEBACK, Ending, run_process
from torture.specimens import differences, expect_success, write_corpus
from torture.trials import Trials

NAME = "kills"
WANTED = 100
WEIGHT = 3
SHORT = 1

MOST_KILLS = 4
COMPILING = "Compiling kernels"  # printed by a run whose kernels are not in Numba's cache
STAGES = "reading", "mining", "sampling", "saving", "reporting"
# Documents, topics, sweeps and seconds between two checkpoints: in each of these, other stages take long.
SIZES = (150, 5, 20, 0), (3_000, 20, 30, 0.05), (20_000, 50, 8, 0.1)


@dataclass
class Reference:
    """An undisturbed run: its command, its model, and how long each stage took."""

    arguments: list[str]
    model: Path
    seconds: dict[str, float]


def torture(trials: Trials) -> None:
    """Kill a run in a stage that is drawn, and resume it; the resumed run may be killed as well."""
    os.environ["XDG_STATE_HOME"] = str(trials.folder / "state")
    references: dict[int, Reference] = {}
    hit: Counter[str] = Counter()
    for chance in trials:
        size = trials.number % len(SIZES)
        if size not in references:
            references[size] = _undisturbed(size, trials.folder)
        directory = trials.folder / "killed"
        shutil.rmtree(directory, ignore_errors=True)
        complaint = _killed_and_resumed(directory, references[size], chance, hit)
        if complaint is not None:
            trials.failed(complaint)
        trials.note = "killed while " + ", ".join(
            f"{stage} {number}" for stage, number in sorted(hit.items())
        )


def _undisturbed(size: int, folder: Path) -> Reference:
    n_documents, n_topics, n_sweeps, every = SIZES[size]
    corpus = write_corpus(folder / f"corpus-{size}.jsonl", n_documents)
    arguments = [str(corpus), "--text-column", "text", "--time-column", "year", "--topics", str(n_topics)]
    arguments += ["--sweeps", str(n_sweeps), "--checkpoint-every", str(every), "--min-support", "5"]
    for name in ("first", "second"):
        model = folder / f"{name}-{size}"
        stages = _Stopwatch(model)
        ending = run_process(["run", *arguments, "--output", str(model)], is_time_to_kill=stages)
        expect_success(ending, "an undisturbed run")
        if COMPILING not in ending.printed:  # otherwise the stages of a second run are measured
            break
    return Reference(arguments, model, stages.seconds)


class _Stopwatch:
    """Measures how long a run is in each stage; it is called again and again, and never says to kill."""

    def __init__(self, directory: Path) -> None:
        self.seconds = dict.fromkeys(("starting", *STAGES, "ending"), 0.0)
        self._directory, self._last = directory, time.monotonic()

    def __call__(self) -> bool:
        now = time.monotonic()
        self.seconds[stage_of(self._directory)] += now - self._last
        self._last = now
        return False


def stage_of(directory: Path) -> str:
    """What a run is doing, as its directory shows it."""
    checkpoint = directory / "checkpoint"
    if (directory / "model.json").exists():
        return "ending" if (directory / "report.html").exists() else "reporting"
    if not (checkpoint / "plan.json").exists():
        return "starting"
    if not (checkpoint / "corpus.json").exists():
        return "reading"
    if not (checkpoint / "chain.json").exists():
        return "mining"
    return "saving" if any(directory.glob("model*")) else "sampling"


def _killed_and_resumed(
    directory: Path, reference: Reference, chance: random.Random, hit: Counter[str]
) -> str | None:
    """Kill a run some times, let it end at last, and say what is wrong then."""
    story: list[str] = []
    for _ in range(chance.randrange(1, MOST_KILLS + 1)):
        command = _next_command(directory, reference)
        ending = run_process(command, is_time_to_kill=_moment(directory, reference, chance))
        if ending.code != -9:  # it was quicker than its killer
            if complaint := _complaint(ending):
                return f"{' then '.join(story)}: {command[0]}: {complaint}"
            break
        stage = stage_of(directory)
        hit[stage if command[0] == "run" else f"{stage} again"] += 1
        story.append(f"{command[0]} killed while {stage}")
    for _ in range(2):  # what is done says so
        command = _next_command(directory, reference)
        if complaint := _complaint(run_process(command)):
            return f"{' then '.join(story)}: {command[0]}: {complaint}"
    wrong = differences(directory, reference.model)
    if wrong is None and not (directory / "report.html").is_file():
        wrong = "there is no report.html"
    return None if wrong is None else f"{' then '.join(story)}: {wrong}"


def _next_command(directory: Path, reference: Reference) -> list[str]:
    """Resume if there is anything to resume, or else run again."""
    if (directory / "checkpoint" / "plan.json").exists() or (directory / "model.json").exists():
        return ["resume", str(directory)]
    return ["run", *reference.arguments, "--output", str(directory)]


def _moment(directory: Path, reference: Reference, chance: random.Random) -> Callable[[], bool]:
    """What tells that the moment to kill has come: some time after a stage has begun."""
    stage, share = chance.choice(STAGES), chance.random()
    later = {*STAGES[STAGES.index(stage) :], "ending"}
    delay = share * reference.seconds[stage]
    if stage_of(directory) in later:  # the stage has begun before: the command needs time to come back to it
        delay = share * (reference.seconds["starting"] + reference.seconds[stage])
    begun: list[float] = []

    def has_come() -> bool:
        if not begun and stage_of(directory) in later:
            begun.append(time.monotonic())
        return bool(begun) and time.monotonic() - begun[0] >= delay

    return has_come


def _complaint(ending: Ending) -> str | None:
    if ending.code != 0 or TRACEBACK in ending.printed:
        return f"exit code {ending.code}: {ending.printed[-1500:]}"
    return None
