"""The kurtosis of the multivariate Student t."""

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, FiniteSet, Tuple

from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.moments.inputs import input_statistics
from theory.problem.distributions.student_t import StudentT
from theory.proof.derivation import Derivation, Step

d = sympy.Symbol("d", integer=True, positive=True)


def _by_density(point: Point, digits: int) -> mpf:
    """E x^4/(E x^2)^2 - 3 from integrals of (1 + x^2/d)^-((d + 1)/2), which need no constant."""
    with mpmath.workdps(digits + 15):
        dof = int(point[d])
        power = mpf(dof + 1) / 2

        def integral(k: int) -> mpf:
            # x = sqrt(dof) tan t: powers of sine and cosine on a bounded interval
            return mpmath.quad(
                lambda t: mpmath.tan(t) ** k * mpmath.cos(t) ** (2 * power - 2), [0, mpmath.pi / 4, mpmath.pi / 2]
            )

        return integral(4) * integral(0) / integral(2) ** 2 - 3


def _in_float64(d: int) -> float:
    return float(input_statistics(StudentT(2, (1,), "open", "none", (1,), d), 0).kurtosis[0])


second, fourth = sympy.symbols("m_2 m_4", positive=True)
_KURTOSIS = sympy.Function("kurtosis")(d)
_FORMULA = 6 / (d - 4)


def _derive() -> Derivation:
    """Return the proof, in which the claim's assumptions state the integration by parts."""
    result = Eq(_KURTOSIS, _FORMULA, evaluate=False)
    steps = (
        Step(Eq(_KURTOSIS, fourth / second**2 - 3, evaluate=False), r"$m_k = \mathbb{E} x^k$, $m_0 = 1$", "definition"),
        Step(
            Eq(_KURTOSIS, 3 * d / (second * (d - 4)) - 3, evaluate=False),
            r"integration by parts of $x^{k+1} (1 + x^2/d)^{-(d - 1)/2}$, $k = 2$",
            "substitute",
            (Tuple(fourth, 3 * d * second / (d - 4)),),
        ),
        Step(result, r"likewise $k = 0$", "substitute", (Tuple(second, d / (d - 2)),)),
    )
    return Derivation("elliptical.student_t.kurtosis", result, steps)


KURTOSIS = Claim(
    id="elliptical.student_t.kurtosis",
    title=r"The excess kurtosis of Student's law with $d > 4$ degrees of freedom",
    kind=Kind.EQUATION,
    statement=Eq(_KURTOSIS, _FORMULA, evaluate=False),
    params=(Param(d, FiniteSet(*range(5, 31)), r"degrees of freedom; infinite for $d \leq 4$", (5, 6, 30)),),
    assumptions=(
        r"the density is proportional to $(1 + x^2/d)^{-(d + 1)/2}$, and the two substitutions are the cases $k = 2$ "
        r"and $k = 0$ of $(d - k - 2)\, m_{k+2} = (k + 1)\, d\, m_k$ for $k + 2 < d$: "
        r"$x^{k+1} (1 + x^2/d)^{-(d - 1)/2}$ vanishes at both ends, so that its derivative has the integral 0",
    ),
    oracle=_by_density,
    derive=_derive,
    numeric=_in_float64,
    unchecked={
        Level.EXACT: "the definition is an integral of a density, no finite sum of fractions",
    },
)

CLAIMS = (KURTOSIS,)
