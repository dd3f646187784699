"""A step and two erfs: the step halves the expectation."""

import sympy
from sympy import Heaviside, Interval, Matrix, asin, erf, oo, pi

from theory.claims import quadrature, reasons
from theory.claims.expectations import KAPPA, expectation_claim
from theory.claims.model import Level, Param
from theory.expressions.symbols import g, z

r12, r13, r23 = sympy.symbols("r12 r13 r23", real=True)
_TRIPLE = Matrix([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]])
_INSIDE = Interval.open(-1, 1)

STEP_ERF_ERF = expectation_claim(
    "gaussian.step_erf_erf.arcsine",
    "A step and two erfs: the step only halves, whatever its correlations",
    Heaviside(z(1)) * erf(g * z(2)) * erf(g * z(3)),
    _TRIPLE,
    asin(KAPPA**2 * r23) / pi,
    params=(
        Param(r12, _INSIDE, "correlation of the step with the first erf"),
        Param(r13, _INSIDE, "correlation of the step with the second erf"),
        Param(r23, _INSIDE, "correlation of the erfs"),
        Param(g, Interval.open(0, oo), "gain"),
    ),
    conditions=(1 + 2 * r12 * r13 * r23 - r12**2 - r13**2 - r23**2 > 0,),
    oracle=lambda point, digits: quadrature.step_erf_erf(point[r12], point[r13], point[r23], point[g], digits),
    drawn=2,
    unchecked={Level.EXACT: reasons.ARCSINES, Level.FLOATING: reasons.BY_LAGS},
)

CLAIMS = (STEP_ERF_ERF,)
