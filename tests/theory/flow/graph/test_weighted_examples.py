"""Examples that are not equally likely: moments, gates and exact conditions against sums over the examples."""

from fractions import Fraction
from itertools import chain, combinations_with_replacement
from math import erfc, sqrt

import numpy as np
import pytest

from tests.tolerances_of_graphs import GRAPH_FLOW
from theory.flow.graph.data import flow_of, moments_of
from theory.flow.graph.known import Known
from theory.problem import (
    ContextGate,
    Edge,
    FiniteData,
    GatedGraph,
    Node,
    NormalInitialisation,
    Problem,
    SiteGate,
    Table,
    Training,
)

N = 12
X = [[Fraction((7 * i + 3 * j * j) % 11 - 5, 4) for j in range(3)] for i in range(N)]
Y = [[Fraction((5 * i + 2 * j) % 7 - 3, 2) for j in range(3)] for i in range(N)]
WEIGHTS = [1 + (i * i) % 9 for i in range(N)]
CONTEXT = [i % 3 for i in range(N)]
CHANCE = [Fraction(weight, sum(WEIGHTS)) for weight in WEIGHTS]
GATES = {
    "contexts": (ContextGate([0, 1]), ContextGate([1, 2]), ContextGate([0])),
    "a site": (ContextGate([0, 1]), SiteGate(1, lo=0, on="input")),
}


def law_of(kind, folder):
    if kind == "finite":
        return FiniteData(X, Y, weights=WEIGHTS, context=CONTEXT)
    arrays = {"x": np.array(X, dtype=float), "y": np.array(Y, dtype=float)}
    np.savez(folder / "data.npz", **arrays, context=np.array(CONTEXT), weights=np.array(WEIGHTS, dtype=float))
    return Table(str(folder / "data.npz"))


def problem_of(law, gates, deep=True):
    """A hidden node for each gate and one without, all to two outputs; and a path through two gates and an edge's."""
    names = [f"h{k}" for k in range(len(gates) + 1)]
    hidden = [Node(name, 2, gates[k : k + 1]) for k, name in enumerate(names)]
    edges = [Edge("x", name, f"in_{name}") for name in names]
    edges += [Edge(name, output, f"{output}_{name}") for name in names for output in ("y", "z")]
    if deep:
        hidden.append(Node("deep", 2, gates[-1:]))
        edges += [Edge("h0", "deep", "in_deep", gate=ContextGate([1, 2])), Edge("deep", "y", "y_deep")]
    network = GatedGraph((Node("x", 3), *hidden, Node("y", 2), Node("z", 1)), tuple(edges), ("x",), ("y", "z"))
    return Problem(law, network, Training("half-mse", 1, NormalInitialisation(1, 0), (1,)))


def is_open(product, i):
    return all(CONTEXT[i] in gate.open if isinstance(gate, ContextGate) else X[i][gate.site] >= 0 for gate in product)


def summed(flow, a, b, left, right):
    """The sum of p g_a g_b (left right') over the examples, in fractions."""
    total = [[Fraction(0)] * len(right[0]) for _ in left[0]]
    for i in range(N):
        if is_open(flow.openings[a - 1], i) and is_open(flow.openings[b - 1], i):
            for r, one in enumerate(left[i]):
                for c, other in enumerate(right[i]):
                    total[r][c] += CHANCE[i] * one * other
    return total


@pytest.fixture(params=["finite", "table"])
def law(request, tmp_path):
    return law_of(request.param, tmp_path)


@pytest.mark.parametrize("gates", GATES.values(), ids=GATES)
class TestWeighted:
    """Each in fractions; the same without weights is another number, so that they can be told apart."""

    def test_moments(self, law, gates):
        flow = flow_of(problem := problem_of(law, gates))
        result = moments_of(problem, flow)
        for a, b in combinations_with_replacement(flow.numbers, 2):
            expected = np.array(summed(flow, a, b, X, X), dtype=float)
            assert abs(result.beside(a, b) - expected).max() <= GRAPH_FLOW
        for a in flow.numbers:
            expected = np.array(summed(flow, a, a, Y, X), dtype=float)
            both = np.concatenate([result.output_input["y", a], result.output_input["z", a]])
            assert abs(both - expected).max() <= GRAPH_FLOW

    def test_exact_moments_are_these_times_one_factor(self, law, gates):
        """One factor for all Sigma^xx, another for all Sigma^yx: a condition compares them with each other."""
        flow = flow_of(problem := problem_of(law, gates))
        known = Known(problem, flow)
        assert known.exact is isinstance(law, FiniteData)
        second = [(known.input_input(a, b), summed(flow, a, b, X, X)) for a, b in flow.pairs]
        labels = {"y": [row[:2] for row in Y], "z": [row[2:] for row in Y]}
        first = [(known.output_input(o, a), summed(flow, a, a, labels[o], X)) for o in labels for a in flow.numbers]
        for group in (first, second):
            factors = set()
            for moment, expected in group:
                assert (moment.whole is None) is isinstance(law, Table)
                if moment.whole is not None:
                    pairs = zip(moment.whole.entries(), chain.from_iterable(expected), strict=True)
                    factors |= {Fraction(int(whole)) / exact if exact else int(whole) for whole, exact in pairs}
                assert abs(moment.array - np.array(expected, dtype=float)).max() <= GRAPH_FLOW
            assert len(factors - {0}) == isinstance(law, FiniteData)


def test_soft_gates(tmp_path):
    """Every example has a pattern of its own, and each pair of products of gates is a sum of its own."""
    gate = SiteGate(1, lo=0, on="input", sharpness=2)
    flow = flow_of(problem := problem_of(law_of("table", tmp_path), (gate,), deep=False))
    result, x, y = moments_of(problem, flow), np.array(X, dtype=float), np.array(Y, dtype=float)
    share = np.array(CHANCE, dtype=float)
    g = {product: np.ones(N) for product in ((), (gate,))}
    g[gate,] = np.array([0.5 * erfc(-2 * v / sqrt(2)) for v in x[:, 1]])
    for a, b in combinations_with_replacement(flow.numbers, 2):
        weight = share * g[flow.openings[a - 1]] * g[flow.openings[b - 1]]
        expected = sum(weight[i] * np.outer(x[i], x[i]) for i in range(N))
        assert abs(result.beside(a, b) - expected).max() <= GRAPH_FLOW
    for a in flow.numbers:
        weight = share * g[flow.openings[a - 1]]
        expected = sum(weight[i] * np.outer(y[i], x[i]) for i in range(N))
        both = np.concatenate([result.output_input["y", a], result.output_input["z", a]])
        assert abs(both - expected).max() <= GRAPH_FLOW
