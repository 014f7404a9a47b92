"""An annotator that is no person: the intruder is the option that goes least with the others.

For each option the associations with the other three are summed; the lowest sum is chosen. The association is
the normalised pointwise mutual information (NPMI). Lau, Newman and Baldwin, "Machine Reading Tea Leaves"
(2014), find intruding words with it too, by a model they train. This annotator knows only how phrases occur
together in a corpus: it stands in for people where there are none, and is no judgement of theirs. So its name
goes wherever its results go.

With association 1 within {ski, snow, slope} and 0 to "tax", the sums are 2, 2, 2 and 0: "tax".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import fsum

from topminer.evaluation.intrusion import Question
from topminer.methods.contract import Stems

NAME = "automatic (NPMI)"


def automatic(
    questions: Sequence[Question], association: Callable[[Stems, Stems], float]
) -> dict[str, int | None]:
    """Answer questions by association alone.

    Parameters
    ----------
    questions : sequence of Question
    association : callable
        How much two phrases go together, the higher the more, whichever comes first.

    Returns
    -------
    dict of str to int or None
        By question's id, the option least associated with the others; None, unable to choose, where
        several are.
    """
    return {question.id: _least(question.stems, association) for question in questions}


def _least(stems: Sequence[Stems], association: Callable[[Stems, Stems], float]) -> int | None:
    parts: list[list[float]] = [[] for _ in stems]
    for i, j in combinations(range(len(stems)), 2):
        value = association(stems[i], stems[j])
        parts[i].append(value)
        parts[j].append(value)
    sums = [fsum(part) for part in parts]  # exact, so that a tie is one in whatever order they are added
    lowest = min(sums)
    return sums.index(lowest) if sums.count(lowest) == 1 else None
