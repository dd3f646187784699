"""The mean of |z| for a standard Gaussian z."""

import mpmath
from sympy import Abs, Eq, Matrix, pi, sqrt

from theory.claims.expectations import derived
from theory.claims.model import Claim, Kind, Level, Point
from theory.expressions.symbols import z
from theory.gaussian.expectation import Expectation

COV = Matrix([[1]])
FORMULA = sqrt(2 / pi)


def by_its_integral(_point: Point, digits: int) -> mpmath.mpf:
    """Return 2 int_0^oo x phi(x) dx by quadrature: the definition, and nothing of the engine."""
    with mpmath.workdps(digits + 10):
        return 2 * mpmath.quad(lambda x: x * mpmath.npdf(x), [0, 1, 2, 4, 8, 16])


MEAN = Claim(
    id="gaussian.absolute.mean",
    title="The mean of the absolute value of a standard Gaussian",
    kind=Kind.EQUATION,
    statement=Eq(Expectation(Abs(z(1)), COV), FORMULA, evaluate=False),
    oracle=by_its_integral,
    derive=derived("gaussian.absolute.mean", Abs(z(1)), COV, FORMULA),
    unchecked={
        Level.EXACT: "the root of 2/pi is not rational",
        Level.FLOATING: "the library does not evaluate this constant in float64",
    },
)

CLAIMS = (MEAN,)
