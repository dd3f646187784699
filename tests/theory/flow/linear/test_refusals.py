"""A problem that is declared and simulated but has no exact flow here is a named error, from every entrance alike."""

from dataclasses import replace

import pytest

from tests.theory.cases import problem
from tests.theory.flow.linear.test_solution_descent import simulation
from theory.flow import discrete, solve
from theory.problem import OutOfReachError, Problem, SinglePulse, SiteGate

PULSE = SinglePulse(6, ((1, 2), (3, 4)), "plus-minus", "none", (1, -1))


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
