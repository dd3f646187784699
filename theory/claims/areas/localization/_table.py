"""Statements without a closed form that list an integer for each value of a parameter."""

import sympy
from sympy import Eq, Integer, Piecewise, Rational


def table(symbol: sympy.Symbol, entries: dict[Rational, int]) -> sympy.Expr:
    """Return the integer that belongs to each value of a parameter."""
    return Piecewise(*((Integer(value), Eq(symbol, key)) for key, value in entries.items()))
