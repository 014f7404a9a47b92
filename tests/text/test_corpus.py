"""The corpus as a whole: against the oracle, in batches of any size, on threads, indexed, stored."""

import pickle
from dataclasses import FrozenInstanceError
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
import pytest
import Stemmer
from corpora import JIT_IS_ON, needs_jit
from directories import bytes_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles import tokens as oracle
from oracles.texts import STOP_WORDS, documents
from polars.testing import assert_frame_equal, assert_series_equal

from topminer import Corpus, InputError

pytestmark = pytest.mark.small

few, many = (settings(max_examples=n if JIT_IS_ON else 10) for n in (30, 300))

choices = st.fixed_dictionaries(
    {
        "language": st.sampled_from([None, "english", "german", "russian", "chinese"]),
        "stem": st.booleans(),
        "stop_words": st.sampled_from([STOP_WORDS, STOP_WORDS, ()]),
        "stop_word_policy": st.sampled_from(["skip", "keep", "break"]),
        "numbers": st.booleans(),
    }
)

# Characters of which Python and Rust say alike whether \w matches them.
both_agree = st.text("abcABé漢の1239_ -'.,;\n&😀—\x00\x01\x02\t", max_size=30)
token = st.text("abAé漢の1-'.,;_—& ", min_size=1, max_size=5)


def oracle_rules(
    language: str | None = "english",
    stem: bool = True,
    stop_words: tuple[str, ...] = (),
    stop_word_policy: str = "skip",
    numbers: bool = True,
) -> oracle.Rules:
    folded = {oracle.fold(word) for word in stop_words}
    return oracle.Rules(folded, stop_word_policy, numbers, stem_of(language if stem else None))


def stem_of(language: str | None) -> Any:
    if language in (None, "chinese"):
        return str
    if language != "english":
        return Stemmer.Stemmer(language).stemWord
    porter = Stemmer.Stemmer("porter").stemWord
    return lambda word: porter(oracle.without_possessive(word)) or word


def made_or_refused(documents: list[oracle.Document], texts: Any, **how: Any) -> Corpus | None:
    """The corpus; None where there is rightly none, since no token is kept."""
    if any(document.kept for document in documents):
        return Corpus.from_texts(texts, **how)
    with pytest.raises(InputError, match="no kept tokens"):
        Corpus.from_texts(texts, **how)
    return None


def read_back(corpus: Corpus) -> oracle.Flat:
    """All that a corpus says of its tokens, spelled out."""
    opens = set(corpus.chunk_start.tolist())
    gaps = corpus.gaps.gather(corpus.gap_ids).to_list()
    return oracle.Flat(
        corpus.starts.tolist(),
        corpus.stops.tolist(),
        corpus.surfaces["surface"].gather(corpus.surface_ids).to_list(),
        corpus.vocabulary["stem"].gather(corpus.stem_ids).to_list(),
        [None if i in opens else gap for i, gap in enumerate(gaps)],
        corpus.doc_start.tolist(),
        corpus.chunk_start.tolist(),
    )


def assert_same(one: Corpus, other: Corpus) -> None:
    """Equal to the last bit."""
    for name, array in one._arrays().items():
        assert array.dtype == getattr(other, name).dtype
        assert array.tolist() == getattr(other, name).tolist(), name
    assert_frame_equal(one.vocabulary, other.vocabulary)
    assert_frame_equal(one.surfaces, other.surfaces)
    for name in ("gaps", "ids", "times", "texts"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert (mine is None) == (theirs is None)
        if mine is not None:
            assert_series_equal(mine, theirs)
    assert one.rules == other.rules
    assert one.origin == other.origin


def assert_lawful(corpus: Corpus) -> None:
    """What holds of every corpus that was made of texts."""
    assert corpus.texts is not None
    n = corpus.n_tokens
    counts = corpus.vocabulary["count"]
    assert counts.sum() == corpus.surfaces["count"].sum() == n
    assert counts.to_list() == np.bincount(corpus.stem_ids, minlength=corpus.n_stems).tolist()
    assert corpus.surfaces["count"].to_list() == np.bincount(corpus.surface_ids).tolist()
    assert corpus.surfaces["stem"].gather(corpus.surface_ids).to_list() == corpus.stem_ids.tolist()
    rows = corpus.vocabulary.select("count", "stem").rows()
    assert rows == sorted(rows, key=lambda row: (-row[0], row[1]))
    assert corpus.vocabulary["stem"].is_unique().all()
    assert "" not in corpus.vocabulary["stem"].to_list()
    assert corpus.surfaces["surface"].is_unique().all()
    assert corpus.gaps[0] == " "
    assert corpus.doc_start[0] == corpus.chunk_start[0] == 0
    assert corpus.doc_start[-1] == corpus.chunk_start[-1] == n
    assert (np.diff(corpus.doc_start) >= 0).all()
    assert (np.diff(corpus.chunk_start) > 0).all()
    assert set(corpus.doc_start.tolist()) <= set(corpus.chunk_start.tolist())
    assert len(corpus) == len(corpus.texts) == len(corpus.ids)
    surfaces = corpus.surfaces["surface"].gather(corpus.surface_ids).to_list()
    for text, (first, last) in zip(corpus.texts, pairwise(corpus.doc_start), strict=True):
        starts, stops = corpus.starts[first:last].tolist(), corpus.stops[first:last].tolist()
        assert [text[start:stop] for start, stop in zip(starts, stops, strict=True)] == surfaces[first:last]
        assert all(stop <= start for stop, start in zip(stops, starts[1:], strict=False))
    origin = corpus.origin
    assert origin.n_found == n + origin.n_stop_words + origin.n_numbers_dropped


# --------------------------------------------------------------------------------- against the oracle


@many
@given(documents, choices)
def test_a_corpus_is_that_of_the_oracle(texts: list[str], how: dict[str, Any]) -> None:
    expected = [oracle.read(text, oracle_rules(**how)) for text in texts]
    corpus = made_or_refused(expected, texts, **how)
    if corpus is None:
        return
    assert_lawful(corpus)
    assert read_back(corpus) == oracle.flat(expected)
    assert corpus.vocabulary.rows() == oracle.vocabulary_of(expected)
    assert corpus.texts is not None
    assert corpus.texts.to_list() == texts
    assert corpus.origin.n_stop_words == sum(document.n_stop_words for document in expected)
    assert corpus.origin.n_numbers_dropped == sum(document.n_numbers for document in expected)


@given(
    documents | st.lists(st.lists(token, max_size=5), max_size=5),
    st.sampled_from([1, 7, 100]),
    st.sampled_from([1, 2]),
)
def test_neither_batches_nor_threads_show(texts: list[Any], batch_bytes: int, n_threads: int) -> None:
    try:
        whole = Corpus.from_texts(texts, stop_words=STOP_WORDS, n_threads=1)
    except InputError:
        return
    parts = Corpus.from_texts(texts, stop_words=STOP_WORDS, batch_bytes=batch_bytes, n_threads=n_threads)
    assert_same(whole, parts)


@needs_jit
@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_many_batches(tmp_path: Path, n_threads: int) -> None:
    """Enough words for every table to grow while batches come in."""
    numbers = np.random.default_rng(0).zipf(1.3, 60_000) % 9000
    texts = [
        " ".join(f"w{number}" if number > 9 else "the" for number in part)
        for part in np.array_split(numbers, 3000)
    ]
    how: dict[str, Any] = {"stop_words": ["the", "w11"], "language": None}
    whole = Corpus.from_texts(texts, n_threads=1, **how)
    parts = Corpus.from_texts(texts, n_threads=n_threads, batch_bytes=3000, **how)
    assert_same(whole, parts)
    for name, corpus in {"whole": whole, "parts": parts}.items():
        corpus.save(tmp_path / name)
    assert bytes_of(tmp_path / "whole") == bytes_of(tmp_path / "parts")
    stems = [[word for word in text.split() if word not in ("the", "w11")] for text in texts]
    assert whole.to_lists() == stems


# ----------------------------------------------------------------------- tokens found by somebody else


@given(
    st.lists(both_agree, max_size=5),
    choices,
    st.sampled_from([r"\w+", r"[ab]+", r"\w", r"\w+'\w+|\w+", r"\w*"]),
)
def test_a_token_pattern_is_that_of_a_plain_loop(texts: list[str], how: dict[str, Any], pattern: str) -> None:
    import re

    rules = oracle_rules(**how)
    expected = [
        oracle.keep(
            text, oracle.scan_spans(text, [match.span() for match in re.finditer(pattern, text)]), rules
        )
        for text in texts
    ]
    corpus = made_or_refused(expected, texts, token_pattern=pattern, **how)
    if corpus is not None:
        assert read_back(corpus) == oracle.flat(expected)
        assert corpus.vocabulary.rows() == oracle.vocabulary_of(expected)
        assert_lawful(corpus)


@given(st.lists(st.lists(token, max_size=8), max_size=5), choices)
def test_token_lists_are_those_of_a_plain_loop(lists: list[list[str]], how: dict[str, Any]) -> None:
    rules = oracle_rules(**how)
    expected = [
        oracle.keep(" ".join(tokens), oracle.scan_spans(" ".join(tokens), oracle.spans_of(tokens)), rules)
        for tokens in lists
    ]
    # Does a longer word stand alone that starts with a character that does? docs/text.md is silent.
    assume(not any("漢" in each or "の" in each for tokens in lists for each in tokens if len(each) > 1))
    corpus = made_or_refused(expected, lists, **how)
    if corpus is not None:
        assert read_back(corpus) == oracle.flat(expected)
        assert corpus.vocabulary.rows() == oracle.vocabulary_of(expected)
        assert_lawful(corpus)


@pytest.mark.parametrize(
    ("text", "stems", "chunks"),
    [
        ("state-of-the-art", ["state", "of", "the", "art"], [0, 4]),
        ("state - art", ["state", "art"], [0, 1, 2]),
        ("don't, x.y", ["don", "t", "x", "y"], [0, 2, 4]),
        ("1,000", ["1", "000"], [0, 1, 2]),
        ("_ a", ["a"], [0, 1]),
    ],
)
def test_a_token_pattern_by_hand(text: str, stems: list[str], chunks: list[int]) -> None:
    for texts in ([text], ["before", text]):
        corpus = Corpus.from_texts(texts, language=None, token_pattern=r"\w+")
        offset = len(texts) - 1
        assert corpus.to_lists()[-1] == stems
        assert corpus.chunk_start.tolist() == [0] * offset + [offset + start for start in chunks]


@pytest.mark.parametrize("pattern", ["(", "[a", "(?<=a)b", "*"])
def test_a_token_pattern_that_cannot_be_used(pattern: str) -> None:
    with pytest.raises(InputError, match=r"token pattern .* cannot be used"):
        Corpus.from_texts(["cat"], token_pattern=pattern)


@pytest.mark.parametrize("control", ["\x00", "\x01", "\x02", "\x03", "\n"])
def test_a_token_pattern_that_takes_control_characters(control: str) -> None:
    corpus = Corpus.from_texts([f"a{control}b, cat"], token_pattern=r"[^,]+", language=None)
    assert_lawful(corpus)
    assert corpus.starts.tolist() == [0, 4]


def test_a_token_pattern_with_groups_and_dollar_signs() -> None:
    corpus = Corpus.from_texts(["$1 cat $2"], token_pattern=r"(\$)(\d)", language=None)
    assert corpus.to_lists() == [["$1", "$2"]]


# --------------------------------------------------------------------------------- policies, by hand

TEXT = "The house and the senate of 2020 voted; and the people."
ALL_WORDS = [["the", "house", "and", "the", "senate", "of", "2020", "voted"], ["and", "the", "people"]]


@pytest.mark.parametrize(
    ("how", "chunks"),
    [
        ({}, [["house", "senate", "2020", "voted"], ["people"]]),
        ({"stop_word_policy": "break"}, [["house"], ["senate"], ["2020", "voted"], ["people"]]),
        ({"numbers": False}, [["house", "senate"], ["voted"], ["people"]]),
        ({"stop_words": []}, ALL_WORDS),
        ({"stop_word_policy": "keep"}, ALL_WORDS),
        (
            {"stop_word_policy": "keep", "numbers": False},
            [["the", "house", "and", "the", "senate", "of"], ["voted"], ["and", "the", "people"]],
        ),
    ],
)
def test_stop_word_policies(how: dict[str, Any], chunks: list[list[str]]) -> None:
    corpus = Corpus.from_texts([TEXT], stem=False, **{"stop_words": ["the", "and", "of"], **how})
    stems = corpus.to_lists()[0]
    assert [stems[start:stop] for start, stop in pairwise(corpus.chunk_start)] == chunks


def test_a_stop_word_that_stands_alone_ends_the_chunk() -> None:
    corpus = Corpus.from_texts(["北京的人 cat 的 dog"], stop_words=["的"], stop_word_policy="skip")
    assert corpus.to_lists() == [["北", "京", "人", "cat", "dog"]]
    assert corpus.chunk_start.tolist() == [0, 2, 4, 5]


@pytest.mark.parametrize("text", ["The THE the", "don’t don't DON'T", "e.g. E.G.", "co\u00adop coop"])
def test_stop_words_are_looked_up_in_folded_form(text: str) -> None:
    corpus = Corpus.from_texts([f"{text} cat"], stop_words=["the", "don't", "e.g.", "coop"])
    assert corpus.to_lists() == [["cat"]]


# ------------------------------------------------------------------------------------------- looking


def test_a_corpus_cannot_be_changed(tmp_path: Path) -> None:
    corpus = Corpus.from_texts(["cat dog"])
    corpus.save(tmp_path)
    for array in [*corpus._arrays().values(), Corpus.load(tmp_path).stem_ids]:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(FrozenInstanceError):
        corpus.ids = pl.Series(["x"])  # type: ignore[misc]


def test_progress_is_told_and_ends_at_the_total() -> None:
    told: list[tuple[str, int, int | None, str]] = []
    Corpus.from_texts(["cat dog", "the bird"], progress=lambda *what: told.append(what), batch_bytes=1)
    assert {stage for stage, *_ in told} == {"Scanning", "Keeping"}
    assert [done for stage, done, *_ in told if stage == "Scanning"][-1] == 2
    assert told[-1][1:] == (3, 3, "tokens")


# ------------------------------------------------------------------------------------------ indexing


@given(documents, st.data())
def test_some_documents_are_what_a_corpus_of_them_would_be(texts: list[str], data: st.DataObject) -> None:
    try:
        corpus = Corpus.from_texts(texts, stop_words=STOP_WORDS)
    except InputError:
        return
    chosen = data.draw(st.lists(st.integers(-len(texts), len(texts) - 1), max_size=6))
    some = corpus[chosen]
    assert_frame_equal(some.vocabulary, corpus.vocabulary)
    assert some.ids.to_list() == [corpus.ids[i] for i in chosen]
    assert some.texts is not None
    assert some.texts.to_list() == [texts[i] for i in chosen]
    assert [document.to_lists() for document in corpus] == [[stems] for stems in corpus.to_lists()]
    if some.n_tokens:
        alone = Corpus.from_texts([texts[i] for i in chosen], stop_words=STOP_WORDS)
        assert read_back(some) == read_back(alone)
    else:
        assert some.doc_start.tolist() == [0] * (len(chosen) + 1)
        assert some.chunk_start.tolist() == [0]


# ------------------------------------------------------------------------------------------- storing


@few
@given(documents, choices, st.booleans())
def test_a_stored_corpus_comes_back(texts: list[str], how: dict[str, Any], keep_texts: bool) -> None:
    try:
        corpus = Corpus.from_texts(texts, keep_texts=keep_texts, **how)
    except InputError:
        return
    with TemporaryDirectory() as folder:
        corpus.save(folder)
        assert_same(corpus, Corpus.load(folder))
    assert (corpus[:1].texts is not None) == keep_texts


def test_a_corpus_with_times_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "texts.csv"
    file.write_text("key,text,day\nx,big cats,2020-01-02\ny,dogs,\nz,,2020-01-03\n", encoding="utf-8")
    corpus = Corpus.read(file, text="text", id="key", time="day")
    assert corpus.times is not None
    corpus.save(tmp_path / "stored")
    loaded = Corpus.load(tmp_path / "stored")
    assert_same(corpus, loaded)
    assert loaded.ids.to_list() == ["x", "y"]
    assert loaded.times is not None
    assert [str(time)[:10] for time in loaded.times] == ["2020-01-02", "None"]
    assert loaded.origin.n_blank_documents == 1


@few
@given(documents, st.sampled_from([1, 7, 100]))
def test_stored_bytes_do_not_depend_on_threads_batches_or_the_day(texts: list[str], batch_bytes: int) -> None:
    try:
        corpora = [
            Corpus.from_texts(texts, n_threads=1),
            Corpus.from_texts(texts, n_threads=1),
            Corpus.from_texts(texts, n_threads=2, batch_bytes=batch_bytes),
        ]
    except InputError:
        return
    with TemporaryDirectory() as folder:
        for number, corpus in enumerate(corpora):
            corpus.save(f"{folder}/{number}")
        Corpus.load(f"{folder}/0").save(f"{folder}/loaded")
        first, *others = [bytes_of(each) for each in Path(folder).iterdir()]
        assert all(other == first for other in others)


def test_a_stored_corpus_is_not_replaced_unasked(tmp_path: Path) -> None:
    one, other = Corpus.from_texts(["cat"]), Corpus.from_texts(["dog"])
    one.save(tmp_path)
    with pytest.raises(InputError, match="holds a corpus already"):
        other.save(tmp_path)
    assert Corpus.load(tmp_path).to_lists() == [["cat"]]
    other.save(tmp_path, overwrite=True)
    assert Corpus.load(tmp_path).to_lists() == [["dog"]]


def test_new_documents_are_read_into_the_same_vocabulary() -> None:
    corpus = Corpus.from_texts(["cats and dogs", "Bird"], stop_words=["and"])
    new = corpus.encode(["Zebras, birds and a CAT", "", "..."])
    assert new.stem_ids.tolist() == [-1, 0, -1, 1]
    assert new.to_lists() == [["zebras", "bird", "a", "cat"], [], []]
    assert new.vocabulary is corpus.vocabulary
    assert corpus.encode(["?"]).to_lists() == [[]]


def test_encoding_looks_words_up_in_a_table_that_is_made_once_and_not_pickled() -> None:
    corpus = Corpus.from_texts(["cats and dogs", "birds"])
    corpus.encode(["dogs"])
    assert corpus._known is corpus._known
    copy = pickle.loads(pickle.dumps(corpus))
    assert "_known" not in vars(copy)
    assert copy.encode(["dogs"]).stem_ids.tolist() == corpus.encode(["dogs"]).stem_ids.tolist()


def test_tables_that_no_one_has_read_yet_are_pickled_too() -> None:
    new = Corpus.from_texts(["cats and dogs"]).encode(["A dog,  a CAT", "dogs of the cats"])
    copy = pickle.loads(pickle.dumps(new))
    assert copy.surfaces.rows() == [("dog", 1, 1), ("CAT", 0, 1), ("dogs", 1, 1), ("cats", 0, 1)]
    assert copy.gaps.to_list() == [" ", " of the "]
    assert copy.ids.to_list() == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "gap"),
    [
        ("cat the \0\t the dog", " the the "),
        ("cat\xa0\u3000dog", " "),
        ("cat \x1f\x7f&  dog", " & "),
        ("cat/the\tdog", "/the "),
        ("cat & \u200b dog", " & \u200b "),
    ],
)
def test_white_space_and_controls_in_a_gap_are_one_blank(text: str, gap: str) -> None:
    corpus = Corpus.from_texts([text, "the end"], stop_words=["the"])
    assert corpus.gaps[int(corpus.gap_ids[1])] == gap


def test_many_distinct_gaps() -> None:
    """More bytes of gaps than those that are treated as few."""
    numbers = [f"{i:05}" for i in range(4000)]
    corpus = Corpus.from_texts([f"cat {number}  dog" for number in numbers], stop_words=numbers)
    assert corpus.gaps.to_list() == [" ", *(f" {number} " for number in numbers)]
