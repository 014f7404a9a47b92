"""The whole method on a real Ray cluster of several nodes, some of which are killed on the way."""

from pathlib import Path

import pytest
from ray_nodes import Nodes
from whole_runs import hashes, settings, write_corpus

from topminer import Corpus, ToPMine
from topminer.checkpoint import Checkpoint
from topminer.cluster.job import run_until_done
from topminer.engines.contract import Engine
from topminer.engines.ray import connect
from topminer.topics.sampler.chain import Chain

pytestmark = pytest.mark.ray

READING = {"text": "text", "time": "year"}


@pytest.fixture
def three_nodes(ray_nodes: Nodes) -> Nodes:
    ray_nodes.have(3)
    return ray_nodes


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "files")


@pytest.fixture(scope="module")
def local(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    directory = tmp_path_factory.mktemp("models") / "local"
    ToPMine(**settings()).fit(Corpus.read(source, **READING)).save(directory)
    return hashes(directory)


@pytest.mark.parametrize("dies_while", ["Reading", "Mining", "Sampling topics"])
def test_the_model_is_the_local_one(
    dies_while: str, three_nodes: Nodes, source: Path, local: dict[str, str], tmp_path: Path
) -> None:
    told: list[str] = []
    n_nodes: list[int] = []

    def progress(stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
        late_enough = stage != "Sampling topics" or done == 25
        if stage == dies_while and late_enough and len(n_nodes) == 1 and len(three_nodes.names) == 3:
            three_nodes.kill(three_nodes.names[1])

    model, directory = ToPMine(**settings()), tmp_path / "model"
    with (
        Checkpoint.begin(directory, {}, overwrite=False) as checkpoint,
        connect(three_nodes.address) as cluster,
    ):

        def work(engine: Engine) -> int:
            n_nodes.append(len(engine.names))
            job = model.job(engine, checkpoint)
            job.read(str(source), READING, progress)
            job.cut(progress)

            def keep(chain: Chain) -> None:
                if chain.sampler.n_sweeps == 20:
                    job.keep(chain)

            chain = job.sample(progress, keep)
            model.write(job, directory)
            return chain.sampler.n_sampled

        n_sampled = run_until_done(cluster, checkpoint, work, told.append)
        checkpoint.finish()
    assert hashes(directory) == local
    assert n_nodes == [3, 2] and len(told) == 1 and "is gone: going on from what is stored" in told[0]
    assert n_sampled == (20 if dies_while == "Sampling topics" else 40)
