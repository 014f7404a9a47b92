"""The search index: queries are data, words are folded, and the file is made once, for one model."""

import os
import sqlite3
import stat
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
DIGEST = "1" * 64
OPENED: list[SearchIndex] = []


@pytest.fixture
def cache(tmp_path: Path, monkeypatch) -> Iterator[Path]:
    """The folder of indexes, which is not there yet; in the end they are closed."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    n_before = len(OPENED)
    yield tmp_path / "topminer" / "search"
    for index in OPENED[n_before:]:
        index.close()


def files_in(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def index() -> Iterator[SearchIndex]:
    index = made("a" * 64)
    yield index
    index.close()


def unmade(digest: str = DIGEST, texts: list[str] = TEXTS) -> SearchIndex:
    OPENED.append(SearchIndex(pl.Series(texts, dtype=pl.String), digest))
    return OPENED[-1]


def made(digest: str = DIGEST, texts: list[str] = TEXTS) -> SearchIndex:
    index = unmade(digest, texts)
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


@pytest.mark.usefixtures("cache")
def test_the_best_come_first_and_lists_go_on() -> None:
    assert len(terms_of("a " * 500)) == search.MAX_TERMS
    index = made(texts=["apple " + "pear " * 30, "apple", "plum", "apple apple", *["fig"] * 20])
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
    database.execute(search.SCHEMA)
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


# ------------------------------------------------------------------------ the file


def test_it_is_made_once_and_holds_no_texts(cache: Path) -> None:
    made().close()
    (path,) = files_in(cache)
    before = path.read_bytes()
    again = made()
    assert rows(again, "survey") == [1]
    again.close()
    assert files_in(cache) == [path]
    assert path.read_bytes() == before
    assert b"candidate generation" not in before


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_only_the_user_can_read_it_and_what_a_killed_process_left_is_removed(cache: Path) -> None:
    cache.mkdir(parents=True, mode=0o755)
    (cache / ".unfinished-0123456789abcdef").touch()
    made().close()
    assert len(files_in(cache)) == 1
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700


def test_those_that_were_not_used_for_longest_are_removed(cache: Path, monkeypatch) -> None:
    monkeypatch.setattr(search, "MAX_INDEXES", 3)
    for number in "1234":
        made(number * 64).close()
        (newest,) = cache.glob(f"{number}*")
        os.utime(newest, (int(number), int(number)))
        if number == "3":
            made("1" * 64).close()  # used again
    assert sorted(path.name[0] for path in files_in(cache)) == ["1", "3", "4"]


@pytest.mark.parametrize("when", ["before", "while it is open"])
@pytest.mark.parametrize("harm", [b"", b"no database", None])
def test_a_damaged_one_is_made_anew(cache: Path, harm: bytes | None, when: str) -> None:
    index = made()
    (path,) = files_in(cache)
    whole = path.read_bytes()
    if when == "before":
        index.close()
    path.write_bytes(whole[:4096] + bytes(len(whole) - 4096) if harm is None else harm)
    if when == "before":
        index = made()
        assert path.read_bytes() == whole
    index.find(terms_of("survey"), 0, 1)
    index.wait()
    assert rows(index, "survey") == [1]
    index.close()


def test_one_of_other_documents_is_made_anew(cache: Path) -> None:
    made(texts=["fig", "survey", *["pear"] * 8, "survey"]).close()
    assert rows(made(), "survey") == [1]


def homeless() -> Path:
    raise RuntimeError("Could not determine home directory.")


def test_where_nothing_can_be_written_it_is_in_memory(cache: Path, monkeypatch) -> None:
    cache.parent.mkdir(parents=True)
    cache.write_text("a file, not a folder")
    index = made()
    assert rows(index, "survey") == rows(index, "survey") == [1]
    index.close()
    assert cache.read_text() == "a file, not a folder"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", homeless)
    assert search.cache_folder() is None
    assert rows(made(), "survey") == [1]


@pytest.mark.usefixtures("cache")
def test_where_it_cannot_be_made_at_all_that_is_said_and_tried_again(monkeypatch) -> None:
    with monkeypatch.context() as harm:
        harm.setattr(search, "spaced", lambda texts: 1 / 0)
        index = unmade()
        with index._lock:
            index._open_or_build()
        index.wait()
    with pytest.raises(search.Unavailable, match="division"):
        index.find(terms_of("survey"), 0, 1)
    index.find(terms_of("survey"), 0, 1)
    index.wait()
    assert rows(index, "survey") == [1]


def test_how_far_it_is_is_told_and_closing_gives_it_up(cache: Path, monkeypatch) -> None:
    more, waiting = threading.Event(), threading.Event()

    def slowly(texts: list[str]) -> list[str]:
        if index._done:
            waiting.set()
            more.wait(ENOUGH)
        return spaced(texts)

    monkeypatch.setattr(search, "spaced", slowly)
    monkeypatch.setattr(search, "BATCH", 2)
    monkeypatch.setattr(search, "SHORT_WAIT", 0)
    index = unmade()
    assert isinstance(index.find(terms_of("survey"), 0, 1), Building)
    assert waiting.wait(ENOUGH)
    assert index.find(terms_of("survey"), 0, 1) == Building(2, len(TEXTS))
    assert len(files_in(cache)) == 1
    index._closing.set()
    more.set()
    index.close()
    assert files_in(cache) == []
