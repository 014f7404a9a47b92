"""Whether the sweeps of a model were enough, and whether one topic took too much of the text."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.phrases.advice import Advice, Try
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.sampler.chain import HISTORY_INTERVAL, MOST_SWEEPS
from topminer.topics.sampler.flatness import LEAST_GAIN, gain

# Chains agree if their log likelihoods per token differ by no more, which is 2 % of perplexity. Four chains
# of 1,000 sweeps differed by 0.01 on titles, and by 0.03 to 0.05 on abstracts (docs/certainty.md).
MOST_DIFFERENCE = 2 * LEAST_GAIN
LARGE = 1 / 3  # of all kept tokens, in one topic


class Verdict(NamedTuple):
    """Whether the sweeps were enough."""

    n_sweeps: int
    stops: bool  # whether the chain stopped by itself (n_sweeps="auto")
    gain: float | None  # of log likelihood per token in the last 100 sweeps; None: there are too few sweeps
    n_chains: int
    difference: float | None  # between the log likelihoods of the best and the worst chain

    @property
    def is_flat(self) -> bool | None:
        """Whether the likelihood no longer rises; None: that cannot be said."""
        return None if self.gain is None else self.gain < LEAST_GAIN

    @property
    def agree(self) -> bool | None:
        """Whether the chains are equally likely; None: there is one."""
        return None if self.difference is None else self.difference <= MOST_DIFFERENCE

    def lines(self) -> list[str]:
        """Return what is found, in sentences."""
        if self.gain is None:
            found = [f"{self.n_sweeps:,} sweeps are too few to say whether the likelihood still rises."]
        else:
            state = "flat" if self.is_flat else "still rising"
            change = f"{self.gain:+.4f} a token in the last 100"
            found = [f"The likelihood was {state} after {self.n_sweeps:,} sweeps: {change}."]
        if self.difference is not None:
            agree = "agree" if self.agree else "disagree"
            differ = f"their log likelihoods differ by {self.difference:.4f} a token"
            found.append(f"The {self.n_chains} chains {agree}: {differ}.")
        return found

    def advice(self) -> str | None:
        """Return what to try, in one line; None if there is nothing to say."""
        more = f"--sweeps {4 * self.n_sweeps}"
        if self.is_flat is False:
            auto = "" if self.stops or self.n_sweeps >= MOST_SWEEPS else " or --sweeps auto"
            return f"The likelihood was still rising after {self.n_sweeps:,} sweeps: try {more}{auto}"
        if self.agree is False:
            differ = f"log likelihoods of the {self.n_chains} chains differ by {self.difference:.3f} a token"
            return f"The {differ}: a better chain may exist, try more --chains or {more}"
        return None


def verdict_of(lda: PhraseLDA) -> Verdict:
    """Return whether the sweeps of a fitted model were enough."""
    history, certainty = lda.history_, lda.certainty_
    sweeps = history["sweep"].to_list()
    rows = zip(sweeps, history["log_likelihood"].to_list(), strict=True)
    regular = [likelihood for sweep, likelihood in rows if sweep % HISTORY_INTERVAL == 0]
    difference = None
    if certainty is not None:
        difference = float(np.ptp(certainty.chains["log_likelihood"].to_numpy()))
    return Verdict(
        sweeps[-1] if sweeps else 0,
        isinstance(lda.n_sweeps, str),
        gain(regular[-4:]) if len(regular) >= 4 else None,
        1 if certainty is None else certainty.chains.height,
        difference,
    )


def large_topic(n_k: NDArray[np.integer]) -> Advice | None:
    """Return a warning if one topic holds more than a third of the kept tokens; with few topics, 2 / K.

    Background topics count as well: a topic of everything is one, most of the time, and the remedies are the
    same.
    """
    share = float(n_k.max(initial=0)) / max(int(n_k.sum()), 1)
    if share <= max(LARGE, 2 / max(n_k.size, 1)):
        return None
    return Advice(
        f"One topic holds {share:.0%} of the kept tokens",
        ("it describes no part of the text in particular",),
        (
            Try("more topics"),
            Try("shorter pieces of documents with", "split"),
            Try("more", "add_stop_words"),
            Try("a lower", "max_df"),
        ),
    )
