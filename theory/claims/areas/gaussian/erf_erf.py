"""Two erfs: the arcsine law."""

from sympy import asin, erf, pi

from theory.claims import quadrature, reasons
from theory.claims.expectations import KAPPA, expectation_claim, pair
from theory.claims.literature import ERF_NETWORKS
from theory.claims.model import Level
from theory.claims.parameters import CORRELATION, GAIN
from theory.expressions.symbols import g, rho, z

ERF_ERF = expectation_claim(
    "gaussian.erf_erf.arcsine",
    "Two erfs: the arcsine law",
    erf(g * z(1)) * erf(g * z(2)),
    pair(rho),
    2 * asin(KAPPA**2 * rho) / pi,
    known=ERF_NETWORKS,
    params=(CORRELATION, GAIN),
    oracle=lambda point, digits: quadrature.erf_erf(point[rho], point[g], digits),
    unchecked={Level.EXACT: reasons.ARCSINES, Level.FLOATING: reasons.BY_LAGS},
)

CLAIMS = (ERF_ERF,)
