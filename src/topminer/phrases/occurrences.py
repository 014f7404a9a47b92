"""Where given phrases stand in a corpus: every place, also inside longer phrases, never across a chunk's end.

The phrases are put into a tree of stems, and from every token the tree is walked as far as it goes::

    phrases: support vector, support vector machine        tokens: ... support vector machine ...
    from "support": the root, support, vector (found), machine (found)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from topminer.jit import kernel
from topminer.text.corpus import Corpus


def find(corpus: Corpus, phrases: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Every occurrence of distinct ``phrases`` (stem ids): its first token, and the number of the phrase.

    In the order of tokens, at the same token the shorter phrase first. An empty phrase stands nowhere.

    >>> corpus = Corpus.from_texts(["frequent pattern trees, frequent patterns"])
    >>> id_of = {stem: i for i, stem in enumerate(corpus.vocabulary["stem"])}
    >>> first, which = find(corpus, [[id_of["frequent"], id_of["pattern"]], [id_of["tree"]]])
    >>> first.tolist(), which.tolist()
    ([0, 2, 3], [0, 1, 0])
    """
    children: dict[tuple[int, int], int] = {}
    phrase_at = [-1]
    for number, phrase in enumerate(phrases):
        node = 0
        for stem in phrase:
            node = children.setdefault((node, int(stem)), len(phrase_at))
            if node == len(phrase_at):
                phrase_at.append(-1)
        if node:
            phrase_at[node] = number
    edges = np.array([(node, stem, child) for (node, stem), child in children.items()], np.int64).reshape(
        -1, 3
    )
    edges = edges[np.lexsort((edges[:, 1], edges[:, 0]))]
    starts = np.searchsorted(edges[:, 0], np.arange(len(phrase_at) + 1))
    arguments = corpus.stem_ids, corpus.chunk_start, starts, edges[:, 1].copy(), edges[:, 2].copy()
    at = np.array(phrase_at, np.int32)
    first, which = np.empty(0, np.int64), np.empty(0, np.int32)
    n_found = _walk(*arguments, at, first, which)
    first, which = np.empty(n_found, np.int64), np.empty(n_found, np.int32)
    _walk(*arguments, at, first, which)
    return first, which


@kernel
def _walk(
    stem_ids: NDArray[np.int32],
    chunk_start: NDArray[np.int64],
    starts: NDArray[np.int64],
    stems: NDArray[np.int64],
    children: NDArray[np.int64],
    phrase_at: NDArray[np.int32],
    first: NDArray[np.int64],
    which: NDArray[np.int32],
) -> int:
    """Count the occurrences, and note as many as there is room for."""
    n_found = 0
    for chunk in range(chunk_start.size - 1):
        stop = chunk_start[chunk + 1]
        for i in range(chunk_start[chunk], stop):
            node = 0
            for j in range(i, stop):
                low, high = starts[node], starts[node + 1]
                while low < high:
                    middle = (low + high) // 2
                    if stems[middle] < stem_ids[j]:
                        low = middle + 1
                    else:
                        high = middle
                if low == starts[node + 1] or stems[low] != stem_ids[j]:
                    break
                node = children[low]
                if phrase_at[node] >= 0:
                    if n_found < first.size:
                        first[n_found] = i
                        which[n_found] = phrase_at[node]
                    n_found += 1
    return n_found
