"""Two steps: Sheppard's quadrant probability."""

from sympy import Heaviside, Rational, asin, pi

from theory.claims import quadrature, reasons
from theory.claims.expectations import expectation_claim, pair
from theory.claims.literature import SHEPPARD
from theory.claims.model import Level
from theory.claims.parameters import CORRELATION
from theory.expressions.symbols import rho, z
from theory.gaussian.float64.two_signs import two_signs

STEP_STEP = expectation_claim(
    "gaussian.step_step.orthant",
    "Two steps: Sheppard's quadrant probability",
    Heaviside(z(1)) * Heaviside(z(2)),
    pair(rho),
    Rational(1, 4) + asin(rho) / (2 * pi),
    known=SHEPPARD,
    params=(CORRELATION,),
    oracle=lambda point, digits: quadrature.step_step(point[rho], digits),
    numeric=lambda rho: (1 + two_signs(float(rho), (1 - rho) * (1 + rho))) / 4,
    unchecked={Level.EXACT: reasons.ARCSINES},
)

CLAIMS = (STEP_STEP,)
