"""All methods by name, as the command line calls them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from topminer.errors import InputError
from topminer.methods.contract import Method
from topminer.methods.lda import LDA
from topminer.methods.rivals.kert import KERT
from topminer.methods.rivals.pdlda import PDLDA
from topminer.methods.rivals.tng import TNG
from topminer.methods.rivals.turbo import TurboTopics
from topminer.methods.topmine import DefaultToPMine, PaperToPMine


class Known(NamedTuple):
    """A method that can be asked for."""

    title: str
    make: Callable[
        [int, int | None, Mapping[str, Any]], Method
    ]  # of sweeps, threads and how phrases are mined


METHODS: Mapping[str, Known] = {
    "topmine": Known("ToPMine", DefaultToPMine),
    "paper": Known("ToPMine (paper)", PaperToPMine),
    "lda": Known("LDA", lambda sweeps, threads, _: LDA(sweeps, threads)),
    "kert": Known("KERT", lambda sweeps, threads, _: KERT(n_sweeps=sweeps, n_threads=threads)),
    "tng": Known("TNG", lambda sweeps, *_: TNG(n_sweeps=sweeps)),
    "turbo": Known(
        "Turbo Topics", lambda sweeps, threads, _: TurboTopics(n_sweeps=sweeps, n_threads=threads)
    ),
    "pdlda": Known("PD-LDA", lambda sweeps, *_: PDLDA(n_sweeps=sweeps)),
}


def named(name: str) -> Known:
    """The method of that name.

    >>> named("tng").title
    'TNG'
    """
    if name not in METHODS:
        raise InputError(f"there is no method {name!r}: expected some of {', '.join(METHODS)}")
    return METHODS[name]
