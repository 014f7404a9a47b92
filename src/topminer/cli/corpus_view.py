"""What is known about a corpus, drawn for a person or written as JSON."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.bar import Bar
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from topminer.cli.console import visible
from topminer.cli.drawing import WIDEST, percent, section

if TYPE_CHECKING:
    from topminer.text.describe import CorpusFacts, SampleDocument

MOST_LENGTHS = 10  # rows of the histogram
WIDEST_WORD = 18


def as_json(facts: CorpusFacts, encoding: str = "utf-8") -> str:
    """Return the facts as a JSON object, in ASCII unless ``encoding`` can hold every character."""
    plain = asdict(facts)
    plain["scripts"] = dict(facts.scripts)
    plain["skipped"] = [{"what": what, "count": n, "where": where} for what, n, where in facts.skipped]
    plain["top_words"] = [{"word": word, "count": n} for word, n in facts.top_words]
    ascii_only = not encoding.lower().startswith("utf")
    return json.dumps(plain, indent=2, ensure_ascii=ascii_only)


def drawn(facts: CorpusFacts, width: int) -> RenderableType:
    """Return the facts as a page of at most ``width`` characters."""
    width = min(width, WIDEST)
    sections: list[tuple[str, RenderableType]] = [("", _overview(facts))]
    if facts.n_tokens:
        sections.append(("Tokens", _shares(facts, width)))
    if facts.n_kept:
        sections.append(("Kept tokens in a chunk", _chunk_lengths(facts.chunk_lengths, width)))
        sections.append(("Most frequent words", _words(facts.top_words, width)))
    if facts.samples:
        sections.append(("A few documents", _samples(facts.samples, width)))
    if facts.skipped:
        sections.append(("Skipped", _skipped(facts.skipped)))
    return Group(_title(facts), *(part for title, body in sections for part in section(title, body)))


def _title(facts: CorpusFacts) -> Text:
    columns = "   ".join(f"{role}: {visible(column)}" for role, column in facts.columns.items())
    return Text.assemble((visible(facts.name), "bold"), "   ", (columns, "dim"))


def _overview(facts: CorpusFacts) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style="bold", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(style="dim")
    lengths = _lengths(facts.mean_document, f"{facts.median_document:,.0f}", facts.longest_document)
    if facts.n_documents_without_tokens:
        lengths += f"; {facts.n_documents_without_tokens:,} without any"
    table.add_row(f"{facts.n_documents:,}", "documents", lengths)
    table.add_row(f"{facts.n_tokens:,}", "tokens", f"{facts.n_kept:,} kept")
    table.add_row(f"{facts.n_surfaces:,}", "distinct words", f"{facts.n_stems:,} stems")
    if facts.n_chunks:
        mean = facts.n_kept / facts.n_chunks
        lengths = _lengths(mean, _median(facts.chunk_lengths), facts.longest_chunk)
        table.add_row(f"{facts.n_chunks:,}", "chunks", lengths)
    if facts.scripts:
        scripts = [f"{name} {percent(n / facts.n_kept)}" for name, n in facts.scripts]
        table.add_row(f"{len(scripts)}", "script" if len(scripts) == 1 else "scripts", ", ".join(scripts))
    if facts.times:
        table.add_row("", "time", " – ".join(visible(time) for time in facts.times))
    return table


def _lengths(mean: float, median: str, longest: int) -> str:
    return f"{mean:,.1f} kept tokens on average, median {median}, longest {longest:,}"


def _shares(facts: CorpusFacts, width: int) -> RenderableType:
    """Draw one bar, cut into what is kept and what is not, and its key."""
    parts = [
        ("kept", facts.n_kept, "█", "green"),
        ("stop words", facts.n_stop_words, "▓", "yellow"),
        ("numbers", facts.n_numbers_dropped, "░", "red"),
    ]
    bar, key = Text(no_wrap=True), Text()
    drawn_to = counted = 0
    for name, n, block, colour in parts:
        counted += n
        until = round(counted / facts.n_tokens * (width - 4))
        bar.append(block * (until - drawn_to), colour)
        drawn_to = until
        if n:
            key.append(f"{block} ", colour).append(f"{name} {percent(n / facts.n_tokens)}   ")
    return Group(bar, key)


def _chunk_lengths(lengths: list[int], width: int) -> Table:
    """Draw a histogram; lengths beyond the last row are gathered in it."""
    rows = [(str(length), n) for length, n in enumerate(lengths[:-1]) if n or length]
    rows.append((f"{len(lengths) - 1}+", lengths[-1]))
    if len(rows) > MOST_LENGTHS:
        gathered = sum(n for _, n in rows[MOST_LENGTHS - 1 :])
        rows = [*rows[: MOST_LENGTHS - 1], (f"{rows[MOST_LENGTHS - 1][0].rstrip('+')}+", gathered)]
    while rows and not rows[-1][1]:
        rows.pop()
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right")
    table.add_column()
    table.add_column(justify="right", style="dim")
    table.add_column(justify="right", style="dim")
    longest, total = max(n for _, n in rows), sum(n for _, n in rows)
    for name, n in rows:
        bar = Bar(longest, 0, n, width=min(50, width - 28), color="blue")
        table.add_row(name, bar, f"{n:,}", percent(n / total))
    return table


def _words(words: list[tuple[str, int]], width: int) -> Table:
    """Set words and counts in as many columns as there is room for, read downwards."""
    word_width = min(WIDEST_WORD, max(cell_len(word) for word, _ in words))
    count_width = max(len(f"{n:,}") for _, n in words)
    n_columns = max(1, (width - 2) // (word_width + count_width + 5))
    n_rows = -(-len(words) // n_columns)
    table = Table.grid(padding=(0, 1))
    for _ in range(n_columns):
        table.add_column(width=word_width, no_wrap=True, overflow="ellipsis")
        table.add_column(width=count_width + 2, style="dim")
    for row in range(n_rows):
        cells = [(visible(word), f"{n:>{count_width},}") for word, n in words[row::n_rows]]
        table.add_row(*(part for cell in cells for part in cell))
    return table


def _samples(samples: list[SampleDocument], width: int) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True, overflow="ellipsis", max_width=max(6, width // 6))
    table.add_column(max_width=width - 4)
    for sample in samples:
        if table.row_count:
            table.add_row()
        table.add_row(visible(sample.id), chunks_of(sample))
    return table


def chunks_of(sample: SampleDocument) -> Text:
    """Return a document's beginning: kept tokens bright, the rest dim, a │ where a chunk ends."""
    text = Text()
    for kind, piece in sample.pieces:
        shown = visible(piece)
        if kind == "kept":
            text.append(shown, "bold")
        elif kind == "between":
            text.append(shown, "dim")
        else:
            end = _end_of_chunk(shown)
            text.append(f"{shown[:end].rstrip()} ", "dim").append("│", "dim cyan")
            text.append(f" {shown[end:].lstrip()}", "dim")
    return text


def _end_of_chunk(between: str) -> int:
    """Return where, in the text between two chunks, a reader would draw the line.

    >>> _end_of_chunk(" of them. The "), _end_of_chunk(" (")
    (9, 1)
    """
    mark = re.search(r"[^\w\s&@#%/*+=~'’-]+|(?<!\w)[-'’]|[-'’](?!\w)", between)
    if mark is None:
        return 0
    opens = mark.group()[0] in "([{“‘„«「『"
    return mark.start() if opens else mark.end()


def _skipped(skipped: list[tuple[str, int, str]]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", style="yellow")
    table.add_column()
    table.add_column(style="dim")
    for what, n, where in skipped:
        table.add_row(f"{n:,}", what, visible(where))
    return table


def _median(histogram: list[int]) -> str:
    """Return the median of a histogram whose last entry stands for itself or more.

    >>> _median([0, 2, 3, 1]), _median([0, 1, 1, 5])
    ('2', '3 or more')
    """
    half, seen = sum(histogram) / 2, 0
    for value, n in enumerate(histogram[:-1]):
        seen += n
        if seen >= half:
            return str(value)
    return f"{len(histogram) - 1} or more"
