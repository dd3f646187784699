"""Starts of the race: bases that two nodes share, modes with equal moments, and weights that only seem aligned."""

import numpy as np
import pytest

from tests.tolerances_of_graphs import GRAPH_INTEGRATED, GRAPH_RACE, TWO_DIGITS
from theory.flow.graph.alignment import lift
from theory.flow.graph.data import flow_of
from theory.flow.graph.integrate import integrate, split
from theory.flow.graph.known import Known
from theory.flow.graph.reduction import NotReduced
from theory.flow.graph.reductions.race import race
from theory.problem import (
    ContextGate,
    Edge,
    FiniteData,
    GatedGraph,
    InitialByName,
    Node,
    NormalInitialisation,
    Problem,
    Table,
    Training,
)

TIMES = (0, 1, 4)
TURN = np.array([[0.6, -0.8], [0.8, 0.6]])
WHITE = [[1, 1], [1, -1]]
STEP = GRAPH_RACE / 1e4  # the integrator's error a step, as in the other tests of the race


def raced(problem):
    """The flow of a problem and its race."""
    flow = flow_of(problem)
    return flow, race(problem, flow, Known(problem, flow))


def rows(matrix):
    return tuple(tuple(float(entry) for entry in row) for row in matrix)


def two_layers(labels, first, last):
    """y = B A x on two white inputs."""
    nodes, edges = (Node("x", 2), Node("h", len(first)), Node("y", 2)), (Edge("x", "h", "A"), Edge("h", "y", "B"))
    start = InitialByName((("A", rows(first)), ("B", rows(last))))
    network = GatedGraph(nodes, edges, ("x",), ("y",))
    return Problem(FiniteData(WHITE, labels), network, Training("half-mse", 1, start, TIMES))


def followed(problem):
    """The largest distance of the flow of all weights from the race that begins at the fitted strengths."""
    flow, reduction = raced(problem)
    fitted = reduction.align(split(problem, flow))
    modes = reduction.over_time(fitted.strengths, [float(time) for time in TIMES], 1.0, STEP)
    whole, apart = integrate(problem).weights, 0.0
    for index in range(len(TIMES)):
        lifted = lift(flow, {name: values[index] for name, values in modes.items()}, fitted.bases)
        apart = max(apart, *(abs(lifted[name] - whole[name][index]).max() for name in lifted))
    return fitted.condition.holds, apart


def test_modes_with_equal_moments_take_the_vectors_of_the_start():
    """y = x: every basis fits the data, and the start, of two different strengths, has one of its own."""
    A = np.array([[0.8, 0.6], [-0.6, 0.8]]) @ np.diag([0.5, 0.1]) @ TURN.T
    B = TURN @ np.diag([0.2, 0.4]) @ np.array([[0.8, 0.6], [-0.6, 0.8]]).T
    holds, apart = followed(two_layers(WHITE, A, B))
    assert holds
    assert apart <= GRAPH_INTEGRATED


@pytest.mark.parametrize(("angle", "aligned"), [(np.pi / 2, True), (np.pi / 3, False), (0.0, False)])
def test_directions_of_a_hidden_node_must_be_orthogonal(angle, aligned):
    """A and B fit R_h with the two columns at an angle: the modes meet in the hidden units unless it is a right one."""
    hidden = np.array([[1.0, np.cos(angle)], [0.0, np.sin(angle)]])  # one column for each mode
    strengths = np.diag([0.5, 0.2])
    holds, apart = followed(two_layers([[2, 1], [2, -1]], hidden @ strengths, (hidden @ strengths).T))
    assert holds is aligned
    assert bool(apart <= GRAPH_INTEGRATED) is aligned


@pytest.mark.parametrize("moved", [0.0, 1e-3, 1e-12])
def test_a_start_is_aligned_within_rounding(moved):
    """Diagonal layers on data whose modes are the axes; one entry beside the diagonal of the second layer moves."""
    first, last = np.diag([0.5, 0.2]), np.diag([0.4, 0.3])
    last[1, 0] = moved
    problem = two_layers([[2, 1], [2, -1]], first, last)
    flow, reduction = raced(problem)
    fitted = reduction.align(split(problem, flow))
    assert fitted.condition.holds is (moved == 0)
    assert moved <= fitted.off <= max(moved / 0.2, fitted.rounding)  # relative to an entry of the layers: 0.2 to 0.5


@pytest.mark.parametrize("moved", [0.0, 1e-3, 1e-12])
def test_a_table_shares_singular_vectors_within_rounding(tmp_path, moved):
    """y = M x with M = diag(2, 1) in one context and diag(1, 3) in the other, in turned axes, and a share beside."""
    x = np.array(WHITE * 2, dtype=float) @ TURN.T
    one, other = np.diag([2.0, 1.0]), np.array([[1.0, moved], [0.0, 3.0]])
    y = np.concatenate([x[:2] @ (TURN @ one @ TURN.T).T, x[2:] @ (TURN @ other @ TURN.T).T])
    np.savez(tmp_path / "data.npz", x=x, y=y, context=np.array([0, 0, 1, 1]))
    nodes = Node("x", 2), Node("a", 2, (ContextGate([0]),)), Node("b", 2, (ContextGate([1]),)), Node("y", 2)
    edges = Edge("x", "a", "A"), Edge("a", "y", "B"), Edge("x", "b", "C"), Edge("b", "y", "D")
    training = Training("half-mse", 1, NormalInitialisation(1, 0), TIMES)
    law = Table(str(tmp_path / "data.npz"))
    _, reduction = raced(Problem(law, GatedGraph(nodes, edges, ("x",), ("y",)), training))
    assert isinstance(reduction, NotReduced) is (moved > 0)
    if moved:
        product = one.T @ other
        expected = np.linalg.norm(product - product.T) / np.linalg.norm(one) / np.linalg.norm(other)
        amounts = [float(condition.off.split()[0]) for condition in reduction.conditions]
        assert any(abs(amount - expected) <= TWO_DIGITS * expected for amount in amounts)
