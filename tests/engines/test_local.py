"""Blocks of work on threads."""

import threading
import time
from collections.abc import Iterator

import pytest

from topminer.engines.local import map_in_order, n_threads_or_all
from topminer.errors import InputError

THREADS = [1, 2, 5]


@pytest.mark.parametrize("n_threads", THREADS)
def test_results_come_in_the_order_of_the_work(n_threads: int) -> None:
    def slow_when_even(i: int) -> int:
        time.sleep(0.002 * (i % 2 == 0))
        return i * i

    for n in (20, 1, 0):
        assert list(map_in_order(slow_when_even, range(n), n_threads)) == [i * i for i in range(n)]


@pytest.mark.parametrize("n_threads", THREADS)
def test_items_are_drawn_only_a_few_ahead(n_threads: int) -> None:
    drawn: list[int] = []

    def items() -> Iterator[int]:
        for i in range(100):
            drawn.append(i)
            yield i

    for n_taken, _ in enumerate(map_in_order(str, items(), n_threads), start=1):
        assert len(drawn) <= n_taken + n_threads


def test_items_are_drawn_in_the_callers_thread_and_worked_on_in_others() -> None:
    here = threading.current_thread()

    def items() -> Iterator[threading.Thread]:
        for _ in range(4):
            yield threading.current_thread()

    both = list(map_in_order(lambda drawn_in: (drawn_in, threading.current_thread()), items(), 2))
    assert all(drawn_in is here and worked_in is not here for drawn_in, worked_in in both)


@pytest.mark.parametrize("n_threads", THREADS)
def test_the_caller_may_work_too(n_threads: int) -> None:
    """Order, errors and the number of items ahead are the same."""
    drawn: list[int] = []
    workers: set[threading.Thread] = set()

    def items() -> Iterator[int]:
        for i in range(40):
            drawn.append(i)
            yield i

    def picky(i: int) -> int:
        workers.add(threading.current_thread())
        if i == 30:
            raise InputError("thirty")
        return i * i

    taken = []
    with pytest.raises(InputError, match="thirty"):
        for result in map_in_order(picky, items(), n_threads, caller_works=True):
            taken.append(result)
            assert len(drawn) <= len(taken) + n_threads
    assert taken == [i * i for i in range(30)]
    assert len(workers) <= n_threads


def test_the_caller_takes_what_no_thread_has_begun() -> None:
    here, free = threading.current_thread(), threading.Event()

    def wait_elsewhere(i: int) -> threading.Thread:
        if threading.current_thread() is here:
            free.set()
        else:
            assert free.wait(60)
        return threading.current_thread()

    workers = list(map_in_order(wait_elsewhere, range(3), 2, caller_works=True))
    assert here in workers
    assert any(worker is not here for worker in workers)


@pytest.mark.parametrize("n_threads", THREADS)
def test_an_error_passes_through_after_the_results_before_it(n_threads: int) -> None:
    def picky(i: int) -> int:
        if i == 3:
            raise InputError("three")
        return i

    taken = []
    with pytest.raises(InputError, match="three"):
        for result in map_in_order(picky, range(10), n_threads):
            taken.append(result)
    assert taken == [0, 1, 2]


@pytest.mark.parametrize("n_threads", THREADS)
def test_who_stops_early_leaves_no_thread_and_no_more_work(n_threads: int) -> None:
    done: list[int] = []
    results = map_in_order(done.append, range(1000), n_threads)
    next(results)
    results.close()
    assert len(done) <= 1 + n_threads
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("topminer")]


def test_the_number_of_threads() -> None:
    assert n_threads_or_all(3) == 3
    assert n_threads_or_all(None) >= 1
    with pytest.raises(InputError, match="from 1 to 1,024, not 0"):
        n_threads_or_all(0)
