"""Redundant gates: products of gates that are combinations of others, g_a = sum_b c_b g_b with probability 1.

Then Sigma^yx(a) = sum_b c_b Sigma^yx(b) and likewise Sigma^xx, so that E(a) = sum_b c_b E(b). The network depends on
its weights through one sum of paths for each independent product, and combinations of weights without velocity are
conserved.
"""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

import numpy as np
import sympy
from sympy.matrices.expressions import MatAdd, MatMul, MatrixExpr, MatrixSymbol, ZeroMatrix

from theory.flow.graph.conditions import Condition
from theory.flow.graph.export import symbol
from theory.flow.graph.gate_values import GateValues, null_combinations
from theory.flow.graph.gradient_flow import TAU, GraphFlow
from theory.flow.graph.known import Known
from theory.flow.graph.reduction import Formula, NotReduced, Part, Reduction, formula
from theory.problem import Problem
from theory.proof.derivation import Derivation, Step
from theory.proof.rules.matrices import products

Combination = Mapping[int, Fraction]


def reduce(problem: Problem, flow: GraphFlow, known: Known) -> Reduction | NotReduced:
    """Return the errors that depend on others, the sums of paths of the network, and the conserved combinations."""
    del problem
    gates = known.gates
    depends = gates.dependencies()
    kept = list(_kept(flow, depends))
    if not depends and not kept:
        return NotReduced((_independent(gates),))
    errors = [_derive_error(flow, output, a, depends[a]) for output, a in flow.errors if a in depends]
    related = tuple(
        formula(flow, flow.error_symbol(output, a), _sum(flow, output, depends[a]))
        for output, a in flow.errors
        if a in depends
    )
    parts = [Part("the errors", related)] if related else []
    parts.append(Part("the outputs depend on the weights through these sums alone", tuple(_sums(flow, depends))))
    if kept:
        constant = tuple(_constant(name, shares) for name, shares in kept)
        parts.append(Part("these combinations of weights are constant", constant))
    return Reduction(
        "some products of gates repeat or combine others",
        tuple(_dependence(a, shares) for a, shares in depends.items()),
        tuple(parts),
        (*errors, *(_derive_kept(flow, name, shares, depends) for name, shares in kept)),
    )


def _independent(gates: GateValues) -> Condition:
    """Return the failing condition: how far the Gram matrix of the gates is from singular."""
    numbers = range(1, len(gates.rows) + 1)
    gram = np.array([[float(gates.together[min(a, b), max(a, b)]) for b in numbers] for a in numbers])
    values = np.linalg.eigvalsh(gram)
    exact = not any(isinstance(entry, float) for entry in gates.together.values())
    off = f"{values[0]:.2g}, the smallest eigenvalue of E[g_a g_b]; the largest is {values[-1]:.2g}"
    return Condition("the products of gates are linearly dependent", False, off, exact)


def _dependence(a: int, shares: Combination) -> Condition:
    total = _joined((share, f"g_{{{b}}}") for b, share in shares.items()) or "0"
    return Condition(f"$g_{{{a}}} = {total}$ with probability 1", True, "0", True)


def _joined(terms: Iterable[tuple[Fraction, str]]) -> str:
    """The sum of multiples of names."""
    text = ""
    for share, name in terms:
        sign = (" - " if share < 0 else " + ") if text else "-" * (share < 0)
        text += sign + ("" if abs(share) == 1 else f"{abs(share)} ") + name
    return text


def _sum(flow: GraphFlow, output: str, shares: Combination) -> MatrixExpr:
    """sum_b c_b E(b) at an output node."""
    terms = [(share, flow.error_symbol(output, b)) for b, share in shares.items()]
    return _total(flow.error_symbol(output, 1).shape, terms)


def _relations(flow: GraphFlow, output: str, a: int, shares: Combination) -> tuple[sympy.Tuple, ...]:
    """The moments of g_a by those of the g_b."""
    found = {flow.output_input(output, a): [(share, flow.output_input(output, b)) for b, share in shares.items()]}
    for j in flow.numbers:
        beside = shares if j == a else {j: Fraction(1)}
        found[flow.input_input(j, a)] = [
            (one * other, flow.input_input(b, c)) for b, one in shares.items() for c, other in beside.items()
        ]
    return tuple(sympy.Tuple(moment, _total(moment.shape, by)) for moment, by in found.items())


def _total(shape: tuple[int, int], terms: list[tuple[Fraction, MatrixExpr]]) -> MatrixExpr:
    """A sum of multiples of matrices; 0 where there are none."""
    scaled = [
        matrix if share == 1 else MatMul(sympy.Rational(share), matrix, evaluate=False) for share, matrix in terms
    ]
    return MatAdd(*scaled, evaluate=False) if scaled else ZeroMatrix(*shape)


def _derive_error(flow: GraphFlow, output: str, a: int, shares: Combination) -> Derivation:
    """Derive E(a) - sum_b c_b E(b) = 0: write the errors out, then the moments of g_a by those of the g_b."""
    error = flow.error_symbol(output, a)
    difference = MatrixSymbol(f"{error.name} - sum_b c_b E(b)", *error.shape)
    terms = [(Fraction(1), flow.error(output, a)), *((-share, flow.error(output, b)) for b, share in shares.items())]
    whole, relations = _total(error.shape, terms), _relations(flow, output, a, shares)
    related = whole.xreplace({old: new for old, new in relations})
    numbers = flow.numbers
    symmetric = tuple(flow.input_input(b, c) for b in numbers for c in numbers if b <= c)
    proved = sympy.Eq(difference, ZeroMatrix(*error.shape), evaluate=False)
    said = "moments are linear in the gate"
    steps = (
        Step(sympy.Eq(difference, whole, evaluate=False), "both errors written out", "definition"),
        Step(sympy.Eq(difference, related, evaluate=False), said, "matrix-substitute", relations),
        Step(proved, "the same products with opposite signs", "matrix-algebra", symmetric),
    )
    return Derivation(f"flow.graph.redundant.{error.name}", proved, steps)


def _sums(flow: GraphFlow, depends: Mapping[int, Combination]) -> Iterator[Formula]:
    """M(b) = sum of s_p c_b W_p over the paths whose product of gates has g_b, for every independent product."""
    for output in flow.graph.outputs:
        for b in flow.numbers:
            terms = []
            for path in flow.ending(output):
                share = depends.get(path.opening, {path.opening: Fraction(1)}).get(b, Fraction(0))
                terms += [(share * path.scale, flow.product(path))] if share else []
            if terms:
                moment = flow.output_input(output, b)
                name = MatrixSymbol(moment.name.replace("Syx", "M"), *moment.shape)
                yield formula(flow, name, _total(moment.shape, terms))


def _velocity(flow: GraphFlow, weight: str, depends: Mapping[int, Combination]) -> MatrixExpr:
    """Return tau dW/dt in terms of the errors of independent products only."""
    return flow.velocity_by_errors(weight).xreplace(_by_independent(flow, depends))


def _by_independent(flow: GraphFlow, depends: Mapping[int, Combination]) -> dict[MatrixSymbol, MatrixExpr]:
    return {flow.error_symbol(o, a): _sum(flow, o, depends[a]) for o, a in flow.errors if a in depends}


def _kept(flow: GraphFlow, depends: Mapping[int, Combination]) -> Iterator[tuple[str, dict[str, Fraction]]]:
    """Yield conserved W - sum_j c_j W_j: the velocity of W is that combination of those of earlier weights."""
    tables = {name: products(_velocity(flow, name, depends)) for name in flow.weights}
    for shape in dict.fromkeys(map(flow.shape, flow.weights)):
        names = [name for name in flow.weights if flow.shape(name) == shape]
        words = list(dict.fromkeys(word for name in names for word in tables[name]))
        rows = [tuple(_fraction(tables[name].get(word, sympy.S.Zero)) for word in words) for name in names]
        for index, shares in null_combinations(rows).items():
            yield names[index], {names[other]: share for other, share in shares.items()}


def _fraction(number: sympy.Rational) -> Fraction:
    return Fraction(int(number.p), int(number.q))


def _constant(weight: str, shares: Mapping[str, Fraction]) -> Formula:
    terms = [(Fraction(1), weight), *((-share, name) for name, share in shares.items())]
    return Formula(_joined(terms), _joined([(share, symbol(name)) for share, name in terms]))


def _derive_kept(
    flow: GraphFlow, weight: str, shares: Mapping[str, Fraction], depends: Mapping[int, Combination]
) -> Derivation:
    """tau d(W - sum_j c_j W_j)/dt = 0."""
    shape, terms = flow.shape(weight), [(Fraction(1), weight), *((-share, name) for name, share in shares.items())]
    moving = {name: MatrixSymbol(f"tau d{name}/dt", *shape) for _, name in terms}
    change = TAU * MatrixSymbol(f"d({_constant(weight, shares).plain})/dt", *shape)
    rule = _total(shape, [(share, moving[name]) for share, name in terms])
    velocities = {moving[name]: flow.velocity_by_errors(name) for name in moving}
    relations = _by_independent(flow, depends)
    put_in = rule.xreplace(velocities)
    steps = [
        Step(sympy.Eq(change, rule, evaluate=False), "the derivative of each weight, times tau", "definition"),
        Step(
            sympy.Eq(change, put_in, evaluate=False),
            "the gradient flow of each weight",
            "matrix-substitute",
            tuple(sympy.Tuple(old, new) for old, new in velocities.items()),
            tuple(f"flow.graph.{name}" for name in moving),
        ),
        Step(
            sympy.Eq(change, put_in.xreplace(relations), evaluate=False),
            "errors behind dependent gates by the others",
            "matrix-substitute",
            tuple(sympy.Tuple(old, new) for old, new in relations.items()),
        ),
    ]
    proved = sympy.Eq(change, ZeroMatrix(*shape), evaluate=False)
    steps.append(Step(proved, "the same products with opposite signs", "matrix-algebra"))
    return Derivation(f"flow.graph.redundant.{weight}", proved, tuple(steps))
