"""Correlations of stationary latents, one file for each kind; a new file in this folder is found without being listed.

In a problem file `correlation = "exponential"` declares a kind without fields, and a table one with fields, such as
`{ kind = "matern", smoothness = "3/2" }`.
"""

from collections.abc import Mapping
from dataclasses import MISSING, fields

from theory.problem.correlations.base import Correlation
from theory.problem.correlations.gaussian import GAUSSIAN
from theory.problem.discovery import declared
from theory.problem.errors import InputError
from theory.problem.numbers import nearest, one_of, shown

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
    theory.problem.errors.InputError: data.correlation: the kind "matern" needs `smoothness`. Write for example ...
    """
    if isinstance(value, Correlation):
        return value
    table = {"kind": value} if isinstance(value, str) else value
    if not isinstance(table, Mapping) or "kind" not in table:
        raise InputError(
            f"{where} = {shown(value)} must be the word of a kind, or a table with `kind`.",
            f"Choose one of: {', '.join(CORRELATIONS)}.",
        )
    made = CORRELATIONS[
        one_of(table["kind"], f"{where}.kind", CORRELATIONS, "A new kind is a file in theory/problem/correlations/.")
    ]
    names = tuple(field.name for field in fields(made))
    needed = tuple(field.name for field in fields(made) if field.default is MISSING)
    for key in table:
        if key not in ("kind", *names):
            known = ", ".join(("kind", *names))
            raise InputError(f"{where} has the unknown key {shown(key)}.", f"{nearest(key, names)}Known: {known}.")
    missing = [name for name in needed if name not in table]
    if missing:
        raise InputError(
            f'{where}: the kind "{made.kind}" needs {", ".join(f"`{name}`" for name in missing)}.',
            f'Write for example {{ kind = "{made.kind}", {missing[0]} = ... }}.',
        )
    return made(**{name: table[name] for name in names if name in table})
