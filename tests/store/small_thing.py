"""Stored things that are as small as can be, and have some of everything."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from stored_things import declared

from topminer import store
from topminer.store import Stored
from topminer.store.schema import Format

FACTS: dict[str, Any] = {"name": "näme", "n": 3, "nested": {"list": [1, None, "x"]}}
ARRAYS = {
    "ids": np.arange(10, dtype=np.int32),
    "starts": np.array([0, 5, 10], np.int64),
    "empty": np.zeros(0),
}
TABLES = {"words": pl.DataFrame({"word": ["a", "é", None], "n": [1, 2, 3]}), "none": pl.DataFrame({"x": []})}

# With the fixture `small_parts`, this one is stored in three parts of each array and table.
NUMBERS = np.arange(10, dtype=np.int32)
WORDS = pl.DataFrame({"word": [None, *(f"word {i}" for i in range(8))], "n": range(9)})
LARGE = Stored({"n": 1}, {"numbers": NUMBERS, "empty": np.zeros(0)}, {"words": WORDS, "none": TABLES["none"]})
PARTS = declared("thing", LARGE.facts, LARGE.arrays, LARGE.tables)


def kind(name: str) -> Format:
    return declared(name, FACTS, ARRAYS, TABLES)


THING = kind("thing")


def write(directory: Path, n: int = 3, *, overwrite: bool = False, form: Format = THING) -> None:
    store.write(directory, form, Stored({**FACTS, "n": n}, ARRAYS, TABLES), overwrite=overwrite)


def n_stored(directory: Path, form: Format = THING) -> int:
    return int(store.read(directory, form).facts["n"])
