"""What lies in a directory of stored things, and forged changes to it."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

# Beside a model: these differ from run to run.
BESIDE = {"run.json", "run.toml", "report.html", "labels.json", "names.json"}

# ------------------------------------------------------------------------------------------ what is on disk


def manifest(directory: Path, kind: str = "thing") -> dict[str, Any]:
    content: dict[str, Any] = json.loads((directory / f"{kind}.json").read_text(encoding="utf-8"))
    return content


def data_folder(directory: Path, kind: str = "thing") -> Path:
    return directory / str(manifest(directory, kind)["data"])


def rewrite(directory: Path, change: Callable[[dict[str, Any]], Any], kind: str = "thing") -> None:
    content = manifest(directory, kind)
    change(content)
    (directory / f"{kind}.json").write_text(json.dumps(content), encoding="utf-8")


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path there."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def model_bytes(directory: Path) -> dict[str, bytes]:
    """Every file of a model: what is beside it may differ from run to run."""
    return {name: content for name, content in bytes_of(directory).items() if Path(name).name not in BESIDE}


def names_in(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


# ---------------------------------------------------------------------------------------------- forged data


def checksum_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def with_right_checksum(path: Path, kind: str = "thing") -> None:
    """Have the manifest vouch for a file that was changed."""
    known = checksum_of(path)
    rewrite(path.parents[1], lambda content: content["files"].update({path.name: known}), kind)


def forge(directory: Path, kind: str, **changed: Any) -> None:
    """Put other arrays, tables (one part each) or bytes in the place of stored ones; checksums are right.

    Names are those of the arrays and tables, with "-" as "__".
    """
    folder, content = data_folder(directory, kind), manifest(directory, kind)
    for key, value in changed.items():
        name = key.replace("__", "-")
        old = [file for file in content["files"] if file.startswith(f"{name}.")]
        for file in old:
            del content["files"][file]
            (folder / file).unlink()
        ending = old[0].rpartition(".")[2] if old else "npy"
        path = folder / f"{name}.0000.{ending}"
        if isinstance(value, pl.DataFrame):
            value.write_parquet(path)
        elif isinstance(value, bytes):
            path.write_bytes(value)
        else:
            np.save(path, value, allow_pickle=True)
        content["files"][path.name] = checksum_of(path)
    (directory / f"{kind}.json").write_text(json.dumps(content), encoding="utf-8")
