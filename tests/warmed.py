"""Run as a process: every command, by every path of the sampler. Prints what is compiled, a line each.

python tests/warmed.py FOLDER
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
from local_workers import local_engine

from topminer.cli import main
from topminer.cli.session import Session
from topminer.demo import paragraphs
from topminer.engines.contract import Engine
from topminer.jit import on_compile

SMALL = ["--sweeps", "12", "--no-report"]
# Documents of one word, of many; hyphens and tables of numbers; German, Chinese and marked-up texts.
OTHERS = [
    "one",
    "Die Donaudampfschifffahrt und die Straßenbahn, die Straßenbahn und der Zug",
    "数据挖掘是从大量数据中发现模式的过程,数据挖掘很有用",
    "see <b>https://example.org/x?y=1</b> &amp; mail me@example.org #tag @handle RT 12 13 14 15 16",
    "state-of-the-art real-time systems and real time systems " * 30,
]
LONG = "frequent pattern mining finds patterns, and topic models find topics. " * 50  # over 255 kept tokens


def write_corpora(folder: Path) -> None:
    texts = [*paragraphs(), *OTHERS]
    table = pl.DataFrame({"text": texts, "time": [str(1990 + i % 20) for i in range(len(texts))]})
    folder.joinpath("texts.txt").write_text("\n".join(texts), encoding="utf-8")
    table.write_csv(folder / "texts.csv")
    table.write_ndjson(folder / "texts.jsonl")
    table.write_parquet(folder / "texts.parquet")
    folder.joinpath("long.txt").write_text("\n".join([*texts[:200], LONG]), encoding="utf-8")
    folder.joinpath("few.txt").write_text("\n".join(texts[:300]), encoding="utf-8")


def commands() -> list[list[str]]:
    given = product(["texts.txt", "long.txt"], ["3", "16", "40", "200"], [[], ["--paper"]])
    runs = [
        ["run", corpus, "--topics", topics, *more, *SMALL, "--output", f"model-{number}"]
        for number, (corpus, topics, more) in enumerate(given)
    ]
    fitted = [
        ["run", "texts.csv", "--topics", "20", "--sweeps", "160", "--time-column", "time", "--output", "m"]
    ]
    cluster = ["--engine", "ray"]
    on_cluster = [
        ["run", "texts.txt", "--topics", "20", "--shards", "4", *SMALL, *cluster, "--output", "c"],
        ["run", "long.txt", "--topics", "3", "--paper", "--shards", "2", *SMALL, *cluster, "--output", "d"],
        ["infer", "c", "few.txt", *cluster, "--output", "c.jsonl"],
    ]
    others = [
        ["inspect", "texts.jsonl", "--text-column", "text"],
        ["phrases", "texts.parquet", "--output", "phrases.csv"],
        ["phrases", "few.txt", "--thresholds", "auto"],
        ["explain", "m", "An instance of a class may have methods with keyword arguments"],
        ["explain", "few.txt", "keyword arguments"],
        *(["topics", "m", "--order", order] for order in ("best", "frequency", "kert", "relevance")),
        ["topics", "m", "--all"],
        ["label", "m"],
        ["report", "m", "--charts", "charts"],
        *(
            ["export", "m", "--to", to, "--output", f"export-{to}"]
            for to in ("csv", "json", "pyldavis", "latex")
        ),
        *(["infer", model, "few.txt", "--output", f"{model}.jsonl"] for model in ("m", "model-0", "model-6")),
        ["evaluate", "m", "--sweeps", "12", "--repeats", "2"],
        ["tune", "few.txt", "--topics", "3,20", "--sweeps", "12", "--repeats", "2"],
        ["compare", "few.txt", "--topics", "4", "--sweeps", "12", "--output", "compared"],
        ["demo", "--keep", "demo"],
    ]
    return [*runs, *fitted, *on_cluster, *others]


class TwoWorkers:
    """Stands for a Ray cluster: arrays arrive as they do from Ray."""

    n_nodes = 2

    def engine(self) -> Engine:
        return local_engine(1, 2)


@contextmanager
def two_workers(*arguments: Any) -> Iterator[TwoWorkers]:
    yield TwoWorkers()


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    write_corpora(Path())
    Session.cluster = two_workers  # type: ignore[assignment, method-assign]
    for command in commands():
        compiled: list[str] = []
        with on_compile(compiled.append):
            code = main([*command, "--quiet"])
        assert code == 0, command
        for name in compiled:
            print(name, *command)
