"""The methods the paper compares with, behind one interface with ToPMine and LDA.

Each has ``fit(corpus, n_topics, seed)``, which gives a :class:`topminer.baselines.method.Found`. The names
below are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from topminer.baselines.kert import KERT
    from topminer.baselines.lda import LDA
    from topminer.baselines.pdlda import PDLDA
    from topminer.baselines.tng import TNG
    from topminer.baselines.topmine import DefaultToPMine, PaperToPMine
    from topminer.baselines.turbo import TurboTopics
    from topminer.baselines.watch import Watch

__all__ = ["KERT", "LDA", "PDLDA", "TNG", "DefaultToPMine", "PaperToPMine", "TurboTopics", "Watch"]

_HOME_OF = {
    "KERT": "kert",
    "LDA": "lda",
    "PDLDA": "pdlda",
    "TNG": "tng",
    "DefaultToPMine": "topmine",
    "PaperToPMine": "topmine",
    "TurboTopics": "turbo",
    "Watch": "watch",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
