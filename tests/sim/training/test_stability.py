"""The estimated largest stable rate separates descents that settle from descents that blow up."""

from dataclasses import replace
from fractions import Fraction
from math import inf

import pytest

from sim.train import train
from sim.training.stability import largest_stable_rate
from tests.sim.cases import EVERY_GATE, gated, problem
from tests.tolerances import SIM_STABLE_RATE
from theory.problem import Network, OutOfReachError, SiteGate

STEPS, LOOK = 2_000, 250


def grows(question, rate):
    """Whether full-batch descent on 4,000 examples leaves every bound within the steps, looked at every 250 of them."""
    exact = Fraction(rate)
    settings = {"mode": "full-batch", "samples": 4000, "batch": None, "replicates": 2, "learning_rate": exact}
    state = sample = None
    for last in range(LOOK, STEPS + 1, LOOK):
        changed = problem(network=question.network, times=(exact * last,), **settings)
        run = train(changed, "cpu", sample=sample, resume=state)
        if run.diverged.all():
            return True
        state, sample = run.state, run.sample
    return False


def test_the_edge_of_stability():
    question = problem(network=gated(readout="sum", biases="trained"))
    rate = largest_stable_rate(question)
    assert not grows(question, rate * (1 - SIM_STABLE_RATE))
    assert grows(question, rate * (1 + SIM_STABLE_RATE))


def test_scalings_of_the_rate():
    half = largest_stable_rate(problem(network=gated(EVERY_GATE)))
    assert half == 2 * largest_stable_rate(problem(network=gated(EVERY_GATE), loss="mse"))
    assert half == 16 * largest_stable_rate(problem(network=gated(EVERY_GATE, "sum")))


def test_networks_that_gate_themselves_have_a_bound():
    relu, erf, sigmoid = (
        largest_stable_rate(problem(network=Network(m, "mean", 3))) for m in ("relu", "erf", "sigmoid")
    )
    assert 0 < relu < erf < sigmoid < inf
    for slope, times in ((-1, 1), (Fraction(1, 8), 1), (2, 4)):
        leaky = Network("leaky-relu", "mean", 3, slope=Fraction(slope))
        assert largest_stable_rate(problem(network=leaky)) == relu / times


def test_the_cross_entropy_bends_a_quarter_as_much():
    network = Network("relu", "mean", 3, biases="trained")
    squared, entropy = (
        largest_stable_rate(problem(network=network, loss=loss)) for loss in ("half-mse", "cross-entropy")
    )
    assert entropy == 4 * squared


def test_a_trained_readout_has_no_largest_rate():
    with pytest.raises(OutOfReachError, match="no largest stable rate"):
        largest_stable_rate(problem(network=gated(readout="trained-sum")))


def test_biases_ask_for_smaller_rates():
    """One more feature 1/s bends the loss by 1 at least: the rate is below 2 for the half-mse, below 1 for the mse."""
    for network in (gated(), gated(readout="sum"), *(Network(m, "mean", 3) for m in ("relu", "erf", "sigmoid"))):
        biased = replace(network, biases="trained")
        assert largest_stable_rate(problem(network=biased)) < min(2, largest_stable_rate(problem(network=network)))
        assert largest_stable_rate(problem(network=biased, loss="mse")) < 1


def test_without_input_every_rate_is_stable():
    assert largest_stable_rate(problem(network=gated((SiteGate(0, lo=100),)))) == inf
