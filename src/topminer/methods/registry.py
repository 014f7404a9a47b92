"""All methods by name, as the command line calls them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from topminer.errors import InputError
from topminer.methods.contract import Method
from topminer.methods.lda import LDA
from topminer.methods.rivals.kert import KERT
from topminer.methods.rivals.pdlda import PDLDA
from topminer.methods.rivals.tng import TNG
from topminer.methods.rivals.turbo import TurboTopics
from topminer.methods.topmine import DefaultToPMine, PaperToPMine

METHODS: Mapping[str, type[Any]] = {
    kind.name: kind for kind in (DefaultToPMine, PaperToPMine, LDA, KERT, TNG, TurboTopics, PDLDA)
}


def method_named(name: str, **settings: Any) -> Method:
    """Return the method of that name, with those of the settings that it has.

    >>> method_named("tng", n_sweeps=100, n_threads=1)
    TNG(n_sweeps=100, alpha=None, beta=0.01, gamma=0.1, delta=0.01)
    """
    if name not in METHODS:
        raise InputError(f"there is no method {name!r}: expected some of {', '.join(METHODS)}")
    kind = METHODS[name]
    known = {field.name for field in fields(kind)}
    method: Method = kind(**{key: value for key, value in settings.items() if key in known})
    return method
