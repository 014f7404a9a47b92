"""Small corpora whose cliques have topics, as the oracles and as the histograms have them."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from oracles import topics as oracle
from oracles.topics import Document, Topics

from topminer.topics.model.histograms import Histograms, count, count_by_topic


class Assigned(NamedTuple):
    """What the oracles ask for, in their order."""

    documents: list[Document]
    topics: Topics
    alpha: list[float]
    beta: float
    n_words: int


def histograms(documents: list[Document], topics: Topics, n_topics: int, n_words: int) -> Histograms:
    tables = oracle.tables(documents, topics)
    return Histograms(
        *count_by_topic(
            np.array([k for _, k in tables.in_document], np.int32),
            np.array(list(tables.in_document.values()), np.int32),
        ),
        count(np.array(tables.lengths, np.int64)),
        count(np.array(list(tables.of_word.values()), np.int32)),
        np.array([tables.of_topic[k] for k in range(n_topics)], np.int64),
        n_words,
    )


@st.composite
def assigned(draw: st.DrawFn, max_cliques: int = 6) -> Assigned:
    """Up to six documents, some of them empty, with words that often occur twice in a clique."""
    n_words, n_topics = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    clique = st.lists(st.integers(0, n_words - 1), min_size=1, max_size=4).map(tuple)
    documents = draw(st.lists(st.lists(clique, max_size=max_cliques), max_size=6))
    topic = st.integers(0, n_topics - 1)
    topics = [draw(st.lists(topic, min_size=len(cliques), max_size=len(cliques))) for cliques in documents]
    alpha = draw(st.lists(st.floats(0.01, 5), min_size=n_topics, max_size=n_topics))
    return Assigned(documents, topics, alpha, draw(st.floats(0.005, 2)), n_words)
