"""A deep network whose gates are all open as a gated graph: one chain of edges, deep linear, with a flow of its own."""

from dataclasses import replace

from theory.problem.deep.architecture import FULLY_CONNECTED
from theory.problem.deep.gating import AllOpenGates
from theory.problem.errors import InputError, OutOfReachError
from theory.problem.gated_graph import GatedGraph
from theory.problem.graph import Edge, Node
from theory.problem.problem import Problem
from theory.problem.training import Training


def as_graph(problem: Problem) -> Problem:
    """Return the problem with the chain x -> h1 -> ... -> y as its network; the weights keep names and numbers.

    Raises OutOfReachError for gates that are not all open and for convolutions, InputError without [training].

    >>> from theory.problem import DeepNetwork, FiniteData, NormalInitialisation
    >>> training = Training("half-mse", 1, NormalInitialisation(1, 0), (1,))
    >>> data = FiniteData([[1, 0], [0, 1]], [1, -1])
    >>> chain = as_graph(Problem(data, DeepNetwork((3,), AllOpenGates()), training))
    >>> [(edge.source, edge.target, edge.weight) for edge in chain.network.edges]
    [('x', 'h1', 'Theta_1'), ('h1', 'y', 'Theta_2')]
    """
    network = problem.deep
    if not isinstance(network.gating, AllOpenGates) or network.architecture != FULLY_CONNECTED:
        raise OutOfReachError(
            "No exact flow of this deep network is known: its gates depend on its weights or on the example.",
            'Fully connected, with network.gating kind = "open", it is solved; gdln simulate trains it, and gdln paths '
            "gives its paths and kernels.",
        )
    if not isinstance(problem.training, Training):
        raise InputError("The flow needs [training].", "Write the weights in [training.w0], with loss, tau and times.")
    sizes = (problem.data.n, *network.widths, problem.data.outputs)
    names = ("x", *(f"h{level}" for level in range(1, network.depth)), "y")
    nodes = tuple(Node(name, size) for name, size in zip(names, sizes, strict=True))
    edges = tuple(Edge(*ends) for ends in zip(names, names[1:], network.names, strict=False))
    return replace(problem, network=GatedGraph(nodes, edges, names[:1], names[-1:]))
