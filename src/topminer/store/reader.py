"""Reads a stored thing: its manifest, and only those data that are asked for.

Opening checks the names, types and lengths of everything, by the manifest and the files' headers. A file's
checksum and its values are checked when the file is first read. So no other code sees an array or a table
that is not as declared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from topminer.errors import InputError
from topminer.memory import require
from topminer.store.array_slice import ArraySlice
from topminer.store.contents import Contents, Damaged, naming_file
from topminer.store.files import checksum, open_file, parse_json, read_table
from topminer.store.schema import Array, Format, Table

FORMAT = 3
COMPRESSION = 4  # of texts in tables, about
_KEYS = {"format", "kind", "facts", "files", "data"}


@dataclass(frozen=True)
class Stored:
    """Facts, arrays and tables of a stored thing."""

    facts: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    tables: Mapping[str, pl.DataFrame]


class Reader:
    """A stored thing of which only the parts that are asked for are read.

    It may be sent to another process that sees the same directory. That process checks every file that it
    reads once more. ``arrays`` and ``tables`` are the names of what there is.
    """

    def __init__(self, directory: Path, form: Format) -> None:
        self._directory, self._form = directory.absolute(), form
        manifest = _manifest(directory / f"{form.kind}.json", form.kind)
        self._folder = self._directory / manifest["data"]
        self.facts: dict[str, Any] = manifest["facts"]
        self._checksums: dict[str, str] = manifest["files"]
        self._checked: set[str] = set()  # files
        with self._as_input_errors():
            self._contents = Contents(self._folder, form, self.facts, self._checksums)
        self.arrays, self.tables = list(self._contents.arrays), list(self._contents.tables)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_checked": set()}

    def lengths(self) -> dict[str, int]:
        """Return the length of every array, from the headers of its files."""
        return self._contents.lengths()

    def is_of_documents(self, name: str) -> bool:
        """Return whether an array or a table describes the documents of the stored thing."""
        contents = self._contents
        declared: Array | Table = contents.arrays.get(name) or contents.tables[name]
        return declared.documents

    def array(self, name: str, start: int = 0, stop: int | None = None) -> NDArray[Any]:
        """Return an array from ``start`` to ``stop``. Files outside this range are not read."""
        headers = self._contents.headers[name]
        start, stop, _ = slice(start, stop).indices(sum(each.shape[0] for each in headers))
        if len(headers) == 1 and stop - start == headers[0].shape[0]:
            return self._part(name, 0)
        array = np.empty(max(stop - start, 0), headers[0].dtype)
        first = 0  # of the part at hand
        for number, header in enumerate(headers):
            behind = first + header.shape[0]
            low, high = max(start, first), min(stop, behind)
            if low < high:
                part = self._part(name, number, whole=(low, high) == (first, behind))
                array[low - start : high - start] = part[low - first : high - first]
            first = behind
        return array

    def lazy_array(self, name: str) -> ArraySlice:
        """Return an array that is read where it is used: by the worker that it is sent to."""
        return ArraySlice(self, name)

    def table(self, name: str) -> pl.DataFrame:
        """Return a whole table."""
        declared, pieces = self._contents.tables[name], []
        for file in self._contents.files[name]:
            with self._as_input_errors(), naming_file(file):
                self._check_sum(file)
                pieces.append(read_table(self._folder / file))
                declared.check_type(pieces[-1].schema, name)
                declared.check(pieces[-1], self._contents.sizes, name)
                self._checked.add(file)
        table = pieces[0] if len(pieces) == 1 else pl.concat(pieces)
        if table.height != self._contents.sizes[declared.rows]:
            self._refuse(Damaged(f"{name} has {table.height:,} rows, not what its files say"))
        return table

    def stored(self, names: Collection[str] | None = None) -> Stored:
        """Return facts, arrays and tables: all of them, or those of some names. Relations are checked."""
        chosen = [*self.arrays, *self.tables] if names is None else names
        self._require_memory(chosen)
        arrays = {name: self.array(name) for name in self.arrays if name in chosen}
        tables = {name: self.table(name) for name in self.tables if name in chosen}
        self._check_relations({**arrays, **tables})
        return Stored(self.facts, arrays, tables)

    def _check_relations(self, read: Mapping[str, Any]) -> None:
        """Check what must hold between the parts that were read and others, which are read for it.

        A relation with parts of documents is checked when one of those is read: the others may be small, and
        used without the documents.
        """
        present = {*self.arrays, *self.tables}
        for relation in self._form.all_relations():
            if not present.issuperset(relation.of):
                continue
            deciding = [name for name in relation.of if self.is_of_documents(name)] or relation.of
            if read.keys().isdisjoint(deciding):
                continue
            others = [name for name in relation.of if name not in read]
            more = {name: self.array(name) if name in self.arrays else self.table(name) for name in others}
            values = [{**read, **more}[name] for name in relation.of]
            if not relation.holds(*values):
                self._refuse(Damaged(f"{', '.join(relation.of)}: expected that {relation.says}"))

    def _require_memory(self, names: Collection[str]) -> None:
        """Refuse to read what does not fit into memory; tables are compressed."""
        with self._as_input_errors():
            n_bytes = sum(
                path.stat().st_size * (COMPRESSION if path.suffix == ".parquet" else 1)
                for name in names
                for path, _ in self.parts(name)
            )
        require(f"{self._directory}: reading the {self._form.kind}", n_bytes, "use a larger machine")

    def parts(self, name: str) -> list[tuple[Path, str]]:
        """Return the files of an array or a table in their order, each with its checksum."""
        return [(self._folder / file, self._checksums[file]) for file in self._contents.files[name]]

    def _part(self, name: str, number: int, whole: bool = True) -> NDArray[Any]:
        """Return one file of an array: read, or mapped if only a piece of it will be copied."""
        file = self._contents.files[name][number]
        with self._as_input_errors(), naming_file(file):
            self._check_sum(file)
            path = self._folder / file
            array: NDArray[Any] = np.load(path, mmap_mode=None if whole else "r", allow_pickle=False)
            if file not in self._checked:
                self._check_values(name, number, array)
                self._checked.add(file)
            return array

    def _check_values(self, name: str, number: int, array: NDArray[Any]) -> None:
        contents, headers = self._contents, self._contents.headers[name]
        if (array.shape, array.dtype) != headers[number]:
            raise ValueError(f"{name} is not what its header said")
        before = None
        if number:
            earlier = self._folder / contents.files[name][number - 1]
            before = np.load(earlier, mmap_mode="r", allow_pickle=False)[-1]
        is_last = number == len(headers) - 1
        declared = contents.arrays[name]
        declared.check(array, contents.sizes, name, before=before, is_first=number == 0, is_last=is_last)

    def _check_sum(self, file: str) -> None:
        """Raise an error if a file is not what was written."""
        if file in self._checked:
            return
        with open_file(self._folder / file) as opened:
            if checksum(opened) != self._checksums[file]:
                raise Damaged("not what was written (checksum differs)", file)

    @contextmanager
    def _as_input_errors(self) -> Iterator[None]:
        """Turn an error about a file into an InputError that names the file."""
        try:
            yield
        except Damaged as damage:
            self._refuse(damage)
        except FileNotFoundError as error:
            raise InputError(f"{error.filename}: missing; the {self._form.kind} is damaged") from None
        except OSError as error:
            raise InputError(f"{error.filename or self._folder}: {error.strerror or error}") from None

    def _refuse(self, damage: Damaged) -> NoReturn:
        manifest = self._directory / f"{self._form.kind}.json"
        path = manifest if damage.file is None else self._folder / damage.file
        raise InputError(f"{path}: damaged: {damage}") from None


def _manifest(path: Path, kind: str) -> dict[str, Any]:
    """Read a manifest; InputError if it is none."""
    try:
        content = parse_json(path)
    except FileNotFoundError:
        raise InputError(f"{path.parent}: no {kind} here (there is no {kind}.json)") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(f"{path}: damaged: {error}") from None
    _check_manifest(content, path, kind)
    checked: dict[str, Any] = content
    return checked


def _check_manifest(content: Any, path: Path, kind: str) -> None:
    if not isinstance(content, dict) or content.get("kind") != kind:
        raise InputError(f"{path}: not written by topminer: expected the manifest of a {kind}")
    number = content.get("format")
    if type(number) is not int or number != FORMAT:
        what = "a newer topminer wrote it" if isinstance(number, int) and number > FORMAT else "make it anew"
        raise InputError(f"{path}: format {str(number)[:20]}; this topminer reads format {FORMAT}: {what}")
    if set(content) != _KEYS:
        raise InputError(f"{path}: damaged: expected the fields {', '.join(sorted(_KEYS))}")
    data, files = content["data"], content["files"]
    if not isinstance(content["facts"], dict) or not isinstance(files, dict):
        raise InputError(f"{path}: damaged: facts and files must be objects")
    names = [data, *files]
    if not all(isinstance(name, str) and name == Path(name).name not in ("", "..") for name in names):
        raise InputError(f"{path}: damaged: it names files outside its own folder")
    if any("\0" in name for name in names) or not all(isinstance(each, str) for each in files.values()):
        raise InputError(f"{path}: damaged: names and checksums must be text")
