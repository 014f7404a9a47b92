"""The explorer's search and concordance: how long the index takes, and how long an answer.

    python benchmarks/bench_search.py [--corpus NAME] [--documents N] [--rounds N]

The rival is what a browser, or a program without an index, would do: look through all texts.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
from harness import alternate, corpus_path, seconds, table

from topminer import Corpus
from topminer.views.explorer.concordance import places_of
from topminer.views.explorer.search import Hits, SearchIndex, cache_folder, terms_of

QUERIES = [
    "boltzmann",
    "quantum",
    "quantum gravity",
    '"dark matter"',
    "quantum me",
    "a survey of deep learning for medical image segmentation",
    "th",
]


def made(texts: pl.Series) -> SearchIndex:
    index = SearchIndex(texts, "benchmark")
    index.find(terms_of("begin"), 0, 1)
    index.wait()
    return index


def through_all(texts: pl.Series, query: str) -> Callable[[], Any]:
    words = [word for term in terms_of(query) for word in term.words]
    wanted = pl.all_horizontal([pl.col("text").str.contains(f"(?i)\\b{word}") for word in words])
    return lambda: texts.to_frame("text").filter(wanted)


def _size(folder: Path | None) -> int:
    assert folder is not None
    return sum(path.stat().st_size for path in folder.iterdir())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", default="titles_arxiv.txt.zst")
    parser.add_argument("--documents", type=int, default=600_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    corpus = Corpus.read(corpus_path(options.corpus))[: options.documents]
    texts = corpus.texts
    assert texts is not None
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        took = seconds(lambda: made(texts))
        index, size = made(texts), _size(cache_folder())
        n_bytes = int(texts.str.len_bytes().sum())
        print(f"{options.corpus}: {len(texts):,} documents, {n_bytes / 1e6:.0f} MB of text")
        print(f"index: {took:.1f} s, {size / 1e6:.0f} MB ({size / n_bytes:.2f} of the text)\n")
        rows = []
        for query in QUERIES:
            terms = terms_of(query)
            found = index.find(terms, 0, 10)
            assert isinstance(found, Hits)
            contestants = {
                "index": lambda terms=terms: index.find(terms, 0, 10),
                "all": through_all(texts, query),
                "concordance": lambda query=query: places_of(corpus, query),
            }
            times = alternate(contestants, options.rounds)
            rows.append(
                [
                    query,
                    f"{found.total:,}",
                    *(f"{1000 * times[name]:,.1f}" for name in contestants),
                    f"{times['all'] / times['index']:,.1f}",
                ]
            )
    header = ["query", "found", "search, ms", "all texts, ms", "concordance, ms", "search is faster by"]
    print(table(header, rows))


if __name__ == "__main__":
    main()
