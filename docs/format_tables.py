"""Declarations as Markdown: format.md is made from what checks the data (topminer/store/formats.py)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

import polars as pl

from topminer.store.facts import Fact, Record
from topminer.store.schema import Array, Column, Format, Range, Section, stored_name


def as_markdown(form: Format) -> str:
    """All facts, arrays and tables of a kind of thing, and what must hold between them."""
    blocks = []
    for name, section in form.sections.items():
        if name:
            blocks.append(f"### {name}" + (" (may be missing)" if section.may_lack else ""))
        blocks += _section(name, section)
    if form.facts:
        blocks += ["### other facts", *_facts(Record(form.facts))]
    if form.relations:
        blocks.append("Between sections must hold:")
        blocks.append("\n".join(_relation(each.says, each.of) for each in form.relations))
    return "\n\n".join(blocks) + "\n"


def _section(name: str, section: Section) -> Iterator[str]:
    yield from _facts(section.facts)
    if section.arrays:
        rows = [
            (f"`{stored_name(name, key)}`", _types(each), _size(each.length), _numbers(each))
            for key, each in section.arrays.items()
        ]
        yield _table(("array", "type", "length", "values"), rows)
    if section.tables:
        yield _table(("table", "rows", "column", "type", "values"), list(_columns(name, section)))
    if section.relations:
        yield "\n".join(
            _relation(each.says, [stored_name(name, key) for key in each.of]) for each in section.relations
        )


def _columns(name: str, section: Section) -> Iterator[Sequence[str]]:
    for key, table in section.tables.items():
        missing = " (may be missing)" if table.may_lack else ""
        for number, (column, each) in enumerate(table.columns.items()):
            first = (f"`{stored_name(name, key)}`{missing}", _size(table.rows)) if number == 0 else ("", "")
            yield (*first, f"`{column}`", str(each.dtype).partition("(")[0], _values(each))


def _facts(record: Record) -> Iterator[str]:
    if rows := list(_fields(record)):
        yield _table(("fact", "value"), rows)


def _fields(record: Record, path: str = "") -> Iterator[tuple[str, str]]:
    """Every fact, those within others after them."""
    for name, fact in record.fields.items():
        missing = "; may be missing" if name in record.may_lack else ""
        if isinstance(fact, Record):
            yield from _fields(fact, f"{path}{name}.")
        else:
            yield f"`{path}{name}`", _fact(fact) + missing


def _fact(fact: Fact) -> str:
    return str(fact).replace("|", "\\|")


def _types(array: Array) -> str:
    return " or ".join(f"`{each}`" for each in array.dtype.split("|"))


def _size(length: str) -> str:
    return length.replace("*", " × ").replace("+", " + ")


def _numbers(array: Array) -> str:
    order = {"": "", "ascending": "ascending", "strict": "ascending, none twice"}[array.order]
    ends = f"the first 0, the last the number of {array.ends}" if array.ends else ""
    return "; ".join(filter(None, (_range(array.values, "f" in array.dtype), order, ends))) or "any"


def _range(values: Range, is_float: bool) -> str:
    said = "" if values == Range(infinite=values.infinite) else str(values)
    kind = ("any but NaN" if values.infinite else "finite") if is_float else ""
    return ", ".join(filter(None, (said, kind)))


def _values(column: Column) -> str:
    if isinstance(column.dtype, pl.Datetime):
        values = _times(column.values)
    else:
        values = _range(column.values, column.dtype in (pl.Float32, pl.Float64))
    empty = "not empty" if column.filled else ""
    nulls = "may be null" if column.nulls else ""
    missing = "the column may be missing" if column.may_lack else ""
    return "; ".join(filter(None, (values, empty, nulls, missing))) or "any"


def _times(values: Range) -> str:
    first, last = (
        datetime(1970, 1, 1) + timedelta(microseconds=each or 0) for each in (values.low, values.high)
    )
    return f"from {first} to {last}"


def _relation(says: str, of: Iterable[str]) -> str:
    return f"- {says[0].upper()}{says[1:]} ({', '.join(f'`{name}`' for name in of)})."


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
