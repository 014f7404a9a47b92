"""Commands below random limits on address space and data: each does its job or refuses it with numbers."""

import os
import random
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from torture.processes import Ending
from torture.specimens import write_corpus
from torture.trials import Trials

NAME = "memory limits"
WANTED = 60
SHORT = 2

PATIENCE = 300.0  # seconds for one command
MEGABYTE = 10**6
KINDS = {"address space": resource.RLIMIT_AS, "data": resource.RLIMIT_DATA}
# Documents, words of each, topics: with the last of them it is data that do not fit, and not libraries.
SIZES = (300, 14, 5), (300, 14, 150), (2_000, 100, 20), (60_000, 50, 50)
_TEXT = ["--text-column", "text"]


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
    command = [sys.executable, "-m", "topminer", *arguments]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            preexec_fn=lambda: resource.setrlimit(kind, (n_bytes, n_bytes)),
        )
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        output.seek(0)
        printed = output.read().decode("utf-8", "replace")
    return Ending(process.returncode, printed, hung=process.returncode == -9)


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
    corpus, model = _specimen(size, folder)
    commands: dict[str, Callable[[], list[str]]] = {
        "run": lambda: [*_run(size, corpus, folder / "new"), *chance.choice([[], ["--no-report"]])],
        "topics": lambda: [str(model)],
        "report": lambda: [str(model), "--output", str(folder / "report.html"), "--overwrite"],
        "infer": lambda: [
            str(model),
            str(corpus),
            *_TEXT,
            "--output",
            str(folder / "new.csv"),
            "--overwrite",
        ],
        "phrases": lambda: [str(corpus), *_TEXT, "--min-support", "3"],
        "inspect": lambda: [str(corpus), *_TEXT],
    }
    name = chance.choice(["run", *commands])
    return [name, *commands[name](), "--threads", str(chance.choice([1, 2, 4]))]


def _run(size: int, corpus: Path, output: Path) -> list[str]:
    n_topics = str(SIZES[size][2])
    reading = [str(corpus), *_TEXT, "--id-column", "id"]
    sampling = ["--topics", n_topics, "--sweeps", "10", "--min-support", "3"]
    return [*reading, *sampling, "--output", str(output), "--overwrite"]


def _specimen(size: int, folder: Path) -> tuple[Path, Path]:
    """A corpus and a model of it, made without a limit when they are first asked for."""
    corpus, model = folder / f"corpus-{size}.jsonl", folder / f"model-{size}"
    if not model.exists():
        write_corpus(corpus, *SIZES[size][:2])
        arguments = ["run", *_run(size, corpus, model), "--no-report"]
        command = [sys.executable, "-m", "topminer", *arguments]
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return corpus, model
