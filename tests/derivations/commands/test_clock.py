"""Theory and simulation read the same clock: t/tau = learning_rate * steps, whatever tau is."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from derivations.experiments.folders import problem_named
from sim.train import train
from theory.flow import solve
from theory.flow.linear.descent import discrete


def _with_tau(tau):
    """The small-bump problem on four replicates with small batches, at t = tau and 4 tau."""
    problem = problem_named("small-bump")
    simulation = replace(problem.simulated(), replicates=4, batch=20)
    training = replace(problem.training, tau=tau, times=(tau, 4 * tau))
    return replace(problem, training=training, simulation=simulation)


@pytest.mark.parametrize("tau", [Fraction(1, 2), Fraction(2), Fraction(3)])
def test_times_that_are_the_same_multiple_of_tau_find_the_same_weights(tau):
    one, other = _with_tau(Fraction(1)), _with_tau(tau)
    assert np.array_equal(train(one, device="cpu").weights, train(other, device="cpu").weights)
    assert np.array_equal(discrete(one).weights, discrete(other).weights)
    assert np.array_equal(solve(one).weights, solve(other).weights)
    assert solve(one, digits=20).weights.tolist() == solve(other, digits=20).weights.tolist()


def test_a_slower_clock_is_not_the_same_clock():
    slow = _with_tau(Fraction(1))
    slow = replace(slow, training=replace(slow.training, tau=Fraction(1, 2)))
    assert not np.array_equal(solve(slow).weights, solve(_with_tau(Fraction(1))).weights)
    assert not np.array_equal(discrete(slow).weights, discrete(_with_tau(Fraction(1))).weights)
    assert not np.array_equal(train(slow, device="cpu").weights, train(_with_tau(Fraction(1)), device="cpu").weights)
