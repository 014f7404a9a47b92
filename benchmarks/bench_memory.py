"""Peak memory of a whole run, step by step, in bytes per kept token.

    python benchmarks/bench_memory.py [--corpus NAME,…] [--topics 20,100] [--sweeps 200]

Every row is a process of its own: ``topminer run`` with its defaults and two threads, or ``ToPMine.fit`` on a
list of strings and ``save``. A figure is the peak of resident memory (VmHWM) in a step, less two things,
divided by the kept tokens of the corpus:

* the *baseline*: the peak of the same step in the same run of the first 200 documents, which is Python, the
  libraries and the compiled kernels. In Python it also has the list of all strings;
* the *texts* that the corpus holds in memory during the step, as Polars estimates their size.

All else counts: the arrays and tables of the corpus, ids, and what is resident of files that are mapped into
memory. 200 sweeps take as many samples as 1,000, ten; 40 sweeps take three.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from harness import corpus_path, forget_peak, status, table, texts_of

STEPS = ("reading", "mining, segmentation", "estimate", "sampler set-up", "sampling", "writing", "report")
FEW = 200  # documents of a run that measures the baseline
CORPORA = "abstracts_acl.jsonl.zst,titles_arxiv.txt.zst,reviews_imdb.jsonl.zst"


class Peaks:
    """The peaks of the steps of one run in this process."""

    def __init__(self) -> None:
        self.peaks: dict[str, int] = {}
        self.resident: dict[str, int] = {}  # after each step
        self.texts: dict[str, int] = {}
        self.n_tokens = 0
        forget_peak()

    def end(self, step: str, corpus: Any = None) -> None:
        """Note the peak since the step before."""
        self.peaks[step], self.resident[step] = status("VmHWM"), status("VmRSS")
        if corpus is not None:
            self.n_tokens = max(self.n_tokens, corpus.n_tokens)
            self.texts[step] = 0 if corpus.texts is None else corpus.texts.estimated_size()
        forget_peak()

    def print(self) -> None:
        """For the process that started this one."""
        print(json.dumps(self.__dict__))

    def watch_jobs(self) -> None:
        """Note the peak of every step of a job."""
        from topminer.run.backend import CorpusSummary, PartitionSummary
        from topminer.run.job import Done, Job
        from topminer.topics.sampler.chain import Chain
        from topminer.topics.sampler.estimate import Estimate

        named = {
            CorpusSummary: "reading",
            PartitionSummary: "mining, segmentation",
            Estimate: "estimate",
            Chain: "sampling",
            Done: "writing",
        }
        run, started = Job.run, Job._started

        def watched(job: Any, *arguments: Any) -> Iterator[Any]:
            for step in run(job, *arguments):
                if type(step) in named:
                    self.end(named[type(step)], job.backend.corpus)
                yield step

        def watched_start(job: Any) -> Any:
            chain = started(job)
            self.end("sampler set-up", job.backend.corpus)
            return chain

        Job.run, Job._started = watched, watched_start


def run_command(path: Path, n_topics: int, n_sweeps: int) -> None:
    """Run ``topminer run`` in this process."""
    from topminer.cli import main
    from topminer.cli.options import RunOptions

    RunOptions(threads=2)  # as the command does before Polars is imported
    peaks = Peaks()
    peaks.watch_jobs()
    with tempfile.TemporaryDirectory() as folder:
        options = ["--topics", str(n_topics), "--sweeps", str(n_sweeps), "--threads", "2", "--seed", "1"]
        if main(["run", str(path), "--output", f"{folder}/model", "--quiet", *options]):
            raise SystemExit("the run failed")
        peaks.end("report")
        peaks.texts["report"] = peaks.texts["writing"]
    peaks.print()


def run_fit(name: str, n_topics: int, n_sweeps: int, limit: int | None) -> None:
    """Run ``ToPMine.fit`` in this process; all strings are in memory, ``limit`` of them are fitted."""
    from topminer import ToPMine

    texts = texts_of(name)
    peaks = Peaks()
    peaks.watch_jobs()
    model = ToPMine(n_topics=n_topics, n_sweeps=n_sweeps, random_state=1, n_threads=2).fit(texts[:limit])
    with tempfile.TemporaryDirectory() as folder:
        forget_peak()
        model.save(f"{folder}/model")
        peaks.end("writing", model.corpus_)
    peaks.print()


def few(path: Path, folder: str) -> Path:
    """Write a corpus of the first documents in the same format."""
    from topminer.text.reading.zstd import zstd

    target = Path(folder) / path.name.removesuffix(".zst")
    with zstd.open(path, "rt", encoding="utf-8") as lines, target.open("w", encoding="utf-8") as file:
        for _, line in zip(range(FEW), lines, strict=False):
            file.write(line)
    return target


def measured(*arguments: str) -> dict[str, Any]:
    """What a process of its own has measured."""
    command = [sys.executable, __file__, *arguments]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    found: dict[str, Any] = json.loads(output.splitlines()[-1])
    return found


def bytes_per_token(measure: Callable[[bool], dict[str, Any]]) -> list[str]:
    """A row of the table: every step of a run; ``measure`` takes whether the run is that of the baseline."""
    small, run = measure(True), measure(False)
    row = []
    for step in STEPS:
        if step in run["peaks"]:
            texts = run["texts"].get(step, 0) - small["texts"].get(step, 0)
            row.append((run["peaks"][step] - small["peaks"][step] - texts) / run["n_tokens"])
    highest = max(row)
    return [*(f"{each:.1f}" for each in row), *([""] * (len(STEPS) - len(row))), f"{highest:.1f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", default=CORPORA)
    parser.add_argument("--topics", default="20,100")
    parser.add_argument("--sweeps", type=int, default=200)
    parser.add_argument("--ways", default="run,fit")
    parser.add_argument("--child", choices=["run", "fit"], help=argparse.SUPPRESS)
    parser.add_argument("--limit", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child == "run":
        return run_command(Path(options.corpus), int(options.topics), options.sweeps)
    if options.child == "fit":
        return run_fit(options.corpus, int(options.topics), options.sweeps, options.limit)
    rows = []
    for name in options.corpus.split(","):
        for way in options.ways.split(","):
            for n_topics in options.topics.split(","):
                given = ["--child", way, "--topics", n_topics, "--sweeps", str(options.sweeps)]
                with tempfile.TemporaryDirectory() as folder:
                    path = corpus_path(name)

                    def measure(is_small: bool, given=given, path=path, way=way, folder=folder) -> Any:
                        if way == "run":
                            return measured(*given, "--corpus", str(few(path, folder) if is_small else path))
                        limit = ["--limit", str(FEW)] if is_small else []
                        return measured(*given, "--corpus", path.name, *limit)

                    row = [name.split(".")[0], way, n_topics, *bytes_per_token(measure)]
                    print(*row, flush=True, file=sys.stderr)
                    rows.append(row)
    print(table(["", "", "K", *STEPS, "peak"], rows))


if __name__ == "__main__":
    main()
