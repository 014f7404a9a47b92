"""What lies in a model directory: the model, byte for byte, and whatever should not be there."""

import hashlib
import os
from pathlib import Path

BESIDE = {"run.json", "run.toml", "report.html", "labels.json", "names.json"}  # these differ from run to run


def digests(directory: Path) -> dict[str, str]:
    """The checksum of each file of the model, by its path in the directory."""
    found = {}
    for path in sorted(directory.rglob("*")):
        name = str(path.relative_to(directory))
        if path.is_file() and name not in BESIDE:
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def names(directory: Path) -> set[str]:
    """All that lies in a directory itself, hidden files included; nothing if there is no such directory."""
    try:
        return set(os.listdir(directory))
    except FileNotFoundError:
        return set()


def differences(directory: Path, *wanted: Path) -> str | None:
    """What is wrong in a directory that should hold one of the models ``wanted``, and nothing else."""
    found = digests(directory)
    for each in wanted:
        if found == digests(each):
            strange = names(directory) - names(each) - BESIDE
            return f"left behind: {', '.join(sorted(strange))}" if strange else None
    others = [set(found.items()) ^ set(digests(each).items()) for each in wanted]
    different = sorted({name for name, _ in min(others, key=len)})
    return f"not the model that was expected; these files differ: {', '.join(different[:5])}"
