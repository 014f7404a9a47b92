"""The whole method on workers in this process: the model is the local one, byte for byte."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import stored_things
from whole_runs import hashes, settings, write_corpus

from topminer import Corpus, ToPMine
from topminer.checkpoint import Checkpoint
from topminer.cluster.job import MAX_LOSSES, Job, run_until_done
from topminer.cluster.sampling import spread
from topminer.engines.contract import Engine, WorkerLost
from topminer.engines.local import LocalEngine
from topminer.errors import InputError
from topminer.store import Reader
from topminer.store.formats import CHAIN
from topminer.topics.sampler.chain import Chain
from topminer.topics.sampler.estimate import THREADS_EFFICIENCY, estimate, plan_of

READING = {"text": "text", "time": "year"}


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
    engine: Engine,
    after_sweep: Callable[[Job, Chain], None] = lambda job, chain: None,
    **more: Any,
) -> None:
    """A run from beginning or checkpoint to end."""
    model = ToPMine(**settings(**more))
    begun = (directory / "checkpoint").exists()
    checkpoint = Checkpoint.resume(directory) if begun else started(directory)
    with checkpoint:
        job = model.job(engine, checkpoint)
        job.read(str(source), READING)
        job.cut()
        job.sample(after_sweep=lambda chain: after_sweep(job, chain))
        model.write(job, directory)
        checkpoint.finish()


@pytest.mark.parametrize("n_workers", [1, 3])
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"n_topics": 40},
        {"n_topics": 150, "n_shards": 5},
        {"n_shards": 2},
        {"n_shards": 1},
        {"n_shards": None, "phrases": False},
        {"always": ["word3 word4"], "never": ["data mining"], "scorer": "tail", "significance": 3.0},
    ],
    ids=str,
)
def test_the_model_is_the_local_one(
    n_workers: int, more: dict[str, Any], source: Path, local: Callable[..., Path], tmp_path: Path
) -> None:
    run(source, tmp_path / "model", LocalEngine(2, n_workers), **more)
    assert hashes(tmp_path / "model") == hashes(local(**more))


@pytest.mark.parametrize("n_topics", [5, 40, 150])
def test_a_state_is_the_local_one_and_goes_on_anywhere(
    n_topics: int, source: Path, local: Callable[..., Path], tmp_path: Path
) -> None:
    """Stopped on three workers after 37 sweeps, of which some were sampled; resumed on two, and here."""

    class Stopped(Exception):
        pass

    def stop(job: Job, chain: Chain) -> None:
        if chain.sampler.n_sweeps == 37:
            job.keep(chain)
            raise Stopped

    with pytest.raises(Stopped):
        run(source, tmp_path / "model", LocalEngine(1, 3), stop, n_topics=n_topics)
    kept: list[Any] = []
    model = ToPMine(**settings(n_topics=n_topics))
    partition = model.cut(Corpus.read(source, **READING))

    def keep(chain: Chain) -> None:
        if chain.sampler.n_sweeps == 37:
            kept.append(chain.state())

    model.model(partition, after_sweep=keep)
    state = Reader(tmp_path / "model" / "checkpoint", CHAIN).stored()
    assert state.arrays.keys() == kept[0].arrays.keys()
    for name, array in state.arrays.items():
        assert array.dtype == kept[0].arrays[name].dtype
        np.testing.assert_array_equal(array, kept[0].arrays[name])

    resumed = ToPMine(**settings(n_topics=n_topics))
    resumed.model(resumed.cut(Corpus.read(source, **READING)), state=state)
    assert resumed.lda_.clique_topic_.tobytes() == model.lda_.clique_topic_.tobytes()
    run(source, tmp_path / "model", LocalEngine(1, 2), n_topics=n_topics)
    assert hashes(tmp_path / "model") == hashes(local(n_topics=n_topics))


def test_what_is_stored_is_not_read_again(source: Path, local: Callable[..., Path], tmp_path: Path) -> None:
    with started(tmp_path / "model") as checkpoint:
        ToPMine(**settings()).job(LocalEngine(1, 2), checkpoint).read(str(source), READING)
    run(tmp_path / "gone", tmp_path / "model", LocalEngine(1, 3))
    assert hashes(tmp_path / "model") == hashes(local())


def test_no_texts_are_kept_if_none_shall_be(source: Path, tmp_path: Path) -> None:
    model = ToPMine(**settings())
    model.fit(Corpus.read(source, **READING)).save(tmp_path / "local", keep_texts=False)
    with Checkpoint.begin(tmp_path / "model", {}, overwrite=False) as checkpoint:
        job = model.job(LocalEngine(1, 2), checkpoint)
        job.read(str(source), READING)
        job.cut()
        job.sample()
        model.write(job, tmp_path / "model", keep_texts=False)
        checkpoint.finish()
    assert hashes(tmp_path / "model") == hashes(tmp_path / "local")


@pytest.mark.parametrize("n_shards", [1, 2, 7, 64])
@pytest.mark.parametrize("threads", [[1], [4, 4], [8, 2, 1, 1], [1] * 9])
def test_shards_are_spread_as_threads_are(n_shards: int, threads: list[int]) -> None:
    shares = spread(n_shards, threads)
    assert [first for first, _ in shares] + [n_shards] == [0] + [last for _, last in shares]
    for (first, last), n in zip(shares, threads, strict=True):
        assert abs((last - first) - n_shards * n / sum(threads)) < 1


class Flaky:
    """A cluster whose engines are numbers."""

    def __init__(self) -> None:
        self.n_engines = 0

    def engine(self) -> Any:
        self.n_engines += 1
        return self

    def close(self) -> None:
        pass


def test_who_never_gets_further_gives_up(tmp_path: Path) -> None:
    cluster, told = Flaky(), list[str]()

    def work(engine: Engine) -> None:
        raise WorkerLost("the worker on b is gone")

    with Checkpoint.begin(tmp_path / "model", {}, overwrite=False) as checkpoint:
        with pytest.raises(InputError, match="the worker on b is gone; that was the 5th time in a row"):
            run_until_done(cluster, checkpoint, work, told.append)
        assert cluster.n_engines == MAX_LOSSES and len(told) == MAX_LOSSES - 1


def test_who_gets_further_goes_on(tmp_path: Path) -> None:
    cluster = Flaky()
    with Checkpoint.begin(tmp_path / "model", {}, overwrite=False) as checkpoint:

        def work(engine: Engine) -> int:
            if cluster.n_engines == 20:
                return 7
            if cluster.n_engines % 3 == 0:
                checkpoint.save("chain", stored_things.small_chain(cluster.n_engines))
            raise WorkerLost("the worker on b is gone")

        assert run_until_done(cluster, checkpoint, work, lambda text: None) == 7


# --------------------------------------------------------------------------------------- what it will take


@pytest.fixture
def job(request: pytest.FixtureRequest, source: Path, tmp_path: Path) -> Iterator[Job]:
    """A run that is about to sample: on so many workers, so many shards."""
    n_workers, n_shards = request.param
    model = ToPMine(**settings(n_shards=n_shards))
    with Checkpoint.begin(tmp_path / "model", {}, overwrite=False) as checkpoint:
        job = model.job(LocalEngine(1, n_workers), checkpoint)
        job.read(str(source), READING)
        job.cut()
        yield job


@pytest.mark.parametrize("job", [(1, 4)], indirect=True)
def test_a_worker_alone_needs_what_a_fit_here_does(job: Job, source: Path) -> None:
    partition = ToPMine(**settings()).cut(Corpus.read(source, **READING))
    here = estimate(partition, 5, 40, n_shards=4)
    types = plan_of(partition, 5, 4).layout.types
    estimated = job.estimate()
    assert estimated.n_bytes == here.n_bytes + types.words.nbytes + types.word_start.nbytes
    assert estimated.seconds == here.seconds


@pytest.mark.parametrize("job", [(3, 3)], indirect=True)
def test_a_worker_of_several_needs_its_share_and_what_all_have(job: Job, source: Path) -> None:
    partition = ToPMine(**settings()).cut(Corpus.read(source, **READING))
    here = estimate(partition, 5, 40, n_shards=3)
    estimated = job.estimate()
    assert here.n_bytes / 3 < estimated.n_bytes < here.n_bytes
    assert estimated.seconds == pytest.approx(here.seconds / 3 / THREADS_EFFICIENCY)


@pytest.mark.parametrize("job", [(3, 1)], indirect=True)
def test_one_worker_may_have_to_take_all(job: Job, source: Path) -> None:
    partition = ToPMine(**settings()).cut(Corpus.read(source, **READING))
    here = estimate(partition, 5, 40, n_shards=1)
    estimated = job.estimate()
    assert estimated.n_bytes == pytest.approx(here.n_bytes, rel=0.05)  # documents elsewhere are like others
    assert estimated.seconds == here.seconds


@pytest.mark.parametrize("job", [(2, 4)], indirect=True)
def test_a_node_that_is_too_small_is_told_at_once(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    free = iter([None, 1000])
    monkeypatch.setattr("topminer.cluster.cutting.available_bytes", lambda: next(free))
    message = rf"sampling needs about \S+ [kM]B on {job.engine.names[1]}, 1.0 kB are free: .*more nodes"
    with pytest.raises(InputError, match=message):
        job.estimate()
