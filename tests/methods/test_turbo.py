"""Turbo Topics: what it finds, what it leaves alone, and that it always finds the same."""

import math
import random

import numpy as np
import pytest
from corpora import two_topics
from oracles import turbo as oracle
from test_back_off import text_of as text_of_documents

from topminer import Corpus
from topminer.methods.contract import MethodResult
from topminer.methods.rivals.back_off import TopicText, openings, topic_text
from topminer.methods.rivals.permutation_test import Rule
from topminer.methods.rivals.turbo import TurboTopics, by_count, phrases_of
from topminer.methods.stopwatch import Stopwatch

SMALL = {"n_sweeps": 20, "min_count": 5, "p_value": 0.02, "n_threads": 1}


def text_of(chunks: list[list[int]], in_topic: float = 1.0, seed: int = 0) -> TopicText:
    """Documents of one chunk each; each token has the topic with a probability."""
    stems = np.array([stem for chunk in chunks for stem in chunk], np.int32)
    topics = (np.random.default_rng(seed).random(stems.size) >= in_topic).astype(np.int32)
    starts = np.cumsum([0, *map(len, chunks)])
    return topic_text(stems, openings(starts, starts), topics, 0, starts)


def noise_with(phrases: list[tuple[list[int], int]], n_words: int, seed: int = 1) -> list[list[int]]:
    """Chunks of random words, with each phrase planted a number of times."""
    choose = random.Random(seed)
    chunks = [[[choose.randrange(n_words)] for _ in range(6)] for _ in range(400)]
    for phrase, n in phrases:
        for chunk in choose.sample(chunks, n):
            chunk.insert(choose.randrange(len(chunk) + 1), phrase)
    return [[stem for piece in chunk for stem in piece] for chunk in chunks]


def texts(found: MethodResult) -> list[dict[str, float]]:
    return [{phrase.text: phrase.score for phrase in topic.phrases} for topic in found.topics]


# ------------------------------------------------------------------------------------ what is found


def test_planted_phrases_of_two_three_and_four_words_and_nothing_else() -> None:
    chunks = noise_with([([40, 41], 60), ([42, 43, 44], 50), ([3, 4], 60)], n_words=40)
    found = phrases_of(text_of(chunks), 45, Rule(10, 1000, 0), 0, 0)
    assert {(40, 41), (42, 43, 44), (3, 4)} <= set(found)
    assert set(found) <= {(40, 41), (42, 43, 44), (3, 4), (42, 43), (43, 44)}
    assert found[40, 41] == 60
    assert found[42, 43, 44] == 50
    assert by_count(found)[0][0] == (3, 4)  # also by chance, here and there
    assert found.get((42, 43), 0) == found.get((43, 44), 0) == 0  # all of them are in the longer one
    chunks = noise_with([([30, 31, 32, 33], 50)], n_words=30)
    found = phrases_of(text_of(chunks), 34, Rule(10, 1000, 0), 0, 0)
    assert by_count(found) == [((30, 31, 32, 33), 50.0)]


def test_rare_pairs_are_not_looked_at() -> None:
    text = text_of(noise_with([([40, 41], 30)], n_words=40))
    assert phrases_of(text, 42, Rule(30, 100, 0), 0, 0) == {(40, 41): 30}
    assert phrases_of(text, 42, Rule(31, 100, 0), 0, 0) == {}
    nothing = text_of([[0, 1], [0, 1]], in_topic=0.0)
    assert nothing.stems.size == 0
    assert phrases_of(nothing, 2, Rule(1, 10, 0), 0, 0) == {}


def random_documents(seed: int) -> list[oracle.Document]:
    choose = random.Random(seed)
    pieces = [[0, 1], [0, 1, 2], [2, 3, 4, 1], [2, 3, 4, 1], [0], [3]]
    documents = []
    for _ in range(12):
        document = [[s for _ in range(3) for s in choose.choice(pieces)] for _ in range(choose.randrange(3))]
        documents.append([[(stem, choose.random() < 0.9) for stem in chunk] for chunk in document])
    return documents


@pytest.mark.parametrize("n_permutations, n_allowed", [(7, 0), (12, 2)])
def test_rounds_are_those_of_plain_lists(n_permutations: int, n_allowed: int) -> None:
    lengths = set()
    for seed in range(5):
        documents = random_documents(seed)
        seeds = [np.random.SeedSequence([seed, 3, n_rounds]) for n_rounds in range(20)]
        keys = [int(each.generate_state(1, np.uint64)[0]) for each in seeds]
        found = phrases_of(text_of_documents(documents), 5, Rule(2, n_permutations, n_allowed), seed, 3)
        expected = oracle.grow(documents, 5, 2, n_permutations, n_allowed, keys.__getitem__)
        assert list(found.items()) == list(expected.items())
        lengths |= set(map(len, found))
    assert {2, 3, 4} <= lengths


# ------------------------------------------------------------------------------ the level of the test


def shuffled_text(seed: int, n_words: int = 12) -> TopicText:
    choose = random.Random(seed)
    weights = [1 / (rank + 3) for rank in range(n_words)]
    return text_of([choose.choices(range(n_words), weights, k=8) for _ in range(60)])


def test_text_without_phrases_has_none_more_often_than_allowed() -> None:
    """Of twelve histories, each tested at p = 0.05 / 12, one text in twenty may have a phrase."""
    n_texts, p_value = 300, 0.05
    rule = Rule(3, 12 * 20 - 1, 0)
    n_fooled = sum(bool(phrases_of(shuffled_text(seed), 12, rule, seed, 0)) for seed in range(n_texts))
    assert n_fooled <= n_texts * p_value + 4 * math.sqrt(n_texts * p_value * (1 - p_value))
    assert n_fooled > 0  # the tests are not just too shy


def test_a_single_test_keeps_its_level() -> None:
    """One history, at p = 1 / 5: about every fifth text fools it."""
    n_texts, p_value = 1500, 0.2
    rule = Rule(3, 4, 0)
    n_fooled = 0
    for seed in range(n_texts):
        rng = np.random.default_rng(seed)
        follower = rng.integers(0, 8, 160)
        stems = np.column_stack((np.where(np.arange(160) < 40, 8, 9), follower)).astype(np.int32)
        in_topic = np.zeros((160, 2), np.bool_)
        in_topic[:, 0] = True
        opens = np.tile(np.array([2, 0], np.uint8), 160)
        # The other histories are words of their own: none occurs three times.
        stems[40:, 0] = np.arange(10, 130)
        n_fooled += bool(phrases_of(TopicText(stems.ravel(), in_topic.ravel(), opens), 130, rule, seed, 0))
    spread = math.sqrt(n_texts * p_value * (1 - p_value))
    assert n_fooled <= n_texts * p_value + 4 * spread
    assert n_fooled >= n_texts * p_value * 0.7  # equal gains count against it


# --------------------------------------------------------------------------------------- the method


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return two_topics(200)


def test_scores_are_counts(corpus: Corpus) -> None:
    found = TurboTopics(**{**SMALL, "n_sweeps": 60}).fit(corpus, 2, 0)
    assert found.notes == ()
    assert [stage.name for stage in found.stages][-1] == "turbo topics"
    shown = texts(found)
    assert {"support vector machine", "kernel method"} in map(set, shown)
    assert {"frequent pattern mining", "data stream"} in map(set, shown)
    assert all(score == int(score) > 0 for topic in shown for score in topic.values())


def test_no_phrase_crosses_the_end_of_a_chunk() -> None:
    joined, cut = (
        Corpus.from_texts([f"apple pear{stop} plum", f"plum{stop} apple pear", "fig", "fig plum"] * 40)
        for stop in ("", ".")
    )
    shown = texts(TurboTopics(**SMALL).fit(joined, 1, 0))[0]
    assert {"apple pear plum", "plum apple pear"} <= set(shown)
    assert set(texts(TurboTopics(**SMALL).fit(cut, 1, 0))[0]) == {"apple pear", "fig plum"}


@pytest.mark.small
@pytest.mark.parametrize(
    "p_value, n_permutations, expected",
    [(0.001, None, (1000, 0)), (0.001, 999, (999, 0)), (0.001, 1999, (1999, 1)), (0.05, 999, (999, 49))],
)
def test_permutations_and_p_value(
    p_value: float, n_permutations: int | None, expected: tuple[int, int]
) -> None:
    assert TurboTopics(p_value=p_value, n_permutations=n_permutations)._rule() == (25, *expected)


def test_a_budget_may_leave_topics_out(corpus: Corpus) -> None:
    now = [0.0]

    def progress(stage: str, *_: object) -> None:
        now[0] += 100.0 * (stage == "turbo topics")

    found = TurboTopics(**SMALL).fit(corpus, 4, 0, stopwatch=Stopwatch(progress, 50.0, lambda: now[0]))
    assert texts(found)[-1] == {}
    assert len(found.topics) == 4
    assert found.notes[0].startswith("Phrases were looked for in") and "of 4 topics" in found.notes[0]
