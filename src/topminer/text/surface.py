"""How stems and phrases are shown: as people wrote them most often.

A phrase type is shown as its most frequent original span, from the first to the last kept word, with the
stop words and the punctuation between them and the case as written; white space is one blank. Of equally
frequent spans the first in the alphabet (by code points) is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.jit import kernel
from topminer.text.interning import SPARE, Interner

if TYPE_CHECKING:
    from topminer.text.corpus import Corpus


@kernel
def _spell(
    surface: NDArray[np.int32],
    gap: NDArray[np.int32],
    first: NDArray[np.int64],
    length: NDArray[np.int64],
    kind: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Each instance as numbers: its type, its first surface, then a gap and a surface for each word."""
    bounds = np.zeros(first.size + 1, np.int64)
    for i in range(first.size):
        bounds[i + 1] = bounds[i] + 2 * length[i]
    spelled = np.zeros(bounds[-1] + SPARE // 4, np.int32)
    for i in range(first.size):
        at = bounds[i]
        spelled[at] = kind[i]
        spelled[at + 1] = surface[first[i]]
        for j in range(1, length[i]):
            spelled[at + 2 * j] = gap[first[i] + j]
            spelled[at + 2 * j + 1] = surface[first[i] + j]
    return spelled, bounds


def phrase_surfaces(
    corpus: Corpus, first: NDArray[np.int64], length: NDArray[np.int64], kind: NDArray[np.int64], n_kinds: int
) -> list[str]:
    """Surfaces of ``n_kinds`` phrase types, given instances of them.

    Parameters
    ----------
    corpus : Corpus
        Where the instances stand.
    first, length, kind : arrays of shape (instances,)
        First kept token, number of kept tokens, and type (0 to ``n_kinds`` - 1) of each instance.
    n_kinds : int
        Number of phrase types; one without an instance is shown as an empty string.
    """
    spelled, bounds = _spell(corpus.surface_ids, corpus.gap_ids, first, length, kind)
    forms = Interner()
    form_of = forms.add(spelled.view(np.uint64), 4 * bounds[:-1], 4 * bounds[1:])
    count = np.bincount(form_of, minlength=len(forms))
    numbers = forms.words.view(np.int32)
    kind_of_form = numbers[forms.bounds[:-1] // 4]
    best = np.zeros(n_kinds, np.int64)
    np.maximum.at(best, kind_of_form, count)
    surfaces, gaps = corpus.surfaces["surface"], corpus.gaps
    shown = [""] * n_kinds
    for form in np.flatnonzero(count == best[kind_of_form]):
        start, stop = forms.bounds[form] // 4, forms.bounds[form + 1] // 4
        text = _written(numbers[start:stop].tolist(), surfaces, gaps)
        which = int(kind_of_form[form])
        if not shown[which] or text < shown[which]:
            shown[which] = text
    return shown


def _written(form: list[int], surfaces: pl.Series, gaps: pl.Series) -> str:
    _, first, *rest = form
    more = (gaps[gap] + surfaces[surface] for gap, surface in zip(rest[::2], rest[1::2], strict=True))
    return "".join([surfaces[first], *more])
