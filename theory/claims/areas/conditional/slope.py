"""The coefficients of two latent sites in an erf that is averaged over a third. Small-bump note, eq. (9)-(11)."""

from collections.abc import Callable

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Tuple, sqrt

from theory.claims import reasons
from theory.claims.areas.conditional.variance import variance
from theory.claims.documents import BUMP_NOTE
from theory.claims.model import Claim, Kind, Level, Point
from theory.claims.sources import Source
from theory.claims.three_sites import CONDITION, CORRELATIONS, OF_I, OF_K, SMALL_GAIN, VARIANCE, C, ik, il, kl, slopes
from theory.expressions.symbols import g
from theory.proof.derivation import Derivation, Step

gain_left = sympy.Symbol("c", positive=True)  # g/sqrt(1 + 2 g^2 sigma^2)
a_i, a_k = sympy.symbols("a_i a_k", real=True)


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
                "$z_l - (a_i z_i + a_k z_k)/c$ is uncorrelated with $z_i$ and with $z_k$: the mean is "
                "$(a_i z_i + a_k z_k)/c$, and averaged over the rest of $z_l$ the erf has the gain $c$",
                "definition",
            ),
            Step(solved, "Cramer's rule", "solve-linear", (Tuple(unknown, solved.rhs), Tuple(other, gain_left * rest))),
            Step(
                with_gain,
                r"$c = g/\sqrt{1 + 2 g^2 \sigma^2}$",
                "substitute",
                (Tuple(gain_left, g / sqrt(1 + 2 * g**2 * variance)),),
            ),
            Step(result, "the conditional variance", "cite", (with_variance,), ("conditional.variance.value",)),
        )
        return Derivation(name, result, steps)

    return derive


_LABELS = (
    "read as: (9) is the coefficient of $z_k$ and (10) that of $z_i$ in the argument of "
    r"$\mathbb{E}[\operatorname{erf}(g z_l) \mid z_i, z_k]$; the note does not say so, and (8) uses $a_i$ and $a_k$ "
    "the other way round, as the symbols of this claim do"
)


SLOPE_I = Claim(
    id="conditional.slope.gate_site",
    title="The coefficient of $z_i$ in the conditional average of an erf",
    protocol="The coefficient of $z_i$, the gate's site, in the argument of "
    r"$\mathbb{E}[\operatorname{erf}(g z_l) \mid z_i, z_k]$",
    kind=Kind.EQUATION,
    statement=Eq(a_i, C * OF_I, evaluate=False),
    params=(*CORRELATIONS, SMALL_GAIN),
    conditions=(CONDITION,),
    sources=(Source(BUMP_NOTE, "(10)", C * OF_I, _LABELS),),
    oracle=_slope(0),
    derive=_derive_slope("conditional.slope.gate_site", 0),
    cites=("gaussian.erf.smoothing",),
    drawn=3,
    unchecked={Level.EXACT: "the gain of the mean is a square root", Level.FLOATING: reasons.IN_A_DERIVATION},
)

SLOPE_K = Claim(
    id="conditional.slope.other_site",
    title="The coefficient of $z_k$ in the conditional average of an erf",
    protocol="The coefficient of $z_k$, the other site, in the argument of "
    r"$\mathbb{E}[\operatorname{erf}(g z_l) \mid z_i, z_k]$",
    kind=Kind.EQUATION,
    statement=Eq(a_k, C * OF_K, evaluate=False),
    params=(*CORRELATIONS, SMALL_GAIN),
    conditions=(CONDITION,),
    sources=(Source(BUMP_NOTE, "(9)", C * OF_K, _LABELS),),
    oracle=_slope(1),
    derive=_derive_slope("conditional.slope.other_site", 1),
    cites=("gaussian.erf.smoothing",),
    drawn=3,
    unchecked={Level.EXACT: "the gain of the mean is a square root", Level.FLOATING: reasons.IN_A_DERIVATION},
)

CLAIMS = (SLOPE_I, SLOPE_K)
