"""Plain gradient descent on one eigenmode: the law with which trained gated linear networks are compared.

A step of size eta moves w by -eta dL/dw where the flow has tau dw/dt = -dL/dw, so t = tau eta m after m steps.
"""

from collections.abc import Mapping
from fractions import Fraction

import mpmath
import numpy as np
import sympy
from sympy import Eq, Integer, Interval, Range, Tuple, oo

from theory.claims import finite_data
from theory.claims.areas.flow._modes import MODE_ODE, c, lam, positive_lam, projected_flow, u, u0
from theory.claims.documents import NOTES
from theory.claims.model import Alternative, Claim, Kind, Param, Point, Registration
from theory.claims.points import exact_values, values
from theory.expressions.symbols import K
from theory.flow.linear.descent import discrete, gradient_descent
from theory.moments import gated_moments
from theory.problem import Problem, WeightsAtTimes
from theory.proof.derivation import Derivation, Step

m = sympy.Symbol("m", integer=True, nonnegative=True)  # number of steps
eta = sympy.Symbol("eta", positive=True)  # learning rate
MODE_STEP = Eq(u(m + 1), u(m) + eta / K * (c - positive_lam * u(m) / K), evaluate=False)

SOLUTION = Eq(
    u(m),
    K * c / positive_lam + (1 - eta * positive_lam / K**2) ** m * (u0 - K * c / positive_lam),
    evaluate=False,
)


def mode_descent() -> Derivation:
    """Derive u(m) = K c/lam + (1 - eta lam/K^2)^m (u0 - K c/lam), lam > 0, at any step size."""
    return Derivation(
        "flow.descent.weights",
        SOLUTION,
        (
            *projected_flow(),
            Step(
                MODE_ODE.xreplace({lam: positive_lam}),
                r"a mode that decays, $\lambda > 0$",
                "substitute",
                (Tuple(lam, positive_lam),),
            ),
            Step(MODE_STEP, r"a step of gradient descent is an Euler step of size $\tau \eta$", "euler-step", (m, eta)),
            Step(
                SOLUTION,
                "true at $m = 0$, and the step takes it from $m$ to $m + 1$",
                "induction",
                (m, Tuple(u(0), u0)),
            ),
        ),
    )


def _by_steps(point: Point, digits: int) -> mpmath.mpf:
    with mpmath.workdps(digits + 30):
        return _descended(values(point))


def _exactly_by_steps(point: Point) -> Fraction:
    return _descended(exact_values(point))


def _descended(at: Mapping[str, finite_data.Number]) -> finite_data.Number:
    """Gradient descent, step by step, on the loss restricted to w = u v: -c u/K + lam (u/K)^2/2."""

    def loss(weights: finite_data.Vector) -> finite_data.Number:
        output = weights[0] / at["K"]
        return -at["c"] * output + at["lambda"] * output**2 / 2

    u = at["u0"]
    for _ in range(int(at["m"])):
        u -= at["eta"] * finite_data.gradient(loss, [u])[0]
    return u


def _one_mode(m: int, eta: float, K: int, c: float, u0: float, **lam: float) -> float:
    """The library's gradient descent on one weight."""
    A, b, start = np.array([[lam["lambda"]]]), np.array([c]), np.array([[u0]])
    return float(gradient_descent(A, b, start, eta, 1 / K, 1.0, [m])[0, 0, 0])


def _printed_ode(problem: Problem) -> np.ndarray:
    """Descent on the printed K tau dw/dt = b - A w of (8), which lacks the factor 1/K before A."""
    moments = gated_moments(problem)
    eta = float(problem.simulated().learning_rate)
    steps = [round(float(elapsed) / eta) for elapsed in problem.training.elapsed]
    return gradient_descent(moments.A, moments.b, problem.w0(), eta / problem.network.units, 1.0, 1.0, steps)


WEIGHTS = Claim(
    id="flow.descent.weights",
    title="A mode of plain gradient descent after $m$ steps, at any learning rate",
    kind=Kind.EQUATION,
    statement=SOLUTION,
    params=(
        Param(m, Range(0, 25), "number of steps", (Integer(0), Integer(1), Integer(24))),
        Param(eta, Interval.open(0, oo), r"learning rate; $t = \tau \eta m$"),
        Param(K, Range(1, 8), "number of units", (Integer(1),)),
        Param(positive_lam, Interval.open(0, oo), "eigenvalue of $A$"),
        Param(c, Interval(-3, 3), "component of $b$ along the eigenvector"),
        Param(u0, Interval(-3, 3), "component of $w(0)$ along the eigenvector"),
    ),
    assumptions=(
        "half-mse loss and mean readout; fixed gates",
        "with fresh data the mean over runs follows the same law for every batch size, since a step is linear in $w$",
    ),
    oracle=_by_steps,
    exact=_exactly_by_steps,
    derive=mode_descent,
    numeric=_one_mode,
    registration=Registration(
        problems=("small-bump", "small-bump-reversed"),
        observable=WeightsAtTimes(),
        predict=lambda problem: discrete(problem).weights,
        alternatives=(Alternative(f"{NOTES} (8)", _printed_ode),),
    ),
)

CLAIMS = (WEIGHTS,)
