"""Plain text to rows: each line is a document, or each file is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import polars as pl

from topminer.text.reading.columns import Rows, place
from topminer.text.reading.source import Unit
from topminer.text.reading.stream import blocks, joined


def line_rows(pieces: Iterable[bytes], name: str, size: int) -> Iterator[Rows]:
    """Read lines in blocks of about ``size`` bytes; they end with LF or CR LF."""
    line = 1
    for block in blocks(pieces, size, name):
        texts = pl.read_lines(block)["line"]
        numbers = pl.int_range(line, line + texts.len(), eager=True)
        yield Rows({"text": texts}, numbers, partial(place, name, "line", numbers))
        line += texts.len()


def file_rows(files: Iterable[tuple[Unit, Iterable[bytes]]], size: int) -> Iterator[Rows]:
    """Read whole files in batches of about ``size`` bytes."""
    names: list[str] = []
    texts: list[str] = []
    n_bytes = 0
    for unit, pieces in files:
        text = joined(pieces, unit.name)
        names.append(unit.id)
        texts.append(text.decode())
        n_bytes += len(text)
        if n_bytes >= size:
            yield Rows({"text": pl.Series(texts)}, pl.Series(names))
            names, texts, n_bytes = [], [], 0
    if names:
        yield Rows({"text": pl.Series(texts)}, pl.Series(names))
