"""The places that this user's runs were started with: a corpus, and the address of a cluster.

A checkpoint or a model may come from a stranger, so neither decides which file is read or which address is
visited. A run's directory holds only a random id of the run. What the id stands for is recorded in the user's
state directory: ``$XDG_STATE_HOME/topminer/runs`` (``~/.local/state/topminer/runs``). Without such a record a
command asks for the place again.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from topminer.errors import InputError

MAX_RECORDS = 1000  # older ones are removed


@dataclass(frozen=True)
class Places:
    """Where a run reads and works; None: not known."""

    corpus: str | None = None
    ray_address: str | None = None


def remember(places: Places) -> str:
    """Record the places of a new run, and return its id.

    Where nothing can be recorded, the run works all the same; resuming it asks for its places.
    """
    from topminer.store import write_json

    run_id = secrets.token_hex(16)
    with suppress(OSError, RuntimeError, InputError):
        folder = _records()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_json(folder / f"{run_id}.json", asdict(places))
        _remove_oldest(folder)
    return run_id


def recall(run_id: Any) -> Places:
    """The places that were recorded for a run; none, if the run was started elsewhere."""
    from topminer.store import read_json

    if not isinstance(run_id, str) or not re.fullmatch("[0-9a-f]{32}", run_id):
        return Places()
    with suppress(OSError, RuntimeError):
        record = read_json(_records() / f"{run_id}.json")
        known = {name: record[name] for name in asdict(Places()) if isinstance(record.get(name), str)}
        return Places(**known)
    return Places()


def forget(run_id: Any) -> None:
    """Remove the record of a run that came to nothing."""
    if recall(run_id) != Places():
        with suppress(OSError):
            (_records() / f"{run_id}.json").unlink()


def _records() -> Path:
    """The folder of records; RuntimeError where the user has no home."""
    state = os.environ.get("XDG_STATE_HOME", "")
    if sys.platform == "win32":
        state = os.environ.get("LOCALAPPDATA", "")
    base = Path(state) if os.path.isabs(state) else Path.home() / ".local" / "state"
    return base / "topminer" / "runs"


def _remove_oldest(folder: Path) -> None:
    records = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
    for path in records[:-MAX_RECORDS]:
        path.unlink(missing_ok=True)
