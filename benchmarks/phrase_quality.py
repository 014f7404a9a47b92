"""How many of the foremost 1,000 phrases are terms: before and after ranking, ties and the background test.

    python benchmarks/phrase_quality.py [FOLDER]

Each phrase of ACL abstracts is looked up, in lower case, among terms that people judged (0: none, 1 and 2:
terms); phrases that nobody judged do not count. On other corpora a phrase is good if it is on a list:
authors' keyphrases, or titles of Wikipedia. FOLDER has the corpora and the lists.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import zstandard

from topminer import Corpus, ToPMine
from topminer.views.entries import ORDERS, Entries

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
N_FIRST = 1_000
N_TOPICS, N_SWEEPS, THRESHOLDS = (10, 20, 50), 600, (4.0, 2.0)


def lines(name: str) -> list[str]:
    with (FOLDER / name).open("rb") as file:
        text = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), "utf-8")
        return [line.rstrip("\n") for line in text]


def judgements() -> dict[str, bool]:
    pairs = (line.rsplit("\t", 1) for line in lines("gold_acl_terms.tsv.zst")[1:])
    return {term.lower(): judged != "0" for term, judged in pairs}


def keyphrases(name: str) -> set[str]:
    found = (json.loads(line)["keyphrases"] for line in lines(name))
    return {each.lower() for some in found for each in (some if isinstance(some, list) else some.split(";"))}


def foremost(entries: Entries, scores: np.ndarray, eligible: np.ndarray) -> list[str]:
    chosen = np.flatnonzero(eligible)
    first = chosen[np.argsort(-scores[chosen], kind="stable")][:N_FIRST]
    return [entries.text(entry).lower() for entry in first.tolist()]


def precision(gold: dict[str, bool], texts: list[str]) -> str:
    """Of those judged, the share of terms, and how many were judged."""
    judged = [gold[text] for text in texts if text in gold]
    return f"{np.mean(judged):.3f} of {len(judged)}"


def listed(gold: set[str], texts: list[str]) -> str:
    return f"{np.mean([text in gold for text in texts]):.3f}"


def best_in_a_topic(entries: Entries, order: str) -> np.ndarray:
    scores = np.full(len(entries), -np.inf)
    np.maximum.at(scores, entries.frequency.types, entries.scores(order))
    return scores


def table(corpus: Corpus, n_topics: int, threshold: float, n_sweeps: int) -> list[list[str]]:
    """The foremost phrases before, with ties, without background, and then in each order."""
    model = ToPMine(n_topics, significance=threshold, n_sweeps=n_sweeps, random_state=0).fit(corpus)
    plain, tied = Entries.of(model, tie=False), Entries.of(model)
    topical = (tied.lengths > 1) & ~tied.background.declared
    return [
        foremost(plain, plain.totals, plain.lengths > 1),
        foremost(tied, tied.totals, tied.lengths > 1),
        foremost(tied, tied.totals, topical),
        *(foremost(tied, best_in_a_topic(tied, order), topical) for order in ORDERS),
    ]


def row(name: str, cells: Iterable[str]) -> None:
    print(f"{name:24}" + "".join(f"{cell:18}" for cell in cells), flush=True)


def main() -> None:
    row("", ["before", "ties", "no background", *(f"by {order}" for order in ORDERS)])
    gold = judgements()
    abstracts = Corpus.read(FOLDER / "abstracts_acl_arc.jsonl.zst", text="text")
    for threshold in THRESHOLDS:
        for n_topics in N_TOPICS:
            lists = table(abstracts, n_topics, threshold, N_SWEEPS)
            row(f"threshold {threshold:g}, K = {n_topics}", (precision(gold, texts) for texts in lists))
    papers, titles = (
        "keyphrases_krapivin.jsonl.zst",
        {line.lower() for line in lines("gold_wikipedia.txt.zst")},
    )
    others = {papers: keyphrases(papers), "news_reuters.jsonl.zst": titles, "news_bbc.jsonl.zst": titles}
    for name, good in others.items():
        lists = table(Corpus.read(FOLDER / name, text="text"), 20, 2.0, 200)
        row(name.split(".")[0], (listed(good, texts) for texts in lists))


if __name__ == "__main__":
    main()
