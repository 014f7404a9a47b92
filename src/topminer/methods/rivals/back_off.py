"""Turbo Topics' language model of one topic: text as units, and what follows each of them.

Blei and Lafferty (2009) see a text as a row of *units*, words and phrases found so far. Behind a unit u
comes v with a probability of its own, where "u v" is a phrase; all else is backed off to how often units
come at all::

    p(v | u) = π(v|u)        where "u v" is a phrase
             = γ(u) π(v)     otherwise, γ(u) being what makes the sum 1

This module cuts a text into units and notes its *events*: each is a unit that comes behind one of the
topic. A unit has the topic of its first word; what follows may have any. That is how the authors' program
has it, and so a phrase of a topic is one that begins there. With the topic's words in capitals, ``|`` the
end of a chunk and the phrase "data mine" known::

    text      DATA MINE with TREE | DATA MINE fast
    units     DATA MINE, with, TREE, DATA MINE, fast
    events    (data mine, with)  (-, data mine)  (data mine, fast)

No phrase crosses a chunk's end, so what comes there has no history (-); it counts among what may follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer.containers.arrays import ranges
from topminer.jit import bare_kernel
from topminer.phrases.phrase_index import PhraseIndex, index_phrases, longer_by

Bools = NDArray[np.bool_]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]

Stems = tuple[int, ...]
NOTHING = -1  # the history of what opens a chunk


class TopicText(NamedTuple):
    """The documents in which a topic occurs."""

    stems: Int32s
    in_topic: Bools  # of each token
    opens: NDArray[np.uint8]  # of each token: 2 if it is the first of a document, 1 of a chunk, else 0


class Units(NamedTuple):
    """Words and phrases, indexed: a phrase is reached from its first word, word by word."""

    phrases: PhraseIndex
    unit: Int32s  # by id of a phrase there: the unit; -1 for the beginning of a longer one


class Events(NamedTuple):
    """What follows the units of a topic."""

    history: Int32s  # the unit before, or NOTHING
    follower: Int32s
    frequency: Int64s  # (units,): how often each unit occurs in the topic


def openings(doc_start: Int64s, chunk_start: Int64s) -> NDArray[np.uint8]:
    """Where documents (2) and other chunks (1) open, token by token."""
    opens = np.zeros(doc_start[-1] + 1, np.uint8)
    opens[chunk_start] = 1
    opens[doc_start] = 2
    return opens[:-1]


def topic_text(
    stem_ids: Int32s, opens: NDArray[np.uint8], topics: Int32s, k: int, doc_start: Int64s
) -> TopicText:
    """The documents that have a token of topic ``k``."""
    chosen = np.unique(np.searchsorted(doc_start, np.flatnonzero(topics == k), "right") - 1)
    tokens = ranges(doc_start[chosen], doc_start[chosen + 1])
    return TopicText(stem_ids[tokens], topics[tokens] == k, opens[tokens])


def units_of(n_stems: int, phrases: Sequence[Stems]) -> Units:
    """All words as units 0 to ``n_stems`` - 1, and then the given phrases in their order."""
    index, ids = index_phrases(phrases, n_stems)
    unit = np.full(index.goes_on.size, NOTHING, np.int32)
    unit[:n_stems] = np.arange(n_stems)
    unit[ids] = n_stems + np.arange(ids.size)
    return Units(index, unit)


def events(text: TopicText, units: Units, n_units: int) -> Events:
    """Cut a text into units, from the left, the longest first, and note what follows those of the topic."""
    history, follower = np.empty((2, text.stems.size), np.int32)
    frequency = np.zeros(n_units, np.int64)
    n = _cut(text, units, history, follower, frequency)
    return Events(history[:n], follower[:n], frequency)


@bare_kernel
def _cut(text: TopicText, units: Units, history: Int32s, follower: Int32s, frequency: Int64s) -> int:
    """Write down the events, count the topic's units, and return how many events there are."""
    stems, in_topic, opens = text
    table, goes_on, n_stems, _ = units.phrases
    n, i = 0, 0
    before, before_in_topic = np.int32(NOTHING), False
    while i < stems.size:
        unit, stop = stems[i], i + 1
        id, j = np.int64(stems[i]), i + 1
        while j < stems.size and opens[j] == 0 and goes_on[id]:
            id = longer_by(id, stems[j], n_stems, table)
            if id < 0:
                break
            j += 1
            if units.unit[id] >= 0:
                unit, stop = units.unit[id], j
        if before_in_topic and opens[i] < 2:
            history[n] = before if opens[i] == 0 else np.int32(NOTHING)
            follower[n] = unit
            n += 1
        frequency[unit] += in_topic[i]
        before, before_in_topic, i = unit, in_topic[i], stop
    return n
