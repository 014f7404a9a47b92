"""The whole method on workers in this process: the model is the local one, byte for byte."""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import stored_things
from directories import model_bytes
from whole_runs import Workers, job_of, settings, write_corpus, written

from topminer import Corpus, Partition, ToPMine
from topminer._facts import lda_of, miner_of
from topminer.engines.contract import WorkerLost
from topminer.errors import InputError
from topminer.progress import silent
from topminer.run.backend import CorpusSummary, Source
from topminer.run.checkpoint import Checkpoint, MemoryCheckpoint
from topminer.run.cluster import ClusterBackend
from topminer.run.job import Done, Job, Loss, Nodes, Step
from topminer.run.losses import MAX_LOSSES, TooManyLosses
from topminer.run.memory import MemoryBackend
from topminer.run.shards import spread
from topminer.store import Reader
from topminer.store.formats import CHAIN
from topminer.topics.sampler.chain import Chain
from topminer.topics.sampler.estimate import THREADS_EFFICIENCY, Estimate, estimate, plan_of

Needed = Callable[[], Estimate]
READING = {"text": "text", "time": "year"}


@pytest.fixture(autouse=True)
def no_array_is_too_short_for_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("topminer.containers.mapped.LEAST_BYTES", 1)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "files")


@pytest.fixture(scope="module")
def local(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """The directory of a model made here, for each of some parameters once."""
    made: dict[str, Path] = {}

    def directory(**more: Any) -> Path:
        if str(more) not in made:
            made[str(more)] = path = tmp_path_factory.mktemp("models") / "local"
            ToPMine(**settings(**more)).fit(Corpus.read(source, **READING)).save(path)
        return made[str(more)]

    return directory


def started(directory: Path) -> Checkpoint:
    return Checkpoint.begin(directory, stored_things.plan_of(), overwrite=False)


def run(
    source: Path,
    directory: Path,
    workers: Workers | None,
    after_sweep: Callable[[Job, Chain], None] = lambda job, chain: None,
    keep_texts: bool = True,
    **more: Any,
) -> None:
    """A run from beginning or checkpoint to end, on workers or in memory."""
    model = ToPMine(**settings(**more))
    begun = (directory / "checkpoint").exists()
    checkpoint = Checkpoint.resume(directory) if begun else started(directory)
    with checkpoint:
        here = MemoryBackend(2, folder=checkpoint.folder)
        backend = here if workers is None else ClusterBackend(workers.engine, checkpoint)
        finish = written(model, directory, keep_texts)
        for _ in job_of(model, backend, checkpoint, Source(str(source), READING), after_sweep, finish).run():
            pass
        checkpoint.finish()


@pytest.mark.parametrize("n_workers", [0, 1, 3])
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"n_topics": 40},
        {"n_topics": 250, "n_shards": 5},
        {"n_shards": 2},
        {"n_shards": 1},
        {"n_shards": None, "phrases": False},
        {"split": 3},
        {"split": 2, "n_topics": 250, "n_shards": 5},
        {"split": 2, "phrases": False, "n_shards": 1},
        {"n_sweeps": "auto"},
        {"n_chains": 3},
        {"n_chains": 2, "n_topics": 250, "n_sweeps": "auto"},
        {"always": ["word3 word4"], "never": ["data mining"], "quality": -4.0, "significance": 3.0},
    ],
    ids=str,
)
def test_the_model_is_the_local_one(
    n_workers: int, more: dict[str, Any], source: Path, local: Callable[..., Path], tmp_path: Path
) -> None:
    run(source, tmp_path / "model", Workers(2, n_workers) if n_workers else None, **more)
    assert model_bytes(tmp_path / "model") == model_bytes(local(**more))


def cut(source: Path) -> Partition:
    miner = miner_of(ToPMine(**settings()))
    assert miner is not None
    return miner.fit_transform(Corpus.read(source, **READING))


@pytest.mark.parametrize(
    ("more", "workers"),
    [
        ({}, Workers(1, 2)),
        ({"n_topics": 40}, Workers(1, 2)),
        ({"n_topics": 250}, None),
        ({"split": 2, "n_topics": 250}, Workers(1, 2)),
        ({"split": 3}, None),
    ],
    ids=["few topics", "topics", "many topics", "pieces and many topics", "pieces"],
)
def test_a_state_is_the_local_one_and_goes_on_anywhere(
    more: dict[str, Any],
    workers: Workers | None,
    source: Path,
    local: Callable[..., Path],
    tmp_path: Path,
) -> None:
    """Stopped on three workers after 37 sweeps, of which some were sampled; resumed on two, or here."""

    class Stopped(Exception):
        pass

    def stop(job: Job, chain: Chain) -> None:
        if chain.sampler.n_sweeps == 37:
            job.keep(chain)
            raise Stopped

    with pytest.raises(Stopped):
        run(source, tmp_path / "model", Workers(1, 3), stop, **more)
    kept: list[Any] = []
    model = ToPMine(**settings(**more))
    partition = cut(source)

    def keep(chain: Chain) -> None:
        if chain.sampler.n_sweeps == 37:
            kept.append(chain.state())

    here = lda_of(model).fit(partition, after_sweep=keep)
    state = Reader(tmp_path / "model" / "checkpoint", CHAIN).stored()
    assert state.arrays.keys() == kept[0].arrays.keys()
    for name, array in state.arrays.items():
        assert array.dtype == kept[0].arrays[name].dtype
        np.testing.assert_array_equal(array, kept[0].arrays[name])

    resumed = lda_of(model).fit(partition, state=state)
    assert resumed.clique_topic_.tobytes() == here.clique_topic_.tobytes()
    run(source, tmp_path / "model", workers, **more)
    assert model_bytes(tmp_path / "model") == model_bytes(local(**more))


def test_what_is_stored_is_not_read_again(source: Path, local: Callable[..., Path], tmp_path: Path) -> None:
    with started(tmp_path / "model") as checkpoint:
        backend = ClusterBackend(Workers(1, 2).engine, checkpoint)
        steps = job_of(ToPMine(**settings()), backend, checkpoint, Source(str(source), READING)).run()
        assert [type(step) for step in islice(steps, 2)] == [Nodes, CorpusSummary]
    run(tmp_path / "gone", tmp_path / "model", Workers(1, 3))
    assert model_bytes(tmp_path / "model") == model_bytes(local())


@pytest.mark.parametrize("workers", [None, Workers(1, 2)])
def test_no_texts_are_kept_if_none_shall_be(workers: Workers | None, source: Path, tmp_path: Path) -> None:
    model = ToPMine(**settings())
    model.fit(Corpus.read(source, **READING)).save(tmp_path / "local", keep_texts=False)
    run(source, tmp_path / "model", workers, keep_texts=False)
    assert model_bytes(tmp_path / "model") == model_bytes(tmp_path / "local")


@pytest.mark.parametrize("n_shards", [1, 2, 7, 64])
@pytest.mark.parametrize("threads", [[1], [4, 4], [8, 2, 1, 1], [1] * 9])
def test_shards_are_spread_as_threads_are(n_shards: int, threads: list[int]) -> None:
    shares = spread(n_shards, threads)
    assert [first for first, _ in shares] + [n_shards] == [0] + [last for _, last in shares]
    for (first, last), n in zip(shares, threads, strict=True):
        assert abs((last - first) - n_shards * n / sum(threads)) < 1


@pytest.mark.parametrize("stage", ["Reading", "Keeping", "Mining", "Segmenting", "Sampling topics"])
def test_a_worker_that_is_lost_changes_nothing(
    stage: str, source: Path, local: Callable[..., Path], tmp_path: Path
) -> None:
    lost = False

    def progress(found: str, done: int, total: int | None, unit: str, note: str = "") -> None:
        nonlocal lost
        if found == stage and not lost and (found != "Sampling topics" or done == 25):
            lost = True
            raise WorkerLost("the worker on b is gone")

    def keep(job: Job, chain: Chain) -> None:
        if chain.sampler.n_sweeps == 20:
            job.keep(chain)

    model, directory = ToPMine(**settings()), tmp_path / "model"
    with started(directory) as checkpoint:
        backend, finish = ClusterBackend(Workers(1, 3).engine, checkpoint), written(model, directory)
        job = job_of(model, backend, checkpoint, Source(str(source), READING), keep, finish)
        steps = [type(step) for step in job.run(progress)]
        checkpoint.finish()
    assert lost and steps.count(Loss) == 1 and steps[-1] is Done
    assert model_bytes(directory) == model_bytes(local())
    assert job.chain.sampler.n_sampled == (20 if stage == "Sampling topics" else 40)


@pytest.mark.parametrize("lost_at", [10, 65, 100])
def test_a_worker_that_is_lost_in_any_chain_changes_nothing(
    lost_at: int, source: Path, local: Callable[..., Path], tmp_path: Path
) -> None:
    """Sweeps are counted over all chains. What is finished is not sampled again."""
    n_sampled = n_lost = 0

    def after_sweep(job: Job, chain: Chain) -> None:
        nonlocal n_sampled, n_lost
        n_sampled += 1
        if chain.sampler.n_sweeps == 20:
            job.keep(chain)
        if n_sampled == lost_at and not n_lost:
            n_lost += 1
            raise WorkerLost("the worker on b is gone")

    model, directory = ToPMine(**settings(n_chains=3)), tmp_path / "model"
    with started(directory) as checkpoint:
        backend, finish = ClusterBackend(Workers(1, 3).engine, checkpoint), written(model, directory)
        job = job_of(model, backend, checkpoint, Source(str(source), READING), after_sweep, finish)
        steps = [type(step) for step in job.run()]
        checkpoint.finish()
    assert steps.count(Loss) == 1 and steps[-1] is Done
    assert n_sampled == 3 * 40 + {10: 10, 65: 5, 100: 0}[lost_at]
    assert model_bytes(directory) == model_bytes(local(n_chains=3))


class Flaky:
    """A backend that loses its worker whenever it has opened the corpus, up to a certain time."""

    def __init__(self, store: Callable[[int], None], n_losses: int = 1000) -> None:
        self.n_started, self._n_losses, self._store = 0, n_losses, store

    def start(self) -> list[str]:
        self.n_started += 1
        return ["a", "b"]

    def open(self, reader: Any) -> CorpusSummary:
        self._store(self.n_started)
        if self.n_started <= self._n_losses:
            raise WorkerLost("the worker on b is gone")
        return CorpusSummary(7, 700)


def steps_of(backend: Any, checkpoint: Checkpoint) -> Iterator[Step]:
    return job_of(ToPMine(5), backend, checkpoint).run()


def test_who_never_gets_further_gives_up(tmp_path: Path) -> None:
    backend, steps = Flaky(lambda n_started: None), list[Step]()
    with (
        started(tmp_path / "model") as checkpoint,
        pytest.raises(TooManyLosses, match="the worker on b is gone; that was the 5th time in a row"),
    ):
        for step in steps_of(backend, checkpoint):
            steps.append(step)
    assert backend.n_started == MAX_LOSSES
    losses = [step.message for step in steps if isinstance(step, Loss)]
    assert len(losses) == MAX_LOSSES - 1 and "is gone: going on from what is stored" in losses[0]


def test_who_gets_further_goes_on(tmp_path: Path) -> None:
    with started(tmp_path / "model") as checkpoint:

        def store(n_started: int) -> None:
            if n_started % 3 == 0:
                stored_things.save(checkpoint, "chain", stored_things.small_chain(n_started))

        found = (step for step in steps_of(Flaky(store, 19), checkpoint) if isinstance(step, CorpusSummary))
        assert next(found) == CorpusSummary(7, 700)


# --------------------------------------------------------------------------------------- what it will take


@pytest.fixture
def needed(request: pytest.FixtureRequest, source: Path) -> Needed:
    """What sampling will take: on so many workers, so many shards."""
    n_workers, n_shards = request.param
    model = ToPMine(**settings(n_shards=n_shards))
    backend = ClusterBackend(Workers(1, n_workers).engine, MemoryCheckpoint(), Corpus.read(source, **READING))
    backend.start()
    backend.open(None)
    backend.cut(miner_of(model), silent)
    backend.split(lda_of(model))
    return lambda: backend.estimate(lda_of(model))


@pytest.mark.parametrize(("needed", "n_shards"), [((1, 4), 4), ((3, 3), 3), ((3, 1), 1)], indirect=["needed"])
def test_a_worker_needs_its_share_and_what_all_have(needed: Needed, n_shards: int, source: Path) -> None:
    """A worker alone needs what a fit here does; of three, each a third of it, or one of them all."""
    partition = cut(source)
    here, estimated = estimate(partition, 5, 40, n_shards=n_shards), needed()
    if n_shards == 3:
        assert here.n_bytes / 3 < estimated.n_bytes < here.n_bytes
        assert estimated.seconds == pytest.approx(here.seconds / 3 / THREADS_EFFICIENCY)
        return
    assert estimated.seconds == here.seconds
    if n_shards == 4:
        types = plan_of(partition, 5, 4).layout.types
        assert estimated.n_bytes == here.n_bytes + types.words.nbytes + types.word_start.nbytes
    else:
        # Documents elsewhere are like others.
        assert estimated.n_bytes == pytest.approx(here.n_bytes, rel=0.05)


@pytest.mark.parametrize("needed", [(2, 4)], indirect=True)
def test_a_node_that_is_too_small_is_told_at_once(needed: Needed, monkeypatch: pytest.MonkeyPatch) -> None:
    free = iter([None, 1000])
    monkeypatch.setattr("topminer.run.cutting.available_bytes", lambda: next(free))
    message = r"sampling needs about \S+ [kM]B on this machine, 1.0 kB are free: .*more nodes"
    with pytest.raises(InputError, match=message):
        needed()
