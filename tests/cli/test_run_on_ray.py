"""``topminer run --engine ray`` and ``resume``, on a cluster of two nodes on this machine."""

import json
import os
import re
import signal
from pathlib import Path

import pytest
from ray_nodes import Nodes
from runs import QUICK, model_files, texts
from stops import ended, is_stopped, stopping

from topminer import ToPMine
from topminer.cli import main

pytestmark = pytest.mark.ray

SHARDS = ["--shards", "3", "--seed", "5"]
KEEPING = ["--sweeps", "30", "--checkpoint-every", "0"]  # the chain, after every sweep
CHAIN = "checkpoint/chain.json"


@pytest.fixture
def cluster(two_nodes: Nodes) -> Nodes:
    return two_nodes


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of three files."""
    folder, titles = tmp_path_factory.mktemp("corpus"), texts(600)
    for i in range(3):
        rows = [json.dumps({"text": text}) for text in titles[200 * i : 200 * (i + 1)]]
        (folder / f"{i}.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder


def local(corpus: Path, directory: Path, *arguments: str) -> dict[str, bytes]:
    """The model that a run on this machine writes."""
    assert main(["run", str(corpus), *QUICK, *SHARDS, *arguments, "--output", str(directory), "--quiet"]) == 0
    return model_files(directory)


def test_a_run_on_two_nodes(cluster: Nodes, corpus: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)  # workers have another working directory
    arguments = [*QUICK[:-1], *SHARDS, "--ray-address", cluster.address]
    assert main(["run", str(corpus), *arguments, "--output", "model"]) == 0
    out, err = capsys.readouterr()
    assert "frequent pattern mining" in out.lower().replace("\n", " ") or "data streams" in out.lower()
    assert f"Joining the Ray cluster at {cluster.address} …" in err
    estimated = r"will take about a second and \S+ [kM]B on a node; more time, if the network is slow\n"
    assert re.search(estimated, err)
    assert f"On 2 nodes: {', '.join(cluster.names)}" in err
    assert "600 documents" in err and "MB moved a sweep" in err and "Model written to model" in err
    model = tmp_path / "model"
    assert (model / "report.html").exists() and not (model / "checkpoint").exists()
    run = json.loads((model / "run.json").read_text())
    assert (run["engine"], run["nodes"], run["threads"]) == ("ray", cluster.names, [1, 1])
    assert run["bytes_moved"] > 0 and len(run["history"]["seconds"]) == 1
    (model / "report.html").unlink()
    assert model_files(model) == local(corpus, tmp_path / "local")


def test_a_driver_that_is_killed(cluster: Nodes, corpus: Path, tmp_path: Path) -> None:
    """The plan says where the run began: so resume goes on there."""
    model = tmp_path / "model"
    command = ["run", str(corpus), *QUICK, *SHARDS, *KEEPING, "--output", str(model)]
    command += ["--engine", "ray", "--ray-address", cluster.address, "--quiet"]
    with stopping("once", model, CHAIN, *command) as process:
        assert is_stopped(process)
        process.kill()
        assert ended(process)[0] == -signal.SIGKILL
    assert json.loads((model / CHAIN).read_text())["facts"]["sweep"] == 1
    assert main(["resume", str(model), "--quiet"]) == 0
    assert json.loads((model / "run.json").read_text())["engine"] == "ray"
    assert model_files(model) == local(corpus, tmp_path / "local", *KEEPING)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_interrupted_there_and_resumed_here(cluster: Nodes, corpus: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    command = ["run", str(corpus), *QUICK, *SHARDS, *KEEPING, "--output", str(model)]
    command += ["--ray-address", cluster.address]
    with stopping("once", model, CHAIN, *command) as process:
        assert is_stopped(process)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        code, _, told = ended(process)
    assert code == 130 and f"topminer resume {model}" in told
    assert "Traceback" not in told and "raylet" not in told.lower()
    assert main(["resume", str(model), "--engine", "local", "--quiet"]) == 0
    assert json.loads((model / "run.json").read_text())["engine"] == "local"
    assert model_files(model) == local(corpus, tmp_path / "local", *KEEPING)


def test_what_cannot_be(cluster: Nodes, corpus: Path, tmp_path: Path, capsys) -> None:
    def told(*arguments: str) -> str:
        assert main(["run", *QUICK, *arguments, "--output", str(tmp_path / "model")]) == 2
        out, err = capsys.readouterr()
        assert out == "" and "Traceback" not in err and not (tmp_path / "model").exists()
        return err

    assert "--ray-address goes with --engine ray" in told(
        str(corpus), "--engine", "local", "--ray-address", "auto"
    )
    assert "no Ray cluster answers at 127.0.0.1:1" in told(str(corpus), "--ray-address", "127.0.0.1:1")
    at = ["--ray-address", cluster.address]
    assert "give a file or a folder" in told("-", *at)
    (tmp_path / "bad.jsonl").write_text('{"text": "fine"}\n{"text": \n')
    assert "bad.jsonl" in told(str(tmp_path / "bad.jsonl"), *at)
    assert "9,999 topics are more than" in told(str(corpus), *at, "--topics", "9999")


def test_the_estimator(cluster: Nodes) -> None:
    titles = texts(400)
    settings = {"n_topics": 4, "n_sweeps": 30, "random_state": 2, "n_shards": 2}
    here = ToPMine(**settings).fit(titles)
    there = ToPMine(**settings, engine="ray", ray_address=cluster.address).fit(titles)
    assert there.topics() == here.topics()
    assert there.lda_.doc_topic_.tobytes() == here.lda_.doc_topic_.tobytes()
    assert there.lda_.clique_topic_.tobytes() == here.lda_.clique_topic_.tobytes()
    assert there.partition_.to_lists() == here.partition_.to_lists()
    assert there.transform(titles[:5]).tobytes() == here.transform(titles[:5]).tobytes()
    assert there.lda_.history_.columns == here.lda_.history_.columns
    assert there.lda_.history_["seconds"].null_count() == 0
