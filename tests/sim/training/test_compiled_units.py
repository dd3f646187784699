"""The compiled loops at every number of units and sites that they take apart, and behind gates that are all closed."""

from fractions import Fraction
from itertools import islice

import numpy as np
import pytest

from sim.train import train
from tests.sim.cases import LEAK, gated, learned, line, problem
from tests.sim.descent import one_by_one
from tests.tolerances import SIM_DESCENT
from theory.problem import Network, SiteGate

pytest.importorskip("numba", reason="numba is not installed (extra `speed`)")

TIMES = tuple(Fraction(step, 8) for step in (0, 1, 2, 3, 7, 40))
SELDOM = (SiteGate(0, lo=1), SiteGate(1, lo="3/2"), SiteGate(2, hi=-1), SiteGate(3, lo=1, hi=2))
NEVER = tuple(SiteGate(site, lo=50) for site in range(4))
# A batch of one, of few and of many examples: `single_steps`, `steps`, and `wide_steps` up to four units.
BATCHES = [1, 8, 40]


def assert_alike(question):
    """Both back ends learn the same, every number of it; the reference's run is returned."""
    reference, compiled = (train(question, "cpu", backend=name) for name in ("reference", "compiled"))
    assert compiled.backend == "compiled"
    expected = learned(reference)
    assert np.abs(learned(compiled) - expected).max() < SIM_DESCENT * np.abs(expected).max()
    return reference


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("gates", [SELDOM, NEVER], ids=["seldom open", "never open"])
def test_the_output_bias_learns_behind_closed_gates(gates, batch):
    question = problem(network=gated(gates, "sum", "trained"), batch=batch, times=TIMES, learning_rate=Fraction(1, 8))
    reference = assert_alike(question)
    closed = [(examples.gate == 0).all(dim=1) for examples in islice(one_by_one(question, range(3)), 40)]
    assert any(step.all(dim=1).any() for step in closed) == (batch < 40 or gates is NEVER)
    assert any(step.any() for step in closed)
    output = reference.biases[:, :, -1]
    assert (np.diff(output, axis=1) != 0).all()
    if gates is NEVER:
        assert (reference.weights == reference.weights[:, :1]).all()
        assert (reference.biases[:, :, :-1] == reference.biases[:, :1, :-1]).all()


@pytest.mark.parametrize("batch", BATCHES)
def test_every_number_of_units_and_sites_that_loops_take_apart(batch):
    for units, n in [(1, 7), (2, 4), (3, 5), (4, 6), (5, 7)]:
        network = Network("leaky-relu", "mean", units, slope=LEAK, biases="trained")
        assert_alike(problem(line(n=n), network, batch=batch, times=TIMES, learning_rate=Fraction(1, 8)))
