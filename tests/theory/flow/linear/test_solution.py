"""theory.flow.solve against dense linear algebra at 60 digits, published numbers, and what a flow must satisfy."""

from decimal import Decimal

import numpy as np
import pytest
from flint import arb, ctx

from tests.paths import PROBLEMS
from tests.theory.cases import BIASES, ORACLE, problem
from tests.tolerances import (
    FLOW_DIGITS,
    FLOW_DIGITS_SLACK,
    FLOW_FLOAT64,
    FLOW_ROUNDED,
    MOMENT_ENTRY,
    MOMENT_FOUR_FACTORS,
    MOMENT_STORED,
    MOMENT_STORED_DIGITS,
)
from theory.flow import Parameters, mse_at, solve
from theory.moments import gated_moments, gated_moments_certified
from theory.problem import InputError, NormalInitialisation, OutOfReachError

CASES = ORACLE["cases"] | {f"biases of {name}": case for name, case in BIASES["cases"].items()}
EVERY_CASE = pytest.mark.parametrize("name", CASES)
FILE = PROBLEMS / "small-bump.toml"
LINE = {"n": 40, "gates": ["up:20", "down:20"], "times": ["1"]}


def numbers(value):
    return np.array(value, dtype=float)


def results(solution, dtype=float):
    """The numbers of a solution by name; weights and biases are one list theta at each time, and at infinity."""
    result = {key: np.array(getattr(solution, key), dtype=object) for key in ("mse", "rates", "losses", "condition")}
    path, end = solution.weights.astype(dtype), solution.fixed_point.astype(dtype)
    if solution.hidden_biases is None:
        return result | {"weights": path, "fixed_point": end}
    moved = np.column_stack([solution.hidden_biases.astype(dtype), solution.output_bias.astype(dtype)])
    settled = [*solution.fixed_hidden_biases.astype(dtype), solution.fixed_output_bias]
    theta = {"weights": (path, moved), "fixed_point": (end, np.array(settled, dtype=dtype))}
    return result | {name: Parameters(*parts).theta for name, parts in theta.items()}


@EVERY_CASE
def test_float64_solution_is_that_of_dense_linear_algebra(name):
    case = CASES[name]
    solution = solve(problem(**case["problem"]))
    allowed = FLOW_FLOAT64 * float(case["condition"]) if "rounded" not in solution.notes[-1] else FLOW_ROUNDED
    for key, value in results(solution).items():
        if key != "condition":
            exact = numbers(case[key])
            assert np.abs(numbers(value).reshape(exact.shape) - exact).max() <= allowed * max(1.0, abs(exact).max()), (
                key
            )
    assert solution.rank == case["rank"]
    assert (solution.rates[: len(solution.rates) - solution.rank] == 0).all()


@EVERY_CASE
def test_digits_are_correct(name):
    """Every one of FLOW_DIGITS digits, against values stored with two more."""
    case = CASES[name]
    solution = solve(problem(**case["problem"]), digits=FLOW_DIGITS)
    for key, value in results(solution, object).items():
        stored = [Decimal(x) for x in np.array(case[key], dtype=object).ravel()]
        largest = max(map(abs, stored))
        for shown, exact in zip(value.ravel(), stored, strict=True):
            unit = Decimal(10) ** (exact.adjusted() - FLOW_DIGITS + 1) if exact else Decimal(0)
            # The dense oracle itself has zeros only to its own working precision.
            noise = Decimal(10) ** (-FLOW_DIGITS - 10) * max(largest, Decimal(1))
            assert abs(Decimal(shown) - exact) <= max(unit * Decimal(FLOW_DIGITS_SLACK), noise), key


def test_the_small_bump_numbers():
    """Localization notes, checked: <(y - yhat)^2> = .27922 and w_20 = .61038; classes exchanged: .26664."""
    for words, boundary in (("2/1", "open"), ("1/2", "ring")):
        exact = ORACLE["small_bump"][words][boundary]
        solution = solve(problem(**LINE, xi=words.split("/"), boundary=boundary, w0=NormalInitialisation(0, 0)))
        w = solution.fixed_point[0]
        assert abs(solution.mse - float(exact["mse"])) <= FLOW_ROUNDED
        assert abs(w[20] - float(exact["w20"])) <= FLOW_FLOAT64 * solution.condition


@pytest.mark.parametrize("xi", ["1", "5", "20"])
def test_conditioning_of_smooth_processes(xi):
    """From 5 (xi = 1) to 6e18 (xi = 20): float64 where it can, balls where it cannot, and the answer says which."""
    solution = solve(problem(**LINE, xi=(xi, xi)))
    exact = float(ORACLE["condition"][xi])
    assert abs(solution.condition / exact - 1) <= max(FLOW_ROUNDED, FLOW_FLOAT64 * exact * (exact < 1e5))
    assert ("rounded to float64" in solution.notes[-1]) == (exact > 1e5)
    assert solution.rates[0] > 0


@pytest.mark.parametrize("name", BIASES["cases"])
def test_float64_moments_are_those_of_the_features(name):
    case = BIASES["cases"][name]
    moments = gated_moments(problem(**case["problem"]))
    largest = np.abs(numbers(case["A"])).max()
    assert np.abs(moments.A - numbers(case["A"])).max() <= MOMENT_FOUR_FACTORS * largest
    assert np.abs(moments.b - numbers(case["b"])).max() <= MOMENT_ENTRY * max(1.0, np.abs(moments.b).max())


@pytest.mark.parametrize("name", BIASES["cases"])
def test_balls_hold_the_moments_of_the_features(name):
    case = BIASES["cases"][name]
    with ctx.workdps(MOMENT_STORED_DIGITS + 10):
        moments = gated_moments_certified(problem(**case["problem"]), MOMENT_STORED_DIGITS)
        for result, stored in ((moments.A, case["A"]), (moments.b, case["b"])):
            assert result.shape == np.shape(stored)
            for ball, digits in zip(result.ravel(), np.array(stored, dtype=object).ravel(), strict=True):
                exact = arb(digits)
                assert (ball - exact).abs_upper() <= MOMENT_STORED * max(exact.abs_upper(), arb(1))


def test_losses_are_those_of_the_parameters():
    question = problem(gates=["up:0", "up:3", "always"], hidden_bias0=("-1/3", 0, "1/3"), output_bias0="1/5")
    solution, moments = solve(question), gated_moments(question)
    biases = np.column_stack([solution.hidden_biases, solution.output_bias])
    end = np.append(solution.fixed_hidden_biases, solution.fixed_output_bias)
    assert np.abs(mse_at(moments, solution.weights, 1 / 3, biases) - solution.losses).max() <= FLOW_ROUNDED
    assert abs(mse_at(moments, solution.fixed_point, 1 / 3, end) - solution.mse) <= FLOW_ROUNDED
    with pytest.raises(InputError, match="of a network with trained biases"):
        mse_at(moments, solution.weights, 1 / 3)
    with pytest.raises(InputError, match="of a network without trained biases"):
        mse_at(gated_moments(problem()), np.zeros((2, 4)), 1 / 2, np.zeros(3))


def test_w_at_any_time():
    solution = solve(FILE)
    assert (solution.at(8) == solution.weights[3]).all()
    both = solve(FILE, times=[2.5, 8.0])
    assert both.times.tolist() == [2.5, 8.0]
    assert (both.weights[0] == solution.at(2.5)).all()
    assert (both.fixed_point == solution.fixed_point).all()
    certain = solve(FILE, digits=20).at(8)[0, 20]
    assert isinstance(certain, str)
    assert f"{float(certain):.10f}" == f"{solution.at(8)[0, 20]:.10f}"


def test_the_figure_shows_fields_and_loss():
    solution = solve(FILE)
    first, second, loss = solution.plot().axes
    last = first.get_lines()[2]
    assert (last.get_ydata() == solution.weights[-1, 0]).all()
    assert (second.get_lines()[3].get_ydata() == solution.fixed_point[1]).all()
    assert np.diff(loss.get_lines()[0].get_ydata()).max() < 0


@pytest.mark.parametrize("digits", [0, -3, 1001])
def test_digits_must_be_sensible(digits):
    with pytest.raises(InputError, match="digits"):
        solve(problem(), digits=digits)


def test_too_large_for_balls_is_out_of_reach_where_digits_are_asked_for():
    with pytest.raises(OutOfReachError, match="200 rows"):
        solve(problem(n=200, gates=["up:5", "down:5"]), digits=20)
