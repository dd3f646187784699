"""Exact SymPy numbers as Python fractions."""

from fractions import Fraction

import sympy


def rational(number: sympy.Rational) -> Fraction:
    """Return the number as a Fraction of Python integers, whichever integer type SymPy uses."""
    return Fraction(int(number.p), int(number.q))
