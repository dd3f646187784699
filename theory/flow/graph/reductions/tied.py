"""Tied weights: a weight that several edges share follows the sum of the gradients of its edges."""

from collections import Counter

from theory.flow.graph import export
from theory.flow.graph.conditions import Condition
from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.known import Known
from theory.flow.graph.reduction import Formula, NotReduced, Part, Reduction
from theory.problem import Problem


def reduce(problem: Problem, flow: GraphFlow, known: Known) -> Reduction | NotReduced:
    """The shared weights, each with the sum that moves it."""
    del problem, known
    edges = Counter(edge.weight for edge in flow.graph.edges if edge.weight in flow.weights)
    shared = [name for name in flow.weights if edges[name] > 1]
    if not shared:
        return NotReduced(why="no two edges share a weight")
    parts = tuple(
        Part(
            f"`{name}` is one matrix on {edges[name]} edges and adds up their {len(flow.places(name))} terms",
            (Formula(export.plain(flow, name), export.latex(flow, name)),),
        )
        for name in shared
    )
    named = Condition("edges name the same weight", True, "0", True)
    return Reduction("edges that share a weight add up their gradients", (named,), parts)
