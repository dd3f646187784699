"""Correlations of stationary latents, one file for each kind; a new file in this folder is found without being listed.

In a problem file `correlation = "exponential"` declares a kind without fields, and a table one with fields, such as
`{ kind = "matern", smoothness = "3/2" }`.
"""

from theory.problem.correlations.base import Correlation
from theory.problem.correlations.gaussian import GAUSSIAN
from theory.problem.discovery import declared
from theory.problem.keys import kind_of

_FIRST = ("gaussian", "exponential", "matern", "damped-cosine", "table", "spectrum", "formula")
CORRELATIONS: dict[str, type[Correlation]] = declared(__name__, __path__, Correlation, "kind", _FIRST)

__all__ = ["CORRELATIONS", "GAUSSIAN", "Correlation", "correlation_of"]


def correlation_of(value: object, where: str) -> Correlation:
    """Return a declared correlation: itself, the word of a kind without fields, or a table with `kind`.

    `where` names it in errors. Raises InputError for anything else.

    >>> correlation_of({"kind": "damped-cosine", "wavelength": 8}, "data.correlation").wavelength
    Fraction(8, 1)
    >>> correlation_of("matern", "data.correlation")
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: data.correlation lacks `smoothness`. ...
    """
    if isinstance(value, Correlation):
        return value
    kind, given = kind_of(value, where, CORRELATIONS, "A new kind is a file in theory/problem/correlations/.")
    return kind(**given)
