"""The search for the number of topics: planted numbers, how it starts and ends, and small corpora."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from chains import partition_of
from corpora import needs_jit
from hypothesis import given
from hypothesis import strategies as st
from oracles.topics import Document
from scipy import sparse

from topminer import Partition
from topminer.errors import InputError
from topminer.topics.number import search
from topminer.topics.number.search import CRUMB, Found, Sample, chosen, find_number, find_start
from topminer.topics.number.selection import Selection, Settings, choose_rows, select
from topminer.topics.sampler import latin_square
from topminer.topics.sampler.sampler import Sampler
from topminer.topics.sampler.start import Start

N_WORDS = 500


def planted(n_topics: int, n_documents: int, seed: int = 0) -> list[Document]:
    """Documents of 30 cliques, as PhraseLDA says: a quarter are one of ten phrases of the topic."""
    rng = np.random.default_rng([seed, n_topics])
    topic_word = rng.dirichlet(np.full(N_WORDS, 0.05), n_topics)
    phrases = [rng.choice(N_WORDS, (10, 2), p=row).tolist() for row in topic_word]
    shares = rng.dirichlet(2 * rng.dirichlet(np.full(n_topics, 5.0)), n_documents)
    documents = []
    for share in shares:
        topics = rng.choice(n_topics, 30, p=share).tolist()
        words = [int(rng.choice(N_WORDS, p=topic_word[k])) for k in topics]
        phrase = rng.integers(0, 40, 30).tolist()
        documents.append(
            [
                tuple(phrases[k][i]) if i < 10 else (word,)
                for k, word, i in zip(topics, words, phrase, strict=True)
            ]
        )
    return documents


@cache
def planted_partition(n_topics: int, n_documents: int) -> Partition:
    return partition_of(planted(n_topics, n_documents), N_WORDS)


def selection_of(partition: Partition, seed: int = 0) -> Selection:
    return select(partition, choose_rows(len(partition), partition.corpus.n_tokens, seed))


def found_in(partition: Partition, seed: int = 0, **settings: Any) -> Found:
    return find_number(selection_of(partition, seed), Settings(0.01, seed, **settings))


def plain(found: Found) -> list[Any]:
    """Everything in it, to be compared."""
    return [found.n_topics, found.tried, *plain_start(found.start)]


def plain_start(start: Start) -> list[Any]:
    return [start.words.tolist(), start.word_topic.tolist(), start.beta]


def tokens_of_words(partition: Partition, selection: Selection, start: Start) -> list[int]:
    """The tokens of the words of a start in the sampled documents, which have no others."""
    stems = selection.type_of[selection.sampled.corpus.stem_ids]
    counted = np.bincount(stems, minlength=partition.corpus.n_stems)
    assert (np.diff(start.words) > 0).all()
    assert counted[start.words].sum() == stems.size
    return counted[start.words].tolist()


def assert_is_whole(found: Found, partition: Partition, seed: int = 0) -> None:
    """Topics to start with have all tokens of the sampled documents but those of crumbs."""
    selection, start = selection_of(partition, seed), found.start
    assert found.n_topics == start.word_topic.shape[1]
    numbers = [each.n_topics for each in found.tried]
    assert all(after < before for before, after in pairwise(numbers))
    before = numbers[chosen([each.perplexity for each in found.tried])]
    n_crumbs, n_tokens = before - found.n_topics, selection.sampled.corpus.n_tokens
    assert n_crumbs >= 0
    sizes = start.word_topic.sum(axis=0)
    assert (sizes > CRUMB * n_tokens / before).all() and (np.diff(sizes) <= 0).all()
    assert n_tokens - sizes.sum() <= n_crumbs * CRUMB * n_tokens / found.n_topics
    counted = tokens_of_words(partition, selection, start)
    kept = start.word_topic.sum(axis=1).tolist()
    assert all(few <= many for few, many in zip(kept, counted, strict=True))
    if not n_crumbs:
        assert kept == counted


@needs_jit
@pytest.mark.parametrize("n_topics, n_documents", [(5, 400), (20, 1000)])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_planted_number_is_found(n_topics: int, n_documents: int, seed: int) -> None:
    partition = partition_of(planted(n_topics, n_documents, seed), N_WORDS)
    found = found_in(partition, seed)
    assert abs(found.n_topics - n_topics) <= 0.1 * n_topics
    assert_is_whole(found, partition, seed)


@needs_jit
def test_threads_and_repetitions_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latin_square, "n_shards_for", lambda n_tokens, path: 4)
    partition = planted_partition(5, 200)
    first, again, other = (plain(found_in(partition, n_threads=n)) for n in (1, 1, 2))
    assert first == again == other
    assert plain(found_in(partition, seed=7))[1] != first[1]


@needs_jit
def test_starts_again_with_twice_as_many_if_nearly_all_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "FEWEST_FIRST", 4)
    monkeypatch.setattr(search, "TOKENS_PER_TOPIC", 10**9)
    partition = planted_partition(5, 400)
    found = found_in(partition)
    assert found.tried[0].n_topics == 8 and found.n_topics == 5
    assert_is_whole(found, partition)
    monkeypatch.setattr(search, "MOST", 7)
    assert found_in(partition).tried[0].n_topics == 4


@needs_jit
def test_beta_is_fitted_unless_it_is_fixed() -> None:
    partition = planted_partition(5, 200)
    assert found_in(partition, fits_beta=False).start.beta == 0.01
    assert found_in(partition).start.beta != 0.01


@needs_jit
def test_progress_is_reported_after_each_sweep() -> None:
    reports: list[tuple[str, int, int | None, str, str]] = []
    find_number(
        selection_of(planted_partition(5, 200)), Settings(0.01, 0), lambda *each: reports.append(each)
    )
    assert {each[0] for each in reports} == {search.STAGE}
    assert [each[1] for each in reports] == list(range(1, len(reports) + 1))
    assert {each[2] for each in reports} == {None}
    assert reports[0][4].endswith("topics") and "perplexity of" in reports[-1][4]


@needs_jit
def test_empty_documents_and_unknown_words_lose_nothing() -> None:
    """Words that were never seen stand alone and beside others; the last words occur nowhere."""
    documents = planted(5, 400)
    changed: list[Document] = []
    for i, document in enumerate(documents):
        changed += [[], [(-1,), *document, (-1,)]] if i % 2 else [document, [(-1,)]]
    partition = partition_of(changed, N_WORDS + 20)
    found = found_in(partition)
    assert_is_whole(found, partition)
    assert found.n_topics in (5, 6)


@needs_jit
def test_words_of_documents_that_were_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("topminer.topics.number.selection.MOST_TOKENS", 3000)
    partition = planted_partition(5, 400)
    found = found_in(partition)
    selection = selection_of(partition)
    assert len(selection.sampled) + len(selection.held_out) == round(400 * 3000 / partition.corpus.n_tokens)
    assert found.start.words.size < np.unique(partition.corpus.stem_ids).size
    assert_is_whole(found, partition)


@needs_jit
@pytest.mark.parametrize(
    "documents", [[[(0,)]] * 20, [[(0,), (1,)]] * 30, [[(i % 7, 1), (i % 3,)] for i in range(25)]]
)
def test_tiny_corpora(documents: Sequence[Document]) -> None:
    partition = partition_of(documents, 7)
    try:
        found = found_in(partition)
    except InputError as error:
        assert "no words to score" in str(error)  # half of one word is none
        assert len(documents[0]) == 1
    else:
        assert_is_whole(found, partition)


@needs_jit
def test_a_corpus_without_words_is_refused() -> None:
    with pytest.raises(InputError):
        found_in(partition_of([[] for _ in range(30)], 3))
    with pytest.raises(InputError):
        found_in(partition_of([[(-1,)] for _ in range(30)], 3))


# -------------------------------------------------------------------------------- crumbs


@pytest.mark.small
def test_crumbs_are_set_aside() -> None:
    """The topics that are not empty have 45 tokens on average, so 5 are enough. The largest comes first."""
    selection, table = selection_of(planted_partition(5, 200)), np.zeros((3, 6), np.int32)
    table[0] = 100, 0, 4, 60, 5, 40
    table[2, 5] = 16
    sample = Sample(sparse.csc_array(table), 0.3)
    start = sample.start(selection)
    assert start.words.tolist() == selection.type_of[:3].tolist() and start.beta == 0.3
    assert start.word_topic.tolist() == [[100, 60, 40, 5], [0, 0, 0, 0], [0, 0, 16, 0]]
    for n in range(1, 7):  # if a number is given, crumbs count too
        assert sample.start(selection, n).word_topic.sum(axis=0).tolist() == [100, 60, 56, 5, 4, 0][:n]


@needs_jit
def test_the_number_that_is_found_is_without_crumbs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here every topic below the mean is a crumb. A chain that starts from the others has all tokens."""
    partition = planted_partition(5, 400)
    whole = found_in(partition).start.word_topic
    monkeypatch.setattr(search, "CRUMB", 1.0)
    found = found_in(partition)
    sizes = whole.sum(axis=0)
    assert 1 <= found.n_topics == (sizes > sizes.mean()).sum() < whole.shape[1]
    assert np.array_equal(found.start.word_topic, whole[:, : found.n_topics])
    sampler = Sampler.of(partition, found.n_topics, np.full(found.n_topics, 0.2), 0.01)
    sampler.start_from(found.start)
    assert sampler.n_k.sum() == partition.corpus.n_tokens and (sampler.n_k > 0).all()


# ------------------------------------------------------------------------- topics of a given number


@needs_jit
@pytest.mark.parametrize("n_topics", [1, 4, 5, 30, 70])
def test_exactly_so_many_topics_to_start_with(n_topics: int) -> None:
    """The search itself starts with 50 topics here. Crumbs count."""
    partition = planted_partition(5, 200)
    selection = selection_of(partition)
    start = find_start(selection, n_topics, Settings(0.01, 0))
    assert start.word_topic.shape[1] == n_topics
    assert start.word_topic.sum(axis=1).tolist() == tokens_of_words(partition, selection, start)
    assert (np.diff(start.word_topic.sum(axis=0)) <= 0).all()


@needs_jit
def test_more_topics_than_tokens_to_start_with() -> None:
    partition = partition_of([[(0,), (1,)]] * 30, 2)
    start = find_start(selection_of(partition), 100, Settings(0.01, 0))
    assert start.word_topic.shape == (2, 100)
    assert start.word_topic.sum(axis=1).tolist() == [15, 15]  # 15 of 30 documents are held out


@needs_jit
def test_another_seed_finds_the_same_planted_topics() -> None:
    """With the same seed, everything is the same."""
    selection, found = selection_of(planted_partition(5, 400)), found_in(planted_partition(5, 400))
    first, again, other = (find_start(selection, 5, Settings(0.01, seed)) for seed in (1, 1, 2))
    assert plain_start(first) == plain_start(again) != plain_start(other)
    for start in (first, other):
        assert np.array_equal(start.words, found.start.words)
        ours, theirs = (each / np.linalg.norm(each, axis=0) for each in (start[1], found.start[1]))
        assert sorted((ours.T @ theirs).argmax(axis=0).tolist()) == [0, 1, 2, 3, 4]
        assert ((ours.T @ theirs).max(axis=0) > 0.98).all()


# ------------------------------------------------------------------------------------- the rule


@pytest.mark.small
@pytest.mark.parametrize(
    "perplexities, expected",
    [
        ([500], 0),
        ([500, 400], 1),  # the first and the last have one neighbour, and stay as they are
        ([545, 519, 499, 493, 495, 496, 530], 4),
        ([600, 550, 500, 500, 500, 560, 620], 4),
        ([500, 500, 450, 500, 500], 4),  # one low perplexity alone is chance
        ([500, 500, 600, 500, 500], 4),  # and so is a high one
        ([503, 502, 501, 500, 500.1, 500.2, 500.3], 4),  # a little more is too much
        ([500, 501, 502, 503], 0),
    ],
)
def test_the_number_with_the_lowest_perplexity(perplexities: list[float], expected: int) -> None:
    assert chosen(perplexities) == expected


@pytest.mark.small
@given(st.lists(st.floats(1, 1e6), min_size=1, max_size=30))
def test_the_rule_in_plain_words(perplexities: list[float]) -> None:
    last = len(perplexities) - 1
    smooth = [
        sorted(perplexities[min(max(j, 0), last)] for j in (i - 1, i, i + 1))[1] for i in range(last + 1)
    ]
    expected = max(i for i, each in enumerate(smooth) if each == min(smooth))
    assert chosen(perplexities) == expected
