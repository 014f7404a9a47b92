"""``ToPMine(engine="ray").fit`` where workers are lost: sweeps that are stored are not sampled again."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from whole_runs import Workers

from topminer import ToPMine
from topminer.engines.contract import WorkerLost
from topminer.topics.sampler.chain import STAGE

TEXTS = ["frequent pattern mining", "support vector machines", "query logs of the web", "data mining"] * 30
SETTINGS: dict[str, Any] = {"n_topics": 3, "n_sweeps": 30, "optimize_interval": 10, "burn_in": 10}


@contextmanager
def connected(*address_and_threads: Any) -> Iterator[Workers]:
    yield Workers(1, 3)


class Losses:
    """Progress that notes sweeps, and loses a worker at some of them, once each."""

    def __init__(self, *at: int) -> None:
        self.sweeps, self._at = list[int](), set(at)

    def __call__(self, stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
        if stage == STAGE and done > 0:
            self.sweeps.append(done)
            if done in self._at:
                self._at.remove(done)
                raise WorkerLost("the worker on b is gone")


@pytest.fixture(autouse=True)
def cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "topminer.engines.ray", SimpleNamespace(connect=connected))
    monkeypatch.setattr("topminer.pipeline.KEEP_EVERY", 0.0)


@pytest.mark.filterwarnings("ignore:the worker on b is gone")
def test_stored_sweeps_are_not_repeated_and_the_seed_is_drawn_once() -> None:
    here = ToPMine(**SETTINGS, n_shards=2, random_state=np.random.default_rng(5)).fit(TEXTS)
    generator, losses = np.random.default_rng(5), Losses(1, 12, 25)
    model = ToPMine(**SETTINGS, n_shards=2, random_state=generator, engine="ray")
    model.fit(TEXTS, progress=losses)
    # A sweep is stored after its progress was told: the one of the loss is shown, as the last that is stored.
    before, between, after = list(range(1, 13)), list(range(11, 26)), list(range(24, 31))
    assert losses.sweeps == [1, *before, *between, *after]
    assert model.lda_.clique_topic_.tobytes() == here.lda_.clique_topic_.tobytes()
    assert model.lda_.alpha_.tobytes() == here.lda_.alpha_.tobytes()
    once = np.random.default_rng(5)
    once.integers(2**32)
    assert generator.bit_generator.state == once.bit_generator.state
