"""The title of the paper's example 1, cut with the counts of the paper's own 20Conf set."""

from pathlib import Path

import pytest
from written import paper_miner

from topminer import Corpus

TITLE = "Mining frequent patterns without candidate generation: a frequent pattern tree approach."


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("threshold", "phrases"),
    [
        (2.0, [("mine", "frequent", "pattern"), ("candid", "gener"), ("frequent", "pattern")]),
        (4.0, [("mine", "frequent"), ("frequent", "pattern")]),
    ],
)
def test_example_1(shared_data: Path, threshold: float, phrases: list[tuple[str, ...]]) -> None:
    corpus = Corpus.read(shared_data / "titles_20conf.txt.zst")
    miner = paper_miner(significance=threshold).fit(corpus)
    [document] = miner.transform(corpus.encode([TITLE])).to_lists()
    assert [phrase for phrase in document if len(phrase) > 1] == phrases
