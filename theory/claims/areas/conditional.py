"""One latent site given two others: what the small-bump note uses on its way to (8). Small-bump note, eq. (9)-(13).

(z_i, z_k, z_l) is Gaussian with unit variances. Given z_i and z_k, z_l has the mean beta_i z_i + beta_k z_k and the
variance sigma^2, and E[erf(g z_l) | z_i, z_k] = erf(a_i z_i + a_k z_k) with a = c beta, c = g/sqrt(1 + 2 g^2 sigma^2).
"""

from collections.abc import Callable
from fractions import Fraction

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Integer, Interval, Rational, Tuple, oo, sqrt

import theory.proof.rules.shared  # noqa: F401 - it registers the rules that rooms share
from theory.claims import finite_data, reasons
from theory.claims.areas.flow import exact_values, values
from theory.claims.areas.gaussian import BUMP
from theory.claims.model import Claim, Kind, Level, Param, Point, Source
from theory.expressions.symbols import g
from theory.proof.derivation import Derivation, Step
from theory.proof.rules import quadratic as rules_quadratic  # noqa: F401 - it registers the rules named below

ik, il, kl = sympy.symbols("rho_ik rho_il rho_kl", real=True)
variance = sympy.Symbol(r"\sigma^2", positive=True)  # Var(z_l | z_i, z_k)
gain_left = sympy.Symbol("c", positive=True)  # g/sqrt(1 + 2 g^2 sigma^2)
a_i, a_k = sympy.symbols("a_i a_k", real=True)
beta_i, beta_k = sympy.symbols("beta_i beta_k", real=True)
residual = sympy.Function("V")(beta_i, beta_k)  # E (z_l - beta_i z_i - beta_k z_k)^2

LEFT = 1 - ik**2
VARIANCE = 1 - (il**2 - 2 * ik * il * kl + kl**2) / LEFT  # (12)
DETERMINANT = 1 - ik**2 - il**2 - kl**2 + 2 * ik * il * kl  # det of the correlation matrix of (z_i, z_k, z_l)
C = g / sqrt(1 + 2 * g**2 * VARIANCE)
OF_I, OF_K = (il - kl * ik) / LEFT, (kl - il * ik) / LEFT  # beta_i, beta_k

_INSIDE = Interval.open(-1, 1)
CORRELATIONS = (
    Param(ik, _INSIDE, "correlation of z_i and z_k", (Integer(0), Rational(63, 64))),
    Param(il, _INSIDE, "correlation of z_i and z_l", (Integer(0),)),
    Param(kl, _INSIDE, "correlation of z_k and z_l", (Integer(0),)),
)
# A determinant that is not tiny keeps the numbers of the oracles to their digits; the statement needs only > 0.
CONDITION = Rational(1, 1000) < DETERMINANT
SMALL_GAIN = Param(g, Interval.open(0, oo), "gain", (Rational(1, 100), Integer(1)), likely=Interval(Rational(1, 8), 4))


def regression(point: Point) -> tuple[mpf, mpf, mpf]:
    """beta_i, beta_k and sigma^2 in numbers: the minimiser and the minimum of E (z_l - beta_i z_i - beta_k z_k)^2."""
    at = values(point)

    def loss(beta: finite_data.Vector) -> mpf:
        vector = [-beta[0], -beta[1], mpf(1)]
        cov = [[mpf(1), at["rho_ik"], at["rho_il"]], [at["rho_ik"], mpf(1), at["rho_kl"]]]
        cov.append([at["rho_il"], at["rho_kl"], mpf(1)])
        return sum(vector[i] * cov[i][j] * vector[j] for i in range(3) for j in range(3))

    first, second = finite_data.minimiser(loss, 2, mpmath.mp.dps)
    return first, second, loss([first, second])


def _by_least_squares(point: Point, digits: int) -> mpf:
    with mpmath.workdps(digits + 30):
        return regression(point)[2]


def _exactly_by_least_squares(point: Point) -> Fraction:
    """The same minimum in fractions: the gradient at 0 and at the unit vectors gives the normal equations."""
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
        "expand E (z_l - beta_i z_i - beta_k z_k)^2; at its minimum the rest of z_l is uncorrelated with z_i and z_k, "
        "hence independent of them, and its variance is that of z_l given both"
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
    sources=(Source(BUMP, "(12)", printed=VARIANCE), Source(BUMP, "(13)", printed=DETERMINANT / LEFT)),
    oracle=_by_least_squares,
    exact=_exactly_by_least_squares,
    derive=_derive_variance("conditional.variance.value", VARIANCE),
    unchecked={Level.FLOATING: reasons.IN_A_DERIVATION},
)

VARIANCE_DETERMINANT = Claim(
    id="conditional.variance.determinant",
    title="The same variance as a ratio of determinants, det R_ikl/(1 - rho_ik^2): (12) and (13) are one function",
    kind=Kind.EQUATION,
    statement=Eq(variance, DETERMINANT / LEFT, evaluate=False),
    params=CORRELATIONS,
    conditions=(CONDITION,),
    sources=(Source(BUMP, "(13)", printed=DETERMINANT / LEFT), Source(BUMP, "(12)", printed=VARIANCE)),
    oracle=_by_least_squares,
    exact=_exactly_by_least_squares,
    derive=_derive_variance("conditional.variance.determinant", DETERMINANT / LEFT),
    unchecked={Level.FLOATING: reasons.IN_A_DERIVATION},
)


def slopes(point: Point) -> tuple[mpf, mpf]:
    """a_i and a_k in numbers, from E[erf(g z_l) | z_i, z_k] at one value of z_i and of z_k, by quadrature.

    The mean and the spread of z_l given the two come from `regression`; erf(a x) is undone by the inverse of erf.
    """
    first, second, spread = regression(point)
    gain = values(point)["g"]
    where = 1 / (4 * (1 + gain))
    return tuple(_undone(gain, beta * where, mpmath.sqrt(spread)) / where for beta in (first, second))


def _undone(gain: mpf, mean: mpf, spread: mpf) -> mpf:
    """erf^-1 of E erf(gain (mean + spread N)); the two half lines are added so that a mean of 0 gives 0."""
    reach = mpmath.sqrt(2 * mpmath.log(10) * (mpmath.mp.dps + 5))
    steep = 1 / (1 + gain * spread)
    ends = [mpf(0), *(end for end in (steep, 2 * steep, 4 * steep) if end < 2), mpf(2), mpf(4), mpf(8), reach]

    def integrand(u: mpf) -> mpf:
        both = mpmath.erf(gain * (mean + spread * u)) + mpmath.erf(gain * (mean - spread * u))
        return mpmath.npdf(u) * both

    return mpmath.erfinv(mpmath.quad(integrand, ends))


def _slope(which: int) -> Callable[[Point, int], mpf]:
    def by_quadrature(point: Point, digits: int) -> mpf:
        with mpmath.workdps(digits + 15):
            return slopes(point)[which]

    return by_quadrature


def _derive_slope(name: str, which: int) -> Callable[[], Derivation]:
    unknown, other = ((a_i, a_k), (a_k, a_i))[which]
    form, rest = ((OF_I, OF_K), (OF_K, OF_I))[which]

    def derive() -> Derivation:
        orthogonal = Tuple(
            Eq(il, (a_i + ik * a_k) / gain_left, evaluate=False), Eq(kl, (ik * a_i + a_k) / gain_left, evaluate=False)
        )
        solved = Eq(unknown, gain_left * form, evaluate=False)
        with_gain = Eq(unknown, g / sqrt(1 + 2 * g**2 * variance) * form, evaluate=False)
        with_variance = Eq(variance, VARIANCE, evaluate=False)
        result = Eq(unknown, C * form, evaluate=False)
        steps = (
            Step(
                orthogonal,
                "z_l - (a_i z_i + a_k z_k)/c is uncorrelated with z_i and with z_k: the mean is (a_i z_i + a_k z_k)/c, "
                "and averaged over the rest of z_l the erf has the gain c",
                "definition",
            ),
            Step(solved, "Cramer's rule", "solve-linear", (Tuple(unknown, solved.rhs), Tuple(other, gain_left * rest))),
            Step(
                with_gain,
                "c = g/sqrt(1 + 2 g^2 sigma^2)",
                "substitute",
                (Tuple(gain_left, g / sqrt(1 + 2 * g**2 * variance)),),
            ),
            Step(result, "the conditional variance", "cite", (with_variance,), ("conditional.variance.value",)),
        )
        return Derivation(name, result, steps)

    return derive


_EXCHANGED = "the labels of a_i and a_k are exchanged: printed is the coefficient of the other site"

SLOPE_I = Claim(
    id="conditional.slope.gate_site",
    title="a_i: the slope by z_i of an erf averaged over the rest of z_l",
    kind=Kind.EQUATION,
    statement=Eq(a_i, C * OF_I, evaluate=False),
    params=(*CORRELATIONS, SMALL_GAIN),
    conditions=(CONDITION,),
    sources=(Source(BUMP, "(9)", printed=C * OF_K, note=_EXCHANGED),),
    oracle=_slope(0),
    derive=_derive_slope("conditional.slope.gate_site", 0),
    cites=("gaussian.erf.smoothing",),
    drawn=3,
    unchecked={Level.EXACT: "the gain of the mean is a square root", Level.FLOATING: reasons.IN_A_DERIVATION},
)

SLOPE_K = Claim(
    id="conditional.slope.other_site",
    title="a_k: the slope by z_k of an erf averaged over the rest of z_l",
    kind=Kind.EQUATION,
    statement=Eq(a_k, C * OF_K, evaluate=False),
    params=(*CORRELATIONS, SMALL_GAIN),
    conditions=(CONDITION,),
    sources=(Source(BUMP, "(10)", printed=C * OF_I, note=_EXCHANGED),),
    oracle=_slope(1),
    derive=_derive_slope("conditional.slope.other_site", 1),
    cites=("gaussian.erf.smoothing",),
    drawn=3,
    unchecked={Level.EXACT: "the gain of the mean is a square root", Level.FLOATING: reasons.IN_A_DERIVATION},
)

CLAIMS = (VARIANCE_VALUE, VARIANCE_DETERMINANT, SLOPE_I, SLOPE_K)
