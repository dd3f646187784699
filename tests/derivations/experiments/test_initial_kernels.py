"""The experiment of drawn kernels: its sampler beside autograd, its rule, and what it has stored."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from derivations.experiments.initial_kernels import experiment
from derivations.experiments.initial_kernels.experiment import Case, decide, drawn
from tests.tolerances_of_kernels import FLOAT32_KERNEL, STORED_DIGITS
from theory.claims import catalog
from theory.claims.model import Outcome

HALF = Fraction(1, 2)


@pytest.mark.parametrize("case", [Case(3, 4), Case(4, 3, HALF), Case(3, 3, HALF, cross=True), Case(2, 2, HALF, True)])
def test_the_entries_are_those_of_autograd(case, monkeypatch):
    """The same weights and gates, recorded while they are drawn; the slopes by torch's differentiation."""
    weights, gates = [], []
    signs, rand = experiment._signs, torch.rand

    def recorded_signs(shape, generator):
        weights.append(signs(shape, generator))
        return weights[-1]

    def recorded_rand(*shape, generator):
        gates.append(rand(*shape, generator=generator))
        return gates[-1]

    monkeypatch.setattr(experiment, "_signs", recorded_signs)
    monkeypatch.setattr(torch, "rand", recorded_rand)
    result = drawn(case, 5, seed=3)
    for network in range(5):
        slopes = []
        for which in case.pair:
            each = [
                (layer[network] / float(case.mu * case.width) ** 0.5).double().requires_grad_() for layer in weights
            ]
            nodes = torch.ones(1, dtype=torch.float64)
            for number, layer in enumerate(each):
                nodes = layer @ nodes
                if number < len(each) - 1 and gates:
                    nodes = nodes * (gates[number][network, :, which] < float(case.mu))
            slopes.append(torch.cat([one.flatten() for one in torch.autograd.grad(nodes[0], each)]))
        expected = float(slopes[0] @ slopes[1])
        assert abs(result[network] - expected) <= FLOAT32_KERNEL * case.depth * max(1, abs(expected))


def test_the_rule():
    rng = np.random.default_rng(1)
    values = 8 + 2 * rng.normal(size=6000)
    assert decide("a.b.c", values, 8.0, 4.0).outcome is Outcome.PASS
    assert decide("a.b.c", values, 8.0, 5.0).outcome is Outcome.FAIL
    assert decide("a.b.c", values, 8.5, 4.0).outcome is Outcome.FAIL
    assert decide("a.b.c", values[:100], 8.0, 4.0).outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize("name", experiment.JUDGED)
def test_formulas_give_the_exact_variance_and_rivals_another(name):
    case = experiment.JUDGED[name]
    exact = float(case.exact(2))
    assert abs(experiment.predicted(catalog()[name], case) / exact - 1) < STORED_DIGITS
    assert abs(experiment.rival(name, case) / exact - 1) > experiment.MARGIN


def test_a_rival_falls_with_the_share_of_gates_that_both_inputs_open():
    """Of two inputs both gates are open in a share mu^(d-1) of those that are open for one."""
    case = experiment.JUDGED["kernel.random_gates.cross"]
    diagonal = float(Case(case.width, case.depth, case.mu).exact(2))
    wanted = diagonal * float(case.mu) ** (2 * (case.depth - 1))
    assert abs(experiment.rival("kernel.random_gates.cross", case) / wanted - 1) < STORED_DIGITS
