"""Plain gradient descent in closed form against its own steps, and problems without an exact flow."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tests.theory.cases import problem
from tests.tolerances import FLOW_ROUNDED
from theory.flow import discrete, gradient_descent, solve
from theory.flow.linear.descent import power_and_sum
from theory.flow.linear.parameters import initial
from theory.moments import gated_moments
from theory.problem import InputError, OutOfReachError, Problem, Simulation, SinglePulse, SiteGate

PULSE = SinglePulse(6, ((1, 2), (3, 4)), "plus-minus", "none", (1, -1))
GATES = {
    "exclusive": ["up:1", "down:1"],
    "redundant": ["up:2", "repeat:0", "always"],
    "overlapping": ["up:0", "down:2", "always"],
}


def stepped(A, b, w0, eta, s, ell, count):
    """The definition: w <- w - eta ell s (s A w - b), `count` times."""
    w = w0.ravel().copy()
    for _ in range(count):
        w = w - eta * ell * s * (s * A @ w - b)
    return w.reshape(w0.shape)


def simulation(rate):
    return Simulation("online", 100, rate, 2, 0, batch=10)


@pytest.mark.parametrize("gates", GATES.values(), ids=GATES)
@pytest.mark.parametrize(("loss", "ell", "biases"), [("half-mse", 1, ()), ("mse", 2, ("1/3", "0", "-2/3"))])
def test_discrete_is_the_steps_one_by_one(gates, loss, ell, biases):
    changes = {"hidden_bias0": biases[: len(gates)], "output_bias0": "1/5"} if biases else {}
    question = problem(gates=gates, loss=loss, times=["0", "1.5", "30"], simulation=simulation("1/2"), **changes)
    moments, start = gated_moments(question), initial(question)
    for theta, count in zip(discrete(question).theta, (0, 3, 60), strict=True):
        expected = stepped(moments.A, moments.b, start, 0.5, 1 / len(gates), ell, count)
        assert np.abs(theta - expected).max() <= FLOW_ROUNDED


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


@pytest.mark.parametrize("pulse", [False, True])
@pytest.mark.parametrize(
    ("network", "training", "field"),
    [
        ({"readout": "trained-mean"}, {"readout0": (1, 1)}, '"trained-mean"'),
        ({}, {"loss": "cross-entropy"}, r'training\.loss = "cross-entropy"'),
    ],
)
def test_networks_without_an_exact_flow(network, training, field, pulse):
    base = problem(gates=["up:1", "down:1"], labels=(1, -1), n=6, simulation=simulation("1/4"), times=(0, 1))
    gates = tuple(replace(gate, on="input") for gate in base.network.gates)
    question = Problem(
        PULSE if pulse else base.data,
        replace(base.network, **{"gates": gates} | network),
        replace(base.training, **training),
        base.simulation,
    )
    for call in (solve, discrete, lambda each: solve(each, digits=20)):
        with pytest.raises(OutOfReachError, match=field):
            call(question)


def test_soft_gates_on_pulses():
    """Their moments are fractions, and the values of a soft gate are irrational."""
    base = problem(gates=["up:1"], labels=(1, -1), n=6)
    gate = SiteGate(0, lo=0, on="input", sharpness=1)
    question = Problem(PULSE, replace(base.network, gates=(gate,)), base.training)
    with pytest.raises(OutOfReachError, match="a soft gate, of sharpness 1"):
        solve(question)
