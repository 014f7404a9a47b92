"""What pages and charts say of a model, computed once for all of them."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from topminer.topics.results.entries import Entries
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.labels import names_of
from topminer.topics.results.periods import Periods, periods, topic_trend
from topminer.topics.results.similarity import similarities
from topminer.views.report.documents import Documents


class Found:
    """A fitted model, and what views find in it when they first look."""

    def __init__(self, model: Fitted) -> None:
        self.model = model
        self.documents = Documents(model)

    @cached_property
    def entries(self) -> Entries:
        """What lists of phrases show, variants tied."""
        return Entries.of(self.model)

    @cached_property
    def names(self) -> list[str]:
        """The automatic label of each topic."""
        return names_of(self.entries, self.topic_word)

    @cached_property
    def topic_word(self) -> NDArray[np.float64]:
        """φ."""
        return self.model.lda_.topic_word_

    @cached_property
    def similarity(self) -> NDArray[np.float64]:
        """How similar each two topics are."""
        return similarities(self.topic_word)

    @cached_property
    def periods(self) -> Periods | None:
        """The times of the documents."""
        return periods(self.model.corpus_.times)

    @cached_property
    def shares(self) -> NDArray[np.float64] | None:
        """The share of each topic in each period."""
        return None if self.periods is None else topic_trend(self.model, self.periods)
