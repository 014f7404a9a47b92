"""Unfinished runs: one process at a time, and nothing lost or taken over unasked."""

import errno
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from directories import rewrite
from stored_things import declared, loaded, plan_of, save, small_chain, small_corpus

from topminer import InputError, store
from topminer.run import checkpoint
from topminer.run.checkpoint import Checkpoint, Finished
from topminer.store import Stored, file_lock, formats

PLAN = plan_of()

# What another process does: hold one checkpoint after the other, say so, and wait to be told or killed.
HOLD = f"""
import sys
from pathlib import Path
from topminer.run.checkpoint import Checkpoint
one, other = map(Path, sys.argv[1:])
for hold in (lambda: Checkpoint.resume(one), lambda: Checkpoint.begin(other, {PLAN!r}, overwrite=True)):
    held = hold()
    print("held", flush=True)
    sys.stdin.readline()
"""
MODEL = declared("model", ("n",), {"x": np.arange(3)})


def begin(directory: Path, *, overwrite: bool = False, **plan: Any) -> Checkpoint:
    return Checkpoint.begin(directory, {**PLAN, **plan}, overwrite=overwrite)


def leave(directory: Path, n: int = 7) -> None:
    """Begin a run, come to a sweep, and go."""
    with begin(directory) as run:
        save(run, "corpus", small_corpus())
        save(run, "chain", small_chain(n))


def write_model(directory: Path) -> None:
    store.write(directory, MODEL, Stored({"n": 1}, {"x": np.arange(3)}, {}), overwrite=True)


def sweep_of(run: Checkpoint) -> int | None:
    chain = loaded(run, "chain")
    return None if chain is None else int(chain.facts["sweep"])


def content_of(folder: Path) -> dict[str, bytes | None]:
    """All below a folder but the lock, which says who held it last."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
        if path.name != "lock"
    }


# --------------------------------------------------------------------------------------- there and back


def test_a_run_from_beginning_to_end(tmp_path: Path) -> None:
    directory = tmp_path / "new" / "model"
    with begin(directory) as run:
        assert run.plan == PLAN
        assert run.directory == directory
        assert loaded(run, "corpus") is loaded(run, "chain") is None
        save(run, "corpus", small_corpus())
        save(run, "chain", small_chain(1))
        save(run, "chain", small_chain(2))
        assert sweep_of(run) == 2
        write_model(directory)
        run.finish()
    assert store.read(directory, MODEL).facts == {"n": 1}
    assert not [path.name for path in directory.iterdir() if "checkpoint" in path.name]
    before = content_of(directory)
    with pytest.raises(Finished, match="the run is done"):
        Checkpoint.resume(directory)
    assert content_of(directory) == before


def test_a_run_is_resumed_where_it_was_left(tmp_path: Path) -> None:
    leave(tmp_path, 7)
    with Checkpoint.resume(tmp_path) as run:
        assert run.plan == PLAN
        corpus, chain = loaded(run, "corpus"), loaded(run, "chain")
        assert corpus is not None and corpus.facts == small_corpus().facts
        assert chain is not None
        assert chain.facts == small_chain(7).facts
        assert chain.arrays["z"].tolist() == small_chain(7).arrays["z"].tolist()
        save(run, "chain", small_chain(8))
    with Checkpoint.resume(tmp_path) as run:
        assert sweep_of(run) == 8
    kept = sorted(path.name.split("-")[0] for path in (tmp_path / "checkpoint").iterdir())
    assert kept == ["chain", "chain.json", "corpus", "corpus.json", "lock", "plan", "plan.json"]


def test_a_plan_is_the_same_now_and_when_resumed(tmp_path: Path) -> None:
    reading = {**PLAN["reading"], "stop_words": ("a", "b")}
    with begin(tmp_path, reading=reading) as run:
        now = run.plan
    with Checkpoint.resume(tmp_path) as run:
        assert run.plan == now == {**PLAN, "reading": {**reading, "stop_words": ["a", "b"]}}


def test_what_is_closed_is_of_no_use(tmp_path: Path) -> None:
    """Guards against writing into a run that another process holds by now."""
    run = begin(tmp_path)
    run.close()
    run.close()
    for use in (lambda: save(run, "chain", small_chain(1)), lambda: loaded(run, "chain"), run.finish):
        with pytest.raises(RuntimeError, match="the checkpoint is closed"):
            use()
    Checkpoint.resume(tmp_path).close()


# ------------------------------------------------------------------------------------- nothing unasked


def test_a_finished_model_stays_until_the_new_one_is_there(tmp_path: Path) -> None:
    write_model(tmp_path)
    (tmp_path / "report.html").write_text("mine")
    before = content_of(tmp_path)
    with pytest.raises(InputError, match=r"holds a finished model; --overwrite replaces it$"):
        begin(tmp_path)
    assert content_of(tmp_path) == before
    with begin(tmp_path, overwrite=True) as run:
        assert {**content_of(tmp_path), **before} == content_of(tmp_path)
        with pytest.raises(InputError, match="another topminer run"):
            begin(tmp_path)
        run.finish()
    assert content_of(tmp_path) == before


@pytest.mark.parametrize("model", [False, True])
def test_an_unfinished_run_stays(tmp_path: Path, model: bool) -> None:
    """Also over a finished model: the run is what was begun last."""
    if model:
        write_model(tmp_path)
        begin(tmp_path, overwrite=True).close()
    else:
        leave(tmp_path)
    before = content_of(tmp_path)
    with pytest.raises(InputError, match=r"unfinished run is here: `topminer resume .+` .* --overwrite"):
        begin(tmp_path)
    assert content_of(tmp_path) == before
    with Checkpoint.resume(tmp_path) as run:
        assert sweep_of(run) == (None if model else 7)


def test_overwriting_starts_anew(tmp_path: Path) -> None:
    """Also over a run that is damaged."""
    leave(tmp_path)
    (tmp_path / "checkpoint" / "plan.json").write_text("{")
    (tmp_path / "checkpoint" / ".unfinished-0123456789abcdef").mkdir()
    (tmp_path / "checkpoint" / ".unfinished-fedcba9876543210").touch()
    with begin(tmp_path, overwrite=True, keep_texts=False) as run:
        assert loaded(run, "corpus") is loaded(run, "chain") is None
    with Checkpoint.resume(tmp_path) as run:
        assert run.plan["keep_texts"] is False
        assert loaded(run, "chain") is None
    kept = {path.name.split("-")[0] for path in (tmp_path / "checkpoint").iterdir()}
    assert kept == {"lock", "plan.json", "plan"}


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("thesis.txt", "holds 'thesis.txt' and no model"),
        ("data/x.txt", "holds 'data' and no model"),
        (".git/config", "holds '.git' and no model"),
        ("checkpoint", "holds 'checkpoint' and no model"),
        ("checkpoint/epoch-1.pt", "checkpoint: holds 'epoch-1.pt', which is not of topminer"),
        ("checkpoint/plan-2020/x", "checkpoint: holds 'plan-2020', which is not of topminer"),
    ],
)
def test_a_folder_of_something_else_is_not_touched(
    tmp_path: Path, name: str, found: str, overwrite: bool
) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("mine")
    before = content_of(tmp_path)
    with pytest.raises(InputError, match=found):
        begin(tmp_path, overwrite=overwrite)
    assert content_of(tmp_path) == before


@pytest.mark.parametrize(
    "existing", [[], ["checkpoint"], [".checkpoint-done"], ["checkpoint", ".checkpoint-done"]]
)
def test_an_empty_folder_will_do(tmp_path: Path, existing: list[str]) -> None:
    """Also one that a process left which died as it began."""
    for name in existing:
        (tmp_path / name).mkdir()
    with begin(tmp_path) as run:
        assert run.plan == PLAN
    assert {path.name for path in tmp_path.iterdir()} == {"checkpoint"}


# ----------------------------------------------------------------------------------- nothing to resume


@pytest.mark.parametrize("name", ["", "nowhere", "file", "folder"])
def test_no_run_here(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder" / "checkpoint").mkdir(parents=True)
    before = content_of(tmp_path)
    with pytest.raises(InputError, match="no run here") as raised:
        Checkpoint.resume(tmp_path / name)
    assert not isinstance(raised.value, Finished)
    assert content_of(tmp_path) == before


@pytest.mark.parametrize("model", [False, True])
def test_a_run_that_never_began(tmp_path: Path, model: bool) -> None:
    """Its process died between the lock and the plan: what it left goes."""
    if model:
        write_model(tmp_path)
    (tmp_path / "checkpoint").mkdir()
    (tmp_path / "checkpoint" / "lock").touch()
    with pytest.raises(InputError, match="the run is done" if model else "no run here"):
        Checkpoint.resume(tmp_path)
    assert not (tmp_path / "checkpoint").exists()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"kind": "plan"}'])
def test_a_damaged_plan(tmp_path: Path, content: str) -> None:
    leave(tmp_path)
    plan = tmp_path / "checkpoint" / "plan.json"
    whole = plan.read_text()
    plan.write_text(content)
    for _ in range(2):  # the lock is not kept
        with pytest.raises(InputError, match=r"plan\.json: "):
            Checkpoint.resume(tmp_path)
    plan.write_text(whole)
    with Checkpoint.resume(tmp_path) as run:
        assert sweep_of(run) == 7


@pytest.mark.parametrize(("kind", "file"), [("corpus", "corpus.json"), ("chain", "chain-*/z.0000.npy")])
def test_a_damaged_part(tmp_path: Path, kind: str, file: str) -> None:
    leave(tmp_path)
    [victim] = (tmp_path / "checkpoint").glob(file)
    victim.write_bytes(victim.read_bytes()[:-3])
    with Checkpoint.resume(tmp_path) as run, pytest.raises(InputError, match=rf"{victim.name}: damaged: "):
        loaded(run, kind)


@pytest.mark.parametrize("stop_words", ["/etc/passwd", [1]])
def test_a_forged_plan(tmp_path: Path, stop_words: Any) -> None:
    """tests/store/test_damage.py damages every fact of a plan."""
    leave(tmp_path)
    reading = {**PLAN["reading"], "stop_words": stop_words}
    rewrite(tmp_path / "checkpoint", lambda content: content["facts"]["run"].update(reading=reading), "plan")
    with pytest.raises(InputError, match=r"plan\.json: damaged: run: reading: stop_words: found"):
        Checkpoint.resume(tmp_path)


# ------------------------------------------------------------------------------------------- the lock


def test_a_lock_that_is_a_link_or_a_pipe(tmp_path: Path) -> None:
    """Guards against a stranger's checkpoint that has a file of the user's emptied."""
    (tmp_path / "mine.txt").write_text("mine")
    leave(tmp_path / "run")
    lock = tmp_path / "run" / "checkpoint" / "lock"
    lock.unlink()
    lock.symlink_to(tmp_path / "mine.txt")
    for use in (Checkpoint.resume, lambda path: begin(path, overwrite=True)):
        with pytest.raises(InputError, match=r"cannot .*: Too many levels of symbolic links"):
            use(tmp_path / "run")
    assert (tmp_path / "mine.txt").read_text() == "mine"
    lock.unlink()
    os.mkfifo(lock)
    with pytest.raises(InputError, match="cannot resume the run: Invalid argument"):
        Checkpoint.resume(tmp_path / "run")


def assert_busy(directory: Path, pid: int) -> None:
    before = content_of(directory)
    busy = rf"{directory}: another topminer run \(process {pid}\) is working here"
    for use in (begin, lambda path: begin(path, overwrite=True), Checkpoint.resume):
        with pytest.raises(InputError, match=busy):
            use(directory)
    assert content_of(directory) == before


def test_one_process_at_a_time(tmp_path: Path) -> None:
    """And when that one is killed, without a chance to clean up, another may go on."""
    resumed, begun = tmp_path / "resumed", tmp_path / "begun"
    leave(resumed)
    leave(begun)
    command = [sys.executable, "-c", HOLD, str(resumed), str(begun)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            assert process.stdout.readline() == "held\n"
            assert_busy(resumed, process.pid)
            process.stdin.write("go on\n")
            process.stdin.flush()
            assert process.stdout.readline() == "held\n"
            assert_busy(begun, process.pid)
        finally:
            process.send_signal(signal.SIGKILL)
    for directory, sweep in ((resumed, 7), (begun, None)):
        with Checkpoint.resume(directory) as run:
            assert (run.plan, sweep_of(run)) == (PLAN, sweep)
            holder = (directory / "checkpoint" / "lock").read_text().split()
            assert holder == [str(os.getpid()), socket.gethostname()]


@pytest.mark.parametrize(
    ("text", "said"),
    [("12 elsewhere\n", " (process 12 on elsewhere)"), ("", ""), ("\xff nonsense and more", "")],
)
def test_who_holds_it_as_far_as_can_be_told(tmp_path: Path, text: str, said: str) -> None:
    with begin(tmp_path):
        (tmp_path / "checkpoint" / "lock").write_bytes(text.encode("latin-1"))
        with pytest.raises(InputError) as raised:
            Checkpoint.resume(tmp_path)
    assert str(raised.value) == f"{tmp_path}: another topminer run{said} is working here"


@pytest.mark.parametrize("again", [False, True])
def test_a_lock_that_was_removed_before_it_was_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, again: bool
) -> None:
    """Guards against holding the lock of a file that is gone, beside one who holds that of the new file."""
    leave(tmp_path)
    write_model(tmp_path)
    take = file_lock.try_lock
    calls: list[int] = []

    def finished_meanwhile(handle: int) -> None:
        if not calls:
            shutil.rmtree(tmp_path / "checkpoint")
            if again:
                (tmp_path / "checkpoint").mkdir()
                plan = Stored({"run": plan_of("new.txt")}, {}, {})
                store.write(tmp_path / "checkpoint", formats.PLAN, plan, overwrite=False)
        calls.append(1)
        take(handle)

    monkeypatch.setattr(file_lock, "try_lock", finished_meanwhile)
    if again:
        with Checkpoint.resume(tmp_path) as run:
            assert run.plan == plan_of("new.txt")
            assert len(calls) == 2
    else:
        with pytest.raises(Finished):
            Checkpoint.resume(tmp_path)


# ------------------------------------------------------------------------------- crashes on the way out


class Crash(BaseException):
    """Something no code of ours catches, as a signal would be."""


@pytest.mark.parametrize("after", [lambda path: Checkpoint.resume(path), lambda path: begin(path)])
def test_a_crash_in_finish_leaves_a_finished_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: Any
) -> None:
    remove = shutil.rmtree

    def crash_half_way(path: Path, **options: Any) -> None:
        if path.exists():
            (path / "plan.json").unlink()
            raise Crash
        remove(path, **options)

    with begin(tmp_path) as run:
        write_model(tmp_path)
        with monkeypatch.context() as patch:
            patch.setattr(checkpoint.shutil, "rmtree", crash_half_way)
            with pytest.raises(Crash):
                run.finish()
    assert (tmp_path / ".checkpoint-done").is_dir()
    with pytest.raises(InputError, match=r"the run is done|holds a finished model"):
        after(tmp_path)
    assert not [path.name for path in tmp_path.iterdir() if "checkpoint" in path.name]


def test_a_crash_before_finish_leaves_a_run_to_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(tmp_path)
    write_model(tmp_path)
    with Checkpoint.resume(tmp_path) as run, monkeypatch.context() as patch:

        def fail(*_: Any) -> None:
            raise PermissionError(errno.EACCES, "Permission denied")

        patch.setattr(Path, "rename", fail)
        with pytest.raises(InputError, match="cannot remove the checkpoint: Permission denied"):
            run.finish()
        assert sweep_of(run) == 7
        patch.undo()
        run.finish()
    assert not (tmp_path / "checkpoint").exists()


def test_a_save_that_fails_leaves_the_older(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with begin(tmp_path) as run:
        save(run, "chain", small_chain(1))
        before = content_of(tmp_path)
        with monkeypatch.context() as patch:
            patch.setattr(np, "save", fail)
            with pytest.raises(InputError, match="cannot write the chain: No space left on device"):
                save(run, "chain", small_chain(2))
        assert content_of(tmp_path) == before
        assert sweep_of(run) == 1


# --------------------------------------------------------------------------------- where it cannot begin


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(InputError, match="file: is a file; expected a directory to write a model to"):
            begin(tmp_path / "file", overwrite=overwrite)
    with pytest.raises(InputError, match="cannot start a run here: Not a directory"):
        begin(tmp_path / "file" / "model")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc, where nobody may write")
def test_where_nobody_may_write() -> None:
    with pytest.raises(InputError, match="/proc/self/here: cannot start a run here: "):
        begin(Path("/proc/self/here"))


@pytest.mark.parametrize("error", [OSError(errno.ENOLCK, "No locks available"), Crash("No locks available")])
@pytest.mark.parametrize("existing", ["", "a", "a/b/model"])
@pytest.mark.parametrize("where", ["try_lock", "write"])
def test_a_beginning_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, existing: str, where: str
) -> None:
    (tmp_path / existing).mkdir(parents=True, exist_ok=True)
    before = content_of(tmp_path)

    def fail(*_: Any, **__: Any) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(file_lock if where == "try_lock" else store, where, fail)
        with pytest.raises((InputError, Crash), match=r"^(.*: cannot start a run here: )?No locks available"):
            begin(tmp_path / "a" / "b" / "model")
    assert content_of(tmp_path) == before
    begin(tmp_path / "a" / "b" / "model").close()


def test_a_plan_that_is_no_json_costs_nothing(tmp_path: Path) -> None:
    leave(tmp_path / "run")
    before = content_of(tmp_path)
    for name in ("run", "new"):
        with pytest.raises(TypeError):
            Checkpoint.begin(tmp_path / name, {**PLAN, "id": object()}, overwrite=True)
    with pytest.raises(ValueError, match="run: id is missing"):
        Checkpoint.begin(tmp_path / "new", {"corpus": "x"}, overwrite=True)
    assert content_of(tmp_path) == before


def test_an_abandoned_run_leaves_all_as_it_was(tmp_path: Path) -> None:
    new, empty, model = tmp_path / "new" / "model", tmp_path / "empty", tmp_path / "model"
    empty.mkdir()
    write_model(model)
    before = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))
    for directory in (new, empty, model):
        run = begin(directory, overwrite=True)
        save(run, "corpus", small_corpus())
        run.abandon()
    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*")) == before
