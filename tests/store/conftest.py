"""Models and checkpoints to be damaged: one of each way to sample."""

import random
from pathlib import Path

import polars as pl
import pytest
from small_models import STOPPED, TOPICS, Checkpointed, small_model

from topminer import Corpus, ToPMine
from topminer._facts import lda_of, miner_of
from topminer.topics.sampler.chain import Chain

GROUPS = (
    ["support vector machines", "kernel methods", "text classification", "large margin", "a rare word"],
    ["frequent pattern mining", "data streams", "association rules", "query processing", "many rules"],
)


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """With times, ids, a document without words, and words too rare for a row of their own."""
    choose = random.Random(7)
    texts = [". ".join(choose.choices(GROUPS[i % 2], k=4)) + f" seldom{i}." for i in range(120)] + ["..."]
    rows = {
        "name": [f"no. {i}" for i in range(121)],
        "year": [str(2001 + i % 9) for i in range(121)],
        "text": texts,
    }
    path = tmp_path_factory.mktemp("corpus") / "corpus.parquet"
    pl.DataFrame(rows).write_parquet(path)
    return Corpus.read(path, text="text", id="name", time="year")


@pytest.fixture(scope="session")
def models(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Stored models, by the number of topics."""
    found = {}
    for n_topics in TOPICS:
        model = small_model(n_topics).fit(corpus)
        found[n_topics] = tmp_path_factory.mktemp("model") / "model"
        model.save(found[n_topics])
    return found


@pytest.fixture(scope="session")
def checkpoints(corpus: Corpus) -> dict[int, Checkpointed]:
    """Partitions, and the states of chains that were stopped."""
    return {n_topics: stopped(small_model(n_topics), corpus) for n_topics in TOPICS}


class Stopped(Exception):
    """What a signal would be."""


def stopped(model: ToPMine, corpus: Corpus) -> Checkpointed:
    miner, states = miner_of(model), []
    assert miner is not None
    partition = miner.fit_transform(corpus)

    def stop(chain: Chain) -> None:
        if chain.sampler.n_sweeps == STOPPED:
            states.append(chain.state())
            raise Stopped

    with pytest.raises(Stopped):
        lda_of(model).fit(partition, after_sweep=stop)
    return Checkpointed(partition, states[0])
