"""Models and states of chains to be damaged: one chain for each way to sample."""

import random
from collections.abc import Callable

import polars as pl
import pytest
from victims import N_SWEEPS, STOPPED, TOPICS, Victim

from topminer import Corpus, Partition, ToPMine, load, store
from topminer._facts import lda_of, miner_of
from topminer.store import Stored, writer
from topminer.store.formats import CHAIN, CHECKPOINT, MODEL, PLAN, STORED_CORPUS
from topminer.topics.model.phraselda import take_over, topics_in
from topminer.topics.sampler import finished
from topminer.topics.sampler.chain import Chain, Tried, tried_frame

PART = 4
GROUPS = (
    ["support vector machines", "kernel methods", "text classification", "large margin", "a rare word"],
    ["frequent pattern mining", "data streams", "association rules", "query processing", "many rules"],
)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four elements of an array, or rows of a table, to a file."""
    monkeypatch.setattr(writer, "PART_SIZE", PART)
    monkeypatch.setattr(writer, "PART_ROWS", PART)


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """With times, ids, a document without words, and words too rare for a row of their own."""
    choose = random.Random(7)
    texts = [". ".join(choose.choices(GROUPS[i % 2], k=4)) + f" seldom{i}." for i in range(120)] + ["..."]
    names, years = [f"no. {i}" for i in range(121)], [str(2001 + i % 9) for i in range(121)]
    path = tmp_path_factory.mktemp("corpus") / "corpus.parquet"
    pl.DataFrame({"name": names, "year": years, "text": texts}).write_parquet(path)
    return Corpus.read(path, text="text", id="name", time="year")


def small_model(n_topics: int) -> ToPMine:
    """Return a model that fits in a moment, with two shards and phrases of the user's own."""
    mining = {"min_support": 3, "always": ["large margin text"], "never": ["data streams"]}
    sampling = {"n_sweeps": N_SWEEPS, "optimize_interval": 5, "burn_in": 5, "n_shards": 2, "random_state": 3}
    return ToPMine(n_topics, n_threads=1, **mining, **sampling)


@pytest.fixture(scope="session")
def partition(corpus: Corpus) -> Partition:
    miner = miner_of(small_model(3))
    assert miner is not None
    return miner.fit_transform(corpus)


class Stopped(Exception):
    """What a signal would be: a chain has come to a sweep."""


@pytest.fixture(scope="session")
def chains(partition: Partition, tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Victim]:
    """States of chains that were stopped, by the number of topics. To use one is to sweep once more."""
    made: dict[int, Victim] = {}

    def fit(n_topics: int, n_sweeps: int, state: Stored | None = None) -> Stored:
        states = []

        def stop(chain: Chain) -> None:
            if chain.sampler.n_sweeps >= n_sweeps:
                states.append(chain.state())
                raise Stopped

        with pytest.raises(Stopped):
            lda_of(small_model(n_topics)).fit(partition, after_sweep=stop, state=state)
        return states[0]

    def victim(n_topics: int) -> Victim:
        if n_topics not in made:
            folder = tmp_path_factory.mktemp("chain")
            store.write(folder, CHAIN, fit(n_topics, STOPPED), overwrite=False)
            made[n_topics] = Victim(folder, CHAIN, lambda path: fit(n_topics, 0, store.read(path, CHAIN)))
        return made[n_topics]

    return victim


@pytest.fixture(scope="session")
def model(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Victim:
    """A model of two chains, whose number of topics was found. To use it is to load it."""
    folder = tmp_path_factory.mktemp("model")
    fitted = small_model(TOPICS[0]).set_params(n_chains=2).fit(corpus)
    tried = tried_frame([Tried(4, 90.5), Tried(TOPICS[0], 80.25)])
    take_over(fitted.lda_, topics_in(fitted.lda_)._replace(tried=tried))
    fitted.save(folder)
    return Victim(folder, MODEL, load)


@pytest.fixture(scope="session")
def finished_chain(partition: Partition, tmp_path_factory: pytest.TempPathFactory) -> Victim:
    """What is kept of a finished chain. To use it is to read it."""
    folder, form = tmp_path_factory.mktemp("finished"), CHECKPOINT["finished1"]

    def keep(chain: Chain) -> None:
        if chain.sampler.n_sweeps == N_SWEEPS:
            with store.Writer(folder, form, overwrite=False) as writer:
                finished.save(chain, writer)

    lda_of(small_model(3)).fit(partition, after_sweep=keep)
    return Victim(folder, form, lambda path: finished.restored(store.Reader(path, form)))


@pytest.fixture(scope="session")
def stored_corpus(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Victim:
    folder = tmp_path_factory.mktemp("stored corpus")
    corpus.save(folder)
    return Victim(folder, STORED_CORPUS, Corpus.load)


@pytest.fixture(scope="session")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Victim:
    from stored_things import plan_of

    folder = tmp_path_factory.mktemp("plan")
    store.write(folder, PLAN, Stored({"run": plan_of()}, {}, {}), overwrite=False)
    return Victim(folder, PLAN, lambda path: store.read(path, PLAN))
