"""Intervals for the topical frequencies of the phrases that topics are shown with."""

from __future__ import annotations

import numpy as np
import polars as pl

from topminer.errors import InputError
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.listing import Listing
from topminer.topics.results.summary import Summary


def phrase_intervals(model: Fitted | Summary, listing: Listing | None = None) -> pl.DataFrame:
    """Return a row for each phrase of the topics' lists: topic, phrase, frequency, low, high.

    The interval of a phrase with several variants is the sum of theirs, which is rather too wide. The model
    must have several chains.
    """
    summary = Summary.of(model)
    lda = summary.model.lda_
    if lda.certainty_ is None:
        raise InputError("intervals need several chains: fit with n_chains=2 or more (--chains)")
    listing = Listing.usual(summary.model) if listing is None else listing
    entries, types = summary.entries_of(tie=listing.tie), lda.frequency_
    n_topics, shown = np.int64(summary.n_topics), entries.frequency
    keys, entry = np.unique(entries.entry_of[types.types] * n_topics + types.topics, return_inverse=True)
    low, high = (np.bincount(entry, ends) for ends in lda.certainty_.frequency)
    places = np.concatenate([np.zeros(0, np.int64), *summary.places(listing)])
    at = np.searchsorted(keys, shown.types[places] * n_topics + shown.topics[places])
    return pl.DataFrame(
        {
            "topic": shown.topics[places],
            "phrase": pl.Series(
                [entries.text(each) for each in shown.types[places].tolist()], dtype=pl.String
            ),
            "frequency": shown.mean[places],
            "low": low[at],
            "high": high[at],
        }
    )
