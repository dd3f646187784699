"""The pass of a family against `sim.networks.deep`, member by member, and gradients against autograd."""

import pytest
import torch

from sim import deep
from sim.deep.batches import given_gates
from sim.deep.passes import forward
from sim.networks.deep import forward as one_network
from tests.sim.deep.families import DTYPE, EXAMPLES, INPUTS, REPLICATES, WIDTHS, data, family
from tests.sim.deep.plain import KINDS
from tests.tolerances_of_paths import DEEP_PASS
from theory.problem import (
    CircularConvolution,
    DeepNetwork,
    FixedGates,
    HardResponse,
    InputError,
    NetworkGates,
    OutOfReachError,
    OwnGates,
)


@pytest.fixture(scope="module")
def passed():
    of, examples = family(), data()
    parameters = of.starting(DTYPE)
    given = given_gates(of, examples)
    return of, examples, parameters, given, forward(of, parameters, examples.x.unsqueeze(0), given)


def test_each_network_is_that_of_its_declaration(passed):
    for name in KINDS:
        assert_a_network_is_that_of_its_declaration(name, passed)


def assert_a_network_is_that_of_its_declaration(name, passed):
    of, examples, parameters, given, found = passed
    for replicate in range(REPLICATES):
        own = {theta: stack[replicate] for theta, stack in of.of(name, parameters).items()}
        coins = [level[replicate] for level in given.get(name, ())]
        expected = one_network(of.member(name).network, own, examples.x, coins)
        place = of.networks[name].start + replicate
        size = max(1.0, float(expected.output.abs().max()))
        assert float((found.output[place] - expected.output).abs().max()) <= DEEP_PASS * size
        for seen, gate in zip(found.gates, expected.gates, strict=True):
            assert float((seen[place] - gate).abs().max()) <= DEEP_PASS * max(1.0, float(gate.max()))


def test_fixed_gates_are_those_that_are_given():
    values = [[[(s + i) % 2 for i in range(width)] for s in range(EXAMPLES)] for width in WIDTHS]
    member = deep.Member("fixed", DeepNetwork(WIDTHS, FixedGates(values)))
    of, examples = deep.Family((member,), 2, INPUTS, 1, deep.Start("signs", (1, 1, 1), 0)), data()
    found = forward(of, of.starting(DTYPE), examples.x.unsqueeze(0), given_gates(of, examples))
    assert [level[1].tolist() for level in found.gates] == values


def test_starting_weights():
    """Replicates differ, members share Theta, the second network has numbers of its own or the same ones."""
    of = family(law="signs")
    start = of.starting(DTYPE)
    relu, same, own = (of.of(name, start) for name in ("relu", "frnpf-same", "frnpf-own"))
    stored = of.of("flnpf", start)
    assert torch.equal(relu["Theta_1"].abs(), torch.full((2, 5, 3), 0.6, dtype=DTYPE))
    assert not torch.equal(relu["Theta_1"][0], relu["Theta_1"][1])
    assert torch.equal(relu["Theta_2"], of.of("dlgn", start)["Theta_2"])
    assert torch.equal(same["Theta_g_2"], relu["Theta_2"])
    assert not torch.equal(own["Theta_g_2"], relu["Theta_2"])
    assert torch.equal(stored["Theta_g_1"], of.member("flnpf").features[0])
    alone = family({"dlgn"}, law="signs")
    assert torch.equal(alone.of("dlgn", alone.starting(DTYPE))["Theta_g_1"], of.of("dlgn", start)["Theta_g_1"])


START = deep.Start("normal", (1.0, 1.0), 0)


def test_what_does_not_fit_is_refused():
    for make, words, kind in [
        (
            lambda: deep.Member("m", DeepNetwork((2,), NetworkGates("linear", HardResponse("open"), False))),
            "slope 0",
            0,
        ),
        (lambda: deep.Member("m", deep.relu((2,)).network, values_learn=False), "neither Theta nor", 0),
        (lambda: deep.Member("m", deep.relu((2,)).network, features=(torch.ones(1, 2, 1),)), "it has none", 0),
        (lambda: deep.flnpf((2, 3), [torch.ones(1, 2, 1), torch.ones(1, 4, 2)]), "do not fit the widths", 0),
        (
            lambda: deep.Family(
                (deep.flnpf((2, 3), [torch.ones(1, 2, 1), torch.ones(1, 3, 4)]),),
                1,
                1,
                1,
                deep.Start("normal", (1.0, 1.0, 1.0), 0),
            ),
            r"the shapes \[\(2, 1\), \(3, 4\)\]; the family has \[\(2, 1\), \(3, 2\)\]",
            0,
        ),
        (lambda: deep.flnpf((2,), [torch.ones(2, 1)]), "do not fit the widths", 0),
        (
            lambda: deep.Member("m", DeepNetwork((2,), OwnGates(HardResponse("closed")), CircularConvolution(2))),
            '"circular-convolution" is not trained',
            1,
        ),
        (lambda: deep.Family((), 1, 1, 1, START), "one or more", 0),
        (lambda: deep.Family((deep.relu((2,)), deep.relu((2,))), 1, 1, 1, START), "name of its own", 0),
        (lambda: deep.Family((deep.relu((2,)), deep.dln((3,))), 1, 1, 1, START), "widths", 0),
        (lambda: deep.Family((deep.relu((2,)),), 0, 1, 1, START), "replicates", 0),
        (lambda: deep.Family((deep.relu((2, 2)),), 1, 1, 1, START), "2 numbers; the networks have 3 layers", 0),
        (
            lambda: deep.Family((deep.flnpf((2,), [torch.ones(3, 2, 1)]),), 2, 1, 1, START),
            "features of 3 replicates",
            0,
        ),
        (
            lambda: deep.Family((deep.flnpf((2,), [torch.ones(2, 2, 4)]),), 2, 1, 1, START),
            r"\[\(2, 4\)\]; the family has",
            0,
        ),
        (lambda: deep.Start("uniform", (1.0,), 0), "uniform", 0),
        (lambda: deep.Start("normal", (0.0,), 0), "must be > 0", 0),
        (lambda: family({"relu"}).member("dln"), "no member 'dln'", 0),
    ]:
        with pytest.raises(OutOfReachError if kind else InputError, match=words):
            make()


def test_scales_are_those_of_the_layers():
    assert deep.scales_by_fan_in((4, 16, 1), 1) == (0.5, 0.25)
