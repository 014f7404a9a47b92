"""How phrases are shown: as people write them inside sentences.

A phrase type is shown as one of its original spans, from the first to the last kept word, with the stop words
and the punctuation between them; white space is one blank. shown_case.py says which span, and in which case.

A phrase that is found in capitals alone has the usual case of each of its words, unless one of them is a
name. A stop word that belongs to the first word, as in *in situ*, is shown too (leading.py). A span with an
address, a handle or markup between its words is shown only where there is no other, and then without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.containers.arrays import ranges, starts_of
from topminer.containers.mapped import unload
from topminer.containers.strings import SPARE, Strings, StringTable
from topminer.text.leading import Leading, bound_words, lead_ids, leads_of
from topminer.text.shown_case import Cases, Spellings, Variants, choose

if TYPE_CHECKING:
    from topminer.text.corpus import Corpus

_PIECE = 1 << 16  # instances that are looked at at a time, at least
_MARKUP = r"[<>@]|://"


class Forms(NamedTuple):
    """The distinct ways in which instances of phrase types were written, and how often each occurs.

    A form is a byte string: for each token the ids of its gap and its surface. In place of the first gap is
    twice the type, plus one if a stop word that belongs to the first word stands before it.
    """

    strings: Strings
    counts: NDArray[np.int64]


class Writing:
    """How the words of a corpus are written: everything that is needed to show its phrases."""

    def __init__(self, surfaces: pl.DataFrame, gaps: pl.Series, bound: dict[int, str]) -> None:
        self.bound, self.stem_of = bound, surfaces["stem"]
        self.surfaces, self.gaps = surfaces["surface"].to_list(), gaps.to_list()
        self.cases = Cases(surfaces["surface"], surfaces["count"].to_numpy())
        self.gap_spellings = Spellings.of(gaps)
        self.leading = Leading.of(gaps)
        self.is_markup = gaps.str.contains(_MARKUP).to_numpy()

    @classmethod
    def of(cls, corpus: Corpus) -> Writing:
        """Return how the words of a corpus are written."""
        leading = Leading.of(corpus.gaps)
        counted = leads_of(leading, corpus.stem_ids, corpus.gap_ids, corpus.chunk_start)
        return cls(corpus.surfaces, corpus.gaps, bound_words(*counted))


def phrase_surfaces(
    corpus: Corpus, first: NDArray[np.int64], length: NDArray[np.int64], kind: NDArray[np.int64], n_kinds: int
) -> list[str]:
    """Return the surfaces of ``n_kinds`` phrase types, given instances of them in a corpus.

    Of each instance are given the first kept token, the number of kept tokens, and the type, from 0 on. A
    type without instances is shown as an empty string.
    """
    writing = corpus.writing
    is_led = has_lead(
        writing.bound, writing.leading, corpus.stem_ids, corpus.gap_ids, corpus.chunk_start, first
    )
    forms = forms_of(corpus.gap_ids, corpus.surface_ids, first, length, kind, is_led)
    return shown_forms(forms, writing, n_kinds)


def has_lead(
    bound: dict[int, str],
    leading: Leading,
    stem_ids: NDArray[np.int32],
    gap_ids: NDArray[np.int32],
    chunk_start: NDArray[np.int64],
    first: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Return which instances have the stop word that belongs to their first word before it.

    An instance that opens its chunk counts as one: the text before a chunk is not known.
    """
    is_led = np.zeros(first.size, np.bool_)
    if not bound:
        return is_led
    stems = stem_ids[first]
    rows = np.flatnonzero(np.isin(stems, np.array(list(bound), np.int32)))
    wanted = np.array([lead_ids()[bound[stem]] for stem in stems[rows].tolist()], np.int32)
    opens = np.isin(first[rows], chunk_start)
    is_led[rows] = opens | (leading.word[gap_ids[first[rows]]] == wanted)
    unload(stem_ids, gap_ids, chunk_start)
    return is_led


def forms_of(
    gap_ids: NDArray[np.int32],
    surface_ids: NDArray[np.int32],
    first: NDArray[np.int64],
    length: NDArray[np.int64],
    kind: NDArray[np.int64],
    is_led: NDArray[np.bool_],
) -> Forms:
    """Return the forms of some instances: see :func:`phrase_surfaces`."""
    table, counts, stop = StringTable(), np.zeros(0, np.int64), 0
    while stop < first.size:
        piece = slice(stop, stop + max(_PIECE, len(table)))
        stop = piece.stop
        start, tokens = starts_of(length[piece]), ranges(first[piece], first[piece] + length[piece])
        ids = np.zeros((start[-1] + SPARE // 8, 2), np.int32)
        ids[: tokens.size, 0], ids[: tokens.size, 1] = gap_ids[tokens], surface_ids[tokens]
        ids[start[:-1], 0] = 2 * kind[piece] + (is_led[piece] & (length[piece] > 1))
        counts = table.count(ids.reshape(-1).view(np.uint64), 8 * start[:-1], 8 * start[1:], counts)
        unload(gap_ids, surface_ids)
    return Forms(table.since(), counts)


def shown_forms(forms: Forms, writing: Writing, n_kinds: int) -> list[str]:
    """Return how each of ``n_kinds`` phrase types is shown."""
    shown = [""] * n_kinds
    strings, count = forms
    if not count.size:
        return shown
    start = (strings.bounds - strings.bounds[0]) // 8
    base = strings.bounds[0] // 8
    pairs = strings.words.view(np.int32).reshape(-1, 2)[base : base + start[-1]]
    head = pairs[start[:-1], 0].copy()
    gaps = pairs[:, 0].copy()
    gaps[start[:-1]] = 0

    def text_of(form: int) -> str:
        return _written(pairs[start[form] : start[form + 1]].tolist(), writing)

    spelled = np.zeros((start[-1] + SPARE // 8, 2), np.int32)
    spelled[: start[-1], 0] = writing.gap_spellings.ids[gaps]
    spelled[: start[-1], 1] = writing.cases.spelling[pairs[:, 1]]
    spelled[start[:-1], 0] = head
    spelling = StringTable().add(spelled.reshape(-1).view(np.uint64), 8 * start[:-1], 8 * start[1:])
    capitals = np.add.reduceat(
        writing.gap_spellings.capitals[gaps] + writing.cases.capitals[pairs[:, 1]], start[:-1]
    )
    kind, is_clean = head // 2, ~np.logical_or.reduceat(writing.is_markup[gaps], start[:-1])
    has_clean = np.zeros(n_kinds, np.bool_)
    has_clean[kind[is_clean]] = True
    rows = np.flatnonzero(is_clean | ~has_clean[kind])
    variants = Variants(kind[rows], spelling[rows], capitals[rows], count[rows])
    best = choose(variants, n_kinds, writing.cases.least, lambda row: text_of(int(rows[row])))
    for which in np.flatnonzero(best >= 0).tolist():
        shown[which] = text_of(int(rows[best[which]]))
    return shown


def _written(form: list[list[int]], writing: Writing) -> str:
    """Return the text that shows a form."""
    surfaces, gaps = writing.surfaces, writing.gaps
    (head, _), *rest = form
    words = [surfaces[surface] for _, surface in form]
    between = [" " if writing.is_markup[gap] else gaps[gap] for gap, _ in rest]
    if rest and all(word.isupper() for word in words):
        usual = [surfaces[int(writing.cases.usual[writing.cases.spelling[id]])] for _, id in form]
        if all(word.isupper() or word.islower() for word in usual):
            words, between = usual, [gap.lower() for gap in between]
    text = "".join([words[0], *(gap + word for gap, word in zip(between, words[1:], strict=True))])
    lead = writing.bound[writing.stem_of[form[0][1]]] + " " if head % 2 else ""
    return lead + text
