"""What ``pyLDAvis.prepare`` takes, as one JSON object.

>>> import json, pyLDAvis                                                        # doctest: +SKIP
>>> prepared = pyLDAvis.prepare(**json.load(open("titles-model-pyldavis.json"))) # doctest: +SKIP

Topics keep their numbers: pyLDAvis is told not to sort them, and to count from 0. Its terms are the model's
words. Documents without kept tokens are left out, because it has no place for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.progress import Progress, silent
from topminer.text.printable import printable
from topminer.topics.results.fitted import Fitted
from topminer.views.export.documents import share_slices

FEWEST_TOPICS = 2


def pyldavis_json(model: Fitted, *, progress: Progress = silent) -> Iterator[str]:
    """The JSON object in pieces, so that no more than a slice of the documents is ever in memory."""
    n_topics = model.lda_.alpha_.size
    if n_topics < FEWEST_TOPICS:
        raise InputError(f"pyLDAvis draws a map of topics: it needs {FEWEST_TOPICS} or more, not {n_topics}")
    return _pieces(model, progress)


def _pieces(model: Fitted, progress: Progress) -> Iterator[str]:
    corpus = model.corpus_
    lengths = np.diff(corpus.doc_start)
    settings = {
        "sort_topics": False,
        "start_index": 0,
        "doc_lengths": lengths[lengths > 0].tolist(),
        "vocab": _vocabulary(model),
        "term_frequency": corpus.vocabulary["count"].to_list(),
    }
    yield json.dumps(settings).removesuffix("}")
    yield ',\n "topic_term_dists": '
    yield from _matrix(model.lda_.topic_word_)
    yield ',\n "doc_topic_dists": '
    yield from _matrix(_rows(model, lengths, progress))
    yield "}\n"


def _rows(model: Fitted, lengths: NDArray[np.int64], progress: Progress) -> Iterator[NDArray[np.float64]]:
    """The shares of topics in each document that is not empty."""
    for first, last, table in share_slices(model):
        yield from table[lengths[first:last] > 0]
        progress("Writing", last, lengths.size, "documents")


def _vocabulary(model: Fitted) -> list[str]:
    """The words as they are shown, no two the same: pyLDAvis knows a term by its text.

    It also writes them into a page as they are, so no word may open an element there.
    """
    words: dict[str, None] = {}
    for surface in model.corpus_.vocabulary["surface"].to_list():
        shown = word = printable(surface).replace("<", "‹")
        number = 1
        while word in words:
            number += 1
            word = f"{shown} ({number})"
        words[word] = None
    return list(words)


def _matrix(rows: Iterable[NDArray[np.float64]]) -> Iterator[str]:
    """Rows of numbers that come back to the last bit."""
    before = "["
    for row in rows:
        yield before + json.dumps(row.tolist())
        before = ",\n"
    yield "]"
