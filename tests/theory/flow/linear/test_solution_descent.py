"""Plain gradient descent in closed form: against its own steps, and against the flow as the steps shrink."""

from fractions import Fraction

import numpy as np
import pytest

from tests.theory.cases import problem
from tests.tolerances import FLOW_ROUNDED, FLOW_STEP_SLOPE
from theory.flow import discrete, gradient_descent, mse_at, solve
from theory.flow.linear.descent import power_and_sum
from theory.moments import gated_moments
from theory.problem import InputError, Simulation

GATES = {
    "exclusive": ["up:1", "down:1"],
    "redundant": ["up:2", "repeat:0", "always"],
    "overlapping": ["up:0", "down:2", "always"],
}
EVERY_NETWORK = pytest.mark.parametrize("gates", GATES.values(), ids=GATES.keys())


def stepped(A, b, w0, eta, s, ell, count):
    """The definition: w <- w - eta ell s (s A w - b), `count` times."""
    w = w0.ravel().copy()
    for _ in range(count):
        w = w - eta * ell * s * (s * A @ w - b)
    return w.reshape(w0.shape)


def simulation(rate):
    return Simulation("online", 100, rate, 2, 0, batch=10)


@EVERY_NETWORK
@pytest.mark.parametrize("loss", ["half-mse", "mse"])
def test_discrete_is_the_steps_one_by_one(gates, loss):
    question = problem(gates=gates, loss=loss, times=["0", "1.5", "30"], simulation=simulation("1/2"))
    moments = gated_moments(question)
    s, ell = 1 / len(gates), 1 if loss == "half-mse" else 2
    for weights, count in zip(discrete(question).weights, (0, 3, 60), strict=True):
        expected = stepped(moments.A, moments.b, question.w0(), 0.5, s, ell, count)
        assert np.abs(weights - expected).max() <= FLOW_ROUNDED


@EVERY_NETWORK
def test_discrete_approaches_the_flow_at_first_order(gates):
    errors, rates = [], [Fraction(1, 2**k) for k in range(1, 6)]
    for rate in rates:
        question = problem(gates=gates, times=["1", "4"], simulation=simulation(rate))
        errors.append(np.abs(discrete(question).weights - solve(question).weights).max())
    slope = np.polyfit(np.log([float(rate) for rate in rates]), np.log(errors), 1)[0]
    assert abs(slope - 1) <= FLOW_STEP_SLOPE


def test_a_sample_smaller_than_the_weights_keeps_what_it_does_not_see():
    """Moments of 3 examples in 8 dimensions: A is singular, and the weights outside its range stay."""
    rng = np.random.default_rng(7)
    x, y, w0 = rng.normal(size=(3, 8)), rng.normal(size=3), rng.normal(size=(2, 4))
    A, b = x.T @ x / 3, x.T @ y / 3
    for w, count in zip(gradient_descent(A, b, w0, 0.1, 1.0, 1.0, [1, 50]), (1, 50), strict=True):
        assert np.abs(w - stepped(A, b, w0, 0.1, 1.0, 1.0, count)).max() <= FLOW_ROUNDED
    outside = np.eye(8) - x.T @ np.linalg.pinv(x.T)
    assert np.abs(outside @ (w - w0).ravel()).max() <= FLOW_ROUNDED


def test_power_and_sum_at_every_size_of_step():
    x = np.array([0.0, 1e-300, 1e-9, 0.3, 0.5, 1.0, 1.7, 2.0])
    power, total = power_and_sum(x, 6)
    by_hand = [[(1 - Fraction(v)) ** k for k in range(7)] for v in x.tolist()]
    assert np.abs(power - [float(row[6]) for row in by_hand]).max() <= FLOW_ROUNDED
    assert np.abs(total - [float(sum(row[:6])) for row in by_hand]).max() <= FLOW_ROUNDED


@pytest.mark.parametrize(
    ("changes", "field"), [({"times": ["1"], "simulation": simulation("2/3")}, "whole"), ({}, "simulation")]
)
def test_times_between_steps_and_no_steps_are_refused(changes, field):
    with pytest.raises(InputError, match=field):
        discrete(problem(**changes))


def test_an_unstable_rate_is_refused_with_the_stable_one():
    question = problem(gates=["always"], readout="sum", times=["50000"], simulation=simulation("50"))
    with pytest.raises(InputError, match=r"overflow.*learning rate below"):
        discrete(question)


def test_mse_of_no_weights_is_that_of_the_labels():
    question = problem(labels=["3", "-1"])
    moments = gated_moments(question)
    assert mse_at(moments, np.zeros((2, 4)), 0.5) == moments.y2 == (9 + 1) / 2
