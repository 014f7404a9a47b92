"""A run that finds the number of topics: here and on workers, stopped and resumed, with other options."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import stored_things
from directories import model_bytes
from whole_runs import Workers, job_of, settings, written

from topminer import Corpus, Partition, PhraseLDA, ToPMine, load
from topminer.errors import InputError
from topminer.phrases.miner import PhraseMiner
from topminer.run.backend import Source
from topminer.run.checkpoint import Checkpoint
from topminer.run.cluster import ClusterBackend
from topminer.run.job import Job, NumberFound
from topminer.run.memory import MemoryBackend
from topminer.topics.sampler.chain import Chain

READING = {"text": "text", "time": "year"}
AUTO: dict[str, Any] = {"n_topics": "auto", "n_sweeps": 25}


class Stopped(Exception):
    """Raised in the middle of a run."""


@pytest.fixture(autouse=True)
def short_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("topminer.topics.number.search.BURN_IN", 20)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents about one or two of three things, with a phrase for each."""
    chance, path = Random(3), tmp_path_factory.mktemp("corpus") / "themes.jsonl"
    with path.open("w") as file:
        for _ in range(300):
            themes = chance.sample("abc", k=chance.randrange(1, 3))
            words = [f"{theme}word{chance.randrange(25)}" for theme in chance.choices(themes, k=25)]
            text = " ".join([*words, f"{themes[0]}new {themes[0]}phrase", "."])
            file.write(json.dumps({"text": text, "year": 2000}) + "\n")
    return path


@pytest.fixture(scope="module")
def corpus(source: Path) -> Corpus:
    return Corpus.read(source, **READING)


def run(
    source: Path,
    directory: Path,
    workers: Workers | None = None,
    after_sweep: Callable[[Job, Chain], None] = lambda job, chain: None,
    **more: Any,
) -> list[NumberFound]:
    """A run from beginning or checkpoint to end. Return what it said of the number of topics."""
    model = ToPMine(**settings(**AUTO | more))
    if (directory / "checkpoint").exists():
        checkpoint = Checkpoint.resume(directory)
    else:
        checkpoint = Checkpoint.begin(directory, stored_things.plan_of(), overwrite=False)
    with checkpoint:
        here = MemoryBackend(2, folder=checkpoint.folder)
        backend = here if workers is None else ClusterBackend(workers.engine, checkpoint)
        job = job_of(
            model, backend, checkpoint, Source(str(source), READING), after_sweep, written(model, directory)
        )
        found = [step for step in job.run() if isinstance(step, NumberFound)]
        checkpoint.finish()
    return found


@pytest.mark.parametrize("more", [{}, {"split": 15}, {"phrases": False}, {"n_chains": 2}], ids=str)
def test_the_same_bytes_in_memory_in_a_directory_and_on_workers(
    more: dict[str, Any], source: Path, corpus: Corpus, tmp_path: Path
) -> None:
    ToPMine(**settings(**AUTO | more)).fit(corpus).save(tmp_path / "memory")
    (found,) = run(source, tmp_path / "directory", **more)
    run(source, tmp_path / "workers", Workers(2, 3), **more)
    expected = model_bytes(tmp_path / "memory")
    assert model_bytes(tmp_path / "directory") == expected
    assert model_bytes(tmp_path / "workers") == expected
    model = load(tmp_path / "workers")
    tried = model.lda_.tried_
    assert tried is not None and tried.height == found.n_tried
    assert model.n_topics == found.n_topics == model.lda_.topic_weight_.size > 1


@pytest.mark.parametrize("workers", [None, Workers(1, 2)], ids=["local", "workers"])
def test_a_run_that_is_stopped_goes_on_without_another_search(
    workers: Workers | None, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(job: Job, chain: Chain) -> None:
        if chain.sampler.n_sweeps == 12:
            job.keep(chain)
            raise Stopped

    run(source, tmp_path / "whole", workers)
    with pytest.raises(Stopped):
        run(source, tmp_path / "resumed", workers, stop)
    monkeypatch.delattr("topminer.topics.number.search.find_number")
    run(source, tmp_path / "resumed", workers)
    assert model_bytes(tmp_path / "resumed") == model_bytes(tmp_path / "whole")


def test_chains_have_the_number_that_the_first_has_found_and_searches_of_their_own(corpus: Corpus) -> None:
    partition = PhraseMiner().fit_transform(corpus)
    lda = PhraseLDA(**AUTO, n_chains=3, random_state=0).fit(partition)
    certainty, alone = lda.certainty_, PhraseLDA(**AUTO, random_state=0).fit(partition)
    assert certainty is not None and certainty.chains.height == 3
    assert lda.topic_weight_.size == alone.topic_weight_.size == certainty.stability.size
    if certainty.model == 0:
        assert np.array_equal(lda.clique_topic_, alone.clique_topic_)


def test_the_number_does_not_depend_on_threads(corpus: Corpus) -> None:
    partition = PhraseMiner().fit_transform(corpus)
    one, two = (PhraseLDA(**AUTO, n_shards=2, n_threads=n, random_state=3).fit(partition) for n in (1, 2))
    assert np.array_equal(one.clique_topic_, two.clique_topic_)
    assert one.tried_ is not None and two.tried_ is not None and one.tried_.equals(two.tried_)


def test_the_largest_seed(corpus: Corpus) -> None:
    lda = PhraseLDA(**AUTO, random_state=2**64 - 1).fit(PhraseMiner().fit_transform(corpus))
    assert lda.topic_weight_.size > 1


def test_a_state_goes_on_with_its_number(corpus: Corpus) -> None:
    partition, states = PhraseMiner().fit_transform(corpus), []

    def stop(chain: Chain) -> None:
        if chain.sampler.n_sweeps == 10:
            states.append(chain.state())
            raise Stopped

    whole = PhraseLDA(**AUTO, random_state=0).fit(partition)
    with pytest.raises(Stopped):
        PhraseLDA(**AUTO, random_state=0).fit(partition, after_sweep=stop)
    resumed = PhraseLDA(**AUTO).fit(partition, state=states[0])
    assert np.array_equal(resumed.clique_topic_, whole.clique_topic_)
    assert resumed.tried_ is not None and resumed.tried_.equals(whole.tried_)


def test_as_in_the_paper_with_a_number_that_is_found(corpus: Corpus) -> None:
    model = ToPMine.as_in_paper("auto", n_sweeps=10, random_state=0).fit(corpus)
    assert model.lda_.tried_ is not None and len(model.topics()) == model.lda_.topic_weight_.size


def test_what_cannot_be_searched_is_refused() -> None:
    few = Partition.of_words(Corpus.from_texts(["some words here"] * 19))
    with pytest.raises(InputError, match="can be found from 20 documents on, here are 19: give"):
        PhraseLDA("auto").fit(few)
    empty = Partition.of_words(Corpus.from_texts(["word"] + [""] * 40))
    with pytest.raises(InputError, match="no words to score"):
        PhraseLDA("auto", random_state=0).fit(empty)
    with pytest.raises(InputError, match='alpha must be a number if n_topics is "auto"'):
        PhraseLDA("auto", alpha=[0.1, 0.2]).fit(few)
    with pytest.raises(InputError, match="whole number from 1 to 65,535, or \"auto\", not 'many'"):
        PhraseLDA("many").fit(few)
