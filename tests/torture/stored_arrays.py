"""Arrays and tables of models and checkpoints with forged content, checksums recomputed."""

import io
import random
from pathlib import Path

import numpy as np
import polars as pl

from torture.content_damage import damaged_array, damaged_table
from torture.damaging import Damaged, damage_and_use
from torture.forge import replace_file, stored_files
from torture.trials import Trials

NAME = "stored arrays"
WANTED = 2_000
WEIGHT = 3
SHORT = 3


def torture(trials: Trials) -> None:
    """Damage one array or table after the other."""
    damage_and_use(trials, _damage)


def _damage(directory: Path, chance: random.Random, turn: int) -> Damaged:
    files = list(stored_files(directory))
    random.Random(0).shuffle(files)
    file = files[turn % len(files)]
    content = file.path.read_bytes()
    if file.name.endswith(".npy"):
        what, new = damaged_array(np.load(io.BytesIO(content)), chance)
    else:
        what, new = damaged_table(pl.read_parquet(io.BytesIO(content)), chance)
    replace_file(file, new)
    return Damaged(f"{file.manifest.stem} {file.name}: {what}")
