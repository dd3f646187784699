"""Statements that list an integer for each value of a parameter, where there is no closed form."""

import sympy
from sympy import Eq, Integer, Piecewise, Rational


def table(symbol: sympy.Symbol, entries: dict[Rational, int]) -> sympy.Expr:
    """Return the integer that belongs to each value of a parameter."""
    return Piecewise(*((Integer(value), Eq(symbol, key)) for key, value in entries.items()))
