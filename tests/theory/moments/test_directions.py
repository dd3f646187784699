"""Gates along directions at threshold 0: the same as sites where they are sites, and their defining integrals."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from sim.measure import measure
from tests.theory.cases import problem
from tests.tolerances import (
    MOMENT_ENTRY,
    MOMENT_FOUR_FACTORS,
    STANDARD_ERRORS,
)
from theory.flow import solve
from theory.moments import gated_moments, gated_moments_certified
from theory.problem import (
    AlwaysGate,
    DirectionGate,
    InputMoment,
    InputOutputMoment,
    Network,
    OutOfReachError,
    RepeatedGate,
    Simulation,
    SiteGate,
)

LAWS = ["nlgp", "gaussian-clone"]
EVERY_LAW = pytest.mark.parametrize("law", LAWS)
V, W = [1, "1/2", -1, 2], {1: 1, 3: -1}


def with_gates(gates, law="nlgp", biases="none", **changes):
    """The tests' problem with these gates, on the latent where the law has one."""
    bias = {"hidden_bias0": (Fraction(1, 4),) * len(gates)} if biases == "trained" else {}
    base = problem(law=law, gates=["always"] * len(gates), **({"n": 4} | bias | changes))
    on = "latent" if law == "nlgp" else "input"
    placed = tuple(replace(g, on=on) if isinstance(g, SiteGate | DirectionGate) else g for g in gates)
    return replace(base, network=replace(base.network, gates=placed))


def up(v):
    return DirectionGate(v, lo=0)


def down(v):
    return DirectionGate(v, hi=0)


@EVERY_LAW
def test_a_direction_of_one_site_is_that_site(law):
    sites = (SiteGate(0, lo=0), SiteGate(2, hi=0), SiteGate(3, lo=0), AlwaysGate())
    directions = (up({0: "1/3"}), down([0, 0, 7, 0]), up({3: 1}), AlwaysGate())
    one, other = gated_moments(with_gates(sites, law)), gated_moments(with_gates(directions, law))
    assert one.features.gates == other.features.gates
    assert (one.A == other.A).all()
    assert (one.b == other.b).all()


MIXED = (up(V), down(W), SiteGate(2, lo=0), up([2, -4, 1, 0]), RepeatedGate(1), AlwaysGate())


FEW = (up(V), SiteGate(2, lo=0), down(W))


@pytest.mark.parametrize(("law", "boundary"), [("nlgp", "ring"), ("gaussian-clone", "open")])
def test_float64_against_balls(law, boundary):
    question = with_gates(FEW, law, "trained", boundary=boundary, xi=["1", "1/2"], gain="20")
    moments, balls = gated_moments(question), gated_moments_certified(question, 30)
    assert np.abs(moments.A - balls.A.astype(float)).max() <= MOMENT_FOUR_FACTORS * np.abs(moments.A).max()
    assert np.abs(moments.b - balls.b.astype(float)).max() <= MOMENT_ENTRY * np.abs(moments.b).max()


@EVERY_LAW
@pytest.mark.parametrize("v", [[1, -1, 0, 0], [1, -3, 3, -1]])
def test_differences_of_nearly_equal_sites_keep_their_digits(law, v):
    """At xi = 1e6 the variance along the last is 1e-36 of its terms."""
    question = with_gates((up(v), SiteGate(1, lo=0)), law, xi=["1000000", "1000000"], gain="3")
    moments, balls = gated_moments(question), gated_moments_certified(question, 30)
    signs, exact = moments.features.signs, balls.features.signs
    for key in ((0,), (1,)):
        assert np.abs(signs.output(key) - exact.output(key).astype(float)).max() <= MOMENT_ENTRY
    assert abs(signs.zeroth((0, 1)) - float(exact.zeroth((0, 1)))) <= MOMENT_ENTRY


def test_simulated_gates_have_these_moments():
    simulation = Simulation("online", 20_000, "1/2", 12, 3, 10)
    question = replace(with_gates(MIXED, gain="3"), simulation=simulation)
    moments = gated_moments(question)
    for observable, exact in ((InputMoment(), moments.sigma_xx), (InputOutputMoment(), moments.sigma_yx)):
        found = measure(observable, question)
        assert (np.abs(found.mean - exact) <= STANDARD_ERRORS * found.standard_error).all()


@pytest.mark.parametrize("v", [{2: -3}, {0: 1, 3: -1}])
def test_inputs_of_equal_weights_are_the_latent_gate(v):
    on_input = with_gates((up(v), AlwaysGate()))
    gates = tuple(replace(g, on="input") if isinstance(g, DirectionGate) else g for g in on_input.network.gates)
    moved = replace(on_input, network=replace(on_input.network, gates=gates))
    assert (gated_moments(moved).A == gated_moments(on_input).A).all()
    assert (gated_moments(moved).b == gated_moments(on_input).b).all()


def test_other_directions_of_the_input_are_out_of_reach_by_name():
    base = with_gates((AlwaysGate(), AlwaysGate()))
    for v in ({1: 2, 2: 1}, [1, 1, 1, 0]):
        network = Network("gated-linear", "mean", 2, (AlwaysGate(), DirectionGate(v, lo=0, on="input")))
        with pytest.raises(OutOfReachError, match=r"gates\[1\].*not Gaussian"):
            solve(replace(base, network=network))
