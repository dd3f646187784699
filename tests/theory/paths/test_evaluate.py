"""Deep networks of problems as exact data, against plain loops, other constructions and the draws themselves."""

from fractions import Fraction
from itertools import product

import pytest

from tests.deep_cases import (
    CLOSED,
    DATA,
    SOFT,
    cases,
    drawn,
    is_soft,
    loops,
    sum_over_paths_of_sizes,
)
from tests.tolerances_of_paths import DEEP_PASS
from theory.paths import convolution, evaluated, output, output_over_paths
from theory.paths.convolution import ConvolutionalNetwork
from theory.problem import (
    AllOpenGates,
    BernoulliGates,
    CircularConvolution,
    FiniteData,
    FixedGates,
    InitialByName,
    Network,
    NetworkGates,
    OutOfReachError,
    OwnGates,
    Problem,
    SoftResponse,
    Training,
    loads,
)

CASES = dict(cases())


def test_gates_and_outputs_are_those_of_plain_loops():
    for (name, problem), s in product(CASES.items(), range(len(DATA.x))):
        net = evaluated(problem)
        room = convolution if isinstance(net, ConvolutionalNetwork) else None
        gates, _, y = loops(problem, s)
        levels, forward = [list(level) for level in net.gates(s)], (room.output if room else output)(net, s)
        assert (room.output_over_paths if room else output_over_paths)(net, s) == forward, name
        if is_soft(problem):
            pairs = [pair for one, level in zip(levels, gates, strict=True) for pair in zip(one, level, strict=True)]
            assert all(abs(one / gate - 1) < DEEP_PASS for one, gate in pairs), name
            assert abs(forward - y) <= DEEP_PASS * sum_over_paths_of_sizes(problem, s, gates), name
        else:
            assert (levels, forward) == (gates, y), name


def test_drawn_weights_are_taken_exactly():
    problem = drawn((3, 2), NetworkGates("linear", CLOSED, frozen=True))
    net, start = evaluated(problem), problem.start()
    for layer, name in zip(net.weights, ("Theta_1", "Theta_2", "Theta_3"), strict=True):
        assert [[float(value) for value in row] for row in layer] == start[name].tolist()
        assert all(value == Fraction(float(value)) for row in layer for value in row)
    for s, x in enumerate(DATA.x):
        first = [sum(Fraction(w) * v for w, v in zip(row, x, strict=True)) for row in start["Theta_g_1"].tolist()]
        assert [g == 1 for g in net.gates(s)[0]] == [q > 0 for q in first]


@pytest.mark.parametrize("gating", [BernoulliGates("1/2", 1), FixedGates([[[1, 0], [0, 1], [1, 1], [0, 0]]])])
def test_chosen_examples_have_the_gates_that_they_have_among_all(gating):
    problem = drawn((2,), gating)
    whole, some = evaluated(problem), evaluated(problem, (2, 0))
    assert [some.gates(0), some.gates(1)] == [whole.gates(2), whole.gates(0)]
    assert some.inputs == (DATA.x[2], DATA.x[0])


def test_large_preactivations_open_a_soft_gate_fully_and_closed_ones_are_refused():
    starts = InitialByName(
        (("Theta_1", [["1e90"]]), ("Theta_2", [["1e90"]]), ("Theta_3", [["1e90"]]), ("Theta_4", [[1]]))
    )
    network = drawn((1, 1, 1), OwnGates(SoftResponse(4, "1/4")), FiniteData([["1e90"]], [0])).network
    training = Training("half-mse", 1, starts, (1,))
    assert evaluated(Problem(FiniteData([["1e90"]], [0]), network, training)).gates(0) == ((Fraction(5, 4),),) * 3
    with pytest.raises(OutOfReachError, match=r"A soft gate of level 1 is 0\.0e\+00"):
        evaluated(Problem(FiniteData([["-1e90"]], [0]), network, training))


def test_laws_networks_and_labels_without_a_meaning_here_are_refused():
    shallow = Problem(DATA, Network("relu", "mean", 1), Training("mse", 1, [[0, 0, 0]], (1,)))
    with pytest.raises(OutOfReachError, match=r'network.model = "relu"'):
        evaluated(shallow)
    two = FiniteData([[1, 2]], [[1, 0]])
    with pytest.raises(OutOfReachError, match="labels have 2 numbers"):
        evaluated(drawn((2,), AllOpenGates(), two))
    law = loads(
        '[data]\nlaw = "ising"\nn = 3\nbeta = [1.0]\nboundary = "ring"\nlabels = [1.0]\n'
        '[network]\nmodel = "deep"\nwidths = [2]\ngating = "open"\n'
        '[training]\nloss = "mse"\ntau = 1\ntimes = [1]\nw0 = { law = "normal", scale = 1, seed = 0 }\n'
    )
    with pytest.raises(OutOfReachError, match='the law "ising" has none'):
        evaluated(law)


# 4 (3 1000 + 1000 298 + 298), and at each of 3 positions 4 (100 3 + 400 100 3 + 400).
@pytest.mark.parametrize(("architecture", "products"), [(None, "1205192"), (CircularConvolution(3), "1448400")])
def test_networks_beyond_fractions_are_refused_with_the_number(architecture, products):
    more = {} if architecture is None else {"architecture": architecture}
    problem = drawn((1000, 298) if architecture is None else (100, 400), OwnGates(SOFT), **more)
    with pytest.raises(OutOfReachError, match=f"{products} products"):
        evaluated(problem)
    assert len(evaluated(drawn((40,), OwnGates(SOFT), **more)).inputs) == len(DATA.x)
