"""Which documents are divided into pieces before they are sampled, and how long the pieces are.

In a topic model a document has one mixture of topics. A speech of thousands of words is about many things one
after the other, and so are all others: their mixtures are alike, and the topics become alike. "auto" divides
the documents of a corpus of long documents, and leaves all other corpora as they are. It looks at the
document in which a kept token stands on average, of Σ n² / Σ n kept tokens, where n are the tokens of each
document. Three documents of 10 tokens and one of 1,000 have a mean of 258, but most tokens stand in a
document of 1,000::

    (10² + 10² + 10² + 1000²) / (10 + 10 + 10 + 1000) = 971

docs/long_documents.md has the measurements behind the numbers here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer._parameters import is_auto, whole
from topminer.errors import InputError
from topminer.phrases.pieces import NONE, PARAGRAPH, Rule

LONG = 400  # kept tokens: "auto" divides documents if they are this long
USUAL_LENGTH = 150  # kept tokens of a piece


class Lengths(NamedTuple):
    """The lengths of documents in kept tokens, summed up; lengths of several parts of a corpus are added."""

    n_tokens: int
    n_squared: int

    @classmethod
    def of(cls, doc_start: NDArray[np.int64]) -> Lengths:
        """Sum up the lengths of documents, given the first token of each."""
        lengths = np.diff(doc_start)
        return cls(int(lengths.sum()), int((lengths * lengths).sum()))

    @property
    def usual(self) -> float:
        """Length of the document in which a token stands on average; 0 if there is no token."""
        return self.n_squared / max(self.n_tokens, 1)


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
    return USUAL_LENGTH if lengths.usual >= LONG else NONE
