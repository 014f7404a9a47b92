"""What a list of words and phrases shows: one spelling for the command line, Python and pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from topminer._parameters import number, whole
from topminer.errors import InputError
from topminer.topics.results.entries import ORDERS, RELEVANCE, Order
from topminer.topics.results.fitted import Fitted
from topminer.topics.results.words import WORD_ORDERS, WordOrder

LONGEST = 6  # words: a longer phrase is a sentence, or boilerplate

EVERYTHING: dict[str, Any] = {"tie": False, "background": True, "longest": None, "typical": False}
AS_IN_PAPER: dict[str, Any] = {**EVERYTHING, "order": "frequency", "word_order": "probability"}


@dataclass(frozen=True)
class Listing:
    """Which words and phrases a topic is shown with.

    Parameters
    ----------
    n_words, n_phrases : int, default 10
        How many of each, at most.
    order : {"best", "frequency", "kert", "relevance"}
        Of phrases: by documents of the topic, quality and lift together; by topical frequency as in the
        paper; by KERT's score; or by relevance.
    lam : float, default 0.6
        λ of relevance: 1 orders by frequency, 0 by how exclusive a word or phrase is.
    tie : bool, default True
        Count the variants of a phrase together.
    background : bool, default False
        Also show words and phrases that describe no topic in particular, and leave background topics in
        their place.
    word_order : {"best", "relevance", "probability"}, optional
        Of words: by probability and lift together, by relevance, or by their probability in the topic as in
        the paper. Left out: by relevance if phrases are, else the best.
    longest : int or None, default 6
        Words of the longest phrase that is listed, as it is shown; None: any.
    typical : bool, default True
        List only phrases that are significantly more frequent in the topic than in the corpus, and are in two
        of its documents.
    """

    n_words: int = 10
    n_phrases: int = 10
    order: Order = "best"
    lam: float = RELEVANCE
    tie: bool = True
    background: bool = False
    word_order: WordOrder | None = None
    longest: int | None = LONGEST
    typical: bool = True

    def __post_init__(self) -> None:
        """Validate what was given."""
        whole("n_words", self.n_words, 0)
        whole("n_phrases", self.n_phrases, 0)
        number("lam", self.lam, 0, 1)
        if self.longest is not None:
            whole("longest", self.longest, 2)
        orders = (("order", self.order, ORDERS), ("order of words", self.order_of_words, WORD_ORDERS))
        for name, value, known in orders:
            if value not in known:
                raise InputError(f"the {name} must be one of {', '.join(known)}, not {value!r}")

    @property
    def order_of_words(self) -> str:
        """The order of words, given or not."""
        if self.word_order is None:
            return "relevance" if self.order == "relevance" else "best"
        return self.word_order

    @classmethod
    def usual(cls, model: Fitted, *, all: bool = False, **given: Any) -> Listing:
        """Return the listing of a model, with what is given; a given None is left to the model.

        A model as in the paper (no quality, evidence or ties) shows every phrase by itself, by topical
        frequency, as the paper does. Any other ties variants, hides background, and shows the best first.
        With ``all`` every phrase is shown by itself.
        """
        chosen = {**EVERYTHING} if all else {}
        if is_as_in_paper(model):
            chosen = {**AS_IN_PAPER}
        return cls(**chosen | {name: value for name, value in given.items() if value is not None})


def is_as_in_paper(model: Fitted) -> bool:
    """Return whether a model's phrases were found as in the paper: no quality, evidence or ties."""
    miner = model.miner_
    return miner is not None and miner.quality is miner.evidence is miner.ties is None
