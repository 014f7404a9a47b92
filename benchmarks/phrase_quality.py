"""How many of the foremost 1,000 phrases are terms: before and after ranking, ties and the background test.

Each phrase of ACL abstracts is looked up, in lower case, among terms that people judged (0: none, 1 and 2:
terms); phrases that nobody judged do not count. ``python benchmarks/phrase_quality.py [FOLDER]``; FOLDER has
abstracts_acl_arc.jsonl.zst and gold_acl_terms.tsv.zst.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import zstandard

from topminer import Corpus, ToPMine
from topminer.views.entries import ORDERS, Entries

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
N_FIRST = 1_000
N_TOPICS, N_SWEEPS, THRESHOLDS = (10, 20, 50), 600, (4.0, 2.0)


def judgements() -> dict[str, bool]:
    with (FOLDER / "gold_acl_terms.tsv.zst").open("rb") as file:
        lines = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), "utf-8").readlines()
    pairs = (line.rstrip("\n").rsplit("\t", 1) for line in lines[1:])
    return {term.lower(): judged != "0" for term, judged in pairs}


def precision(entries: Entries, scores: np.ndarray, eligible: np.ndarray, gold: dict[str, bool]) -> str:
    """Of those judged among the first, the share of terms, and how many were judged."""
    chosen = np.flatnonzero(eligible)
    first = chosen[np.argsort(-scores[chosen], kind="stable")][:N_FIRST].tolist()
    judged = [gold[text] for entry in first if (text := entries.text(entry).lower()) in gold]
    return f"{np.mean(judged):.3f} of {len(judged)}"


def best_in_a_topic(entries: Entries, order: str) -> np.ndarray:
    scores = np.full(len(entries), -np.inf)
    np.maximum.at(scores, entries.frequency.types, entries.scores(order))
    return scores


def main() -> None:
    gold = judgements()
    corpus = Corpus.read(FOLDER / "abstracts_acl_arc.jsonl.zst", text="text")
    print(
        "threshold topics  before            ties              no background     then by " + ", ".join(ORDERS)
    )
    for threshold in THRESHOLDS:
        for n_topics in N_TOPICS:
            model = ToPMine(n_topics, significance=threshold, n_sweeps=N_SWEEPS, random_state=0).fit(corpus)
            plain, tied = Entries.of(model, tie=False), Entries.of(model)
            topical = (tied.lengths > 1) & ~tied.background.declared
            cells = [
                precision(plain, plain.totals, plain.lengths > 1, gold),
                precision(tied, tied.totals, tied.lengths > 1, gold),
                precision(tied, tied.totals, topical, gold),
                *(precision(tied, best_in_a_topic(tied, order), topical, gold) for order in ORDERS),
            ]
            print(f"{threshold:9g} {n_topics:6}  " + "  ".join(f"{cell:16}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
