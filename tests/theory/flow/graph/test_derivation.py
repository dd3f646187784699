"""The proofs of the gradient flow: every step checked, wrong equations rejected, the same numbers as the sums."""

from dataclasses import replace

import numpy as np
import pytest
import sympy
import torch
from sympy.matrices.expressions import MatMul, MatrixSymbol, Trace

from tests.theory.flow.graph.graphs import EXAMPLES, drawn, moments, opens
from tests.tolerances_of_graphs import GRAPH_FLOW
from theory.flow.graph import export
from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.moments import velocities
from theory.problem import (
    AlwaysGate,
    Edge,
    Graph,
    Network,
    Node,
    OutOfReachError,
    Parameter,
    SiteGate,
    one_hidden_layer,
)
from theory.proof.derivation import Derivation, Step
from theory.proof.rules import matrices


def faults(derivation):
    """Errors of the steps that the rules reject."""
    return [check.error for check in derivation.check() if not check.passed]


@pytest.mark.parametrize(("seed", "loss"), [(2, "half-mse"), (3, "mse")])
def test_every_step_is_checked_and_a_wrong_equation_rejected(seed, loss):
    """A sign, a factor or a dropped term, in the gradient and in the moments."""
    flow = GraphFlow(drawn(seed).graph, loss)
    assert faults(flow.loss_derivation) == []
    assert [faults(flow.derivation(name)) for name in flow.weights] == [[]] * len(flow.weights)
    proof = flow.derivation(flow.weights[0])
    *before, last = proof.steps
    first, *others = sympy.Add.make_args(last.expr.rhs) if last.expr.rhs.is_MatAdd else (last.expr.rhs,)
    wrong = [-last.expr.rhs, sympy.MatAdd(2 * first, *others, evaluate=False)]
    wrong += [sympy.MatAdd(*others, evaluate=False)] * bool(others)
    for side in wrong:
        step = replace(last, expr=sympy.Eq(last.expr.lhs, side, evaluate=False))
        assert faults(Derivation(proof.id, step.expr, (*before, step))), side
    proof = flow.loss_derivation
    terms = proof.proves.rhs.args
    for dropped in (0, len(terms) // 2):
        side = sympy.Add(*terms[:dropped], *terms[dropped + 1 :])
        step = replace(proof.steps[1], expr=sympy.Eq(proof.proves.lhs, side, evaluate=False))
        assert faults(Derivation(proof.id, step.expr, (proof.steps[0], step)))


@pytest.mark.parametrize("library", export.LIBRARIES)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_code_stands_alone_and_gives_the_same_numbers(seed, library):
    case = drawn(seed)
    flow = GraphFlow(case.graph, "half-mse")
    names = {}
    exec(compile(export.code(flow, library), "code", "exec"), names)  # noqa: S102 - it is what the code is for
    gates = np.stack(
        [np.prod([opens(g, case.x) for g in p], axis=0) * np.ones(EXAMPLES) for p in flow.openings], axis=1
    )
    y = np.concatenate([case.y[name] for name in case.graph.outputs], axis=1)
    array_of = torch.tensor if library == "torch" else np.asarray
    weights = {name: array_of(array) for name, array in case.weights.items()}
    rates = names["flow"](weights, *names["moments"](*map(array_of, (case.x, y, gates))))
    expected = velocities(flow, case.weights, moments(case, flow))
    assert set(rates) == set(expected)
    for name, array in expected.items():
        assert abs(np.asarray(rates[name]) - array).max() <= GRAPH_FLOW * abs(array).max()


def test_the_loss_has_the_gates_of_its_paths():
    """The number a of a path's gates is that of their symbol g_a, and a path without gates has none."""
    gates = SiteGate(0, lo=0, on="input"), AlwaysGate(), SiteGate(0, hi=0, on="input")
    flow = GraphFlow(one_hidden_layer(Network("gated-linear", "mean", 3, gates), 2), "half-mse")
    symbols = {str(symbol) for symbol in flow.loss_derivation.steps[0].expr.free_symbols}
    assert {name for name in symbols if name.startswith("g")} == {"g1", "g3"}


class TestRules:
    """The rules by themselves: what is false for some matrices is rejected."""

    A, B, S = (MatrixSymbol(name, 2, 2) for name in "ABS")
    X = MatrixSymbol("X", 2, 2)
    L, tau, g, h = sympy.symbols("L tau g h", real=True)
    x, y = MatrixSymbol("x", 2, 1), MatrixSymbol("y", 2, 1)

    def equation(self, left, right):
        return sympy.Eq(left, right, evaluate=False)

    def rejects(self, rule, before, after, *using):
        with pytest.raises(matrices.StepError):
            getattr(matrices, rule)(before, Step(after, "", rule.replace("_", "-"), using))

    def test_a_transpose_is_no_equality_unless_the_matrix_is_symmetric(self):
        one, other = self.equation(self.X, self.S * self.A), self.equation(self.X, self.S.T * self.A)
        self.rejects("matrix_algebra", one, other)
        matrices.matrix_algebra(one, Step(other, "", "matrix-algebra", (self.S,)))

    def test_another_left_side(self):
        self.rejects("matrix_algebra", self.equation(self.X, self.A), self.equation(self.B, self.A))

    def test_gradients(self):
        V = MatrixSymbol("V", 2, 2)
        loss = self.equation(self.L, Trace(self.A * self.B * self.A))
        both = -(self.B * self.A).T - (self.A * self.B).T
        matrices.matrix_gradient(loss, Step(self.equation(self.tau * V, both), "", "", (self.A, V, self.tau)))
        for wrong in (-both, -(self.B * self.A).T, both.T):
            self.rejects("matrix_gradient", loss, self.equation(self.tau * V, wrong), self.A, V, self.tau)

    def test_no_gradient_in_a_symmetric_matrix(self):
        V = MatrixSymbol("V", 2, 2)
        loss = self.equation(self.L, Trace(self.A * self.B))
        flow = self.equation(self.tau * V, -self.B.T)
        matrices.matrix_gradient(loss, Step(flow, "", "matrix-gradient", (self.A, V, self.tau)))
        self.rejects("matrix_gradient", loss, flow, self.A, V, self.tau, self.A)

    def test_an_average_needs_its_own_moment(self):
        C, D = MatrixSymbol("C", 2, 2), MatrixSymbol("D", 2, 2)
        inside = MatMul(self.g, self.h, self.A, self.x, self.x.T)
        before = self.equation(self.L, matrices.MEAN(Trace(inside)))
        of = sympy.Tuple(C, self.g * self.h, self.x, self.x)
        matrices.matrix_average(before, Step(self.equation(self.L, Trace(self.A * C)), "", "matrix-average", (of,)))
        one_gate = sympy.Tuple(C, self.g, self.x, self.x)
        self.rejects("matrix_average", before, self.equation(self.L, Trace(self.A * C)), one_gate)
        self.rejects("matrix_average", before, self.equation(self.L, Trace(self.A * D)), of)
        self.rejects("matrix_average", before, self.equation(self.L, 2 * Trace(self.A * C)), of)
        self.rejects("matrix_average", before, self.equation(self.tau, Trace(self.A * C)), of)

    def test_an_average_does_not_exchange_columns(self):
        C = MatrixSymbol("C", 2, 2)
        before = self.equation(self.L, matrices.MEAN(Trace(self.A * self.y * self.x.T)))
        of = sympy.Tuple(C, sympy.S.One, self.x, self.y)
        matrices.matrix_average(before, Step(self.equation(self.L, Trace(self.A * C.T)), "", "matrix-average", (of,)))
        self.rejects("matrix_average", before, self.equation(self.L, Trace(self.A * C)), of)

    def test_a_product_of_four_columns_has_no_second_moment(self):
        C = MatrixSymbol("C", 2, 2)
        four = Trace(self.x * self.x.T * self.x * self.x.T)
        of = sympy.Tuple(C, sympy.S.One, self.x, self.x)
        self.rejects(
            "matrix_average", self.equation(self.L, matrices.MEAN(four)), self.equation(self.L, Trace(C * C)), of
        )


class TestRefusals:
    """Networks without such a flow are refused by the name of the node or weight."""

    def deep(self, **changes):
        nodes = Node("x", 3), Node("h", 2, **changes), Node("y", 1)
        weights = (Parameter("A", (2, 3)), Parameter("B", (1, 2)), Parameter("c", (2,)))
        return Graph(nodes, (Edge("x", "h", "A"), Edge("h", "y", "B")), weights, ("x",), ("y",))

    def test_nodes_losses_and_weights(self):
        for question, words in (
            (lambda: GraphFlow(self.deep(activation="relu"), "half-mse"), "node h has"),
            (lambda: GraphFlow(self.deep(bias="c"), "half-mse"), "node h has"),
            (lambda: GraphFlow(self.deep(), "cross-entropy"), "cross-entropy"),
            (lambda: GraphFlow(self.deep(), "mse").derivation("C"), "trains no weight C"),
        ):
            with pytest.raises(ValueError, match=words):
                question()

    def test_too_many_paths(self):
        nodes = [Node("n0", 1), *(Node(f"n{depth}", 1) for depth in range(1, 13))]
        edges = [Edge(f"n{depth}", f"n{depth + 1}", "W") for depth in range(12) for _ in range(2)]
        graph = Graph(tuple(nodes), tuple(edges), (Parameter("W", (1, 1)),), ("n0",), ("n12",))
        with pytest.raises(OutOfReachError, match="4096 paths"):
            GraphFlow(graph, "mse")

    def test_weights_shared_at_a_node_with_several_gates(self):
        gates = SiteGate(0, lo=0, on="input"), SiteGate(1, lo=0, on="input")
        nodes = Node("x", 2), Node("h", 2, gates), Node("k", 2), Node("y", 2)
        edges = Edge("x", "h", "A"), Edge("x", "k", "A"), Edge("h", "y", "B"), Edge("k", "y", "C")
        weights = tuple(Parameter(name, (2, 2)) for name in "ABC")
        with pytest.raises(OutOfReachError, match="weights A at node h"):
            GraphFlow(Graph(nodes, edges, weights, ("x",), ("y",)), "mse")
