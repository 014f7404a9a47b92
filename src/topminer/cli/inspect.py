"""``topminer inspect``: what topminer sees in a corpus, before anything is mined."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rich.bar import Bar
from rich.cells import cell_len
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from topminer.cli.command import spread
from topminer.cli.options import CorpusArgument, ResultOptions, RunOptions, TextOptions
from topminer.text.printable import printable

if TYPE_CHECKING:
    from topminer.text.describe import CorpusFacts, SampleDocument
    from topminer.views.tables import Table

EXAMPLES = [
    "topminer inspect titles.txt",
    "topminer inspect papers.csv --text-column abstract --id-column doi",
    "topminer inspect reden.jsonl.zst --language german --stop-word-policy break",
    "zcat news.jsonl.gz | topminer inspect - --input-format jsonl --format json",
]
MOST_LENGTHS = 10  # rows of the histogram
WIDEST_BAR = 50
_DONE = {"drop": "left out; a chunk ends there", "skip": "left out", "keep": "kept"}
USUAL = 110  # characters of a line that goes into a pipe


@spread
def inspect(corpus: CorpusArgument, text: TextOptions, run: RunOptions, result: ResultOptions) -> None:
    """Show what topminer sees in a corpus.

    Documents, words, chunks and scripts, the most frequent words, what was skipped and why, and a few
    documents cut into chunks: a look tells whether the right column was read in the right language.
    """
    from topminer.cli.session import Session

    session = Session(run)
    with session.progress() as progress:
        read = text.read(corpus, run, progress)
        from topminer.text.describe import describe

        facts = describe(read)
    session.show(Inspection(facts), result.format)


@dataclass(frozen=True)
class Inspection:
    """The facts about a corpus as they are shown."""

    facts: CorpusFacts

    def data(self) -> Any:
        """Return them for JSON."""
        facts = self.facts
        return {
            **asdict(facts),
            "scripts": dict(facts.scripts),
            "skipped": [{"what": what, "count": n, "where": where} for what, n, where in facts.skipped],
            "kinds": [{"kind": kind, "count": n, "policy": policy} for kind, n, policy in facts.kinds],
            "top_words": [{"word": word, "count": n} for word, n in facts.top_words],
        }

    def tables(self) -> list[Table]:
        """Return the facts, the lengths of chunks, the most frequent words, and what was skipped."""
        from topminer.views.tables import Column, Table

        facts = self.facts
        plain = {name: value for name, value in vars(facts).items() if isinstance(value, str | int | float)}
        about = [(name, value) for name, value in plain.items()]
        about += [(f"script {name}", n) for name, n in facts.scripts]
        about += [*zip(("first_time", "last_time"), facts.times or (), strict=False)]
        return [
            Table([Column("fact"), Column("value")], about, "Corpus"),
            Table([Column("kept_tokens"), Column("chunks")], self._lengths(), "Kept tokens in a chunk"),
            Table([Column("word"), Column("count")], facts.top_words, "Most frequent words"),
            Table([Column("kind"), Column("count"), Column("policy")], facts.kinds, "Kinds of text"),
            Table([Column("skipped"), Column("count"), Column("where")], facts.skipped, "Skipped"),
        ]

    def page(self, width: int | None) -> RenderableType:
        """Return the facts, one group below the other."""
        from topminer.cli.render import facts as numbered
        from topminer.cli.render import page, section

        facts, room = self.facts, (width or USUAL) - 2
        columns = "   ".join(f"{role}: {printable(column)}" for role, column in facts.columns.items())
        skipped = [(f"{n:,}", what, where) for what, n, where in facts.skipped]
        kinds = [(f"{n:,}", kind, _DONE[policy]) for kind, n, policy in facts.kinds]
        return page(
            Text.assemble((printable(facts.name), "bold"), "   ", (columns, "dim")),
            section("", self._overview()),
            section("Tokens", self._shares(room)) if facts.n_tokens else None,
            section("Kept tokens in a chunk", self._histogram(room)) if facts.n_kept else None,
            section("Most frequent words", self._words(width)) if facts.n_kept else None,
            section("A few documents", self._samples(width)) if facts.samples else None,
            section("Kinds of text", numbered(kinds)) if kinds else None,
            section("Skipped", numbered(skipped)) if skipped else None,
        )

    def _overview(self) -> RenderableType:
        from topminer.cli.render import facts as numbered
        from topminer.views.numbers import percent

        facts = self.facts
        lengths = _lengths_text(facts.mean_document, f"{facts.median_document:,.0f}", facts.longest_document)
        if facts.n_documents_without_tokens:
            lengths += f"; {facts.n_documents_without_tokens:,} without any"
        rows = [
            (f"{facts.n_documents:,}", "documents", lengths),
            (f"{facts.n_tokens:,}", "tokens", f"{facts.n_kept:,} kept"),
            (f"{facts.n_surfaces:,}", "distinct words", f"{facts.n_stems:,} stems"),
        ]
        if facts.n_chunks:
            mean, median = facts.n_kept / facts.n_chunks, _median(facts.chunk_lengths)
            rows.append((f"{facts.n_chunks:,}", "chunks", _lengths_text(mean, median, facts.longest_chunk)))
        if facts.scripts:
            scripts = [f"{name} {percent(n / facts.n_kept)}" for name, n in facts.scripts]
            rows.append((f"{len(scripts)}", "script" if len(scripts) == 1 else "scripts", ", ".join(scripts)))
        if facts.times:
            rows.append(("", "time", " – ".join(facts.times)))
        return numbered(rows)

    def _shares(self, width: int) -> RenderableType:
        """Draw one bar, cut into what is kept and what is not, and its key."""
        from topminer.views.numbers import percent

        facts = self.facts
        parts = [
            ("kept", facts.n_kept, "█", "green"),
            ("stop words", facts.n_stop_words, "▓", "yellow"),
            ("numbers", facts.n_numbers_dropped, "░", "red"),
            ("rare words and duplicates", facts.n_filtered, "▒", "magenta"),
        ]
        others = facts.n_tokens - sum(n for _, n, _, _ in parts)
        parts.append(("other kinds", others, "▒", "cyan"))
        bar, key = Text(no_wrap=True), Text()
        drawn_to = counted = 0
        for name, n, block, colour in parts:
            counted += n
            until = round(counted / facts.n_tokens * (width - 2))
            bar.append(block * (until - drawn_to), colour)
            drawn_to = until
            if n:
                key.append(f"{block} ", colour).append(f"{name} {percent(n / facts.n_tokens)}   ")
        return Group(bar, key)

    def _lengths(self) -> list[tuple[str, int]]:
        """Return how many chunks have each length; long ones are counted together in the last row."""
        lengths = self.facts.chunk_lengths
        rows = [(str(length), n) for length, n in enumerate(lengths[:-1]) if n or length]
        rows.append((f"{len(lengths) - 1}+", lengths[-1]))
        if len(rows) > MOST_LENGTHS:
            last, counted = rows[MOST_LENGTHS - 1][0], sum(n for _, n in rows[MOST_LENGTHS - 1 :])
            rows = [*rows[: MOST_LENGTHS - 1], (f"{last.rstrip('+')}+", counted)]
        while rows and not rows[-1][1]:
            rows.pop()
        return rows

    def _histogram(self, width: int) -> Grid:
        from topminer.views.numbers import percent

        rows = self._lengths()
        longest, total = max(n for _, n in rows), sum(n for _, n in rows)
        grid = Grid.grid(padding=(0, 1))
        grid.add_column(justify="right")
        grid.add_column()
        grid.add_column(justify="right", style="dim")
        grid.add_column(justify="right", style="dim")
        for name, n in rows:
            bar = Bar(longest, 0, n, width=min(WIDEST_BAR, width - 26), color="blue")
            grid.add_row(name, bar, f"{n:,}", percent(n / total))
        return grid

    def _words(self, width: int | None) -> RenderableType:
        """Set words and counts in as many columns as there is room for, read downwards."""
        words = [printable(word) for word, _ in self.facts.top_words]
        counts = [f"{n:,}" for _, n in self.facts.top_words]
        widest = max(map(cell_len, words))
        count_width = max(map(len, counts))
        cells = []
        for word, count in zip(words, counts, strict=True):
            cell = Text(word + " " * (widest - cell_len(word)))
            cells.append(cell.append(f" {count:>{count_width}}", "dim"))
        if width is None:  # a pipe has no end that columns could fill
            return Group(*cells)
        return Columns(cells, padding=(0, 3), column_first=True)

    def _samples(self, width: int | None) -> Grid:
        grid = Grid.grid(padding=(0, 2))
        id_width = None if width is None else max(6, width // 6)
        grid.add_column(style="dim", overflow="fold", max_width=id_width)
        grid.add_column()
        for sample in self.facts.samples:
            if grid.row_count:
                grid.add_row()
            grid.add_row(printable(sample.id), chunks_of(sample))
        return grid


def _lengths_text(mean: float, median: str, longest: int) -> str:
    return f"{mean:,.1f} kept tokens on average, median {median}, longest {longest:,}"


def chunks_of(sample: SampleDocument) -> Text:
    """Return a document's beginning: kept tokens bright, the rest dim, a │ where a chunk ends."""
    text = Text()
    for kind, piece in sample.pieces:
        shown = printable(piece)
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
