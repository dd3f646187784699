"""Exact fractions of any size as text."""

from fractions import Fraction

import mpmath
from flint import fmpz

_DIGITS = 10  # of a decimal


def exact_text(value: Fraction) -> str:
    """Return the whole fraction; Python itself refuses to print an integer of more than 4,300 digits."""
    numerator = str(fmpz(value.numerator))
    return numerator if value.denominator == 1 else f"{numerator}/{fmpz(value.denominator)}"


def decimal_text(value: Fraction) -> str:
    """Return ten digits of the value, also beyond the range of float64.

    >>> decimal_text(Fraction(10**400, 3))
    '3.333333333e+399'
    """
    with mpmath.workdps(_DIGITS + 5):
        return mpmath.nstr(mpmath.mpf(value.numerator) / value.denominator, _DIGITS)
