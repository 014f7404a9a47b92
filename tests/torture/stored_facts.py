"""Junk in every fact of every JSON file of models and checkpoints, and JSON files that are none."""

import copy
import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from torture.damaging import Damaged, damage_and_use
from torture.extremes import FLOATS, INTEGERS, TEXTS
from torture.forge import json_files, write_manifest
from torture.mutations import mutated
from torture.trials import Trials

NAME = "stored facts"
WANTED = 600

Place = tuple[str | int, ...]  # the names and numbers on the way to a value

_OTHERS: tuple[Any, ...] = (None, True, False, [], {}, [1, 2], {"a": 1}, [None], [[]], {"": {}}, [0.5] * 1000)
_DEEP = 40  # levels of a value within a value; far deeper ones are not written by json but put into the text


def torture(trials: Trials) -> None:
    """Change one fact after the other; now and then the file as a whole."""
    damage_and_use(trials, _damage, may_take_long=True)


def _damage(directory: Path, chance: random.Random, turn: int) -> Damaged:
    files = json_files(directory)
    path = files[turn % len(files)]
    if chance.random() < 0.15:
        what, text = _whole_file(path.read_bytes(), chance)
        path.write_bytes(text)
        return Damaged(f"{path.name}: {what}")
    content = json.loads(path.read_text(encoding="utf-8"))
    if "files" in content and chance.random() < 0.2:
        return _damage_names(path, content, chance)
    what = _change(content, chance)
    write_json(path, content)
    return Damaged(f"{path.name}: {what}")


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file; a manifest's folder is renamed after its contents if its name was not changed."""
    if isinstance(content, dict) and isinstance(content.get("data"), str) and "files" in content:
        folder = path.parent / content["data"].replace("\0", "")
        if folder.parent == path.parent and folder != path.parent and folder.is_dir():
            write_manifest(path, content)
            return
    path.write_text(json.dumps(content), encoding="utf-8")


# ----------------------------------------------------------------------------------------------- one fact


def _places(content: Any, way: Place = ()) -> Iterator[Place]:
    """Where each value is, those that hold others included."""
    if way:
        yield way
    if isinstance(content, dict):
        for name, value in content.items():
            yield from _places(value, (*way, name))
    elif isinstance(content, list):
        for number in sorted({0, len(content) // 2, len(content) - 1} & set(range(len(content)))):
            yield from _places(content[number], (*way, number))


def _change(content: Any, chance: random.Random) -> str:
    """Change one value; every level is as likely, or most changes would hit checksums of files."""
    places = list(_places(content))
    depth = chance.choice(sorted({len(place) for place in places}))
    *way, last = chance.choice([place for place in places if len(place) == depth])
    holder = content
    for step in way:
        holder = holder[step]
    where = "/".join(map(str, (*way, last)))
    kind = chance.choice(("junk", "junk", "junk", "missing", "extra", "renamed", "near"))
    if kind == "missing":
        del holder[last]
    elif kind == "extra":
        _put_beside(holder, chance)
    elif kind == "renamed" and isinstance(holder, dict):
        holder[chance.choice(TEXTS)] = holder.pop(last)
    else:
        value = _near(holder[last], chance) if kind == "near" else _junk(chance)
        holder[last] = value
        kind = repr(value)[:60]
    return f"{where} {kind}"


def _put_beside(holder: Any, chance: random.Random) -> None:
    if isinstance(holder, dict):
        holder[chance.choice(("extra", "__class__", "engine", "ray_address", "n_threads", ""))] = _junk(
            chance
        )
    else:
        holder.append(_junk(chance))


def _junk(chance: random.Random) -> Any:
    value: Any = chance.choice(chance.choice((INTEGERS, (*FLOATS, 2**64, 10**30, 1e308), TEXTS, _OTHERS)))
    if chance.random() < 0.1:
        for _ in range(_DEEP):
            value = [value] if chance.random() < 0.5 else {"a": value}
    return copy.deepcopy(value)


def _near(value: Any, chance: random.Random) -> Any:
    """A value that is nearly right."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return chance.choice((value + 1, value - 1, -value, value * 10, float(value), str(value)))
    if isinstance(value, str):
        return chance.choice((value + " ", value.upper(), value[1:], [value], value.encode().hex()))
    if isinstance(value, list):
        return chance.choice((value[1:], value + value[:1], value[::-1], tuple(value)[:0], {"0": value}))
    return chance.choice(([value], {}, {"a": value}, 0, 1))


# ---------------------------------------------------------------------------------------------- the names


def _damage_names(path: Path, content: dict[str, Any], chance: random.Random) -> Damaged:
    """Have a manifest name a folder or a file outside its own folder, where there is one."""
    data, files = content["data"], content["files"]
    outside = path.parent.parent / "outside"
    shutil.copytree(path.parent / data, outside, dirs_exist_ok=True)
    target = f"../outside/{data}"
    shutil.copytree(path.parent / data, outside / data, dirs_exist_ok=True)
    if not files or chance.random() < 0.5:
        elsewhere = target, "../outside", str(outside), str(outside / data)
        again = f"./{data}", f"{data}/../{data}", f"../{path.parent.name}/{data}"
        content["data"] = chance.choice((*elsewhere, *again))
    else:
        name = chance.choice(sorted(files))
        new = chance.choice((f"../../outside/{name}", str(outside / name), f"./{name}", f"../{data}/{name}"))
        files[new] = files.pop(name)
    path.write_text(json.dumps(content), encoding="utf-8")
    return Damaged(f"{path.name}: names outside its folder", must_refuse=True)


# ----------------------------------------------------------------------------------------- the whole file


def _whole_file(old: bytes, chance: random.Random) -> tuple[str, bytes]:
    changes: dict[str, Callable[[], bytes]] = {
        **dict.fromkeys(("mutated", "mutated again"), lambda: mutated(old, old, chance)),
        "last byte missing": lambda: old.rstrip()[:-1],
        "UTF-16": lambda: old.decode().encode("utf-16"),
        "a byte order mark": lambda: b"\xef\xbb\xbf" + old,
        "NUL bytes": lambda: bytes(1000),
        "a list": lambda: b"[" + old + b"]",
        "a very long number": lambda: b"1" * 100_000,
        "a long number as a fact": lambda: old.replace(b": 1", b": 1" + b"0" * 5000, 1),
        "null": lambda: b"null",
        "deep brackets": lambda: b"[" * 200_000,
        "deep objects": lambda: b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        "30 MB of blanks": lambda: b" " * (30 << 20) + old,
        "a 30 MB string": lambda: b'{"a": "' + b"x" * (30 << 20) + b'"}',
        "a surrogate": lambda: old.replace(b'"', b'"\\ud800', 3),
        "names twice": lambda: old.replace(b"{", b'{"format": 99, "kind": "x", "facts": 1,', 1),
    }
    what = chance.choice(list(changes))
    return what, changes[what]()
