"""The temporary folder of a Ray cluster on this machine: its path is short, and it is removed."""

import os
import sys
import tempfile
from pathlib import Path

import pytest

from topminer.engines import ray_folder
from topminer.engines.ray_folder import ray_folder as made
from topminer.errors import InputError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Ray uses no Unix sockets there")


@pytest.fixture(autouse=True)
def anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_TMPDIR", raising=False)


def test_it_is_short_enough_for_sockets_wherever_temporary_files_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for parent in (tmp_path, tmp_path / ("long" * 30), Path("/tmp")):
        parent.mkdir(exist_ok=True)
        monkeypatch.setattr(tempfile, "tempdir", str(parent))
        with made() as folder:
            assert len(folder) + len(ray_folder.SOCKET) <= ray_folder.MAX_SOCKET
            (Path(folder) / "session").mkdir()
            assert len(os.listdir(folder)) == 1
        assert not Path(folder).exists()


def test_it_lies_where_ray_is_told_to_work(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp") as short:
        monkeypatch.setenv("RAY_TMPDIR", short)
        with made() as folder:
            assert Path(folder).parent == Path(short)
        monkeypatch.setenv("RAY_TMPDIR", f"{short}/absent")
        with made() as folder:
            assert Path(folder).parent != Path(short)


def test_without_any_such_folder_there_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_folder.os, "access", lambda folder, how: False)
    with pytest.raises(InputError, match=r"path of at most \d+ bytes, and .* is not one; set TMPDIR"), made():
        pass
