"""Evidence, ties and quality of small corpora against a slow oracle, and what must not change the result."""

import math
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged import RULES, Expected, Given, given_parameters, texts, texts_without_blanks
from oracles import phrases as plain
from oracles.phrases import Phrase
from planted import JIT_IS_ON
from written import chunks_of

from topminer import Corpus, PhraseMiner, ToPMine, load
from topminer.phrases.miner import lowered
from topminer.phrases.quality import WEIGHTS

few, some = (settings(max_examples=n if JIT_IS_ON else 5) for n in (25, 150))


def read(documents: list[str]) -> Corpus:
    return Corpus.from_texts(documents, **RULES)


def fitted(corpus: Corpus, given: Given, n_threads: int = 1) -> PhraseMiner:
    return PhraseMiner(**given.parameters(), n_threads=n_threads).fit(corpus)


def phrase_of(miner: PhraseMiner, corpus: Corpus, id: int) -> Phrase:
    names = corpus.vocabulary["stem"].to_list()
    return tuple(names[stem] for stem in miner.mined.words_of(id))


def assert_expected(miner: PhraseMiner, corpus: Corpus, expected: Expected) -> None:
    """Counts, statistics, qualities and the partition."""
    mined, known = miner.mined, expected.known
    assert mined.n_tokens == known.n_atoms
    found = {phrase_of(miner, corpus, id): id for id in range(mined.prefix.size)}
    assert {phrase for phrase in found if len(phrase) > 1} == {each for each in known.mined if len(each) > 1}
    for phrase, id in found.items():
        assert mined.evidence[id] == known.evidence[phrase], phrase
        assert mined.support[id] == known.support[phrase], phrase
    if expected.judge is not None:
        judge = miner.fitted.judge
        assert judge is not None
        assert {phrase_of(miner, corpus, id) for id in judge.ids.tolist()} == expected.judge.judged.keys()
        for phrase, judgement in expected.judge.judged.items():
            id = found[phrase]
            statistics = dict(zip(WEIGHTS, judge.statistics[id].tolist(), strict=True))
            assert statistics == pytest.approx(judgement.statistics, abs=1e-4), phrase
            assert judge.quality[id] == pytest.approx(judgement.quality, abs=1e-3), phrase
            assert judge.n_left[id] == judgement.n_left, phrase
    assert miner.transform(corpus).to_lists() == expected.partition(corpus)


@some
@given(texts(), given_parameters)
def test_by_brute_force(documents: list[str], parameters: Given) -> None:
    corpus = read(documents)
    assert_expected(fitted(corpus, parameters), corpus, Expected(corpus, parameters))


@some
@given(texts_without_blanks(), given_parameters)
def test_scripts_without_blanks_by_brute_force(documents: list[str], parameters: Given) -> None:
    """The length of a phrase says nothing there."""
    corpus = read(documents)
    parameters = parameters._replace(always=(), never=())
    assert_expected(fitted(corpus, parameters), corpus, Expected(corpus, parameters))


@some
@given(texts(), texts(), given_parameters)
def test_new_documents(documents: list[str], new: list[str], parameters: Given) -> None:
    """The judgement belongs to the type. The documents of the fit, read again, are cut as they were."""
    corpus = read(documents)
    miner, expected = fitted(corpus, parameters), Expected(corpus, parameters)
    again = miner.transform(corpus.encode(documents))
    np.testing.assert_array_equal(again.strength, miner.transform(corpus).strength)
    encoded = corpus.encode(new)
    assert miner.transform(encoded).to_lists() == expected.partition(encoded)


@some
@given(texts(), st.integers(1, 3), st.sampled_from((0.0, 0.5, 1.0, 2.0)))
def test_switched_off_it_is_the_paper(documents: list[str], min_support: int, threshold: float) -> None:
    corpus = read(documents)
    miner = PhraseMiner(min_support, threshold, None, None, None).fit(corpus)
    support = plain.known(chunks_of(corpus), min_support, 64)
    score = plain.paper_score(corpus.n_tokens)
    assert miner.transform(corpus).to_lists() == [
        plain.partition(document, support, score, threshold) for document in chunks_of(corpus)
    ]
    np.testing.assert_array_equal(miner.mined.evidence, miner.mined.support)
    assert miner.phrases_["quality"].is_null().all()
    assert miner.quality_.is_empty()


def assert_same(one: PhraseMiner, other: PhraseMiner, corpus: Corpus, new: list[str]) -> None:
    assert one.settings == other.settings
    for name in ("prefix", "last", "evidence", "support", "length_start"):
        np.testing.assert_array_equal(getattr(one.mined, name), getattr(other.mined, name), name)
    for name in ("ids", "quality", "statistics"):
        np.testing.assert_array_equal(
            getattr(one.fitted.judged, name), getattr(other.fitted.judged, name), name
        )
    assert one.phrases_.equals(other.phrases_)
    assert one.quality_.equals(other.quality_)
    for documents in (corpus, corpus.encode(new)):
        np.testing.assert_array_equal(one.transform(documents).strength, other.transform(documents).strength)


@few
@given(texts(), texts(), given_parameters)
def test_threads_and_storing_change_nothing(documents: list[str], new: list[str], parameters: Given) -> None:
    corpus = read(documents)
    miner = fitted(corpus, parameters)
    assert_same(miner, fitted(corpus, parameters, n_threads=2), corpus, new)
    with TemporaryDirectory() as directory:
        miner.save(Path(directory) / "miner")
        loaded = PhraseMiner.load(Path(directory) / "miner", n_threads=1)
        assert_same(miner, loaded, corpus, new)


@few
@given(texts(), given_parameters, st.sampled_from((1.5, 2.0, 3.0)))
def test_a_lowered_miner_cuts_the_same(documents: list[str], parameters: Given, threshold: float) -> None:
    """The judgement is that of the given miner."""
    corpus = read(documents * 4)
    given = {**parameters.parameters(), "min_support": "auto", "significance": threshold, "n_threads": 1}
    miner = PhraseMiner(**given).fit(corpus)
    lower = lowered(miner, 0.0)
    assert lower.min_support_ <= miner.min_support_
    for documents_ in (corpus, corpus.encode([*documents, "ant-bee cat, bee of the cat"])):
        for at in (threshold, threshold + 0.5, math.inf):
            one, other = miner.transform(documents_).at(at), lower.transform(documents_).at(at)
            np.testing.assert_array_equal(one.clique_start, other.clique_start)


def test_a_model_that_was_stored_judges_the_same(tmp_path: Path) -> None:
    documents = ["Ant-bee cat, dog", "ant of the bee cat", "the cat dog ant bee", "cat dog, ant"] * 5
    mining = {"min_support": 3, "significance": 0.5, "evidence": None, "n_threads": 1}
    found = PhraseMiner(**mining, quality=-1000).fit(read(documents)).quality_["quality"]
    cut = (found.min() + found.max()) / 2
    model = ToPMine(2, **mining, quality=cut, n_sweeps=3, random_state=0, **RULES).fit(documents)
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert model.miner_ is not None and loaded.miner_ is not None
    judge = model.miner_.fitted.judge
    assert judge is not None
    assert 0 < np.count_nonzero(judge.n_left) < judge.ids.size
    assert_same(model.miner_, loaded.miner_, model.corpus_, ["ant-bee-cat dog", "Ant bee cat"])
    assert loaded.partition_.to_lists() == model.partition_.to_lists()
