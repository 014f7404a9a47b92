"""Which documents are divided into pieces before they are sampled, and how long the pieces are.

In a topic model a document has one mixture of topics. A speech of thousands of words is about many things one
after the other, and so are all others: their mixtures are alike, and the topics become alike. "auto" divides
the documents of a corpus of long documents, and leaves all other corpora as they are. A corpus has long
documents if at least half of its kept tokens stand in documents of 400 kept tokens or more::

    3 documents of 10 kept tokens, 1 of 1,000         1,000 of 1,030 tokens      divided
    1,000 documents of 60 kept tokens, 1 of 1,000     1,000 of 61,000 tokens     not divided

docs/long_documents.md has the measurements behind the numbers here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer._parameters import is_auto, whole
from topminer.errors import InputError
from topminer.phrases.pieces import NONE, PARAGRAPH, Rule

LONG = 400  # kept tokens of a long document
USUAL_LENGTH = 100  # kept tokens of a piece


class Lengths(NamedTuple):
    """How many kept tokens there are, and how many in long documents. Parts of a corpus are added."""

    n_tokens: int
    n_in_long: int

    @classmethod
    def of(cls, doc_start: NDArray[np.int64]) -> Lengths:
        """Count the tokens, given the first token of each document, and one past the last."""
        lengths = np.diff(doc_start)
        return cls(int(lengths.sum()), int(lengths[lengths >= LONG].sum()))


def check_split(split: Any) -> Rule:
    """Return the parameter ``split``; refuse a value that it cannot have."""
    if isinstance(split, str):
        if not is_auto(split) and split not in (NONE, PARAGRAPH):
            raise InputError(f'split must be "auto", "none", "paragraph" or a whole number, not {split!r}')
        return split
    return whole("split", split, 1, also=', or "auto", "none" or "paragraph"')


def rule_for(split: Any, lengths: Lengths) -> Rule:
    """Return the rule by which the documents of a corpus are divided."""
    checked = check_split(split)
    if not is_auto(checked):
        return checked
    return USUAL_LENGTH if 0 < lengths.n_tokens <= 2 * lengths.n_in_long else NONE
