"""Parameters that claims of several areas share, each with its domain and the values that must be tried."""

from sympy import Integer, Interval, Range, Rational, oo

from theory.claims.model import Param
from theory.expressions.symbols import K, g, rho, t, tau

UNITS = Param(K, Range(1, 8), "number of units", (Integer(1), Integer(2), Integer(7)))
TIME_CONSTANT = Param(tau, Interval.open(0, oo), "time constant", (Rational(1, 64), Integer(50)))
TIME = Param(t, Interval(0, oo), "time", (Integer(0), Rational(1, 2**30), Integer(100)))

CORRELATION = Param(
    rho, Interval.open(-1, 1), "correlation", (Integer(0), Rational(999999, 1000000), Rational(-999, 1000))
)
GAIN = Param(g, Interval.open(0, oo), "gain", (Rational(1, 100), Integer(1), Integer(100)))
