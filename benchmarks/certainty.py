"""How often the intervals of several chains hold the truth, on planted corpora.

    python benchmarks/certainty.py --topics 5,20,60 --chains 2,3,4,8 --corpora 5

The truth is known: the share of the tokens of each planted topic, and how many instances of each phrase it
has. Planted topics are matched one to one with those of the model by the phrase instances they share. Of each
kind the table has the share of intervals that hold the truth; "open" are those topical frequencies that
differ between samples, and "stable" those of stable topics.

The phrases of these corpora repeat, which PhraseLDA does not expect: their words are not independent draws.
With --independent, the words of each phrase instance are drawn independently from the topic, as PhraseLDA
assumes. There are then no phrases worth the name, and the truth is a draw from the posterior.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from planted import CLIQUES, N_WORDS, Planted, partition_of, plant
from scipy.optimize import linear_sum_assignment

from topminer import PhraseLDA
from topminer.topics.model.phraselda import topics_in


class Held(NamedTuple):
    """Whether each interval holds the truth, and whether its topic is stable."""

    weights: NDArray[np.bool_]
    stable: NDArray[np.bool_]
    phrases: NDArray[np.bool_]
    words: NDArray[np.bool_]
    open: NDArray[np.bool_]  # of phrases: whether samples differ
    stable_phrases: NDArray[np.bool_]
    width: float  # mean width of the intervals of weights, relative to the weight
    found: NDArray[np.float64]  # share of a planted topic's instances in the matched topic


def held(planted: Planted, lda: PhraseLDA) -> Held:
    """Compare the intervals of a model with the truth."""
    partition, certainty = planted.partition, lda.certainty_
    assert certainty is not None
    n_topics, truth, z = lda.topic_weight_.size, planted.clique_topic, lda.clique_topic_
    table = np.zeros((n_topics, n_topics))
    np.add.at(table, (z, truth), 1)
    truth = np.argsort(linear_sum_assignment(table, maximize=True)[1])[truth]  # as the model numbers them
    lengths = np.diff(partition.clique_start)
    weights = np.bincount(truth, lengths, n_topics) / lengths.sum()
    low, high = certainty.weight
    frequency = topics_in(lda).frequency
    wanted = np.zeros((partition.n_types, n_topics))
    np.add.at(wanted, (partition.type_ids, truth), 1)
    true_frequency = wanted[frequency.types, frequency.topics]
    is_held = (certainty.frequency[0] <= true_frequency) & (true_frequency <= certainty.frequency[1])
    is_phrase = frequency.types >= partition.corpus.n_stems
    differ = certainty.frequency[1] > certainty.frequency[0]
    same = np.bincount(truth[truth == z], minlength=n_topics) / np.bincount(truth, minlength=n_topics)
    return Held(
        (low <= weights) & (weights <= high),
        certainty.is_stable,
        is_held[is_phrase],
        is_held[~is_phrase],
        differ[is_phrase],
        certainty.is_stable[frequency.topics[is_phrase]],
        float(np.mean((high - low) / np.maximum(weights, 1e-9))),
        same,
    )


def plant_independent(n_topics: int, seed: int = 0) -> Planted:
    """Make a corpus as PhraseLDA assumes: the words of a phrase instance are independent, given its topic."""
    rng = np.random.default_rng([seed, n_topics, 1])
    topic_word = rng.dirichlet(np.full(N_WORDS, 0.05), n_topics)
    weights = rng.dirichlet(np.full(n_topics, 5.0))
    ends = np.cumsum(topic_word, axis=1)
    documents, topics = [], []
    for _ in range(400 + 60 * n_topics):
        z = rng.choice(n_topics, max(2, rng.poisson(CLIQUES)), p=rng.dirichlet(2 * weights))
        lengths = rng.choice([1, 2, 3], z.size, p=[0.75, 0.125, 0.125])
        documents.append(
            [
                np.minimum(np.searchsorted(ends[k], rng.random(n)), N_WORDS - 1).tolist()
                for k, n in zip(z.tolist(), lengths.tolist(), strict=True)
            ]
        )
        topics.append(z)
    return Planted(partition_of(documents), topic_word, np.concatenate(topics))


def measure(
    n_topics: int, n_chains: int, n_corpora: int, n_sweeps: int, independent: bool = False
) -> Iterator[Held]:
    """Fit models to planted corpora, one after the other."""
    for seed in range(n_corpora):
        planted = (plant_independent if independent else plant)(n_topics, seed)
        lda = PhraseLDA(n_topics, n_sweeps=n_sweeps, n_chains=n_chains, random_state=seed)
        yield held(planted, lda.fit(planted.partition))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--topics", default="5,20,60")
    parser.add_argument("--chains", default="2,3,4,8")
    parser.add_argument("--corpora", type=int, default=5)
    parser.add_argument("--sweeps", type=int, default=500)
    parser.add_argument("--independent", action="store_true")
    given = parser.parse_args()
    print(
        "| topics | chains | stable topics | weights | of stable topics | width | phrases | open | "
        "of stable topics | words |"
    )
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for n_topics in map(int, given.topics.split(",")):
        for n_chains in map(int, given.chains.split(",")):
            found = list(measure(n_topics, n_chains, given.corpora, given.sweeps, given.independent))
            joined = {
                name: np.concatenate([getattr(each, name) for each in found])
                for name in Held._fields
                if name != "width"
            }
            shares = [
                joined["weights"].mean(),
                joined["weights"][joined["stable"]].mean(),
                np.mean([each.width for each in found]),
                joined["phrases"].mean(),
                joined["phrases"][joined["open"]].mean(),
                joined["phrases"][joined["stable_phrases"]].mean(),
                joined["words"].mean(),
            ]
            cells = " | ".join(f"{share:.1%}" for share in shares)
            print(f"| {n_topics} | {n_chains} | {joined['stable'].mean():.0%} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
