"""The indicator of a half line, and a number beside its threshold."""

import sympy
from sympy import Piecewise, Rational

TINY = Rational(1, 2**40)


def is_open(value: sympy.Expr) -> sympy.Expr:
    """Return the indicator 1[value >= 0].

    >>> is_open(sympy.Integer(0)), is_open(-TINY)
    (1, 0)
    """
    return Piecewise((1, value >= 0), (0, True))
