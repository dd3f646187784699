"""Expectations of products of steps, signs, erfs, ReLUs, powers and exponentials of jointly Gaussian variables, proved.

    expect(expr, cov, mean=None, where=None)   the closed form of E[expr] for z ~ N(mean, cov), as a Moment
    Moment        closed_form, kind, latex, derivation; evaluate(digits, ...) certified, numeric(...) in float64
    Certified     value, radius, digits and method of a certified number
    Expectation   E[integrand] as a SymPy expression that is not evaluated

    >>> from theory.gaussian import expect
    >>> expect("sign(z1)*sign(z2)", "[[1, 1/2], [1/2, 1]]").closed_form
    1/3

The names are imported on first use, because they need SymPy and the float64 modules do not.
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


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
