"""The solution of a problem against the flow of all its weights, and beside networks trained with small steps."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
import torch

from derivations.answers import solve
from derivations.experiments.folders import problem_named
from sim.networks.examples import Examples
from sim.train import train
from tests.theory.flow.graph.solutions.networks import balanced, chain, flowed, lambda_balanced, product, rotation
from tests.tolerances_of_graphs import DEEP_EULER, DEEP_FLOAT, DEEP_ODE, TWO_DIGITS
from theory.flow.graph.integrate import integrate
from theory.flow.graph.solutions.deep_linear import solution
from theory.problem import (
    AlwaysGate,
    Edge,
    FiniteData,
    GatedGraph,
    InitialByName,
    Network,
    Node,
    NormalInitialisation,
    OutOfReachError,
    Problem,
    Simulation,
    SiteGate,
    Training,
)

TIMES = (0, Fraction(1, 2), 2, 6)


def compared(problem, layers, second, target, speed=1.0, scale=1.0):
    """The solution, after a comparison of every weight with the flow of all weights."""
    found = solution(problem)
    expected = flowed(layers, second, target, [float(time) for time in TIMES], speed, scale)
    for depth, layer in enumerate(expected, start=1):
        assert abs(found.weights[f"W{depth}"] - layer).max() <= DEEP_ODE * max(1, abs(layer).max())
    return found


def aligned(seed, widths, strengths, white=False):
    """Layers, Sigma^xx and Sigma^yx with common modes; the inputs have different variances unless they are white."""
    rng = np.random.default_rng(seed)
    right, left = rotation(rng, widths[0]), rotation(rng, widths[-1])
    second = right @ np.diag(np.ones(widths[0]) if white else rng.uniform(0.5, 2, widths[0])) @ right.T
    count = min(widths[0], widths[-1])
    target = left[:, :count] @ np.diag(rng.uniform(0.5, 2, count)) @ right[:, :count].T
    return balanced(rng, widths, strengths, right, left), second, target


@pytest.mark.parametrize("widths", [(3, 4, 2), (3, 2, 5, 4), (2, 3, 3, 3, 2), (4, 2, 3)])
def test_balanced_layers_of_any_depth(widths):
    """Modes that are learned from a small and a larger start; the others stay at 0. Bottlenecks and wide layers."""
    layers, second, target = aligned(1, widths, [0.3, 0.8])
    found = compared(chain(layers, second, target, TIMES), layers, second, target)
    assert found.family == "balanced"
    end = target - product(layers) @ second
    assert found.losses[-1] < found.losses[0]
    assert np.linalg.norm(end) > 0


def test_modes_that_start_against_the_target():
    """A product of the other sign than the target falls to 0 on the balanced manifold."""
    layers, second, target = aligned(2, (3, 3, 3), [0.3, 0.8, 0.5])
    compared(chain(layers, second, -target, TIMES), layers, second, -target)


def test_factors_of_loss_time_and_nodes():
    """c = 2 for mse, the time constant, and scales of nodes."""
    layers, second, target = aligned(3, (3, 4, 2), [0.3, 0.8])
    problem = chain(layers, second, target, TIMES, "mse", Fraction(5, 2), [1, Fraction(1, 2), 3])
    found = solution(problem)
    expected = flowed(layers, second, target, [float(time) for time in TIMES], 2 / 2.5, 1.5)
    for name, layer in zip(found.weights, expected, strict=True):
        assert abs(found.weights[name] - layer).max() <= DEEP_ODE


@pytest.mark.parametrize("lam", [0.0, 0.5, -0.7])
def test_any_start_of_white_inputs_that_is_lambda_balanced(lam):
    rng = np.random.default_rng(5)
    layers = list(lambda_balanced(rng, 3, 2, 2, lam, 0.3))
    second, target = 1.7 * np.eye(3), rng.normal(size=(2, 3))
    found = compared(chain(layers, second, target, TIMES), layers, second, target)
    assert found.family == "lambda-balanced"
    map_of = np.linalg.solve(second, target.T).T
    rest = np.array([np.trace((w - map_of) @ second @ (w - map_of).T) for w in _maps(found)])
    assert abs(found.losses - rest).max() <= DEEP_ODE


@pytest.mark.parametrize("lam", [0.0, 0.6])
@pytest.mark.parametrize(
    ("loss", "tau", "scales"),
    [
        ("mse", 1, None),
        ("half-mse", Fraction(5, 2), None),
        ("mse", 3, [1, Fraction(1, 2), 3]),
        ("half-mse", 1, [1, 2, 2]),
    ],
)
def test_factors_of_lambda_balanced_layers(lam, loss, tau, scales):
    """c/tau, the product k of the scales of the nodes and the variance d = 1.7 of the inputs, alone and together."""
    rng = np.random.default_rng(7)
    layers = list(lambda_balanced(rng, 3, 2, 2, lam, 0.3))
    second, target = 1.7 * np.eye(3), rng.normal(size=(2, 3))
    found = solution(chain(layers, second, target, TIMES, loss, tau, scales))
    speed, scale = (2 if loss == "mse" else 1) / float(tau), float(np.prod([float(k) for k in scales or [1]]))
    expected = flowed(layers, second, target, [float(time) for time in TIMES], speed, scale)
    assert found.family == "lambda-balanced"
    for name, layer in zip(found.weights, expected, strict=True):
        assert abs(found.weights[name] - layer).max() <= DEEP_ODE * max(1, abs(layer).max())


@pytest.mark.parametrize("beside", [0.0, 1e-9, 0.7])
def test_a_target_that_leaves_the_outputs_of_the_start_is_not_balanced(beside):
    """One mode that leads to the first output; its label also has a share of the second, to which the flow turns."""
    layers = [0.3 * np.eye(1, 2), 0.3 * np.eye(2, 1), 0.3 * np.eye(2)[:, :1] @ np.eye(1, 2)]
    second, target = np.diag([1.0, 2.0]), np.array([[1.0, 0.0], [beside, 0.0]])
    problem = chain(layers, second, target, TIMES)
    if beside:
        with pytest.raises(OutOfReachError, match="one basis of the inputs diagonalizes"):
            solution(problem)
    else:
        assert compared(problem, layers, second, target).family == "balanced"


def test_paths_side_by_side_have_one_scale():
    """Hidden nodes of their own with equal scales are one layer; with different ones the problem is refused."""
    names, start = ("h", "k"), ((0.1, 0.0), (0.0, 0.1))

    def beside(*scales):
        nodes = tuple(Node(name, 1, scale=scale) for name, scale in zip(names, scales, strict=True))
        edges = tuple(edge for k in names for edge in (Edge("x", k, f"A{k}"), Edge(k, "y", f"B{k}")))
        first = tuple((f"A{k}", (row,)) for k, row in zip(names, start, strict=True))
        last = tuple((f"B{k}", tuple((entry,) for entry in row)) for k, row in zip(names, start, strict=True))
        network = GatedGraph((Node("x", 2), *nodes, Node("y", 2)), edges, ("x",), ("y",))
        law = FiniteData([[1, 1], [1, -1]], [[3, 0], [-1, 0]])
        return Problem(law, network, Training("half-mse", 1, InitialByName((*first, *last)), (1, 4)))

    problem = beside(2, 2)
    found, integrated = solution(problem), integrate(problem)
    for name, array in integrated.weights.items():
        assert abs(found.weights[name] - array).max() <= DEEP_ODE
    with pytest.raises(OutOfReachError, match="2 paths of different kinds"):
        solution(beside(1, 2))


@pytest.mark.parametrize("weak", [1e-3, 1e-6, 1e-9])
def test_modes_that_start_far_apart_are_all_learned(weak):
    """A mode that starts a billion times smaller than another is no mode that does not start."""
    start, targets, variances = np.array([0.8, weak]), np.array([0.5, 3.0]), np.array([1.0, 2.0])
    layers, second, target = [np.diag(start)] * 2, np.diag(variances), np.diag(targets)
    found = solution(chain(layers, second, target, TIMES))
    assert found.family == "balanced"
    for time, first in zip(TIMES, found.weights["W1"], strict=True):  # da/dt = 2 a (s - d a) in each mode
        growth = np.exp(2 * targets * float(time))
        exact = start * np.sqrt(growth / (1 + start**2 * variances * (growth - 1) / targets))
        assert (abs(np.diag(first) - exact) <= DEEP_FLOAT * (1 + 2 * targets * float(time)) * exact).all()
        assert not (first - np.diag(np.diag(first))).any()


@pytest.mark.parametrize("depth", [2, 3, 4, 5])
@pytest.mark.parametrize("ratio", [30, 100, 1e4])
def test_modes_far_apart_in_turned_bases(depth, ratio):
    """A start that is exact up to rounding is recognised, and its flow is followed while the plateau lasts."""
    for seed in range(3):
        layers, second, target = aligned(seed, (3,) * (depth + 1), [0.8, 0.8 / np.sqrt(ratio), 0.8 / ratio])
        found = compared(chain(layers, second, target, TIMES), layers, second, target)
        assert found.family == "balanced"


@pytest.mark.parametrize("widths", [(5, 5, 5), (5, 6, 7, 5), (5, 5, 5, 5, 5)])
def test_weak_modes_of_equal_moments(widths):
    """White inputs whose targets are equal: the weights alone tell four modes apart, three of them weak."""
    rng = np.random.default_rng(9)
    right, left = rotation(rng, 5), rotation(rng, 5)
    layers = balanced(rng, widths, [0.8, 8e-5, 5e-5, 3e-5, 1e-5], right, left)
    target = 1.3 * left @ right.T
    assert compared(chain(layers, np.eye(5), target, TIMES), layers, np.eye(5), target).family == "balanced"


def _turned(frame, angle):
    """The frame with its last two columns turned into each other."""
    turn = np.eye(frame.shape[1])
    turn[-2:, -2:] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return frame @ turn


@pytest.mark.parametrize("depth", [2, 3, 5])
@pytest.mark.parametrize("ratio", [100, 1e4])
@pytest.mark.parametrize("missed", ["strength", "hidden frame", "output frame"])
def test_a_start_that_misses_by_a_millionth_of_its_size_is_refused_with_its_distance(depth, ratio, missed):
    """The last layer misses by 1e-6 |W| in the strength of a weak mode, or turns two weak modes by 1e-6 on one side.

    A turn by phi at the outputs moves W_N by phi a. One at the hidden units changes W_N' W_N by phi times the
    difference of the a^2; where that is rounding of the strong mode, the image of the stronger of the two is off by phi
    times the other a.
    """
    rng = np.random.default_rng(3)
    strengths, moved = np.array([0.8, 0.8 / ratio, 0.4 / ratio]), 1e-6
    frames = [rotation(rng, 3) for _ in range(depth + 1)]
    second, target = frames[0] @ np.diag([1, 1.5, 0.7]) @ frames[0].T, frames[-1] @ np.diag([1, 1.2, 0.9]) @ frames[0].T
    layers = [after @ np.diag(strengths) @ before.T for before, after in pairwise(frames)]
    before, after = frames[-2:]
    if missed == "strength":
        layers[-1] = after @ np.diag([strengths[0], strengths[1] + moved * 0.8, strengths[2]]) @ before.T
    elif missed == "hidden frame":
        layers[-1] = after @ np.diag(strengths) @ _turned(before, moved).T
    else:
        layers[-1] = _turned(after, moved) @ np.diag(strengths) @ before.T
    says, off = "at the start", abs(layers[-1].T @ layers[-1] - before @ np.diag(strengths**2) @ before.T).max() / 0.64
    if off < DEEP_FLOAT:
        says, off = "one basis of the inputs", moved * (0.5 if missed == "hidden frame" else 1) / ratio
    with pytest.raises(OutOfReachError) as refused:
        solution(chain(layers, second, target, TIMES))
    first, number = re.search(r"here: (.*?) \(fails by (\S+)", str(refused.value)).groups()
    assert says in first
    assert abs(float(number) - off) <= TWO_DIGITS * off


@pytest.mark.parametrize("depth", [2, 3])
def test_a_mode_below_what_float64_resolves_is_refused_as_undecided(depth):
    """Rounding of the strong mode is 1e-8 of one that is 1e8 times weaker; without rounding the start is exact."""
    strengths = np.array([0.8, 8e-9])
    layers, second, target = aligned(1, (2,) * (depth + 1), strengths)
    with pytest.raises(OutOfReachError, match=r"known to 1e-10 .* 1e-08 of the strongest: float64 cannot decide"):
        solution(chain(layers, second, target, TIMES))
    plain = [np.diag(strengths)] * depth
    assert solution(chain(plain, np.diag([1.0, 2.0]), np.diag([1.0, 0.5]), TIMES)).family == "balanced"


def test_inputs_that_do_not_occur():
    """The columns of W1 along inputs that never occur stay; the rest is white."""
    rng = np.random.default_rng(6)
    layers = list(lambda_balanced(rng, 2, 2, 2, 0.4, 0.3))
    whole = [np.concatenate([layers[0], np.array([[0.3], [-0.2]])], axis=1), layers[1]]
    second, target = np.diag([1.0, 1.0, 0.0]), np.concatenate([rng.normal(size=(2, 2)), np.zeros((2, 1))], axis=1)
    padded = chain(whole, np.eye(3), target, TIMES)
    x = [[1, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0]]
    y = [(target[:, :2] @ row[:2]).tolist() for row in np.array(x)]
    problem = replace(padded, data=FiniteData(x, y))
    assert compared(problem, whole, second, target).family == "lambda-balanced"


def test_units_of_one_hidden_layer_are_a_chain():
    """K units that are always open, with readout weights that are learned."""
    start = [[0.1, 0.0], [0.0, 0.1]]
    law = FiniteData([[1, 1], [1, -1]], [[3, 0], [-1, 0]])
    network = Network("gated-linear", "trained-sum", 2, (AlwaysGate(), AlwaysGate()))
    training = Training("half-mse", 1, start, (1, 4), readout0=((0.1, 0.0), (0.0, 0.1)))
    problem = Problem(law, network, training)
    found, integrated = solution(problem), integrate(problem)
    for name, array in integrated.weights.items():
        assert abs(found.weights[name] - array).max() <= DEEP_ODE


def _maps(found):
    return found.weights["W2"] @ found.weights["W1"]


@pytest.mark.parametrize(
    ("layers", "words"),
    [
        (
            [[[0.3, 0.0], [0.0, 0.4]], [[0.3, 0.1], [0.0, 0.4]]],
            r"W_l\^.*at the start \(fails by 0\.17 .*lambda.*\(fails by 0\.088 ",
        ),
        (
            [[[0.3, 0.0], [0.0, 0.4]], [[0.3, 0.0], [0.1, 0.4]], [[0.3, 0.0], [0.0, 0.4]]],
            r"two layers \(fails by 1 layer\)",
        ),
    ],
)
def test_an_unbalanced_start_is_refused_with_its_distance(layers, words):
    layers = [np.array(layer) for layer in layers]
    with pytest.raises(OutOfReachError, match=words):
        solution(chain(layers, np.eye(2), np.diag([1.0, 2.0]), TIMES))


@pytest.mark.parametrize("moved", [1e-9, 0.3])
def test_layers_whose_difference_is_diagonal_and_not_a_multiple_of_one_are_refused(moved):
    """W2'W2 - W1 W1' = diag(lambda, lambda + moved): each mode has a lambda of its own, and the target mixes them."""
    first, second = np.diag([0.3, 0.4]), np.diag(np.sqrt([0.09 + 0.5, 0.16 + 0.5 + moved]))
    with pytest.raises(OutOfReachError, match=r"lambda.*at the start \(fails by"):
        solution(chain([first, second], np.eye(2), np.array([[1.0, 0.5], [0.2, 2.0]]), TIMES))
    equal = [first, np.diag(np.sqrt([0.59, 0.66]))]
    assert solution(chain(equal, np.eye(2), np.array([[1.0, 0.5], [0.2, 2.0]]), TIMES)).family == "lambda-balanced"


def test_inputs_that_are_not_white_are_refused_unless_aligned():
    start = [0.3 * np.eye(2), 0.3 * np.eye(2)]
    second, target = np.diag([1.0, 2.0]), np.array([[1.0, 0.5], [0.0, 1.0]])
    with pytest.raises(OutOfReachError, match=r"one basis of the inputs.*\(fails by .*white inputs.*\(fails by 0\.5"):
        solution(chain(start, second, target, TIMES))
    assert solution(chain(start, np.eye(2), target, TIMES)).family == "lambda-balanced"


def test_networks_that_are_no_chain_are_named():
    with pytest.raises(OutOfReachError, match="it has gates"):
        solution(problem_named("race"))
    law, training = FiniteData([[1, 2]], [1]), Training("half-mse", 1, NormalInitialisation(1, 0), (1,))
    with pytest.raises(OutOfReachError, match="not each edge has trained weights"):
        solution(Problem(law, Network("gated-linear", "sum", 1, (AlwaysGate(),)), training))


def test_solve_says_which_method_it_took():
    layers, second, target = aligned(1, (3, 4, 2), [0.3, 0.8])
    problem = chain(layers, second, target, TIMES)
    exact = solve.answer(problem)
    assert exact.json()["notes"][0].startswith("exact: a balanced deep linear network")
    apart = replace(problem, training=replace(problem.training, w0=NormalInitialisation(1, 0)))
    integrated = solve.answer(apart)
    assert "DOP853" in integrated.json()["notes"][0]
    assert "fails by" in integrated.json()["notes"][1]
    assert "has no exact solution here" in integrated.text()
    gated = solve.answer(problem_named("race"))
    assert "it has gates" in gated.json()["notes"][1]


@pytest.mark.parametrize("lam", [None, 0.6])
def test_beside_trained_networks(lam):
    """Gradient descent on the whole data set: rates eta and eta/2 extrapolate to the flow at second order."""
    rng = np.random.default_rng(8)
    if lam is None:
        layers, second, target = aligned(1, (3, 4, 3, 2), [0.3, 0.8])
    else:
        layers, second, target = [*lambda_balanced(rng, 3, 2, 2, lam, 0.3)], np.eye(3), rng.normal(size=(2, 3))
    problem = chain(layers, second, target, (0, 2, 6))
    exact = solution(problem)
    found = [trained(problem, Fraction(1, steps)) for steps in (100, 200)]
    for name, weights in exact.weights.items():
        coarse, fine = (each[name] - weights for each in found)
        assert abs(2 * fine - coarse).max() <= DEEP_EULER * abs(coarse).max()


def trained(problem, rate):
    """The weights of a network trained on every example of the data set in each step."""
    law = problem.data
    x = torch.tensor([[float(entry) for entry in row] for row in law.x], dtype=torch.float64)[None]
    y = torch.tensor([[float(entry) for entry in label] for label in law.y], dtype=torch.float64)[None]
    settings = Simulation("full-batch", x.shape[1], rate, 2, 0, dtype="float64")
    run = train(replace(problem, simulation=settings), "cpu", sample=Examples(x, y).shared_by(2))
    return {name: array[0] for name, array in run.parameters.items()}


def test_gates_of_a_graph_are_looked_at():
    layers, second, target = aligned(1, (3, 4, 2), [0.3, 0.8])
    problem = chain(layers, second, target, TIMES)
    h = replace(problem.network.nodes[1], gates=(SiteGate(0, lo=0, on="input"),))
    nodes = (problem.network.nodes[0], h, problem.network.nodes[2])
    gated = replace(problem, network=replace(problem.network, nodes=nodes))
    with pytest.raises(OutOfReachError, match="it has gates"):
        solution(gated)
