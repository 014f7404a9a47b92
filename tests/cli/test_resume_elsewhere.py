"""Runs resumed by somebody else, or elsewhere: no file and no address is visited that nobody named."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from directories import forge, rewrite
from local_workers import local_engine
from runs import QUICK, all_files, model_files, write_corpus
from stored_things import plan_of

from topminer import Corpus
from topminer.cli import main
from topminer.cli.session import Session
from topminer.engines.contract import Engine
from topminer.run.checkpoint import Checkpoint
from topminer.topics.sampler.sampler import Sampler


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "titles.txt")


@pytest.fixture(autouse=True)
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return become("user", tmp_path, monkeypatch)


def become(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be another user."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / f"state of {name}"))
    return tmp_path / f"state of {name}" / "topminer" / "runs"


@pytest.fixture
def expected(corpus: Path, tmp_path: Path) -> dict[str, bytes]:
    assert main(["run", str(corpus), *QUICK, "--output", str(tmp_path / "undisturbed"), "--quiet"]) == 0
    return model_files(tmp_path / "undisturbed")


def stopped_while_reading(corpus: Path, model: Path, *options: str) -> None:
    def stop(*_: Any, **__: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Corpus, "read", stop)
        assert main(["run", str(corpus), *QUICK, *options, "--output", str(model), "--quiet"]) == 130


def stopped_while_sampling(corpus: Path, model: Path, *options: str) -> None:
    sweep = Sampler.sweep

    def stop(sampler: Sampler) -> None:
        if sampler.n_sweeps == 7:
            signal.raise_signal(signal.SIGINT)
        sweep(sampler)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sampler, "sweep", stop)
        assert main(["run", str(corpus), *QUICK, *options, "--output", str(model), "--quiet"]) == 130


# ------------------------------------------------------------------------------------------------ a corpus


def test_a_plan_names_no_place(corpus: Path, tmp_path: Path, records: Path) -> None:
    stopped_while_reading(corpus, tmp_path / "model")
    [record] = records.iterdir()
    assert json.loads(record.read_text()) == {"corpus": str(corpus), "ray_address": None}
    files = all_files(tmp_path / "model")
    assert not [name for name, content in files.items() if str(tmp_path).encode() in content]


def test_ones_own_run_needs_no_more_than_its_directory(
    corpus: Path, tmp_path: Path, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if it was moved, and wherever it is resumed."""
    monkeypatch.chdir(corpus.parent)
    stopped_while_reading(Path(corpus.name), tmp_path / "model")
    (tmp_path / "model").rename(tmp_path / "moved")
    monkeypatch.chdir("/")
    assert main(["resume", str(tmp_path / "moved"), "--quiet"]) == 0
    assert model_files(tmp_path / "moved") == expected


def test_a_run_of_somebody_else_asks_for_its_corpus(
    corpus: Path, tmp_path: Path, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    stopped_while_reading(corpus, tmp_path / "model")
    shutil.copytree(tmp_path / "model", tmp_path / "copy")
    become("stranger", tmp_path, monkeypatch)
    capsys.readouterr()
    for _ in range(2):
        assert main(["resume", str(tmp_path / "copy")]) == 2
        said = "the run was started elsewhere; name its corpus (titles.txt) again: --corpus FILE"
        assert capsys.readouterr() == ("", f"topminer: error: {tmp_path / 'copy'}: {said}\n")
    corpus.rename(tmp_path / "elsewhere.txt")
    assert (
        main(["resume", str(tmp_path / "copy"), "--corpus", str(tmp_path / "elsewhere.txt"), "--quiet"]) == 0
    )
    assert model_files(tmp_path / "copy") == expected


def test_a_corpus_that_is_stored_is_not_asked_for(
    corpus: Path, tmp_path: Path, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped_while_sampling(corpus, tmp_path / "model")
    corpus.unlink()
    become("stranger", tmp_path, monkeypatch)
    assert main(["resume", str(tmp_path / "model"), "--quiet"]) == 0
    assert model_files(tmp_path / "model") == expected


def test_a_forged_plan_reads_nothing(tmp_path: Path, capsys: Any) -> None:
    """Guards against a checkpoint that has another file read into a model."""
    secret = write_corpus(tmp_path / "secret.txt")
    Checkpoint.begin(tmp_path / "model", plan_of(str(secret), id="../" * 10), overwrite=False).close()
    assert main(["resume", str(tmp_path / "model")]) == 2
    assert "name its corpus" in capsys.readouterr().err
    assert not (tmp_path / "model" / "model.json").exists()


def test_a_state_directory_that_cannot_be_written(
    corpus: Path, tmp_path: Path, expected: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert main(["run", str(corpus), *QUICK, "--output", str(tmp_path / "whole"), "--quiet"]) == 0
    assert model_files(tmp_path / "whole") == expected
    stopped_while_reading(corpus, tmp_path / "model")
    assert main(["resume", str(tmp_path / "model")]) == 2
    assert "--corpus FILE" in capsys.readouterr().err
    assert main(["resume", str(tmp_path / "model"), "--corpus", str(corpus), "--quiet"]) == 0
    assert model_files(tmp_path / "model") == expected


def test_a_run_that_came_to_nothing_is_forgotten(corpus: Path, tmp_path: Path, records: Path) -> None:
    run = ["run", str(corpus), *QUICK, "--output"]
    assert main([*run, str(tmp_path / "model"), "--quiet"]) == 0
    [first] = records.iterdir()
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "thesis.tex").touch()
    assert main([*run, str(tmp_path / "model")]) == 2  # a model is there
    assert main([*run, str(tmp_path / "foreign")]) == 2
    assert main([*run, str(tmp_path / "many"), "--topics", "5000"]) == 2  # more than there are tokens
    assert list(records.iterdir()) == [first]
    assert json.loads((tmp_path / "model" / "run.json").read_text())["id"] == first.stem


# ------------------------------------------------------------------------------------------------ a cluster


class TwoWorkers:
    def engine(self) -> Engine:
        return local_engine(1, 2)


@pytest.fixture
def visited(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The addresses of clusters that were visited; two workers here stand for them."""
    found: list[str | None] = []

    @contextmanager
    def cluster(_: Session, address: str | None) -> Iterator[TwoWorkers]:
        found.append(address)
        yield TwoWorkers()

    monkeypatch.setattr(Session, "cluster", cluster)
    return found


AWAY = ["--ray-address", "192.0.2.1:6379", "--shards", "2", "--seed", "3"]


def test_ones_own_run_goes_on_where_it_was(corpus: Path, tmp_path: Path, visited: list[str | None]) -> None:
    stopped_while_sampling(corpus, tmp_path / "model", *AWAY)
    assert main(["resume", str(tmp_path / "model"), "--quiet"]) == 0
    assert visited == ["192.0.2.1:6379"] * 2


@pytest.mark.parametrize(
    ("named", "address"),
    [
        (["--ray-address", "192.0.2.9:1"], ["192.0.2.9:1"]),
        (["--engine", "ray"], [None]),  # a cluster that is started here
        (["--engine", "local"], []),
    ],
)
def test_a_run_of_somebody_else_visits_no_address_by_itself(
    corpus: Path,
    tmp_path: Path,
    visited: list[str | None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
    named: list[str],
    address: list[str | None],
) -> None:
    stopped_while_sampling(corpus, tmp_path / "model", *AWAY)
    assert main(["run", str(corpus), *QUICK, *AWAY[2:], "--output", str(tmp_path / "whole"), "--quiet"]) == 0
    visited.clear()
    become("stranger", tmp_path, monkeypatch)
    capsys.readouterr()
    assert main(["resume", str(tmp_path / "model")]) == 2
    said = "the run was started elsewhere; name its cluster again: --ray-address HOST:PORT, or --engine local"
    assert capsys.readouterr().err == f"topminer: error: {tmp_path / 'model'}: {said}\n"
    assert visited == []
    assert main(["resume", str(tmp_path / "model"), *named, "--quiet"]) == 0
    assert visited == address
    assert model_files(tmp_path / "model") == model_files(tmp_path / "whole")


def test_a_corpus_and_a_cluster(
    corpus: Path, tmp_path: Path, visited: list[str | None], monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    plan = plan_of(corpus.name, engine="ray", elsewhere=True, id="0" * 32)
    Checkpoint.begin(tmp_path / "model", plan, overwrite=False).close()
    assert main(["resume", str(tmp_path / "model")]) == 2
    assert "--corpus FILE" in capsys.readouterr().err
    assert main(["resume", str(tmp_path / "model"), "--corpus", str(corpus)]) == 2
    assert "--ray-address HOST:PORT" in capsys.readouterr().err
    assert visited == []


# ------------------------------------------------------------------------------------ a damaged checkpoint


@pytest.mark.parametrize(
    ("kind", "name"),
    [("chain", "z"), ("corpus", "stem_ids"), ("corpus", "surface_ids")],
)
def test_a_damaged_checkpoint_is_refused_in_one_line(
    corpus: Path, tmp_path: Path, capsys: Any, kind: str, name: str
) -> None:
    """The checksums are right: a stranger made them."""
    stopped_while_sampling(corpus, tmp_path / "model")
    capsys.readouterr()
    folder = tmp_path / "model" / "checkpoint"
    [path] = folder.glob(f"{kind}-*/{name}.0000.npy")
    array = np.load(path)
    array[-1] = np.iinfo(array.dtype).max
    forge(folder, kind, **{name: array})
    assert main(["resume", str(tmp_path / "model"), "--quiet"]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert f"{name}.0000.npy: damaged: {name} has the value" in err


def test_a_chain_of_another_run_is_refused_in_one_line(corpus: Path, tmp_path: Path, capsys: Any) -> None:
    stopped_while_sampling(corpus, tmp_path / "model")
    rewrite(tmp_path / "model" / "checkpoint", lambda content: content["facts"].update(sweep=15), "chain")
    capsys.readouterr()
    assert main(["resume", str(tmp_path / "model"), "--quiet"]) == 2
    assert "damaged: the state is not that of this run after sweep 15" in capsys.readouterr().err


# -------------------------------------------------------------------------------------------- the report


REPORTED = [option for option in QUICK if option != "--no-report"]
KILLED = """
import os, sys
import topminer.cli.report as report
from topminer.cli import main
def die(*_):
    os._exit(9)
report.write_report = die
main(sys.argv[1:])
"""


def test_a_run_killed_before_its_report(corpus: Path, tmp_path: Path, expected: dict[str, bytes]) -> None:
    """Guards against a checkpoint that is gone as soon as the model is there."""
    model = tmp_path / "model"
    command = [sys.executable, "-c", KILLED, "run", str(corpus), *REPORTED, "--output", str(model), "--quiet"]
    assert subprocess.run(command, env=dict(os.environ)).returncode == 9
    assert (model / "model.json").exists() and not (model / "report.html").exists()
    assert main(["resume", str(model), "--quiet"]) == 0
    assert (model / "report.html").read_text(encoding="utf-8").startswith("<!")
    assert not (model / "checkpoint").exists()
    assert {name: each for name, each in model_files(model).items() if name != "report.html"} == expected


def test_a_run_interrupted_while_it_reports(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def interrupted(*_: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    model = tmp_path / "model"
    with monkeypatch.context() as patch:
        patch.setattr("topminer.cli.report.write_report", interrupted)
        assert main(["run", str(corpus), *REPORTED, "--output", str(model)]) == 130
    assert f"Go on with: topminer resume {model}" in capsys.readouterr().err
    assert main(["resume", str(model), "--quiet"]) == 0
    assert (model / "report.html").exists() and not (model / "checkpoint").exists()


# ------------------------------------------------------------------------------------------- strange names


@pytest.mark.parametrize("name", ["papers[1]*{x}", "~", "n=3?", "é%20$HOME b\tc"])
def test_directories_with_strange_names(
    corpus: Path,
    tmp_path: Path,
    expected: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
    name: str,
) -> None:
    """Guards against libraries that expand a path as a shell does."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert main(["run", str(corpus), *QUICK, "--output", name, "--quiet"]) == 0
    assert [path.name for path in (tmp_path / "here").iterdir()] == [name]
    assert model_files(tmp_path / "here" / name) == expected
    assert main(["topics", name]) == 0
    assert "frequent pattern mining" in capsys.readouterr().out
    assert main(["infer", name, str(corpus), "--output", "new.csv", "--quiet"]) == 0
    assert main(["resume", name]) == 0
