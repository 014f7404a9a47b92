"""Small models and checkpoints, made once for each torture run: trials damage copies of them.

There is one of each way of sampling (few, dense and packed topics, several shards), one of single words, and
one without texts. All are made by the command line, in children.
"""

import json
import os
import random
import shutil
from pathlib import Path

from directories import BESIDE, model_bytes, names_in

from torture.preload import preload
from torture.processes import Ending, in_child

OPTIONS = {
    "few": ["--topics", "3"],
    "dense": ["--topics", "40"],
    "packed": ["--topics", "150"],
    "shards": ["--topics", "4", "--shards", "3"],
    "words": ["--topics", "5", "--no-phrases"],
    "untold": ["--topics", "4", "--no-texts"],
}
READING = ["--text-column", "text", "--id-column", "id", "--time-column", "year"]
PRIORS = ["--optimize-interval", "5", "--burn-in", "5"]
SAMPLING = ["--sweeps", "20", "--min-support", "3", "--seed", "1", "--threads", "1", "--no-report", *PRIORS]
# So many manifests are written to a checkpoint before its run dies: the plan, the corpus, and the chain after
# each of twelve sweeps. By then the priors were fitted, history was recorded, and a sample was taken.
STOP_AFTER = 14

_PHRASES = (
    "support vector machine",
    "neural network",
    "frequent pattern mining",
    "query index",
    "gene sequence",
)
_TEXT = """
support vector machine learning kernel margin classifier training neural network layer weight gradient query
database index transaction storage join graph node edge path community ranking retrieval document topic phrase
corpus mining pattern frequent itemset stream cluster centroid distance image feature pixel speech signal
noise protein gene sequence alignment robot sensor planning reward agent policy market price auction
"""


def write_corpus(path: Path, n_documents: int = 60, n_words: int = 14, seed: int = 0) -> Path:
    """Write documents with an id and a year each; words are drawn, and some phrases come back."""
    chance, words = random.Random(seed), _TEXT.split()
    with path.open("w", encoding="utf-8") as file:
        for number in range(n_documents):
            pieces = [chance.choice(words) for _ in range(n_words)]
            for phrase in chance.sample(_PHRASES, 2):
                pieces.insert(chance.randrange(len(pieces)), phrase)
            text = f"{' '.join(pieces[:7]).capitalize()}. {' '.join(pieces[7:])}!"
            row = {"id": f"d{number}", "year": str(1990 + number % 12), "text": text}
            file.write(json.dumps(row) + "\n")
    return path


class Specimens:
    """Models and checkpoints in a folder; each is made when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.corpus = write_corpus(folder / "corpus.jsonl")
        os.environ["XDG_STATE_HOME"] = str(folder / "state")

    def model(self, kind: str) -> Path:
        """A finished model, with a label."""
        path = self.folder / f"{kind}-model"
        if not path.exists():
            expect_success(preload(_run, self._arguments(kind, path), path), f"making {path.name}")
        return path

    def checkpoint(self, kind: str) -> Path:
        """A run that died while it sampled."""
        path = self.folder / f"{kind}-checkpoint"
        if not path.exists():
            expect_success(in_child(_die, self._arguments(kind, path), seconds=600), f"making {path.name}")
        return path

    def _arguments(self, kind: str, path: Path) -> list[str]:
        return ["run", str(self.corpus), *READING, *SAMPLING, *OPTIONS[kind], "--output", str(path)]


def _run(arguments: list[str], directory: Path) -> int:
    from topminer.cli import main

    return main(arguments) or main(["label", str(directory), "0", "Learning machines"])


def _die(arguments: list[str]) -> int:
    """Run until so many manifests are in the checkpoint, and end this process there and then."""
    from topminer.cli import main

    replace, left = os.replace, STOP_AFTER

    def replace_and_die(source: Path, target: Path) -> None:
        nonlocal left
        replace(source, target)
        if Path(target).parent.name == "checkpoint" and Path(target).suffix == ".json":
            left -= 1
            if left == 0:
                os._exit(0)

    os.replace = replace_and_die  # type: ignore[assignment]
    main([*arguments, "--checkpoint-every", "0"])
    return 1


def copied(specimen: Path, target: Path) -> Path:
    """A copy of a specimen, to be damaged; what lay there before is removed."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(specimen, target, copy_function=shutil.copyfile)
    return target


def expect_success(ending: Ending, what: str) -> None:
    """Stop the part if something fails that nobody damaged: its trials would show nothing."""
    if ending.code != 0:
        raise RuntimeError(
            f"{what} fails without any damage: exit code {ending.code}: {ending.printed[-2000:]}"
        )


def differences(directory: Path, *wanted: Path) -> str | None:
    """What is wrong in a directory that should hold one of the models ``wanted``, and nothing else."""
    found = model_bytes(directory)
    for each in wanted:
        if found == model_bytes(each):
            strange = names_in(directory) - names_in(each) - BESIDE
            return f"left behind: {', '.join(sorted(strange))}" if strange else None
    others = [set(found.items()) ^ set(model_bytes(each).items()) for each in wanted]
    different = sorted({name for name, _ in min(others, key=len)})
    return f"not the model that was expected; these files differ: {', '.join(different[:5])}"
