"""Intervals of several chains hold the truth of planted corpora at about their stated rate.

Of 60 such corpora, 95 % of the weights are held; docs/certainty.md has larger ones (benchmarks/certainty.py).
"""

import numpy as np
from chains import partition_of

from topminer import Partition, PhraseLDA
from topminer.topics.results.alignment import matched

N_TOPICS, N_WORDS, N_DOCUMENTS, LENGTH, N_CORPORA = 4, 100, 150, 30, 12


def planted(seed: int) -> tuple[Partition, np.ndarray, np.ndarray]:
    """A corpus of words that are drawn as LDA says; its φ, and how often each word has each topic."""
    rng = np.random.default_rng([seed, 77])
    topic_word = rng.dirichlet(np.full(N_WORDS, 0.1), N_TOPICS)
    weights = rng.dirichlet(np.full(N_TOPICS, 5.0))
    documents, counts = [], np.zeros((N_WORDS, N_TOPICS))
    for _ in range(N_DOCUMENTS):
        z = rng.choice(N_TOPICS, LENGTH, p=rng.dirichlet(2 * weights))
        words = [int(rng.choice(N_WORDS, p=topic_word[k])) for k in z.tolist()]
        np.add.at(counts, (words, z), 1)
        documents.append([(word,) for word in words])
    return partition_of(documents, N_WORDS), topic_word, counts


def test_intervals_hold_the_truth_at_about_their_rate() -> None:
    weights_held, frequencies_held = [], []
    for seed in range(N_CORPORA):
        partition, topic_word, counts = planted(seed)
        lda = PhraseLDA(N_TOPICS, n_sweeps=200, n_chains=4, random_state=seed).fit(partition)
        certainty, frequency = lda.certainty_, lda.frequency_
        assert certainty is not None
        order, cosines = matched(lda.topic_word_, topic_word)
        assert cosines.min() > 0.8  # else there would be no truth to be held
        counts = counts[:, order]
        weights = counts.sum(axis=0) / counts.sum()
        low, high = certainty.weight
        weights_held += ((low <= weights) & (weights <= high)).tolist()
        true, (low, high) = counts[frequency.types, frequency.topics], certainty.frequency
        is_open = high > low
        frequencies_held += ((low <= true) & (true <= high))[is_open].tolist()
    assert len(weights_held) == 48 and np.mean(weights_held) >= 0.85
    assert len(frequencies_held) > 1000 and 0.92 <= np.mean(frequencies_held) <= 0.99
