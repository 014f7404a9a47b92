"""The methods the paper compares with, behind one interface with ToPMine and LDA.

Each has ``fit(corpus, n_topics, seed)``, which gives a :class:`topminer.methods.contract.MethodResult`.
The names below are loaded when they are first used; ``Watch`` is the earlier name of ``Stopwatch``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from topminer.methods.lda import LDA
    from topminer.methods.rivals.kert import KERT
    from topminer.methods.rivals.pdlda import PDLDA
    from topminer.methods.rivals.tng import TNG
    from topminer.methods.rivals.turbo import TurboTopics
    from topminer.methods.stopwatch import Stopwatch
    from topminer.methods.stopwatch import Stopwatch as Watch
    from topminer.methods.topmine import DefaultToPMine, PaperToPMine

__all__ = [
    "KERT",
    "LDA",
    "PDLDA",
    "TNG",
    "DefaultToPMine",
    "PaperToPMine",
    "Stopwatch",
    "TurboTopics",
    "Watch",
]

_HOME_OF = {
    "KERT": "rivals.kert",
    "LDA": "lda",
    "PDLDA": "rivals.pdlda",
    "TNG": "rivals.tng",
    "DefaultToPMine": "topmine",
    "PaperToPMine": "topmine",
    "TurboTopics": "rivals.turbo",
    "Stopwatch": "stopwatch",
    "Watch": "stopwatch",
}
_EARLIER = {"Watch": "Stopwatch"}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), _EARLIER.get(name, name))
