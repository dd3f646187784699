"""Contexts of the data beside the gates of a network that open in some of them."""

from collections.abc import Iterable, Sequence

from theory.problem.distributions import Law
from theory.problem.errors import InputError
from theory.problem.gates import Gate
from theory.problem.gates.context import ContextGate
from theory.problem.graph import Graph
from theory.problem.numbers import shown


def check_contexts(data: Law, graph: Graph, gates: Sequence[tuple[str, Gate]]) -> None:
    """Raise InputError where the gates, given as pairs (place in the problem, gate), do not fit the data's contexts.

    A gate may name only contexts that the data have, and in each context of the data some path must lead to an output.

    >>> from theory.problem import AlwaysGate, FiniteData, Network, one_hidden_layer
    >>> data, gate = FiniteData([[1], [2]], [1, -1], context=[0, 1]), ContextGate([0])
    >>> graph = one_hidden_layer(Network("gated-linear", "mean", 1, (gate,)), 1)
    >>> check_contexts(data, graph, [("network.gates[0]", gate)])
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: In context 1 of the data no path to an output is open; closed: node hidden. ...
    """
    routed = [(place, gate) for place, gate in gates if isinstance(gate, ContextGate)]
    known = set(data.contexts)
    for place, gate in routed:
        if not known:
            raise InputError(
                f'{place} opens in contexts, but the law "{data.law}" has no contexts.',
                'Give each example one (`context` of data.law = "finite" or of a table), or use another gate.',
            )
        unknown = sorted(set(gate.open) - known)
        if unknown:
            raise InputError(
                f"{place} opens in context {unknown[0]}, which no example has; the data have the contexts "
                f"{shown(list(data.contexts))}.",
                "Name contexts of the data, or give such examples.",
            )
    if not routed:
        return
    opened, alike = [frozenset(gate.open) for _, gate in routed], {}
    for context in data.contexts:  # contexts that open the same gates need one check
        alike.setdefault(tuple(context in contexts for contexts in opened), context)
    for context in alike.values():
        reached, closed = _followed(graph, context)
        if not reached & set(graph.outputs):
            raise InputError(
                f"In context {context} of the data no path to an output is open; closed: {', '.join(closed)}.",
                f"Add {context} to `open` of a gate, or leave out the examples of that context.",
            )


def _followed(graph: Graph, context: int) -> tuple[set[str], list[str]]:
    """Return the nodes that open paths reach from the inputs, and the closed nodes and edges at which paths end."""
    reached, closed = set(), []
    for name in graph.order:
        arriving = [edge for edge in graph.into(name) if edge.source in reached]
        passing = [edge for edge in arriving if edge.gate is None or _is_open(edge.gate, context)]
        closed += [f"the edge from {edge.source} to {edge.target}" for edge in arriving if edge not in passing]
        if passing or name in graph.inputs:
            gates: Iterable[Gate] = graph.node(name).gates
            if not gates or any(_is_open(gate, context) for gate in gates):
                reached.add(name)
            else:
                closed.append(f"node {name}")
    return reached, closed


def _is_open(gate: Gate, context: int) -> bool:
    """Return whether the gate may be open in the context; only a context gate is closed for all its examples."""
    return not isinstance(gate, ContextGate) or context in gate.open
