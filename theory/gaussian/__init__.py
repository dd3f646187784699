"""Expectations of products of steps, signs, erfs and coordinates of jointly Gaussian variables, with proofs.

The public names are imported on first use, because they need SymPy and the float64 modules do not.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from theory.gaussian.expectation import Expectation
    from theory.gaussian.moment import Certified, Moment, expect

__all__ = ["Certified", "Expectation", "Moment", "expect"]

_MODULES = {"Expectation": "expectation", "Certified": "moment", "Moment": "moment", "expect": "moment"}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
