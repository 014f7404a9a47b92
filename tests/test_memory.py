"""What memory is free, and what is refused for want of it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from topminer import Corpus, PhraseMiner, ToPMine, load, memory
from topminer.errors import InputError
from topminer.memory import (
    ADDRESS_SPACE,
    DATA,
    LIBRARIES,
    MB,
    RESERVE,
    STACKS,
    available_bytes,
    require,
    require_drawing,
    require_libraries,
)


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


MEMINFO = {
    "proc/meminfo": "MemTotal:       9000 kB\nMemFree:  10 kB\nMemAvailable:   4000 kB\nHugePages: 0\n"
}
V1, V2 = "9:name=systemd:/\n4:cpu,memory:/some/job\n0::/\n", "0::/some/job\n"


@pytest.mark.small
def test_what_linux_says_of_the_machine(tmp_path: Path) -> None:
    assert available_bytes(tmp_path) is None
    assert available_bytes(write(tmp_path, {"proc/meminfo": "MemTotal: 9000 kB\n"})) is None
    assert available_bytes(write(tmp_path, MEMINFO)) == 4000 * 1024
    if Path("/proc/meminfo").exists():
        assert available_bytes()


@pytest.mark.small
@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"some/job": ("max", 5)}, 4000 * 1024),
        ({"some/job": ("3000000", 1000000)}, 2000000),
        ({"some/job": ("9000000", 1000000)}, 4000 * 1024),  # more than the machine has
        ({"some/job": ("max", 1), "some": ("1000000", 400000)}, 600000),  # the limit is above
        ({"": ("1000000", 300000)}, 700000),  # in a container
        ({"some/job": ("1000000", 1000001)}, 0),
    ],
)
@pytest.mark.parametrize("version", [1, 2])
def test_limits(tmp_path: Path, version: int, limits: dict[str, tuple[str, int]], expected: int) -> None:
    files = {**MEMINFO, "proc/self/cgroup": V1 if version == 1 else V2}
    for group, (most, used) in limits.items():
        if version == 2:
            folder = f"sys/fs/cgroup/{group}"
            files |= {f"{folder}/memory.max": f"{most}\n", f"{folder}/memory.current": f"{used}\n"}
        else:
            folder, most = f"sys/fs/cgroup/memory/{group}", most.replace("max", "9223372036854771712")
            files |= {f"{folder}/memory.limit_in_bytes": most, f"{folder}/memory.usage_in_bytes": f"{used}\n"}
    assert available_bytes(write(tmp_path, files)) == expected


@pytest.mark.small
def test_files_that_may_be_forgotten_are_free(tmp_path: Path) -> None:
    folder = "sys/fs/cgroup/some/job"
    files = {
        "proc/self/cgroup": V2,
        f"{folder}/memory.max": "1000\n",
        f"{folder}/memory.current": "900\n",
        f"{folder}/memory.stat": "anon 500\nfile 400\ninactive_file 300\nactive_file 100\n",
    }
    assert available_bytes(write(tmp_path, files)) == 400


# ----------------------------------------------------------------------------- limits of the process

GB = 1000 * MB


def limited(root: Path, address_space: int | str = "unlimited", data: int | str = "unlimited") -> Path:
    """A process that uses 400 MB of address space, 100 of them data, on a machine with 50 GB."""
    files = {
        "proc/meminfo": f"MemAvailable: {50 * GB // 1024} kB\n",
        "proc/self/status": f"Name: x\nVmSize: {400 * MB // 1024} kB\nVmData: {100 * MB // 1024} kB\n",
        "proc/self/limits": "Limit                     Soft Limit           Hard Limit           Units     \n"
        f"Max data size             {data:<20} unlimited            bytes     \n"
        "Max resident set          12345                unlimited            bytes     \n"
        f"Max address space         {address_space:<20} unlimited            bytes     \n",
    }
    return write(root, files)


@pytest.mark.small
@pytest.mark.parametrize(
    ("limits", "free"),
    [
        ({}, 50 * GB),
        ({"address_space": 2 * GB}, 1600 * MB - RESERVE),
        ({"data": 2 * GB}, 1900 * MB - RESERVE),
        ({"address_space": 2 * GB, "data": 300 * MB}, 200 * MB - RESERVE),
        ({"address_space": 450 * MB}, 0),
        ({"address_space": 90 * GB}, 50 * GB),
    ],
)
def test_limits_on_address_space_and_data(tmp_path: Path, limits: dict[str, int], free: int) -> None:
    assert available_bytes(limited(tmp_path, **limits)) == pytest.approx(free, abs=2048)


@pytest.mark.small
def test_a_need_is_compared_with_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 3 * GB)
    require("sampling", 3 * GB, "fewer topics")
    with pytest.raises(InputError, match=r"^sampling needs about 3\.5 GB, 3\.0 GB are free: fewer topics$"):
        require("sampling", 3.5 * GB, "fewer topics")
    with pytest.raises(InputError, match=r"needs about 3\.0 GB, 2\.0 GB are free"):
        require("sampling", 3 * GB, "fewer topics", available=2 * GB)
    monkeypatch.setattr(memory, "available_bytes", lambda: None)
    require("sampling", 3.5 * GB, "fewer topics")


@pytest.mark.small
def test_what_libraries_reserve_is_compared_with_limits_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = memory.limits_of_process(limited(tmp_path, address_space=2 * GB))
    monkeypatch.setattr(memory, "available_bytes", lambda: 50 * GB)
    monkeypatch.setattr(memory, "limits_of_process", lambda: limits)
    require("reading", 10 * MB, "fewer documents", reserved=1400 * MB)
    message = r"reading needs about 1\.6 GB of address space \(ulimit -v\), 1\.6 GB are free: fewer documents"
    with pytest.raises(InputError, match=message):
        require("reading", 10 * MB, "fewer documents", reserved=1500 * MB)


@pytest.mark.small
def test_libraries_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    of_space = r"at least 1,180 MB of address space \(ulimit -v\) on 4 threads, .* 600"
    with pytest.raises(InputError, match=of_space):
        require_libraries(4, limited(tmp_path, address_space=600 * MB))
    of_data = r"at least 680 MB of data \(ulimit -d\) on 4 threads, the limit is 600 MB"
    with pytest.raises(InputError, match=of_data):
        require_libraries(4, limited(tmp_path, data=600 * MB))
    with pytest.raises(InputError, match=r"needs at least 250\.0 MB, 4\.1 MB are free"):
        require_libraries(1, write(tmp_path, MEMINFO))


@pytest.mark.small
def test_libraries_reserve_less_address_space_only_where_it_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    monkeypatch.setattr(memory, "_share_one_arena", lambda: calls.append("arena"))
    environment: dict[str, str] = {}
    monkeypatch.setattr(memory.os, "environ", environment)
    require_libraries(1, limited(tmp_path))
    require_libraries(1, limited(tmp_path, data=DATA.libraries + STACKS))
    assert (calls, environment) == ([], {})
    require_libraries(1, limited(tmp_path, address_space=ADDRESS_SPACE.libraries + STACKS))
    assert (calls, environment) == (["arena"], {"OPENBLAS_NUM_THREADS": "1"})
    assert LIBRARIES < DATA.libraries < ADDRESS_SPACE.libraries


@pytest.mark.small
def test_charts_are_not_drawn_where_the_engine_that_draws_would_abort(tmp_path: Path) -> None:
    require_drawing("…", limited(tmp_path))
    require_drawing("…", limited(tmp_path, address_space=70 * GB, data=GB))
    message = r"drawing charts needs about 69\.3 GB of address space \(ulimit -v\), 7\.6 GB are free: raise"
    with pytest.raises(InputError, match=message):
        require_drawing(_root=limited(tmp_path, address_space=8 * GB))
    with pytest.raises(InputError, match=r"650\.0 MB of data \(ulimit -d\), 600\.0 MB are free: leave it"):
        require_drawing("leave it", limited(tmp_path, data=700 * MB))


# --------------------------------------------------------------------------- steps that compare first

TEXTS = ["frequent pattern mining", "support vector machine"] * 20


@pytest.fixture
def no_memory(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From the call on, a kilobyte is free."""

    def exhaust() -> None:
        monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
        monkeypatch.setattr(memory, "LITTLE", 0)

    return exhaust


def test_reading_mining_writing_and_loading_compare_first(
    tmp_path: Path, no_memory: Callable[[], None]
) -> None:
    corpus = Corpus.from_texts(TEXTS)
    model = ToPMine(2, n_sweeps=2, random_state=0).fit(corpus)
    model.save(tmp_path / "model")
    no_memory()
    for what, work in (
        ("reading", lambda: Corpus.from_texts(TEXTS)),
        ("mining phrases", lambda: PhraseMiner().fit(corpus)),
        (r"writing \S+\.parquet", lambda: model.save(tmp_path / "other")),
        (r"\S+/model: reading the model", lambda: load(tmp_path / "model")),
    ):
        with pytest.raises(InputError, match=rf"^{what} needs about \S+ kB, 1\.0 kB are free: "):
            work()
    assert not (tmp_path / "other" / "model.json").exists()
