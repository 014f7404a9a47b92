"""The manners of a scikit-learn estimator, without scikit-learn."""

from __future__ import annotations

import inspect
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from topminer.errors import not_fitted


class Estimator:
    """Its parameters are the arguments of ``__init__``, which stores them by name and does nothing else."""

    @classmethod
    def _parameters(cls) -> list[str]:
        return [name for name in inspect.signature(cls).parameters]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **params: Any) -> Self:
        """Change some parameters."""
        known = self._parameters()
        for name, value in params.items():
            if name not in known:
                has = ", ".join(known)
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}; it has {has}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        given = {
            name: value
            for name, value in self.get_params().items()
            if repr(value) != repr(defaults[name].default)
        }
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def _fitted(self, name: str) -> Any:
        """A fitted attribute, or an error that says what to do."""
        try:
            return self.__dict__[name]
        except KeyError:
            raise not_fitted(self) from None

    def _numbered_names(self, n: int) -> NDArray[np.object_]:
        """Names of ``n`` columns as scikit-learn makes them: the class's name in lower case, and a number."""
        return np.array([f"{type(self).__name__.lower()}{k}" for k in range(n)], object)

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks of whatever it puts into a Pipeline or a search."""
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=None,
            classifier_tags=None,
            regressor_tags=None,
            input_tags=InputTags(two_d_array=False, string=True),
        )
