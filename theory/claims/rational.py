"""Rational definitions: one function serves as the exact level of a claim and as its oracle."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import mpmath

from theory.claims.model import Point
from theory.claims.points import exact_values

_GUARD = 10  # digits beyond those requested; a quotient of integers needs no more


def rational(definition: Callable[[Point], Fraction]) -> dict[str, Any]:
    """Return the fields `exact` and `oracle` of a claim whose definition gives a fraction at every point.

    >>> import sympy
    >>> fields = rational(lambda point: Fraction(1, 3))
    >>> fields["exact"]({}), fields["oracle"]({}, 5) * 3 == 1
    (Fraction(1, 3), True)
    """

    known: dict[frozenset, Fraction] = {}  # the exact level and the oracle take the same points

    def exact(point: Point) -> Fraction:
        at = frozenset(point.items())
        if at not in known:
            known[at] = definition(point)
        return known[at]

    def oracle(point: Point, digits: int) -> mpmath.mpf:
        value = exact(point)
        with mpmath.workdps(digits + _GUARD):
            return mpmath.mpf(value.numerator) / value.denominator

    return {"exact": exact, "oracle": oracle}


def rational_by_name(definition: Callable[[Mapping[str, Fraction]], Fraction | int]) -> dict[str, Any]:
    """Return the fields `exact` and `oracle` for a definition that takes the values of the parameters by name.

    >>> import sympy
    >>> fields = rational_by_name(lambda at: at["n"] * (at["n"] + 1) / 2)
    >>> fields["exact"]({sympy.Symbol("n"): sympy.Integer(4)})
    Fraction(10, 1)
    """
    return rational(lambda point: Fraction(definition(exact_values(point))))
