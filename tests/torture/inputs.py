"""Damaged input files of all formats: each gives a sound corpus, or one line that names the file."""

import json
import os
import random
import resource
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from torture.extremes import INTEGERS
from torture.input_seeds import COMPRESSIONS, TEXTS, compressed, write_seeds
from torture.mutations import mutated, with_length
from torture.processes import in_child
from torture.tiny_parquet import NUMBERS, tiny_parquet
from torture.trials import Trials

NAME = "input files: mutated, truncated, hostile"
WANTED = 10_000
SHORT = 60
AT_ONCE = 250  # trials of one child
SECONDS = 60  # of one trial
MEMORY = 4 << 30  # that a child may take beyond what it started with
ENDINGS = ("txt", "csv", "tsv", "jsonl", "parquet")
ENCODINGS = (
    "utf-8",
    "utf-16",
    "utf-32",
    "latin-1",
    "shift_jis",
    "gb18030",
    "utf-16-be",
    "utf-7",
    "iso2022_jp",
)


@dataclass(frozen=True)
class Input:
    """A damaged file, and how it is read."""

    name: str
    data: bytes
    options: dict[str, Any]
    in_folder: bool
    by_command: bool


def torture(trials: Trials) -> None:
    """Damage and read files, many in one child."""
    import topminer.cli.app
    import topminer.cli.inspect
    import topminer.text.corpus  # noqa: F401

    seeds = trials.folder / "seeds"
    seeds.mkdir()
    if complaint := in_child(write_seeds, seeds).complaint:
        raise RuntimeError(complaint)
    known = {path.name: path.read_bytes() for path in sorted(seeds.iterdir())}
    while batch := [(trials.number, chance) for chance in islice(trials, AT_ONCE)]:
        _run(batch, known, trials)


def _run(batch: list[tuple[int, random.Random]], seeds: dict[str, bytes], trials: Trials) -> None:
    """Read some files in a child, and the rest in another one if it dies."""
    notes = trials.folder / "notes"
    while batch:
        notes.write_bytes(b"")
        ending = in_child(_read_all, batch, seeds, trials.folder, notes, seconds=SECONDS * len(batch))
        told = [json.loads(line) for line in notes.read_text().splitlines()]
        for number, complaint in told:
            if complaint is not None:
                trials.failed(complaint, number)
        n_done = sum(1 for _, complaint in told if complaint is None)
        if n_done == len(batch):
            return
        complaint = ending.complaint or f"ended with {ending.code}: {ending.printed[-500:]}"
        trials.failed(complaint, batch[n_done][0])
        batch = batch[n_done + 1 :]


def _read_all(
    batch: list[tuple[int, random.Random]], seeds: dict[str, bytes], folder: Path, notes: Path
) -> None:
    limit_memory(MEMORY)
    with notes.open("a") as file:
        for number, chance in batch:
            given = chosen(seeds, random.Random(chance.random()))
            signal.alarm(SECONDS)
            if complaint := complaint_about(given, folder / "trial"):
                shown = f"{given.name} ({len(given.data)} bytes) {given.options}: {complaint}"
                print(json.dumps((number, shown)), file=file, flush=True)
            print(json.dumps((number, None)), file=file, flush=True)
    signal.alarm(0)


def limit_memory(n_bytes: int) -> None:
    """Let this process map so many bytes beyond those that it has mapped."""
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (mapped + n_bytes, mapped + n_bytes))


def chosen(seeds: dict[str, bytes], chance: random.Random) -> Input:
    """Damage a seed: what it holds, or what it is when compressed."""
    ending = chance.choice((*ENDINGS, "parquet"))
    seed = chance.choice([name for name in seeds if name.endswith(ending)])
    data, other = seeds[seed], chance.choice(list(seeds.values()))
    compression = chance.choice(COMPRESSIONS)
    first = not compression or chance.random() < 0.5
    if ending == "parquet" and chance.random() < 0.5:
        data = _forged(chance)
    elif first:
        before, data = data, mutated(data, other, chance)
        if ending == "parquet" and chance.random() < 0.7:
            data = with_length(data, before)
    data = compressed(data, compression)
    if not first or chance.random() < 0.1:
        data = mutated(data, compressed(other, compression), chance)
    if chance.random() < 0.03:
        ending = chance.choice(ENDINGS)
    name = chance.choice(("a.{}", "a.{}", "a.{}", "[1].{}", "a*?.{}", "é\n.{}")).format(ending) + compression
    options: dict[str, Any] = {"batch_bytes": chance.choice((1, 64, 1000, 1 << 22))}
    if chance.random() < 0.2:
        options["encoding"] = chance.choice(ENCODINGS)
    if chance.random() < 0.1:
        options["errors"] = "strict"
    if ending != "txt":
        for role, column in (("text", "text"), ("id", "n"), ("time", "year")):
            if chance.random() < 0.3:
                options[role] = chance.choice((column, column, "text", "n", "absent"))
    return Input(name, data, options, chance.random() < 0.1, chance.random() < 0.05)


def _forged(chance: random.Random) -> bytes:
    """A small Parquet file in which some numbers are not true."""
    lies: dict[str, Any] = {
        name: chance.choice((*INTEGERS, chance.randrange(200)))
        for name in chance.sample(NUMBERS, chance.choice((1, 1, 2, 3)))
    }
    if chance.random() < 0.2:
        lies[chance.choice(("page", "dictionary"))] = chance.randbytes(chance.randrange(60))
    texts = [text.encode() for text in TEXTS]
    return tiny_parquet(texts, n_rows=chance.choice((None, 1, 40, 2000, 10**8, 2**31 - 1)), **lies)


def complaint_about(given: Input, folder: Path) -> str | None:
    """Read the file; say what is wrong with the corpus or the error."""
    with _empty(folder):
        path = folder / given.name
        path.write_bytes(given.data)
        source = folder if given.in_folder else path
        try:
            return _of_command(source, given) if given.by_command else _of_corpus(source, given.options)
        except BaseException as error:
            return f"{type(error).__name__}: {str(error)[:500]}"


@contextmanager
def _empty(folder: Path) -> Iterator[None]:
    shutil.rmtree(folder, ignore_errors=True)  # of a child that died
    folder.mkdir()
    try:
        yield
    finally:
        shutil.rmtree(folder)


def _of_command(source: Path, given: Input) -> str | None:
    from topminer.cli import main

    names = {"encoding": "--encoding", "errors": "--errors"}
    names |= {"text": "--text-column", "id": "--id-column", "time": "--time-column"}
    options = [
        text for key, name in names.items() if key in given.options for text in (name, given.options[key])
    ]
    code = main(["inspect", str(source), *options, "--quiet", "--threads", "1"])
    return None if code in (0, 2) else f"exit code {code}"


def _of_corpus(source: Path, options: dict[str, Any]) -> str | None:
    from topminer.errors import InputError
    from topminer.text.corpus import Corpus
    from topminer.text.describe import describe

    try:
        corpus = Corpus.read(source, **options, n_threads=1)
    except InputError as error:
        return None if str(source) in str(error) else f"an error that does not name the file: {error}"
    stored = (source if source.is_dir() else source.parent) / "stored"
    corpus.save(stored)
    Corpus.load(stored)  # which checks that everything is as declared
    describe(corpus)
    assert corpus.texts is not None
    if corpus.texts.null_count() or corpus.ids.null_count():
        return "a document without text or name"
    surfaces = corpus.surfaces["surface"].gather(corpus.surface_ids).to_list()
    document_of = np.repeat(np.arange(len(corpus)), np.diff(corpus.doc_start)).tolist()
    texts = corpus.texts.to_list()
    for d, start, stop, surface in zip(
        document_of, corpus.starts.tolist(), corpus.stops.tolist(), surfaces, strict=True
    ):
        if texts[d][start:stop] != surface:
            return f"{texts[d][start:stop]!r} where {surface!r} should stand"
    return None
