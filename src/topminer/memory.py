"""How much memory this process may still use, and refusing work that needs more.

NumPy and Numba raise a MemoryError when memory runs out. Polars, LLVM and V8, which draws charts, end the
process instead, and so does Linux when a machine or a container is full. So each step that needs much
compares its need with what is free before it starts. Free is what is left of the tightest of these limits:

- the memory of the machine (``MemAvailable``),
- the limits of control groups, version 1 and 2, which containers and batch systems set,
- the limits on address space and data (``ulimit -v`` and ``-d``: ``RLIMIT_AS`` and ``RLIMIT_DATA``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from topminer.errors import InputError

MB = 1_000_000
UNLIMITED = 2**60  # cgroup v1 has no word for "no limit", only a number about as large as any
M_ARENA_MAX = -8  # of glibc's mallopt

# What stays free below a limit of the process: libraries that abort when an allocation fails make many small
# ones, and kernels are compiled on their first use.
RESERVE = 128 * MB
LITTLE = 1 * MB  # less than this is there, and asking takes longer than most work on so little


class Kind(NamedTuple):
    """A kind of limit that Linux sets a process, and what topminer needs of it."""

    name: str
    limit: str  # its name in /proc/self/limits
    use: str  # its name in /proc/self/status
    libraries: int  # all of them loaded and all kernels compiled: measured, and a quarter more
    drawing: int  # what V8 reserves to draw the first chart; it uses little of it


ADDRESS_SPACE = Kind("address space (ulimit -v)", "Max address space", "VmSize:", 1_100 * MB, 69_300 * MB)
DATA = Kind("data (ulimit -d)", "Max data size", "VmData:", 600 * MB, 650 * MB)
LIBRARIES = 250 * MB  # of memory itself
STACKS = 20 * MB  # of the threads that libraries and topminer start for each core


class Limit(NamedTuple):
    """A limit that is set."""

    kind: Kind
    n_bytes: int
    free: int  # how much of it is not used yet


def size(n_bytes: float) -> str:
    """Bytes as people say them.

    >>> size(31_200_000_000), size(4_560_000), size(80)
    ('31.2 GB', '4.6 MB', '0.1 kB')
    """
    scale, unit = next((each for each in ((1e9, "GB"), (1e6, "MB")) if n_bytes >= each[0]), (1e3, "kB"))
    return f"{n_bytes / scale:.1f} {unit}"


# ---------------------------------------------------------------------------------------- refusing


def require(
    what: str, n_bytes: float, advice: str, *, reserved: float = 0, available: int | None = None
) -> None:
    """Refuse ``what`` if it needs more than is ``available`` (None: what this process may still use).

    Libraries may reserve more than they use: ``reserved`` is what they take of address space and data.
    """
    if available is None and max(n_bytes, reserved) < LITTLE:
        return
    free = available_bytes() if available is None else available
    if free is not None and n_bytes > free:
        raise InputError(f"{what} needs about {size(n_bytes)}, {size(free)} are free: {advice}")
    for limit in limits_of_process() if reserved else ():
        _require_of(limit, what, reserved + RESERVE, advice)


def require_drawing(advice: str = "raise the limit", _root: Path = Path("/")) -> None:
    """Refuse to draw the first chart where V8 does not fit into a limit."""
    for limit in limits_of_process(_root):
        _require_of(limit, "drawing charts", limit.kind.drawing, advice)


def _require_of(limit: Limit, what: str, n_bytes: float, advice: str) -> None:
    if n_bytes > limit.free:
        name, free = limit.kind.name, size(max(limit.free, 0))
        raise InputError(f"{what} needs about {size(n_bytes)} of {name}, {free} are free: {advice}")


def require_libraries(n_threads: int, _root: Path = Path("/")) -> None:
    """Refuse to start where libraries do not fit into a limit. To be called before NumPy is imported.

    Below a limit on address space libraries reserve less of it: OpenBLAS starts no threads, and all threads
    share one of glibc's arenas.
    """
    for free in (*_free_of_machine(_root), *_free_of_groups(_root)):
        if free < LIBRARIES:
            raise InputError(f"topminer needs at least {size(LIBRARIES)}, {size(max(free, 0))} are free")
    for limit in limits_of_process(_root):
        needed = limit.kind.libraries + n_threads * STACKS
        if limit.n_bytes < needed:
            raise InputError(
                f"topminer needs at least {needed // MB:,} MB of {limit.kind.name} on {n_threads} threads, "
                f"the limit is {limit.n_bytes // MB:,} MB"
            )
        if limit.kind is ADDRESS_SPACE:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            _share_one_arena()


def _share_one_arena() -> None:
    """Have all threads allocate from one arena: glibc reserves 64 MB of address space for any other."""
    _call_libc("mallopt", M_ARENA_MAX, 1)


def _call_libc(name: str, *arguments: int) -> None:
    """Call a function of the C library; do nothing where it has none of that name."""
    import ctypes

    function = getattr(ctypes.CDLL(None), name, None) if os.name == "posix" else None
    if function is not None:
        function(*arguments)


def return_freed() -> None:
    """Return the memory that was freed to the system: glibc keeps most of it for later allocations."""
    _call_libc("malloc_trim", 0)


# ------------------------------------------------------------------------------------ what is free


def available_bytes(_root: Path = Path("/"), *, reserve: int = RESERVE) -> int | None:
    """What this process may still use, as far as Linux tells; None where nobody does."""
    found = [*_free_of_machine(_root), *_free_of_groups(_root)]
    found += [limit.free - reserve for limit in limits_of_process(_root)]
    return max(min(found), 0) if found else None


def limits_of_process(_root: Path = Path("/")) -> list[Limit]:
    """The limits on address space and data, if any are set."""
    use, found = _numbers(_root / "proc/self/status"), []
    for line in _lines(_root / "proc/self/limits"):
        for kind in (ADDRESS_SPACE, DATA):
            words = line.removeprefix(kind.limit).split()
            if line.startswith(kind.limit) and words[0].isdigit():
                found.append(Limit(kind, int(words[0]), int(words[0]) - 1024 * use.get(kind.use, 0)))
    return found


def _free_of_machine(root: Path) -> Iterator[int]:
    free = _numbers(root / "proc/meminfo").get("MemAvailable:")
    if free is not None:
        yield 1024 * free


def _free_of_groups(root: Path) -> Iterator[int]:
    """What is left of the limits of the process's control groups and all above: version 2 and version 1.

    Files that were read once and may be forgotten count as use there, but are given up when memory is short.
    """
    mounted = root / "sys/fs/cgroup"
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            top, limit, use, files = mounted, "memory.max", "memory.current", "inactive_file"
        elif "memory" in controllers.split(","):
            top, limit, use = mounted / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"
            files = "total_inactive_file"
        else:
            continue
        # In a container the path may be the host's, which is not seen from inside: the top then is ours.
        inside = PurePosixPath(path.lstrip("/"))
        for group in (top / inside, *(top / above for above in inside.parents)):
            most, used = _number(group / limit), _number(group / use)
            if most is not None and used is not None and most < UNLIMITED:
                yield most - used + _numbers(group / "memory.stat").get(files, 0)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


def _number(path: Path) -> int | None:
    """The number that is all of a file; None where it says "max", or is not there."""
    text = "".join(_lines(path))
    return int(text) if text.isdigit() else None


def _numbers(path: Path) -> dict[str, int]:
    """Lines of a name and a number."""
    fields = (line.split() for line in _lines(path))
    return {field[0]: int(field[1]) for field in fields if len(field) > 1 and field[1].isdigit()}
