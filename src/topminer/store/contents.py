"""The files of a stored thing, compared with the declaration of its kind: names, types, lengths, facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from topminer.store.facts import Sizes
from topminer.store.files import Header, header_of, shape_of_table
from topminer.store.schema import Array, Format, Table

_FILE = re.compile(r"([^./]+)\.([0-9]{4,9})\.(npy|parquet)")


class Damaged(ValueError):
    """Data that are not as declared; ``file`` is the file that shows it, if it is one."""

    def __init__(self, message: object, file: str | None = None) -> None:
        super().__init__(str(message))
        self.file = file


@contextmanager
def naming_file(file: str | None) -> Iterator[None]:
    """Say which file an error is about."""
    try:
        yield
    except Damaged:
        raise
    except (ValueError, EOFError) as error:
        raise Damaged(error, file) from None


class Contents:
    """What is in a folder of data, by the files' headers alone."""

    def __init__(self, folder: Path, form: Format, facts: Mapping[str, Any], files: Iterable[str]) -> None:
        self.files = _by_name(files)  # of each array and table, in the order of their parts
        self.sizes = Sizes()  # what the sizes in the declarations turned out to be
        self.headers: dict[str, list[Header]] = {}  # of each file of an array
        self.arrays = self._declared(form.arrays(facts), "npy")
        self.tables = self._declared(form.tables(facts), "parquet")
        if unknown := sorted(set(self.files) - set(self.arrays) - set(self.tables)):
            raise Damaged(f"{unknown[0]} is no part of a {form.kind}")
        by_one_size = {name: each for name, each in self.arrays.items() if "*" not in each.length}
        for name, array in by_one_size.items():
            self._measure_array(folder, name, array)
        for name, table in self.tables.items():
            self._measure_table(folder, name, table)
        for name in set(self.arrays) - set(by_one_size):  # their factors are known now
            self._measure_array(folder, name, self.arrays[name])
        with naming_file(None):
            form.check_facts(facts, self.sizes)

    def lengths(self) -> dict[str, int]:
        """The length of every array."""
        return {name: sum(each.shape[0] for each in headers) for name, headers in self.headers.items()}

    def _declared(self, declared: Mapping[str, Any], ending: str) -> dict[str, Any]:
        """Those of the declared arrays or tables that are there; all must be that may not lack."""
        for name, each in declared.items():
            if name not in self.files and not getattr(each, "may_lack", False):
                raise Damaged(f"{name} is missing")
        found = {name: each for name, each in declared.items() if name in self.files}
        for name in found:
            if not self.files[name][0].endswith(ending):
                raise Damaged(f"{self.files[name][0]} is of the wrong kind; expected .{ending}")
        return found

    def _measure_array(self, folder: Path, name: str, array: Array) -> None:
        self.headers[name] = headers = []
        for file in self.files[name]:
            with naming_file(file):
                headers.append(header_of(folder / file))
                array.check_type(headers[-1].dtype, headers[-1].shape, name)
                if headers[-1].dtype != headers[0].dtype:
                    raise ValueError(f"{name} is of several types")
                if not headers[-1].shape[0] and len(self.files[name]) > 1:  # would hide what follows what
                    raise ValueError(f"{name} has a part without values")
        with naming_file(self.files[name][0]):
            self.sizes.bind(array.length, sum(each.shape[0] for each in headers), name)

    def _measure_table(self, folder: Path, name: str, table: Table) -> None:
        height = 0
        for file in self.files[name]:
            with naming_file(file):
                columns, rows = shape_of_table(folder / file)
                table.check_type(columns, name)
                height += rows
        with naming_file(self.files[name][0]):
            self.sizes.bind(table.rows, height, name)


def _by_name(files: Iterable[str]) -> dict[str, list[str]]:
    """The files of each array and table, in the order of their parts."""
    found: dict[str, list[tuple[int, str]]] = {}
    for file in files:
        if not (match := _FILE.fullmatch(file)):
            raise Damaged(f"{file!r} is neither an array nor a table")
        found.setdefault(match[1], []).append((int(match[2]), file))
    for name, parts in found.items():
        parts.sort()
        endings = {file.rpartition(".")[2] for _, file in parts}
        if len(endings) > 1 or [number for number, _ in parts] != list(range(len(parts))):
            raise Damaged(f"the parts of {name} do not fit together")
    return {name: [file for _, file in parts] for name, parts in sorted(found.items())}
