"""Arrays in files without a name."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from topminer.containers import mapped as module
from topminer.containers.mapped import LEAST_BYTES, mapped, unload

pytestmark = pytest.mark.small

LONG = np.arange(LEAST_BYTES, dtype=np.int32)


@pytest.mark.skipif(not module._CAN_UNLOAD, reason="this system cannot unload mapped arrays")
def test_elements_are_the_same_before_and_after_unloading(tmp_path: Path) -> None:
    array = mapped(LONG, tmp_path)
    assert array is not LONG
    assert array.dtype == LONG.dtype
    assert not array.flags.writeable
    assert array.flags.aligned
    np.testing.assert_array_equal(array, LONG)
    unload(array, array[5:], LONG)
    np.testing.assert_array_equal(array, LONG)
    assert list(tmp_path.iterdir()) == []  # the file has no name


def test_short_arrays_and_those_without_a_folder_stay_in_memory(tmp_path: Path) -> None:
    short = LONG[:10]
    assert mapped(short, tmp_path) is short
    assert mapped(LONG, None) is LONG


def test_without_a_place_to_write_the_array_stays_in_memory(tmp_path: Path) -> None:
    assert mapped(LONG, tmp_path / "missing") is LONG


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.mmap, "mmap", full)
    assert mapped(LONG, tmp_path) is LONG
