"""The variance of one latent site given two others. Small-bump note, eq. (12), (13)."""

from collections.abc import Callable
from fractions import Fraction

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Tuple

from theory.claims import finite_data, reasons
from theory.claims.documents import BUMP_NOTE
from theory.claims.model import Claim, Kind, Level, Point
from theory.claims.points import exact_values
from theory.claims.sources import Source
from theory.claims.three_sites import (
    CONDITION,
    CORRELATIONS,
    DETERMINANT,
    LEFT,
    OF_I,
    OF_K,
    VARIANCE,
    ik,
    il,
    kl,
    regression,
)
from theory.proof.derivation import Derivation, Step

variance = sympy.Symbol(r"\sigma^2", positive=True)  # Var(z_l | z_i, z_k)
beta_i, beta_k = sympy.symbols("beta_i beta_k", real=True)
residual = sympy.Function("V")(beta_i, beta_k)  # E (z_l - beta_i z_i - beta_k z_k)^2


def _by_least_squares(point: Point, digits: int) -> mpf:
    with mpmath.workdps(digits + 30):
        return regression(point)[2]


def _exactly_by_least_squares(point: Point) -> Fraction:
    """The least squares in fractions: the gradient at 0 and at the unit vectors gives the normal equations."""
    at = exact_values(point)
    cov = [[1, at["rho_ik"], at["rho_il"]], [at["rho_ik"], 1, at["rho_kl"]], [at["rho_il"], at["rho_kl"], 1]]

    def loss(beta: finite_data.Vector) -> Fraction:
        vector = [-beta[0], -beta[1], Fraction(1)]
        return sum(vector[i] * cov[i][j] * vector[j] for i in range(3) for j in range(3))

    zero, one = Fraction(0), Fraction(1)
    start = finite_data.gradient(loss, [zero, zero])
    first, second = (
        [entry - base for entry, base in zip(finite_data.gradient(loss, unit), start, strict=True)]
        for unit in ([one, zero], [zero, one])
    )
    determinant = first[0] * second[1] - second[0] * first[1]
    beta_1 = (second[0] * start[1] - start[0] * second[1]) / determinant
    beta_2 = (start[0] * first[1] - first[0] * start[1]) / determinant
    return loss([beta_1, beta_2])


def _expanded() -> Step:
    quadratic = 1 - 2 * beta_i * il - 2 * beta_k * kl + beta_i**2 + beta_k**2 + 2 * beta_i * beta_k * ik
    why = (
        r"expand $\mathbb{E} (z_l - \beta_i z_i - \beta_k z_k)^2$; at its minimum the rest of $z_l$ is uncorrelated "
        "with $z_i$ and $z_k$, hence independent of them, and its variance is that of $z_l$ given both"
    )
    return Step(Eq(residual, quadratic, evaluate=False), why, "definition")


def _derive_variance(name: str, form: sympy.Expr) -> Callable[[], Derivation]:
    def derive() -> Derivation:
        result = Eq(variance, form, evaluate=False)
        minimiser = (Tuple(beta_i, OF_I), Tuple(beta_k, OF_K))
        why = "the gradient vanishes at the regression coefficients"
        return Derivation(name, result, (_expanded(), Step(result, why, "least-squares", minimiser)))

    return derive


VARIANCE_VALUE = Claim(
    id="conditional.variance.value",
    title="The variance of a latent site given two others",
    kind=Kind.EQUATION,
    statement=Eq(variance, VARIANCE, evaluate=False),
    params=CORRELATIONS,
    conditions=(CONDITION,),
    sources=(Source(BUMP_NOTE, "(12)", printed=VARIANCE),),
    oracle=_by_least_squares,
    exact=_exactly_by_least_squares,
    derive=_derive_variance("conditional.variance.value", VARIANCE),
    unchecked={Level.FLOATING: reasons.IN_A_DERIVATION},
)

VARIANCE_DETERMINANT = Claim(
    id="conditional.variance.determinant",
    title="The conditional variance as a ratio of determinants",
    protocol=r"The same variance as a ratio of determinants, $\det R_{ikl}/(1 - \rho_{ik}^2)$: (12) and (13) are one "
    "function",
    kind=Kind.EQUATION,
    statement=Eq(variance, DETERMINANT / LEFT, evaluate=False),
    params=CORRELATIONS,
    conditions=(CONDITION,),
    sources=(Source(BUMP_NOTE, "(13)", printed=DETERMINANT / LEFT),),
    oracle=_by_least_squares,
    exact=_exactly_by_least_squares,
    derive=_derive_variance("conditional.variance.determinant", DETERMINANT / LEFT),
    unchecked={Level.FLOATING: reasons.IN_A_DERIVATION},
)

CLAIMS = (VARIANCE_VALUE, VARIANCE_DETERMINANT)
