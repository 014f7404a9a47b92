"""PhraseLDA as an estimator: what a user sees of fit, transform and score."""

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from topminer import Corpus, InputError, Partition, PhraseLDA, PhraseMiner
from topminer.topics.model.fitting import seed_of
from topminer.topics.results.held_out import hold_out

FRUIT = ["apple", "pear", "plum", "cherry", "quince", "fresh fruit salad"]
METAL = ["iron", "zinc", "copper", "nickel", "cobalt", "heavy metal alloy"]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """Texts about fruit (two in three) and texts about metals, with a phrase of three words each."""
    rng = np.random.default_rng(3)
    texts = []
    for number in range(240):
        kind = METAL if number % 3 == 2 else FRUIT
        texts.append(", ".join(rng.choice(kind, 12)) + ".")
    return Corpus.from_texts(texts)


@pytest.fixture(scope="module")
def miner(corpus: Corpus) -> PhraseMiner:
    return PhraseMiner().fit(corpus)


@pytest.fixture(scope="module")
def partition(corpus: Corpus, miner: PhraseMiner) -> Partition:
    return miner.transform(corpus)


@pytest.fixture(scope="module")
def model(partition: Partition) -> PhraseLDA:
    return PhraseLDA(2, n_sweeps=120, random_state=1).fit(partition)


def test_planted_topics_are_found(model: PhraseLDA, corpus: Corpus) -> None:
    assert model.doc_topic_.shape == (240, 2)
    assert (model.doc_topic_.argmax(axis=1) == np.arange(240) % 3 // 2).all()
    words = corpus.vocabulary["stem"].to_list()
    best = [words[i] for i in np.argsort(-model.topic_word_[1])[:8]]
    assert set(best) == {"iron", "zinc", "copper", "nickel", "cobalt", "heavi", "metal", "alloi"}


def test_everything_has_the_same_numbers_for_topics(model: PhraseLDA, partition: Partition) -> None:
    """Topics are renumbered when the fit ends; each result is counted again from the cliques' topics."""
    lengths = np.diff(partition.clique_start)
    docs = np.repeat(np.arange(len(partition)), np.diff(partition.doc_start))
    counts = np.zeros((len(partition), 2))
    np.add.at(counts, (docs, model.clique_topic_), lengths)
    theta = counts + model.alpha_
    assert model.doc_topic_ == pytest.approx(theta / theta.sum(axis=1, keepdims=True))
    words = np.zeros((2, partition.corpus.n_stems))
    np.add.at(words, (np.repeat(model.clique_topic_, lengths), partition.corpus.stem_ids), 1)
    phi = words + model.beta_
    assert model.topic_word_ == pytest.approx(phi / phi.sum(axis=1, keepdims=True))
    assert model.topic_weight_ == pytest.approx(words.sum(axis=1) / words.sum())
    assert (np.diff(model.topic_weight_) <= 0).all()  # the heaviest comes first


def test_topical_frequency_is_an_average_with_its_spread(model: PhraseLDA, partition: Partition) -> None:
    assert model.frequency_.n_samples == 7  # sweeps 120, 110, ..., 60
    assert model.frequency_.totals(partition.n_types) == pytest.approx(partition.instances())
    unsure = PhraseLDA(6, n_sweeps=40, random_state=1).fit(partition).frequency_
    assert unsure.n_samples == 3
    assert unsure.totals(partition.n_types) == pytest.approx(partition.instances())
    assert (unsure.spread[unsure.mean % 1 != 0] > 0).all()
    assert unsure.spread.max() > 0


def test_history(model: PhraseLDA) -> None:
    history = model.history_
    columns = "sweep log_likelihood perplexity held_out_perplexity seconds tokens_per_second"
    assert history.columns == columns.split()
    assert history["sweep"].to_list() == [50, 100, 120]
    assert history["held_out_perplexity"].null_count() == 3
    assert (history["perplexity"] > 1).all()
    assert (history["tokens_per_second"] > 0).all()
    assert history["seconds"].is_sorted()


def test_priors_are_fitted_or_left(model: PhraseLDA, partition: Partition) -> None:
    assert model.alpha_.shape == (2,)
    assert model.beta_ != 0.01
    fixed = PhraseLDA(2, alpha=[0.3, 0.7], n_sweeps=60, optimize_interval=0, random_state=1).fit(partition)
    assert sorted(fixed.alpha_) == [0.3, 0.7]
    assert fixed.beta_ == 0.01
    assert fixed.history_["sweep"].to_list() == [50, 60]


@pytest.mark.parametrize(
    ("n_topics", "fitted", "kept"), [(1, 0.5, 0.5), (4, 0.25, 0.5), (200, 0.005, 0.25), (2000, 0.001, 0.025)]
)
def test_alpha_starts_low_if_it_is_fitted(
    partition: Partition, n_topics: int, fitted: float, kept: float
) -> None:
    first = PhraseLDA(n_topics, n_sweeps=1, random_state=0).fit(partition)
    fixed = PhraseLDA(n_topics, n_sweeps=1, optimize_interval=0, random_state=0).fit(partition)
    assert first.alpha_.tolist() == [fitted] * n_topics
    assert fixed.alpha_.tolist() == [kept] * n_topics


def test_held_out_perplexity_is_written_down(partition: Partition) -> None:
    train, test = partition[:200], partition[200:]
    model = PhraseLDA(2, n_sweeps=50, random_state=0).fit(train, held_out=test)
    (value,) = model.history_["held_out_perplexity"]
    assert 1 < value < partition.corpus.n_stems
    assert -model.score(test) == pytest.approx(np.log(value))
    again = PhraseLDA(2, n_sweeps=50, random_state=0).fit(train, held_out=hold_out(test))
    assert again.history_["held_out_perplexity"].item() == value


def test_the_same_seed_gives_the_same_bytes(partition: Partition) -> None:
    def fitted(n_threads: int, seed: Any = 5) -> PhraseLDA:
        model = PhraseLDA(3, n_sweeps=60, n_shards=3, burn_in=10, random_state=seed, n_threads=n_threads)
        return model.fit(partition)

    one, two = fitted(1), fitted(2)
    for name in ("topic_word_", "doc_topic_", "clique_topic_", "alpha_"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes()
    drop = ("seconds", "tokens_per_second")
    assert one.history_.drop(drop).equals(two.history_.drop(drop))
    assert one.n_shards_ == 3
    assert fitted(1, 6).clique_topic_.tobytes() != one.clique_topic_.tobytes()
    generators = [fitted(1, np.random.default_rng(9)) for _ in range(2)]
    assert generators[0].clique_topic_.tobytes() == generators[1].clique_topic_.tobytes()
    states = [fitted(1, np.random.RandomState(9)) for _ in range(2)]
    assert states[0].clique_topic_.tobytes() == states[1].clique_topic_.tobytes()


def test_no_seed_is_a_new_one_each_time() -> None:
    """Seeds have 32 bits: four that are equal by chance have a probability of 2 ** -96, about 1e-29."""
    assert len({seed_of(None) for _ in range(4)}) > 1


def test_progress(partition: Partition) -> None:
    reports: list[tuple[Any, ...]] = []
    PhraseLDA(2, n_sweeps=5, random_state=0).fit(partition, progress=lambda *report: reports.append(report))
    assert [report[1] for report in reports] == [0, 1, 2, 3, 4, 5]
    assert {report[0] for report in reports} == {"Sampling topics"}
    assert {report[2:4] for report in reports} == {(5, "sweeps")}
    assert [report[4] != "" for report in reports] == [False] * 5 + [True]  # the likelihood, once it is known


def test_an_interrupted_fit_leaves_no_thread(partition: Partition) -> None:
    import threading

    def stop(stage: str, done: int, total: int | None, unit: str, note: str = "") -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        PhraseLDA(2, n_sweeps=5, n_shards=2, n_threads=2, random_state=0).fit(partition, progress=stop)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("topminer")]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_topics": 70_000}, 'n_topics must be a whole number from 1 to 65,535, or "auto", not 70000'),
        ({"n_topics": 9_999}, "9,999 topics are more than the .* kept tokens there are"),
        *(({"alpha": bad}, "alpha must be a number from 1e-06 to 1000") for bad in (0, 1e-40, 1e30, "a")),
        *(({"beta": bad}, "beta must be a number from .* to 1000") for bad in (1e-40, 1e30, None, "a")),
        ({"alpha": [0.1, 0.2, 0.3]}, "alpha must be a number or 2 of them"),
        ({"alpha": [0.1, 1e30]}, "alpha must be from 1e-06 to 1000 for every topic"),
        ({"n_sweeps": 0}, 'n_sweeps must be a whole number from 1 on, or "auto", not 0'),
        ({"n_sweeps": "many"}, "n_sweeps must be a whole number from 1 on"),
        ({"optimize_interval": -1}, "optimize_interval must be a whole number from 0 on"),
        ({"n_shards": 257}, "n_shards must be a whole number from 1 to 256, or None, not 257"),
        ({"n_threads": 0}, "n_threads must be a whole number from 1 to 1,024, not 0"),
        ({"random_state": -1}, "random_state must be a whole number from 0 on, not -1"),
        ({"random_state": 2**64}, "random_state must be a whole number from 0 to 18,446,744,073,709,551,615"),
    ],
)
def test_bad_parameters_are_named(partition: Partition, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        PhraseLDA(**{"n_topics": 2, "n_sweeps": 1} | parameters).fit(partition)


def test_what_is_no_partition_is_refused(corpus: Corpus, model: PhraseLDA) -> None:
    with pytest.raises(InputError, match="expected a Partition, not Corpus; make one with PhraseMiner"):
        PhraseLDA(2).fit(corpus)  # type: ignore[arg-type]
    other = Partition.of_words(Corpus.from_texts(["quite another text"] * 3))
    for use in (model.transform, model.score, model.infer):
        with pytest.raises(InputError, match="the partition's vocabulary has 1 words, the model's 16"):
            use(other)
    with pytest.raises(InputError, match="vocabulary"):
        PhraseLDA(2, n_sweeps=1).fit(Partition.of_words(corpus), held_out=other)


def test_manners_of_scikit_learn(partition: Partition) -> None:
    assert repr(PhraseLDA(3, beta=0.1)) == "PhraseLDA(n_topics=3, beta=0.1)"
    search = GridSearchCV(PhraseLDA(2, n_sweeps=20, random_state=0), {"n_topics": [1, 2]}, cv=2, refit=True)
    search.fit(partition)
    assert search.best_params_ == {"n_topics": 2}
    assert search.best_estimator_.doc_topic_.shape == (240, 2)
