"""Problems of the explorer: the one it starts with, and a change of its data law."""

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from derivations.answers.new import data_table
from derivations.explore.limits import refuse_large
from theory.problem import (
    Gate,
    GatedGraph,
    Law,
    Network,
    Problem,
    SiteGate,
    loads,
)
from theory.problem.gates.base import looks_on

FIRST = Path(__file__).parents[1] / "experiments/problems/small-bump.toml"


def read(text: str) -> Problem:
    """Return the problem of a text. Raises InputError where it is none, OutOfReachError for one that no view draws."""
    problem = loads(text)
    refuse_undrawn(problem)
    return problem


def refuse_undrawn(problem: Problem) -> None:
    """Raise OutOfReachError for a deep network, which has no view, and for a law on more sites than are drawn."""
    problem.refuse_deep("The explorer has no view of deep networks.")
    refuse_large(problem.data)


def carried(problem: Problem, law: Law) -> tuple[Problem, tuple[str, ...]]:
    """`problem` on the data `law`, and the changes that this required, in words.

    Gates on the latent become gates on the input where the law has no latent. A site gate beyond the last site moves to
    the middle site n // 2. Gates on the input stay so where the law has a latent. Raises InputError where the rest of
    the problem does not fit, such as w0 written out for other sites.
    """
    notes: list[str] = []
    network = _carried_network(problem.network, lambda gate: _carried_gate(gate, law, notes))
    stay = any(looks_on(gate) == "input" for gate in network.gates)
    if law.latent and not problem.data.latent and stay:
        notes.append(
            f"The law {law.law} has a latent z: a gate on the input x stays on x until one of its controls moves."
        )
    return replace(problem, data=law, network=network), tuple(dict.fromkeys(notes))


def _carried_network(network: Network | GatedGraph, carry: Callable[[Gate], Gate]) -> Network | GatedGraph:
    """The network with `carry` of each of its gates: of its units, or of the nodes and edges of a graph."""
    if not isinstance(network, GatedGraph):
        return replace(network, gates=tuple(map(carry, network.gates)))
    nodes = tuple(replace(node, gates=tuple(map(carry, node.gates))) for node in network.nodes)
    edges = tuple(edge if edge.gate is None else replace(edge, gate=carry(edge.gate)) for edge in network.edges)
    return replace(network, nodes=nodes, edges=edges)


def _carried_gate(gate: Gate, law: Law, notes: list[str]) -> Gate:
    if looks_on(gate) == "latent" and not law.latent:
        gate = replace(gate, on="input")
        notes.append(f"The law {law.law} has no latent: gates look at the input.")
    if isinstance(gate, SiteGate) and gate.site >= law.n:
        notes.append(f"Site {gate.site} is beyond the last of {law.n}: its gate looks at site {law.n // 2}.")
        gate = replace(gate, site=law.n // 2)
    return gate


def law_values(law: Law) -> dict[str, Any]:
    """The fields that declare a law, by name."""
    return {field.name: getattr(law, field.name) for field in fields(law) if field.init}


def starting_values(kind: type[Law], law: Law) -> dict[str, Any]:
    """The fields of `law` with which controls of a law of another `kind` may start: those that are not empty.

    None where a new file of that kind has another number of classes, and no means where it has other sites.

    >>> from theory.problem import LAWS, SinglePulse
    >>> pulses = SinglePulse(8, ((2, 2), (3, 4)), "plus-minus", "sign", (1, 0))
    >>> sorted(starting_values(LAWS["nlgp"], pulses))
    ['flip', 'labels', 'n', 'support', 'widths']
    """
    values = law_values(law)
    if type(law) is kind:
        return values
    if len(data_table(kind.law).get("labels", ())) != law.classes:
        return {}
    if "n" not in {field.name for field in fields(kind) if field.init}:
        values.pop("means", None)
    return {name: value for name, value in values.items() if value not in ((), "")}
