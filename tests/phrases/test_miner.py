"""PhraseMiner: manners of an estimator, its table by brute force, supports, own phrases, new documents."""

import math
import pickle
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from corpora import needs_jit
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import phrases as oracle
from oracles.phrases import Phrase
from oracles.tokens import common_share, shown
from planted import JIT_IS_ON
from polars.testing import assert_frame_equal
from written import RULES, WORDS, assert_lawful, chunks_of, paper_miner, span, texts

from topminer import Corpus, InputError, Partition, PhraseMiner
from topminer.phrases.fitted import Fitted
from topminer.phrases.miner import min_support_in, settings_in, take_over
from topminer.phrases.mining import MAX_LENGTH
from topminer.phrases.scores import check_threshold, least_support, resolve_support

pytestmark = pytest.mark.small

few = settings(max_examples=50 if JIT_IS_ON else 10)
COLUMNS = {
    **dict.fromkeys(("phrase", "stems"), pl.String),
    **dict.fromkeys(("length", "support", "evidence", "instances"), pl.Int64),
    **dict.fromkeys(("significance", "quality"), pl.Float64),
}
DEFAULTS: dict[str, Any] = {
    **{"min_support": "auto", "significance": 2.0, "quality": "auto", "evidence": "auto", "ties": "auto"},
    **dict.fromkeys(("max_length", "always", "never", "n_threads")),
}


def read(documents: list[str]) -> Corpus:
    return Corpus.from_texts(documents, **RULES)


def phrases_in(partition: Partition) -> set[Phrase]:
    """Phrases of several words."""
    return {phrase for document in partition.to_lists() for phrase in document if len(phrase) > 1}


@pytest.fixture
def corpus() -> Corpus:
    """Frequent pairs, and one word that is in both."""
    return read(["ant bee", "bee cat", "dog eel fox, gnu", "hen"] * 6)


# ---------------------------------------------------------------------------------------------- manners


def test_parameters() -> None:
    miner = PhraseMiner()
    assert miner.get_params() == miner.get_params(deep=False) == DEFAULTS
    changed = DEFAULTS | {"min_support": 3, "quality": -1.0, "ties": None, "always": ["ant bee"]}
    assert PhraseMiner(**changed).get_params() == changed
    assert miner.set_params(**changed) is miner
    assert miner.get_params() == changed
    assert miner.always is changed["always"] and vars(miner).keys() == DEFAULTS.keys()  # nothing but stored
    with pytest.raises(ValueError, match=r"no parameter 'support'.*min_support"):
        miner.set_params(support=3)


def test_in_a_pipeline(corpus: Corpus) -> None:
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import FunctionTransformer

    pipeline = Pipeline([("mine", paper_miner(2)), ("list", FunctionTransformer(Partition.to_lists))])
    pipeline.set_params(mine__significance=1.0)
    lists = pipeline.fit_transform(corpus)
    assert lists[:2] == [[("ant", "bee")], [("bee", "cat")]]
    assert pipeline.transform(corpus[2:3]) == [[("dog", "eel", "fox"), ("gnu",)]]
    assert "PhraseMiner(min_support=2, significance=1.0, quality=None" in repr(pipeline)
    assert "PhraseMiner" in pipeline._repr_html_()


def test_in_a_grid_search(corpus: Corpus) -> None:
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    from sklearn.model_selection import GridSearchCV

    def n_long(miner: PhraseMiner, held_out: Corpus, y: object = None) -> int:
        assert isinstance(held_out, Corpus)
        return len(phrases_in(miner.transform(held_out)))

    grid = {"significance": [0.5, 100.0], "min_support": [2, 1000]}
    search = GridSearchCV(paper_miner(n_threads=1), grid, scoring=n_long, cv=2, error_score="raise")
    search.fit(corpus)
    assert search.best_params_ == {"significance": 0.5, "min_support": 2}
    assert ("ant", "bee") in phrases_in(search.best_estimator_.transform(corpus))
    n_found = search.cv_results_["mean_test_score"].tolist()
    assert sorted(n_found) == [0, 0, 0, max(n_found)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"min_support": 0}, "min_support must be a whole number from 1 on, .* not 0"),
        *(({"min_support": bad}, f"min_support must be .* not {bad}") for bad in (2.5, True, math.nan)),
        ({"significance": -1}, "significance must be a number from 0 on, not -1"),
        ({"significance": "4"}, "significance must be .* not '4'"),
        ({"max_length": 0}, "max_length must be a whole number from 1 on, or None, not 0"),
        ({"max_length": 10**30}, "max_length must be a whole number from 1 to 1,000,000"),
        ({"n_threads": 10**30}, "n_threads must be a whole number from 1 to 1,024"),
        ({"quality": "good"}, "quality must be .* not 'good'"),
        ({"evidence": 0}, "evidence must be a whole number from 1 on, or None, not 0"),
        ({"ties": True}, "ties must be 'auto' or None, not True"),
        ({"always": "ant bee"}, "always: expected a list of phrases"),
        ({"always": [5]}, "always: .*5"),
        ({"never": ["ant bee", "hen"]}, "never: 'hen' has fewer than two words that are kept"),
        ({"always": ["the ant"]}, "always: 'the ant' has fewer than two words that are kept"),
        ({"always": ["ant, bee"]}, "always: 'ant, bee' has punctuation inside"),
        ({"never": [Path("ant bee")]}, "never: "),
        ({"always": Path("no/such/file")}, "no.such.file.*one phrase a line"),
        # An array compared with "auto" has no truth value.
        *(({name: np.array([1, 2])}, name) for name in (*list(DEFAULTS)[:5], "max_length")),
    ],
)
def test_bad_parameters(corpus: Corpus, given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        PhraseMiner(**given).fit(corpus)


@pytest.mark.parametrize(
    "given",
    [
        {"min_support": np.int64(2), "max_length": np.int32(3)},
        {"min_support": np.float32(0.05)},
        {"significance": np.float32(1.0)},
        {"significance": np.int64(1), "n_threads": np.int64(1)},
        {"always": np.array(["ant bee"])},
    ],
)
def test_numbers_of_numpy_are_numbers(corpus: Corpus, given: dict[str, Any]) -> None:
    plain = {name: value.tolist() for name, value in given.items()}
    one, other = (
        PhraseMiner(**{"significance": 1.0, **each}).fit_transform(corpus) for each in (plain, given)
    )
    assert one.to_lists() == other.to_lists()


@pytest.mark.parametrize("wrong", [["ant bee"], "ant bee", None, np.zeros((2, 2))])
def test_only_a_corpus_can_be_mined(corpus: Corpus, wrong: Any) -> None:
    with pytest.raises(InputError, match="Corpus"):
        PhraseMiner().fit(wrong)
    with pytest.raises(InputError, match="Corpus"):
        PhraseMiner().fit(corpus).transform(wrong)


def test_pickled(corpus: Corpus) -> None:
    miner = paper_miner(2, 1.0, always=["gnu hen"]).fit(corpus)
    again = pickle.loads(pickle.dumps(miner))
    assert again.get_params() == miner.get_params()
    assert_frame_equal(again.phrases_, miner.phrases_)
    [found] = again.transform(read(["gnu hen ant bee zebra"])).to_lists()
    assert found == [("gnu", "hen"), ("ant", "bee"), ("zebra",)]


def test_phrases_mined_elsewhere(corpus: Corpus) -> None:
    """The documents need not be there, only the vocabulary."""
    own = {"always": ["dog eel"], "never": ["ant bee"]}
    fitted = paper_miner(2, 1.0, **own).fit(corpus)
    other = paper_miner(2, 1.0, **own)
    assert min_support_in(other, corpus.n_tokens) == fitted.min_support_
    take_over(other, Fitted(fitted.mined, corpus[:0], settings_in(other, corpus[:0])[0], tied=False))
    assert other.min_support_ == fitted.min_support_
    assert other.settings == fitted.settings
    assert (other.settings.threshold, other.settings.cut) == (1.0, None)
    assert (len(other.settings.always), len(other.settings.never)) == (1, 1)
    assert other.transform(corpus).to_lists() == fitted.transform(corpus).to_lists()


@pytest.mark.parametrize("own", [{"always": ["ant"]}, {"never": ["ant"]}, {"always": 5}])
def test_a_fit_that_fails_changes_nothing(corpus: Corpus, own: dict[str, Any]) -> None:
    """Guards against a miner that has new phrases, and the scores of the old ones."""
    new = paper_miner(2, 1.0, **own)
    with pytest.raises(InputError):
        new.fit(corpus)
    assert vars(new).keys() == DEFAULTS.keys()
    fitted = paper_miner(2, 1.0).fit(corpus)
    before = dict(vars(fitted))
    with pytest.raises(InputError):
        fitted.set_params(min_support=3, **own).fit(corpus[:4])
    after = vars(fitted)
    assert all(after[name] is before[name] for name in before.keys() - DEFAULTS.keys())


def test_progress(corpus: Corpus) -> None:
    stages: list[str] = []
    paper_miner(2).fit_transform(corpus, progress=lambda stage, done, total, unit: stages.append(stage))
    assert dict.fromkeys(stages) == {"Mining": None, "Segmenting": None}


@needs_jit
@pytest.mark.parametrize("quality", [-3.0, None])
def test_the_number_of_threads_changes_nothing(quality: float | None) -> None:
    rng = np.random.default_rng(0)
    words = [f"w{n} v{n % 7}" if n % 3 else f"w{n}" for n in np.minimum(rng.zipf(1.3, 120_000), 400).tolist()]
    corpus = Corpus.from_texts([" ".join(words[i : i + 9]) for i in range(0, len(words), 9)], language=None)
    own = {"always": ["w1 w2"], "never": ["w4 v4"]}
    alone = PhraseMiner(20, 2.0, quality, n_threads=1, **own).fit(corpus)
    expected = alone.transform(corpus)
    assert len(phrases_in(expected)) > 50
    for n_threads in (2, 3, None):
        miner = PhraseMiner(20, 2.0, quality, n_threads=n_threads, **own).fit(corpus)
        assert_frame_equal(miner.phrases_, alone.phrases_)
        partition = miner.transform(corpus)
        for name in ("clique_start", "doc_start", "type_ids", "type_start", "type_stems", "strength"):
            np.testing.assert_array_equal(getattr(partition, name), getattr(expected, name), name)


# --------------------------------------------------------------------------- the table, by brute force


def best_cut(phrase: Phrase, support: Counter[Phrase], score: oracle.Score) -> float:
    """Equation 1 for every cut of a phrase into two, and the best of them."""
    cuts = range(1, len(phrase))
    return max(score(support[phrase[:i]], support[phrase[i:]], support[phrase]) for i in cuts)


def surfaces_of(corpus: Corpus, length: int) -> dict[Phrase, str]:
    """How each sequence of ``length`` words is shown."""
    written: dict[Phrase, Counter[str]] = {}
    stems = corpus.stems().to_list()
    for start, stop in pairwise(corpus.chunk_start.tolist()):
        for first in range(start, stop - length + 1):
            phrase = tuple(stems[first : first + length])
            written.setdefault(phrase, Counter())[span(corpus, first, first + length)] += 1
    least = common_share(Counter(dict(corpus.surfaces.select("surface", "count").rows())))
    return {phrase: shown(forms, least) for phrase, forms in written.items()}


def assert_table(miner: PhraseMiner, corpus: Corpus) -> None:
    """Everything the table says, counted again."""
    documents = chunks_of(corpus)
    support = oracle.count(documents, MAX_LENGTH)
    frequent = {
        phrase
        for phrase, n in support.items()
        if len(phrase) > 1 and n >= miner.min_support_ and len(phrase) <= (miner.max_length or MAX_LENGTH)
    }
    instances = Counter(phrase for document in miner.transform(corpus).to_lists() for phrase in document)
    score = oracle.paper_score(corpus.n_tokens)
    surfaces = {
        phrase: surface
        for length in {len(phrase) for phrase in frequent}
        for phrase, surface in surfaces_of(corpus, length).items()
    }

    table = miner.phrases_
    assert dict(table.schema) == COLUMNS
    found = [tuple(stems.split(" ")) for stems in table["stems"]]
    assert len(found) == len(set(found))
    assert set(found) == frequent
    assert table["length"].to_list() == [len(phrase) for phrase in found]
    assert table["support"].to_list() == [support[phrase] for phrase in found]
    assert table["evidence"].to_list() == table["support"].to_list()
    assert table["quality"].is_null().all()
    assert table["instances"].to_list() == [instances[phrase] for phrase in found]
    assert table["phrase"].to_list() == [surfaces[phrase] for phrase in found]
    expected = [best_cut(phrase, support, score) for phrase in found]
    assert table["significance"].to_list() == pytest.approx(expected, rel=1e-12, abs=1e-12)
    order = table.select("instances", "support", "stems").rows()
    assert order == sorted(order, key=lambda row: (-row[0], -row[1], row[2]))


@few
@given(texts(), st.integers(1, 4), st.floats(0, 2), st.sampled_from([None, 1, 2, 3]))
def test_the_table_by_brute_force(
    documents: list[str], min_support: int, threshold: float, max_length: int | None
) -> None:
    corpus = read(documents)
    assert_table(paper_miner(min_support, threshold, max_length).fit(corpus), corpus)


@few
@given(texts(), st.data())
def test_the_table_of_some_of_the_documents(documents: list[str], data: st.DataObject) -> None:
    """A part of a corpus has the whole vocabulary, of which some stems do not occur."""
    corpus = read(documents)
    part = corpus[data.draw(st.lists(st.integers(0, len(documents) - 1)))]
    miner = paper_miner(1, 0.0).fit(part)
    assert_table(miner, part)
    assert_lawful(miner.transform(corpus))


def test_the_table_by_hand(corpus: Corpus) -> None:
    """54 kept tokens, 12 of them bees, and 6 of all others."""
    miner = paper_miner(min_support=6, significance=1.0).fit(corpus)
    assert miner.min_support_ == 6
    half, whole = (6 - 6 * 12 / 54) / math.sqrt(6), (6 - 6 * 6 / 54) / math.sqrt(6)
    assert miner.phrases_.rows() == [
        ("ant bee", "ant bee", 2, 6, 6, 6, half, None),
        ("bee cat", "bee cat", 2, 6, 6, 6, half, None),
        ("dog eel fox", "dog eel fox", 3, 6, 6, 6, whole, None),
        ("dog eel", "dog eel", 2, 6, 6, 0, whole, None),
        ("eel fox", "eel fox", 2, 6, 6, 0, whole, None),
    ]


def test_the_table_and_the_partition_agree_after_parameters_have_changed(corpus: Corpus) -> None:
    miner = paper_miner(2, 1.0).fit(corpus)
    assert miner.phrases_["instances"].sum() == 18
    miner.set_params(significance=100.0)
    n_long = sum(len(phrase) > 1 for document in miner.transform(corpus).to_lists() for phrase in document)
    assert miner.phrases_["instances"].sum() == n_long


# ------------------------------------------------------------------------------------- segmentation


@few
@given(texts(8), texts(10), st.integers(1, 3))
def test_new_documents(documents: list[str], new: list[str], min_support: int) -> None:
    """They are cut with the counts of the old ones, whichever way they are read."""
    corpus = read(documents)
    miner = paper_miner(min_support, 0.5).fit(corpus)
    support = oracle.known(chunks_of(corpus), min_support, MAX_LENGTH)
    score = oracle.paper_score(corpus.n_tokens)
    encoded = corpus.encode(new)
    partition = miner.transform(encoded)
    assert_lawful(partition)
    assert partition.to_lists() == [
        oracle.partition(document, support, score, 0.5) for document in chunks_of(encoded)
    ]
    assert miner.transform(read(new)).to_lists() == partition.to_lists()


def test_words_never_seen_are_not_counted_as_others(corpus: Corpus) -> None:
    """A corpus in another's vocabulary has words without a number; mining must not take them for one."""
    new = corpus.encode(["zebra ant", "zebra ant", "yak ant"])
    try:
        miner = paper_miner(2, 0.0).fit(new)
    except InputError:
        return
    assert miner.phrases_["support"].to_list() in ([], [2])
    assert "hen" not in " ".join(miner.phrases_["stems"])


# ------------------------------------------------------------------------------------ minimum support


@pytest.mark.parametrize(
    ("given", "n_tokens", "meant"),
    [
        (1, 10, 1),
        (7, 10, 7),
        (7.0, 10, 7),
        (1.0, 10, 1),
        (0.01, 1000, 10),
        (0.01, 1001, 11),
        (1e-9, 1000, 1),
        (0.999, 10, 10),
        ("auto", 1000, 17),
        ("auto", 10**8, 20),
        ("auto", 10**8 + 1, 21),
    ],
)
def test_min_support(given: int | float | str, n_tokens: int, meant: int) -> None:
    resolved = resolve_support(given, n_tokens, 4.0)
    assert resolved == meant
    assert isinstance(resolved, int)


@given(st.floats(0, 1000))
def test_what_a_threshold_needs(threshold: float) -> None:
    """The score of a phrase is less than the square root of its support."""
    least = least_support(threshold)
    assert math.sqrt(least) > threshold
    assert least == 3 or math.sqrt(least - 1) <= threshold * (1 + 1e-15)


@few
@given(texts(), st.sampled_from([1.0, math.sqrt(2), 1.5, 2.0, 2.5]))
def test_every_support_up_to_the_squared_threshold_gives_the_same_partition(
    documents: list[str], threshold: float
) -> None:
    corpus = read(documents * 3)
    supports = range(1, math.floor(threshold**2) + 2)
    partitions = [paper_miner(support, threshold).fit_transform(corpus) for support in supports]
    for partition in partitions[1:]:
        np.testing.assert_array_equal(partition.clique_start, partitions[0].clique_start)


@pytest.mark.parametrize("threshold", [math.inf, 1e200, 1e9])
@pytest.mark.parametrize("min_support", ["auto", 2])
def test_no_phrase_reaches_infinity(corpus: Corpus, threshold: float, min_support: int | str) -> None:
    assert check_threshold(threshold) == threshold
    miner = paper_miner(min_support, threshold, always=["ant bee"]).fit(corpus)
    assert phrases_in(miner.transform(corpus)) == {("ant", "bee")}


# --------------------------------------------------------------------------------------- own phrases


def glued(chunk: list[str], always: set[Phrase]) -> set[int]:
    """Boundaries in a chunk that phrases which are always whole take away: from the left, the longest."""
    boundaries: set[int] = set()
    i = 0
    while i < len(chunk):
        longest = max((n for n in range(len(chunk) - i + 1) if tuple(chunk[i : i + n]) in always), default=1)
        boundaries.update(range(i + 1, i + longest))
        i += longest
    return boundaries


@few
@given(texts(4), texts(5), st.integers(1, 3), st.data())
def test_own_phrases_by_brute_force(
    documents: list[str], new: list[str], min_support: int, data: st.DataObject
) -> None:
    corpus = read(documents)
    phrase = st.lists(st.sampled_from(WORDS[:5]), min_size=2, max_size=4).map(tuple)
    always, never = data.draw(st.sets(phrase, max_size=3)), data.draw(st.sets(phrase, max_size=5))
    written = {"always": [" ".join(words) for words in always], "never": [" ".join(words) for words in never]}
    miner = paper_miner(min_support, 0.5, **written).fit(corpus)
    stems = set(corpus.vocabulary["stem"])
    always = {words for words in always if set(words) <= stems}
    support = oracle.known(chunks_of(corpus), min_support, MAX_LENGTH)
    score = oracle.paper_score(corpus.n_tokens)
    for texts_read in (corpus, corpus.encode(new)):
        partition = miner.transform(texts_read)
        assert_lawful(partition)
        for document, found in zip(chunks_of(texts_read), partition.to_lists(), strict=True):
            joined: set[int] = set()
            start = 0
            for chunk in document:
                joined |= {start + boundary for boundary in glued(chunk, always)}
                start += len(chunk)
            for merge in oracle.all_merges(document, support, score, never, set(joined)):
                if merge.score < 0.5:
                    break
                joined.add(merge.boundary)
            words = [stem for chunk in document for stem in chunk]
            bounds = [i for i in range(len(words) + 1) if i not in joined]
            assert found == [tuple(words[a:b]) for a, b in pairwise(bounds)]


@few
@given(texts(4), st.integers(2, 9), st.data())
def test_the_table_has_rare_phrases_that_are_always_whole(
    documents: list[str], min_support: int, data: st.DataObject
) -> None:
    corpus = read(documents)
    phrase = st.lists(st.sampled_from(WORDS[:4]), min_size=2, max_size=4).map(tuple)
    always = data.draw(st.lists(phrase, max_size=4))
    miner = paper_miner(min_support, 0.5, always=[" ".join(words) for words in always]).fit(corpus)
    support = oracle.count(chunks_of(corpus), MAX_LENGTH)
    instances = Counter(phrase for document in miner.transform(corpus).to_lists() for phrase in document)
    rare = {words for words in always if instances[words] and support[words] < min_support}
    rows = {tuple(row["stems"].split(" ")): row for row in miner.phrases_.rows(named=True)}
    assert len(rows) == miner.phrases_.height
    assert {words for words, row in rows.items() if row["significance"] == math.inf} == rare
    for words in rare:
        row = rows[words]
        expected = len(words), support[words], instances[words]
        assert (row["length"], row["support"], row["instances"]) == expected
        kept = [word for word in row["phrase"].lower().split() if word not in ("of", "the", "&")]
        assert tuple(kept) == words
    frequent = {words for words, n in support.items() if n >= min_support and len(words) > 1}
    assert rows.keys() - rare == frequent


def test_always() -> None:
    """As people write them: stop words, capitals and inflections do not matter; nor does support."""
    corpus = Corpus.from_texts(["A house of cards falls.", "House, card", "Card houses"])
    for phrase in ("house of cards", "House Card", "the Houses & the card"):
        partition = paper_miner(always=[phrase]).fit_transform(corpus)
        assert partition.to_lists() == [
            [("hous", "card"), ("fall",)],
            [("hous",), ("card",)],
            [("card",), ("hous",)],
        ]
        assert partition.surfaces() == ["house of cards"]
        assert partition.at(math.inf).to_lists() == partition.to_lists()


def test_never(corpus: Corpus) -> None:
    miner = paper_miner(2, 1.0, never=["Ant of the Bee", "dog eel fox", "ant zebra", "ant hen"]).fit(corpus)
    assert phrases_in(miner.transform(corpus)) == {("bee", "cat"), ("dog", "eel")}
    [found] = miner.transform(corpus.encode(["ant bee dog eel fox"])).to_lists()
    assert found == [("ant",), ("bee",), ("dog", "eel"), ("fox",)]
    assert "ant bee" in miner.phrases_["stems"].to_list()
    both = paper_miner(2, 1.0, always=["ant bee"], never=["ant bee"]).fit_transform(corpus)
    assert ("ant", "bee") in phrases_in(both)  # always is stronger than never


@pytest.mark.parametrize("name", ["always", "never"])
def test_a_file_of_phrases(corpus: Corpus, tmp_path: Path, name: str) -> None:
    path = tmp_path / "own.txt"
    path.write_text("# mine\n\n  gnu hen\r\nAnt Bee\n", encoding="utf-8-sig")
    new = read(["gnu hen ant bee"])
    for own in (path, ["gnu hen", "Ant Bee"], ("gnu hen", "Ant Bee"), iter(["gnu hen", "Ant Bee"])):
        partition = paper_miner(2, 1.0, **{name: own}).fit(corpus).transform(new)
        assert phrases_in(partition) == ({("gnu", "hen"), ("ant", "bee")} if name == "always" else set())
    path.write_bytes(b"ant bee\n\xff\n")
    with pytest.raises(InputError, match=r"own\.txt: not UTF-8"):
        PhraseMiner(**{name: path}).fit(corpus)
    path.write_text("ant bee\nant\n")
    with pytest.raises(InputError, match=f"{name}: 'ant' has fewer than two words"):
        PhraseMiner(**{name: path}).fit(corpus)
