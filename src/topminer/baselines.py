"""The earlier name of :mod:`topminer.methods`, which still works."""

from topminer.methods import *  # noqa: F403
