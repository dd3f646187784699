"""Conserved matrices at hidden nodes, which exist without any condition on the data."""

from theory.flow.graph.conditions import Condition
from theory.flow.graph.conserved import conserved
from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.known import Known
from theory.flow.graph.reduction import Formula, NotReduced, Part, Reduction
from theory.problem import Problem


def reduce(problem: Problem, flow: GraphFlow, known: Known) -> Reduction | NotReduced:
    """Return the matrices of the weights at hidden nodes that are conserved for any data."""
    del problem, known
    kept, lost = conserved(flow)
    if not kept:
        if not lost:
            return NotReduced(why="the graph has no hidden nodes")
        return NotReduced(why="; ".join(f"at {', '.join(node.nodes)}: {node.why}" for node in lost))
    parts = [
        Part(f"constant at {', '.join(f'`{name}`' for name in each.nodes)}", (Formula(str(each), each.latex),))
        for each in kept
    ]
    parts += [Part(f"nothing of this kind at {', '.join(each.nodes)}: {each.why}") for each in lost]
    trained = Condition(
        "every weight at these nodes is trained, and leads from and to these nodes alone", True, "0", True
    )
    return Reduction(
        "the flow conserves matrices of the weights, whatever the data",
        (trained,),
        tuple(parts),
        tuple(each.derivation for each in kept),
    )
