"""Commands below random limits on address space and data: each does its job or refuses it with numbers."""

import os
import random
import re
import resource
from collections import Counter
from pathlib import Path

from torture.processes import Ending, run_process
from torture.specimens import expect_success, write_corpus
from torture.trials import Trials

NAME = "memory limits"
WANTED = 60
SHORT = 2

MEGABYTE = 10**6
KINDS = {"address space": resource.RLIMIT_AS, "data": resource.RLIMIT_DATA}
# Documents, words of each, topics: with the last of them it is data that do not fit, and not libraries.
SIZES = (300, 14, 5), (300, 14, 150), (2_000, 100, 20), (60_000, 50, 50)


def torture(trials: Trials) -> None:
    """Draw a command, a corpus and a limit."""
    os.environ["XDG_STATE_HOME"] = str(trials.folder / "state")
    ended: Counter[str] = Counter()
    for chance in trials:
        arguments = _command(chance, trials.number % len(SIZES), trials.folder)
        kind, n_bytes = chance.choice(["address space", "address space", "data"]), _limit(chance)
        ending = run_limited(arguments, KINDS[kind], n_bytes)
        if (complaint := complaint_about(ending)) is not None:
            limit = f"with {n_bytes // MEGABYTE:,} MB of {kind}"
            trials.failed(f"topminer {' '.join(arguments)} {limit}: {complaint}")
        ended["done" if ending.code == 0 else "refused"] += 1
        trials.note = ", ".join(f"{number} {how}" for how, number in sorted(ended.items()))


def run_limited(arguments: list[str], kind: int, n_bytes: int) -> Ending:
    """Run ``topminer ARGUMENTS`` below a limit, as a process of its own."""
    return run_process(arguments, limit=(kind, n_bytes))


def complaint_about(ending: Ending) -> str | None:
    """What is wrong with how a command ended: a refusal has numbers."""
    if ending.complaint is not None or ending.code == 0:
        return ending.complaint
    line = next(line for line in ending.printed.splitlines() if line.startswith("topminer: error:"))
    return None if re.search(r"\d [kMG]B", line) else f"refused without numbers: {line}"


def _limit(chance: random.Random) -> int:
    """A limit of any size, more often one at which libraries just fit."""
    low, high = chance.choice([(40, 4_000), (900, 2_000), (500, 1_200)])
    return int(MEGABYTE * low * (high / low) ** chance.random())


def _command(chance: random.Random, size: int, folder: Path) -> list[str]:
    corpus, model = folder / f"corpus-{size}.jsonl", folder / f"model-{size}"
    if not corpus.exists():
        write_corpus(corpus, *SIZES[size][:2])
    text = [str(corpus), "--text-column", "text"]
    commands = {
        "run": [*_run(size, text, folder / "new"), *chance.choice([[], ["--no-report"]])],
        "topics": ["topics", str(model)],
        "report": ["report", str(model), "--output", str(folder / "report.html"), "--overwrite"],
        "infer": ["infer", str(model), *text, "--output", str(folder / "new.csv"), "--overwrite"],
        "phrases": ["phrases", *text, "--min-support", "3"],
        "inspect": ["inspect", *text],
    }
    command = commands[chance.choice(["run", *commands])]
    if str(model) in command and not model.exists():  # made without a limit when it is first needed
        expect_success(run_process([*_run(size, text, model), "--no-report"]), "a run without a limit")
    return [*command, "--threads", str(chance.choice([1, 2, 4]))]


def _run(size: int, text: list[str], output: Path) -> list[str]:
    sampling = ["--topics", str(SIZES[size][2]), "--sweeps", "10", "--min-support", "3"]
    return ["run", *text, "--id-column", "id", *sampling, "--output", str(output), "--overwrite"]
