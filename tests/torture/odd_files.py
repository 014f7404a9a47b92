"""Links, pipes, devices, folders and unreadable files in the place of each file of a model or checkpoint."""

import os
import random
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

from topminer.store.unfinished import remove
from torture.damaging import Damaged, damage_and_use
from torture.trials import Trials

NAME = "odd files"
WANTED = 200
SECONDS = 60  # a command that opens a pipe would wait for ever
SENTINEL = b"this file belongs to somebody else\n"


def torture(trials: Trials) -> None:
    """Put something else in the place of one file after the other."""
    damage_and_use(trials, _damage, _check_outside, SECONDS)


def _outside(directory: Path) -> Path:
    """A folder that is nobody's business: links lead there."""
    return directory.parent / "outside"


def _damage(directory: Path, chance: random.Random, turn: int) -> Damaged:
    shutil.rmtree(_outside(directory), ignore_errors=True)
    _outside(directory).mkdir()
    (_outside(directory) / "sentinel").write_bytes(SENTINEL)
    paths = sorted(path.relative_to(directory) for path in directory.rglob("*"))
    random.Random(0).shuffle(paths)
    path = directory / paths[turn % len(paths)]
    what, put = chance.choice(_ODD)
    put(path, _outside(directory))
    return Damaged(f"{paths[turn % len(paths)]}: {what}")


def _check_outside(directory: Path) -> str | None:
    """See that nothing was written through a link."""
    sentinel = _outside(directory) / "sentinel"
    if not sentinel.is_file() or sentinel.read_bytes() != SENTINEL:
        return "a file outside the directory was changed through a link"
    return None


def _link_to(target: Callable[[Path, Path], Path | str]) -> Callable[[Path, Path], None]:
    def put(path: Path, outside: Path) -> None:
        to = target(path, outside)
        remove(path)
        path.symlink_to(to)

    return put


def _moved(path: Path, outside: Path) -> Path:
    """The same content, elsewhere."""
    return Path(shutil.move(path, outside / "moved"))


def _instead(put: Callable[[Path], object]) -> Callable[[Path, Path], None]:
    """Put something in the place of a file or a folder."""

    def instead(path: Path, outside: Path) -> None:
        remove(path)
        put(path)

    return instead


def _full_folder(path: Path) -> None:
    path.mkdir()
    (path / "something").write_bytes(SENTINEL)


def _socket(path: Path) -> None:
    before = os.getcwd()
    os.chdir(path.parent)  # the name of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as sock:
            sock.bind(path.name)
    finally:
        os.chdir(before)


def _sparse(path: Path) -> None:
    """A file that says it is huge."""
    with path.open("wb") as file:
        file.truncate(1 << 28)


def _stray(path: Path, outside: Path) -> None:
    (path.parent / "stray file").write_bytes(SENTINEL)


_ODD: list[tuple[str, Callable[[Path, Path], None]]] = [
    ("a link to the same content", _link_to(_moved)),
    ("a link to another file", _link_to(lambda path, outside: outside / "sentinel")),
    ("a link to nothing", _link_to(lambda path, outside: outside / "absent")),
    ("a link to itself", _link_to(lambda path, outside: path.name)),
    ("a link to its own folder", _link_to(lambda path, outside: ".")),
    ("a link to a folder", _link_to(lambda path, outside: outside)),
    ("a link to /dev/zero", _link_to(lambda path, outside: "/dev/zero")),
    ("a link to /dev/null", _link_to(lambda path, outside: "/dev/null")),
    ("a link to /dev/full", _link_to(lambda path, outside: "/dev/full")),
    ("a pipe", _instead(os.mkfifo)),
    ("a pipe", _instead(os.mkfifo)),
    ("a folder", _instead(Path.mkdir)),
    ("a full folder", _instead(_full_folder)),
    ("a file", _instead(lambda path: path.write_bytes(b"something else"))),
    ("a socket", _instead(_socket)),
    ("unreadable", lambda path, outside: path.chmod(0)),
    ("a huge sparse file", _instead(_sparse)),
    ("missing", _instead(lambda path: None)),
    ("a stray file beside it", _stray),
]
