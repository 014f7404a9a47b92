"""Compiled kernels on disk: when they are used, where they lie, and that no damage gets through."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from numba import config
from project import ROOT

import topminer
from topminer.jit import cache

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="the JIT is off")

PACKAGE = Path(topminer.__file__).parent
USE = """
from topminer.jit import on_compile
from topminer.phrases.scores import significance

with on_compile(print):
    assert significance(3, 4, 5, 100) > 0
"""
Compiled = Callable[..., list[str]]


@pytest.fixture
def compiled(tmp_path: Path) -> Compiled:
    """Run a script as a process, and return the functions that it compiles."""

    def run(script: str = USE, **environment: str) -> list[str]:
        own = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "HOME": str(tmp_path / "home")}
        everything = {
            name: value for name, value in (os.environ | own | environment).items() if value != "absent"
        }
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=everything)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    return run


def kernels(folder: Path) -> list[Path]:
    return sorted(folder.rglob(f"*{cache.ENDING}"))


def test_a_second_process_compiles_nothing(compiled: Compiled, tmp_path: Path) -> None:
    assert "significance" in compiled()
    assert compiled() == []
    assert len(kernels(tmp_path / "cache")) == 1


@pytest.mark.parametrize(
    "options", [{"NUMBA_BOUNDSCHECK": "1"}, {"NUMBA_OPT": "1"}, {"NUMBA_CPU_NAME": "x86-64"}]
)
def test_other_options_need_other_kernels(compiled: Compiled, options: dict[str, str]) -> None:
    """Guards against a run that asks for checks and is given kernels without."""
    assert "significance" in compiled()
    assert "significance" in compiled(**options)
    assert compiled() == compiled(**options) == []


def _truncate(content: bytes) -> bytes:
    return content[: len(content) // 2]


def _flip(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize("damage", [_truncate, _flip, lambda _: b""])
def test_a_damaged_kernel_is_compiled_again(
    compiled: Compiled, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    compiled()
    (kernel,) = kernels(tmp_path / "cache")
    whole = kernel.read_bytes()
    kernel.write_bytes(damage(whole))
    assert "significance" in compiled()
    assert len(kernel.read_bytes()) == len(whole)
    assert compiled() == []


def test_where_nothing_can_be_written_kernels_are_compiled_each_time(
    compiled: Compiled, tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    assert "significance" in compiled()
    assert "significance" in compiled()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package, in a folder of its own."""
    ignored = shutil.ignore_patterns("__pycache__", "compiled")
    return shutil.copytree(PACKAGE, tmp_path / "site" / "topminer", ignore=ignored)


def test_they_lie_beside_the_package(compiled: Compiled, copy: Path, tmp_path: Path) -> None:
    place = {
        "NUMBA_CACHE_DIR": "absent",
        "PYTHONPATH": str(copy.parent),
        "XDG_CACHE_HOME": str(tmp_path / "c"),
    }
    assert "significance" in compiled(**place)
    assert len(kernels(copy / "__pycache__")) == 1
    assert not (tmp_path / "c").exists()
    for path in kernels(copy):  # anybody may read them: root may have compiled them for all users
        assert path.stat().st_mode & stat.S_IRGRP == path.parent.stat().st_mode & stat.S_IRGRP


def test_else_in_the_users_cache_where_other_installations_find_them(
    compiled: Compiled, copy: Path, tmp_path: Path
) -> None:
    """A folder that cannot be written is played by a file: root may write everywhere."""
    of_user = tmp_path / "c"
    place = {"NUMBA_CACHE_DIR": "absent", "XDG_CACHE_HOME": str(of_user), "PYTHONDONTWRITEBYTECODE": "1"}
    (copy / "__pycache__").write_text("")
    assert "significance" in compiled(**place, PYTHONPATH=str(copy.parent))
    assert [path.parent.parent for path in kernels(of_user)] == [of_user / "topminer"]
    other = shutil.copytree(copy, tmp_path / "elsewhere" / "topminer")
    assert compiled(**place, PYTHONPATH=str(other.parent)) == []


def test_those_of_the_package_are_used_also_if_its_folder_cannot_be_written_any_more(
    compiled: Compiled, copy: Path, tmp_path: Path
) -> None:
    """Guards against an image whose kernels root has compiled and whose user compiles them again."""
    place = {
        "NUMBA_CACHE_DIR": "absent",
        "PYTHONPATH": str(copy.parent),
        "XDG_CACHE_HOME": str(tmp_path / "c"),
    }
    compiled(**place)
    mode = (copy / "__pycache__").stat().st_mode
    (copy / "__pycache__").chmod(0o555)
    assert compiled(**place) == []
    (copy / "__pycache__").chmod(mode)


def test_shipped_kernels_are_used_and_kept_apart(compiled: Compiled, copy: Path, tmp_path: Path) -> None:
    if (
        not {name for name, has in cache.binding.get_host_cpu_features().items() if has}
        >= cache.BASELINE_FEATURES
    ):
        pytest.skip("this processor has fewer features than shipped kernels need")
    source = {"PYTHONPATH": str(copy.parent)}
    built = {"NUMBA_CPU_NAME": cache.BASELINE, "NUMBA_CPU_FEATURES": ""}
    assert "significance" in compiled(**source, **built, NUMBA_CACHE_DIR=str(copy / "jit" / "compiled"))
    assert compiled(**source) == []
    assert kernels(tmp_path / "cache") == []
    assert "significance" in compiled(**source, TOPMINER_SHIPPED_KERNELS="0")  # for just this machine
    shutil.rmtree(copy / "jit" / "compiled")
    assert compiled(**source) == []
    with (copy / "topics" / "kernels" / "draw.py").open("a") as file:
        file.write("# an edit\n")
    assert "significance" in compiled(**source)


def test_a_wheel_is_built_for_the_processors_that_look_for_its_kernels() -> None:
    assert f'CPU = "{cache.BASELINE}"\n' in (ROOT / "hatch_build.py").read_text()


def test_whether_there_is_any_kernel(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(cache.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache, "can_use_shipped", lambda: False)
    assert cache.is_empty()
    cache.mark_done("job")
    assert not cache.is_empty()


def test_only_the_newest_sources_keep_their_kernels(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(cache.config, "CACHE_DIR", str(tmp_path))
    for number in range(6):
        monkeypatch.setattr(cache, "sources_digest", lambda number=number: f"{number}" * 64)
        cache.mark_done("job")
        assert cache.is_done("job")
        os.utime(cache.folders()[0], (number, number))
    assert sorted(path.name[-1] for path in tmp_path.iterdir()) == ["3", "4", "5"]


def test_a_kernel_of_another_file_notices_edits_of_that_file(compiled: Compiled, tmp_path: Path) -> None:
    source = "from topminer.jit import kernel, on_compile\n\n@kernel\ndef doubled(x):\n    return {} * x\n"
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport own\n"
    script += "with own.on_compile(print): own.doubled(1)"
    for number, expected in ((2, ["doubled"]), (2, []), (3, ["doubled"])):
        (tmp_path / "own.py").write_text(source.format(number))
        assert compiled(script, PYTHONDONTWRITEBYTECODE="1") == expected
