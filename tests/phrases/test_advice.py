"""Why topics would have hardly any phrase, and what to try."""

import math
import warnings

import pytest

from topminer import Corpus, PhraseMiner, ToPMine
from topminer.phrases.advice import (
    FEW,
    FEW_FOR_A_TOPIC,
    FEW_INSTANCES,
    LITTLE_TEXT,
    MANY_STOP_WORDS,
    MiningSummary,
    advice,
)

ORDINARY = MiningSummary(
    n_documents=2_000,
    n_tokens=100_000,
    n_found=180_000,
    n_stop_words=80_000,
    n_phrases=900,
    n_instances=8_000,
    n_topics=20,
    min_support=5,
    threshold=2.0,
    cut=0.0,
    language="english",
    looks_like=None,
    expects_stop_words=True,
)
SCARCE = ORDINARY._replace(n_phrases=7, n_instances=60)


def text_of(found: MiningSummary, *, as_options: bool = True) -> str:
    told = advice(found)
    assert told is not None
    return told.text(as_options=as_options)


@pytest.mark.parametrize(("n_topics", "limit"), [(20, FEW_FOR_A_TOPIC * 20), (None, FEW)])
def test_two_phrases_a_topic_or_many_places_are_enough(n_topics: int | None, limit: int) -> None:
    places = int(FEW_INSTANCES * ORDINARY.n_tokens)
    few = ORDINARY._replace(n_topics=n_topics, n_phrases=limit - 1, n_instances=places - 1)
    assert advice(few) is not None
    assert advice(few._replace(n_phrases=limit)) is None
    assert advice(few._replace(n_instances=places)) is None
    assert advice(few._replace(threshold=math.inf)) is None  # asks for no phrases


def test_little_text_is_named_first_and_the_support_that_the_threshold_needs() -> None:
    little = SCARCE._replace(n_documents=500, n_tokens=LITTLE_TEXT - 1)
    assert text_of(little) == (
        "Hardly any phrases (7 of several words for 20 topics): 500 documents with 19,999 kept tokens are "
        "little text; a phrase must occur 5 times to reach the threshold of 2. "
        "Try more text or a lower --significance."
    )


@pytest.mark.parametrize(
    ("changes", "reason", "tried"),
    [
        ({"threshold": 4.0, "min_support": 17}, "17 times to reach the threshold of 4", "--significance"),
        ({"min_support": 50}, "a phrase must occur 50 times", "--min-support"),
        ({"cut": 3.0}, "the lowest quality is 3", "a lower --quality"),
        (
            {"n_stop_words": int((MANY_STOP_WORDS + 0.1) * 180_000)},
            "90% of all tokens are stop",
            "--stop-words",
        ),
        ({"n_stop_words": 100}, "hardly any of the stop words of English occur", "another --language"),
        ({"looks_like": "german"}, "looks German, and was read as English", "--language german"),
        ({}, "its words seldom occur in the same order", "a lower --significance"),
        ({"n_phrases": 0, "n_instances": 0}, "none of several words for 20 topics", "--significance"),
    ],
)
def test_each_reason_has_its_remedy(changes: dict[str, object], reason: str, tried: str) -> None:
    told = text_of(SCARCE._replace(**changes))
    assert reason in told
    assert tried in told.split("Try ")[1]


def test_missing_stop_words_are_no_reason_where_none_are_left_out() -> None:
    assert "stop words" not in text_of(SCARCE._replace(n_stop_words=0, expects_stop_words=False))


def test_another_language_is_warned_of_however_many_phrases_there_are() -> None:
    foreign = ORDINARY._replace(looks_like="french", n_phrases=5_000)
    expected = "Phrases may be made of stop words: the text looks French, and was read as English. Try "
    assert text_of(foreign) == f"{expected}--language french."
    assert text_of(foreign, as_options=False) == f'{expected}language="french".'


def test_a_fit_warns_in_the_words_of_python() -> None:
    with pytest.warns(UserWarning, match=r"Hardly any phrases .*Try more text or a lower significance\."):
        ToPMine(2, n_sweeps=2, random_state=0).fit(["one red fish", "two blue birds", "three green trees"])


def test_a_fit_that_finds_phrases_or_looks_for_none_is_silent() -> None:
    texts = ["Frequent pattern mining finds patterns.", "A neural network learns weights."] * 20
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ToPMine(2, n_sweeps=2, random_state=0).fit(texts)
        alone = ToPMine(2, n_sweeps=2, random_state=0, phrases=False).fit(["one fish", "two birds"])
    assert any(topic.phrases for topic in found.topics())
    assert not any(topic.phrases for topic in alone.topics())


def test_a_corpus_is_summarised_with_the_counts_of_its_text() -> None:
    corpus = Corpus.from_texts(["The frequent pattern is a pattern of the data."] * 3)
    miner = PhraseMiner(min_support=2, significance=1.0, quality=None).fit(corpus)
    found = MiningSummary.of(
        corpus, miner, n_documents=3, n_tokens=12, n_phrases=1, n_instances=3, n_topics=4
    )
    assert (found.n_found, found.n_stop_words, found.n_tokens) == (27, 15, 12)
    assert (found.min_support, found.threshold, found.cut) == (2, 1.0, None)
    assert (found.language, found.looks_like, found.expects_stop_words) == ("english", None, True)
    kept = Corpus.from_texts(["The data"], stop_word_policy="keep")
    miner.fit(kept)
    assert not MiningSummary.of(
        kept, miner, n_documents=1, n_tokens=2, n_phrases=0, n_instances=0
    ).expects_stop_words
