"""`topminer infer --engine ray`, on a cluster of two nodes: the files are those of this machine alone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from ray_nodes import Nodes
from runs import QUICK, all_files, texts, write_corpus

from topminer.cli import main
from topminer.run import inference

pytestmark = pytest.mark.ray

Infer = Callable[..., str]


@pytest.fixture
def cluster(two_nodes: Nodes) -> Nodes:
    two_nodes.have(2)
    return two_nodes


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, and new documents in several files."""
    folder = tmp_path_factory.mktemp("ray")
    corpus = write_corpus(folder / "titles.txt")
    assert main(["run", str(corpus), *QUICK, "--output", str(folder / "model"), "--quiet"]) == 0
    (folder / "new").mkdir()
    for number in range(6):
        lines = [
            json.dumps({"text": text, "key": f"={number}-{row}"})
            for row, text in enumerate([*texts(40 + number), "", "a zebra"])
        ]
        (folder / "new" / f"{number}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    # Compile all kernels now: later it would be told.
    warm = [str(folder / "model"), str(folder / "new"), "--output", str(folder / "warm.csv"), "--quiet"]
    assert main(["infer", *warm]) == 0
    return folder


@pytest.fixture
def infer(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Infer:
    """Run `topminer infer` in the folder, and return what it said."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(inference, "STRETCH_BYTES", 4000)
    monkeypatch.setattr(inference, "BATCH_BYTES", 500)

    def run(output: Path, *arguments: str, code: int = 0, source: str = "new") -> str:
        assert main(["infer", "model", source, "--output", str(output), *arguments]) == code
        return capsys.readouterr().err

    return run


def on_ray(cluster: Nodes) -> list[str]:
    return ["--engine", "ray", "--ray-address", cluster.address]


def joining(cluster: Nodes) -> str:
    return f"Joining the Ray cluster at {cluster.address} …\n"


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_the_same_file(infer: Infer, cluster: Nodes, tmp_path: Path, ending: str) -> None:
    alone, together = tmp_path / f"alone{ending}", tmp_path / f"together{ending}"
    told = infer(alone, "--id-column", "key")
    assert infer(together, "--id-column", "key", *on_ray(cluster)) == joining(cluster) + told.replace(
        str(alone), str(together)
    )
    if ending == ".parquet":
        assert pl.read_parquet(together).equals(pl.read_parquet(alone))
    else:
        assert together.read_bytes() == alone.read_bytes()
        assert b"\n'=0-0," in together.read_bytes()  # not a formula
    assert "258 documents written" in told
    assert len(all_files(tmp_path)) == 2


def test_bad_input(infer: Infer, folder: Path, cluster: Nodes, tmp_path: Path) -> None:
    (tmp_path / "bad").mkdir()
    for name in ("b", "a"):  # so far down that workers find it
        lines = '{"text": "data streams"}\n' * 200 + "nonsense\n"
        (tmp_path / "bad" / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    told = [
        infer(tmp_path / "new.csv", *engine, code=2, source=str(tmp_path / "bad"))
        for engine in ([], on_ray(cluster))
    ]
    assert joining(cluster) + told[0] == told[1]
    assert "a.jsonl, line 201" in told[0]
    assert infer(tmp_path / "new.csv", *on_ray(cluster), code=2, source="-") == joining(cluster) + (
        "topminer: error: standard input: workers cannot read it; give a file or a folder that they all see\n"
    )
    assert not (tmp_path / "new.csv").exists()


def test_a_node_that_dies(
    infer: Infer, cluster: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    infer(tmp_path / "alone.jsonl")
    note, n_results = inference.Inference._note, []

    def killing(self: Any, *result: Any) -> None:
        n_results.append(1)
        if len(n_results) == 5:
            cluster.kill(cluster.names[0])
        note(self, *result)

    monkeypatch.setattr(inference.Inference, "_note", killing)
    told = infer(tmp_path / "together.jsonl", *on_ray(cluster))
    assert "258 documents written" in told
    assert (tmp_path / "together.jsonl").read_bytes() == (tmp_path / "alone.jsonl").read_bytes()
