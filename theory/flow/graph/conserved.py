"""Matrices that gradient flow on a graph conserves: at hidden nodes, outgoing W'W minus incoming W W'.

    d/dt ( sum_{W out of the nodes} W'W - sum_{W into the nodes} W W' ) = 0

for any gates, data and scales, because each path that enters a node leaves it. Where edges share a weight the sum is
over all nodes that these edges tie together, each weight once. Source: Saxe, Sodhani and Lewallen, "The Neural Race
Reduction" (2022); for tied weights the sum over the group.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import sympy
from sympy.matrices.expressions import MatAdd, MatMul, MatrixExpr, MatrixSymbol, ZeroMatrix

from theory.flow.graph.export import symbol
from theory.flow.graph.gradient_flow import TAU, GraphFlow
from theory.proof.derivation import Derivation, Step
from theory.proof.rules import matrices  # noqa: F401 - it registers the rules that the derivation names


@dataclass(frozen=True)
class Conserved:
    """A conserved matrix Q of hidden nodes: the weights out of them, the weights into them, and its derivation."""

    nodes: tuple[str, ...]
    outgoing: tuple[str, ...]
    incoming: tuple[str, ...]
    derivation: Derivation

    def __str__(self) -> str:
        gains, losses = (f"{name}' {name}" for name in self.outgoing), (f"{name} {name}'" for name in self.incoming)
        return " - ".join([" + ".join(gains), *losses])

    @property
    def latex(self) -> str:
        """The matrix as LaTeX."""
        out, into = map(symbol, self.outgoing), map(symbol, self.incoming)
        gains, losses = (rf"{name}^{{\top}} {name}" for name in out), (rf"{name} {name}^{{\top}}" for name in into)
        return " - ".join([" + ".join(gains), *losses])


@dataclass(frozen=True)
class NotConserved:
    """Hidden nodes without such a matrix, and the condition that fails."""

    nodes: tuple[str, ...]
    why: str


def conserved(flow: GraphFlow) -> tuple[tuple[Conserved, ...], tuple[NotConserved, ...]]:
    """Return the conserved matrices of a graph's flow, and the hidden nodes that have none, with the reason.

    >>> from theory.problem.graph import Edge, Graph, Node
    >>> from theory.problem.parameters import Parameter
    >>> nodes, edges = (Node("x", 3), Node("h", 2), Node("y", 1)), (Edge("x", "h", "A"), Edge("h", "y", "B"))
    >>> deep = Graph(nodes, edges, (Parameter("A", (2, 3)), Parameter("B", (1, 2))), ("x",), ("y",))
    >>> (found,), none = conserved(GraphFlow(deep, "half-mse"))
    >>> str(found), all(check.passed for check in found.derivation.check()), none
    ("B' B - A A'", True, ())
    """
    kept, lost = [], []
    for nodes in _tied(flow):
        out, into = _weights(flow, nodes, "source"), _weights(flow, nodes, "target")
        why = _failing(flow, nodes, out, into)
        if why:
            lost.append(NotConserved(nodes, why))
        else:
            kept.append(Conserved(nodes, out, into, _derive(flow, nodes, out, into)))
    return tuple(kept), tuple(lost)


def _tied(flow: GraphFlow) -> Iterator[tuple[str, ...]]:
    """Yield groups of hidden nodes that are connected by a shared incoming or outgoing weight."""
    graph = flow.graph
    ends = (*graph.inputs, *graph.outputs)
    groups = [{node.name} for node in graph.nodes if node.name not in ends]
    for name in flow.weights:
        for end in ("source", "target"):
            nodes = {getattr(edge, end) for edge in graph.edges if edge.weight == name} - set(ends)
            joined = [group for group in groups if group & nodes]
            groups = [group for group in groups if not group & nodes] + ([set().union(*joined)] if joined else [])
    order = [node.name for node in graph.nodes]
    yield from sorted((tuple(sorted(group, key=order.index)) for group in groups), key=lambda g: order.index(g[0]))


def _weights(flow: GraphFlow, nodes: tuple[str, ...], end: str) -> tuple[str, ...]:
    names = (edge.weight for edge in flow.graph.edges if getattr(edge, end) in nodes and edge.weight is not None)
    return tuple(dict.fromkeys(names))


def _failing(flow: GraphFlow, nodes: tuple[str, ...], out: tuple[str, ...], into: tuple[str, ...]) -> str:
    """The condition that fails; empty where all hold."""
    graph = flow.graph
    for edge in graph.edges:
        if edge.weight not in flow.weights and (edge.source in nodes or edge.target in nodes):
            return f"the edge from {edge.source} to {edge.target} is not trained"
    for names, end, way in ((out, "source", "out of"), (into, "target", "into")):
        for edge in graph.edges:
            if edge.weight in names and getattr(edge, end) not in nodes:
                return f"{edge.weight} also leads {way} {getattr(edge, end)}"
    sizes = {graph.node(name).dimension for name in nodes}
    return "" if len(sizes) == 1 else f"tied nodes of {' and '.join(map(str, sorted(sizes)))} units"


def _derive(flow: GraphFlow, nodes: tuple[str, ...], out: tuple[str, ...], into: tuple[str, ...]) -> Derivation:
    """Derive tau dQ/dt = 0: the product rule, the velocities substituted, and the sum of products, which cancels."""
    size = flow.graph.node(nodes[0]).dimension
    change = TAU * MatrixSymbol(f"dQ/dt({','.join(nodes)})", size, size)

    def statement(side: MatrixExpr) -> sympy.Eq:
        return sympy.Eq(change, side, evaluate=False)

    moving = {name: MatrixSymbol(f"tau d{name}/dt", *flow.shape(name)) for name in (*out, *into)}
    terms = [term for name in out for term in _products(_symbol(flow, name).T, moving[name])]
    terms += [MatMul(-1, term) for name in into for term in _products(moving[name], _symbol(flow, name).T)]
    rule = MatAdd(*terms, evaluate=False)
    velocities = {moving[name]: flow.velocity_by_errors(name) for name in moving}
    proofs = tuple(f"flow.graph.{name}" for name in moving)
    steps = (
        Step(statement(rule), "the product rule, times tau", "definition"),
        Step(
            statement(rule.xreplace(velocities)),
            "the gradient flow of each weight, with E for the correlations of the error",
            "matrix-substitute",
            tuple(sympy.Tuple(old, new) for old, new in velocities.items()),
            proofs,
        ),
        Step(statement(ZeroMatrix(size, size)), "each path into a node is a path out of it", "matrix-algebra"),
    )
    return Derivation(f"flow.graph.conserved.{'.'.join(nodes)}", statement(ZeroMatrix(size, size)), steps)


def _symbol(flow: GraphFlow, name: str) -> MatrixSymbol:
    return MatrixSymbol(name, *flow.shape(name))


def _products(left: MatrixExpr, right: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr]:
    """left right and its transpose."""
    return MatMul(left, right, evaluate=False), MatMul(right.T, left.T, evaluate=False)
