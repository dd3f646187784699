"""The least loss of the small-bump network on two sites (small-bump note, which stops before it).

The oracle minimises the loss whose moments are quadratures of their definitions; it uses neither arcsines nor modes.
"""

from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import sympy
from mpmath import mpf
from sympy import Eq, Tuple, pi

from theory.claims import finite_data, reasons
from theory.claims.areas.ols._least_squares import HALF, loss
from theory.claims.documents import BUMP_NOTE, NOTES
from theory.claims.model import Alternative, Claim, Kind, Level, Point, Registration
from theory.claims.small_bump import (
    ASSUMPTIONS,
    EXPLICIT_MODES,
    LAWS,
    MODES,
    MOMENTS,
    PARAMS,
    Z,
    a0,
    a1,
    d0,
    d1,
    float64_solution,
    quadratic_loss,
)
from theory.claims.sources import Says, Source
from theory.flow import solve
from theory.problem import LossAtTimes, Problem
from theory.proof.derivation import Derivation, Step


def two_sites_loss() -> Derivation:
    """Derive min <(y - yhat)^2> = 1/2 - [(a0 + a1)^2/(D0 + D1) + (a0 - a1)^2/(D0 - D1)]/(2 pi) for two sites.

    That is 1/2 - (1/pi) a^T D^-1 a: least squares on A = diag(S, S)/2 and b = (b_1, -b_1).
    """
    beta = sympy.symbols("beta1:5", real=True)
    s0, s1, f0, f1 = sympy.symbols("S0 S1 f0 f1", real=True)
    squares = [(s0 * p**2 + 2 * s1 * p * q + s0 * q**2) / 2 for p, q in (beta[:2], beta[2:])]
    quadratic = HALF - 2 * (f0 * (beta[0] - beta[2]) + f1 * (beta[1] - beta[3])) + sum(squares)
    (minimiser,) = sympy.linsolve([quadratic.diff(variable) for variable in beta], beta)
    least = sympy.factor(HALF - sum(f * (minimiser[i] - minimiser[i + 2]) for i, f in enumerate((f0, f1))))
    by_arcsines = HALF - sum(a**2 / d for a, d in MODES) / (2 * pi)
    explicit = Eq(loss, by_arcsines.subs(MOMENTS), evaluate=False)
    steps = (
        Step(
            Eq(sympy.Function("L")(*beta), quadratic, evaluate=False),
            r"$\langle (y - \beta \cdot \tilde x)^2 \rangle$ with $A = \operatorname{diag}(S, S)/2$, "
            r"$b = (b_1, -b_1)$ and $\langle y^2 \rangle = 1/2$",
            "definition",
        ),
        Step(
            Eq(loss, least, evaluate=False),
            "the gradient vanishes at $A^{-1} b$",
            "least-squares",
            tuple(Tuple(variable, at) for variable, at in zip(beta, minimiser, strict=True)),
        ),
        Step(
            Eq(loss, by_arcsines, evaluate=False),
            r"arcsine laws: $S = D/(\pi Z^2)$, and $b_1 = a/(2 \pi Z)$ with the class prior 1/2",
            "substitute",
            (
                *(Tuple(s, d / (pi * Z**2)) for s, d in ((s0, d0), (s1, d1))),
                *(Tuple(f, a / (2 * pi * Z)) for f, a in ((f0, a0), (f1, a1))),
            ),
        ),
        Step(explicit, "the arcsine laws at distance 0 and 1", "substitute", MOMENTS[:4]),
    )
    return Derivation("ols.small_bump.two_sites", explicit, steps)


def _least(point: Point, digits: int) -> mpf:
    """Twice the quadratic loss at its minimiser."""
    with mpmath.workdps(digits + 30):
        loss = quadratic_loss(point, digits + 20)
        return 2 * loss(finite_data.minimiser(loss, 4, digits))


def _at_optimum(problem: Problem) -> Problem:
    """The problem with its initial weights at the predicted fixed point of the flow, measured at t = 0."""
    fixed = tuple(tuple(Fraction(float(entry)) for entry in row) for row in solve(problem).fixed_point)
    return replace(problem, training=replace(problem.training, w0=fixed, times=(Fraction(0),)))


def _least_loss(problem: Problem) -> np.ndarray:
    return np.array([float(solve(problem).mse)])


def _printed_18(problem: Problem) -> np.ndarray:
    """The loss (1 - L*)/2 with the printed (18), whose L* is 1 whatever the gates and the law."""
    return np.zeros_like(_least_loss(problem))


LOSS = Claim(
    id="ols.small_bump.two_sites",
    title="The least loss of the small-bump network with two inputs",
    kind=Kind.EQUATION,
    statement=Eq(
        loss,
        sympy.S.Half - sum(a**2 / d for a, d in EXPLICIT_MODES) / (2 * pi),
        evaluate=False,
    ),
    params=PARAMS,
    assumptions=ASSUMPTIONS,
    sources=(Source(BUMP_NOTE, "after (13)", note="the loss that the solved problem reaches", says=Says.UNSTATED),),
    oracle=_least,
    derive=two_sites_loss,
    numeric=lambda g, rho1, rho0: float64_solution(g, rho1, rho0).mse,
    registration=Registration(
        problems=("small-bump", "small-bump-reversed"),
        observable=LossAtTimes(),
        prepare=_at_optimum,
        predict=_least_loss,
        alternatives=(Alternative(f"{NOTES} (18)", _printed_18),),
    ),
    cites=LAWS,
    unchecked={Level.EXACT: reasons.ARCSINES},
)

CLAIMS = (LOSS,)
