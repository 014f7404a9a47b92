"""The whole method on a real Ray cluster of several nodes, some of which are killed on the way."""

from pathlib import Path

import pytest
from directories import model_bytes
from ray_nodes import Nodes
from stored_things import plan_of
from whole_runs import job_of, settings, write_corpus, written

from topminer import Corpus, ToPMine
from topminer.engines.ray import connect
from topminer.run.backend import Source
from topminer.run.checkpoint import Checkpoint
from topminer.run.cluster import ClusterBackend
from topminer.run.job import Job, Loss
from topminer.run.job import Nodes as NodesOfRun
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
def local(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    directory = tmp_path_factory.mktemp("models") / "local"
    ToPMine(**settings()).fit(Corpus.read(source, **READING)).save(directory)
    return model_bytes(directory)


def test_the_model_is_the_local_one(
    three_nodes: Nodes, source: Path, local: dict[str, bytes], tmp_path: Path
) -> None:
    """A node dies while topics are sampled; test_whole_job.py has workers lost in every step."""
    told: list[str] = []
    n_nodes: list[int] = []

    def progress(stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
        if stage == "Sampling topics" and done == 25 and len(three_nodes.names) == 3:
            three_nodes.kill(three_nodes.names[1])

    def keep(job: Job, chain: Chain) -> None:
        if chain.sampler.n_sweeps == 20:
            job.keep(chain)

    model, directory = ToPMine(**settings()), tmp_path / "model"
    with (
        Checkpoint.begin(directory, plan_of(), overwrite=False) as checkpoint,
        connect(three_nodes.address) as cluster,
        ClusterBackend(cluster.engine, checkpoint) as backend,
    ):
        source_of = Source(str(source), READING)
        job = job_of(model, backend, checkpoint, source_of, keep, written(model, directory))
        for step in job.run(progress):
            if isinstance(step, NodesOfRun):
                n_nodes.append(len(step.names))
            elif isinstance(step, Loss):
                told.append(step.message)
        n_sampled = job.chain.sampler.n_sampled
        checkpoint.finish()
    assert model_bytes(directory) == local
    assert n_nodes == [3, 2] and len(told) == 1 and "is gone: going on from what is stored" in told[0]
    assert n_sampled == 20
