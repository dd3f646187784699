"""theory.flow.solve against dense linear algebra at 60 digits, published numbers, and what a flow must satisfy."""

from dataclasses import replace
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
    FLOW_PUBLISHED,
    FLOW_ROUNDED,
)
from theory.flow import mse_at, solve
from theory.flow.linear.convention import convention
from theory.moments import gated_moments
from theory.problem import InputError, NormalInitialisation, OutOfReachError, load

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
        found = numbers(getattr(solution, key)).reshape(exact.shape)
        assert np.abs(found - exact).max() <= allowed * max(1.0, np.abs(exact).max()), key
    assert solution.rank == case["rank"]
    assert (solution.rates[: len(solution.rates) - solution.rank] == 0).all()


@EVERY_CASE
def test_digits_are_correct(name):
    """Every one of FLOW_DIGITS digits, against values stored with two more."""
    case = CASES[name]
    solution = solve(problem(**case["problem"]), digits=FLOW_DIGITS)
    for key in (*NAMES, "condition"):
        stored = np.array(case[key], dtype=object).ravel()
        found = np.array(getattr(solution, key), dtype=object).ravel()
        largest = max(abs(Decimal(x)) for x in stored)
        for given, exact in zip(found, stored, strict=True):
            exact = Decimal(exact)
            unit = Decimal(10) ** (exact.adjusted() - FLOW_DIGITS + 1) if exact else Decimal(0)
            # The dense oracle itself has zeros only to its own working precision.
            noise = Decimal(10) ** (-FLOW_DIGITS - 10) * max(largest, Decimal(1))
            assert abs(Decimal(given) - exact) <= max(unit * Decimal(FLOW_DIGITS_SLACK), noise), key


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
    ring = ORACLE["small_bump"]["2/1"]["ring"], ORACLE["small_bump"]["1/2"]["ring"]
    for stored, printed in zip(ring, ((0.27922, 0.588), (0.26664, 0.779)), strict=True):
        assert abs(float(stored["mse"]) - printed[0]) <= FLOW_PUBLISHED
        assert abs(float(stored["ipr"]) - printed[1]) <= 100 * FLOW_PUBLISHED


@pytest.mark.parametrize("xi", ORACLE["condition"])
def test_conditioning_of_smooth_processes(xi):
    """From 5 (xi = 1) to 6e18 (xi = 20): float64 where it can, balls where it cannot, and the answer says which."""
    solution = solve(problem(**LINE, xi=(xi, xi)))
    exact = float(ORACLE["condition"][xi])
    assert abs(solution.condition / exact - 1) <= max(FLOW_ROUNDED, FLOW_FLOAT64 * exact * (exact < 1e5))
    assert ("rounded to float64" in solution.notes[-1]) == (exact > 1e5)
    assert solution.rates[0] > 0


def test_the_flow_solves_its_differential_equation():
    for gates in (["up:1", "down:1"], ["up:0", "up:2", "always", "repeat:1"]):
        question = problem(gates=gates, loss="mse", times=["0.3", "1.7", "6"])
        moments, rules = gated_moments(question), convention(question)
        s, ell = float(rules.s), float(rules.ell)
        solution = solve(question)
        run = solve_ivp(
            lambda t, w, m=moments, s=s, ell=ell: ell * s * (m.b - s * m.A @ w),
            (0, 6),
            question.w0().ravel(),
            method="DOP853",
            t_eval=solution.times,
            rtol=FLOW_ODE_REQUEST,
            atol=FLOW_ODE_REQUEST,
        )
        assert np.abs(run.y.T.reshape(solution.weights.shape) - solution.weights).max() <= FLOW_ODE


def test_flowing_on_is_flowing_longer():
    question = problem(gates=["up:0", "down:2", "always"], times=["2", "5"])
    first = solve(question)
    middle = tuple(map(tuple, first.weights[0].tolist()))
    rest = solve(replace(question, training=replace(question.training, w0=_exact(middle), times=("3",))))
    assert np.abs(rest.weights[0] - first.weights[1]).max() <= FLOW_FLOAT64 * first.condition


def _exact(rows):
    from fractions import Fraction

    return tuple(tuple(Fraction(x) for x in row) for row in rows)


def test_time_zero_is_the_beginning():
    question = problem(gates=["up:0", "always", "repeat:0"], times=["0", "1"])
    assert (solve(question).weights[0] == question.w0()).all()
    assert (solve(question, digits=20).weights[0].astype(float) == question.w0()).all()


def test_repeated_gates_keep_their_difference():
    question = problem(gates=["up:2", "repeat:0", "always"])
    solution = solve(question)
    start = question.w0()
    for w in (*solution.weights, solution.fixed_point):
        assert np.abs((w[0] - w[1]) - (start[0] - start[1])).max() <= FLOW_ROUNDED


def test_an_always_gate_beside_a_gate_and_its_complement_changes_nothing():
    two, three = (solve(problem(gates=gates)) for gates in (["up:1", "down:1"], ["up:1", "down:1", "always"]))
    assert three.rank == two.rank
    assert abs(three.mse - two.mse) <= FLOW_ROUNDED
    exact = [solve(problem(gates=g), digits=40).mse for g in (["up:1", "down:1"], ["up:1", "down:1", "always"])]
    assert exact[0] == exact[1]


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
    for gates in (["up:1", "down:1"], ["up:0", "up:3", "always"]):
        question = problem(gates=gates)
        solution, moments = solve(question), gated_moments(question)
        s = float(convention(question).s)
        assert np.abs(mse_at(moments, solution.weights, s) - solution.losses).max() <= FLOW_ROUNDED
        assert abs(mse_at(moments, solution.fixed_point, s) - solution.mse) <= FLOW_ROUNDED


def test_more_gates_never_hurt():
    errors = [solve(problem(gates=gates)).mse for gates in (["up:1"], ["up:1", "down:1"], ["up:1", "down:1", "up:3"])]
    assert errors[0] > errors[1] > errors[2]


@pytest.mark.parametrize("digits", [0, -3, 1001])
def test_digits_must_be_sensible(digits):
    with pytest.raises(InputError, match="digits"):
        solve(problem(), digits=digits)


def test_too_large_for_balls_is_out_of_reach_where_digits_are_asked_for():
    with pytest.raises(OutOfReachError, match="200 rows"):
        solve(problem(n=200, gates=["up:5", "down:5"]), digits=20)


def test_the_shipped_problem_solves(request):
    path = request.config.rootpath / "derivations/experiments/problems/small-bump.toml"
    assert abs(solve(load(path)).mse - float(ORACLE["small_bump"]["2/1"]["open"]["mse"])) <= FLOW_ROUNDED
