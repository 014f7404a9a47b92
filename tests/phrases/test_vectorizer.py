"""PhraseVectorizer: its counts against plain ones and CountVectorizer's, names, manners, examples of docs."""

import importlib.util
import pickle
import re
import sys
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from corpora import needs_jit
from hypothesis import given, settings
from hypothesis import strategies as st
from planted import JIT_IS_ON
from project import ROOT
from written import RULES, texts

from topminer import Corpus, InputError, PhraseMiner, PhraseVectorizer

pytestmark = pytest.mark.small

few = settings(max_examples=40 if JIT_IS_ON else 5)
TEXTS = ["ant bee, cat", "Ant bee: cat", "", "dog of the eel", "dog of the eel; ant", "ant bee", "Cat"] * 5
NAMES = ["ant", "ant bee", "cat", "dog of the eel"]


def vectorizer(**changed: Any) -> PhraseVectorizer:
    return PhraseVectorizer(**{**RULES, "min_support": 2, "significance": 1.0, "quality": None, **changed})


def rows(counts: Any, names: Any) -> list[dict[str, int]]:
    """A matrix as one dictionary a row."""
    dense = counts.toarray()
    return [{names[j]: int(row[j]) for j in np.flatnonzero(row)} for row in dense]


def same(one: Any, other: Any) -> bool:
    """Whether two sparse matrices are."""
    return bool(one.shape == other.shape and one.dtype == other.dtype and (one != other).nnz == 0)


# -------------------------------------------------------------------------------------------- counting


def test_worked_example() -> None:
    counter = vectorizer()
    counts = counter.fit_transform(TEXTS)
    assert counter.get_feature_names_out().tolist() == NAMES
    found = ["".join(map(str, row)) for row in counts[:7].toarray().tolist()]
    assert found == ["0110", "0110", "0000", "0001", "1001", "0100", "0010"]
    assert counter.vocabulary_ == {name: column for column, name in enumerate(NAMES)}
    assert counter.tokens(TEXTS)[4] == ["dog of the eel", "ant"]


def test_the_matrix_is_like_that_of_count_vectorizer() -> None:
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    from sklearn.feature_extraction.text import CountVectorizer

    ours, theirs = vectorizer(), CountVectorizer()
    one, other = ours.fit_transform(TEXTS), theirs.fit_transform(TEXTS)
    assert type(one) is type(other)
    assert (one.format, one.dtype, one.indices.dtype) == (other.format, other.dtype, other.indices.dtype)
    assert one.has_canonical_format
    names, expected = ours.get_feature_names_out(), theirs.get_feature_names_out()
    assert (type(names), names.dtype, names.ndim) == (type(expected), expected.dtype, expected.ndim)


@few
@given(texts(8), texts(10), st.integers(1, 3), st.booleans())
def test_counts_are_those_of_the_partition(
    documents: list[str], new: list[str], min_support: int, words: bool
) -> None:
    """Each feature is one phrase type, named by its surface, and each instance of a feature counts."""
    corpus = Corpus.from_texts(documents, **RULES)
    miner = PhraseMiner(min_support, 0.5, quality=None).fit(corpus)
    partition = miner.transform(corpus)
    lists = partition.to_lists()
    surfaces = dict(
        zip(((stem,) for stem in corpus.vocabulary["stem"]), corpus.vocabulary["surface"], strict=True)
    )
    stems = corpus.vocabulary["stem"].to_list()
    long = [
        tuple(stems[stem] for stem in partition.type_stems[start:stop].tolist())
        for start, stop in pairwise(partition.type_start[corpus.n_stems :])
    ]
    surfaces |= dict(zip(long, partition.surfaces(), strict=True))
    features = {
        phrase: surfaces[phrase] for document in lists for phrase in document if words or len(phrase) > 1
    }
    counter = vectorizer(min_support=min_support, significance=0.5, words=words)
    if not features:
        with pytest.raises(InputError, match=r"no phrase of several words is left"):
            counter.fit(documents)
        return
    counts = counter.fit_transform(documents)
    names = counter.get_feature_names_out().tolist()
    assert names == sorted(set(features.values()))
    assert len(names) == len(features)
    for read, found in (
        (lists, counts),
        (miner.transform(corpus.encode(new)).to_lists(), counter.transform(new)),
    ):
        expected = [[features[phrase] for phrase in document if phrase in features] for document in read]
        assert rows(found, names) == [dict(Counter(document)) for document in expected]
    assert same(counter.transform(documents), counts)


@few
@given(texts(8), texts(10))
def test_tokens_are_what_is_counted(documents: list[str], new: list[str]) -> None:
    counter = vectorizer(min_df=2, max_df=0.9)
    try:
        counter.fit(documents)
    except InputError:
        return
    names, analyze = counter.get_feature_names_out(), counter.build_analyzer()
    for read in (documents, new):
        tokens, counts = counter.tokens(read), counter.transform(read)
        assert rows(counts, names) == [dict(Counter(document)) for document in tokens]
        assert [set(found) for found in counter.inverse_transform(counts)] == [
            set(document) for document in tokens
        ]
        assert [analyze(text) for text in read] == tokens
    assert counter.build_tokenizer()(documents[0]) == analyze(documents[0])


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"min_df": 0.3},
        {"max_df": 3},
        {"min_df": np.int64(2), "max_df": np.float64(0.5)},
        {"min_df": 0.0, "max_df": 1.0},
        {"max_features": 2},
        {"max_features": np.int64(100)},
        {"max_features": 3, "min_df": 2, "max_df": 0.6},
        {"dtype": np.float32},
        {"dtype": np.uint8, "binary": True},
    ],
)
def test_limits_are_those_of_count_vectorizer(limits: dict[str, Any]) -> None:
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    from sklearn.feature_extraction.text import CountVectorizer

    documents = (
        ["ant bee"] * 5 + ["cat, cat, cat"] * 4 + ["dog"] * 3 + ["ant bee, dog, gnu, gnu"] * 2 + ["hen", ""]
    )
    ours, theirs = vectorizer(**limits), CountVectorizer(analyzer=lambda tokens: tokens, **limits)
    counts = ours.fit_transform(documents)
    expected = theirs.fit_transform(vectorizer().fit(documents).tokens(documents))
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert same(counts, expected)
    assert ours.vocabulary_ == theirs.vocabulary_


# ----------------------------------------------------------------------------------------------- names


def test_two_features_of_one_name() -> None:
    """Token lists may have a word with a blank, which looks like a phrase of two."""
    documents = [["new york"]] * 3 + [["new", "york"]] * 5 + [["new york (2)"], ["oslo"], ["oslo"]]
    counter = vectorizer(always=["new york"])
    counts = counter.fit_transform(documents)
    names = ["new york", "new york (2)", "new york (2) (2)", "oslo"]
    assert counter.get_feature_names_out().tolist() == names
    assert counts.sum(axis=0).tolist() == [[5, 3, 1, 2]]
    assert counter.tokens([["new", "york"], ["new york"]]) == [["new york"], ["new york (2)"]]


# --------------------------------------------------------------------------------------- what goes in


def test_new_texts() -> None:
    counter = vectorizer().fit(TEXTS)
    new = ["Ant  BEE zebra bee", "", "zebra", "the eel", None]
    assert counter.tokens(new) == [["ant bee"], [], [], [], []]
    assert counter.transform(new).toarray().tolist() == [[0, 1, 0, 0]] + [[0] * 4] * 4
    assert counter.transform([]).shape == (0, 4)
    assert counter.tokens([]) == []
    assert counter.inverse_transform(counter.transform([])) == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"min_df": 0}, "min_df must be a number of documents from 1 on, or a share .* not 0"),
        ({"min_df": 1.5}, "min_df must be .* not 1.5"),
        ({"max_df": -0.1}, "max_df must be .* not -0.1"),
        ({"max_df": 1, "min_df": 2}, "max_df=1 allows fewer documents than min_df=2 demands"),
        ({"max_features": 0}, "max_features must be a whole number from 1 on, or None, not 0"),
        ({"max_features": 2.0}, "max_features must be .* not 2.0"),
        ({"min_df": 35}, "no word or phrase is left: try a lower min_df"),
        ({"words": False, "never": ["ant bee", "dog eel"]}, "no phrase of several words is left"),
        ({"n_threads": 0}, "from 1 to 1,024, not 0"),
    ],
)
def test_bad_parameters(given: dict[str, Any], message: str) -> None:
    counter = vectorizer(**given)
    with pytest.raises(InputError, match=message):
        counter.fit(TEXTS)
    assert not hasattr(counter, "vocabulary_")


@pytest.mark.parametrize(
    ("rule", "text", "tokens"),
    [
        ({}, "The ant of 3 bees", ["ant", "3", "bees"]),
        ({"numbers": False}, "The ant of 3 bees", ["ant", "bees"]),
        ({"stop_word_policy": "keep"}, "The ant of 3 bees", ["The", "ant", "of", "3", "bees"]),
        ({"stop_words": ["ant"]}, "The ant of 3 bees", ["The", "of", "3", "bees"]),
        ({"token_pattern": "[a-z]{3}"}, "The ant of 3 bees", ["ant", "bee"]),
        ({"language": "english"}, "bees of the bee", ["bee", "bee"]),
        ({"language": "english", "stem": False}, "bees of the bee", ["bees", "bee"]),
        ({"language": "english", "stop_words": None}, "bees and bee", ["bee", "bee"]),
        ({"always": ["ant 3"]}, "The ant of 3 bees", ["ant of 3", "bees"]),
    ],
)
def test_rules_of_text(rule: dict[str, Any], text: str, tokens: list[str]) -> None:
    assert vectorizer(min_support=9, **rule).fit([text]).tokens([text]) == [tokens]


# --------------------------------------------------------------------------------------------- manners


def test_parameters_are_those_of_corpus_and_miner() -> None:
    """With the same defaults, so that the three agree."""
    import inspect

    of_miner = PhraseMiner().get_params()
    of_corpus = {
        name: parameter.default
        for name, parameter in inspect.signature(Corpus.from_texts).parameters.items()
        if name not in ("texts", "ids", "keep_texts", "progress", "batch_bytes")
    }
    own = {"words", "min_df", "max_df", "max_features", "binary", "dtype"}
    params = PhraseVectorizer().get_params()
    assert {name: value for name, value in params.items() if name not in own} == of_corpus | of_miner
    assert own <= params.keys()
    assert repr(PhraseVectorizer(words=False, dtype=np.int64)) == "PhraseVectorizer(words=False)"
    assert PhraseVectorizer().set_params(min_df=3).min_df == 3


def test_a_failed_fit_leaves_the_last_one() -> None:
    counter = vectorizer().fit(TEXTS)
    with pytest.raises(InputError):
        counter.fit(["the"])
    assert counter.transform(TEXTS[:1]).toarray().tolist() == [[0, 1, 1, 0]]


def test_pickled() -> None:
    counter = vectorizer(always=["gnu hen"]).fit(TEXTS)
    again = pickle.loads(pickle.dumps(counter))
    assert again.get_params() == counter.get_params()
    assert again.vocabulary_ == counter.vocabulary_
    assert same(again.transform(TEXTS), counter.transform(TEXTS))


def test_the_texts_are_not_kept() -> None:
    sizes = [len(pickle.dumps(vectorizer().fit(TEXTS * n))) for n in (1, 100)]
    assert sizes[1] < 1.5 * sizes[0]


@needs_jit
def test_neither_threads_nor_their_number_later_can_be_seen() -> None:
    documents = TEXTS * 500
    one, two = vectorizer(n_threads=1), vectorizer(n_threads=2)
    assert same(one.fit_transform(documents), two.fit_transform(documents))
    assert same(one.transform(documents), one.set_params(n_threads=3).transform(documents))


def test_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = vectorizer().fit(TEXTS)
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    assert vectorizer().fit(TEXTS).tokens(TEXTS[:1]) == [["ant bee", "cat"]]
    for make in (lambda: counter.transform(TEXTS), lambda: vectorizer().fit_transform(TEXTS)):
        with pytest.raises(ImportError, match="pip install scipy"):
            make()


# --------------------------------------------------------------------------------- other libraries


def test_in_a_pipeline_and_a_search() -> None:
    """Only the phrase tells the classes apart: the same words stand in both."""
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import Pipeline

    documents = ["support vector, model machine", "support, vector machine model"] * 30
    documents = ["vector machine, support", "vector, machine, support"] * 30 + documents
    classes = ["a", "b"] * 30 + ["b", "a"] * 30
    pipeline = Pipeline([("count", vectorizer(words=True, n_threads=1)), ("classify", LogisticRegression())])
    grid = {"count__significance": [1.0, 1000.0], "count__min_df": [1, 2]}
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(documents, classes)
    assert search.best_params_["count__significance"] == 1.0
    assert search.best_score_ == 1.0
    assert search.cv_results_["mean_test_score"].min() < 0.9
    assert search.predict(["a vector machine"]).tolist() == ["a"]
    names = search.best_estimator_[:-1].get_feature_names_out()
    assert "vector machine" in names.tolist()
    assert "PhraseVectorizer" in search._repr_html_()


def test_in_a_column_transformer_and_a_union() -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    from sklearn.compose import ColumnTransformer
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import FeatureUnion

    table = pandas.DataFrame({"text": TEXTS, "year": range(len(TEXTS))})
    columns = ColumnTransformer([("text", vectorizer(), "text"), ("year", "passthrough", ["year"])])
    assert columns.fit_transform(table).shape == (len(TEXTS), 5)
    assert columns.get_feature_names_out().tolist() == [*(f"text__{name}" for name in NAMES), "year__year"]
    union = FeatureUnion([("phrases", vectorizer()), ("words", CountVectorizer())])
    assert union.fit_transform(TEXTS).shape[0] == len(TEXTS)
    assert union.get_feature_names_out()[:4].tolist() == [f"phrases__{name}" for name in NAMES]


def test_what_bertopic_asks_of_its_vectorizer() -> None:
    """As in BERTopic 0.17: each topic's documents as one text, without punctuation."""
    import json

    counter = vectorizer()
    assert counter  # BERTopic writes: vectorizer_model or CountVectorizer()
    topics = np.array([" ".join(TEXTS).replace(",", ""), "gnu hen", "emptydoc"], object)
    counts = counter.fit_transform(topics)
    words = counter.get_feature_names_out()
    assert counts.shape == (3, len(words))
    assert same(counter.transform(topics), counts)
    tokens = [counter.build_tokenizer()(text) for text in topics]
    assert counter.transform([" ".join(some) for some in tokens]).shape == counts.shape
    assert json.loads(json.dumps(counter.vocabulary_)) == counter.vocabulary_
    counter.stop_words_ = None
    pickle.dumps(counter)


def blocks_of_docs() -> list[str]:
    """The examples of docs/vectorizer.md; each may use what the ones before it made."""
    page = (ROOT / "docs" / "vectorizer.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", page, re.DOTALL)


@needs_jit
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", ["sklearn", "gensim", "tomotopy", "bertopic"])
def test_the_examples_of_the_docs(library: str, capsys: pytest.CaptureFixture[str]) -> None:
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"needs {library}")
    first, *examples = blocks_of_docs()
    scope: dict[str, Any] = {}
    exec(first, scope)
    needed = [
        example for example in examples if f"from {library}" in example or f"import {library}" in example
    ]
    assert needed
    for example in ([examples[0]] if library == "bertopic" else []) + needed[:1]:
        exec(example, scope)
    assert capsys.readouterr().out
