"""Documents in memory, of whatever kind they come."""

from collections import ChainMap
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest

from topminer import Corpus, InputError, PhraseVectorizer, ToPMine
from topminer.text.documents import documents_in
from topminer.text.provenance import Skipped

pd = pytest.importorskip("pandas", reason="needs pandas")
pa = pytest.importorskip("pyarrow", reason="needs PyArrow")
pytestmark = pytest.mark.small

TEXTS = ["big cats sleep", "", "dogs, bark"]
STEMS = [["big", "cat", "sleep"], [], ["dog", "bark"]]
HUGE = pytest.param(10**5000, id="a huge number")  # str() refuses it
TOPICAL = ["frequent pattern mining of large data", "neural network training on images"] * 20
WITH_NONE = ["big cats sleep", None, "dogs, bark"]


def stems(texts: Any, **how: Any) -> list[list[str]]:
    return Corpus.from_texts(texts, stop_words=[], **how).to_lists()


def generated(items: list[Any]) -> Iterator[Any]:
    yield from items


KINDS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "generator": generated,
    "keys of a dictionary": lambda texts: dict.fromkeys(texts).keys(),
    "NumPy strings": lambda texts: np.array([text or "" for text in texts]),
    "NumPy objects": lambda texts: np.array(texts, object),
    "pandas objects": lambda texts: pd.Series(texts, dtype=object),
    "pandas str": lambda texts: pd.Series(texts, dtype="str"),
    "pandas string": lambda texts: pd.Series(texts, dtype="string"),
    "pandas string of Python": lambda texts: pd.Series(texts, dtype="string[python]"),
    "pandas Arrow": lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.string())),
    "pandas with an index": lambda texts: pd.Series(texts, dtype=object, index=["x", "y", "z"]),
    "pandas categories": lambda texts: pd.Series(texts, dtype="category"),
    "Polars": lambda texts: pl.Series(texts, dtype=pl.String),
    "Polars categories": lambda texts: pl.Series(texts, dtype=pl.Categorical),
    "Polars in chunks": lambda texts: pl.concat(
        [pl.Series([text], dtype=pl.String) for text in texts], rechunk=False
    ),
    "Arrow string": lambda texts: pa.array(texts, pa.string()),
    "Arrow large_string": lambda texts: pa.array(texts, pa.large_string()),
    "Arrow string_view": lambda texts: pa.array(texts, pa.string_view()),
    "Arrow in chunks": lambda texts: pa.chunked_array([texts[:1], texts[1:]], pa.string()),
    "Arrow categories": lambda texts: pa.array(texts).dictionary_encode(),
    "Arrow sliced": lambda texts: pa.array(["no", *texts, "no"], pa.string())[1:-1],
}


@pytest.mark.parametrize("texts", [TEXTS, WITH_NONE], ids=["empty", "missing"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_column(kind: str, texts: list[Any]) -> None:
    corpus = Corpus.from_texts(KINDS[kind](texts), stop_words=[])
    assert corpus.to_lists() == STEMS
    assert corpus.texts is not None
    assert corpus.texts.to_list() == TEXTS
    assert corpus.ids.to_list() == ["1", "2", "3"]


@pytest.mark.parametrize("nothing", [None, float("nan"), np.nan, np.float32("nan"), pd.NA, ""])
def test_every_way_to_say_nothing(nothing: Any) -> None:
    for cat in ("cat", ["cat"]):
        assert stems([nothing, cat, nothing]) == [[], ["cat"], []]


def test_a_generator_is_drawn_once_and_to_its_end() -> None:
    drawn: list[int] = []

    def texts() -> Iterator[str]:
        for number in range(600):
            drawn.append(number)
            yield "cat"

    assert len(Corpus.from_texts(texts(), batch_bytes=10)) == 600
    assert drawn == list(range(600))


# ------------------------------------------------------------------------------------- token lists


LISTS = [["big", "cats"], [], ["Dogs", ",", "bark"]]
LIST_KINDS: dict[str, Callable[[list[list[str]]], Any]] = {
    "lists": list,
    "tuples": lambda lists: [tuple(each) for each in lists],
    "generators": lambda lists: [generated(each) for each in lists],
    "NumPy arrays": lambda lists: [np.array(each, object) for each in lists],
    "pandas": lambda lists: pd.Series(lists),
    "Polars": lambda lists: pl.Series(lists, dtype=pl.List(pl.String)),
    "Arrow": lambda lists: pa.array(lists, pa.list_(pa.string())),
    "Arrow large lists": lambda lists: pa.array(lists, pa.large_list(pa.large_string())),
}


@pytest.mark.parametrize("kind", LIST_KINDS)
def test_token_lists(kind: str) -> None:
    corpus = Corpus.from_texts(LIST_KINDS[kind](LISTS), stop_words=[])
    assert corpus.to_lists() == [["big", "cat"], [], ["dog", "bark"]]
    assert corpus.chunk_start.tolist() == [0, 2, 3, 4]
    assert corpus.texts is not None
    assert corpus.texts.to_list() == ["big cats", "", "Dogs , bark"]
    assert corpus.starts.tolist() == [0, 4, 0, 7]


def test_a_token_may_hold_blanks() -> None:
    corpus = Corpus.from_texts([["New York", "is", "big"]], stop_words=["is"], stem=False)
    assert corpus.to_lists() == [["new york", "big"]]
    assert corpus.starts.tolist() == [0, 12]


@pytest.mark.parametrize("token", ["a\x00b", "a\x01b", "a\x02b", "\x01", "a\x01\x02"])
def test_a_token_with_control_characters_is_cut_right(token: str) -> None:
    corpus = Corpus.from_texts([[token, "cat"]], stop_words=[], stem=False)
    assert corpus.texts is not None
    text = corpus.texts[0]
    cut = [text[start:stop] for start, stop in zip(corpus.starts, corpus.stops, strict=True)]
    assert cut == corpus.surfaces["surface"].gather(corpus.surface_ids).to_list()
    assert cut[-1] == "cat"


# --------------------------------------------------------------------------------------- surrogates


@pytest.mark.parametrize(
    ("documents", "text", "stems", "n"),
    [
        (["cat \ud800 dog\udfff", "bird"], "cat \ufffd dog\ufffd", ["cat", "dog"], 2),
        ([["cat\ud800", "dog"]], "cat\ufffd dog", ["cat\ufffd", "dog"], 1),
    ],
)
def test_half_a_surrogate_pair_is_a_replacement_character(
    documents: list[Any], text: str, stems: list[str], n: int
) -> None:
    corpus = Corpus.from_texts(documents, stem=False)
    assert corpus.texts is not None
    assert (corpus.texts[0], corpus.to_lists()[0]) == (text, stems)
    assert corpus.starts[:2].tolist() == [0, text.index("dog")]
    assert (corpus.origin.n_undecodable, corpus.origin.first_undecodable) == (n, "document 1")


def test_what_is_replaced_is_counted_over_all_batches() -> None:
    texts = ["cat"] * 1000 + ["\udfff dog", "bird\0", "\ud800"]
    origin = Corpus.from_texts(texts, batch_bytes=100).origin
    assert (origin.n_undecodable, origin.first_undecodable) == (2, "document 1001")
    assert origin.n_nul_characters == 1


# ------------------------------------------------------------------------------------------ refused


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one text", "not one string; put it into a list"),
        (b"one text", "not one string; put it into a list"),
        # Taken for iterables, tables and mappings would yield the names of columns and the keys.
        (pd.DataFrame({"text": ["a"]}), "not a table; choose its column of texts"),
        (pl.DataFrame({"text": ["a"]}), "not a table; choose its column of texts"),
        (pa.table({"text": ["a"]}), "not a table; choose its column of texts"),
        ({"a": "big cats"}, r"not a mapping; give its texts, as in list\(texts.values\(\)\)"),
        ({"big cats"}, "which a set does not have; give a list"),
        (frozenset(["big cats"]), "which a set does not have; give a list"),
        (5, "expected an iterable of documents, not int"),
        (None, "expected an iterable of documents, not NoneType"),
        pytest.param(10**5000, "expected an iterable of documents, not int", id="a huge number"),
        (pl.Series([1, 2]), "column of documents holds .*; expected strings or lists of strings"),
        (pl.Series([b"a"]), "column of documents holds .*; expected strings or lists of strings"),
        (pl.Series([[1]]), "column of documents holds .*; expected strings or lists of strings"),
        (pa.chunked_array([[1.5]]), "column of documents holds .*; expected strings or lists of strings"),
        (generated([]), "no kept tokens in 0 documents: no letter or digit"),
        (pl.Series([], dtype=pl.String), "no kept tokens in 0 documents: no letter or digit"),
        ([None, ""], "no kept tokens in 2 documents: no letter or digit"),
        ([[".", ","], []], "no kept tokens in 2 documents: no letter or digit"),
        (["\u0301\u200b"], "no kept tokens in 1 documents: no letter or digit"),
        (["the of", "and, the"], "in 2 documents: of 4 tokens 4 are stop words and 0 are numbers left out"),
    ],
)
def test_what_holds_no_documents(texts: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Corpus.from_texts(texts)


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (["a", "b", 3], "document 3 is of type int; expected a string or a list of tokens"),
        (["a"] * 300 + [b"b"], "document 301 is of type bytes; expected a string"),
        ([10**5000], "document 1 is of type int; expected a string"),
        ([["a"], [["b"]]], "document 2 has a token of type list; expected strings"),
        ([["a"], [b"b"]], "document 2 has a token of type bytes; expected strings"),
        ([["a"], ["b", None]], "document 2 has a token of type NoneType; expected strings"),
        ([["a"], "b"], "document 2: expected a list of tokens, as the documents before it"),
        (["a", None, ["b"]], "document 3: expected a string, as the documents before it"),
        ([[]] * 300 + [["a"]] + ["b"], "document 302: expected a list of tokens, as the documents before it"),
        (["a"] * 300 + [["b"]], "document 301: expected a string, as the documents before it"),
        ([["a"]] * 300 + ["b"] * 300, "document 301: expected a list of tokens, as the documents before it"),
        ([["a"], {"b"}], "document 2 is of type set, which has no order; expected"),
    ],
)
def test_a_document_of_the_wrong_type_is_named(documents: list[Any], message: str) -> None:
    for given in (documents, generated(documents)):
        with pytest.raises(InputError, match=message):
            Corpus.from_texts(given)


@cache
def topical() -> ToPMine:
    return ToPMine(2, n_sweeps=1, random_state=0).fit(TOPICAL)


class Row(NamedTuple):
    id: str
    text: str


ROW = {"text": "neural network"}


@pytest.mark.parametrize("row", [ROW, ROW.values(), ROW.keys(), ROW.items(), ChainMap(ROW), Row("a", "b c")])
@pytest.mark.parametrize("first", [[], ["a text"] * 300, [["a", "list"]] * 300])
def test_a_row_of_a_table_is_no_list_of_tokens(row: Any, first: list[Any]) -> None:
    """Taken for an iterable, a mapping yields its keys."""
    message = rf"document {len(first) + 1} is of type {type(row).__name__}; .*row\[\"text\"\] for row in rows"
    with pytest.raises(InputError, match=message):
        Corpus.from_texts([*first, row])


@pytest.mark.parametrize(
    "use",
    [
        lambda documents: ToPMine(2, n_sweeps=1).fit(documents),
        lambda documents: topical().transform(documents),
        lambda documents: topical().infer(documents),
        lambda documents: topical().segment(documents),
        lambda documents: PhraseVectorizer().fit(documents),
        lambda documents: PhraseVectorizer().fit(TOPICAL).transform(documents),
        lambda documents: Corpus.from_texts(TOPICAL).encode(documents),
    ],
)
@pytest.mark.parametrize("document", [ROW, {"a", "b"}, b"bytes", HUGE, [["nested"]], [b"bytes"]])
def test_whatever_takes_documents_refuses_what_is_none(
    use: Callable[[list[Any]], object], document: Any
) -> None:
    with pytest.raises(InputError, match="document 1 "):
        use([document] * 20)


# --------------------------------------------------------------------------------------------- ids


def test_ids_are_kept() -> None:
    for kind in (list, pl.Series, pd.Series, generated):
        assert Corpus.from_texts(TEXTS, ids=kind(["a", "b", "c"])).ids.to_list() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ([], "0 ids were given for 3 documents; expected one for each"),
        (["a", "b", "c", "d"], "4 ids were given for 3 documents; expected one for each"),
        (["a", None, "c"], "ids: number 2 is of type NoneType; expected a string"),
        ([1, 2, 3], "ids: number 1 is of type int; expected a string"),
    ],
)
def test_ids_that_do_not_fit(ids: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Corpus.from_texts(TEXTS, ids=ids)


# ------------------------------------------------------------------------------------------ batches


@pytest.mark.parametrize("batch_bytes", [1, 7, 100, 1 << 20])
@pytest.mark.parametrize(
    "texts",
    [
        TEXTS * 50,
        [None] * 300 + ["a"],
        pl.Series(TEXTS * 50),
        pl.Series([None, "a", None]),
        pl.Series(["", ""]),
        [["a", "b"], [], ["c"]] * 200,
    ],
)
def test_no_document_is_lost_between_batches(texts: Any, batch_bytes: int) -> None:
    parts = [batch.texts.to_list() for batch in documents_in(texts, batch_bytes, Skipped())]
    expected = [" ".join(text) if isinstance(text, list) else text or "" for text in texts]
    assert [text for part in parts for text in part] == expected


def test_batches_are_about_as_large_as_asked_for() -> None:
    sizes = [batch.texts.str.len_bytes().sum() for batch in documents_in(["x" * 10] * 1000, 1000, Skipped())]
    assert max(sizes) <= 4000
