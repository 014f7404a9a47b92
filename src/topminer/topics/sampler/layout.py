"""What every process knows of a chain: it follows from the partition and the parameters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.topics.sampler.latin_square import (
    FEW,
    MOST_FEW,
    Types,
    TypeTable,
    arrange_types,
    n_shards_for,
    path_for,
)


class Layout(NamedTuple):
    """The phrase types in their places, and what a chain is told."""

    types: Types
    in_phrases: NDArray[np.uint8]
    sizes: NDArray[np.int64]  # instances of the type at each place
    n_tokens: int
    longest: int  # document, in tokens
    n_topics: int
    n_shards: int
    path: str
    seed: int

    def key(self, sweep: int, phase: int, shard: int) -> np.uint64:
        """The stream of random numbers of one block."""
        seeds = np.random.SeedSequence([self.seed, sweep, phase, shard])
        return np.uint64(seeds.generate_state(1, np.uint64)[0])


def lay_out(
    table: TypeTable,
    longest: int,
    n_topics: int,
    n_shards: int | None = None,
    seed: int = 0,
    path: str | None = None,
) -> Layout:
    """Arrange phrase types for a chain; ``path`` is for tests, otherwise the number of topics decides."""
    n_tokens, n_topics = int(np.diff(table.start) @ table.instances), int(n_topics)
    n_shards, path = int(n_shards or 0) or n_shards_for(n_tokens), path or path_for(n_topics)
    if path == FEW and n_topics > MOST_FEW:
        raise ValueError(f"the path {FEW!r} is for up to {MOST_FEW} topics, not {n_topics}")
    types, in_phrases = arrange_types(table, n_topics, n_shards)
    sizes = table.instances[types.at]
    return Layout(types, in_phrases, sizes, n_tokens, longest, n_topics, n_shards, path, seed)


def type_bounds(layout: Layout, n: int) -> NDArray[np.int64]:
    """Cut the phrase types into ``n`` ranges of about as many instances."""
    instances = np.zeros(layout.types.place_of.size, np.int64)
    instances[layout.types.at] = layout.sizes
    ends = np.cumsum(instances)
    wanted = layout.sizes.sum() * np.arange(1, n) / n
    return np.concatenate(([0], np.searchsorted(ends, wanted), [ends.size]))
