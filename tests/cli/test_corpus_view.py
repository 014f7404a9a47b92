"""The page of facts, drawn from facts made by hand."""

import io
import json
import re
from dataclasses import replace

import pytest
from rich.console import Console
from rich.text import Text

from topminer.cli.corpus_view import as_json, chunks_of, drawn
from topminer.text.describe import CorpusFacts, SampleDocument

SAMPLE = SampleDocument(
    id="p1",
    pieces=[
        ("kept", "Support"),
        ("between", " "),
        ("kept", "vector"),
        ("between", " "),
        ("kept", "machines"),
        ("end", ", as we "),
        ("kept", "know"),
        ("end", " (and "),
        ("kept", "love"),
        ("between", ")."),
    ],
)
FACTS = CorpusFacts(
    name="papers.jsonl",
    columns={"text": "abstract", "id": "doi"},
    n_documents=1_234,
    n_documents_without_tokens=3,
    n_tokens=50_000,
    n_kept=30_000,
    n_stop_words=19_000,
    n_numbers_dropped=1_000,
    n_surfaces=4_321,
    n_stems=3_210,
    n_chunks=10_000,
    chunk_lengths=[0, 4_000, 3_000, 2_000, 500, 400, 50, 20, 10, 5, 5, 4, 6],
    longest_chunk=41,
    mean_document=24.3,
    median_document=21.0,
    longest_document=987,
    scripts=[("Latin", 29_990), ("Han", 10)],
    skipped=[("empty documents", 12, "lines 3, 17, …")],
    top_words=[(f"word{i}", 1_000 - i) for i in range(20)],
    times=("1965", "2021"),
    samples=[SAMPLE],
)
EMPTY = CorpusFacts(
    name="empty.txt",
    columns={},
    n_documents=2,
    n_documents_without_tokens=2,
    n_tokens=0,
    n_kept=0,
    n_stop_words=0,
    n_numbers_dropped=0,
    n_surfaces=0,
    n_stems=0,
    n_chunks=0,
    chunk_lengths=[0],
    longest_chunk=0,
    mean_document=0.0,
    median_document=0.0,
    longest_document=0,
    scripts=[],
    skipped=[],
    top_words=[],
    times=None,
    samples=[],
)


def page(facts: CorpusFacts, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, markup=False, emoji=False, highlight=False)
    console.print(drawn(facts, width))
    return console.file.getvalue()


@pytest.mark.parametrize(
    "fact",
    [
        "papers.jsonl   text: abstract   id: doi",
        "1,234  documents",
        "24.3 kept tokens on average, median 21, longest 987; 3 without any",
        "50,000  tokens",
        "4,321  distinct words  3,210 stems",
        "3.0 kept tokens on average, median 2, longest 41",
        "Latin 100.0 %, Han < 0.1 %",
        "1965 – 2021",
        "kept 60.0 %",
        "stop words 38.0 %",
        "numbers 2.0 %",
        "word19",
        "12  empty documents  lines 3, 17, …",
        "machines, │ as we know │ (and love",
    ],
)
def test_every_fact_is_on_the_page(fact: str) -> None:
    assert fact in page(FACTS)


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_the_page_fits_its_width(width: int) -> None:
    assert max(map(len, page(FACTS, width).splitlines())) <= width


def test_the_histogram_gathers_the_long_chunks() -> None:
    histogram = page(FACTS).partition("Kept tokens in a chunk\n")[2].partition("\n\n")[0]
    assert dict(re.findall(r"^ *(\S+) .*? ([\d,]+) +(?:< )?[\d.]+ %", histogram, re.MULTILINE)) == {
        "1": "4,000", "2": "3,000", "3": "2,000", "4": "500", "5": "400",
        "6": "50", "7": "20", "8": "10", "9": "5", "10+": "15",
    }  # fmt: skip


def test_a_corpus_of_nothing_can_be_drawn() -> None:
    assert "2  documents" in page(EMPTY)
    assert "Most frequent words" not in page(EMPTY)


def test_one_chunk_can_be_drawn() -> None:
    one = replace(FACTS, n_kept=2, n_chunks=1, chunk_lengths=[0, 0, 1], longest_chunk=2)
    assert "median 2 or more" in page(one)


def test_a_corpus_of_stop_words_alone_can_be_drawn() -> None:
    nothing_kept = replace(EMPTY, n_tokens=7, n_stop_words=7)
    assert "stop words 100.0 %" in page(nothing_kept)


def test_text_that_looks_like_markup_or_controls_the_terminal_is_shown_as_it_is() -> None:
    hostile = "[bold]:smile:\x1b[2J\u202e"
    facts = replace(
        FACTS, name=hostile, top_words=[("[/]", 3)], samples=[SampleDocument(hostile, [("kept", hostile)])]
    )
    shown = page(facts)
    assert shown.count("[bold]:smile:·[2J·") == 2
    assert "[/]" in shown
    assert "\x1b" not in shown


def test_kept_tokens_are_bright_and_the_rest_is_dim() -> None:
    text = chunks_of(SAMPLE)
    assert isinstance(text, Text)
    bright = [text.plain[span.start : span.end] for span in text.spans if span.style == "bold"]
    assert bright == ["Support", "vector", "machines", "know", "love"]


def test_json_holds_the_same_facts() -> None:
    facts = json.loads(as_json(FACTS))
    assert facts["n_documents"] == 1_234
    assert facts["scripts"] == {"Latin": 29_990, "Han": 10}
    assert facts["top_words"][0] == {"word": "word0", "count": 1_000}
    assert facts["skipped"] == [{"what": "empty documents", "count": 12, "where": "lines 3, 17, …"}]
    assert facts["samples"][0]["pieces"][0] == ["kept", "Support"]


def test_json_is_ascii_where_nothing_else_can_be_printed() -> None:
    assert "…" in as_json(FACTS)
    assert as_json(FACTS, "latin-1").isascii()
