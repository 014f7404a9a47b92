"""Text to Corpus, against the same work in plain Python and against scikit-learn's CountVectorizer.

    python benchmarks/bench_text.py [--corpus NAME] [--rounds N]
    python benchmarks/bench_text.py --files NAME [NAME ...] [--rounds N]

With ``--files`` everybody starts from the file on disk: topminer reads it on one thread and on two, and
``CountVectorizer``, with the same stems, gets the texts that Python's own modules read from it. Times are
seconds on the clock; processor seconds, which other work on the machine hardly changes, stand beside them.

Otherwise everybody starts from the same list of Python strings. ``plain python`` does what topminer does,
with ``re``, dictionaries and PyStemmer once per distinct word: kept tokens with offsets, stems, stop words,
chunks. ``CountVectorizer`` knows no offsets and no chunks; it is measured with the same stems, and as it
comes, without any. Neither keeps a copy of the texts, so topminer is measured without one, and with one.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import io
import json
import re
import statistics
import subprocess
import sys
import time
from array import array
from collections.abc import Callable
from pathlib import Path

import Stemmer
from harness import alternate, corpus_path, peak_bytes, table, texts_of, turns
from sklearn.feature_extraction.text import CountVectorizer

from topminer import Corpus
from topminer.text.languages import language_of, stop_words_of
from topminer.text.reading.zstd import zstd

STOP_WORDS = stop_words_of(language_of("english"))
TOKEN = re.compile(r"[^\W_]+(?:['’.\-_][^\W_]+)*")
TOKEN_OR_END = re.compile(r"[^\W_]+(?:['’.\-_][^\W_]+)*|[.,;:!?()\[\]{}\"'“”‘’`|<>—–\n-]")


def plain_python(texts: list[str]) -> dict[str, object]:
    """Kept tokens with offsets, stems and chunks, the way one writes it by hand."""
    surface_of: dict[str, int] = {}
    surfaces, starts, docs, chunks = array("i"), array("i"), array("q", [0]), array("q")
    folded_is_stop: dict[str, bool] = {}
    find = TOKEN_OR_END.finditer
    for text in texts:
        ended = True
        for match in find(text):
            surface = match.group()
            if not (surface[0].isalnum()):
                ended = True
                continue
            stop = folded_is_stop.get(surface)
            if stop is None:
                stop = folded_is_stop[surface] = surface.lower() in STOP_WORDS
            if stop:
                continue
            number = surface_of.setdefault(surface, len(surface_of))
            if ended:
                chunks.append(len(surfaces))
                ended = False
            surfaces.append(number)
            starts.append(match.start())
        docs.append(len(surfaces))
    stems = Stemmer.Stemmer("porter").stemWords([surface.lower() for surface in surface_of])
    stem_of: dict[str, int] = {}
    numbers = [stem_of.setdefault(stem, len(stem_of)) for stem in stems]
    stem_ids = array("i", [numbers[surface] for surface in surfaces])
    return {"stems": stem_ids, "surfaces": surfaces, "starts": starts, "docs": docs, "chunks": chunks}


def count_vectorizer(texts: list[str]) -> object:
    """As it comes: no stems."""
    return CountVectorizer(stop_words=sorted(STOP_WORDS)).fit_transform(texts)


def count_vectorizer_with_stems(texts: list[str]) -> object:
    """The same words and stems as topminer's, stems once per distinct word."""
    stem = Stemmer.Stemmer("porter").stemWord
    stem_of: dict[str, str] = {}
    find = TOKEN.findall

    def analyze(text: str) -> list[str]:
        stems = []
        for word in find(text.lower()):
            known = stem_of.get(word)
            if known is None:
                known = stem_of[word] = "" if word in STOP_WORDS else stem(word)
            if known:
                stems.append(known)
        return stems

    return CountVectorizer(analyzer=analyze).fit_transform(texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", default="abstracts_arxiv_cs.jsonl.zst")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory", action="store_true", help="measure memory only")
    parser.add_argument("--files", nargs="+", metavar="NAME", help="measure reading from these files only")
    options = parser.parse_args()
    if options.files:
        if options.memory:
            return file_memory(options.files[0])
        return from_files(options.files, options.rounds)
    if options.memory:
        return memory(options.corpus)
    texts = texts_of(options.corpus)
    corpus = Corpus.from_texts(texts)  # compiles, or loads what was compiled
    n_tokens = corpus.origin.n_found
    print(f"{options.corpus}: {len(texts):,} documents, {n_tokens:,} tokens, {corpus!r}\n")
    del corpus

    medians = alternate(
        {
            "topminer, 2 threads": lambda: Corpus.from_texts(texts, n_threads=2, keep_texts=False),
            "topminer, 1 thread": lambda: Corpus.from_texts(texts, n_threads=1, keep_texts=False),
            "topminer, 2 threads, with a copy of the texts": lambda: Corpus.from_texts(texts, n_threads=2),
            "plain Python": lambda: plain_python(texts),
            "CountVectorizer with stems": lambda: count_vectorizer_with_stems(texts),
            "CountVectorizer as it comes": lambda: count_vectorizer(texts),
        },
        options.rounds,
    )
    best = medians["topminer, 2 threads"]
    rows = [
        [name, f"{median:.2f}", f"{n_tokens / median / 1e6:.1f}", f"{median / best:.1f}"]
        for name, median in medians.items()
    ]
    print(table(["", "seconds", "million tokens/s", "÷ topminer, 2 threads"], rows), "\n")

    base = len(texts) // 8
    growth = []
    for factor in (1, 2, 4, 8):
        part = texts[: base * factor]
        each = alternate({"": lambda part=part: Corpus.from_texts(part, n_threads=2)}, options.rounds)[""]
        tokens = Corpus.from_texts(part).origin.n_found
        growth.append([f"{factor}×", f"{tokens:,}", f"{each:.3f}", f"{each / tokens * 1e9:.1f}"])
    print(table(["size", "tokens", "seconds", "ns per token"], growth), "\n")

    subprocess.run([sys.executable, __file__, "--corpus", options.corpus, "--memory"], check=True)


def from_files(names: list[str], rounds: int) -> None:
    """From files to corpora, against CountVectorizer with the same stems."""
    rows = []
    for name in names:
        path = corpus_path(name)
        Corpus.read(path)  # compiles, or loads what was compiled
        contestants: dict[str, Callable[[], object]] = {
            "topminer, 2 threads": lambda path=path: Corpus.read(path, n_threads=2),
            "topminer, 1 thread": lambda path=path: Corpus.read(path, n_threads=1),
            "CountVectorizer with stems": lambda path=path: count_vectorizer_with_stems(read_plainly(path)),
        }
        processor: dict[str, list[float]] = {each: [] for each in contestants}
        timed = {each: _with_processor(run, processor[each]) for each, run in contestants.items()}
        times = turns(timed, rounds)
        rival = statistics.median(times["CountVectorizer with stems"])
        rival_processor = statistics.median(processor["CountVectorizer with stems"])
        for each, seconds in times.items():
            median, used = statistics.median(seconds), statistics.median(processor[each])
            spread = f"{min(seconds):.2f} to {max(seconds):.2f}"
            ratios = f"{rival / median:.1f}", f"{rival_processor / used:.1f}"
            rows.append([f"{name}: {each}", f"{median:.2f}", spread, f"{used:.2f}", *ratios])
    header = ["", "seconds", "spread", "processor seconds", "CountVectorizer ÷ this", "… processor"]
    print(table(header, rows), "\n", flush=True)
    for name in names:
        subprocess.run([sys.executable, __file__, "--memory", "--files", name], check=True)


def _with_processor(run: Callable[[], object], seconds: list[float]) -> Callable[[], object]:
    """Return ``run``, which then adds the processor's seconds of each call to a list."""

    def timed() -> object:
        start = time.process_time()
        result = run()
        seconds.append(time.process_time() - start)
        return result

    return timed


def read_plainly(path: Path) -> list[str]:
    """The texts of a .jsonl.zst or .txt.zst file, as one writes it by hand."""
    with zstd.open(path, "rb") as file, io.TextIOWrapper(file, "utf-8") as lines:
        if path.name.endswith(".jsonl.zst"):
            return [json.loads(line)["text"] for line in lines]
        return [line.rstrip("\n") for line in lines]


def file_memory(name: str) -> None:
    """The peak of resident memory while a file is read, in a process that has done nothing else."""
    Corpus.from_texts(texts_of(name, 1000))
    peak, corpus = peak_bytes(lambda: Corpus.read(corpus_path(name), n_threads=2))
    held = corpus.texts.estimated_size()
    print(f"{name}: peak {peak / 1e6:.0f} MB, beside the texts {(peak - held) / 1e6:.0f} MB")


def memory(name: str) -> None:
    """Peaks of resident memory, in a process that has done nothing else."""
    texts = texts_of(name)
    Corpus.from_texts(texts[:1000])
    rows = []
    for kept in (True, False):
        peak, corpus = peak_bytes(lambda kept=kept: Corpus.from_texts(texts, n_threads=2, keep_texts=kept))
        own = sum(array.nbytes for array in corpus._arrays().values())
        held = corpus.texts.estimated_size() if kept else 0
        rows.append(
            [
                "texts kept" if kept else "texts not kept",
                *(f"{n_bytes / 1e6:.0f}" for n_bytes in (own, held, peak)),
                f"{(peak - held) / own:.2f}",
                f"{(peak - held) / corpus.n_tokens:.0f}",
            ]
        )
        del corpus
        gc.collect()
        ctypes.CDLL("libc.so.6").malloc_trim(
            0
        )  # or what the first run freed would hide what the second takes
    header = [
        "memory",
        "arrays, MB",
        "texts, MB",
        "peak, MB",
        "(peak − texts) ÷ arrays",
        "bytes per kept token",
    ]
    print(table(header, rows), "\n", flush=True)


if __name__ == "__main__":
    main()
