"""The amplifier at a = 0 from the moments of X, to any order.

With U ~ N(0, 1) independent of X, phi(a) = E[X sign(a X + sqrt(1 - a^2) U)]. The average over U of He_k of such a
variable is a^k He_k(X), and sign has the Hermite coefficients of the sum below:

    phi(a) = sqrt(2/pi) sum_k c_k a^(2k+1),   c_k = (-1)^k E[X He_(2k+1)(X)]/(2^k k! (2k+1)).

So c_0 = 1, c_1 = (3 - kurt)/6 with kurt = E X^4, and c_2 = (E X^6 - 10 E X^4 + 15)/40; for a
Gaussian all but c_0 vanish.
The series is asymptotic in general; for bounded X it converges where |a| is small enough.
"""

from collections.abc import Sequence
from math import factorial
from typing import Any

import sympy

from theory.problem import InputError


def amplifier_coefficients(moments: Sequence[Any]) -> list[sympy.Expr]:
    """Return c_0, c_1, ... from the even moments E X^2, E X^4, ...: numbers, or symbols.

    >>> kurt = sympy.Symbol("kurt")
    >>> amplifier_coefficients([1, kurt])
    [1, 1/2 - kurt/6]
    >>> amplifier_coefficients([1, 3, 15, 105])  # a Gaussian
    [1, 0, 0, 0]
    """
    even = [sympy.Integer(0) + moment for moment in moments]
    if not even or even[0] != 1:
        raise InputError("The first even moment, the variance, must be 1.", "Divide X by its standard deviation.")
    return [_coefficient(k, even) for k in range(len(even))]


def _coefficient(k: int, even: Sequence[sympy.Expr]) -> sympy.Expr:
    """(-1)^k E[X He_(2k+1)(X)]/(2^k k! (2k+1)), with He_m(x) = sum_j (-1)^j m!/(j! (m - 2j)! 2^j) x^(m - 2j)."""
    order = 2 * k + 1
    average = sum(
        sympy.Rational((-1) ** j * factorial(order), factorial(j) * factorial(order - 2 * j) * 2**j) * even[k - j]
        for j in range(k + 1)
    )
    return sympy.expand((-1) ** k * average / (2**k * factorial(k) * order))


def elasticity_coefficients(moments: Sequence[Any]) -> list[sympy.Expr]:
    """Return e_0, e_1, ... of d ln phi/d ln a = sum_k e_k a^(2k), from the even moments E X^2, E X^4, ....

    >>> kurt = sympy.Symbol("kurt")
    >>> elasticity_coefficients([1, kurt])
    [1, 1 - kurt/3]
    """
    c = amplifier_coefficients(moments)
    found: list[sympy.Expr] = []
    for k in range(len(c)):
        # sum_j (2j + 1) c_j a^(2j) = (sum_i e_i a^(2i)) (sum_j c_j a^(2j)), and c_0 = 1.
        found.append(sympy.expand((2 * k + 1) * c[k] - sum(found[i] * c[k - i] for i in range(k))))
    return found
