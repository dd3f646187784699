"""Gates on tensors: what they say, and which pairs of gate and law have no simulation."""

import pytest
import torch

from sim.gating import gate_values, gates_of, opens
from sim.sample import draw, prepare
from sim.streams import TRAINING, stream
from tests.sim.cases import EVERY_GATE, gated, line
from theory.problem import (
    AlwaysGate,
    Network,
    NonlinearGP,
    OutOfReachError,
    RepeatedGate,
    SinglePulse,
    SiteGate,
)
from theory.problem.laws import LAWS

CPU = torch.device("cpu")
PULSE = SinglePulse(4, ((1, 2), (2, 3)), "plus-minus", "none", (1, 0))
UNSUPPORTED = {
    ("SiteGate on latent", "GaussianClone"),
    ("RepeatedGate", "NonlinearGP"),
    ("RepeatedGate", "GaussianClone"),
    ("SiteGate on latent", "SinglePulse"),
    ("RepeatedGate", "SinglePulse"),
}


def drawn(kind=NonlinearGP, rows=60):
    made = prepare(PULSE if kind is SinglePulse else line(kind), CPU, torch.float64)
    return draw(made, [stream(0, r, TRAINING) for r in (0, 1)], rows)


@pytest.mark.parametrize("on", ["latent", "input"])
@pytest.mark.parametrize(("lo", "hi"), [(0, float("inf")), (float("-inf"), 0), ("-1/2", "1/3"), (-100, 100)])
def test_site_gate_is_a_half_open_interval(on, lo, hi):
    data, gate = drawn(), SiteGate(2, lo, hi, on)
    values = (data.z if on == "latent" else data.x)[..., 2]
    expected = [[float(gate.lo) <= v < float(gate.hi) for v in row] for row in values.tolist()]
    assert opens(gate, data).tolist() == expected


def test_bounds_are_closed_below_and_open_above():
    data = drawn()
    data.x[0, 0, 1], data.x[0, 1, 1] = 0.5, 1.0
    assert opens(SiteGate(1, "1/2", 1, "input"), data)[0, :2].tolist() == [True, False]


def test_complementary_gates_add_to_one():
    values = gate_values((SiteGate(1, lo=0), SiteGate(1, hi=0)), drawn())
    assert (values.sum(dim=1) == 1).all()


def test_repeated_gates_follow_the_first():
    values = gate_values((*EVERY_GATE, RepeatedGate(of=2)), drawn())
    assert values.shape == (2, 5, 60)
    assert torch.equal(values[:, 2], values[:, 0])
    assert torch.equal(values[:, 4], values[:, 0])
    assert (values[:, 1] == 1).all()


def test_unsupported_pairs_are_listed():
    gates = {
        "SiteGate on latent": SiteGate(1),
        "SiteGate on input": SiteGate(1, on="input"),
        "AlwaysGate": AlwaysGate(),
        "RepeatedGate": RepeatedGate(of=0),
    }
    refused = set()
    for name, gate in gates.items():
        for kind in LAWS.values():
            try:
                opens(gate, drawn(kind))
            except OutOfReachError:
                refused.add((name, kind.__name__))
    assert refused == UNSUPPORTED


def test_unknown_gate_is_named():
    with pytest.raises(OutOfReachError, match="No simulation of the gate str"):
        opens("site", drawn())


def test_only_gated_networks_have_gates():
    assert gates_of(gated()) == gated().gates
    with pytest.raises(OutOfReachError, match='A "relu" network has no gates given beforehand'):
        gates_of(Network("relu", "mean", 3))
