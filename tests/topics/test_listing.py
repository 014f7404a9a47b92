"""What lists show: what may be asked for, and what each kind of model shows by itself."""

from typing import Any

import pytest
from models import texts, topmine, usual

from topminer import InputError, Listing, ToPMine
from topminer.topics.results.listing import AS_IN_PAPER, is_as_in_paper


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_words": -1}, "n_words"),
        ({"n_phrases": 1.5}, "n_phrases"),
        ({"lam": 1.1}, "lam"),
        ({"longest": 1}, "longest"),
        ({"order": "lift"}, "the order must be one of best, frequency, kert, relevance, not 'lift'"),
        (
            {"word_order": "kert"},
            "the order of words must be one of best, relevance, probability, not 'kert'",
        ),
    ],
)
def test_what_cannot_be(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Listing(**given)


def test_the_usual_listings() -> None:
    assert Listing.usual(usual()) == Listing(order="best", longest=6, typical=True, word_order=None)
    every = Listing(tie=False, background=True, longest=None, typical=False)
    assert Listing.usual(usual(), all=True) == every
    assert Listing.usual(usual(), all=True, tie=True, order=None) == Listing(
        tie=True, background=True, longest=None, typical=False
    )
    paper = ToPMine.as_in_paper(4, n_sweeps=2, random_state=0, n_threads=1).fit(texts())
    assert is_as_in_paper(paper) and not is_as_in_paper(usual())
    assert Listing.usual(paper) == Listing.usual(paper, all=True) == Listing(**AS_IN_PAPER)
    assert Listing.usual(paper).order == "frequency" and not Listing.usual(paper).tie
    assert Listing.usual(paper, order="kert", n_words=3) == Listing(
        **{**AS_IN_PAPER, "order": "kert", "n_words": 3}
    )
    assert paper.topics() == paper.topics(all=True, order="frequency")
    assert not is_as_in_paper(topmine(phrases=False).fit(texts()[:20]))


def test_the_order_of_words_follows_that_of_phrases() -> None:
    assert [Listing(order=order).order_of_words for order in ("best", "kert")] == ["best", "best"]
    assert Listing(order="relevance").order_of_words == "relevance"
    assert Listing(order="relevance", word_order="best").order_of_words == "best"
    assert Listing(**AS_IN_PAPER).order_of_words == "probability"
