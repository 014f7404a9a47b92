"""An unfinished run, stored so that another process can go on with it.

Until the model of a run is written to its directory, the finished steps are stored there in ``checkpoint/``::

    checkpoint/lock        held by the process that works here; names it
    checkpoint/plan        the parameters of the run, as JSON
    checkpoint/corpus      the corpus that was read
    checkpoint/partition   on a cluster: what the model will hold of the partition
    checkpoint/chain       the state of the sampler
    checkpoint/best        with several chains, the state of the best that is finished
    checkpoint/finished1   of each finished chain: what it is compared by

All but the lock are stored things (see topminer.store): when the process is killed, each is either the old or
the new one. The operating system releases the lock when its process ends.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TypeAlias

from topminer import store
from topminer.errors import InputError
from topminer.store import MemoryCheckpoint, Reader, Stored, Writer
from topminer.store.file_lock import lock_file
from topminer.store.formats import CHECKPOINT, PLAN
from topminer.store.unfinished import NAME, remove, remove_abandoned

_FOLDER, _DONE, _MODEL = "checkpoint", ".checkpoint-done", "model.json"
_KIND = f"({'|'.join(CHECKPOINT)})"
_OURS = re.compile(rf"lock|{_KIND}\.json|{_KIND}-[0-9a-f]{{16}}|{NAME.pattern}")


class Finished(InputError):
    """The run is done: there is nothing to resume."""


class Checkpoint:
    """An unfinished run in a model directory; only one process at a time may hold it.

    Made by :meth:`begin` and :meth:`resume`. As a context manager it is closed on exit, but not removed.
    """

    def __init__(
        self, directory: Path, plan: dict[str, Any], lock: IO[bytes], made: Iterable[Path] = ()
    ) -> None:
        self.directory = directory
        self.plan = plan
        self.folder = directory.absolute() / _FOLDER  # other processes have other working directories
        self._lock = lock
        self._made = list(made)  # folders that were not there before, the innermost first

    @classmethod
    def begin(cls, directory: Path, plan: Mapping[str, Any], *, overwrite: bool) -> Checkpoint:
        """Start a run in a directory that is new or empty, or, with ``overwrite``, holds another run."""
        facts: dict[str, Any] = json.loads(json.dumps({"run": dict(plan)}))  # as resume reads it
        folder = directory / _FOLDER
        with ExitStack() as undo, _as_input_errors(directory, "cannot start a run here"):
            _refuse_foreign(directory)
            _remove_leftovers(directory)
            if not overwrite and not _has_plan(folder):
                _refuse_model(directory)
            made = [each for each in (folder, *folder.parents) if not each.exists()]
            undo.callback(_remove_empty, made)
            for each in reversed(made):
                each.mkdir(exist_ok=True)
            lock = undo.enter_context(_locked(folder))
            undo.callback(_discard_unless_planned, folder, lock)
            if not overwrite and _has_plan(folder):
                raise InputError(
                    f"{directory}: an unfinished run is here: `topminer resume {directory}` goes on with it, "
                    "--overwrite starts anew"
                )
            if not overwrite:
                _refuse_model(directory)
            _empty(folder)
            store.write(folder, PLAN, Stored(facts, {}, {}), overwrite=True)
            undo.pop_all()
        return cls(directory, facts["run"], lock, made)

    @classmethod
    def resume(cls, directory: Path) -> Checkpoint:
        """Go on with the unfinished run in a directory."""
        folder = directory / _FOLDER
        with ExitStack() as undo, _as_input_errors(directory, "cannot resume the run"):
            _remove_leftovers(directory)
            if not _has_plan(folder) and not (folder / "lock").exists():
                raise _nothing_to_resume(directory)
            try:
                lock = undo.enter_context(_locked(folder))
            except FileNotFoundError:  # another process was quicker, and is done
                raise _nothing_to_resume(directory) from None
            undo.callback(_discard_unless_planned, folder, lock)
            if not _has_plan(folder):
                raise _nothing_to_resume(directory)
            plan = store.read(folder, PLAN).facts["run"]
            undo.pop_all()
        return cls(directory, plan, lock)

    def writer(self, kind: str) -> Writer:
        """Return a writer, to save part by part."""
        self._check_open()
        return Writer(self.folder, CHECKPOINT[kind], overwrite=True)

    def reader(self, kind: str) -> Reader | None:
        """Return a reader, to load only some parts."""
        self._check_open()
        return Reader(self.folder, CHECKPOINT[kind]) if (self.folder / f"{kind}.json").exists() else None

    def stored(self) -> dict[str, bytes]:
        """Return the manifests of everything that is stored; they change whenever a step is stored."""
        paths = {kind: self.folder / f"{kind}.json" for kind in CHECKPOINT}
        return {kind: path.read_bytes() for kind, path in paths.items() if path.exists()}

    def finish(self) -> None:
        """Remove the checkpoint, since the model is written, and release the lock."""
        self._check_open()
        with _as_input_errors(self.directory, "cannot remove the checkpoint"):
            remove_abandoned(self.directory)
            _discard(self.folder, self._lock)
        self.close()

    def abandon(self) -> None:
        """Remove everything that the run has written, and release the lock."""
        self.finish()
        _remove_empty(self._made)

    def close(self) -> None:
        """Release the lock. The run can be resumed."""
        self._lock.close()

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._lock.closed:
            raise RuntimeError(f"{self.directory}: the checkpoint is closed")


AnyCheckpoint: TypeAlias = Checkpoint | MemoryCheckpoint


def has_run(directory: Path) -> bool:
    """Return whether a directory holds an unfinished run."""
    return _has_plan(directory / _FOLDER)


# ----------------------------------------------------------------------------------------------- the lock


def _locked(folder: Path) -> IO[bytes]:
    """Return the lock of a checkpoint, as an open file: closing the file releases the lock."""
    path = folder / "lock"
    is_new = not path.exists()
    try:
        file = open(lock_file(path), "r+b", buffering=0)  # noqa: SIM115
        try:
            file.truncate(0)
            file.seek(0)
            file.write(f"{os.getpid()} {socket.gethostname()}\n".encode())
        except BaseException:
            file.close()
            raise
        return file
    except BlockingIOError:
        raise InputError(f"{folder.parent}: another topminer run{_holder(path)} is working here") from None
    except BaseException:
        if is_new:
            path.unlink(missing_ok=True)
        raise


def _holder(lock: Path) -> str:
    """Name the holder of a lock, if it has written its name already."""
    try:
        process, host = lock.read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return ""
    return f" (process {process})" if host == socket.gethostname() else f" (process {process} on {host})"


# ------------------------------------------------------------------------------------ what is there already


def _has_plan(folder: Path) -> bool:
    return (folder / "plan.json").exists()


def _refuse_foreign(directory: Path) -> None:
    """Refuse a directory that is neither empty nor that of a model or a checkpoint."""
    if directory.exists() and not directory.is_dir():
        raise InputError(f"{directory}: is a file; expected a directory to write a model to")
    names = sorted(os.listdir(directory)) if directory.exists() else []
    folder = directory / _FOLDER
    kept = sorted(os.listdir(folder)) if folder.is_dir() else []
    strange = [name for name in kept if not _OURS.fullmatch(name)]
    if strange:
        raise InputError(f"{folder}: holds {strange[0]!r}, which is not of topminer; expected a checkpoint")
    if kept or _MODEL in names:
        return
    others = [name for name in names if name != _DONE and not (name == _FOLDER and folder.is_dir())]
    if others:
        raise InputError(
            f"{directory}: holds {others[0]!r} and no model; expected a new or empty directory, or a model's"
        )


def _refuse_model(directory: Path) -> None:
    if (directory / _MODEL).exists():
        raise InputError(f"{directory}: holds a finished model; --overwrite replaces it")


def _nothing_to_resume(directory: Path) -> InputError:
    if (directory / _MODEL).exists():
        return Finished(f"{directory}: the run is done, nothing is left to resume")
    return InputError(f"{directory}: no run here (there is no {_FOLDER}/plan.json)")


@contextmanager
def _as_input_errors(directory: Path, what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{directory}: {what}: {error.strerror or error}") from None


# ------------------------------------------------------------------------------------------------ removing


def _remove_leftovers(directory: Path) -> None:
    """Remove what killed processes have left."""
    remove(directory / _DONE)
    remove_abandoned(directory)


def _discard(folder: Path, lock: IO[bytes]) -> None:
    """Remove a checkpoint as a whole: it is renamed first."""
    done = folder.with_name(_DONE)
    remove(done)
    if sys.platform == "win32":  # where a folder with an open file cannot be renamed
        lock.close()
    folder.rename(done)
    remove(done)


def _discard_unless_planned(folder: Path, lock: IO[bytes]) -> None:
    """Remove a checkpoint that has no plan."""
    if not _has_plan(folder):
        with suppress(OSError):
            _discard(folder, lock)


def _empty(folder: Path) -> None:
    """Remove all but the lock; the plan first, so that no plan ever lies beside another run's chain."""
    (folder / "plan.json").unlink(missing_ok=True)
    for path in list(folder.iterdir()):
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "lock":
            path.unlink()


def _remove_empty(folders: Iterable[Path]) -> None:
    """Remove the folders that are empty; they are given with the innermost first."""
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()
