"""``topminer run --engine ray``, with two workers here for a cluster: what is said when it fails."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from local_workers import local_engine
from runs import QUICK, model_files

from topminer.cli import main
from topminer.cli.session import Session
from topminer.engines.contract import Engine, WorkerLost
from topminer.errors import InputError
from topminer.run.cluster import ClusterBackend
from topminer.run.losses import MAX_LOSSES
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.sampler.estimate import Estimate
from topminer.topics.sampler.sampler import Sampler

TOO_SMALL = InputError("sampling needs about 3.0 GB on 10.0.0.7, 2.0 GB are free")


class TwoWorkers:
    def engine(self) -> Engine:
        return local_engine(1, 2)


@pytest.fixture(autouse=True)
def no_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def cluster(*arguments: Any) -> Iterator[TwoWorkers]:
        yield TwoWorkers()

    monkeypatch.setattr(Session, "cluster", cluster)


@pytest.fixture
def run(corpus: Path) -> list[str]:
    return ["run", str(corpus), *QUICK, "--shards", "2", "--seed", "3", "--output"]


def test_a_node_that_is_too_small_from_the_start_leaves_nothing(
    run: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def estimate(backend: ClusterBackend, lda: PhraseLDA) -> Estimate:
        raise TOO_SMALL

    monkeypatch.setattr(ClusterBackend, "estimate", estimate)
    assert main([*run, str(tmp_path / "model"), "--engine", "ray"]) == 2
    err = capsys.readouterr().err
    assert err.endswith(f"topminer: error: {TOO_SMALL}\n") and "resume" not in err
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("option", [["--dedupe"], ["--min-df", "2"], ["--max-df", "0.5"]])
def test_a_cluster_does_not_filter_and_says_so_before_it_reads(
    run: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], option: list[str]
) -> None:
    assert main([*run, str(tmp_path / "model"), "--engine", "ray", *option]) == 2
    assert "--min-df, --max-df and --dedupe need --engine local" in capsys.readouterr().err
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("losses", [1, MAX_LOSSES])
def test_what_is_left_after_losses_can_be_resumed(
    losses: int,
    run: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Either the nodes that are left are too small, or there are too many losses."""
    model, n_lost, estimate = tmp_path / "model", 0, ClusterBackend.estimate

    def lose(*arguments: Any) -> Sampler:
        nonlocal n_lost
        n_lost += 1
        raise WorkerLost("the worker on 10.0.0.8 is gone")

    def too_small(backend: ClusterBackend, lda: PhraseLDA) -> Estimate:
        if n_lost == losses:
            raise TOO_SMALL
        return estimate(backend, lda)

    with monkeypatch.context() as patched:
        patched.setattr(ClusterBackend, "sampler", lose)
        patched.setattr(ClusterBackend, "estimate", too_small)
        assert main([*run, str(model), "--engine", "ray"]) == 2
    *_, hint, error = capsys.readouterr().err.splitlines()
    assert hint == f"Unfinished. Go on with: topminer resume {model}"
    assert str(TOO_SMALL) in error if losses == 1 else "10.0.0.8 is gone; that was the 5th time" in error

    assert main(["resume", str(model), "--quiet"]) == 0
    assert main([*run, str(tmp_path / "local"), "--quiet"]) == 0
    assert model_files(model) == model_files(tmp_path / "local")


GERMAN = "Der Hund und die Katze waren in dem Haus, und sie wussten nicht, was sie damit tun sollten. {}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("".join(GERMAN.format(number) for number in range(30)), "the text looks German"),
        ("one red fish\ntwo blue birds\nthree green trees\n", "Hardly any phrases (none of several"),
    ],
)
def test_the_warning_is_that_of_a_run_on_one_machine(tmp_path: Path, topminer, text: str, said: str) -> None:
    corpus, told = tmp_path / "corpus.txt", []
    corpus.write_text(text, encoding="utf-8")
    for engine in ("local", "ray"):
        err = topminer("run", corpus, *QUICK, "--output", tmp_path / engine, "--engine", engine)[1]
        told.append([line for line in err.splitlines() if line.startswith("Warning: ")])
    assert told[0] == told[1]
    (warning,) = [line for line in told[0] if "One topic holds" not in line]
    assert said in warning
