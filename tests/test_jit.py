"""The one place of Numba's options."""

import gc
import importlib
import inspect
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba import config, njit

import topminer
from topminer.jit import on_compile

needs_jit = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="the JIT is off")


@needs_jit
def test_a_fresh_kernel_is_announced_once() -> None:
    @njit
    def one_more(x: int) -> int:
        return x + 1

    told: list[str] = []
    with on_compile(told.append):
        assert one_more(1) == 2
        assert one_more(2) == 3
    assert one_more(2.5) == 3.5  # compiled once more, but nobody listens
    assert told == ["one_more"]


@needs_jit
def test_no_function_without_a_wrapper_can_be_called_from_python() -> None:
    """Guards against a crash: Numba would jump to an address that does not exist."""
    guarded = [
        each
        for module in pkgutil.walk_packages(topminer.__path__, "topminer.")
        if (not module.ispkg and b"@part" in (source := _source(module.name))) or b"@inlined" in source
        for each in vars(importlib.import_module(module.name)).values()
        if getattr(each, "targetoptions", {}).get("no_cpython_wrapper")
    ]
    assert len(guarded) > 50
    for each in guarded:
        with pytest.raises(TypeError, match=f"only kernels can call {each.py_func.__name__}"):
            each(*inspect.signature(each.py_func).parameters)


def _source(module: str) -> bytes:
    return Path(topminer.__file__).parent.parent.joinpath(*module.split(".")).with_suffix(".py").read_bytes()


@needs_jit
def test_the_collector_is_as_before_after_compiling() -> None:
    usual = gc.get_threshold()
    seen: list[tuple[int, int, int]] = []

    @njit
    def twice(x: int) -> int:
        return 2 * x

    with on_compile(lambda _: seen.append(gc.get_threshold())):
        twice(1)
    assert seen[0][0] > usual[0] and gc.get_threshold() == usual


KERNEL = """
from topminer.jit import kernel, on_compile

@kernel
def doubled(x):
    return 2 * x

with on_compile(print):
    doubled(1)
"""


@needs_jit
def test_a_cached_kernel_is_announced_by_the_first_process_only(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(KERNEL)

    def printed(switch: str) -> str:
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "TOPMINER_JIT_CACHE": switch}
        command = [sys.executable, str(tmp_path / "script.py")]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout

    assert [printed(switch) for switch in "110"] == ["doubled\n", "", "doubled\n"]


USE = """
from topminer.jit import on_compile
from topminer.phrases.scores import significance

with on_compile(print):
    significance(3, 4, 5, 100)
"""


@needs_jit
def test_an_edit_of_any_source_with_kernels_is_noticed(tmp_path: Path) -> None:
    """Guards against a cached kernel that holds an old version of a helper from another file."""
    package = shutil.copytree(Path(topminer.__file__).parent, tmp_path / "topminer")
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}

    def compiled() -> list[str]:
        command = [sys.executable, "-c", USE]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        return done.stdout.split()

    assert "significance" in compiled()
    (package / "cli" / "app.py").write_text("# no kernels here\n")
    assert compiled() == []
    for edited in ("topics/kernels/draw.py", "text/scan/classes.py"):  # a helper of kernels; constants
        with (package / edited).open("a") as file:
            file.write("# one more line\n")
        assert "significance" in compiled()


@needs_jit
def test_a_kernel_is_loaded_without_scipy_and_others_may_multiply_matrices() -> None:
    script = """if True:
        import sys
        import numba
        import numpy as np
        from topminer.containers.strings import StringTable, strings_of

        StringTable().add_strings(strings_of([b"a"]))
        assert "scipy.linalg" not in sys.modules
        product = numba.njit(lambda a: a @ a)
        assert product(np.eye(2)).shape == (2, 2)
    """
    subprocess.run([sys.executable, "-c", script], check=True)
