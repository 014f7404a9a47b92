"""What tests of whole runs on clusters share: a corpus in several files, and what a run wrote."""

import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from random import Random
from typing import Any

from local_workers import local_engine

from topminer import ToPMine, store
from topminer._facts import lda_of, miner_of, stored_parameters
from topminer.engines.contract import Engine
from topminer.run.backend import Backend, Source
from topminer.run.checkpoint import Checkpoint, MemoryCheckpoint
from topminer.run.job import Job
from topminer.store.formats import MODEL
from topminer.topics.sampler.chain import Chain

PHRASES = [
    *("support vector machine", "random field", "query log", "matrix of pixels", "data mining", "a b a b"),
]
WORDS = [f"word{i}" for i in range(120)]


def write_corpus(folder: Path, n_documents: int = 400, n_files: int = 5) -> Path:
    """A folder of .jsonl files with some phrases in it; a document is empty now and then."""
    random = Random(7)
    folder.mkdir()
    for part in range(n_files):
        with (folder / f"part-{part}.jsonl").open("w") as file:
            for _ in range(n_documents // n_files):
                pieces = random.choices([*PHRASES, *WORDS[:40], *WORDS], k=random.randrange(0, 40))
                text = " ".join(piece + random.choice(["", "", "", ","]) for piece in pieces) or "?"
                file.write(json.dumps({"text": text, "year": random.randrange(1990, 2020)}) + "\n")
    return folder


def settings(**more: Any) -> dict[str, Any]:
    """Parameters of a model that is soon made."""
    usual = {"n_topics": 5, "n_sweeps": 40, "optimize_interval": 10, "burn_in": 10, "n_shards": 4}
    return {**usual, "random_state": 1, **more}


class Workers:
    """A cluster of some workers in this process."""

    def __init__(self, n_threads: int, n_workers: int) -> None:
        self._n_threads, self._n_workers = n_threads, n_workers

    def engine(self) -> Engine:
        """Start them."""
        return local_engine(self._n_threads, self._n_workers)


def job_of(
    model: ToPMine,
    backend: Backend,
    checkpoint: Checkpoint | MemoryCheckpoint,
    source: Source | None = None,
    after_sweep: Callable[[Job, Chain], object] = lambda job, chain: None,
    finish: Callable[[Job], object] = lambda job: None,
) -> Job:
    """A run that fits a model."""

    def sampling(job: Job) -> Any:
        return nullcontext(lambda chain: after_sweep(job, chain))

    steps = miner_of(model), lda_of(model)
    return Job(backend, checkpoint, *steps, source=source, sampling=sampling, finish=finish)


def written(model: ToPMine, directory: Path, keep_texts: bool = True) -> Callable[[Job], None]:
    """What writes a model at the end of its run."""

    def write(job: Job) -> None:
        with store.Writer(directory, MODEL, overwrite=True) as writer:
            parameters = stored_parameters(model, job.miner, job.lda)
            job.write(writer, parameters, keep_texts=keep_texts)

    return write
