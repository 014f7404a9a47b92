"""Rewrite what topminer stored so that all checksums fit again, as somebody would who means harm.

Nothing here knows which arrays, tables or facts there are: all is taken from what lies in the folder.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple


class StoredFile(NamedTuple):
    """One file of data, and the manifest that names it."""

    manifest: Path
    name: str

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self.manifest.parent / str(read_manifest(self.manifest)["data"]) / self.name


def read_manifest(path: Path) -> dict[str, Any]:
    """The content of a manifest."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def json_files(directory: Path) -> list[Path]:
    """Every JSON file in a model directory or its checkpoint."""
    return sorted([*directory.glob("*.json"), *directory.glob("checkpoint/*.json")])


def stored_files(directory: Path) -> Iterator[StoredFile]:
    """Every array and table, part by part."""
    for path in json_files(directory):
        content = read_manifest(path)
        if "data" in content:
            yield from (StoredFile(path, name) for name in sorted(content["files"]))


def replace_file(file: StoredFile, new: bytes) -> None:
    """Put other bytes in the place of an array or a table, and have the manifest vouch for them."""
    content, path = read_manifest(file.manifest), file.path
    path.unlink()
    path.write_bytes(new)
    content["files"][file.name] = hashlib.sha256(new).hexdigest()
    write_manifest(file.manifest, content)


def write_manifest(path: Path, content: dict[str, Any]) -> None:
    """Write a manifest; its folder of data is renamed after its contents, as topminer does it."""
    told = {name: value for name, value in content.items() if name != "data"}
    digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]
    old = path.parent / content["data"]
    new = old.with_name(f"{path.stem}-{digest}")
    if old.is_dir() and not new.exists():
        old.rename(new)
        content = {**content, "data": new.name}
    path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
