"""Laws that are known by their draws alone: what the standard errors of their estimated fields promise."""

import sympy
from sympy import Abs, Lt, Rational

from theory.claims.model import Claim, Kind

COVERED, MARGIN = Rational(4, 5), Rational(8, 100)

COVERAGE = Claim(
    id="law.estimates.coverage",
    title="Coverage of the intervals of fields predicted from estimated moments",
    protocol="Fields predicted from estimated moments: their 80 % intervals contain the mean of trained networks in "
    "80 % "
    "of cases",
    kind=Kind.EMPIRICAL,
    statement=Lt(Abs(sympy.Symbol("P_covered", nonnegative=True) - COVERED), MARGIN),
    assumptions=(
        "gated linear networks of two half-spaces on four sites, half-mse, $t = 200$; 32 networks are trained with "
        "fresh batches of 256 examples, learning rate 2",
        "128 estimates from 2000 examples each, of seeds of their own; an interval is that of Student's $t$ with the "
        "31 degrees of freedom of the jackknife, and the error of the networks' mean is added in quadrature",
        "$P$ is the share of the eight weights that lie in their intervals, averaged over the estimates; its interval "
        "at the level of 1 % for the three laws together must lie within the margin",
        "the laws: `own`, a function that draws ripples and noise; `images`, patches of four pixels of a small "
        "photograph made by a formula, in a file of that format, beside Gaussian inputs of the same mean and "
        "covariance, whitened; `gaussian-copula`, sites of three values each, tied together by Gaussian latents",
        "controls: intervals of half the width, and for `images` estimates from Gaussian inputs in both classes",
    ),
)

CLAIMS = (COVERAGE,)
