"""How phrases are shown: as people wrote them most often.

A phrase type is shown as its most frequent original span, from the first to the last kept word, with the
stop words and the punctuation between them and the case as written; white space is one blank. Of equally
frequent spans the first by code points is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.containers.arrays import ranges, starts_of
from topminer.containers.strings import SPARE, Strings, StringTable

if TYPE_CHECKING:
    from topminer.text.corpus import Corpus


class Forms(NamedTuple):
    """The distinct ways in which instances of phrase types were written, and how often each occurs.

    A form is a byte string: for each token the ids of its gap and its surface, with the type in place of the
    first gap.
    """

    strings: Strings
    counts: NDArray[np.int64]


def phrase_surfaces(
    corpus: Corpus, first: NDArray[np.int64], length: NDArray[np.int64], kind: NDArray[np.int64], n_kinds: int
) -> list[str]:
    """Return the surfaces of ``n_kinds`` phrase types, given instances of them in a corpus.

    Of each instance are given the first kept token, the number of kept tokens, and the type, from 0 on. A
    type without instances is shown as an empty string.
    """
    forms = forms_of(corpus.gap_ids, corpus.surface_ids, first, length, kind)
    return most_frequent(forms, corpus.surfaces["surface"], corpus.gaps, n_kinds)


def forms_of(
    gap_ids: NDArray[np.int32],
    surface_ids: NDArray[np.int32],
    first: NDArray[np.int64],
    length: NDArray[np.int64],
    kind: NDArray[np.int64],
) -> Forms:
    """Return the forms of some instances: see :func:`phrase_surfaces`."""
    start = starts_of(length)
    ids = np.zeros((start[-1] + SPARE // 8, 2), np.int32)
    tokens = ranges(first, first + length)
    ids[: tokens.size, 0], ids[: tokens.size, 1] = gap_ids[tokens], surface_ids[tokens]
    ids[start[:-1], 0] = kind
    table = StringTable()
    form_of = table.add(ids.reshape(-1).view(np.uint64), 8 * start[:-1], 8 * start[1:])
    return Forms(table.since(), np.bincount(form_of, minlength=len(table)))


def most_frequent(forms: Forms, surfaces: pl.Series, gaps: pl.Series, n_kinds: int) -> list[str]:
    """Return how each of ``n_kinds`` phrase types was written most often."""
    strings, count = forms
    pairs, bounds = strings.words.view(np.int32).reshape(-1, 2), strings.bounds // 8
    kind_of_form = pairs[bounds[:-1], 0]
    best = np.zeros(n_kinds, np.int64)
    np.maximum.at(best, kind_of_form, count)
    shown = [""] * n_kinds
    for form in np.flatnonzero(count == best[kind_of_form]):
        text = _written(pairs[bounds[form] : bounds[form + 1]].tolist(), surfaces, gaps)
        which = int(kind_of_form[form])
        if not shown[which] or text < shown[which]:
            shown[which] = text
    return shown


def _written(form: list[list[int]], surfaces: pl.Series, gaps: pl.Series) -> str:
    (_, first), *rest = form
    return "".join([surfaces[first], *(gaps[gap] + surfaces[surface] for gap, surface in rest)])
