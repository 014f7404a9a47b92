"""Evidence: one example worked by hand, and which chunks are counted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import quality as oracle
from oracles.phrases import Document
from oracles.quality import Token
from planted import corpora, flatten, some

from topminer import Corpus, PhraseMiner
from topminer.phrases.evidence import LEAST_WORDS, counted_chunks, least_words

pytestmark = pytest.mark.small

TEXTS = ["the quick brown fox. A fox", "The quick brown fox. A fox", "quick brown, brown fox"]


def test_worked_by_hand() -> None:
    """The docstring's example, and one more text: of nine tokens that are counted, four are foxes.

    "Quick brown" stands in three places. The second is in a chunk that is not counted, so its evidence is 2.
    """
    corpus = Corpus.from_texts(TEXTS, language=None, stop_words=["a", "the"])
    miner = PhraseMiner(2, 0.0, None, evidence=3).fit(corpus)
    assert miner.mined.n_tokens == 3 + 1 + 1 + 2 + 2
    rows = miner.phrases_.select("stems", "support", "evidence", "instances").sort("stems").rows()
    assert rows == [("brown fox", 3, 2, 1), ("quick brown", 3, 2, 3)]
    table = {stems: score for stems, score in miner.phrases_.select("stems", "significance").rows()}
    assert table["quick brown"] == pytest.approx((2 - 2 * 3 / 9) / np.sqrt(2))
    assert table["brown fox"] == pytest.approx((2 - 3 * 4 / 9) / np.sqrt(2))
    words = corpus.vocabulary["stem"].to_list()
    evidence = dict(zip(words, miner.mined.evidence[: len(words)].tolist(), strict=True))
    assert evidence == {"quick": 2, "brown": 3, "fox": 4}


def test_what_the_parameter_means() -> None:
    assert least_words("auto") == LEAST_WORDS
    assert least_words(None) is None
    assert least_words(np.int64(5)) == 5


@some
@given(corpora(4), st.sampled_from((None, 1, 2, 3, 5)))
def test_counted_chunks(documents: list[Document], least: int | None) -> None:
    chunks = [chunk for document in documents + documents for chunk in document]
    found = counted_chunks(flatten(documents + documents).sequence, least)
    expected = oracle.counted([[Token(str(stem), "", "") for stem in chunk] for chunk in chunks], least)
    assert ([True] * len(chunks) if found is None else found.tolist()) == expected
