"""The fourth moment of a cubic of a Gaussian variable, from which its kurtosis follows."""

from fractions import Fraction

import mpmath
import numpy as np
from sympy import Matrix

from theory.claims.areas.marginal.covariance import COEFFICIENT, c
from theory.claims.expectations import expectation_claim
from theory.claims.model import Point
from theory.claims.points import exact_values
from theory.expressions.symbols import z
from theory.moments.inputs import input_statistics
from theory.problem import Cubic, NonlinearGP


def _fourth_moment(point: Point) -> Fraction:
    """E (z + c z^3)^4 from the moments (m - 1)!! of z."""
    own = exact_values(point)["c"]
    total, even = Fraction(0), 3
    for power, choices in enumerate((1, 4, 6, 4, 1)):
        total += choices * own**power * even  # E z^(4 + 2 power)
        even *= 5 + 2 * power
    return total


def _by_moments(point: Point, digits: int) -> mpmath.mpf:
    value = _fourth_moment(point)
    with mpmath.workdps(digits + 10):
        return mpmath.mpf(value.numerator) / value.denominator


def _by_the_library(c: float) -> float:
    law = NonlinearGP(2, (1, 1), 1, "open", "none", (1, 0), nonlinearity=Cubic(Fraction(c)))
    return float(input_statistics(law, 0).fourth(*np.zeros((4, 1), int))[0])


CUBIC = expectation_claim(
    "marginal.kurtosis.cubic",
    "The fourth moment of a cubic of a Gaussian variable",
    (z(1) + c * z(1) ** 3) ** 4,
    Matrix([[1]]),
    3 + 60 * c + 630 * c**2 + 3780 * c**3 + 10395 * c**4,
    params=(COEFFICIENT,),
    oracle=_by_moments,
    exact=_fourth_moment,
    numeric=_by_the_library,
)

CLAIMS = (CUBIC,)
