"""Gates on tensors: what they say, and which pairs of gate and law have no simulation."""

import math
from dataclasses import replace
from fractions import Fraction
from math import inf

import numpy as np
import pytest
import torch

from sim.data.sample import prepare
from sim.gates.gating import gate_values, gates_of, opens
from sim.random.streams import TRAINING, stream
from tests.sim.cases import gated, line
from tests.sim.data.test_laws import FIRST
from tests.tolerances import SOFT_GATE
from theory.problem import (
    AlwaysGate,
    ContextGate,
    DirectionGate,
    FiniteData,
    Network,
    NonlinearGP,
    NonlinearGP2D,
    OutOfReachError,
    RepeatedGate,
    SiteGate,
    Table,
)
from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix

CPU = torch.device("cpu")
DATA = FiniteData([[1, 0, -1, 2], [0, 1, 1, "1/2"], [2, 2, -1, 0]], [1, -1, 1])
LATENT = {NonlinearGP, NonlinearGP2D, NonlinearGPMatrix}


def drawn(law=None, rows=60):
    return prepare(law or line(), CPU, torch.float64).draw([stream(0, r, TRAINING) for r in (0, 1)], rows)


@pytest.mark.parametrize("on", ["latent", "input"])
@pytest.mark.parametrize(("lo", "hi"), [(0, inf), ("-1/2", "1/3")])
def test_a_hard_gate_is_a_half_open_interval(on, lo, hi):
    data = drawn()
    seen = data.z if on == "latent" else data.x
    for gate, values in (
        (SiteGate(2, lo, hi, on), seen[..., 2]),
        (DirectionGate([1, -2, 0, "1/2"], lo, hi, on), seen @ torch.tensor([1, -2, 0, 0.5]).double()),
    ):
        expected = [[float(gate.lo) <= v < float(gate.hi) for v in row] for row in values.tolist()]
        assert opens(gate, data).tolist() == expected


@pytest.mark.parametrize(("gain", "other"), [(3, 1), (100, -1)])
def test_saturated_inputs_keep_the_sign_of_their_sum(gain, other):
    """x_0 +- x_2 has the sign of z_0 +- z_2, also where both inputs are 1/Z to all digits."""
    data = prepare(line(gain=gain), CPU, torch.float64).draw([stream(0, 0, TRAINING)], 4_000)
    v = {0: 1, 2: other}
    if gain == 100 and other == -1:
        assert (data.x[..., 0] == data.x[..., 2]).double().mean() > 0.5
    assert torch.equal(opens(DirectionGate(v, lo=0, on="input"), data), opens(DirectionGate(v, lo=0), data))


def test_saturated_inputs_of_many_digits_are_refused():
    data = prepare(line(gain=100), CPU, torch.float64).draw([stream(0, 0, TRAINING)], 400)
    gate = DirectionGate({0: 1, 2: -1 + Fraction(1, 10**18)}, lo=0, on="input")
    with pytest.raises(OutOfReachError, match="too many digits to tell whether they cancel"):
        opens(gate, data)


SOFT_BOUNDS = pytest.mark.parametrize(("lo", "hi"), [(0, inf), (-inf, 0), ("-1/2", "1/3")])


@SOFT_BOUNDS
@pytest.mark.parametrize("on", ["latent", "input"])
def test_a_soft_gate_is_the_chance_of_a_noisy_one(on, lo, hi):
    """P(lo <= v + e/beta < hi) by erfc, for a site and for a direction, whose v is not of unit length."""
    data, beta = drawn(), 2
    seen = data.z if on == "latent" else data.x
    for gate, v in (
        (SiteGate(2, lo, hi, on, beta), seen[..., 2]),
        (DirectionGate([1, -2, 0, "1/2"], lo, hi, on, beta), seen @ torch.tensor([1, -2, 0, 0.5]).double()),
    ):

        def above(bound, v=v, gate=gate):
            return 0.5 * torch.erfc(float(gate.sharpness) * (float(bound) - v) / math.sqrt(2))

        expected = above(gate.lo) - above(gate.hi)
        assert (opens(gate, data) - expected).abs().max() < SOFT_GATE


def test_soft_gates_of_neighbours_add_up():
    beta = Fraction(3, 2)
    low, mid, high = (SiteGate(1, *b, sharpness=beta) for b in ((-inf, -1), (-1, "1/2"), ("1/2", inf)))
    values = gate_values((low, mid, high), drawn())
    assert (values.sum(dim=1) - 1).abs().max() < SOFT_GATE
    assert torch.equal(gate_values((mid, RepeatedGate(of=0)), drawn())[:, 1], values[:, 1])


def test_bounds_are_closed_below_and_open_above():
    data = drawn()
    data.x[0, 0, 1], data.x[0, 1, 1] = 0.5, 1.0
    assert opens(SiteGate(1, "1/2", 1, "input"), data)[0, :2].tolist() == [True, False]


def test_gates_are_simulated_for_the_laws_that_have_what_they_look_at():
    one = {"probability": "1/2", "xx": np.eye(4).tolist(), "yx": [[1, 0, 0, 0]], "yy": [[1]]}
    for law in (*(law for _, law, _ in FIRST), Table(moments=[one, one])):
        sample = drawn(law)
        for gate, supported in [
            (SiteGate(1), type(law) in LATENT),
            (SiteGate(1, on="input"), True),
            (DirectionGate({0: 1, 1: -1}), type(law) in LATENT),
            (DirectionGate({0: 1, 1: -1}, on="input"), True),
            (AlwaysGate(), True),
            (RepeatedGate(of=0), False),
            (ContextGate([0]), sample.context is not None),
        ]:
            if supported:
                opens(gate, sample)
            else:
                with pytest.raises(OutOfReachError):
                    opens(gate, sample)
        assert (sample.context is not None) == (type(law) is Table and law.moments != ())


@pytest.mark.parametrize("open_in", [(1,), (0, 2)])
def test_a_context_gate_looks_at_the_context_of_each_example(open_in):
    """The three inputs differ at site 1, which tells the context."""
    law = replace(DATA, context=(2, 0, 1))
    data = prepare(law, CPU, torch.float64).draw([stream(0, r, TRAINING) for r in (0, 1)], 60)
    contexts = {float(x[1]): context for x, context in zip(law.x, law.context, strict=True)}
    assert len(contexts) == 3
    expected = [[contexts[row[1]] in open_in for row in rows] for rows in data.x.tolist()]
    assert opens(ContextGate(open_in), data).tolist() == expected


def test_only_gated_networks_have_gates():
    assert gates_of(gated()) == gated().gates
    with pytest.raises(OutOfReachError, match='A "relu" network has no gates given beforehand'):
        gates_of(Network("relu", "mean", 3))
