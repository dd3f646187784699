"""Networks with biases: moments and flows against dense linear algebra of the features written out one by one."""

from decimal import Decimal

import numpy as np
import pytest
from flint import arb, ctx
from scipy.integrate import solve_ivp

from tests.theory.cases import BIASES, problem
from tests.theory.flow.linear.test_solution_descent import simulation, stepped
from tests.tolerances import (
    FLOW_DIGITS,
    FLOW_DIGITS_SLACK,
    FLOW_FLOAT64,
    FLOW_ODE,
    FLOW_ODE_REQUEST,
    FLOW_ROUNDED,
    MOMENT_ENTRY,
    MOMENT_FOUR_FACTORS,
    MOMENT_STORED,
    MOMENT_STORED_DIGITS,
    psd_slack,
)
from theory.flow import Parameters, discrete, mse_at, solve
from theory.flow.linear.convention import convention
from theory.flow.linear.parameters import initial
from theory.moments import gated_moments, gated_moments_certified
from theory.problem import InputError

CASES = BIASES["cases"]
EVERY_CASE = pytest.mark.parametrize("name", CASES)


def numbers(value):
    return np.array(value, dtype=float)


def biased(gates, **changes):
    """A problem whose biases start apart from each other and from 0."""
    start = [f"{k - 1}/3" for k in range(len(gates))]
    return problem(gates=gates, **{"hidden_bias0": start, "output_bias0": "1/5"} | changes)


def learned(solution, dtype=float):
    """theta at the times and at infinity."""
    path = np.column_stack([solution.hidden_biases.astype(dtype), solution.output_bias.astype(dtype)])
    end = np.append(solution.fixed_hidden_biases.astype(dtype), np.array([solution.fixed_output_bias], dtype=dtype))
    return {
        "weights": Parameters(solution.weights.astype(dtype), path).theta,
        "fixed_point": Parameters(solution.fixed_point.astype(dtype), end).theta,
    }


@EVERY_CASE
def test_float64_moments_are_those_of_the_features(name):
    case = CASES[name]
    moments = gated_moments(problem(**case["problem"]))
    largest = np.abs(numbers(case["A"])).max()
    assert np.abs(moments.A - numbers(case["A"])).max() <= MOMENT_FOUR_FACTORS * largest
    assert np.abs(moments.b - numbers(case["b"])).max() <= MOMENT_ENTRY * max(1.0, np.abs(moments.b).max())


@EVERY_CASE
def test_balls_hold_the_moments_of_the_features(name):
    case = CASES[name]
    with ctx.workdps(MOMENT_STORED_DIGITS + 10):
        moments = gated_moments_certified(problem(**case["problem"]), MOMENT_STORED_DIGITS)
        for result, stored in ((moments.A, case["A"]), (moments.b, case["b"])):
            assert result.shape == np.shape(stored)
            for ball, digits in zip(result.ravel(), np.array(stored, dtype=object).ravel(), strict=True):
                exact = arb(digits)
                assert (ball - exact).abs_upper() <= MOMENT_STORED * max(exact.abs_upper(), arb(1))


@EVERY_CASE
def test_float64_solution_is_that_of_dense_linear_algebra(name):
    case = CASES[name]
    solution = solve(problem(**case["problem"]))
    allowed = FLOW_FLOAT64 * float(case["condition"]) if "rounded" not in solution.notes[-1] else FLOW_ROUNDED
    result = learned(solution) | {key: getattr(solution, key) for key in ("mse", "rates", "losses")}
    for key, value in result.items():
        exact = numbers(case[key])
        assert np.abs(value - exact).max() <= allowed * max(1.0, np.abs(exact).max()), key
    assert solution.rank == case["rank"]
    assert (solution.rates[: len(solution.rates) - solution.rank] == 0).all()


@EVERY_CASE
def test_digits_are_correct(name):
    """Every one of FLOW_DIGITS digits, against values stored with two more."""
    case = CASES[name]
    solution = solve(problem(**case["problem"]), digits=FLOW_DIGITS)
    result = learned(solution, object)
    result |= {key: np.array(getattr(solution, key), dtype=object) for key in ("mse", "rates", "losses", "condition")}
    for key, value in result.items():
        stored = [Decimal(x) for x in np.array(case[key], dtype=object).ravel()]
        largest = max(abs(x) for x in stored)
        for digits, exact in zip(value.ravel(), stored, strict=True):
            unit = Decimal(10) ** (exact.adjusted() - FLOW_DIGITS + 1) if exact else Decimal(0)
            # The dense oracle itself has zeros only to its own working precision.
            noise = Decimal(10) ** (-FLOW_DIGITS - 10) * max(largest, Decimal(1))
            assert abs(Decimal(digits) - exact) <= max(unit * Decimal(FLOW_DIGITS_SLACK), noise), key


def test_a_linear_network_with_an_intercept_learns_the_mean():
    """Least squares of y on (x, 1): <x> = 0 and <y x> = 0, so w(inf) = 0, b_1 + b_out = <y>, Var(y) remains."""
    question = problem(**CASES["always"]["problem"])
    solution = solve(question)
    labels = [float(label) for label in question.data.labels]
    assert abs(solution.mse - float(BIASES["intercept"])) <= FLOW_ROUNDED
    assert np.abs(solution.fixed_point).max() <= FLOW_FLOAT64 * solution.condition
    assert abs(solution.fixed_hidden_biases[0] + solution.fixed_output_bias - sum(labels) / 2) <= FLOW_ROUNDED
    # b_1 - b_out never moves: their features are 1 and 1.
    apart = solution.hidden_biases[:, 0] - solution.output_bias
    assert np.abs(apart - (question.biases0()[0] - question.biases0()[1])).max() <= FLOW_ROUNDED


BLOCKS = [
    (["up:2", "down:1", "up:1", "always"], "sum", 12 + 3),
    (["up:1", "down:1", "always"], "mean", 8 + 2),
    (["always", "always"], "mean", 4 + 1),
    (["up:0", "repeat:0", "up:3"], "sum", 8 + 3),
]


@pytest.mark.parametrize(("gates", "readout", "rank"), BLOCKS)
def test_the_blocks_are_all_of_a(gates, readout, rank):
    """sum_blocks Q (scale kernel) Q^T = A and sum Q rhs = b with Q orthonormal, by embedding the unit vectors."""
    moments = gated_moments(biased(gates, readout=readout))
    total, right, bases = np.zeros(moments.A.shape), np.zeros(moments.b.shape), []
    for block in moments.features.blocks:
        Q = np.stack([block.embed(row[None]) for row in np.eye(block.rhs.shape[1])])
        total += block.scales[0] * Q.T @ block.kernel.dense() @ Q
        right += Q.T @ block.rhs[0]
        bases.append(Q)
        v = np.cos(np.arange(len(right)) ** 2)
        assert np.abs(block.project(v)[0] - Q @ v).max() <= FLOW_ROUNDED
    Q = np.concatenate(bases)
    largest = np.abs(moments.A).max()
    assert np.abs(Q @ Q.T - np.eye(len(Q))).max() <= FLOW_ROUNDED
    assert len(Q) == rank == moments.features.A.rank == np.linalg.matrix_rank(moments.A)
    assert np.abs(total - moments.A).max() <= FLOW_ROUNDED * largest
    assert np.abs(right - moments.b).max() <= FLOW_ROUNDED * largest
    values = np.linalg.eigvalsh(moments.A)
    assert values[0] >= -psd_slack(len(moments.A)) * values[-1]


def test_the_flow_solves_its_differential_equation():
    question = biased(["up:0", "up:2", "always", "repeat:1"], loss="mse", times=["0.3", "1.7", "6"])
    m, rules = gated_moments(question), convention(question)
    s, ell = float(rules.s), float(rules.ell)
    run = solve_ivp(
        lambda t, theta: ell * s * (m.b - s * m.A @ theta),
        (0, 6),
        initial(question),
        method="DOP853",
        t_eval=[0.3, 1.7, 6],
        rtol=FLOW_ODE_REQUEST,
        atol=FLOW_ODE_REQUEST,
    )
    assert np.abs(run.y.T - learned(solve(question))["weights"]).max() <= FLOW_ODE


def test_discrete_is_the_steps_one_by_one():
    gates = ["up:0", "down:2", "always"]
    question = biased(gates, times=["0", "1.5", "30"], simulation=simulation("1/2"))
    moments, start = gated_moments(question), initial(question)
    steps = discrete(question)
    for theta, count in zip(steps.theta, (0, 3, 60), strict=True):
        expected = stepped(moments.A, moments.b, start, 0.5, 1 / len(gates), 1, count)
        assert np.abs(theta - expected).max() <= FLOW_ROUNDED
    assert (steps.hidden_biases[0] == start[-len(gates) - 1 : -1]).all()
    assert steps.output_bias[0] == start[-1]


def test_losses_are_those_of_the_parameters():
    question = biased(["up:0", "up:3", "always"])
    solution, moments = solve(question), gated_moments(question)
    biases = np.column_stack([solution.hidden_biases, solution.output_bias])
    end = np.append(solution.fixed_hidden_biases, solution.fixed_output_bias)
    assert np.abs(mse_at(moments, solution.weights, 1 / 3, biases) - solution.losses).max() <= FLOW_ROUNDED
    assert abs(mse_at(moments, solution.fixed_point, 1 / 3, end) - solution.mse) <= FLOW_ROUNDED
    with pytest.raises(InputError, match="of a network with trained biases"):
        mse_at(moments, solution.weights, 1 / 3)
    with pytest.raises(InputError, match="of a network without trained biases"):
        mse_at(gated_moments(problem()), np.zeros((2, 4)), 1 / 2, np.zeros(3))
