"""Several chains of one model, one after the other. The best of them is the model.

Of each finished chain a few tables are kept (topics/sampler/finished.py), and of the best so far the whole
state, from which its sampler is restored at the end. All of it goes into a checkpoint, in this order, so that
a run which is stopped at any moment goes on to the same model::

    chain        the state of the chain that is running, now and then
    best         its state after its last sweep, if it is better than all before
    finished2    what is kept of it: from now on the second chain is done

A stored state is of the chain that is running if it has its seed; else that chain starts anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import polars as pl

from topminer.errors import InputError
from topminer.memory import return_freed
from topminer.progress import Progress
from topminer.store import AnyReader, AnyWriter
from topminer.topics.model.several import best_of, certainty_of
from topminer.topics.sampler import finished
from topminer.topics.sampler.chain import AfterSweep, Chain, stored_state


class Checkpoint(Protocol):
    """Where the results of steps are stored, in memory or on disk."""

    def writer(self, kind: str) -> AnyWriter:
        """Return a writer, to save the result of a step."""

    def reader(self, kind: str) -> AnyReader | None:
        """Return a reader of what was saved last, or None."""


# Return a new chain at its start: given its number, its seed, and the number of topics that the first chain
# has found (None for the first chain itself).
StartChain = Callable[[int, int | None], Chain]


def seeds_of_chains(seed: int, n_chains: int) -> list[int]:
    """Return the seed of each chain, all different. The first is the seed itself.

    >>> seeds_of_chains(7, 1), len(set(seeds_of_chains(7, 20)))
    ([7], 20)
    """
    seeds = [seed]
    for number in range(1, n_chains):
        words = np.random.SeedSequence(seed, spawn_key=(number,)).generate_state(4)
        seeds.append(next(word for word in map(int, words) if word not in seeds))
    return seeds


class Chains:
    """Chains that differ by their seeds, and where their results are stored."""

    def __init__(self, seed: int, n_chains: int, checkpoint: Checkpoint, start: StartChain) -> None:
        self.seeds = seeds_of_chains(seed, n_chains)
        self._checkpoint, self._start = checkpoint, start

    def run(self, progress: Progress, after_sweep: AfterSweep) -> Chain:
        """Run all chains that are not finished. Return the best, with its :class:`Certainty`."""
        n_chains, n_topics = len(self.seeds), None
        likelihoods: list[float] = []
        chain, kept = None, -1
        for number in range(n_chains):
            reader = self._checkpoint.reader(f"finished{number + 1}")
            if reader is None:
                if chain is not None:
                    chain.sampler.drop()
                    return_freed()
                chain, kept = self._chain(number, n_topics), number
                chain.label = f"chain {number + 1} of {n_chains}"
                try:
                    chain.run(progress, after_sweep)
                finally:
                    chain.sampler.close()
                reader = self._store(chain, number, likelihoods)
            elif reader.facts["seed"] != self.seeds[number]:
                raise InputError(f"damaged: the finished chain {number + 1} is of another run")
            likelihoods.append(finished.likelihood_of(_history(reader)))
            n_topics = reader.lengths()["tokens"]
        best = best_of(likelihoods)
        if chain is None or kept != best:
            if chain is not None:
                chain.sampler.drop()
            chain = self._restored(best, n_topics)
        chain.certainty = certainty_of(best, n_chains, self._finished)
        return chain

    def _chain(self, number: int, n_topics: int | None) -> Chain:
        """Return a chain at its start, or in its stored state."""
        chain = self._start(self.seeds[number], n_topics if number else None)
        reader = self._checkpoint.reader("chain")
        if reader is not None and reader.facts["seed"] == self.seeds[number]:
            chain.restore(stored_state(reader))
        return chain

    def _store(self, chain: Chain, number: int, likelihoods: list[float]) -> AnyReader:
        """Store what is kept of a chain that has just finished."""
        likelihood = finished.likelihood_of(chain.history())
        if best_of([*likelihoods, likelihood]) == number:
            with self._checkpoint.writer("best") as writer:
                chain.save(writer)
        with self._checkpoint.writer(f"finished{number + 1}") as writer:
            finished.save(chain, writer)
        reader = self._checkpoint.reader(f"finished{number + 1}")
        assert reader is not None
        return reader

    def _restored(self, number: int, n_topics: int | None) -> Chain:
        """Return a finished chain whose state is stored."""
        reader = self._checkpoint.reader("best")
        if reader is None or reader.facts["seed"] != self.seeds[number]:
            raise InputError("damaged: the state of the best chain is missing")
        chain = self._start(self.seeds[number], n_topics)
        chain.restore(stored_state(reader))
        chain.sampler.close()
        return chain

    def _finished(self, number: int) -> finished.FinishedChain:
        reader = self._checkpoint.reader(f"finished{number + 1}")
        assert reader is not None
        return finished.restored(reader)


def _history(reader: AnyReader) -> pl.DataFrame:
    history = reader.table("history")
    if not history.height:
        raise InputError("damaged: a finished chain has no history")
    return history
