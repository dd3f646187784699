"""Gradient descent at a finite learning rate, the law that trained gated linear networks are held against."""

from collections.abc import Mapping
from fractions import Fraction

import mpmath
import numpy as np
from sympy import Integer, Interval, Range, oo

from theory.claims import finite_data
from theory.claims.areas.flow import NOTES, exact_values, values
from theory.claims.model import Alternative, Claim, Kind, Param, Point, Registration
from theory.expressions.symbols import K
from theory.flow.derive import descent
from theory.flow.derive.modes import c, positive_lam, u0
from theory.flow.linear.descent import discrete, gradient_descent
from theory.moments import gated_moments
from theory.problem import Problem, WeightsAtTimes


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
    title="A mode of plain gradient descent after m steps, at any learning rate",
    kind=Kind.EQUATION,
    statement=descent.SOLUTION,
    params=(
        Param(descent.m, Range(0, 25), "number of steps", (Integer(0), Integer(1), Integer(24))),
        Param(descent.eta, Interval.open(0, oo), "learning rate; t = tau eta m"),
        Param(K, Range(1, 8), "number of units", (Integer(1),)),
        Param(positive_lam, Interval.open(0, oo), "eigenvalue of A"),
        Param(c, Interval(-3, 3), "component of b along the eigenvector"),
        Param(u0, Interval(-3, 3), "component of w(0) along the eigenvector"),
    ),
    assumptions=(
        "half-mse loss and mean readout; fixed gates",
        "with fresh data the mean over runs follows the same law for every batch size, since a step is linear in w",
    ),
    oracle=_by_steps,
    exact=_exactly_by_steps,
    derive=descent.mode_descent,
    numeric=_one_mode,
    registration=Registration(
        problems=("small-bump", "small-bump-reversed"),
        observable=WeightsAtTimes(),
        predict=lambda problem: discrete(problem).weights,
        alternatives=(Alternative(f"{NOTES} (8)", _printed_ode),),
    ),
)

CLAIMS = (WEIGHTS,)
