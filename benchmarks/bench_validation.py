"""How long it takes to validate all parts of a model, apart from reading, hashing and decompressing them.

    python benchmarks/bench_validation.py [--corpus NAME] [--tokens N] [--documents N] [--topics K]

A model is made of a corpus, repeated until it has so many kept tokens, or of its first documents. Then every
array and table is read, hashed and checked against its declaration, as loading does, each with a clock of its
own. "Topics of phrases" compares the topics of phrase instances with those of words, documents and types. All
checks of a model of 8 million kept tokens should take at most 0.5 s.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from harness import seconds, table, texts_of

from topminer import Corpus, ToPMine, load
from topminer.store import Reader
from topminer.store.files import checksum, open_file, read_table
from topminer.store.formats import MODEL
from topminer.topics.model.phraselda import topics_in

BOUND = 0.5  # seconds


def made(options: argparse.Namespace, directory: Path) -> None:
    """Write a model to ``directory``."""
    texts = texts_of(options.corpus, options.documents)
    corpus = Corpus.from_texts(texts)
    if options.documents is None and corpus.n_tokens < options.tokens:
        corpus = Corpus.from_texts(texts * -(-options.tokens // corpus.n_tokens))
    model = ToPMine(options.topics, n_sweeps=options.sweeps, random_state=1).fit(corpus)
    model.save(directory)
    n_types = model.partition_.n_types
    print(f"{len(corpus):,} documents, {corpus.n_tokens:,} kept tokens, {n_types:,} phrase types")


class Parts:
    """The parts of a stored model, and what is done with each when it is loaded."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.reader = directory, Reader(directory, MODEL)
        self.paths = [
            path for name in (*self.reader.arrays, *self.reader.tables) for path, _ in self.reader.parts(name)
        ]
        self.read()

    def open(self) -> Reader:
        """Check names, types and lengths by the manifest and the files' headers."""
        return Reader(self.directory, MODEL)

    def read(self) -> None:
        """Read arrays, and decompress tables."""
        parts = self.reader.parts
        self.arrays = {name: [np.load(path) for path, _ in parts(name)] for name in self.reader.arrays}
        self.tables = {name: [read_table(path) for path, _ in parts(name)] for name in self.reader.tables}

    def hash(self) -> None:
        """Compute the checksum of every file."""
        for path in self.paths:
            with open_file(path) as file:
                checksum(file)

    def check_values(self) -> None:
        """Compare every value with its declaration."""
        contents = self.reader._contents
        for name, parts in self.arrays.items():
            before = None
            for number, part in enumerate(parts):
                is_last = number == len(parts) - 1
                contents.arrays[name].check(
                    part, contents.sizes, name, before=before, is_first=number == 0, is_last=is_last
                )
                before = part[-1] if part.size else None
        for name, parts in self.tables.items():
            for part in parts:
                contents.tables[name].check(part, contents.sizes, name)

    def check_relations(self) -> None:
        """Compare parts with each other."""
        whole: dict[str, Any] = self.whole
        for relation in MODEL.all_relations():
            if all(name in whole for name in relation.of):
                assert relation.holds(*(whole[name] for name in relation.of))

    def join(self) -> None:
        """Make one array or table of the parts of each."""
        stored = self.reader.stored()
        self.whole = {**stored.arrays, **stored.tables}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default="abstracts_arxiv_cs.jsonl.zst")
    parser.add_argument("--tokens", type=int, default=8_000_000)
    parser.add_argument("--documents", type=int, help="take only the first documents, and repeat nothing")
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--sweeps", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "model"
        made(options, directory)
        parts, model = Parts(directory), load(directory)
        parts.join()
        steps = {
            "open: names, types, lengths": parts.open,
            "read and decompress": parts.read,
            "hash": parts.hash,
            "check values": parts.check_values,
            "check relations": parts.check_relations,
            "check topics of phrases": lambda: topics_in(model.lda_).check(model.partition_),
        }
        times = {
            name: statistics.median(seconds(step) for _ in range(options.rounds))
            for name, step in steps.items()
        }
        whole = statistics.median(seconds(lambda: load(directory)) for _ in range(options.rounds))
    checks = sum(each for name, each in times.items() if name.startswith("check"))
    rows = [[name, f"{each:.3f} s"] for name, each in times.items()]
    print(
        table(
            ["step", "time"], [*rows, ["**all checks**", f"**{checks:.3f} s**"], ["load", f"{whole:.3f} s"]]
        )
    )
    print(f"All checks should take at most {BOUND} s with 8 million kept tokens.")


if __name__ == "__main__":
    main()
