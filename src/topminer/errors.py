"""The errors that a user is meant to see."""

from __future__ import annotations

import sys


class InputError(ValueError):
    """Something given to topminer cannot be used: the message names it, and what was expected instead.

    The command line prints the message as one line and ends with exit code 2.
    """


class NotFittedError(ValueError, AttributeError):
    """Something was asked of an estimator that only a fitted one can answer.

    Where scikit-learn is loaded, the error is also its ``sklearn.exceptions.NotFittedError``.
    """


def not_fitted(estimator: object) -> NotFittedError:
    """The error for an estimator that is not fitted."""
    message = f"this {type(estimator).__name__} is not fitted yet: call fit first"
    theirs = sys.modules.get("sklearn.exceptions")
    if theirs is None:
        return NotFittedError(message)
    both: type[NotFittedError] = type("NotFittedError", (NotFittedError, theirs.NotFittedError), {})
    return both(message)
