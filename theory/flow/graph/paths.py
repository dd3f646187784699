"""The paths of a gated linear graph from inputs to outputs, each with the weights and gates along it.

The outputs of a graph of linear nodes are sums over paths,

    yhat_o(x) = sum_{p ends in o} s_p g_p(x) W_p x,

with W_p the product of the weights along p, g_p the product of the gates of its nodes and edges, and s_p that of the
scales of its nodes. Sources: localization notes, eq. (3); Saxe, Sodhani and Lewallen, "The Neural Race Reduction"
(2022).
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod

from theory.problem.errors import OutOfReachError
from theory.problem.gates import Gate, resolved
from theory.problem.gates.always import AlwaysGate
from theory.problem.graph import Edge, Graph, Node
from theory.problem.parameters import Parameter
from theory.problem.routes import route_gates, route_name, routes


@dataclass(frozen=True)
class Path:
    """A path from an input to an output: its edges in their order, its scale s_p, the gates whose product is g_p.

    `number` counts the paths of a graph from 0, and `opening` their different products of gates from 1.
    """

    number: int
    edges: tuple[Edge, ...]
    scale: Fraction
    gates: tuple[Gate, ...]
    opening: int

    @property
    def source(self) -> str:
        """The input node in which it begins."""
        return self.edges[0].source

    @property
    def target(self) -> str:
        """The output node in which it ends."""
        return self.edges[-1].target

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of its nodes, from the input to the output."""
        return (self.source, *(edge.target for edge in self.edges))

    def __str__(self) -> str:
        return route_name(self.edges)


def paths_of(graph: Graph) -> tuple[Path, ...]:
    """Return all paths from an input to an output, by output, then in the order of the edges.

    Raises OutOfReachError for a node that is not linear, has a bias or has one gate per unit (see `one_gate_a_node`),
    and for more paths than `theory.problem.routes` lists.

    >>> nodes = (Node("x", 3), Node("h", 2), Node("y", 1))
    >>> edges = (Edge("x", "h", "A"), Edge("h", "y", "B"), Edge("x", "y", "C"))
    >>> weights = (Parameter("A", (2, 3)), Parameter("B", (1, 2)), Parameter("C", (1, 3)))
    >>> for path in paths_of(Graph(nodes, edges, weights, ("x",), ("y",))):
    ...     print(path)
    x -> h -> y
    x -> y
    """
    for node in graph.nodes:
        _require_linear(node)
    openings: dict[tuple[Gate, ...], int] = {}
    paths = []
    for number, edges in enumerate(routes(graph)):
        gates = tuple(gate for gate in route_gates(graph, edges) if gate != AlwaysGate())  # those that may close
        scale = prod((graph.node(edge.target).scale for edge in edges), start=Fraction(1))
        paths.append(Path(number, edges, scale, gates, openings.setdefault(gates, len(openings) + 1)))
    return tuple(paths)


def one_gate_a_node(graph: Graph) -> Graph:
    """Split each node with one gate per unit into nodes of one unit: h becomes h.0, h.1, ...

    The rows of weights into it and the columns of weights out of it become separate parameters w.0, w.1, ...
    Raises OutOfReachError where such weights are shared with another edge, and where the node adds up to more than one
    output unit without weights.

    >>> from theory.problem import Network, SiteGate, one_hidden_layer
    >>> gates = SiteGate(0, lo=0, on="input"), SiteGate(0, hi=0, on="input")
    >>> split = one_gate_a_node(one_hidden_layer(Network("gated-linear", "mean", 2, gates), 3))
    >>> [(parameter.name, parameter.shape) for parameter in split.parameters]
    [('w.0', (1, 3)), ('w.1', (1, 3))]
    >>> [str(path) for path in paths_of(split)]
    ['x -> hidden.0 -> y', 'x -> hidden.1 -> y']
    """
    for node in graph.nodes:
        if len(node.gates) > 1:
            graph = _split(graph, node)
    return graph


def _split(graph: Graph, node: Node) -> Graph:
    if node.bias is not None:
        raise _refusal(f"node {node.name} has a bias")
    units = range(node.dimension)
    one = [replace(node, name=f"{node.name}.{k}", dimension=1, gates=(resolved(node.gates)[k],)) for k in units]
    nodes = [each for old in graph.nodes for each in (one if old is node else [old])]
    edges, parameters = [], {parameter.name: parameter for parameter in graph.parameters}
    for edge in graph.edges:
        if node.name not in (edge.source, edge.target):
            edges.append(edge)
            continue
        if edge.weight is None:
            other = graph.node(edge.target if edge.source == node.name else edge.source)
            if other.dimension > 1:
                raise OutOfReachError(
                    f"The edge from {edge.source} to {edge.target} has no weights and {other.dimension} units beside "
                    f"the gates of {node.name}.",
                    "Name a weight, or give each gate a node of its own.",
                )
        elif sum(edge.weight == other.weight for other in graph.edges) > 1:
            raise OutOfReachError(
                f"The weights {edge.weight} at node {node.name}, which has a gate for each unit, are shared.",
                "Give each gate a node of its own, or each edge its own weights.",
            )
        for k in units:
            ends = {"source" if edge.source == node.name else "target": f"{node.name}.{k}"}
            edges.append(replace(edge, weight=edge.weight and f"{edge.weight}.{k}", **ends))
        if edge.weight is not None:
            whole = parameters.pop(edge.weight)
            other = graph.node(edge.target if edge.source == node.name else edge.source).dimension
            shape = (1, other) if edge.target == node.name else (other, 1)
            parameters |= {f"{whole.name}.{k}": Parameter(f"{whole.name}.{k}", shape, whole.trained) for k in units}
    return Graph(tuple(nodes), tuple(edges), tuple(parameters.values()), graph.inputs, graph.outputs)


def _require_linear(node: Node) -> None:
    if node.activation != "linear":
        raise _refusal(f"node {node.name} has the activation {node.activation}")
    if node.bias is not None:
        raise _refusal(f"node {node.name} has a bias")
    if len(node.gates) > 1:
        raise _refusal(f"node {node.name} has a gate for each of its units; one_gate_a_node splits it")


def _refusal(what: str) -> OutOfReachError:
    return OutOfReachError(
        f"The flow is written along paths of linear nodes, and {what}.",
        "Use gated linear nodes without biases; gdln simulate trains every network.",
    )
