"""How sure a model of several chains is: what is stored beside the topics of the best chain."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.store import Stored

RATE = 0.95  # of intervals
# A topic is stable if its mean cosine with the matched topics of the other chains reaches this. From this
# cosine on, two topics of one model count as the same topic twice.
STABLE = 0.8
Floats = NDArray[np.float64]


class Certainty(NamedTuple):
    """What several chains say together. Arrays are in the order of the model's topics and frequencies."""

    model: int  # number of the chain that is the model, from 0
    rate: float  # how often an interval holds the truth
    threshold: float  # of stability: from it on, a topic is stable
    chains: pl.DataFrame  # a row for each: seed, sweeps, log_likelihood (mean of the last rows of history)
    history: pl.DataFrame  # of all chains: chain, sweep, log_likelihood
    stability: Floats  # of each topic: mean cosine with the matched topics of the other chains
    weight: tuple[Floats, Floats]  # ends of the intervals for the share of kept tokens, of each topic
    frequency: tuple[Floats, Floats]  # likewise for each topical frequency

    @property
    def is_stable(self) -> NDArray[np.bool_]:
        """Which topics are stable."""
        return self.stability >= self.threshold

    def stored(self) -> Stored:
        """Return what is written to a directory."""
        arrays: dict[str, NDArray[Any]] = {
            "stability": self.stability,
            "weight_low": self.weight[0],
            "weight_high": self.weight[1],
            "frequency_low": self.frequency[0],
            "frequency_high": self.frequency[1],
        }
        facts = {"model": self.model, "rate": self.rate, "threshold": self.threshold}
        return Stored(facts, arrays, {"chains": self.chains, "history": self.history})

    @classmethod
    def of_stored(cls, stored: Stored) -> Certainty:
        """Take over what was stored."""
        facts, arrays, tables = stored.facts, stored.arrays, stored.tables
        return cls(
            facts["model"],
            facts["rate"],
            facts["threshold"],
            tables["chains"],
            tables["history"],
            arrays["stability"],
            (arrays["weight_low"], arrays["weight_high"]),
            (arrays["frequency_low"], arrays["frequency_high"]),
        )
