"""The merge tree of one text, drawn for a person or written as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from topminer.cli.console import visible
from topminer.cli.drawing import WIDEST, section
from topminer.cli.tree_drawing import BEYOND, GLUED, MERGED, THRESHOLD, TreeDrawing
from topminer.views.numbers import expected_text, quality_text, score_beside, threshold_text
from topminer.views.wording import STATISTICS, judged_text, quality_terms, terms, verdict, why

if TYPE_CHECKING:
    from topminer.phrases.explain import Explanation, Phrase

NUMBERS = ("score", "seen", "expected")
WIDE_ENOUGH = 24  # for a pair of phrases, if columns of numbers can make room for it
_EXPENDABLE = (("f(left)", "f(right)"), ("lowest",), ("expected",), ("seen",))


def as_json(explained: Explanation, encoding: str = "utf-8") -> str:
    """Return the explanation as a JSON object, in ASCII unless ``encoding`` can hold every character."""
    plain = asdict(explained)
    if math.isinf(explained.threshold):
        plain["threshold"] = None
    return json.dumps(plain, indent=2, ensure_ascii=not encoding.lower().startswith("utf"))


def drawn(explained: Explanation, width: int) -> RenderableType:
    """Return the explanation as a page of at most ``width`` characters."""
    width = min(width, WIDEST)
    parts: list[RenderableType] = [_phrases(explained), ""] if explained.text.strip() else []
    parts.append(Text(terms(explained), "dim"))
    if not explained.tokens:
        parts += ["", Text("No word of this text takes part in mining.", "yellow")]
    else:
        parts += section("Merge tree", _tree(explained, width - 2))
    if explained.merges:
        parts += section("Merges, in order", _merges(explained, width - 2))
    if explained.judgements:
        parts += section("Quality of the finished phrases", _judgements(explained, width - 2))
    if explained.neighbours:
        parts += section("Why the others stay apart", _neighbours(explained, width - 2))
    return Group(*parts)


def _phrases(explained: Explanation) -> Text:
    """Return the text with its phrases of several words in brackets; what is not kept is dim."""
    text = Text()
    for phrase, piece in explained.pieces:
        if phrase is None:
            text.append(visible(piece), "dim")
        elif phrase.length == 1:
            text.append(visible(piece), "bold")
        else:
            text.append("[", MERGED).append(visible(piece), f"bold {MERGED}").append("]", MERGED)
    return text


def _tree(explained: Explanation, width: int) -> RenderableType:
    """Draw a row for each word: its branch of the tree, and the merge that joins it to the words above."""
    label = f"threshold {threshold_text(explained.threshold)}"
    words = list(_words(explained))
    widest = max(len(label), width * 2 // 5)
    words_width = min(widest, max(len(label), *(word.cell_len for word in words)))
    numbers = _numbers(explained)
    columns = list(zip([Text(head, "dim") for head in NUMBERS], *numbers, strict=True))
    if not any(score for score, *_ in numbers):
        columns.clear()
    while True:
        taken = sum(2 + max(cell.cell_len for cell in column) for column in columns)
        tree = TreeDrawing(explained, width - words_width - 2 - taken)
        if tree.rows or not columns:
            break
        columns.pop()  # the numbers are in the table of merges as well
    if not tree.rows:
        return Text("The tree is too deep for so few columns; --output FILE.svg draws it.", "yellow")
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(width=words_width, no_wrap=True, overflow="ellipsis")
    table.add_column(width=tree.width, no_wrap=True)
    for _ in columns:
        table.add_column(justify="right", no_wrap=True)
    leader = Text("╌" * tree.threshold_column + "┐", THRESHOLD)
    table.add_row(Text(label, THRESHOLD, justify="right"), leader, *(head for head, *_ in columns))
    chunk = 0
    for i, token in enumerate(explained.tokens):
        if token.chunk != chunk:
            table.add_row(Text("╶╶╶", "dim"), Text(" " * tree.threshold_column + "┊", THRESHOLD))
        chunk = token.chunk
        table.add_row(words[i], tree.rows[i], *(column[i + 1] for column in columns))
    return table


def _words(explained: Explanation) -> Iterator[Text]:
    """Yield each kept token with what stands behind it, so that the words can be read downwards."""
    several = [phrase for phrase in explained.phrases if phrase.length > 1]
    in_phrase = {i for phrase in several for i in range(phrase.first, phrase.behind)}
    ends = [*(token.start for token in explained.tokens[1:]), len(explained.text)]
    for i, (token, end) in enumerate(zip(explained.tokens, ends, strict=True)):
        behind = visible(explained.text[token.end : end]).rstrip()
        style = f"bold {MERGED}" if i in in_phrase else "bold"
        yield Text.assemble((visible(token.text), style), (behind, "dim"))


def _numbers(explained: Explanation) -> list[list[Text]]:
    """Return, for each token, the numbers of the merge that joins it to the one before it."""
    rows = [[Text("always" if token.glued else "", GLUED), Text(), Text()] for token in explained.tokens]
    for merge in explained.merges:
        score = score_beside(merge.score, explained.threshold)
        numbers = [score, f"{merge.observed:,}", expected_text(merge.expected)]
        style = MERGED if merge.happens else BEYOND
        rows[merge.right.first] = [Text(number, style) for number in numbers]
    return rows


def _merges(explained: Explanation, width: int) -> Table:
    """Return a table of the merges, with as many numbers as there is room for."""
    merges = explained.merges
    pairs = [_pair(merge.left, " ⊕ ", merge.right) for merge in merges]
    numbers = _columns(explained)
    wanted = min(WIDE_ENOUGH, max(pair.cell_len for pair in pairs))
    for heads in _EXPENDABLE:
        taken = sum(2 + max(map(len, [head, *column])) for head, column in numbers.items())
        if width - taken - 2 - len(f"{len(merges)}") >= wanted:
            break
        for head in heads:
            numbers.pop(head, None)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("", justify="right", style="dim", no_wrap=True)
    table.add_column("left ⊕ right", overflow="fold")
    for head in numbers:
        table.add_column(head, justify="right", no_wrap=True)
    n_happen = sum(merge.happens for merge in merges)
    for i, merge in enumerate(merges):
        if i == n_happen:
            line = f"╌╌ threshold {threshold_text(explained.threshold)} ╌╌"
            table.add_row("", Text(line, THRESHOLD))
        cells = (column[i] for column in numbers.values())
        table.add_row(f"{i + 1}", pairs[i], *cells, style="" if merge.happens else BEYOND)
    return table


def _columns(explained: Explanation) -> dict[str, list[str]]:
    """Return the numbers of all merges; the lowest score so far only where it differs from the score."""
    merges, threshold = explained.merges, explained.threshold
    columns = {
        "f(left)": [f"{merge.left.count:,}" for merge in merges],
        "f(right)": [f"{merge.right.count:,}" for merge in merges],
        "seen": [f"{merge.observed:,}" for merge in merges],
        "expected": [expected_text(merge.expected) for merge in merges],
        "score": [score_beside(merge.score, threshold) for merge in merges],
        "lowest": [score_beside(merge.strength, threshold) for merge in merges],
    }
    if columns["lowest"] == columns["score"]:
        del columns["lowest"]
    return columns


def _pair(left: Phrase, sign: str, right: Phrase) -> Text:
    return Text.assemble(visible(left.text), (sign, "cyan"), visible(right.text))


def _judgements(explained: Explanation, width: int) -> RenderableType:
    """Return the judged phrases with their qualities; below each, what adds most to it or takes most."""
    shown = [visible(each.phrase.text) for each in explained.judgements]
    qualities = [judged_text(each, explained) for each in explained.judgements]
    phrase_width, quality_width = min(width * 3 // 5, max(map(cell_len, shown))), max(map(len, qualities))
    drawn: list[RenderableType] = [Text(quality_terms(explained), "dim")]
    for text, quality, each in zip(shown, qualities, explained.judgements, strict=True):
        style = MERGED if each.stays else BEYOND
        row = Table.grid(padding=(0, 2, 0, 0))
        row.add_column(width=phrase_width, overflow="fold")
        row.add_column(width=quality_width, justify="right", no_wrap=True)
        row.add_column(no_wrap=True)
        row.add_row(Text(text, style), quality, Text(verdict(each), style))
        drawn.append(row)
        parts = sorted(each.parts.items(), key=lambda part: -abs(part[1]))
        told = [f"{STATISTICS[name]} {quality_text(value)}" for name, value in parts if value]
        drawn += [Padding.indent(Text(line, "dim"), 2) for line in _lines(told, width - 2)]
    return Group(*drawn)


def _lines(pieces: list[str], width: int) -> list[str]:
    """Set pieces in lines, with dots between; no line ends inside a piece.

    >>> _lines(["one +1.0", "two +2.0", "three +3.0"], 20)
    ['one +1.0 · two +2.0', 'three +3.0']
    """
    lines: list[str] = []
    for piece in pieces:
        if lines and len(lines[-1]) + 3 + len(piece) <= width:
            lines[-1] += f" · {piece}"
        else:
            lines.append(piece)
    return lines


def _neighbours(explained: Explanation, width: int) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(max_width=width * 2 // 5, overflow="fold")
    table.add_column(style="dim")
    for pair in explained.neighbours:
        table.add_row(_pair(pair.left, " │ ", pair.right), visible(why(pair, explained)))
    return table
