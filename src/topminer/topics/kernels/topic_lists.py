"""Lists of the topics of documents, which replace rows of counts if there are many topics.

A list consists of blocks of sixteen numbers: eight topics, then the tokens of each. A free entry has topic 0
and no tokens. The entries of a list are not sorted, and their order changes as topics come and go. This list
has three topics (the tokens are in the second half)::

    7 0 31 0 0 0 0 0   2 5 1 0 0 0 0 0          2 tokens of topic 7, 5 of topic 0, 1 of topic 31
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from topminer.jit import Int, inlined
from topminer.jit.lanes import WIDTH, but_not, equal, load_counts, number_of

LIST_BLOCK = 2 * WIDTH


@inlined
def slot(list_start: Int, entry: Int) -> Int:
    """Return where the topic of an entry is stored; its tokens are ``WIDTH`` further on."""
    return list_start + entry + entry // WIDTH * WIDTH


@inlined
def find(n_dk: NDArray[Any], list_start: Int, size: Int, topic: Int) -> Int:
    """Return where on a list of ``size`` topics a topic is stored; -1: it is not on the list."""
    at = -1
    for e in range(0, size, WIDTH):
        here = list_start + 2 * e
        is_free = equal(load_counts(n_dk, here + WIDTH), 0)
        found = number_of(but_not(equal(load_counts(n_dk, here), topic), is_free))
        at = here + found if found < WIDTH else at  # no branch: it would be mispredicted
    return at


@inlined
def move(n_dk: NDArray[Any], list_start: Int, size: Int, at: Int, new: Int, new_at: Int, tokens: Int) -> Int:
    """Move ``tokens`` from one topic of a document to another. Return the new size of the list.

    ``at`` is where the old topic is stored. ``new_at`` is where the new topic is stored, or -1 if it is not
    on the list yet.
    """
    left = np.int64(n_dk[at + WIDTH]) - tokens
    if new_at < 0 and left == 0:
        n_dk[at] = new
    else:
        n_dk[at + WIDTH] = left
        size = put(n_dk, list_start, size, new, new_at, tokens)
        if left == 0:
            size -= 1
            end = slot(list_start, size)
            n_dk[at], n_dk[at + WIDTH] = n_dk[end], n_dk[end + WIDTH]
            n_dk[end], n_dk[end + WIDTH] = 0, 0
    return size


@inlined
def put(n_dk: NDArray[Any], list_start: Int, size: Int, topic: Int, at: Int, tokens: Int) -> Int:
    """Add ``tokens`` of a topic that is stored ``at``, or not on the list yet (-1). Return the new size."""
    if at < 0:
        at = slot(list_start, size)
        n_dk[at] = topic
        size += 1
    n_dk[at + WIDTH] += tokens
    return size
