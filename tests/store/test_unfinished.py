"""Files that replace others: whole or not at all, never through a link."""

import os
from pathlib import Path

import pytest

from topminer.store.files import write_atomically
from topminer.store.unfinished import replacing


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a [1].json"
    write_atomically(path, "naïve\n")
    assert path.read_bytes() == "naïve\n".encode()
    write_atomically(path, b"\xff")
    assert path.read_bytes() == b"\xff"
    assert list(tmp_path.iterdir()) == [path]


def test_the_longest_names_can_be_written(tmp_path: Path) -> None:
    write_atomically(tmp_path / ("x" * 255), "text")
    assert (tmp_path / ("x" * 255)).read_text() == "text"


def test_a_link_is_replaced_and_what_it_points_to_stays(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("other")
    (tmp_path / "link").symlink_to("other")
    write_atomically(tmp_path / "link", "mine")
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "link").read_text() == "mine"
    assert (tmp_path / "other").read_text() == "other"


def test_a_name_that_is_taken_is_not_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda _: "0" * 16)
    (tmp_path / "other").write_text("other")
    (tmp_path / ".unfinished-0000000000000000").symlink_to("other")
    with pytest.raises(FileExistsError):
        write_atomically(tmp_path / "file", "mine")
    assert (tmp_path / "other").read_text() == "other"
    assert (tmp_path / ".unfinished-0000000000000000").is_symlink()


def test_two_writers_of_one_file_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with replacing(path) as first, replacing(path) as second:
        first.write_text("first")
        second.write_text("second")
        assert not path.exists()
    assert path.read_text() == "first"  # it was complete last
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("failure", [OSError, KeyboardInterrupt])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, failure: type[BaseException]
) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(failure), replacing(path) as unfinished:
        unfinished.write_text("half")
        raise failure
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("umask", [0o022, 0o027, 0o077])
def test_permissions_are_those_of_any_new_file(tmp_path: Path, umask: int) -> None:
    earlier = os.umask(umask)
    try:
        write_atomically(tmp_path / "file", "text")
    finally:
        os.umask(earlier)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o666 & ~umask
