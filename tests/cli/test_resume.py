"""Runs that are killed, interrupted or told to stop, and `topminer resume`: the same bytes in the end."""

import io
import json
import os
import signal
import sys
from pathlib import Path

import pytest
from runs import QUICK, model_files
from stored_things import plan_of

from topminer import Corpus, cli, load
from topminer.cli import main
from topminer.run.checkpoint import Checkpoint
from topminer.run.job import Job
from topminer.run.places import Places, remember
from topminer.topics.model.phraselda import PhraseLDA
from topminer.topics.sampler.chain import Chain
from topminer.topics.sampler.sampler import Sampler

needs_posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
CHAIN = Path("checkpoint", "chain.json")


@pytest.fixture(autouse=True)
def patient(monkeypatch) -> None:
    """However slow the machine is, a sweep is waited for."""
    monkeypatch.setattr(cli, "STOP_TIMEOUT", 600.0)


def sweep_kept(directory: Path) -> int:
    """The sweep of the chain that a checkpoint holds."""
    return json.loads((directory / CHAIN).read_text(encoding="utf-8"))["facts"]["sweep"]


# In this process: signals at moments that are known


@pytest.fixture
def undisturbed(titles_model: Path) -> dict[str, bytes]:
    return model_files(titles_model)


@pytest.fixture
def stopped(corpus: Path, tmp_path: Path, undisturbed: dict[str, bytes], topminer):
    """Run into `model`, which ends with a code; give what was told. Then resuming gives the same bytes."""

    def run(*arguments: str, code: int = 130) -> str:
        out, err = topminer("run", corpus, *QUICK, "--output", tmp_path / "model", *arguments, code=code)
        assert out == ""
        return err

    yield run
    signal.setitimer(signal.ITIMER_REAL, 0)
    out, err = topminer("resume", tmp_path / "model")
    assert "support vector machines" in out and "Model written to" in err
    assert model_files(tmp_path / "model") == undisturbed
    assert len(list((tmp_path / "model").iterdir())) == 3


def during_sweep(monkeypatch, number: int, act) -> None:
    """Do something in the midst of a sweep, once."""
    sweep, done = Sampler.sweep, []

    def sweep_and_act(sampler: Sampler) -> None:
        if sampler.n_sweeps == number - 1 and not done:
            done.append(number)
            act()
        sweep(sampler)

    monkeypatch.setattr(Sampler, "sweep", sweep_and_act)


def send(signum: int, times: int = 1) -> None:
    for _ in range(times):
        signal.raise_signal(signum)


@needs_posix
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--paper", (None, None, None, 4.0)),
        ("--quality 1.5 --evidence none --no-ties", (1.5, None, None, 2.0)),
        ("--quality none --evidence 3", (None, 3, "auto", 2.0)),
        ("--sweeps auto", ("auto", "auto", "auto", 2.0)),
    ],
)
def test_how_phrases_are_judged_is_kept(
    options: str, expected, corpus: Path, tmp_path: Path, monkeypatch
) -> None:
    arguments = [*QUICK, *options.split(), "--quiet", "--output"]
    assert main(["run", str(corpus), *arguments, str(tmp_path / "undisturbed")]) == 0
    during_sweep(monkeypatch, 5, lambda: send(signal.SIGINT))
    assert main(["run", str(corpus), *arguments, str(tmp_path / "model")]) == 130
    assert main(["resume", str(tmp_path / "model"), "--quiet"]) == 0
    assert model_files(tmp_path / "model") == model_files(tmp_path / "undisturbed")
    model = load(tmp_path / "model")
    assert (model.quality, model.evidence, model.ties, model.significance) == expected


@needs_posix
@pytest.mark.parametrize(
    ("signum", "code", "last_words"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
def test_a_signal_lets_the_sweep_end_and_keeps_its_state(
    stopped, tmp_path: Path, monkeypatch, signum: int, code: int, last_words: str
) -> None:
    during_sweep(monkeypatch, 7, lambda: send(signum))
    hint, last = stopped(code=code).splitlines()[-2:]
    assert hint == f"Unfinished. Go on with: topminer resume {tmp_path / 'model'}"
    assert last == f"topminer: {last_words}"
    assert sweep_kept(tmp_path / "model") == 7
    assert not (tmp_path / "model" / "model.json").exists()


@needs_posix
def test_a_second_signal_does_not_wait_for_the_sweep(stopped, tmp_path: Path, monkeypatch) -> None:
    during_sweep(monkeypatch, 7, lambda: send(signal.SIGINT, times=2))
    assert "topminer resume" in stopped()
    assert not (tmp_path / "model" / CHAIN).exists()


def seconds_to_the_alarm() -> float:
    """0: no alarm is set."""
    return signal.getitimer(signal.ITIMER_REAL)[0]


@needs_posix
def test_a_sweep_that_takes_too_long_is_not_waited_for(stopped, tmp_path: Path, monkeypatch) -> None:
    def take_too_long() -> None:
        assert seconds_to_the_alarm() == 0
        send(signal.SIGINT)
        assert seconds_to_the_alarm() > 0
        send(signal.SIGALRM)

    during_sweep(monkeypatch, 7, take_too_long)
    stopped("--checkpoint-every", "0")
    assert sweep_kept(tmp_path / "model") == 6


@needs_posix
def test_keeping_the_state_may_take_its_time(stopped, tmp_path: Path, monkeypatch) -> None:
    keep, alarms = Job.keep, []

    def slow(job: Job, chain: Chain) -> None:
        alarms.append(seconds_to_the_alarm())
        keep(job, chain)

    monkeypatch.setattr(Job, "keep", slow)
    during_sweep(monkeypatch, 7, lambda: send(signal.SIGINT))
    stopped()
    assert set(alarms) == {0}
    assert sweep_kept(tmp_path / "model") == 7


@needs_posix
def test_a_signal_while_a_state_is_kept_keeps_that_of_the_next_sweep(
    stopped, tmp_path: Path, monkeypatch
) -> None:
    keep = Job.keep

    def interrupted(job: Job, chain: Chain) -> None:
        keep(job, chain)
        if chain.sampler.n_sweeps == 7:
            send(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(Job, "keep", interrupted)
        stopped("--checkpoint-every", "0")
    assert sweep_kept(tmp_path / "model") == 8


@needs_posix
def test_a_signal_after_the_last_sweep_is_not_forgotten(stopped, monkeypatch) -> None:
    keep = PhraseLDA._keep

    def interrupted(*arguments) -> None:
        send(signal.SIGINT)
        keep(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(PhraseLDA, "_keep", interrupted)
        assert "topminer resume" in stopped()


@needs_posix
def test_a_signal_while_the_corpus_is_read(stopped, monkeypatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Corpus, "read", lambda *_, **__: send(signal.SIGINT))
        assert "topminer resume" in stopped()


@needs_posix
def test_what_came_by_standard_input_cannot_be_read_again(tmp_path: Path, monkeypatch, topminer) -> None:
    monkeypatch.setattr(Corpus, "read", lambda *_, **__: send(signal.SIGINT))
    said = topminer("run", "-", *QUICK, "--output", tmp_path / "new" / "model", code=130)[1]
    assert said == "topminer: interrupted\n"
    assert list(tmp_path.iterdir()) == []
    Checkpoint.begin(tmp_path / "model", plan_of("-"), overwrite=False).close()  # of a run that died
    said = topminer("resume", tmp_path / "model", code=2)[1]
    assert said.endswith("before all of standard input was read: start it again\n")
    assert list((tmp_path / "model").iterdir()) == []


@needs_posix
def test_standard_input_that_was_read_is_kept(corpus: Path, tmp_path: Path, undisturbed, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(corpus.read_bytes())))
    during_sweep(monkeypatch, 7, lambda: send(signal.SIGTERM))
    assert main(["run", "-", *QUICK, "--output", str(tmp_path / "model"), "--quiet"]) == 143
    assert main(["resume", str(tmp_path / "model"), "--quiet"]) == 0
    assert model_files(tmp_path / "model") == undisturbed


def test_resuming_what_is_done_or_never_began(
    corpus: Path, tmp_path: Path, titles_model: Path, topminer
) -> None:
    done = f"{titles_model}: the run is done, nothing is left to resume\n"
    assert topminer("resume", titles_model) == ("", done)
    assert topminer("resume", titles_model, "--quiet") == ("", "")
    for nothing in (tmp_path / "absent", tmp_path, corpus):
        out, err = topminer("resume", nothing, code=2)
        assert (out, len(err.splitlines())) == ("", 1)
    assert not (tmp_path / "absent").exists()


def test_a_corpus_that_is_gone_can_come_back(corpus: Path, tmp_path: Path, undisturbed, capsys) -> None:
    plan = {}

    def keep(directory: Path, asked: dict, *, overwrite: bool) -> Checkpoint:
        plan.update(asked)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Checkpoint, "begin", keep)
        main(["run", str(corpus), *QUICK, "--output", str(tmp_path / "model")])
    plan["id"] = remember(Places(str(corpus)))  # that of the run that could not begin is forgotten
    Checkpoint.begin(tmp_path / "model", plan, overwrite=False).close()
    corpus.rename(tmp_path / "elsewhere.txt")
    assert main(["resume", str(tmp_path / "model")]) == 2
    assert "no such file" in capsys.readouterr().err
    (tmp_path / "elsewhere.txt").rename(corpus)
    assert main(["resume", str(tmp_path / "model"), "--quiet"]) == 0
    assert model_files(tmp_path / "model") == undisturbed


@pytest.mark.parametrize("command", ["topics DIR", "explain DIR text", "infer DIR new.txt --output new.csv"])
def test_what_needs_a_model_says_that_the_run_is_not_done(tmp_path: Path, topminer, command: str) -> None:
    Checkpoint.begin(tmp_path / "model", plan_of(), overwrite=False).close()
    arguments = [tmp_path / "model" if each == "DIR" else each for each in command.split()]
    told = f"the run is not done: `topminer resume {tmp_path / 'model'}`"
    assert told in topminer(*arguments, code=2)[1]
