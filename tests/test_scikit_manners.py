"""What users of scikit-learn expect of the estimators, and that each step can be stored alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from directories import forge
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError as TheirNotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.validation import check_is_fitted

from topminer import (
    Corpus,
    InputError,
    NotFittedError,
    PhraseLDA,
    PhraseMiner,
    PhraseVectorizer,
    ToPMine,
    load,
)
from topminer.topics.model.phraselda import topics_in

TEXTS = [
    text
    for number in range(60)
    for text in (f"A fresh fruit salad in {1990 + number}.", "Heavy metal alloys, heavy metal alloys!")
]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.from_texts(TEXTS)


@pytest.fixture(scope="module")
def miner(corpus: Corpus) -> PhraseMiner:
    return PhraseMiner(3, 2.5, always=["fruit salad"], never=["metal alloys"]).fit(corpus)


@pytest.fixture(scope="module")
def lda(miner: PhraseMiner, corpus: Corpus) -> PhraseLDA:
    return PhraseLDA(3, n_sweeps=20, alpha=[0.1, 0.2, 0.3], random_state=1).fit(miner.transform(corpus))


@pytest.fixture(scope="module")
def model() -> ToPMine:
    return ToPMine(3, n_sweeps=20, random_state=1).fit(TEXTS)


# ---------------------------------------------------------------------------------------------- not fitted


@pytest.mark.parametrize(
    "ask",
    [
        lambda: ToPMine().topics(),
        lambda: ToPMine().components_,
        lambda: ToPMine().get_feature_names_out(),
        lambda: PhraseLDA().topic_word_,
        lambda: PhraseLDA().components_,
        lambda: PhraseLDA().get_feature_names_out(),
        lambda: PhraseLDA().save("nowhere"),
        lambda: PhraseMiner().phrases_,
        lambda: PhraseMiner().save("nowhere"),
        lambda: PhraseVectorizer().get_feature_names_out(),
    ],
)
def test_the_error_is_that_of_topminer_and_of_scikit_learn(ask: Any) -> None:
    for expected in (NotFittedError, TheirNotFittedError, ValueError, AttributeError):
        with pytest.raises(expected, match="is not fitted yet: call fit first"):
            ask()


def test_the_error_needs_no_scikit_learn() -> None:
    code = "\n".join(
        [
            "import sys, topminer",
            "try: topminer.PhraseLDA().components_",
            "except topminer.NotFittedError as error: print(error, 'sklearn' in sys.modules)",
        ]
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "this PhraseLDA is not fitted yet: call fit first False\n"


def test_scikit_learn_sees_what_is_fitted(model: ToPMine, miner: PhraseMiner, lda: PhraseLDA) -> None:
    for fitted in (model, miner, lda):
        check_is_fitted(fitted)
        with pytest.raises(TheirNotFittedError):
            check_is_fitted(clone(fitted))


# ----------------------------------------------------------------------------------------- names and counts


def test_columns_are_named_as_scikit_learn_names_them(model: ToPMine, lda: PhraseLDA) -> None:
    assert model.get_feature_names_out().tolist() == ["topmine0", "topmine1", "topmine2"]
    assert lda.get_feature_names_out().tolist() == ["phraselda0", "phraselda1", "phraselda2"]
    assert model.transform(TEXTS[:2]).shape == (2, 3)


def test_components_are_topics_before_they_are_normalised(model: ToPMine, corpus: Corpus) -> None:
    components = model.components_
    assert components.shape == (3, corpus.n_stems)
    np.testing.assert_allclose(components.sum(axis=0) - 3 * model.lda_.beta_, corpus.vocabulary["count"])
    normalised = components / components.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.lda_.topic_word_, normalised, rtol=1e-12)


def test_a_search_needs_no_number_of_topics() -> None:
    assert ToPMine().n_topics == PhraseLDA().n_topics == 20
    search = GridSearchCV(ToPMine(n_sweeps=3, random_state=0), {"beta": [0.01, 0.1]}, cv=2).fit(TEXTS[:40])
    assert len(search.best_estimator_.topics()) == 20


# ------------------------------------------------------------------------------------------- reading texts


def test_numbers_and_tokens_are_read_as_asked(tmp_path: Path) -> None:
    words = r"[a-z]+|\d{4}"
    model = ToPMine(2, numbers=False, token_pattern=words, n_sweeps=2, random_state=0).fit(TEXTS)
    same = Corpus.from_texts(TEXTS, numbers=False, token_pattern=words)
    assert model.corpus_.to_lists() == same.to_lists()
    assert "1990" in ToPMine(2, n_sweeps=2).fit(TEXTS).corpus_.vocabulary["stem"]
    assert "1990" not in model.corpus_.vocabulary["stem"]
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert (again.numbers, again.token_pattern) == (False, words)
    assert clone(again).fit(TEXTS).lda_.clique_topic_.tolist() == model.lda_.clique_topic_.tolist()


# -------------------------------------------------------------------------------------------- stored alone


def test_a_miner_comes_back(miner: PhraseMiner, corpus: Corpus, tmp_path: Path) -> None:
    miner.save(tmp_path / "miner")
    again = PhraseMiner.load(tmp_path / "miner", n_threads=1)
    assert again.phrases_.equals(miner.phrases_)
    assert again.min_support_ == miner.min_support_ == 3 and again.significance == 2.5
    new = ["Fresh fruit salad with heavy metal alloys.", "nothing known", ""]
    assert again.transform(corpus).to_lists() == miner.transform(corpus).to_lists()
    assert (
        again.transform(Corpus.from_texts(new)).to_lists()
        == miner.transform(Corpus.from_texts(new)).to_lists()
    )
    again.save(tmp_path / "again")
    manifests = [(tmp_path / name / "miner.json").read_bytes() for name in ("miner", "again")]
    assert manifests[0] == manifests[1]
    with pytest.raises(InputError, match="holds a miner already"):
        miner.save(tmp_path / "miner")
    miner.save(tmp_path / "miner", overwrite=True)


def test_topics_come_back(lda: PhraseLDA, miner: PhraseMiner, corpus: Corpus, tmp_path: Path) -> None:
    lda.save(tmp_path / "topics")
    again = PhraseLDA.load(tmp_path / "topics")
    for name in ("topic_word_", "doc_topic_", "topic_weight_", "clique_topic_", "alpha_"):
        assert_array_equal(getattr(again, name), getattr(lda, name))
    assert again.get_params() == {**lda.get_params(), "random_state": 1}
    partition = miner.transform(corpus)[:7]
    assert again.transform(partition).tobytes() == lda.transform(partition).tobytes()
    assert again.score(partition) == lda.score(partition)


def test_what_was_fitted_is_stored_whatever_parameters_are_set_afterwards(
    corpus: Corpus, tmp_path: Path
) -> None:
    """Guards against a miner that cuts otherwise once it is loaded, and topics that cannot be written."""
    miner = PhraseMiner(3, 2.5).fit(corpus)
    cut = miner.transform(corpus)
    lda = PhraseLDA(3, n_sweeps=2, random_state=0).fit(cut)
    miner.set_params(quality=5.0).save(tmp_path / "miner")
    lda.set_params(n_topics=7).save(tmp_path / "topics")
    assert lda.get_feature_names_out().size == 3
    again = PhraseMiner.load(tmp_path / "miner")
    assert again.settings.cut == 0.0 and again.phrases_.equals(miner.phrases_)
    assert again.transform(Corpus.from_texts(TEXTS)).to_lists() == cut.to_lists()
    assert PhraseLDA.load(tmp_path / "topics").n_topics == 3


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("topics-word_topic", lambda array: array[:-3]),
        ("topics-doc_topic_doc", lambda array: array + 1000),
        ("topics-tokens", lambda array: array[:-1]),
        ("topics-alpha", lambda array: array * np.nan),
    ],
)
def test_topics_that_were_damaged_are_refused(lda: PhraseLDA, tmp_path: Path, name: str, change: Any) -> None:
    lda.save(tmp_path / "topics")
    stored = topics_in(lda).stored().arrays[name.removeprefix("topics-")]
    forge(tmp_path / "topics", "topics", **{name: change(stored)})
    with pytest.raises(InputError, match="damaged"):
        PhraseLDA.load(tmp_path / "topics")
