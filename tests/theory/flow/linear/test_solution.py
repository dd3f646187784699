"""theory.flow.solve against dense linear algebra at 60 digits, published numbers, and what a flow must satisfy."""

from decimal import Decimal

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.theory.cases import ORACLE, problem
from tests.tolerances import (
    FLOW_DIGITS,
    FLOW_DIGITS_SLACK,
    FLOW_FLOAT64,
    FLOW_ODE,
    FLOW_ODE_REQUEST,
    FLOW_ROUNDED,
)
from theory.flow import mse_at, solve
from theory.flow.linear.convention import convention
from theory.moments import gated_moments
from theory.problem import InputError, NormalInitialisation, OutOfReachError

CASES = ORACLE["cases"]
EVERY_CASE = pytest.mark.parametrize("name", CASES)
NAMES = ("mse", "fixed_point", "rates", "weights", "losses")
LINE = {"n": 40, "gates": ["up:20", "down:20"], "times": ["1"]}


def numbers(value):
    return np.array(value, dtype=float)


@EVERY_CASE
def test_float64_solution_is_that_of_dense_linear_algebra(name):
    case = CASES[name]
    solution = solve(problem(**case["problem"]))
    allowed = FLOW_FLOAT64 * float(case["condition"]) if "rounded" not in solution.notes[-1] else FLOW_ROUNDED
    for key in NAMES:
        exact = numbers(case[key])
        value = numbers(getattr(solution, key)).reshape(exact.shape)
        assert np.abs(value - exact).max() <= allowed * max(1.0, np.abs(exact).max()), key
    assert solution.rank == case["rank"]
    assert (solution.rates[: len(solution.rates) - solution.rank] == 0).all()


@EVERY_CASE
def test_digits_are_correct(name):
    """Every one of FLOW_DIGITS digits, against values stored with two more."""
    case = CASES[name]
    solution = solve(problem(**case["problem"]), digits=FLOW_DIGITS)
    for key in (*NAMES, "condition"):
        stored = np.array(case[key], dtype=object).ravel()
        digits = np.array(getattr(solution, key), dtype=object).ravel()
        largest = max(abs(Decimal(x)) for x in stored)
        for shown, exact in zip(digits, stored, strict=True):
            exact = Decimal(exact)
            unit = Decimal(10) ** (exact.adjusted() - FLOW_DIGITS + 1) if exact else Decimal(0)
            # The dense oracle itself has zeros only to its own working precision.
            noise = Decimal(10) ** (-FLOW_DIGITS - 10) * max(largest, Decimal(1))
            assert abs(Decimal(shown) - exact) <= max(unit * Decimal(FLOW_DIGITS_SLACK), noise), key


def test_the_small_bump_numbers():
    """Localization notes, checked: <(y - yhat)^2> = .27922 and w_20 = .61038; classes exchanged: .26664."""
    for xi, words in ((("2", "1"), "2/1"), (("1", "2"), "1/2")):
        for boundary in ("open", "ring"):
            exact = ORACLE["small_bump"][words][boundary]
            solution = solve(problem(**LINE, xi=xi, boundary=boundary, w0=NormalInitialisation(0, 0)))
            w = solution.fixed_point[0]
            assert abs(solution.mse - float(exact["mse"])) <= FLOW_ROUNDED
            assert abs(w[20] - float(exact["w20"])) <= FLOW_FLOAT64 * solution.condition
            assert abs((w**4).sum() / (w**2).sum() ** 2 - float(exact["ipr"])) <= FLOW_FLOAT64 * solution.condition


@pytest.mark.parametrize("xi", ["1", "5", "20"])
def test_conditioning_of_smooth_processes(xi):
    """From 5 (xi = 1) to 6e18 (xi = 20): float64 where it can, balls where it cannot, and the answer says which."""
    solution = solve(problem(**LINE, xi=(xi, xi)))
    exact = float(ORACLE["condition"][xi])
    assert abs(solution.condition / exact - 1) <= max(FLOW_ROUNDED, FLOW_FLOAT64 * exact * (exact < 1e5))
    assert ("rounded to float64" in solution.notes[-1]) == (exact > 1e5)
    assert solution.rates[0] > 0


def test_the_flow_solves_its_differential_equation():
    question = problem(gates=["up:0", "up:2", "always", "repeat:1"], loss="mse", times=["0.3", "1.7", "6"])
    m, rules = gated_moments(question), convention(question)
    s, ell = float(rules.s), float(rules.ell)
    solution = solve(question)
    run = solve_ivp(
        lambda t, w: ell * s * (m.b - s * m.A @ w),
        (0, 6),
        question.w0().ravel(),
        method="DOP853",
        t_eval=solution.times,
        rtol=FLOW_ODE_REQUEST,
        atol=FLOW_ODE_REQUEST,
    )
    assert np.abs(run.y.T.reshape(solution.weights.shape) - solution.weights).max() <= FLOW_ODE


def test_time_zero_is_the_beginning():
    question = problem(gates=["up:0", "always", "repeat:0"], times=["0", "1"])
    assert (solve(question).weights[0] == question.w0()).all()
    assert (solve(question, digits=20).weights[0].astype(float) == question.w0()).all()


def test_permuting_units_permutes_weights():
    gates, order = ["up:0", "down:0", "up:2", "always"], [2, 0, 3, 1]
    question = problem(gates=gates)
    w0 = question.training.w0
    moved = problem(gates=[gates[k] for k in order], w0=tuple(w0[k] for k in order))
    first, second = solve(question), solve(moved)
    limit = FLOW_FLOAT64 * first.condition
    assert np.abs(second.fixed_point - first.fixed_point[order]).max() <= limit
    assert np.abs(second.weights - first.weights[:, order]).max() <= limit


def test_losses_are_those_of_the_weights():
    question = problem(gates=["up:0", "up:3", "always"])
    solution, moments = solve(question), gated_moments(question)
    s = float(convention(question).s)
    assert np.abs(mse_at(moments, solution.weights, s) - solution.losses).max() <= FLOW_ROUNDED
    assert abs(mse_at(moments, solution.fixed_point, s) - solution.mse) <= FLOW_ROUNDED


@pytest.mark.parametrize("digits", [0, -3, 1001])
def test_digits_must_be_sensible(digits):
    with pytest.raises(InputError, match="digits"):
        solve(problem(), digits=digits)


def test_too_large_for_balls_is_out_of_reach_where_digits_are_asked_for():
    with pytest.raises(OutOfReachError, match="200 rows"):
        solve(problem(n=200, gates=["up:5", "down:5"]), digits=20)
