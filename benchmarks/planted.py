"""Corpora with planted topics: what is found in them can be compared with the truth.

The generator is PhraseLDA's own story, with a common part that makes it harder:

1. Topic k: word probabilities φ_k ~ Dirichlet(0.05) over 2,000 words, mixed with a share ``common`` of one
   distribution by Zipf's law, the same for all topics; and 20 phrases of two or three words, drawn from φ_k.
2. Weights of topics Ψ ~ Dirichlet(5, …, 5).
3. Document d: θ_d ~ Dirichlet(2Ψ), and Poisson(40) cliques. A clique's topic is drawn from θ_d; it is one of
   the topic's phrases with probability 0.25, else a word from φ_k.

There are 400 documents, and 60 more for each topic.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topminer import Corpus, Partition
from topminer.containers.arrays import starts_of

N_WORDS, N_PHRASES, CLIQUES = 2000, 20, 40


class Planted(NamedTuple):
    """A corpus and the topics that it was made of."""

    partition: Partition
    topic_word: NDArray[np.float64]  # φ, without phrases
    clique_topic: NDArray[np.int64]


def plant(n_topics: int, seed: int = 0, common: float = 0.0) -> Planted:
    """Make a corpus with ``n_topics`` topics."""
    rng = np.random.default_rng([seed, n_topics])
    zipf = 1 / np.arange(1, N_WORDS + 1)
    own = rng.dirichlet(np.full(N_WORDS, 0.05), n_topics)
    topic_word = (1 - common) * own + common * zipf / zipf.sum()
    phrases = [
        [rng.choice(N_WORDS, rng.integers(2, 4), p=topic_word[k]) for _ in range(N_PHRASES)]
        for k in range(n_topics)
    ]
    weights = rng.dirichlet(np.full(n_topics, 5.0))
    documents, topics = [], []
    for _ in range(400 + 60 * n_topics):
        shares = rng.dirichlet(2 * weights)
        z = rng.choice(n_topics, max(2, rng.poisson(CLIQUES)), p=shares)
        documents.append([_clique(rng, phrases[k], topic_word[k]) for k in z.tolist()])
        topics.append(z)
    return Planted(partition_of(documents), topic_word, np.concatenate(topics))


def _clique(
    rng: np.random.Generator, phrases: list[NDArray[np.int64]], words: NDArray[np.float64]
) -> list[int]:
    if rng.random() < 0.25:
        return phrases[rng.integers(N_PHRASES)].tolist()
    return [int(np.searchsorted(np.cumsum(words), rng.random()))]


def partition_of(documents: list[list[list[int]]]) -> Partition:
    """Return a partition with these cliques, each a list of words by number."""
    texts = [[[f"w{word}" for word in clique] for clique in cliques] for cliques in documents]
    corpus = Corpus.from_texts(
        [". ".join(map(" ".join, cliques)) for cliques in texts], None, False, [], keep_texts=False
    )
    lengths = np.array([len(clique) for cliques in documents for clique in cliques])
    return Partition(corpus, starts_of(lengths), starts_of(np.array(list(map(len, documents)))))
