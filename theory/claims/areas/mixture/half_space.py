"""Clusters through a half-space: each component of a mixture adds the moment of a Gaussian that is cut off."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Heaviside, Integer, Interval, erf, exp, pi, sqrt

from theory.claims.expectations import expectation_claim, pair
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.parameters import CORRELATION
from theory.claims.points import values
from theory.claims.trained import BESIDE, through_half_space, trained_on
from theory.expressions.symbols import rho, z
from theory.gaussian.expectation import Expectation
from theory.problem import NonlinearGP, Problem
from theory.problem.distributions.mixture import Component, Mixture
from theory.proof.derivation import Derivation, Step

share = sympy.Symbol("p", positive=True)
a, b, c, d = sympy.symbols("a b c d", real=True)

_MEANS = Interval(-4, 4)
_NOT_RATIONAL = "the Gaussian density and its distribution function are not rational at most rational points"


def _cut_off(own: sympy.Expr, other: sympy.Expr) -> sympy.Expr:
    """The mean m' Phi(m) + rho phi(m) of 1[m + z_1 >= 0] (m' + z_2)."""
    return other * (1 + erf(own / sqrt(2))) / 2 + rho * exp(-(own**2) / 2) / sqrt(2 * pi)


def _through(own: sympy.Expr, other: sympy.Expr) -> sympy.Expr:
    return Heaviside(z(1) + own) * (other + z(2))


def _integral(own: mpf, other: mpf, correlation: mpf) -> mpf:
    """The integral of (m' + rho x) phi(x) from -m on: given z_1 = x, z_2 has the mean rho x."""
    ends = sorted({-own, *(mpf(at) for at in (-6, -2, 2, 6) if at > -own)})
    return mpmath.quad(lambda x: (other + correlation * x) * mpmath.npdf(x), [*ends, mpmath.inf])


def _of_one(point: Point, digits: int) -> mpf:
    with mpmath.workdps(digits + 15):
        at = values(point)
        return _integral(at["a"], at["b"], at["rho"])


def _cluster(correlation: float, *means: float) -> NonlinearGP:
    """The Gaussian of two sites with unit variances."""
    return NonlinearGP(
        2,
        (),
        1,
        "open",
        "none",
        (1,),
        correlation={"kind": "table", "values": [1, Fraction(correlation)]},
        nonlinearity="identity",
        means=([Fraction(mean) for mean in means],),
    )


def _of_clusters(*parts: tuple[float, NonlinearGP]) -> float:
    """The library's mean of 1[x_1 >= 0] x_2 over clusters with their shares."""
    law = Mixture([Component(0, Fraction(weight), cluster) for weight, cluster in parts], [1])
    return float(through_half_space(law).sigma_yx[0, 1])


COMPONENT = expectation_claim(
    "mixture.half_space.component",
    "A Gaussian input with a mean through a half-space",
    _through(a, b),
    pair(rho),
    _cut_off(a, b),
    protocol="A Gaussian input with a mean through a half-space of another site: a cluster that the threshold cuts",
    params=(
        Param(a, _MEANS, "mean of the gate's site", (Integer(0),)),
        Param(b, _MEANS, "mean of the other site", (Integer(0),)),
        CORRELATION,
    ),
    assumptions=(r"both sites have variance 1, and $\rho$ is their correlation",),
    oracle=_of_one,
    numeric=lambda a, b, rho: _of_clusters((1, _cluster(rho, a, b))),
    drawn=4,
    unchecked={Level.EXACT: _NOT_RATIONAL},
)

_ONE, _OTHER = (Expectation(_through(*means), pair(rho)) for means in ((a, b), (c, d)))
_MIXED = Eq(share * _ONE + (1 - share) * _OTHER, share * _cut_off(a, b) + (1 - share) * _cut_off(c, d), evaluate=False)


def _derive() -> Derivation:
    cited = tuple(Eq(mean, _cut_off(*means), evaluate=False) for mean, means in ((_ONE, (a, b)), (_OTHER, (c, d))))
    steps = (
        Step(_MIXED.lhs, "the mean over the components, each with its weight", "definition"),
        Step(_MIXED.rhs, "a Gaussian cut off at the threshold", "cite", cited, ("mixture.half_space.component",) * 2),
    )
    return Derivation("mixture.half_space.clusters", _MIXED, steps)


def _of_both(point: Point, digits: int) -> mpf:
    with mpmath.workdps(digits + 15):
        at = values(point)
        parts = ((at["p"], at["a"], at["b"]), (1 - at["p"], at["c"], at["d"]))
        return mpmath.fsum(weight * _integral(*means, at["rho"]) for weight, *means in parts)


def _at_one_mean(problem: Problem) -> Problem:
    """The same problem with all clusters of a class at their common mean."""
    law, parts = problem.data, []
    for c in range(law.classes):
        own = law.of_class(c)
        middle = [sum(part.weight * part.law.means[0][i] for part in own) for i in range(law.n)]
        parts += [replace(part, law=replace(part.law, means=(middle,))) for part in own]
    return replace(problem, data=replace(law, components=parts))


HALF_SPACE = Claim(
    id="mixture.half_space.clusters",
    title="Two clusters through a half-space: a sum of two Gaussians that the threshold cuts",
    kind=Kind.EQUATION,
    statement=_MIXED,
    params=(
        Param(share, Interval.open(0, 1), "weight of the first cluster"),
        Param(a, _MEANS, "its mean at the gate's site", (Integer(0),)),
        Param(b, _MEANS, "its mean at the other site"),
        Param(c, _MEANS, "mean of the second cluster at the gate's site"),
        Param(d, _MEANS, "its mean at the other site"),
        CORRELATION,
    ),
    assumptions=(
        r"both clusters are Gaussian with variances 1 and the correlation $\rho$ of the two sites",
        BESIDE + "clusters at the mean of their class",
    ),
    oracle=_of_both,
    derive=_derive,
    numeric=lambda p, a, b, c, d, rho: _of_clusters((p, _cluster(rho, a, b)), (1 - p, _cluster(rho, c, d))),
    drawn=4,
    registration=trained_on("mixture", "clusters at the mean of their class", _at_one_mean),
    unchecked={Level.EXACT: _NOT_RATIONAL},
)

CLAIMS = (COMPONENT, HALF_SPACE)
