"""Inputs of Student's law with five degrees of freedom through a half-space."""

from dataclasses import replace
from fractions import Fraction

import mpmath
import sympy
from mpmath import mpf
from sympy import Eq, Interval, Rational, Tuple, pi, sqrt

from theory.claims.areas.elliptical._two_scales import WEIGHTS
from theory.claims.areas.elliptical.half_space import GAUSSIAN
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import values
from theory.claims.trained import BESIDE, trained_on
from theory.expressions.symbols import rho
from theory.moments.relu_gates import exact_moment
from theory.problem import Problem
from theory.problem.distributions.elliptical import Elliptical
from theory.problem.distributions.student_t import StudentT
from theory.proof.derivation import Derivation, Step

DEGREES = 5
first, second = sympy.symbols("m_1 m_2", positive=True)  # E r and E r^2
_MOMENT = sympy.Symbol(r"\mathbb{E}[\mathbf{1}[w \cdot x \geq 0]\, x_1]", real=True)
_GATED, _GAUSSIAN = GAUSSIAN.statement.args
_FIRST, _SECOND = 4 * sqrt(5) / (3 * sqrt(2 * pi)), Rational(5, 3)
_RESULT = Eq(_MOMENT, 2 * sqrt(2) / sqrt(3 * pi) * _GAUSSIAN, evaluate=False)


def _by_density(point: Point, digits: int) -> mpf:
    """E 1[w.x >= 0] x_1/sqrt(E x_1^2), from the density of two sites in polar coordinates.

    x = s F (cos t, sin t) with F F^T = [[1, rho], [rho, 1]], and s has the density s (1 + s^2/5)^-(7/2) up to a
    constant. With s = sqrt(5) tan u the integrals over s are those of powers of sine and cosine.
    """
    with mpmath.workdps(digits + 15):
        at = values(point)
        r, w_1, w_2 = at["rho"], at["w_1"], at["w_2"]

        def radial(power: int) -> mpf:
            ends = [0, mpmath.pi / 4, mpmath.pi / 2]
            powers = mpmath.quad(lambda u: mpmath.tan(u) ** (power + 1) * mpmath.cos(u) ** DEGREES, ends)
            return powers * mpmath.sqrt(DEGREES) ** power

        middle = mpmath.atan2(w_2 * mpmath.sqrt((1 - r) * (1 + r)), w_1 + r * w_2)  # of the angles where w.x >= 0
        angle = mpmath.quad(mpmath.cos, [middle - mpmath.pi / 2, middle, middle + mpmath.pi / 2])
        gated = radial(1) / radial(0) * angle / (2 * mpmath.pi)
        variance = radial(2) / radial(0) / 2  # the mean of cos^2 is 1/2
        return gated / mpmath.sqrt(variance)


def _derive() -> Derivation:
    share = first / sqrt(second)
    steps = (
        Step(
            Eq(_MOMENT, share * _GATED, evaluate=False),
            r"$x = r z/\sqrt{\mathbb{E} r^2}$ with $r > 0$ independent of $z$: the gate is that of $z$, and means of "
            r"independent factors multiply; $m_k = \mathbb{E} r^k$",
            "definition",
        ),
        Step(
            Eq(_MOMENT, share * _GAUSSIAN, evaluate=False),
            "the Gaussian moment",
            "cite",
            (GAUSSIAN.statement,),
            (GAUSSIAN.id,),
        ),
        Step(
            Eq(_MOMENT, _FIRST / sqrt(second) * _GAUSSIAN, evaluate=False),
            r"$\mathbb{E} \sqrt{5/V}$, an integral of the density of $V$",
            "substitute",
            (Tuple(first, _FIRST),),
        ),
        Step(_RESULT, r"likewise $\mathbb{E}(5/V)$", "substitute", (Tuple(second, _SECOND),)),
    )
    return Derivation("elliptical.student_gate.five", _RESULT, steps)


def _in_float64(w_1: float, w_2: float, rho: float) -> float:
    """Return the moment by the library, for neighbours of a line whose correlation is rho."""
    xi = Fraction(1 / float(mpmath.sqrt(-mpmath.log(rho))))
    law = StudentT(2, (xi,), "open", "unit-variance", (1,), DEGREES)
    return float(exact_moment(law, 0, {0: Fraction(w_1), 1: Fraction(w_2)}).value[0])


def _gaussian(problem: Problem) -> Problem:
    """The same problem on Gaussian inputs of the same covariance."""
    law = problem.data
    return replace(problem, data=Elliptical(law.n, law.xi, "gaussian", law.boundary, law.normaliser, law.labels))


FIVE = Claim(
    id="elliptical.student_gate.five",
    title="Student's law with five degrees of freedom through a half-space",
    protocol=r"Student's law with five degrees of freedom through a half-space: $\sqrt{8/(3 \pi)}$ of the Gaussian "
    r"value",
    kind=Kind.EQUATION,
    statement=_RESULT,
    params=(*WEIGHTS, Param(rho, Interval.open(0, 1), "correlation of the two sites", (Rational(1, 64),))),
    conditions=GAUSSIAN.conditions,
    assumptions=(
        r"$x = r z/\sqrt{\mathbb{E} r^2}$ on two sites, $z$ Gaussian of unit variance and $r = \sqrt{5/V}$, where $V$ "
        "is the sum of five squares of unit Gaussians, independent of $z$",
        r"$m_1 = \mathbb{E} r$ and $m_2 = \mathbb{E} r^2$ are integrals of the chi-squared density of $V$, which the "
        "two substitutions state",
        BESIDE + "Gaussian inputs of the same covariance",
    ),
    oracle=_by_density,
    derive=_derive,
    numeric=_in_float64,
    registration=trained_on("student-t", "Gaussian inputs of this covariance", _gaussian),
    unchecked={Level.EXACT: "the square root of the variance along the gate is not rational"},
)

CLAIMS = (FIVE,)
