"""Networks as graphs: nodes with gates, edges with named weights. One hidden layer is the smallest case.

A node v with the incoming edges e from the nodes s(e) holds

    h_v = g_v(x) sigma_v( scale_v sum_e g_e(x) W_e h_s(e) + b_v ).

Source: localization notes, eq. (3)-(5), for one layer of gated edges; any graph of them is a gated deep linear network.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from theory.problem.errors import InputError
from theory.problem.gates import Gate
from theory.problem.gates.repeated import RepeatedGate
from theory.problem.network import ACTIVATIONS, Network
from theory.problem.numbers import one_of, whole
from theory.problem.parameters import Parameter


@dataclass(frozen=True)
class Node:
    """Units that share their inputs; an input node holds x itself.

    gates: () for units that are always open, one gate for the whole node, or one for each unit. activation: "linear",
    "relu", "leaky-relu" (with `slope` where h <= 0), "erf", which is erf(h/sqrt(2)), or "sigmoid". bias: the name of
    the parameter that is added, or None. scale multiplies the sum over the edges. Raises InputError for a dimension
    below 1, another activation, and another number of gates.

    >>> from theory.problem import SiteGate
    >>> Node("hidden", 2, (SiteGate(20, lo=0), SiteGate(20, hi=0))).activation
    'linear'
    >>> Node("hidden", 3, (SiteGate(20, lo=0), SiteGate(20, hi=0)))
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: node hidden has 2 gates for 3 units. ...
    """

    name: str
    dimension: int
    gates: tuple[Gate, ...] = ()
    activation: str = "linear"
    slope: Fraction | None = None
    bias: str | None = None
    scale: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        whole(self.dimension, f"node {self.name}: dimension", least=1)
        one_of(self.activation, f"node {self.name}: activation", ACTIVATIONS)
        if len(self.gates) not in (0, 1, self.dimension):
            raise InputError(
                f"node {self.name} has {len(self.gates)} gates for {self.dimension} units.",
                "Give none, one for the whole node, or one for each unit.",
            )


@dataclass(frozen=True)
class Edge:
    """The weights W_e from one node to another, by the name of a parameter with target x source numbers.

    Equal names share the weights. Without a name the edge sums the source in blocks of the target's dimension: W_e
    is (1 1 ... 1), a fixed readout. `gate` opens the edge for some examples.

    >>> fixed, learned = Edge("hidden", "y"), Edge("hidden", "y", "a")
    >>> fixed.weight is None, learned.weight
    (True, 'a')
    """

    source: str
    target: str
    weight: str | None = None
    gate: Gate | None = None


@dataclass(frozen=True)
class Graph:
    """Nodes, edges and parameters of a network, from `inputs` to `outputs`.

    Raises InputError for names that are used twice or do not exist, a cycle of edges, an edge into an input, a node
    that no edge reaches or that reaches no output, and parameters whose sizes do not fit. A gate of an input node
    multiplies x.

    A deep linear network y = W2 W1 x with the same 2 x 2 weights in both layers:

    >>> graph = Graph(
    ...     nodes=(Node("x", 2), Node("h", 2), Node("y", 2)),
    ...     edges=(Edge("x", "h", "W"), Edge("h", "y", "W")),
    ...     parameters=(Parameter("W", (2, 2)),),
    ...     inputs=("x",),
    ...     outputs=("y",),
    ... )
    >>> graph.order, [edge.source for edge in graph.into("y")]
    (('x', 'h', 'y'), ['h'])
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    parameters: tuple[Parameter, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def __post_init__(self) -> None:
        _different("node", (node.name for node in self.nodes))
        _different("parameter", (parameter.name for parameter in self.parameters))
        for name in (*self.inputs, *self.outputs, *(end for edge in self.edges for end in (edge.source, edge.target))):
            one_of(name, "graph: node", self._nodes)
        for what, ends in (("inputs", self.inputs), ("outputs", self.outputs)):
            twice = [name for name in ends if ends.count(name) > 1]
            if twice:
                raise InputError(f"The {what} of the graph name {twice[0]} twice.", "Name each node once.")
        for node in self.nodes:
            reached = any(edge.target == node.name for edge in self.edges)
            if reached == (node.name in self.inputs):
                said = "is an input, and an edge leads into it" if reached else "is no input, and no edge leads into it"
                raise InputError(f"node {node.name} {said}.", "Inputs hold x; every other node is reached by an edge.")
            if node.bias is not None:
                self._check_size(node.bias, node.dimension, f"the bias of node {node.name}")
        for edge in self.edges:
            self._check_edge(edge)
        self._check_reached()

    @cached_property
    def _nodes(self) -> dict[str, Node]:
        return {node.name: node for node in self.nodes}

    @cached_property
    def _parameters(self) -> dict[str, Parameter]:
        return {parameter.name: parameter for parameter in self.parameters}

    def node(self, name: str) -> Node:
        """Return the node with this name. Raises KeyError for an unknown name."""
        return self._nodes[name]

    def parameter(self, name: str) -> Parameter:
        """Return the parameter with this name. Raises KeyError for an unknown name."""
        return self._parameters[name]

    def into(self, name: str) -> tuple[Edge, ...]:
        """Return the edges that lead into a node."""
        return self._into.get(name, ())

    @cached_property
    def _into(self) -> dict[str, tuple[Edge, ...]]:
        targets = dict.fromkeys(edge.target for edge in self.edges)
        return {name: tuple(edge for edge in self.edges if edge.target == name) for name in targets}

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The names of the nodes in topological order. Raises InputError where edges form a cycle."""
        placed: list[str] = []
        left = [node.name for node in self.nodes]
        while left:
            ready = [name for name in left if all(edge.source in placed for edge in self.into(name))]
            if not ready:
                raise InputError(f"The edges between {', '.join(self._circling(left))} form a circle.", "Remove one.")
            placed += ready
            left = [name for name in left if name not in ready]
        return tuple(placed)

    def _circling(self, names: list[str]) -> list[str]:
        """Return the nodes among these that lie on a cycle, or on a path from one cycle to another."""
        leading = [name for name in names if any(edge.source == name and edge.target in names for edge in self.edges)]
        return leading if leading == names else self._circling(leading)

    def _check_reached(self) -> None:
        reaching = set(self.outputs)
        for name in reversed(self.order):
            if any(edge.source == name and edge.target in reaching for edge in self.edges):
                reaching.add(name)
        for name in self.order:
            if name not in reaching:
                raise InputError(
                    f"No path leads from node {name} to an output.", "Add an edge that leads on, or remove the node."
                )

    def _check_edge(self, edge: Edge) -> None:
        source, target = self._nodes[edge.source].dimension, self._nodes[edge.target].dimension
        what = f"the edge from {edge.source} to {edge.target}"
        if edge.weight is not None:
            self._check_size(edge.weight, source * target, what)
        elif source % target:
            raise InputError(
                f"{what} has no weights, and {source} units are no multiple of {target}.",
                "Name a weight, or let each output add up equally many units.",
            )

    def _check_size(self, name: str, size: int, what: str) -> None:
        parameter = self._parameters[one_of(name, what, self._parameters)]
        if parameter.size != size:
            raise InputError(
                f"{what} needs {size} numbers; the parameter {name} has the shape {list(parameter.shape)}.",
                "Give it as many numbers as target units times source units.",
            )


def one_hidden_layer(network: Network, n: int, outputs: int = 1) -> Graph:
    """The graph of a network with one hidden layer of K units on n inputs: x -> hidden -> y.

    Parameters: "w" (K, n), and where the network has them the biases "b" (K) and "b_out" (1) and the readout weights
    "a" (K). With m > 1 outputs a gated unit with a fixed readout is m units with one gate, each read by its own output:
    "w" is (K, m, n), "b" (K, m), "b_out" (m); a trained readout has "a" (m, K).
    Raises InputError for m > 1 outputs of a network that gates itself and has a fixed readout, in which all outputs
    would be the same.

    >>> graph = one_hidden_layer(Network("relu", "trained-mean", 3, biases="trained"), 5)
    >>> [(parameter.name, parameter.shape) for parameter in graph.parameters]
    [('w', (3, 5)), ('b', (3,)), ('b_out', (1,)), ('a', (3,))]
    >>> graph.order
    ('x', 'hidden', 'y')
    """
    K, fixed = network.units, not network.trains_readout
    if outputs > 1 and fixed and network.model != Network.gated:
        raise InputError(
            f'labels of {outputs} numbers need {outputs} outputs, and with network.readout = "{network.readout}" all '
            f'outputs of a "{network.model}" network are the same.',
            'Use readout = "trained-mean" or "trained-sum", or labels of one number.',
        )
    copies = outputs if fixed else 1  # units that share one gate
    gates = tuple(_moved(gate, copies) for gate in network.gates for _ in range(copies))
    each = (K,) if copies == 1 else (K, copies)
    parameters = [Parameter("w", (*each, n))]
    if network.has_biases:
        trained = network.biases == "trained"
        parameters += [Parameter("b", each, trained), Parameter("b_out", (outputs,), trained)]
    if not fixed:
        parameters.append(Parameter("a", (K,) if outputs == 1 else (outputs, K)))
    hidden, out = ("b", "b_out") if network.has_biases else (None, None)
    return Graph(
        nodes=(
            Node("x", n),
            Node("hidden", K * copies, gates, network.activation, network.slope, hidden),
            Node("y", outputs, bias=out, scale=network.scale),
        ),
        edges=(Edge("x", "hidden", "w"), Edge("hidden", "y", None if fixed else "a")),
        parameters=tuple(parameters),
        inputs=("x",),
        outputs=("y",),
    )


def _moved(gate: Gate, copies: int) -> Gate:
    """Return the gate after each unit was copied `copies` times; a repeated gate refers to a unit by its number."""
    return RepeatedGate(gate.of * copies) if isinstance(gate, RepeatedGate) else gate


def _different(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"Two {what}s of the graph are called {name}.", "Give each its own name.")
        seen.add(name)
