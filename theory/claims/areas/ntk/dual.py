"""Dual functions of activations: the averages of which the recursions of infinitely wide networks are made."""

import mpmath
from sympy import Interval, Rational, exp, sin

from theory.claims import reasons
from theory.claims.areas.ntk import _layers
from theory.claims.expectations import expectation_claim, pair
from theory.claims.literature import ARC_COSINE
from theory.claims.model import Level, Param, Point
from theory.expressions.functions import Relu
from theory.expressions.symbols import rho, z
from theory.kernels.infinite import WideNetwork, gram_kernels

CORRELATION = Param(
    rho,
    Interval.open(-1, 1),
    "correlation of the inputs of a layer",
    (Rational(0), Rational(99, 100), Rational(-1, 2)),
    Interval(Rational(-9, 10), Rational(99, 100)),
)
_STEP = 4  # nodes of the trapezoidal sum in a standard deviation, times the root of the digits over 30


def _one_layer(name: str) -> object:
    """Return the library's covariance after one layer, in float64."""

    def value(rho: float) -> float:
        import numpy as np

        return float(gram_kernels(np.array([[1.0, rho], [rho, 1.0]]), WideNetwork(name, 2)).nngp[0, 1])

    return value


def _on_a_grid(point: Point, digits: int) -> mpmath.mpf:
    """E[sin(x) sin(r x + s y)] of independent x and y, a trapezoidal sum: its error falls as exp(-2 pi^2/step^2)."""
    with mpmath.workdps(digits + 10):
        r = mpmath.mpf(int(point[rho].p)) / int(point[rho].q)
        s = mpmath.sqrt((1 - r) * (1 + r))
        finest = mpmath.sqrt(mpmath.mpf(digits + 10) / 30)
        step = 1 / (_STEP * finest)
        nodes = [k * step for k in range(-int(16 * finest / step), int(16 * finest / step) + 1)]
        weights = [step * mpmath.npdf(x) for x in nodes]
        # sin(r x + s y) = sin(r x) cos(s y) + cos(r x) sin(s y), and the second part is odd in y: the sums separate.
        over_x = mpmath.fsum(w * mpmath.sin(x) * mpmath.sin(r * x) for x, w in zip(nodes, weights, strict=True))
        over_y = mpmath.fsum(w * mpmath.cos(s * y) for y, w in zip(nodes, weights, strict=True))
        return over_x * over_y


RELU = expectation_claim(
    "ntk.dual.relu_relu",
    "Two ReLUs: the arc-cosine kernel of degree 1",
    2 * Relu(z(1)) * Relu(z(2)),
    pair(rho),
    _layers.k1(rho),
    known=ARC_COSINE,
    params=(CORRELATION,),
    oracle=lambda point, digits: _layers.both_relus(_layers.number(point[rho], digits), digits),
    numeric=_one_layer("relu"),
    unchecked={Level.EXACT: reasons.ARCSINES},
)

SINES = expectation_claim(
    "ntk.dual.sin_sin",
    "Two sines: a hyperbolic sine of the correlation",
    sin(z(1)) * sin(z(2)),
    pair(rho),
    (exp(rho - 1) - exp(-rho - 1)) / 2,
    params=(CORRELATION,),
    oracle=_on_a_grid,
    numeric=_one_layer("sin"),
    unchecked={Level.EXACT: "an exponential is not rational at rational correlations other than 0"},
)

CLAIMS = (RELU, SINES)
