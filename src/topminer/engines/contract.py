"""The interface of an engine, on which a run runs.

An engine has *workers*: one process per node, or only this process. A worker holds objects. The run calls one
of their methods on all workers at once. It either takes the results, or keeps them on the workers and passes
them to other workers later. No result may depend on the number of workers; the objects must see to that.

Arrays that come from another worker may be read-only: copy an array before changing it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol


class WorkerLost(Exception):
    """A worker, its node, or a value that was kept there is lost. What was stored on disk is not.

    The engine can then only be closed.
    """


class Engine(Protocol):
    """Workers, each of which can hold objects."""

    threads: list[int]  # how many each worker may use; as many entries as there are workers
    names: list[str]  # of the workers' nodes, for messages

    def place(self, make: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> Placed:
        """``make(*arguments[w])`` on every worker ``w``; waits until all are made."""

    def here(self, kept: Sequence[Any]) -> list[Any]:
        """Fetch values that were kept."""

    def share(self, value: Any) -> Any:
        """Put a value where every worker can read it. Return it as a kept value."""

    def close(self) -> None:
        """Stop the workers, whatever they are doing. A second call does nothing."""


class Placed(Protocol):
    """An object on every worker. An error that one of its methods raises is raised here."""

    @property
    def engine(self) -> Engine:
        """The engine whose workers hold the objects."""

    def run(self, method: str, arguments: Sequence[tuple[Any, ...]] | None = None) -> list[Any]:
        """``object.method(*arguments[w])`` on every worker at once; the results, in the order of the workers.

        ``None`` is no arguments. Of several errors the first worker's is raised.
        """

    def keep(
        self, method: str, arguments: Sequence[tuple[Any, ...]] | None = None, n_results: int = 1
    ) -> list[Any]:
        """Like :meth:`run`, but the results stay where they were made, and nothing is waited for.

        Each may later be an argument of any worker's method: as an argument itself, not inside a list or
        tuple. With ``n_results > 1`` methods return a tuple of so many, which are kept one by one: there is
        a list of them for each worker. A worker does its calls in the order in which they were asked for.

        An error is raised when the value is used or fetched, or by the next :meth:`run`, if not at once.
        """

    def keep_on(self, worker: int, method: str, *arguments: Any) -> Any:
        """Like :meth:`keep`, on one worker only."""

    def drop(self) -> None:
        """Drop the objects. Values that were kept stay."""


def run_alike(placed: Placed, method: str, *arguments: Any) -> list[Any]:
    """Call a method with the same arguments on every worker at once; the results, in their order."""
    return placed.run(method, [arguments] * len(placed.engine.threads))
