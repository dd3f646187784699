"""Layered networks from symmetric starts against descent on all their examples by automatic differentiation."""

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp

from derivations.answers import solve
from derivations.experiments.folders import problem_named
from derivations.experiments.routing.network import blocks, every_example, ring, routing_problem
from sim.networks.graph import gradient
from tests.theory.flow.graph.solutions.networks import rotation
from tests.tolerances_of_graphs import DEEP_ODE, DEEP_STEP, GRAPH_INTEGRATED, LAYERED_LIMIT, TWO_DIGITS
from theory.flow.graph.integrate import integrate
from theory.flow.graph.solutions.layered import solution
from theory.problem import (
    ContextGate,
    Edge,
    FiniteData,
    GatedGraph,
    InitialByName,
    Node,
    NormalInitialisation,
    OutOfReachError,
    Problem,
    Simulation,
    Table,
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
        name: weight(bases[layer + 1], own, bases[layer])
        for layer, (name, own) in enumerate(zip("ABC", strengths, strict=True))
    }
    return problem(data((0,)), nodes, edges, start)


def by_examples(task):
    """The examples of a problem, its gates by owner, and the shapes of its weights."""
    found = every_example(task).part(slice(0, 1), slice(None))
    gates = {} if found.gate is None else dict(zip(task.network.gated, found.gate.unbind(1), strict=True))
    return found, {owner: values[:, None] for owner, values in gates.items()}


def slope(task, weights):
    """dL/dW of every weight, by name."""
    found, gates = by_examples(task)
    tensors = {name: torch.from_numpy(array)[None] for name, array in weights.items()}
    grads = gradient(task.graph, task.training.loss, tensors, found.x, found.y, gates)
    return {name: grad[0].numpy() for name, grad in grads.items()}


def flowed(task):
    """Every weight at the times, by DOP853 on the gradient of the loss of all examples."""
    start = {name: array.reshape(task.graph.parameter(name).shape) for name, array in task.start().items()}
    ends = np.cumsum([array.size for array in start.values()])[:-1]

    def parts(theta):
        split = np.split(theta, ends)
        return {name: part.reshape(start[name].shape) for name, part in zip(start, split, strict=True)}

    def rate(_t, theta):
        own = slope(task, parts(theta))
        return -np.concatenate([own[name].ravel() for name in start]) / float(task.training.tau)

    theta, times = np.concatenate([array.ravel() for array in start.values()]), [float(time) for time in TIMES]
    found = solve_ivp(rate, (0, times[-1]), theta, "DOP853", times, rtol=DEEP_STEP, atol=DEEP_STEP / 100)
    columns = [parts(column) for column in found.y.T]
    return {name: np.stack([column[name] for column in columns]) for name in start}


RICH, LAZY = ((0.05, 0.02), (0.03, 0.06)), ((1.5, 0.9), (0.7, -1.2))
CASES = {
    "ring, rich": lambda: routing(ring(3), 3, *RICH),
    "ring, lazy": lambda: routing(ring(3), 3, *LAZY),
    "all pairs": lambda: routing([(i, o) for i in range(2) for o in range(2)], 2, (0.3, 0.4), (0.5, 0.2)),
    "blocks, mse": lambda: routing(blocks(4), 4, (0.3, 0.0), (0.2, 0.0), loss="mse", tau=Fraction(5, 2)),
    "overlapping, rich": lambda: overlapping(*RICH),
    "overlapping, lazy": lambda: overlapping(*LAZY),
    "two outputs": lambda: two_outputs((0.3, 0.5), (0.9, 0.1)),
    "a mode that only W has": lambda: routing(ring(3), 3, (0.3, 0.0), (0.2, 0.8)),
    "chain": lambda: chain([(0.3, 0.5), (0.9, 0.1), (0.2, 0.7)]),
}


@pytest.mark.parametrize("name", CASES)
def test_every_weight_follows_descent_on_the_examples(name):
    task = CASES[name]()
    found, expected = solution(task), flowed(task)
    for key, array in expected.items():
        assert abs(found.weights[key] - array).max() <= DEEP_ODE * max(1, abs(array).max())
    # What the modes conserve adds up to differences of squared norms of successive layers, but for what stays as it is.
    norms = np.array([sum(np.square(expected[key][-1]).sum() for key in names) for names in found.layers])
    norms -= [0, 0.8**2, 0] if name == "a mode that only W has" else 0
    assert abs(found.conserved.sum(axis=0) - np.diff(norms)).max() <= DEEP_ODE * max(norms)


@pytest.mark.parametrize("ratio", [30, 1e4])
def test_modes_far_apart_in_turned_bases(ratio):
    """Rounding of the strong mode does not grow along the hidden nodes that carry a weak one."""
    task = chain([(0.8, 0.5 / ratio), (0.9, 0.7 / ratio), (0.6, 0.3 / ratio)])
    found, expected = solution(task), flowed(task)
    for key, array in expected.items():
        assert abs(found.weights[key] - array).max() <= DEEP_ODE


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


@pytest.mark.parametrize("name", CASES)
def test_the_limit_is_at_rest_on_what_is_conserved(name):
    task = CASES[name]()
    found = solution(task, (0.0, 1000.0))
    for key, grad in slope(task, found.limit_weights).items():
        assert abs(grad).max() <= LAYERED_LIMIT * max(1, abs(found.limit_weights[key]).max()) ** 5
    ends = [mode.conserved(end) for mode, end in zip(found.modes, found.limit, strict=True)]
    assert abs(np.array(ends) - found.conserved).max() <= LAYERED_LIMIT * max(1, (found.limit**2).max())
    if name.startswith("ring"):
        assert abs(found.losses[-1] - found.limit_loss) <= DEEP_ODE


def test_the_conditions_of_exact_data_are_decided_exactly():
    found = solution(CASES["ring, rich"]())
    exact = [condition for condition in found.conditions if condition.exact]
    assert all(condition.holds and condition.off == "0" for condition in exact)
    assert sum("the same sums of" in condition.says for condition in exact) == 4
    assert [len(names) for names in found.layers] == [3, 1, 3]
    assert not any(c.exact for c in solution(CASES["two outputs"]()).conditions if "the same sums" in c.says)


def test_moments_in_float64_are_decided_within_their_rounding():
    """The ring on second moments, whose examples carry roundings: every condition on them holds, and none exactly."""
    exact = CASES["ring, rich"]()
    one = {"probability": "1/6", "xx": [[1, 0], [0, 1]], "yx": [[2, 0], [0, "1/2"]], "yy": [[4, 0], [0, "1/4"]]}
    start = {name: strength * np.eye(3, 2) for name, strength in (("E0", 0.2), ("E1", 0.2), ("E2", 0.2))}
    start |= {"W": 0.4 * np.eye(3)} | {f"D{k}": 0.2 * np.eye(2, 3) for k in range(3)}
    task = changed(replace(exact, data=Table(moments=[one] * 6)), **start)
    found, expected = solution(task), integrate(task)
    assert not any(condition.exact for condition in found.conditions if "Syx" in condition.says)
    assert any("within the rounding of float64" in condition.off for condition in found.conditions)
    for name, weights in expected.weights.items():
        assert abs(found.weights[name] - weights).max() <= GRAPH_INTEGRATED


def test_a_start_at_rest_stays():
    task = CASES["ring, rich"]()
    zero = changed(task, **{parameter.name: np.zeros(parameter.shape) for parameter in task.parameters})
    found = solution(zero)
    assert (found.modes, found.conserved.shape) == ((), (0, 2))
    assert not any(array.any() for array in (*found.weights.values(), *found.limit_weights.values()))
    assert "strengths at infinity" in solve.answer(zero).text()


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
        (lambda: unlike((0.4, 0.3)), r"`E0`, `E1`, `E2` start with equal strengths in each mode \(fails by 0\.25 of"),
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


def test_a_random_start_is_refused_before_its_moments_are_looked_at():
    task = routing_problem(ring(3), 3, (2, 1), 2, NormalInitialisation(1, 0), TIMES, Fraction(1, 10))
    with pytest.raises(OutOfReachError, match=r"are equal at the start .* more conditions fail"):
        solution(task)


def test_solve_names_the_method_and_gives_the_modes_and_the_limit():
    answer = solve.answer(CASES["ring, rich"]())
    content, text = answer.json(), answer.text()
    assert content["notes"][0].startswith("exact: every path passes one weight of each layer")
    assert content["exact"]["family"] == "layered"
    assert content["exact"]["layers"] == (("E0", "E1", "E2"), ("W",), ("D0", "D1", "D2"))
    assert content["exact"]["limit"]["weights"]["W"].shape == (3, 3)
    assert "a routing network: 3 encoders and 3 decoders around the shared W" in text
    assert "strengths at infinity" in text
    assert "<|y - yhat|^2> at infinity" in text
    assert solve.answer(problem_named("race")).json()["exact"] is None
    assert "paths pass 2 and 3 weights" in solve.answer(problem_named("race")).text()
