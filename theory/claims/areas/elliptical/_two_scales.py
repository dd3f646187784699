"""A Gaussian vector whose scale has two values, 1 and eta: symbols, and integrals over scale, length and angle."""

import mpmath
import sympy
from mpmath import mpf
from sympy import Interval, Rational, S, sqrt

from theory.claims.model import Param

Factor = list[list[mpf]]

eps = sympy.Symbol("varepsilon", positive=True)
eta = sympy.Symbol("eta", positive=True)
w1, w2 = sympy.symbols("w_1 w_2", real=True)

MEAN, SQUARE = 1 - eps + eps * eta, 1 - eps + eps * eta**2
SHARE = MEAN / sqrt(SQUARE)  # E r/sqrt(E r^2)
SCALES = (
    Param(eps, Interval.open(0, 1), r"probability of $r = \eta$; $r = 1$ otherwise"),
    Param(eta, Interval.open(0, S.Infinity), "the other value of the scale", (Rational(1), Rational(1, 8))),
)
WEIGHTS = (
    Param(w1, Interval(-3, 3), "weight of the first coordinate", (Rational(1, 16),)),
    Param(w2, Interval(-3, 3), "weight of the second coordinate", (Rational(0),)),
)


def through_half_space(w: tuple[mpf, mpf], factor: Factor) -> mpf:
    """Return E 1[w.u >= 0] u_1 for u = F (e_1, e_2), e standard normal: integrals over the length and the angle of e.

    The length s has the density s exp(-s^2/2), and F e points along F (cos t, sin t); the gate opens between its two
    zeros t.
    """
    along = [sum(w[i] * factor[i][k] for i in range(2)) for k in range(2)]
    start = mpmath.atan2(along[1], along[0]) - mpmath.pi / 2
    length = mpmath.quad(lambda s: s**2 * mpmath.exp(-(s**2) / 2), [0, 2, 5, 10, mpmath.inf])
    middle = start + mpmath.pi / 2
    angle = mpmath.quad(
        lambda t: factor[0][0] * mpmath.cos(t) + factor[0][1] * mpmath.sin(t), [start, middle, start + mpmath.pi]
    )
    return length * angle / (2 * mpmath.pi)


def with_scale(values: dict[str, mpf], factor: Factor) -> mpf:
    """Return E 1[w.x >= 0] x_1 for x = r F e/sqrt(E r^2): the integrals for each of the two values of r."""
    chances = ((1 - values["varepsilon"], mpf(1)), (values["varepsilon"], values["eta"]))
    root = mpmath.sqrt(sum(p * r**2 for p, r in chances))
    w = values["w_1"], values["w_2"]
    moments = (p * through_half_space(w, [[r / root * entry for entry in row] for row in factor]) for p, r in chances)
    return sum(moments, mpf(0))
