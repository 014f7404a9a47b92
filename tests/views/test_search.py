"""The search index: queries are data, words are folded, and the file is made once, for one model."""

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from clocks import ENOUGH
from hypothesis import example, given
from hypothesis import strategies as st

from topminer.views.explorer import search
from topminer.views.explorer.excerpts import AFTER, BEFORE, CUT, excerpt
from topminer.views.explorer.search import Building, Hits, SearchIndex, Term, terms_of
from topminer.views.explorer.words import fold, folded_words, spaced, word_bounds, words_in

TEXTS = [
    "Frequent pattern mining without candidate generation",
    "Mining frequent itemsets: a survey",
    "Das Café in Zürich, naïve Ärzte",
    "東京都の天気は晴れです",
    "京都に行きたい",
    "ภาษาไทยง่ายมาก",
    "",
    "state-of-the-art parsing; parser's parse",
]

anything = st.text() | st.text(st.sampled_from("ab\"*():^-+ANDORNT '東京é\u0301\0\u200f"))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchIndex]:
    index = made(tmp_path_factory.mktemp("search"))
    yield index
    index.close()


def made(directory: Path, model: str = "model-1", texts: list[str] = TEXTS) -> SearchIndex:
    index = SearchIndex(pl.Series(texts, dtype=pl.String), directory, model)
    index.find(terms_of("begin"), 0, 1)
    index.wait()
    return index


def rows(index: SearchIndex, query: str, offset: int = 0, limit: int = 10) -> list[int]:
    found = index.find(terms_of(query), offset, limit)
    assert isinstance(found, Hits)
    return found.rows


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("mining", {0, 1}),
        ("FREQUENT mining", {0, 1}),
        ("frequent mini", {0, 1}),
        ("frequ mining", set()),
        ('"frequent pattern"', {0}),
        ('"pattern frequent"', set()),
        ('"frequent patt"', set()),
        ('"frequent pattern', {0}),
        ("cafe zurich", {2}),
        ("CAFÉ", {2}),
        ("naive arzte", {2}),
        ("京都", {3, 4}),
        ("東京", {3}),
        ("京東", set()),
        ("天気 晴", {3}),
        ("ไทย", {5}),
        ("state-of-the-art", {7}),
        ("of-the", {7}),
        ("the of", {7}),
        ("pars", {7}),
        ("NOT mining", set()),
        ("mining OR survey", set()),
        ("", set()),
        ('"" - *', set()),
        ("p", set()),
    ],
)
def test_what_is_found(index: SearchIndex, query: str, expected: set[int]) -> None:
    assert set(rows(index, query)) == expected


def test_the_best_come_first_and_lists_go_on(tmp_path: Path) -> None:
    index = made(tmp_path, texts=["apple " + "pear " * 30, "apple", "plum", "apple apple", *["fig"] * 20])
    found = index.find(terms_of("apple"), 0, 2)
    assert found == Hits(3, [3, 1])
    assert index.find(terms_of("apple"), 2, 2) == Hits(3, [0])
    assert index.find(terms_of("apple"), 5, 2) == Hits(3, [])


@given(anything)
@example('"')
@example("a AND")
@example("text : *")
@example("NEAR(a b, 2)")
@example("\ud800 a")
def test_any_text_is_a_query(index: SearchIndex, query: str) -> None:
    found = index.find(terms_of(query), 0, 10)
    assert isinstance(found, Hits)
    for row in found.rows:
        assert any(is_hit for _, is_hit in excerpt(TEXTS[row], terms_of(query)))


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=8))
def test_every_word_of_a_text_finds_it_and_is_marked(texts: list[str]) -> None:
    database = sqlite3.connect(":memory:")
    database.execute(search._SCHEMA["texts"])
    database.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", enumerate(spaced(texts)))
    for row, text in enumerate(texts):
        for word in folded_words(text):
            (term,) = terms_of(f'"{word}"')
            match = search.match_of([term])
            found = database.execute("SELECT rowid FROM texts WHERE texts MATCH ?", (match,)).fetchall()
            assert (row,) in found
            for (each,) in found:
                assert any(term.matches(words_in(texts[each])[2], at) for at in range(len(texts[each])))
    database.close()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_words_lie_apart_and_fold_alike_alone_and_in_their_text(text: str) -> None:
    starts, stops = (bounds.tolist() for bounds in word_bounds(text))
    assert all(start < stop for start, stop in zip(starts, stops, strict=True))
    assert all(stop <= start for stop, start in zip(stops[:-1], starts[1:], strict=True))
    assert [word for word in words_in(text)[2] if word] == [fold(word) for word in folded_words(text)]
    assert spaced([text, "x", text])[0].split(" ").count("") >= 0
    assert spaced([text, "x", text])[0].split() == folded_words(text)


@given(
    st.text(st.sampled_from("ab é東 .,\n")),
    st.lists(st.sampled_from(["a", "b", "ab", "é", "東"]), max_size=3),
)
def test_an_excerpt_is_a_part_of_its_text(text: str, words: list[str]) -> None:
    pieces = excerpt(text, [Term((fold(word),)) for word in words])
    assert "".join(piece for piece, _ in pieces if piece != CUT) in text
    assert sum(map(len, (piece for piece, _ in pieces))) <= BEFORE + AFTER + 2


def test_an_excerpt_lies_around_the_first_hit() -> None:
    text = "word " * 100 + "Needles, needle " + "word " * 100
    pieces = excerpt(text, terms_of("needle"))
    assert [piece for piece, is_hit in pieces if is_hit] == ["Needles", "needle"]
    assert (pieces[0], pieces[-1]) == ((CUT, False), (CUT, False))
    assert pieces[1][0].startswith("word ")
    assert pieces[-2][0].endswith(" word")


@pytest.mark.parametrize(("most", "most_bytes"), [(3, 10), (1, 10**6), (100, 1), (100, 10**6), (2, 5)])
def test_batches_are_small_and_miss_nothing(monkeypatch, most: int, most_bytes: int) -> None:
    monkeypatch.setattr(search, "BATCH", most)
    monkeypatch.setattr(search, "BATCH_BYTES", most_bytes)
    texts = ["a" * (number % 7) for number in range(20)]
    batches = list(search._batches(pl.Series([*texts, None])))
    assert [number for first, stop in batches for number in range(first, stop)] == list(range(21))
    for first, stop in batches:
        assert 0 < stop - first <= most
        assert stop - first == 1 or sum(map(len, texts[first:stop])) <= most_bytes
    assert list(search._batches(pl.Series([], dtype=pl.String))) == []


def test_a_query_has_an_end() -> None:
    assert len(terms_of("a " * 500)) == search.MOST_TERMS


# ------------------------------------------------------------------------ the file


def test_it_is_made_once(tmp_path: Path) -> None:
    first = made(tmp_path)
    changed = (tmp_path / search.FILE).stat().st_mtime_ns
    again = SearchIndex(pl.Series(TEXTS), tmp_path, "model-1")
    assert rows(again, "survey") == rows(first, "survey") == [1]
    assert (tmp_path / search.FILE).stat().st_mtime_ns == changed


def test_it_is_small_and_alone(tmp_path: Path) -> None:
    made(tmp_path).close()
    assert [path.name for path in tmp_path.iterdir()] == [search.FILE]
    assert b"candidate generation" not in (tmp_path / search.FILE).read_bytes()


@pytest.mark.parametrize("model", ["model-2", "' OR 1"])
def test_that_of_another_model_is_made_anew(tmp_path: Path, model: str) -> None:
    made(tmp_path, texts=["old"]).close()
    other = made(tmp_path, model, ["new"])
    assert (rows(other, "old"), rows(other, "new")) == ([], [0])


@pytest.mark.parametrize("harm", [b"", b"no database", None])
def test_a_damaged_one_is_made_anew(tmp_path: Path, harm: bytes | None) -> None:
    made(tmp_path).close()
    path = tmp_path / search.FILE
    if harm is None:
        whole = path.read_bytes()
        harm = whole[:4096] + bytes(len(whole) - 4096)
    path.write_bytes(harm)
    assert rows(made(tmp_path), "survey") == [1]


def test_one_that_is_damaged_under_way_is_made_anew(tmp_path: Path) -> None:
    index = made(tmp_path)
    (tmp_path / search.FILE).write_bytes(b"no database at all")
    index.find(terms_of("survey"), 0, 1)
    index.wait()
    assert rows(index, "survey") == [1]


def test_a_file_with_more_in_it_than_we_write_is_not_trusted(tmp_path: Path) -> None:
    made(tmp_path).close()
    with sqlite3.connect(tmp_path / search.FILE) as database:
        database.execute("CREATE VIEW more AS SELECT 1")
    database.close()
    assert rows(made(tmp_path), "survey") == [1]
    with sqlite3.connect(tmp_path / search.FILE) as database:
        assert database.execute("SELECT * FROM sqlite_schema WHERE name = 'more'").fetchall() == []
    database.close()


def test_where_nothing_can_be_written_it_is_temporary(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setattr(search.tempfile, "tempdir", str(tmp_path / "elsewhere"))
    index = made(tmp_path / "not there")
    assert rows(index, "survey") == [1]
    assert len(list((tmp_path / "elsewhere").rglob(search.FILE))) == 1
    index.close()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_where_it_cannot_be_made_at_all_that_is_said_and_tried_again(tmp_path: Path, monkeypatch) -> None:
    with monkeypatch.context() as harm:
        harm.setattr(search, "spaced", lambda texts: 1 / 0)
        index = SearchIndex(pl.Series(TEXTS), tmp_path, "model-1")
        assert not index._ready_or_begun()
        index.wait()
    with pytest.raises(search.Unavailable, match="division"):
        index.find(terms_of("survey"), 0, 1)
    index.find(terms_of("survey"), 0, 1)
    index.wait()
    assert rows(index, "survey") == [1]


def test_how_far_it_is_is_told_and_closing_gives_it_up(tmp_path: Path, monkeypatch) -> None:
    more, waiting = threading.Event(), threading.Event()

    def slowly(texts: list[str]) -> list[str]:
        if index._done:
            waiting.set()
            more.wait(ENOUGH)
        return spaced(texts)

    monkeypatch.setattr(search, "spaced", slowly)
    monkeypatch.setattr(search, "BATCH", 2)
    monkeypatch.setattr(search, "PATIENCE", 0)
    index = SearchIndex(pl.Series(TEXTS), tmp_path, "model-1")
    assert isinstance(index.find(terms_of("survey"), 0, 1), Building)
    assert waiting.wait(ENOUGH)
    assert index.find(terms_of("survey"), 0, 1) == Building(2, len(TEXTS))
    assert len(list(tmp_path.iterdir())) == 1
    index._closing.set()
    more.set()
    index.close()
    assert list(tmp_path.iterdir()) == []
