"""The cross block of two half spaces is not circulant. Localization notes, section 5."""

import mpmath
import sympy
from flint import acb, arb
from mpmath import mpf
from sympy import Eq, Heaviside, Integer, Interval, Matrix, Rational, pi, sqrt

from theory.claims.documents import NOTES
from theory.claims.expectations import derived
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import values
from theory.claims.quadrature import half_line, probability
from theory.claims.sources import Says, Source
from theory.expressions.balls.precision import precision
from theory.expressions.symbols import rho, z
from theory.gaussian.expectation import Expectation

a, b = sympy.symbols("a b", real=True)
_THREE = Matrix([[1, rho, a], [rho, 1, b], [a, b, 1]])
_BOTH_OPEN = Heaviside(z(1)) * Heaviside(z(2)) * (z(1) ** 2 - z(3) ** 2)
_DEFECT = (rho * (1 - rho**2) - 2 * a * b + rho * (a**2 + b**2)) / (2 * pi * sqrt(1 - rho**2))
_CROSS = Eq(Expectation(_BOTH_OPEN, _THREE), _DEFECT, evaluate=False)


def _diagonal_defect(point: Point, digits: int) -> mpf:
    """E[1 1 z_1^2] - E[1 1 z_3^2] with z_3 split into its regression on z_1, z_2 and a residual, over z_1 > 0."""
    with precision(digits=digits + 15), mpmath.workdps(digits + 10):
        at = values(point)
        r = at["rho"]
        rest = mpmath.sqrt(1 - r * r)
        by_1, by_2 = (at["a"] - r * at["b"]) / rest**2, (at["b"] - r * at["a"]) / rest**2
        left = 1 - by_1 * at["a"] - by_2 * at["b"]
        slope, spread = arb(r) / arb(rest), arb(rest)

        def mean_2(x: acb) -> acb:
            """E[z_2; z_2 > 0 | x], which is E[max(m + s N, 0)] = m Phi(m/s) + s phi(m/s)."""
            ratio = slope * x
            return spread * (ratio * probability(ratio) + (-ratio * ratio / 2).exp() / (2 * arb.pi()).sqrt())

        both = half_line(lambda x: probability(slope * x), digits + 5)
        square = half_line(lambda x: x * x * probability(slope * x), digits + 5)
        mixed = half_line(lambda x: x * mean_2(x), digits + 5)
        return square - ((by_1**2 + by_2**2) * square + 2 * by_1 * by_2 * mixed + left * both)


_PSD = 1 + 2 * rho * a * b - rho**2 - a**2 - b**2

CROSS_BLOCK = Claim(
    id="basis.half_spaces.cross_block",
    title="The cross block of two half-spaces is not circulant",
    protocol="The cross block of two half-spaces is in general not circulant: two entries of its diagonal differ",
    kind=Kind.EQUATION,
    statement=_CROSS,
    params=(
        Param(rho, Interval.open(-1, 1), "correlation of the gates' sites", (Rational(1, 2),)),
        Param(a, Interval.open(-1, 1), "correlation of the first gate's site with a third", (Integer(0),)),
        Param(b, Interval.open(-1, 1), "correlation of the second gate's site with the third", (Integer(0),)),
    ),
    conditions=(sympy.Gt(_PSD, Rational(1, 50)),),
    assumptions=(
        r"$x$ Gaussian of unit variance, the limit of small gain; both gates $\mathbf{1}[x \geq 0]$ at their sites",
    ),
    sources=(
        Source(
            NOTES,
            "section 5",
            note="a circulant block has a constant diagonal: where two half spaces overlap, the DFT does not "
            "diagonalize $A_{12}$; exclusive gates have no such block",
            says=Says.UNSTATED,
        ),
    ),
    oracle=_diagonal_defect,
    derive=derived("basis.half_spaces.cross_block", _BOTH_OPEN, _THREE, _DEFECT),
    drawn=3,
    unchecked={
        Level.EXACT: r"an integral over a quadrant, with $1/\pi$ and a square root",
        Level.FLOATING: "the library has such blocks for the correlations of a lattice, not for any three",
    },
)

CLAIMS = (CROSS_BLOCK,)
