"""A gated deep linear network on a graph, as a declaration: nodes with a gate each, edges with named weights."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from theory.problem.errors import InputError
from theory.problem.gates import Gate
from theory.problem.gates.repeated import RepeatedGate
from theory.problem.graph import Edge, Graph, Node
from theory.problem.parameters import Parameter

# These names have another meaning in the equations of `gdln flow`.
_SYMBOLS = ("E", "M", "Sxx", "Syx", "tau")


@dataclass(frozen=True)
class GatedGraph:
    """h_v = g_v(x) sum_e g_e(x) W_e h_s(e): linear nodes behind gates; yhat is the sum at the output nodes, stacked.

    Each input node holds x. An edge with a weight name has target x source numbers, the same for equal names; an
    edge without one sums its source in blocks of the target's dimension. Raises InputError where `Graph` does, for
    weights of one name and two shapes, for an input that is an output, and for a node with several gates.

    >>> nodes = Node("x", 4), Node("h", 2), Node("y", 1)
    >>> deep = GatedGraph(nodes, (Edge("x", "h", "A"), Edge("h", "y", "B")), ("x",), ("y",))
    >>> [(parameter.name, parameter.shape) for parameter in deep.graph.parameters], deep.units, deep.outputs
    ([('A', (2, 4)), ('B', (1, 2))], 2, 1)
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    inputs: tuple[str, ...]
    outputs_at: tuple[str, ...]

    model: ClassVar[str] = "gated-graph"
    # Properties of networks with one hidden layer, which a graph does not have.
    readout: ClassVar[str] = "sum"
    biases: ClassVar[str] = "none"
    slope: ClassVar[None] = None
    has_biases: ClassVar[bool] = False
    trains_readout: ClassVar[bool] = False
    activation: ClassVar[str] = "linear"
    scale: ClassVar[Fraction] = Fraction(1)

    def __post_init__(self) -> None:
        both = [name for name in self.inputs if name in self.outputs_at]
        if both:
            raise InputError(f"Node {both[0]} is an input and an output.", "Lead an edge from one node to another.")
        for node in self.nodes:
            if len(node.gates) > 1:
                raise InputError(
                    f"Node {node.name} has {len(node.gates)} gates, and a node of a gated graph has one at most.",
                    "Give each gate a node of its own.",
                )
        for gate, owner in zip(self.gates, self.gated, strict=True):
            if isinstance(gate, RepeatedGate):
                raise InputError(
                    f"The gate of {owner} repeats a unit, and a graph has no numbered units.", "Write the gate itself."
                )
        object.__setattr__(self, "_graph", self._made())

    def _made(self) -> Graph:
        dimension = {node.name: node.dimension for node in self.nodes}
        shapes: dict[str, tuple[int, int]] = {}
        for edge in self.edges:
            if edge.weight is None or edge.source not in dimension or edge.target not in dimension:
                continue
            shape = dimension[edge.target], dimension[edge.source]
            if shapes.setdefault(edge.weight, shape) != shape:
                raise InputError(
                    f"The edge from {edge.source} to {edge.target} needs weights of {shape[0]} x {shape[1]} numbers; "
                    f"{edge.weight} has {shapes[edge.weight][0]} x {shapes[edge.weight][1]}.",
                    "Give it another weight name, or nodes of the same dimensions.",
                )
        taken = next((name for name in shapes if name in _SYMBOLS), None)
        if taken is not None:
            raise InputError(
                f"A weight is called {taken}, which stands for something else in the equations.", "Choose another name."
            )
        if all(edge.weight is None for edge in self.edges):
            raise InputError("No edge of the graph has weights: it learns nothing.", "Name the weight of an edge.")
        weights = tuple(Parameter(name, shape) for name, shape in shapes.items())
        return Graph(self.nodes, self.edges, weights, self.inputs, self.outputs_at)

    @property
    def graph(self) -> Graph:
        """The graph with its parameters."""
        return self._graph

    @property
    def gates(self) -> tuple[Gate, ...]:
        """The gates of the nodes, then those of the edges, in their order."""
        return tuple(gate for node in self.nodes for gate in node.gates) + tuple(
            edge.gate for edge in self.edges if edge.gate is not None
        )

    @property
    def gated(self) -> tuple[str | Edge, ...]:
        """The owner of each of `gates`: the name of a node, or an edge."""
        return tuple(node.name for node in self.nodes for _ in node.gates) + tuple(
            edge for edge in self.edges if edge.gate is not None
        )

    @property
    def units(self) -> int:
        """The number of units that are neither inputs nor outputs; at least 1."""
        ends = (*self.inputs, *self.outputs_at)
        return max(1, sum(node.dimension for node in self.nodes if node.name not in ends))

    @property
    def outputs(self) -> int:
        """The total number of units of the output nodes."""
        return sum(self.graph.node(name).dimension for name in self.outputs_at)

    def check_data(self, n: int, labels: int) -> None:
        """Raise InputError unless input nodes have n units and the outputs have one unit for each entry of a label."""
        for name in self.inputs:
            if self.graph.node(name).dimension != n:
                raise InputError(
                    f"node {name} is an input of dimension {self.graph.node(name).dimension}; x has n = {n} sites.",
                    f"Write dimension = {n}, or change the data.",
                )
        if self.outputs != labels:
            raise InputError(
                f"The output nodes {', '.join(self.outputs_at)} have {self.outputs} units; a label has {labels}.",
                "Change their dimensions, or give labels with as many numbers.",
            )
