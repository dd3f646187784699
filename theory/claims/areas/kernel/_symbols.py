"""Symbols and parameters that the claims on kernels with random gates share."""

import sympy
from sympy import FiniteSet, Integer, Interval, Range, Rational, S

from theory.claims.model import Param

d, w = sympy.symbols("d w", integer=True, positive=True)
mu, r = sympy.symbols("mu r", positive=True)
V = sympy.Symbol("V", positive=True)  # sigma^2

OPEN = Param(mu, Interval.Lopen(0, 1), "probability of an open gate", (Rational(1, 2), Integer(1)))
_SHORT = FiniteSet(*(Rational(*pair) for pair in ((1, 3), (2, 5), (3, 4), (5, 7))))  # the sums have many digits
SOMETIMES_CLOSED = Param(mu, Interval.open(0, 1), "probability of an open gate", (Rational(1, 2),), _SHORT)
BOTH_OPEN = Param(
    r, Interval.open(0, 1), r"$\mu^2$, the probability that a node is open for both inputs", (Rational(1, 4),), _SHORT
)
VARIANCE = Param(V, Interval.open(0, sympy.oo), r"$\sigma^2$, the variance of a weight", (Rational(1, 2),))
BY_COUNTING = "all gates, signs or paths are enumerated; no chain of steps derives the sum"


def nodes(least: int, most: int) -> Param:
    """Return the parameter w, drawn from `least` to `most`."""
    return Param(w, S.Naturals, "nodes of each hidden level", (Integer(least), Integer(most)), Range(least, most + 1))


def layers(least: int, most: int) -> Param:
    """Return the parameter d, drawn from `least` to `most`; a claim for d >= `least` alone has this condition."""
    return Param(d, S.Naturals, "layers of weights", (Integer(least), Integer(most)), Range(least, most + 1))
