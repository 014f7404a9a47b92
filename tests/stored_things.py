"""What tests of stored things share: what is on disk, and changes to it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def manifest(directory: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((directory / "thing.json").read_text(encoding="utf-8"))
    return content


def data_folder(directory: Path) -> Path:
    return directory / str(manifest(directory)["data"])


def rewrite(directory: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    content = manifest(directory)
    change(content)
    (directory / "thing.json").write_text(json.dumps(content), encoding="utf-8")


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
