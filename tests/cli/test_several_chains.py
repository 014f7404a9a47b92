"""``topminer run --chains``: what it says, and that every combination gives the model of the best chain."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from local_workers import local_engine
from runs import QUICK, model_files, page_of, write_corpus

from topminer import load
from topminer.cli import main
from topminer.cli.evaluate import Evaluated
from topminer.cli.session import Session
from topminer.engines.contract import Engine
from topminer.topics.sampler.sampler import Sampler


@pytest.fixture(scope="module")
def chains_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of three chains."""
    folder = tmp_path_factory.mktemp("chains")
    corpus, model = write_corpus(folder / "titles.txt"), folder / "model"
    assert main(["run", str(corpus), *QUICK, "--chains", "3", "--output", str(model), "--quiet"]) == 0
    return model


def test_the_best_chain_is_the_model(chains_model: Path, corpus: Path, tmp_path: Path, topminer) -> None:
    several = load(chains_model).lda_
    certainty = several.certainty_
    assert certainty is not None and several.n_chains == 3
    seed = certainty.chains["seed"][certainty.model]
    topminer("run", corpus, *QUICK, "--seed", seed, "--output", tmp_path / "one")
    one = load(tmp_path / "one").lda_
    assert one.clique_topic_.tobytes() == several.clique_topic_.tobytes()
    assert one.topic_word_.tobytes() == several.topic_word_.tobytes()
    assert one.certainty_ is None


def test_what_a_run_says(corpus: Path, tmp_path: Path, topminer) -> None:
    err = topminer("run", corpus, *QUICK, "--chains", "3", "--output", tmp_path / "model")[1]
    assert re.search(r"3 topics after 20 sweeps, .*; chain \d of 3 is the best, \d of 3 topics stable", err)


def test_a_likelihood_that_still_rises_is_said_last(
    corpus: Path, tmp_path: Path, topminer, monkeypatch
) -> None:
    monkeypatch.setattr("topminer.topics.results.verdict.LEAST_GAIN", -1e9)
    options = [*QUICK[:2], "--no-report", "--sweeps", 200]
    err = topminer("run", corpus, *options, "--output", tmp_path / "flat")[1]
    line = "The likelihood was still rising after 200 sweeps: try --sweeps 800 or --sweeps auto\n"
    assert err.endswith(line)
    monkeypatch.undo()
    err = topminer("run", corpus, *options, "--output", tmp_path / "model")[1]
    assert "rising" not in err
    assert topminer("run", corpus, *options, "--output", tmp_path / "quiet", "--quiet") == ("", "")


def test_a_large_topic_is_a_warning(corpus: Path, tmp_path: Path, topminer, monkeypatch) -> None:
    monkeypatch.setattr("topminer.topics.results.verdict.LARGE", 0.0)
    err = topminer("run", corpus, "--topics", 60, *QUICK[2:], "--output", tmp_path / "model")[1]
    (line,) = [line for line in err.splitlines() if line.startswith("Warning: One topic")]
    assert "of the kept tokens" in line and "--split" in line and "--max-df" in line


@pytest.mark.parametrize(
    "options",
    [["--sweeps", "auto"], ["--paper"], ["--no-phrases"], ["--shards", "2", "--threads", "1"]],
    ids=" ".join,
)
def test_combinations(options: list[str], corpus: Path, tmp_path: Path, topminer) -> None:
    topics = ["--topics", "3", "--no-report"] if "auto" in options else QUICK
    topminer("run", corpus, *topics, "--chains", "2", *options, "--output", tmp_path / "model")
    model = load(tmp_path / "model")
    certainty = model.lda_.certainty_
    assert certainty is not None
    seed = certainty.chains["seed"][certainty.model]
    topminer("run", corpus, *topics, *options, "--seed", seed, "--output", tmp_path / "one")
    assert load(tmp_path / "one").lda_.clique_topic_.tobytes() == model.lda_.clique_topic_.tobytes()


def test_new_documents_are_inferred_with_the_best_chain(
    chains_model: Path, corpus: Path, tmp_path: Path, topminer
) -> None:
    certainty = load(chains_model).lda_.certainty_
    assert certainty is not None
    seed = certainty.chains["seed"][certainty.model]
    topminer("run", corpus, *QUICK, "--seed", seed, "--output", tmp_path / "one")
    found = []
    for model in (chains_model, tmp_path / "one"):
        topminer("infer", model, corpus, "--output", tmp_path / "found.jsonl", "--overwrite")
        found.append((tmp_path / "found.jsonl").read_bytes())
    assert found[0] == found[1]


class Killed(Exception):
    """An error that nobody expects: the run ends without storing anything more."""


@pytest.mark.parametrize("n", [5, 20, 33, 41, 60])
def test_a_run_that_dies_in_any_chain_is_resumed(
    n: int, chains_model: Path, corpus: Path, tmp_path: Path, topminer, monkeypatch
) -> None:
    sweep, n_sampled = Sampler.sweep, 0

    def sweep_or_die(sampler: Sampler) -> None:
        nonlocal n_sampled
        n_sampled += 1
        if n_sampled == n:
            raise Killed
        sweep(sampler)

    command = ["run", str(corpus), *QUICK, "--chains", "3", "--checkpoint-every", "0"]
    with monkeypatch.context() as patched:
        patched.setattr(Sampler, "sweep", sweep_or_die)
        assert main([*command, "--output", str(tmp_path / "model"), "--quiet"]) == 1
    topminer("resume", tmp_path / "model")
    assert model_files(tmp_path / "model") == model_files(chains_model)


def test_a_cluster_gives_the_same_model(
    chains_model: Path, corpus: Path, tmp_path: Path, topminer, monkeypatch
) -> None:
    class TwoWorkers:
        def engine(self) -> Engine:
            return local_engine(1, 2)

    @contextmanager
    def cluster(*arguments: Any) -> Iterator[TwoWorkers]:
        yield TwoWorkers()

    monkeypatch.setattr(Session, "cluster", cluster)
    topminer("run", corpus, *QUICK, "--chains", "3", "--engine", "ray", "--output", tmp_path / "model")
    assert model_files(tmp_path / "model") == model_files(chains_model)


@pytest.mark.parametrize("n", ["0", "21", "two"])
def test_bad_numbers_are_refused(n: str, corpus: Path, tmp_path: Path, topminer) -> None:
    err = topminer("run", corpus, *QUICK, "--chains", n, "--output", tmp_path / "model", code=2)[1]
    assert "--chains" in err and not (tmp_path / "model").exists()


def test_evaluate_shows_what_chains_say_and_fits_no_other(
    chains_model: Path, tmp_path: Path, topminer, monkeypatch
) -> None:
    monkeypatch.setattr("topminer.evaluation.evaluate._stability", None)
    output = tmp_path / "found.json"
    out = topminer("evaluate", chains_model, "--no-perplexity", "--output", output)[0]
    assert "stable topics" in out and "chains" in out and "exclusive" in out
    found, model = json.loads(output.read_text()), load(chains_model)
    assert found["settings"]["chains"] == 3
    frame = model.diagnostics()
    for row, topic in zip(frame.iter_rows(named=True), found["topics"], strict=True):
        assert {**topic, "topic": topic["id"]}.items() >= row.items()
    verdict = found["verdict"]
    assert (verdict["flat"], verdict["gain"]) == (None, None) and verdict["difference"] >= 0
    wide, narrow = (page_of(Evaluated(found), width) for width in (160, 60))
    assert "nearest" in wide and "nearest" not in narrow and "stability" in narrow
    assert max(map(len, narrow.splitlines()[:6])) <= 60
