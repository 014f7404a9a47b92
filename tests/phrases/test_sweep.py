"""What each threshold gives: the same as a run of its own at that threshold."""

from collections import Counter

import numpy as np
import pytest
from corpora import needs_jit
from hypothesis import assume, given
from planted import corpora, some
from written import paper_miner

from topminer.phrases.partition import Partition
from topminer.phrases.sweep import Example, Extent, SweepStep, extent, threshold_sweep
from topminer.text.corpus import Corpus

pytestmark = pytest.mark.small

THRESHOLDS = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0]


def long_phrases(partition: Partition) -> Counter[str]:
    return Counter(
        " ".join(phrase) for document in partition.to_lists() for phrase in document if len(phrase) > 1
    )


def check(corpus: Corpus, steps: list[SweepStep], thresholds: list[float]) -> None:
    """Compare a sweep with runs that mine and segment for one threshold only."""
    assert [step.threshold for step in steps] == thresholds
    before: Counter[str] | None = None
    for step in steps:
        found = long_phrases(paper_miner(significance=step.threshold).fit_transform(corpus))
        n_inside = sum(n * len(phrase.split()) for phrase, n in found.items())
        assert (step.n_types, step.n_instances) == (len(found), found.total())
        assert step.coverage == pytest.approx(n_inside / corpus.n_tokens)
        assert step.mean_length == pytest.approx(n_inside / max(1, found.total()))
        compared = found if before is None else before
        for n, examples, new, old in (
            (step.n_gained, step.gained, found, compared),
            (step.n_lost, step.lost, compared, found),
        ):
            different = Counter({phrase: new[phrase] for phrase in new.keys() - old.keys()})
            assert n == len(different)
            assert [example.instances for example in examples] == sorted(different.values(), reverse=True)[:5]
            if corpus.rules.language is None:  # where phrases are written as they are counted
                assert all(different[example.phrase] == example.instances for example in examples)
        before = found


@needs_jit
@some
@given(corpora())
def test_each_step_is_what_a_run_of_its_own_gives(documents) -> None:
    texts = [
        ". ".join(" ".join(f"w{word}" for word in chunk) for chunk in document) for document in documents
    ]
    assume(any(texts))
    corpus = Corpus.from_texts(texts * 3, language=None, stem=False)
    partition = paper_miner(significance=THRESHOLDS[0]).fit_transform(corpus)
    check(corpus, threshold_sweep(partition, THRESHOLDS), THRESHOLDS)


def test_a_longer_phrase_that_falls_apart_leaves_a_shorter_one() -> None:
    corpus = Corpus.from_texts(["A frequent pattern tree", "other words"], language=None, stem=False)
    strength = np.array([-np.inf, 1.0, 5.0, 3.0, -np.inf, -np.inf])  # a | frequent | pattern | tree …
    partition = Partition.from_strength(corpus, strength, 0.0)
    first, second, third, last = threshold_sweep(partition, [2, 4, 5, 6])
    extent_of_first = {"n_types": 1, "n_instances": 1, "coverage": 3 / 6, "mean_length": 3.0}
    assert first == SweepStep(threshold=2.0, n_gained=0, n_lost=0, gained=(), lost=(), **extent_of_first)
    assert second.gained == (Example("frequent pattern", 1),)
    assert second.lost == (Example("frequent pattern tree", 1),)
    assert (third.n_types, third.n_gained, third.n_lost) == (1, 0, 0)
    assert (last.n_types, last.n_lost, last.mean_length, last.coverage) == (0, 1, 0.0, 0.0)


def test_no_more_examples_than_asked_for() -> None:
    corpus = Corpus.from_texts(["a b", "c d", "e f", "c d"], language=None, stem=False)
    strength = np.array([-np.inf, 1.0] * 4)
    _, step = threshold_sweep(Partition.from_strength(corpus, strength, 0.0), [1, 2], n_examples=2)
    assert step.n_lost == 3
    assert step.lost == (Example("c d", 2), Example("a b", 1))


def test_words_alone_cover_nothing() -> None:
    partition = Partition.of_words(Corpus.from_texts(["frequent pattern mining"]))
    assert extent(partition) == Extent(n_types=0, n_instances=0, coverage=0.0, mean_length=0.0)
    with pytest.raises(ValueError, match="no record of merges"):
        threshold_sweep(partition, [1.0])


def test_the_extent_of_some_documents_counts_their_types_only() -> None:
    corpus = Corpus.from_texts(["a b", "c d e"], language=None, stem=False)
    partition = Partition.from_strength(corpus, np.array([-np.inf, 1, -np.inf, 1, 1]), 0.0)
    assert extent(partition) == Extent(n_types=2, n_instances=2, coverage=1.0, mean_length=2.5)
    assert extent(partition[1]) == Extent(n_types=1, n_instances=1, coverage=1.0, mean_length=3.0)
