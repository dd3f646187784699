"""Layered networks from symmetric starts against the flow of all their weights."""

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from derivations.experiments.folders import problem_named
from derivations.experiments.routing.network import blocks, ring
from tests.theory.flow.graph.solutions.networks import rotation
from tests.tolerances_of_graphs import GRAPH_INTEGRATED, LAYERED_LIMIT, TWO_DIGITS
from theory.flow.graph.data import flow_of, moments_of
from theory.flow.graph.integrate import integrate
from theory.flow.graph.moments import velocities
from theory.flow.graph.solutions.layered import solution
from theory.problem import (
    ContextGate,
    Edge,
    FiniteData,
    GatedGraph,
    InitialByName,
    Node,
    OutOfReachError,
    Problem,
    Simulation,
    Training,
)

TIMES = (0, Fraction(1, 2), 2, 6)
V = np.array([[3, -4], [4, 3]], dtype=object) * Fraction(1, 5)
U = np.array([[5, -12], [12, 5]], dtype=object) * Fraction(1, 13)
TARGETS, SIZES = (2, Fraction(-1, 2)), (1, Fraction(3, 2))  # of the two modes: s/d, and the size of an input


def rows(matrix):
    return tuple(tuple(float(entry) for entry in row) for row in matrix)


def data(contexts, left=U, right=V):
    """In each context the inputs r_k v_k with the labels s_k r_k u_k, for both modes k."""
    pairs = [(k, context) for context in contexts for k in range(2)]
    x = [tuple(SIZES[k] * right[:, k]) for k, _ in pairs]
    y = [tuple(TARGETS[k] * SIZES[k] * left[:, k]) for k, _ in pairs]
    return FiniteData(x, y, context=tuple(context for _, context in pairs))


def problem(law, nodes, edges, start, outputs=("y",), loss="half-mse", tau=1):
    names = tuple((name, rows(matrix)) for name, matrix in start.items())
    settings = Simulation("full-batch", len(law.x), Fraction(1, 100), 2, 0, initialisation="shared")
    training = Training(loss, tau, InitialByName(names), TIMES)
    return Problem(law, GatedGraph(tuple(nodes), tuple(edges), ("x",), outputs), training, settings)


def weight(left, strengths, right):
    return left.astype(float) @ np.diag(strengths) @ right.astype(float).T


def routing(pairs, domains, ends, shared, **settings):
    """Encoders E, shared W and decoders D with the strengths `ends` and `shared`, on hidden units in random bases."""
    rng = np.random.default_rng(3)
    R, Q = rotation(rng, 3)[:, :2], rotation(rng, 3)[:, :2]
    numbers = {pair: index for index, pair in enumerate(pairs)}

    def gate(which, domain):
        return ContextGate(tuple(number for pair, number in numbers.items() if pair[which] == domain))

    nodes = [Node("x", 2), Node("joined", 3), Node("h", 3, scale=Fraction(1, 2)), Node("y", 2)]
    edges = [Edge("joined", "h", "W")]
    for k in range(domains):
        nodes.append(Node(f"in{k}", 3, (gate(0, k),)))
        edges += [Edge("x", f"in{k}", f"E{k}"), Edge(f"in{k}", "joined"), Edge("h", "y", f"D{k}", gate=gate(1, k))]
    start = {"W": weight(Q, shared, R)}
    start |= {f"E{k}": weight(R, ends, V) for k in range(domains)}
    start |= {f"D{k}": weight(U, ends, Q) for k in range(domains)}
    return problem(data(numbers.values()), nodes, edges, start, **settings)


def overlapping(first, second):
    """Three pathways, two of them open in each context, so that they see each other."""
    R = rotation(np.random.default_rng(4), 2)
    nodes, edges, start = [Node("x", 2), Node("y", 2)], [], {}
    for k in range(3):
        nodes.append(Node(f"h{k}", 2, (ContextGate((k, (k + 1) % 3)),)))
        edges += [Edge("x", f"h{k}", f"A{k}"), Edge(f"h{k}", "y", f"B{k}")]
        start |= {f"A{k}": weight(R, first, V), f"B{k}": weight(U, second, R)}
    return problem(data(range(3)), nodes, edges, start)


def two_outputs(first, second):
    """One encoder and two outputs with bases of their own, both open for every example."""
    R, other = rotation(np.random.default_rng(5), 2), np.array([[0, 1], [1, 0]], dtype=object)
    law = data((0,))
    both = [(*label, *(U @ other @ U.T @ np.array(label))) for label in law.y]
    nodes = Node("x", 2), Node("h", 2), Node("y", 2), Node("z", 2)
    edges = Edge("x", "h", "A"), Edge("h", "y", "B"), Edge("h", "z", "C")
    start = {"A": weight(R, first, V), "B": weight(U, second, R), "C": weight(U @ other @ U.T @ U, second, R)}
    return problem(FiniteData(law.x, both, context=law.context), nodes, edges, start, ("y", "z"))


def chain(strengths):
    """Three layers that are aligned and not balanced, on inputs that are not white."""
    rng = np.random.default_rng(6)
    bases = [V.astype(float), rotation(rng, 4)[:, :2], rotation(rng, 3)[:, :2], U.astype(float)]
    nodes = Node("x", 2), Node("h", 4), Node("k", 3), Node("y", 2)
    edges = Edge("x", "h", "A"), Edge("h", "k", "B"), Edge("k", "y", "C")
    start = {
        name: weight(bases[layer + 1], sizes, bases[layer])
        for layer, (name, sizes) in enumerate(zip("ABC", strengths, strict=True))
    }
    return problem(data((0,)), nodes, edges, start)


RICH = (0.05, 0.02), (0.03, 0.06)
CASES = {
    "ring, rich": lambda: routing(ring(3), 3, *RICH),
    "blocks, mse": lambda: routing(blocks(4), 4, (0.3, 0.0), (0.2, 0.0), loss="mse", tau=Fraction(5, 2)),
    "overlapping, lazy": lambda: overlapping((1.5, 0.9), (0.7, -1.2)),
    "two outputs": lambda: two_outputs((0.3, 0.5), (0.9, 0.1)),
    "a mode that only W has": lambda: routing(ring(3), 3, (0.3, 0.0), (0.2, 0.8)),
    "chain of modes far apart": lambda: chain([(0.8, 0.5e-4), (0.9, 0.7e-4), (0.6, 0.3e-4)]),
}


@pytest.mark.parametrize("name", CASES)
def test_every_weight_follows_the_flow_and_ends_at_rest_on_what_is_conserved(name):
    task = CASES[name]()
    exact, expected = solution(task), integrate(task).weights
    assert set(exact.weights) == set(expected)
    for key, array in expected.items():
        assert abs(exact.weights[key] - array).max() <= GRAPH_INTEGRATED
    assert [condition.off for condition in exact.conditions if condition.exact and condition.off != "0"] == []
    # What the modes conserve adds up to differences of squared norms of successive layers, but for what stays as it is.
    norms = np.array([sum(np.square(expected[key][-1]).sum() for key in names) for names in exact.layers])
    norms -= [0, 0.8**2, 0] if name == "a mode that only W has" else 0
    assert abs(exact.conserved.sum(axis=0) - np.diff(norms)).max() <= GRAPH_INTEGRATED * max(1, max(norms))

    flow = flow_of(task)
    size = max(1, *(abs(array).max() for array in exact.limit_weights.values()))
    for rate in velocities(flow, exact.limit_weights, moments_of(task, flow)).values():
        assert abs(rate).max() <= LAYERED_LIMIT * size**5
    ends = [mode.conserved(end) for mode, end in zip(exact.modes, exact.limit, strict=True)]
    assert abs(np.array(ends) - exact.conserved).max() <= LAYERED_LIMIT * max(1, (exact.limit**2).max())


def test_a_mode_below_what_float64_resolves_is_refused_as_undecided():
    """Rounding of the strong mode is 1e-8 of one that is 1e8 times weaker."""
    with pytest.raises(OutOfReachError, match=r"known to 1e-10 .* of the strongest: float64 cannot decide"):
        solution(chain([(0.8, 5e-9), (0.9, 7e-9), (0.6, 3e-9)]))


def test_a_layer_that_misses_by_a_millionth_is_refused_with_its_distance():
    """B leads 1e-6 |B| from the strong mode to the weak one: two entries of B B' are off by 1e-6 |B|^2."""
    task = chain([(0.8, 5e-5), (0.9, 7e-5), (0.6, 3e-5)])
    moved, middle = 1e-6, np.array(task.start()["B"], dtype=float).reshape(3, 4)
    left, sizes, right = np.linalg.svd(middle)
    turned = changed(task, B=middle + moved * sizes[0] * np.outer(left[:, 1], right[0]))
    with pytest.raises(OutOfReachError) as refused:
        solution(turned)
    off = re.search(r"`C` and .* of `B` commute at the start \(fails by (\S+) of", str(refused.value))[1]
    assert abs(float(off) - np.sqrt(2) * moved) <= TWO_DIGITS * moved


def changed(task, **weights):
    """The problem with other initial weights of these names."""
    table = {**dict(task.training.w0.starts), **{name: rows(array) for name, array in weights.items()}}
    return replace(task, training=replace(task.training, w0=InitialByName(tuple(table.items()))))


def unlike(sizes):
    """The ring whose first encoder starts with other strengths in the two modes."""
    rng = np.random.default_rng(3)
    R = rotation(rng, 3)[:, :2]
    return changed(routing(ring(3), 3, (0.3, 0.4), (0.5, 0.2)), E0=weight(R, sizes, V))


def turned():
    """A chain whose second layer is turned between its ends."""
    task = chain([(0.3, 0.5), (0.9, 0.1), (0.2, 0.7)])
    return changed(task, B=rotation(np.random.default_rng(1), 3) @ np.array(task.start()["B"]))


def away():
    """A chain whose weights share directions with each other, and not with the moments."""
    start = {"A": np.array([[0.3, 0.0], [0.0, 0.4]]), "B": np.array([[0.5, 0.0], [0.0, 0.1]])}
    nodes, edges = (Node("x", 2), Node("h", 2), Node("y", 2)), (Edge("x", "h", "A"), Edge("h", "y", "B"))
    return problem(data((0,)), nodes, edges, start)


def two_bases():
    """Contexts whose inputs have different bases, behind decoders of their own."""
    one, other = data((0,)), data((1,), right=U)
    law = FiniteData((*one.x, *other.x), (*one.y, *other.y), context=(*one.context, *other.context))
    nodes = Node("x", 2), Node("h", 2), Node("y", 2)
    edges = Edge("x", "h", "A"), *(Edge("h", "y", "BC"[k], gate=ContextGate((k,))) for k in range(2))
    return problem(law, nodes, edges, {name: 0.1 * np.eye(2) for name in "ABC"})


def tied():
    nodes = Node("x", 2), Node("h", 2), Node("k", 2), Node("y", 2)
    edges = Edge("x", "h", "A"), Edge("h", "k", "A"), Edge("k", "y", "B")
    return problem(data((0,)), nodes, edges, {name: 0.1 * np.eye(2) for name in "AB"})


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: problem_named("race"), "paths pass 2 and 3 weights"),
        (tied, "the weight A stands in the layers 1 and 2"),
        (lambda: unlike((0.3, 0.5)), r"the norms of `E0`, `E1`, `E2` are equal at the start \(fails by 0\.14 of"),
        (lambda: unlike((0.4, 0.3)), r"equal strengths in each mode \(fails by 0\.25 of"),
        (turned, r"`C` and .* of `B` commute at the start \(fails by 0\.\d+ of the largest\)"),
        (away, r"the initial weights are aligned.*\(fails by 0\.\d+ of the largest\)"),
        (two_bases, r"is symmetric \(fails by 0\.\d+ of the product of the norms"),
        (
            lambda: routing([(0, 0), (0, 1), (1, 1)], 2, (0.3, 0.4), (0.5, 0.2)),
            r"the paths through each of `E0`, `E1` have the same sums of `Syx` in each mode that moves \(fails by 0\.5",
        ),
    ],
)
def test_a_condition_that_fails_is_named_with_its_number(make, words):
    with pytest.raises(OutOfReachError, match=words):
        solution(make())
