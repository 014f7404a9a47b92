"""Mining and segmentation against gensim's Phrases, from the same tokens and from the same file.

    python benchmarks/bench_phrases.py [--corpus NAME] [--rounds N] [--rival-rounds N]
    python benchmarks/bench_phrases.py --settings     # the defaults against the paper's settings, no rival

gensim learns bigrams and trigrams (two passes, the minimum count that topminer uses) and applies them.
topminer mines phrases of every length and segments, with the paper's settings. From the file, gensim's
tokens come from Python's ``re`` with PyStemmer once per distinct word and the same stop words.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import Stemmer
from gensim.models.phrases import Phrases
from harness import alternate, corpus_path, peak_bytes, table

from topminer import Corpus, PhraseMiner
from topminer.text.languages import language_of, stop_words_of
from topminer.text.reading.zstd import zstd

PAPER = {"significance": 4.0, "quality": None, "evidence": None, "ties": None}
STOP_WORDS = stop_words_of(language_of("english"))
TOKEN_OR_END = re.compile(r"[^\W_]+(?:['’.\-_][^\W_]+)*|[.,;:!?()\[\]{}\"'“”‘’`|<>—–\n-]")


def chunks_of(corpus: Corpus) -> list[list[str]]:
    stems = corpus.stems().to_list()
    return [stems[start:stop] for start, stop in pairwise(corpus.chunk_start.tolist())]


def gensim_phrases(sentences: list[list[str]], min_count: int) -> int:
    bigram = Phrases(sentences, min_count=min_count, threshold=10.0).freeze()
    trigram = Phrases(bigram[sentences], min_count=min_count, threshold=10.0).freeze()
    return sum(len(sentence) for sentence in trigram[bigram[sentences]])


def read_by_hand(name: str) -> list[list[str]]:
    stem = Stemmer.Stemmer("porter")
    stem_of: dict[str, str | None] = {}
    sentences: list[list[str]] = []
    with zstd.open(corpus_path(name), "rt", encoding="utf-8") as reader:
        for line in reader:
            text = json.loads(line)["text"] if ".jsonl" in name else line
            sentence: list[str] = []
            for token in TOKEN_OR_END.findall(text):
                if not token[0].isalnum():
                    if sentence:
                        sentences.append(sentence)
                        sentence = []
                    continue
                known = stem_of.get(token, "")
                if known == "":
                    folded = token.lower()
                    known = stem_of[token] = None if folded in STOP_WORDS else stem.stemWord(folded)
                if known:
                    sentence.append(known)
            if sentence:
                sentences.append(sentence)
    return sentences


def mined(corpus: Corpus, n_threads: int) -> object:
    return PhraseMiner(n_threads=n_threads, **PAPER).fit_transform(corpus)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", default="abstracts_arxiv_cs.jsonl.zst")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rival-rounds", type=int, default=1)
    parser.add_argument("--memory", action="store_true", help="measure memory only")
    parser.add_argument(
        "--settings", action="store_true", help="compare the defaults with the paper's settings"
    )
    options = parser.parse_args()
    path = corpus_path(options.corpus)
    if options.memory:
        return memory(path)
    if options.settings:
        return settings(path, options.rounds)
    corpus = Corpus.read(path)
    miner = PhraseMiner(**PAPER).fit(corpus)
    partition = miner.transform(corpus)
    print(f"{options.corpus}: {corpus!r}, {partition!r}, minimum support {miner.min_support_}\n")

    sentences = chunks_of(corpus)
    ours = alternate(
        {
            "topminer, 2 threads": lambda: mined(corpus, 2),
            "topminer, 1 thread": lambda: mined(corpus, 1),
            "topminer, from the file, 2 threads": lambda: mined(Corpus.read(path, n_threads=2), 2),
        },
        options.rounds,
    )
    theirs = alternate(
        {
            "gensim": lambda: gensim_phrases(sentences, miner.min_support_),
            "gensim, from the file": lambda: gensim_phrases(read_by_hand(options.corpus), miner.min_support_),
        },
        options.rival_rounds,
    )
    rows = [
        [name, f"{median:.2f}", f"{corpus.n_tokens / median / 1e6:.2f}"]
        for name, median in {**ours, **theirs}.items()
    ]
    print(table(["", "seconds", "million kept tokens/s"], rows), "\n")
    from_ids = theirs["gensim"] / ours["topminer, 2 threads"]
    from_file = theirs["gensim, from the file"] / ours["topminer, from the file, 2 threads"]
    second = ours["topminer, 1 thread"] / ours["topminer, 2 threads"]
    print(f"gensim ÷ topminer, from ids: {from_ids:.1f}; from the file: {from_file:.1f}")
    print(f"one thread ÷ two: {second:.2f}\n")

    growth = []
    for factor in (1, 2, 4, 8):
        part = corpus[: len(corpus) * factor // 8]
        each = alternate({"": lambda part=part: mined(part, 2)}, options.rounds)[""]
        growth.append(
            [f"{factor}×", f"{part.n_tokens:,}", f"{each:.3f}", f"{each / part.n_tokens * 1e9:.1f}"]
        )
    print(table(["size", "kept tokens", "seconds", "ns per token"], growth), "\n")
    subprocess.run([sys.executable, __file__, "--corpus", options.corpus, "--memory"], check=True)


def settings(path: Path, rounds: int) -> None:
    """How much longer the defaults take than the paper's settings, from ids and from the file."""
    corpus = Corpus.read(path)
    chosen = {
        "the paper's settings": PAPER,
        "threshold 2": {**PAPER, "significance": 2.0},
        "threshold 2, evidence": {"quality": None, "ties": None},
        "threshold 2, ties": {"quality": None, "evidence": None},
        "threshold 2, quality": {"evidence": None, "ties": None},
        "defaults": {},
    }
    rows = []
    for n in (1, 2):
        runs = {
            name: lambda given=given: PhraseMiner(n_threads=n, **given).fit_transform(corpus)  # noqa: B023
            for name, given in chosen.items()
        }
        times = alternate({"read": lambda: Corpus.read(path, n_threads=n), **runs}, rounds)  # noqa: B023
        read, paper = times.pop("read"), times["the paper's settings"]
        for name, each in times.items():
            from_file = (read + each) / (read + paper)
            rows.append([name, f"{n}", f"{each:.2f}", f"{each / paper:.2f}", f"{from_file:.2f}"])
        rows.append(["reading the file", f"{n}", f"{read:.2f}", "", ""])
    print(path.name, table(["", "threads", "seconds", "× the paper's", "from the file"], rows), sep="\n\n")


def memory(path: Path) -> None:
    """The peak of resident memory, in a process that has done nothing else."""
    corpus = Corpus.read(path, keep_texts=False)
    mined(corpus[:1000], 2)
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)  # or what reading freed would hide what mining takes
    for name, given in (("the paper's settings", PAPER), ("the defaults", {})):
        peak, _ = peak_bytes(lambda given=given: PhraseMiner(n_threads=2, **given).fit_transform(corpus))
        print(f"peak memory with {name}: {peak / corpus.n_tokens:.1f} bytes per kept token")


if __name__ == "__main__":
    main()
