"""Exact numbers of SymPy as those of Python."""

from fractions import Fraction

import sympy


def rational(number: sympy.Rational) -> Fraction:
    """An exact fraction, whatever integer type SymPy is running on."""
    return Fraction(int(number.p), int(number.q))
