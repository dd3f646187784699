"""The support of the nonlinear Gaussian process. Localization notes, section 1."""

import math

import mpmath
from sympy import Eq, Integer, sqrt

from theory.claims import quadrature, reasons
from theory.claims.documents import NOTES
from theory.claims.expectations import SECOND_MOMENT, Z_SQUARED, variance_in_float64
from theory.claims.model import Claim, Kind, Level, Point
from theory.claims.parameters import GAIN
from theory.claims.sources import Says, Source
from theory.expressions.symbols import g
from theory.proof.derivation import Derivation, Step

_SUPPORT = Eq(1 / sqrt(SECOND_MOMENT), 1 / sqrt(Z_SQUARED), evaluate=False)


def _derive_support() -> Derivation:
    cited = Eq(SECOND_MOMENT, Z_SQUARED, evaluate=False)
    steps = (
        Step(
            _SUPPORT.lhs,
            r"erf maps the line onto (-1, 1), and $x = \operatorname{erf}(g z)/Z$ with "
            r"$Z^2 = \mathbb{E} \operatorname{erf}(g z)^2$",
            "definition",
        ),
        Step(_SUPPORT.rhs, "the second moment of an erf", "cite", (cited,), ("gaussian.erf.second_moment",)),
    )
    return Derivation("localization.nlgp.support", _SUPPORT, steps)


def _largest_input(point: Point, digits: int) -> mpmath.mpf:
    """erf(g z)/Z where erf(g z) is 1 to all digits, Z by quadrature."""
    square = quadrature.erf_erf(Integer(1), point[g], digits + 5)
    with mpmath.workdps(digits + 10):
        return mpmath.erf(mpmath.mpf(digits + 10)) / mpmath.sqrt(square)


NLGP_SUPPORT = Claim(
    id="localization.nlgp.support",
    title="The support of the nonlinear Gaussian process",
    protocol=r"The support of the nonlinear Gaussian process is continuous: all of the cube $\lvert x_i \rvert \leq "
    r"1/Z$",
    kind=Kind.EQUATION,
    statement=_SUPPORT,
    params=(GAIN,),
    assumptions=(
        r"$x = \operatorname{erf}(g z)/Z$ has unit variance; the latent covariance is nonsingular, so that $z$ "
        r"fills $\mathbb{R}^n$; $1/Z$ is the least upper bound of $\lvert x_i \rvert$",
    ),
    sources=(
        Source(
            NOTES,
            "section 1",
            note="continuous as opposed to the discrete support of the single pulse; that it is a cube, and which "
            "one, the notes do not state",
            says=Says.READ_AS,
            words=r"the former has continuous support on $\mathbb{R}^n$",
        ),
    ),
    oracle=_largest_input,
    derive=_derive_support,
    numeric=lambda g: 1 / math.sqrt(variance_in_float64(g)),
    unchecked={Level.EXACT: reasons.ARCSINES},
)

CLAIMS = (NLGP_SUPPORT,)
