"""The examples in docstrings do what they say."""

import doctest
import importlib
import pkgutil

import pytest

import topminer

MODULES = [
    module.name
    for module in pkgutil.walk_packages(topminer.__path__, "topminer.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0
