"""The solution of a problem against the flow of all its weights."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from derivations.experiments.folders import problem_named
from tests.theory.flow.graph.solutions.networks import balanced, chain, flowed, lambda_balanced, rotation
from tests.tolerances_of_graphs import DEEP_FLOAT, DEEP_ODE, TWO_DIGITS
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
    Training,
)

TIMES = (0, Fraction(1, 2), 2, 6)


def compared(problem, layers, second, target, speed=1.0, scale=1.0):
    """The solution, after a comparison of every weight with the flow of all weights."""
    result = solution(problem)
    expected = flowed(layers, second, target, [float(time) for time in TIMES], speed, scale)
    for depth, layer in enumerate(expected, start=1):
        assert abs(result.weights[f"W{depth}"] - layer).max() <= DEEP_ODE * max(1, abs(layer).max())
    return result


def aligned(seed, widths, strengths, white=False):
    """Layers, Sigma^xx and Sigma^yx with common modes; the inputs have different variances unless they are white."""
    rng = np.random.default_rng(seed)
    right, left = rotation(rng, widths[0]), rotation(rng, widths[-1])
    second = right @ np.diag(np.ones(widths[0]) if white else rng.uniform(0.5, 2, widths[0])) @ right.T
    count = min(widths[0], widths[-1])
    target = left[:, :count] @ np.diag(rng.uniform(0.5, 2, count)) @ right[:, :count].T
    return balanced(rng, widths, strengths, right, left), second, target


@pytest.mark.parametrize("widths", [(3, 2, 5, 4), (4, 2, 3)])
def test_balanced_layers_of_any_depth(widths):
    """Modes that are learned from a small and a larger start; the others stay at 0. Bottlenecks and wide layers."""
    layers, second, target = aligned(1, widths, [0.3, 0.8])
    assert compared(chain(layers, second, target, TIMES), layers, second, target).family == "balanced"


def test_modes_that_start_against_the_target():
    """A product of the other sign than the target falls to 0 on the balanced manifold."""
    layers, second, target = aligned(2, (3, 3, 3), [0.3, 0.8, 0.5])
    compared(chain(layers, second, -target, TIMES), layers, second, -target)


@pytest.mark.parametrize(
    ("lam", "loss", "tau", "scales"),
    [
        (0.0, "mse", Fraction(5, 2), [1, Fraction(1, 2), 3]),
        (0.6, "mse", 3, [1, Fraction(1, 2), 3]),
        (-0.7, "half-mse", Fraction(5, 2), [1, 2, 2]),
    ],
)
def test_factors_of_lambda_balanced_layers(lam, loss, tau, scales):
    """c/tau, the product k of the scales of the nodes and the variance d = 1.7 of the inputs, alone and together."""
    rng = np.random.default_rng(7)
    layers = list(lambda_balanced(rng, 3, 2, 2, lam, 0.3))
    second, target = 1.7 * np.eye(3), rng.normal(size=(2, 3))
    result = solution(chain(layers, second, target, TIMES, loss, tau, scales))
    speed, scale = (2 if loss == "mse" else 1) / float(tau), float(np.prod([float(k) for k in scales or [1]]))
    expected = flowed(layers, second, target, [float(time) for time in TIMES], speed, scale)
    assert result.family == "lambda-balanced"
    for name, layer in zip(result.weights, expected, strict=True):
        assert abs(result.weights[name] - layer).max() <= DEEP_ODE * max(1, abs(layer).max())
    map_of = np.linalg.solve(second, target.T).T
    rest = [scale * w - map_of for w in result.weights["W2"] @ result.weights["W1"]]
    expected = [np.trace(each @ second @ each.T) for each in rest]
    assert abs(result.losses - expected).max() <= DEEP_ODE * max(expected)


def test_paths_side_by_side_have_one_scale():
    """Hidden nodes of their own with equal scales are one layer; with different ones the problem is refused."""
    names, start = ("h", "k"), ((0.1, 0.0), (0.0, 0.1))

    def two_paths(*scales):
        nodes = tuple(Node(name, 1, scale=scale) for name, scale in zip(names, scales, strict=True))
        edges = tuple(edge for k in names for edge in (Edge("x", k, f"A{k}"), Edge(k, "y", f"B{k}")))
        first = tuple((f"A{k}", (row,)) for k, row in zip(names, start, strict=True))
        last = tuple((f"B{k}", tuple((entry,) for entry in row)) for k, row in zip(names, start, strict=True))
        network = GatedGraph((Node("x", 2), *nodes, Node("y", 2)), edges, ("x",), ("y",))
        law = FiniteData([[1, 1], [1, -1]], [[3, 0], [-1, 0]])
        return Problem(law, network, Training("half-mse", 1, InitialByName((*first, *last)), (1, 4)))

    problem = two_paths(2, 2)
    result, integrated = solution(problem), integrate(problem)
    for name, array in integrated.weights.items():
        assert abs(result.weights[name] - array).max() <= DEEP_ODE
    with pytest.raises(OutOfReachError, match="2 paths of different kinds"):
        solution(two_paths(1, 2))


def test_modes_far_apart_in_turned_bases():
    """A start that is exact up to rounding is recognised, and its flow is followed while the plateau lasts."""
    depth, ratio = 5, 1e4
    layers, second, target = aligned(1, (3,) * (depth + 1), [0.8, 0.8 / np.sqrt(ratio), 0.8 / ratio])
    assert compared(chain(layers, second, target, TIMES), layers, second, target).family == "balanced"


def _turned(frame, angle):
    """The frame with its last two columns turned into each other."""
    turn = np.eye(frame.shape[1])
    turn[-2:, -2:] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return frame @ turn


@pytest.mark.parametrize(
    ("depth", "ratio", "missed"),
    [(3, 1e4, "strength"), (2, 100, "hidden frame"), (3, 1e4, "output frame")],
)
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


def test_a_mode_below_what_float64_resolves_is_refused_as_undecided():
    """Rounding of the strong mode is 1e-8 of one that is 1e8 times weaker; without rounding the start is exact."""
    depth, strengths = 3, np.array([0.8, 8e-9])
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


def test_layers_whose_difference_is_diagonal_and_not_a_multiple_of_one_are_refused():
    """W2'W2 - W1 W1' = diag(lambda, lambda + moved): each mode has a lambda of its own, and the target mixes them."""
    moved = 1e-9
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
