"""The phrase types of a partition, as they are stored: enough to show phrases without their documents."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.phrases.partition import Partition
from topminer.store import Stored


class PhraseTypes(NamedTuple):
    """Single words first, then types of several words by first occurrence."""

    start: NDArray[np.int64]  # type i is the stems `stems[start[i]:start[i + 1]]`
    stems: NDArray[np.int32]
    instances: NDArray[np.int64]  # how often each type occurs in the partition
    surfaces: list[str]  # how each type of several words is shown

    @classmethod
    def of(cls, partition: Partition) -> PhraseTypes:
        """Return the types of a partition."""
        return cls(partition.type_start, partition.type_stems, partition.instances(), partition.surfaces())

    @classmethod
    def of_words(cls, instances: NDArray[np.int64]) -> PhraseTypes:
        """Return the types of a partition in which every word stands alone."""
        n_stems = instances.size
        return cls(np.arange(n_stems + 1), np.arange(n_stems, dtype=np.int32), instances, [])

    @classmethod
    def of_stored(cls, stored: Stored, n_stems: int) -> PhraseTypes:
        """Return the types that were stored with a partition of a vocabulary of ``n_stems`` stems."""
        arrays, words = stored.arrays, np.arange(n_stems)
        return cls(
            np.concatenate((words, n_stems + arrays["type_start"])),
            np.concatenate((words.astype(np.int32), arrays["type_stems"])),
            arrays["instances"],
            stored.tables["surfaces"]["surface"].to_list(),
        )

    def stored(self, n_stems: int) -> Stored:
        """Return the types as they are written to a directory; single words follow from the vocabulary."""
        arrays = {
            "type_start": self.start[n_stems:] - self.start[n_stems],
            "type_stems": self.stems[n_stems:],
            "instances": self.instances,
        }
        surfaces = pl.DataFrame({"surface": pl.Series(self.surfaces, dtype=pl.String)})
        return Stored({}, arrays, {"surfaces": surfaces})

    def check(self, partition: Partition) -> None:
        """Raise InputError unless these are the types of ``partition``."""
        if not (
            np.array_equal(self.start, partition.type_start)
            and np.array_equal(self.stems, partition.type_stems)
            and np.array_equal(self.instances, partition.instances())
        ):
            raise InputError("the phrase types are not those of the partition")


def stored_partition(partition: Partition) -> Stored:
    """Return a partition with phrases as it is written to a directory, beside its corpus."""
    assert partition.strength is not None
    types = PhraseTypes.of(partition).stored(partition.corpus.n_stems)
    return Stored({}, {"strength": partition.strength, **types.arrays}, types.tables)
