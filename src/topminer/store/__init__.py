"""Directories that hold arrays and tables: safe to load from a stranger, never half-written.

A stored thing is a manifest, ``<kind>.json``, and one folder of data that the manifest names. Data are .npy
files (never pickled) and Parquet, large ones in parts. The manifest has their checksums and a format number.
A folder is named after its contents and complete before the manifest points to it. The manifest is replaced
atomically: a crash at any moment leaves the old thing or the new one. Equal contents are equal bytes, however
they came about.

formats.py declares what each kind of thing consists of, in the terms of schema.py and facts.py.
:class:`Writer` and :class:`Reader` hold stored things to these declarations.

Several things may be stored as one: :func:`merged` names what belongs to each after it, ``corpus-stem_ids``,
and :func:`part` takes one out again.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from topminer.errors import InputError
from topminer.store.files import ROW_GROUP_SIZE, read_json, write_array, write_json, write_table
from topminer.store.memory import AnyReader, AnyWriter, MemoryCheckpoint, MemoryReader, MemoryWriter
from topminer.store.reader import FORMAT, Reader, Stored
from topminer.store.schema import Format, stored_name
from topminer.store.writer import PART_ROWS, PART_SIZE, Writer, bounds, part_files

__all__ = [
    "FORMAT",
    "PART_ROWS",
    "PART_SIZE",
    "ROW_GROUP_SIZE",
    "AnyReader",
    "AnyWriter",
    "MemoryCheckpoint",
    "MemoryReader",
    "MemoryWriter",
    "Reader",
    "Stored",
    "Writer",
    "bounds",
    "merged",
    "part",
    "part_files",
    "read",
    "read_json",
    "write",
    "write_array",
    "write_json",
    "write_table",
]


def write(directory: Path, form: Format, stored: Stored, *, overwrite: bool) -> None:
    """Store facts (JSON), arrays and tables in ``directory``; ValueError if they are not as declared."""
    with Writer(directory, form, overwrite=overwrite) as writer:
        writer.write(stored.arrays, stored.tables)
        writer.finish(stored.facts)


def read(directory: Path, form: Format) -> Stored:
    """Load what :func:`write` stored; whatever is damaged, foreign or of another format is refused."""
    return Reader(directory, form).stored()


def merged(parts: Mapping[str, Stored], **facts: Any) -> Stored:
    """Several things as one: facts lie under the part's name, arrays and tables are ``<part>-<name>``.

    ``facts`` are those of the whole.
    """
    return Stored(
        {**{name: dict(each.facts) for name, each in parts.items()}, **facts},
        {stored_name(name, key): array for name, each in parts.items() for key, array in each.arrays.items()},
        {stored_name(name, key): table for name, each in parts.items() for key, table in each.tables.items()},
    )


def part(stored: Stored, name: str) -> Stored:
    """One of the things that :func:`merged` made one."""
    facts = stored.facts.get(name)
    if not isinstance(facts, Mapping):
        found = ", ".join(sorted(key for key, value in stored.facts.items() if isinstance(value, Mapping)))
        raise InputError(f"there is no {name} in what was stored; found: {found or 'no parts'}")
    start = f"{name}-"
    return Stored(
        facts,
        {key.removeprefix(start): each for key, each in stored.arrays.items() if key.startswith(start)},
        {key.removeprefix(start): each for key, each in stored.tables.items() if key.startswith(start)},
    )
