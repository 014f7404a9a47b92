"""What every engine promises."""

import time
from collections.abc import Iterator

import numpy as np
import pytest
from local_workers import local_engine
from numpy.typing import NDArray

from topminer.engines.contract import Engine, Placed
from topminer.errors import InputError

ENGINES = [
    "one worker",
    "three workers",
    pytest.param("ray", marks=pytest.mark.ray),
]
LARGE = 1 << 18  # numbers: more than Ray sends along with a message


class OddError(Exception):
    """Can be pickled, but not read again."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


class Counter:
    """Holds an array and remembers what it was asked for."""

    def __init__(self, first: int, size: int = 4) -> None:
        if size < 0:
            raise InputError(f"a size of {size}")
        self.numbers = np.arange(first, first + size)
        self.asked: list[str] = []

    def piece(self) -> NDArray[np.int64]:
        return self.numbers

    def halves(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        middle = self.numbers.size // 2
        return self.numbers[:middle], self.numbers[middle:]

    def total(self, *pieces: NDArray[np.int64]) -> int:
        return sum(int(piece.sum()) for piece in pieces)

    def note(self, what: str, seconds: float = 0.0, after: object = None) -> str:
        time.sleep(seconds)
        self.asked.append(what)
        return what

    def asked_for(self) -> list[str]:
        return self.asked

    def fail(self, kind: type[BaseException] | None, message: str, seconds: float = 0.0) -> str:
        time.sleep(seconds)
        if kind is not None:
            raise kind(message)
        return message

    def fail_oddly(self) -> None:
        raise OddError(1, 2)


@pytest.fixture(scope="module")
def ray_engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    engine = request.getfixturevalue("cluster").engine()
    yield engine
    engine.close()


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param == "ray":
        chosen: Engine = request.getfixturevalue("ray_engine")
        return chosen
    return local_engine(2, 1 if request.param == "one worker" else 3)


@pytest.fixture
def placed(engine: Engine) -> Iterator[Placed]:
    placed = engine.place(Counter, [(10 * worker,) for worker in range(len(engine.threads))])
    yield placed
    placed.drop()


def test_results_come_in_the_order_of_the_workers(engine: Engine, placed: Placed) -> None:
    n = len(engine.threads)
    assert n == len(engine.names) >= 1 and min(engine.threads) >= 1
    waits = [(f"{worker}", 0.05 * (n - worker)) for worker in range(n)]
    assert placed.run("note", waits) == [str(worker) for worker in range(n)]
    assert placed.run("asked_for") == [[str(worker)] for worker in range(n)]


def test_objects_of_two_kinds_do_not_meet(engine: Engine, placed: Placed) -> None:
    other = engine.place(Counter, [(100,)] * len(engine.threads))
    other.run("note", [("other",)] * len(engine.threads))
    assert placed.run("asked_for") == [[]] * len(engine.threads)
    assert placed.engine is engine


@pytest.mark.parametrize("size", [4, LARGE])
def test_what_is_kept_can_be_fetched_and_handed_to_any_worker(engine: Engine, size: int) -> None:
    n = len(engine.threads)
    placed = engine.place(Counter, [(worker, size) for worker in range(n)])
    pieces = placed.keep("piece")
    whole = [np.arange(worker, worker + size) for worker in range(n)]
    np.testing.assert_array_equal(engine.here(pieces), whole)
    assert placed.run("total", [tuple(pieces)] * n) == [np.sum(whole)] * n
    np.testing.assert_array_equal(
        engine.here([pieces[-1], pieces[0], pieces[-1]]), [whole[-1], whole[0], whole[-1]]
    )


def test_several_results_are_kept_one_by_one(engine: Engine, placed: Placed) -> None:
    n = len(engine.threads)
    halves = placed.keep("halves", n_results=2)
    assert [len(pair) for pair in halves] == [2] * n
    assert placed.run("total", [(second,) for _, second in halves]) == [20 * w + 5 for w in range(n)]
    np.testing.assert_array_equal(engine.here(halves[-1])[1], [10 * n - 8, 10 * n - 7])


def test_one_worker_can_be_asked_alone(engine: Engine, placed: Placed) -> None:
    last = len(engine.threads) - 1
    total = placed.keep_on(last, "total", *placed.keep("piece"))
    assert engine.here([total]) == [sum(40 * worker + 6 for worker in range(last + 1))]
    placed.keep_on(last, "note", "alone")
    assert placed.run("asked_for") == [[]] * last + [["alone"]]


def test_a_shared_value_is_there_for_all(engine: Engine, placed: Placed) -> None:
    shared = engine.share(np.arange(LARGE))
    assert placed.run("total", [(shared,)] * len(engine.threads)) == [sum(range(LARGE))] * len(engine.threads)
    np.testing.assert_array_equal(engine.here([shared])[0], np.arange(LARGE))


def test_a_worker_does_its_calls_in_the_order_in_which_they_were_asked_for(
    engine: Engine, placed: Placed
) -> None:
    """Also if an earlier one has to wait for what another worker makes."""
    last = len(engine.threads) - 1
    slow = placed.keep_on(0, "note", "slow", 0.2)
    placed.keep_on(last, "note", "waits", 0.0, slow)
    placed.keep_on(last, "note", "need not")
    assert placed.run("asked_for")[last][-2:] == ["waits", "need not"]


@pytest.mark.parametrize("size", [4, LARGE])
def test_what_comes_from_others_is_theirs(engine: Engine, size: int) -> None:
    if len(engine.threads) == 1:
        pytest.skip("there are no others")
    placed = engine.place(Counter, [(0, size)] * len(engine.threads))
    for piece in [*placed.run("piece"), *engine.here(placed.keep("piece"))]:
        with pytest.raises(ValueError, match="read-only"):
            piece[0] = 99
    assert placed.run("total", [(piece,) for piece in placed.keep("piece")]) == [
        size * (size - 1) // 2
    ] * len(engine.threads)


@pytest.mark.parametrize("kind", [InputError, MemoryError, KeyboardInterrupt, KeyError])
def test_an_error_comes_out_as_itself(engine: Engine, placed: Placed, kind: type[BaseException]) -> None:
    n = len(engine.threads)
    with pytest.raises(kind, match="why") as caught:
        placed.run("fail", [(None, "")] * (n - 1) + [(kind, "why")])
    assert type(caught.value) is kind
    assert placed.run("fail", [(None, "fine")] * n) == ["fine"] * n


def test_an_error_that_cannot_travel_is_told_all_the_same(placed: Placed) -> None:
    with pytest.raises((OddError, RuntimeError), match="1 and 2"):
        placed.run("fail_oddly")


def test_of_several_errors_the_first_workers_is_told(engine: Engine, placed: Placed) -> None:
    n = len(engine.threads)
    arguments = [(InputError, f"of {worker}", 0.7 * (worker == 0)) for worker in range(n)]
    with pytest.raises(InputError, match="of 0"):
        placed.run("fail", arguments)


def test_an_error_in_making_is_told(engine: Engine) -> None:
    with pytest.raises(InputError, match="a size of -1"):
        engine.place(Counter, [(0, -1)] * len(engine.threads))


@pytest.mark.parametrize("what", ["fetched", "used", "forgotten"])
def test_an_error_in_what_is_kept_is_told(engine: Engine, placed: Placed, what: str) -> None:
    """Whether the value is fetched or used by another worker, and also if nobody asks for it."""
    last = len(engine.threads) - 1
    with pytest.raises(InputError, match="why"):
        kept = placed.keep("fail", [(InputError, "why")] * (last + 1))
        if what == "fetched":
            engine.here(kept)
        elif what == "used":
            engine.here([placed.keep_on(last, "total", kept[0])])
        else:
            placed.run("asked_for")


def test_every_worker_needs_its_arguments(engine: Engine, placed: Placed) -> None:
    too_many = [(1,)] * (len(engine.threads) + 1)
    for ask in placed.run, placed.keep:
        with pytest.raises(ValueError, match=r"zip|too many"):
            ask("note", too_many)
    with pytest.raises(ValueError, match=r"zip|too many"):
        engine.place(Counter, too_many)


def test_an_object_that_was_dropped_is_gone(engine: Engine) -> None:
    placed = engine.place(Counter, [(0,)] * len(engine.threads))
    kept = placed.keep("piece")
    placed.drop()
    np.testing.assert_array_equal(engine.here(kept)[0], [0, 1, 2, 3])
    with pytest.raises(LookupError):
        placed.run("piece")


def test_one_local_worker_copies_nothing() -> None:
    engine = local_engine(1)
    numbers = np.arange(3)
    assert engine.here([engine.share(numbers)])[0] is numbers
    placed = engine.place(Counter, [(0,)])
    assert placed.run("piece")[0] is placed.run("piece")[0]


def test_what_several_local_workers_keep_is_no_value_yet() -> None:
    engine = local_engine(1, 2)
    placed = engine.place(Counter, [(0,)] * 2)
    kept = placed.keep("piece")
    assert not isinstance(kept[0], np.ndarray)
    with pytest.raises(TypeError, match="by itself"):
        placed.run("total", [(kept,)] * 2)
