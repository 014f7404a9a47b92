"""Several chains: the best is the model, byte for byte, whenever and wherever the others ran."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from chains import partition_of, random_documents
from hypothesis import given
from hypothesis import strategies as st

from topminer import InputError, Partition, PhraseLDA
from topminer.progress import silent
from topminer.store import MemoryCheckpoint, Stored
from topminer.topics.model.chains import Chains, seeds_of_chains
from topminer.topics.model.fitting import run_chains, sampler_of, start_chain
from topminer.topics.model.phraselda import topics_in
from topminer.topics.model.several import best_of, certainty_of
from topminer.topics.model.topics import Topics
from topminer.topics.results.frequency import TopicalFrequency
from topminer.topics.sampler.chain import Chain, nothing
from topminer.topics.sampler.finished import FinishedChain

PARAMETERS: dict[str, Any] = {"n_sweeps": 60, "optimize_interval": 5, "burn_in": 10, "random_state": 3}
TOPICS = {"registers": 4, "dense": 20, "sparse": 250}
ARRAYS = ("clique_topic_", "alpha_", "topic_word_", "doc_topic_", "topic_weight_")


@pytest.fixture(scope="module")
def partition() -> Partition:
    """Words in phrases, words that are not, words too rare for a row, a word that was never seen."""
    return partition_of([[], *random_documents(7, 50, 60), [(-1,), (59,)], []], 60)


def lda(n_topics: int = 4, n_chains: int = 4, **parameters: Any) -> PhraseLDA:
    return PhraseLDA(n_topics, n_chains=n_chains, **PARAMETERS | parameters)


def bytes_of(model: PhraseLDA, *, certainty: bool = True) -> dict[str, Any]:
    """Everything that is stored of a model."""
    topics = topics_in(model)
    sections = topics.sections() if certainty else {"topics": topics.stored()}
    return {
        f"{section} {name}": value.tobytes() if isinstance(value, np.ndarray) else value
        for section, stored in sections.items()
        for name, value in {
            **stored.facts,
            **stored.arrays,
            **{name: table.to_dict(as_series=False) for name, table in stored.tables.items()},
        }.items()
    }


@given(st.integers(0, 2**64 - 1), st.integers(1, 20))
def test_seeds_differ_and_do_not_depend_on_how_many_there_are(seed: int, n: int) -> None:
    seeds = seeds_of_chains(seed, n)
    assert seeds[0] == seed and len(set(seeds)) == n
    assert seeds == seeds_of_chains(seed, 20)[:n]


def test_the_best_chain_is_the_first_of_the_highest() -> None:
    assert best_of([-7.5, -7.25, -7.25]) == 1


@pytest.mark.parametrize("path", TOPICS)
@pytest.mark.parametrize("n_shards", [1, 3])
def test_the_model_is_what_its_seed_alone_gives(partition: Partition, path: str, n_shards: int) -> None:
    model = lda(TOPICS[path], n_shards=n_shards).fit(partition)
    assert model.certainty_ is not None
    chains = model.certainty_.chains
    assert chains["seed"].to_list() == seeds_of_chains(3, 4)
    scores = []
    for seed in chains["seed"]:
        alone = lda(TOPICS[path], 1, n_shards=n_shards, random_state=seed).fit(partition)
        scores.append(alone.history_["log_likelihood"].tail(2).mean())
        if seed == chains["seed"][model.certainty_.model]:
            assert bytes_of(alone) == bytes_of(model, certainty=False)
    np.testing.assert_allclose(chains["log_likelihood"], scores, rtol=1e-12)
    assert model.certainty_.model == int(np.argmax(scores))


def test_one_chain_has_no_certainty(partition: Partition, tmp_path: Path) -> None:
    """And its model has the bytes that it had before there were several: the parameter is not stored."""
    model = lda(n_chains=1).fit(partition)
    model.save(tmp_path / "model")
    manifest = (tmp_path / "model" / "topics.json").read_text()
    assert model.certainty_ is None and "n_chains" not in manifest and "certainty" not in manifest


@pytest.mark.parametrize("n_threads", [1, 3])
def test_threads_change_nothing(partition: Partition, n_threads: int) -> None:
    one = lda(n_shards=3, n_threads=n_threads).fit(partition)
    assert bytes_of(one) == bytes_of(lda(n_shards=3, n_threads=2).fit(partition))


def test_what_is_said_of_topics(partition: Partition) -> None:
    model = lda(20).fit(partition)
    certainty, frequency = model.certainty_, model.frequency_
    assert certainty is not None
    assert ((certainty.stability >= 0) & (certainty.stability <= 1)).all()
    assert certainty.is_stable.tolist() == (certainty.stability >= certainty.threshold).tolist()
    for (low, high), value in (
        (certainty.weight, model.topic_weight_),
        (certainty.frequency, frequency.mean),
    ):
        assert ((low >= 0) & (low <= value) & (value <= high)).all()
    assert (certainty.frequency[1] <= frequency.totals()[frequency.types]).all()
    assert certainty.history["chain"].to_list() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert certainty.history["sweep"].to_list() == [50, 60] * 4


def test_save_and_load(partition: Partition, tmp_path: Path) -> None:
    model = lda(20).fit(partition)
    model.save(tmp_path / "model")
    loaded = PhraseLDA.load(tmp_path / "model")
    assert loaded.n_chains == 4
    assert bytes_of(loaded) == bytes_of(model)


class Stopped(Exception):
    """What a signal would be."""


def resumable(
    model: PhraseLDA, partition: Partition, checkpoint: Any, stop_at: int | None = None
) -> tuple[Chain, int]:
    """Run the chains of a model, keep the state every tenth sweep, and stop after so many sweeps.

    Also return how many sweeps were sampled.
    """
    n_sampled = 0

    def after_sweep(chain: Chain) -> None:
        nonlocal n_sampled
        n_sampled += 1
        if chain.sampler.n_sweeps % 10 == 0:
            with checkpoint.writer("chain") as writer:
                chain.save(writer)
        if n_sampled == stop_at:
            raise Stopped

    def start(seed: int, lda: PhraseLDA) -> Chain:
        return start_chain(lda, sampler_of(lda, partition, seed))

    return run_chains(model, 3, start, checkpoint, silent, after_sweep), n_sampled


@pytest.mark.parametrize("stop_at", [5, 35, 60, 61, 75, 120, 130, 185, 239, 240])
def test_stopped_chains_go_on_to_the_same_model(partition: Partition, stop_at: int) -> None:
    """In the first, at its end, in the second, and so on."""
    whole = lda(20).fit(partition)
    checkpoint = MemoryCheckpoint()
    with pytest.raises(Stopped):
        resumable(lda(20), partition, checkpoint, stop_at)
    chain, n_sampled = resumable(lda(20, n_threads=1), partition, checkpoint)
    topics, expected = Topics.of_chain(chain), topics_in(whole)
    assert n_sampled == 240 - stop_at // 10 * 10
    assert topics.clique_topic.tobytes() == expected.clique_topic.tobytes()
    for section in ("topics", "certainty"):
        one, other = topics.sections()[section], expected.sections()[section]
        assert one.facts == other.facts
        assert {name: each.tobytes() for name, each in one.arrays.items()} == {
            name: each.tobytes() for name, each in other.arrays.items()
        }
        assert all(one.tables[name].equals(other.tables[name]) for name in other.tables)


class Failing(MemoryCheckpoint):
    """A checkpoint whose process is killed when something was written."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind: str | None = kind

    def writer(self, kind: str) -> Any:
        if self._last == self.kind:
            self.kind = None
            raise Stopped
        self._last = kind
        return super().writer(kind)

    _last = ""


@pytest.mark.parametrize("kind", ["best", "finished1", "finished2", "finished3"])
def test_killed_after_anything_was_written(partition: Partition, kind: str) -> None:
    checkpoint = Failing(kind)
    with pytest.raises(Stopped):
        resumable(lda(), partition, checkpoint)
    chain, _ = resumable(lda(), partition, checkpoint)
    assert Topics.of_chain(chain).clique_topic.tobytes() == lda().fit(partition).clique_topic_.tobytes()


def test_what_is_finished_of_another_run_is_refused(partition: Partition) -> None:
    checkpoint = MemoryCheckpoint()
    resumable(lda(), partition, checkpoint)
    stored = checkpoint.reader("finished2").stored()  # type: ignore[union-attr]
    with checkpoint.writer("finished2") as writer:
        writer.write(stored.arrays, stored.tables)
        writer.finish({**stored.facts, "seed": 99})
    with pytest.raises(InputError, match="finished chain 2 is of another run"):
        resumable(lda(), partition, checkpoint)


def test_a_best_chain_that_is_not_there_is_refused(partition: Partition) -> None:
    checkpoint = MemoryCheckpoint()
    resumable(lda(), partition, checkpoint)
    del checkpoint._kept["best"]
    with pytest.raises(InputError, match="the state of the best chain is missing"):
        resumable(lda(), partition, checkpoint)


def test_later_chains_have_as_many_topics_as_the_first_has_found(partition: Partition) -> None:
    """The first chain may find out how many; here it is told another number than the others."""
    asked: list[int | None] = []

    def start(seed: int, n_topics: int | None) -> Chain:
        asked.append(n_topics)
        found = lda(n_topics or 5, 1)
        return start_chain(found, sampler_of(found, partition, seed))

    Chains(3, 3, MemoryCheckpoint(), start).run(silent, nothing)
    assert asked[:3] == [None, 5, 5]


def test_progress_says_which_chain_it_is(partition: Partition) -> None:
    notes = set()

    def progress(stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
        notes.add(note.split(",")[0])

    lda(n_chains=2, n_sweeps=5).fit(partition, progress=progress)
    assert notes == {"chain 1 of 2", "chain 2 of 2"}


def test_each_chain_stops_by_itself(partition: Partition) -> None:
    model = lda(n_chains=2, n_sweeps="auto").fit(partition)
    assert model.certainty_ is not None
    sweeps = model.certainty_.chains["sweeps"]
    for seed, n in zip(model.certainty_.chains["seed"], sweeps, strict=True):
        assert lda(n_chains=1, n_sweeps="auto", random_state=seed).fit(partition).n_sweeps_ == n
    assert model.n_sweeps_ == sweeps[model.certainty_.model]


@pytest.mark.parametrize("n_chains", [0, 21, 1.5, None, "auto"])
def test_bad_numbers_of_chains(partition: Partition, n_chains: Any) -> None:
    with pytest.raises(InputError, match="n_chains must be a whole number from 1 to 20, not"):
        PhraseLDA(n_chains=n_chains).fit(partition)


def test_a_state_is_of_one_chain(partition: Partition) -> None:
    states: list[Stored] = []
    lda(n_chains=1).fit(partition, after_sweep=lambda chain: states.append(chain.state()))
    with pytest.raises(InputError, match="a state is of one chain: n_chains must be 1, not 4"):
        lda().fit(partition, state=states[0])


# ------------------------------------------------------------------------------------------- worked example


def chain_of(word_topic: list[list[int]], sampled: list[list[int]], likelihood: float) -> FinishedChain:
    """A chain of words that stand alone: topical frequencies are the table of words by topics."""
    table = np.array(word_topic, np.int32)
    types, topics = np.nonzero(table)
    mean = table[types, topics].astype(np.float64)
    return FinishedChain(
        int(-1000 * likelihood),
        0.01,
        table,
        table.sum(axis=0, dtype=np.int64),
        np.array(sampled),
        TopicalFrequency(types.astype(np.int32), topics.astype(np.int32), mean, 0 * mean, 2),
        pl.DataFrame({"sweep": [50, 100], "log_likelihood": [likelihood - 1, likelihood]}),
    )


def test_an_example_by_hand() -> None:
    """Two words, ten tokens. The second chain has the topics the other way round, and one token less in one.

    Weights of topic 0: samples .6 .6 and .5 .5, so x̄ = .55, W = 0, B = .005, V = .0075, ν = 1, t = 12.7:
    .55 ± 1.1, cut to 0 … 1. Frequency of word 0 in topic 0: 6 and 5, so 5.5 ± 12.7 · √.75, cut to 0 … 6.
    """
    one = chain_of([[6, 0], [0, 4]], [[6, 4], [6, 4]], -5.0)
    other = chain_of([[1, 5], [4, 0]], [[5, 5], [5, 5]], -6.0)
    certainty: Callable[..., Any] = certainty_of
    found = certainty(0, 2, lambda number: (one, other)[number])
    assert found.chains["log_likelihood"].to_list() == [-5.5, -6.5]
    # (6 0)·(5 0) is 1, but for the priors; (0 4)·(1 4): 4 / √17 = .970
    np.testing.assert_allclose(found.stability, [1.0, 4 / 17**0.5], atol=0.003)
    assert [end.tolist() for end in found.weight] == [[0.0, 0.0], [1.0, 1.0]]
    assert found.frequency[0].tolist() == [0.0, 4.0] and found.frequency[1].tolist() == [6.0, 4.0]
