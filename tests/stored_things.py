"""What tests of stored things share: declarations of anything, and valid parts of a checkpoint."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from topminer import Corpus
from topminer.run.checkpoint import Checkpoint
from topminer.store import Stored
from topminer.store.facts import Record, Sizes
from topminer.store.schema import Array, Column, Format, Range, Section, Table

# -------------------------------------------------------------------------------------- loose declarations


class Anything:
    """A fact that may have any value."""

    def check(self, value: Any, sizes: Sizes) -> None:
        pass

    def __str__(self) -> str:
        return "anything"


def declared(
    kind: str,
    facts: Iterable[str] = (),
    arrays: Mapping[str, Any] | None = None,
    tables: Mapping[str, pl.DataFrame] | None = None,
) -> Format:
    """A declaration that these examples fit, and whatever has their names, types and columns."""
    return Format(
        kind,
        {
            "": Section(
                Record(dict.fromkeys(facts, Anything())),
                {
                    name: Array(each.dtype.str, f"size of {name}", Range(infinite=True))
                    for name, each in (arrays or {}).items()
                },
                {
                    name: Table(
                        f"rows of {name}",
                        {column: Column(dtype, nulls=True) for column, dtype in each.schema.items()},
                    )
                    for name, each in (tables or {}).items()
                },
            )
        },
    )


# ------------------------------------------------------------------------------ valid parts of a checkpoint


def plan_of(corpus: str = "päpers.txt", **changed: Any) -> dict[str, Any]:
    """What `topminer run` writes down of a run."""
    reading = {
        **dict.fromkeys(
            ("text", "id", "time", "format", "stop_words", "token_pattern", "kinds", "add_stop_words")
        ),
        "encoding": "utf-8",
        "errors": "replace",
        "language": "english",
        "stem": True,
        "stop_word_policy": "skip",
        "numbers": True,
    }
    model = {
        **dict.fromkeys(("max_length", "n_shards", "alpha", "always", "never")),
        "n_topics": 5,
        "min_support": "auto",
        "significance": 4.0,
        "quality": "auto",
        "evidence": "auto",
        "ties": "auto",
        "beta": 0.01,
        "n_sweeps": 20,
        "n_chains": 1,
        "optimize_interval": 50,
        "burn_in": 100,
        "split": "auto",
        "start": "factorised",
        "phrases": True,
        "random_state": 7,
    }
    plan = {
        "id": "0" * 32,
        "corpus": corpus,
        "reading": reading,
        "filters": {"min_df": 1, "max_df": 1.0, "dedupe": False},
        "model": model,
        "keep_texts": True,
        "report": False,
        "checkpoint_every": 30.0,
        "engine": "local",
        "elsewhere": False,
    }
    assert set(changed) <= set(plan)
    return {**plan, **changed}


def save(checkpoint: Checkpoint, kind: str, stored: Stored) -> None:
    """Store the result of a step."""
    with checkpoint.writer(kind) as writer:
        writer.write(stored.arrays, stored.tables)
        writer.finish(stored.facts)


def loaded(checkpoint: Checkpoint, kind: str) -> Stored | None:
    """What was saved last, or None."""
    reader = checkpoint.reader(kind)
    return None if reader is None else reader.stored()


def small_corpus() -> Stored:
    """A corpus of two documents."""
    return Corpus.from_texts(["mining frequent patterns", "a neural network"]).stored()


def small_chain(sweep: int) -> Stored:
    """A state as it is declared, of no chain in particular."""
    facts = {
        "sweep": sweep,
        "seed": 7,
        "n_shards": 1,
        "beta": 0.01,
        "n_samples": 0,
        "rows": [],
        "tried": [],
        "seconds": 1.5,
        "split": "none",
    }
    none, z = np.zeros(0, np.int64), np.full(4, sweep % 5, np.uint16)
    arrays = {
        "z": z,
        "n_dk": np.zeros(0, np.uint16),
        "list_size": np.zeros(0, np.int32),
        "z_rare": np.zeros(0, np.uint16),
        "alpha": np.full(5, 0.1),
    }
    return Stored(facts, {**arrays, **dict.fromkeys(("keys", "sums", "squares", "sampled"), none)}, {})
