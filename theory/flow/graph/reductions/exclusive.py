"""Exclusive gates: if g_a g_b = 0 with probability 1, then Sigma^xx(a, b) = 0, and paths a and b are not coupled.

The errors E(a) of a group of paths then depend on the weights of that group only; groups may still share weights.
"""

from collections.abc import Iterator

import sympy
from sympy.matrices.expressions import MatrixExpr, MatrixSymbol, ZeroMatrix

from theory.flow.graph.conditions import Condition
from theory.flow.graph.diagonal import pairs_met, products_at
from theory.flow.graph.gate_values import GateValues
from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.known import Known
from theory.flow.graph.reduction import NotReduced, Part, Reduction, formula
from theory.problem import Problem
from theory.proof.derivation import Derivation, Step
from theory.proof.rules import matrices  # noqa: F401 - it registers the rules that the derivation names


def reduce(problem: Problem, flow: GraphFlow, known: Known) -> Reduction | NotReduced:
    """Return the errors without the paths that are never open together, and the remaining groups of coupled paths."""
    del problem
    met = [(a, b) for a, b in pairs_met(flow) if a < b]
    if not met:
        return NotReduced(why="the paths to an output all pass the same product of gates")
    gates = known.gates
    apart = [pair for pair in met if gates.exclusive(*pair)]
    if not apart:
        pair = min(met, key=lambda pair: gates.together[pair])
        return NotReduced((_never_together(gates, *pair),))
    proofs = tuple(_derive(flow, output, a, gates) for output, a in flow.errors if _gone(flow, output, a, gates))
    parts = [Part("the errors", tuple(formula(flow, proof.proves.lhs, proof.proves.rhs) for proof in proofs))]
    parts += [Part(said) for said in _groups(flow, gates)]
    return Reduction(
        "paths that are never open together do not see each other",
        tuple(_never_together(gates, *pair) for pair in apart),
        tuple(parts),
        proofs,
    )


def _never_together(gates: GateValues, a: int, b: int) -> Condition:
    chance = gates.together[a, b]
    exact = not isinstance(chance, float)
    off = "0" if chance == 0 else f"E[g_{a} g_{b}] = {chance if exact else f'{chance:.4g}'}"
    return Condition(f"$g_{{{a}}} g_{{{b}}} = 0$ with probability 1", chance == 0, off, exact)


def _gone(flow: GraphFlow, output: str, a: int, gates: GateValues) -> list[int]:
    """The products of gates on paths to an output that are never open with a."""
    return [b for b in products_at(flow, output) if gates.exclusive(a, b)]


def _derive(flow: GraphFlow, output: str, a: int, gates: GateValues) -> Derivation:
    error = flow.error_symbol(output, a)
    gone = [flow.input_input(a, b) for b in _gone(flow, output, a, gates)]
    gone += [flow.output_input(output, a)] if gates.exclusive(a, a) else []
    zeros = tuple(sympy.Tuple(moment, ZeroMatrix(*moment.shape)) for moment in gone)
    proved = sympy.Eq(error, _without(flow.error(output, a), set(gone)), evaluate=False)
    steps = (
        Step(sympy.Eq(error, flow.error(output, a), evaluate=False), "the error of the output", "definition"),
        Step(proved, "the moments of gates that are never open together vanish", "matrix-substitute", zeros),
    )
    return Derivation(f"flow.graph.exclusive.{error.name}", proved, steps)


def _without(total: MatrixExpr, letters: set[MatrixSymbol]) -> MatrixExpr:
    """The terms of a sum that have none of the letters."""
    kept = [term for term in total.args if not term.atoms(MatrixSymbol) & letters]
    if not kept:
        return ZeroMatrix(*total.shape)
    return kept[0] if len(kept) == 1 else total.func(*kept, evaluate=False)


def _groups(flow: GraphFlow, gates: GateValues) -> Iterator[str]:
    """Yield sentences on the groups of coupled products of gates, and on the weights that groups share."""
    groups: list[set[int]] = []
    for a in flow.numbers:
        seen = [
            g for g in groups if any((min(a, b), max(a, b)) in pairs_met(flow) and not gates.exclusive(a, b) for b in g)
        ]
        groups = [g for g in groups if g not in seen] + [set().union({a}, *seen)]
    if len(groups) == 1:
        yield "the paths stay one group: they are linked by paths that are open together with each"
        return
    names = [
        {edge.weight for path in flow.paths if path.opening in group for edge in path.edges} & set(flow.weights)
        for group in groups
    ]
    shared = {name for i, own in enumerate(names) for other in names[i + 1 :] for name in own & other}
    listed = "; ".join("$a = " + ", ".join(map(str, sorted(group))) + "$" for group in groups)
    yield f"the errors of these groups of paths are those of separate networks: {listed}"
    if shared:
        coupled = ", ".join(f"`{name}`" for name in flow.weights if name in shared)
        yield f"the groups learn together through the weights that they share: {coupled}"
    else:
        yield "the groups share no weight, and learn independently"
