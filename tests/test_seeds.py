"""Tests draw the same examples whatever runs before them, and run in any order that is asked for."""

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import settings
from project import ROOT
from seeds import FIXED, RANDOM, shuffled

pytestmark = pytest.mark.small

DRAWS = """
import sys
from hypothesis import given, strategies as st
from seeds import use_fixed_seeds

use_fixed_seeds()
if sys.argv[1:]:
    import imported_before

@given(st.lists(st.integers()), st.lists(st.floats()), st.text(), st.sets(st.text(max_size=2)))
def draw(integers, floats, text, texts):
    print(*map(ascii, [integers, floats, text, *sorted(texts)]))

draw()
"""


def drawn(folder: Path, *arguments: str, **environment: str) -> str:
    """Run a script that prints all that Hypothesis draws."""
    path = os.pathsep.join([str(ROOT / "tests"), str(folder)])
    without = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTHONHASHSEED")}
    ran = subprocess.run(
        [sys.executable, str(folder / "draws.py"), *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env=without | {"PYTHONPATH": path} | environment,
    )
    return ran.stdout


def test_examples_do_not_depend_on_ci_nor_hashes_nor_modules_imported_before(tmp_path: Path) -> None:
    (tmp_path / "draws.py").write_text(DRAWS)
    constants = [f"a{i}, b{i}, c{i} = {1000 + i}, {i}.5, 'a constant {i}'" for i in range(50)]
    (tmp_path / "imported_before.py").write_text("\n".join(constants))
    first = drawn(tmp_path)
    assert first.count("\n") == settings().max_examples
    assert drawn(tmp_path, CI="true", PYTHONHASHSEED="1") == first
    assert drawn(tmp_path, "import", PYTHONHASHSEED="2") == first
    assert not (tmp_path / ".hypothesis" / "examples").exists()


@pytest.mark.parametrize(("name", "is_fixed"), [(FIXED, True), (RANDOM, False)])
def test_no_profile_measures_time_or_remembers_failures(name: str, is_fixed: bool) -> None:
    profile = settings.get_profile(name)
    assert (profile.derandomize, profile.deadline, profile.database) == (is_fixed, None, None)
    assert profile.print_blob


def test_a_seed_gives_an_order_in_which_files_stay_together() -> None:
    items: list[Any] = [SimpleNamespace(path=f"{i // 10}.py", name=i) for i in range(100)]
    orders = [[item.name for item in shuffled(items, seed)] for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    for order in orders:
        assert sorted(order) == list(range(100))
        files = [name // 10 for name in order]
        assert sum(a != b for a, b in pairwise(files)) == 9
        assert files != sorted(files) and order[:10] != sorted(order[:10])
