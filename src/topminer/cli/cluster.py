"""Ray, started or joined from the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

from topminer.cli.console import visible

if TYPE_CHECKING:
    from topminer.engines.ray import Cluster


@contextmanager
def cluster_at(address: str | None, threads: int | None, told: Console) -> Iterator[Cluster]:
    """Connect to a cluster, or start one, and say so."""
    what = "Starting Ray here" if address is None else f"Joining the Ray cluster at {visible(address)}"
    told.print(f"{what} …", style="dim", soft_wrap=True)
    from topminer.engines.ray import connect  # takes seconds by itself

    with connect(address, threads) as cluster:
        yield cluster
