"""The one kind of error a user is meant to see."""

from __future__ import annotations


class InputError(ValueError):
    """Something given to topminer cannot be used: the message names it, and what was expected instead.

    The command line prints the message as one line and ends with exit code 2.
    """
