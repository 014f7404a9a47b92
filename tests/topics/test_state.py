"""A chain that was stopped and goes on ends where it would have ended anyway."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chains import clique_topics, partition_of, random_documents, state_of
from stored_things import small_chain

from topminer import InputError, Partition, PhraseLDA, store
from topminer.store import Stored
from topminer.store.formats import CHAIN
from topminer.topics.sampler.chain import MOST_SWEEPS, TIMES, Chain
from topminer.topics.sampler.sampler import Sampler

N_WORDS = 60
TOPICS = {"registers": 4, "dense": 20, "sparse": 250}
# Samples are taken after sweeps 26, 36 and 46, priors fitted after 10, 15, ..., 45.
PARAMETERS: dict[str, Any] = {"n_sweeps": 46, "optimize_interval": 5, "burn_in": 10, "random_state": 3}


class Stopped(Exception):
    """What a signal would be."""


@pytest.fixture(scope="module")
def partition() -> Partition:
    """Words in phrases, words that are not, words too rare for a row, a word that was never seen."""
    return partition_of([[], *random_documents(7, 50, N_WORDS), [(-1,), (N_WORDS - 1,)], []], N_WORDS)


def lda(n_topics: int, n_shards: int | None = 1, **parameters: Any) -> PhraseLDA:
    return PhraseLDA(n_topics, n_shards=n_shards, **PARAMETERS | parameters)


def stopped(
    model: PhraseLDA,
    partition: Partition,
    sweep: int,
    check: Callable[[Chain], None] = lambda chain: None,
    **options: Any,
) -> Stored:
    """The state of a chain that an exception ended after a sweep."""
    kept: list[Stored] = []

    def stop(chain: Chain) -> None:
        if chain.sampler.n_sweeps == sweep:
            check(chain)
            kept.append(chain.state())
            raise Stopped

    with pytest.raises(Stopped):
        model.fit(partition, after_sweep=stop, **options)
    return kept[0]


def through_a_directory(state: Stored, directory: Path) -> Stored:
    store.write(directory, CHAIN, state, overwrite=True)
    return store.read(directory, CHAIN)


def assert_same(one: PhraseLDA, other: PhraseLDA) -> None:
    for name in ("clique_topic_", "alpha_", "topic_word_", "doc_topic_", "topic_weight_"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), name
    for name in ("types", "topics", "mean", "spread"):
        assert getattr(one.frequency_, name).tobytes() == getattr(other.frequency_, name).tobytes(), name
    assert one.frequency_.n_samples == other.frequency_.n_samples
    assert (one.beta_, one.n_shards_) == (other.beta_, other.n_shards_)
    assert one.history_.drop(TIMES).equals(other.history_.drop(TIMES))


@pytest.mark.parametrize("n_shards", [1, 3])
@pytest.mark.parametrize("path", TOPICS)
def test_a_chain_goes_on_as_if_nothing_had_happened(
    partition: Partition, tmp_path: Path, path: str, n_shards: int
) -> None:
    """Stopped before a prior is fitted, between samples, right after one, and after the last sweep."""

    def check(chain: Chain) -> None:
        assert (chain.sampler.path, chain.sampler.n_shards) == (path, n_shards)

    undisturbed = lda(TOPICS[path], n_shards).fit(partition)
    assert undisturbed.frequency_.n_samples == 3
    assert undisturbed.beta_ != 0.01
    for sweep in (3, 30, 36, 46):
        state = stopped(lda(TOPICS[path], n_shards), partition, sweep, check)
        assert state.facts["n_samples"] == (sweep >= 26) + (sweep >= 36) + (sweep >= 46)
        again = through_a_directory(state, tmp_path / "chain")
        assert_same(lda(TOPICS[path], n_shards).fit(partition, state=again), undisturbed)


@pytest.mark.parametrize("path", TOPICS)
def test_a_chain_may_stop_again_and_again(partition: Partition, tmp_path: Path, path: str) -> None:
    """And on another number of threads each time."""
    undisturbed = lda(TOPICS[path], 3, n_threads=1).fit(partition)
    state: Stored | None = None
    for number, sweep in enumerate((1, 9, 27, 45)):
        model = lda(TOPICS[path], 3, n_threads=1 + number % 2)
        state = through_a_directory(stopped(model, partition, sweep, state=state), tmp_path / "chain")
    assert_same(lda(TOPICS[path], 3, n_threads=2).fit(partition, state=state), undisturbed)


def test_held_out_perplexity_is_recorded_before_and_after(partition: Partition, tmp_path: Path) -> None:
    train, test = partition[:40], partition[40:]
    undisturbed = lda(4).fit(train, held_out=test)
    assert undisturbed.history_["held_out_perplexity"].null_count() == 0
    state = through_a_directory(stopped(lda(4), train, 20, held_out=test), tmp_path)
    assert_same(lda(4).fit(train, held_out=test, state=state), undisturbed)


def test_a_state_in_memory_does_not_change_with_its_chain(partition: Partition) -> None:
    kept: list[Stored] = []

    def keep(chain: Chain) -> None:
        if chain.sampler.n_sweeps == 28:
            kept.append(chain.state())

    for n_topics in TOPICS.values():
        undisturbed = lda(n_topics).fit(partition, after_sweep=keep)
        assert_same(lda(n_topics).fit(partition, state=kept.pop()), undisturbed)


@pytest.mark.parametrize("path", TOPICS)
def test_a_chain_that_stops_by_itself_stops_after_the_same_sweep(
    partition: Partition, tmp_path: Path, path: str
) -> None:
    """On any number of threads, and resumed before the likelihood is flat, right after, and in between."""
    parameters: dict[str, Any] = {"n_sweeps": "auto", "optimize_interval": 10, "n_shards": 3}
    totals: set[int | None] = set()
    undisturbed = lda(TOPICS[path], **parameters, n_threads=1).fit(
        partition, progress=lambda stage, done, total, unit, note: totals.add(total)
    )
    end = undisturbed.n_sweeps_
    assert 200 <= end - 100 < MOST_SWEEPS and totals == {MOST_SWEEPS, end}
    assert undisturbed.history_["sweep"].to_list() == list(range(50, end + 1, 50))
    assert undisturbed.frequency_.n_samples == 10
    for sweep in (end - 101, end - 100, end - 45, end):
        state = stopped(lda(TOPICS[path], **parameters), partition, sweep)
        again = through_a_directory(state, tmp_path / "chain")
        model = lda(TOPICS[path], **parameters, n_threads=2).fit(partition, state=again)
        assert_same(model, undisturbed)
        with pytest.raises(InputError, match="damaged: the state is"):
            rows = [(*row[:1], -8.0, *row[2:]) for row in again.facts["rows"]]
            damaged = Stored({**again.facts, "rows": rows, "n_samples": 7}, again.arrays, again.tables)
            lda(TOPICS[path], **parameters).fit(partition, state=damaged)


def test_the_sweeps_of_a_chain_that_stopped_by_itself_are_stored(
    partition: Partition, tmp_path: Path
) -> None:
    model = lda(4, n_sweeps="auto").fit(partition)
    model.save(tmp_path / "topics")
    loaded = PhraseLDA.load(tmp_path / "topics")
    assert (loaded.n_sweeps, loaded.n_sweeps_) == ("auto", model.n_sweeps_)
    fixed = lda(4, n_sweeps=model.n_sweeps_).fit(partition)  # the same sweeps and the same samples
    assert_same(model, fixed)


def test_time_goes_on_as_well(partition: Partition) -> None:
    model = lda(4, n_sweeps=120)
    state = stopped(model, partition, 60)
    later = Stored({**state.facts, "seconds": 1e9}, state.arrays, state.tables)
    reports = list[tuple[Any, ...]]()
    history = model.fit(partition, state=later, progress=lambda *report: reports.append(report)).history_
    assert [report[1] for report in reports] == list(range(60, 121))
    assert reports[0][4].startswith("log likelihood -")
    seconds = history["seconds"].to_list()
    assert history["sweep"].to_list() == [50, 100, 120]
    assert seconds == sorted(seconds) and seconds[0] < 1e9 < seconds[1]
    assert (history["tokens_per_second"] > 0).all()


@pytest.mark.parametrize("random_state", [None, np.random.default_rng(5)], ids=["none", "generator"])
def test_a_seed_that_was_drawn_is_that_of_the_state(partition: Partition, random_state: Any) -> None:
    """A newly drawn seed would differ, and the chain would end with other topics."""
    kept: list[Stored] = []

    def keep(chain: Chain) -> None:
        if chain.sampler.n_sweeps == 30:
            kept.append(chain.state())

    undisturbed = lda(4, random_state=random_state).fit(partition, after_sweep=keep)
    resumed = lda(4, random_state=random_state).fit(partition, state=kept[0])
    assert_same(resumed, undisturbed)
    assert resumed.transform(partition).tobytes() == undisturbed.transform(partition).tobytes()


def test_a_state_of_another_chain_is_refused(partition: Partition) -> None:
    for n_topics in TOPICS.values():
        state = stopped(lda(n_topics), partition, 2)
        for other in (partition[:30], partition_of(random_documents(8, 50, N_WORDS), N_WORDS)):
            with pytest.raises(InputError, match=r"the state has .* where .* of another corpus\?"):
                lda(n_topics).fit(other, state=state)
        with pytest.raises(InputError, match=f"a chain with {n_topics} topics, this one has 5"):
            lda(5).fit(partition, state=state)
        with pytest.raises(InputError, match="a chain with 1 shards, this one has 3"):
            lda(n_topics, 3).fit(partition, state=state)


@pytest.mark.small
@pytest.mark.parametrize("n_shards", [1, 3])
@pytest.mark.parametrize("path", TOPICS)
def test_a_sampler_restored_is_the_one_that_was_kept(path: str, n_shards: int) -> None:
    """Every array that sampling reads or writes, not only those that are kept."""
    partition = partition_of([*random_documents(2, 12, 20, 5), []], 20)

    def sampler() -> Sampler:
        return Sampler.of(partition, 12, np.full(12, 0.2), 0.05, n_shards=n_shards, seed=4, path=path)

    one, other = sampler(), sampler()
    for _ in range(3):
        one.sweep()
    other.restore(state_of(one), one.n_sweeps)
    for _ in range(2):
        assert clique_topics(one).tobytes() == clique_topics(other).tobytes()
        assert one.n_k.tolist() == other.n_k.tolist()
        assert one.here.words.n_wk_shared.tobytes() == other.here.words.n_wk_shared.tobytes()
        for mine, theirs in zip(one.here.words.groups, other.here.words.groups, strict=True):
            assert mine.n_wk_own.tobytes() == theirs.n_wk_own.tobytes()
            assert mine.z_rare.tobytes() == theirs.z_rare.tobytes()
        for mine, theirs in zip(one.here.shards, other.here.shards, strict=True):
            assert mine.z.tobytes() == theirs.z.tobytes()
            if path != "sparse":
                assert mine.doc_topic.n_dk.tobytes() == theirs.doc_topic.n_dk.tobytes()
            assert [e.tobytes() for e in mine.entries()] == [e.tobytes() for e in theirs.entries()]
        one.sweep()
        other.sweep()
    assert one.n_sweeps == other.n_sweeps == 5


@pytest.mark.small
@pytest.mark.parametrize("path", TOPICS)
def test_hardly_any_documents(path: str, tmp_path: Path) -> None:
    """More shards than documents, and documents without a known word."""
    partition = partition_of([[], [(0,), (1,), (0, 1)], [(-1,)]], 2)
    one = Sampler.of(partition, 3, np.full(3, 0.2), 0.05, n_shards=4, path=path)
    one.sweep()
    facts, alpha = small_chain(1).facts, {"alpha": np.full(3, 0.2), "sampled": np.zeros(0, np.int64)}
    kept = through_a_directory(Stored(facts, state_of(one) | alpha, {}), tmp_path)
    other = Sampler.of(partition, 3, np.full(3, 0.2), 0.05, n_shards=4, path=path)
    other.restore(kept.arrays, 1)
    for sampler in (one, other):
        sampler.sweep()
    assert clique_topics(one).tolist() == clique_topics(other).tolist()
    assert clique_topics(other)[-1] == -1
