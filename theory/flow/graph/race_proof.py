"""Proofs of the race's scalar equations: R is the orthogonal matrix of a node, B a diagonal matrix of weights."""

from dataclasses import dataclass
from functools import cached_property

import sympy
from sympy.matrices.expressions import MatAdd, MatMul, MatrixExpr, MatrixSymbol

from theory.flow.graph import scalar
from theory.flow.graph.alignment import tied_nodes
from theory.flow.graph.gradient_flow import TAU, GraphFlow
from theory.proof.derivation import Derivation, Step
from theory.proof.rules import matrices, orthogonal  # noqa: F401 - they register the rules that the derivation names


@dataclass(frozen=True)
class Diagonal:
    """A matrix X = R_t X_ R_s': X_ is diagonal, and `entry` stands for one of its entries."""

    matrix: MatrixSymbol
    target: MatrixSymbol
    inside: MatrixSymbol
    source: MatrixSymbol
    entry: sympy.Symbol

    @property
    def turned(self) -> MatrixExpr:
        """R_t X_ R_s'."""
        return MatMul(self.target, self.inside, self.source.T, evaluate=False)

    @property
    def pair(self) -> sympy.Tuple:
        """The diagonal matrix and its entry."""
        return sympy.Tuple(self.inside, self.entry)


@dataclass(frozen=True)
class RaceProof:
    """Derivations of e(a) and of tau db/dt from the flow of the whole network.

    >>> from theory.problem import AlwaysGate, Network, one_hidden_layer
    >>> flow = GraphFlow(one_hidden_layer(Network("gated-linear", "sum", 1, (AlwaysGate(),)), 2), "half-mse")
    >>> proof = RaceProof(flow).of("w")
    >>> proof.proves, all(check.passed for check in proof.check())
    (Eq(dw/dt*tau, e[1]), True)
    """

    flow: GraphFlow

    @cached_property
    def bases(self) -> dict[str, MatrixSymbol]:
        """R of each node."""
        size = {node.name: node.dimension for node in self.flow.graph.nodes}
        tied = tied_nodes(self.flow).items()
        return {node: MatrixSymbol(f"R({first})", size[first], size[first]) for node, first in tied}

    @property
    def inputs(self) -> MatrixSymbol:
        """R of the inputs."""
        return self.bases[self.flow.graph.inputs[0]]

    @cached_property
    def given(self) -> tuple[Diagonal, ...]:
        """The weights and the moments in the bases of their nodes."""
        flow, V, found = self.flow, self.inputs, []
        numbers = flow.numbers
        for name in flow.weights:
            target, source = self._ends(name)
            found.append(_diagonal(MatrixSymbol(name, *flow.shape(name)), target, source))
        for output, a in flow.errors:
            found.append(_diagonal(flow.output_input(output, a), self.bases[output], V))
        found += [_diagonal(flow.input_input(a, b), V, V) for a in numbers for b in numbers if a <= b]
        return tuple(found)

    @cached_property
    def errors(self) -> tuple[Diagonal, ...]:
        """The errors in the bases of the outputs and the inputs."""
        return tuple(_diagonal(self.flow.error_symbol(o, a), self.bases[o], self.inputs) for o, a in self.flow.errors)

    def of_error(self, output: str, opening: int) -> Derivation:
        """The proof of e(a) = S(a) - sum_j s_j b_j D(a_j, a)."""
        error = next(each for each in self.errors if each.matrix == self.flow.error_symbol(output, opening))
        step = Step(
            sympy.Eq(error.inside, _between(error, self.flow.error(output, opening)), evaluate=False),
            "the error of the output",
            "matrix-substitute",
            (sympy.Tuple(error.matrix, self.flow.error(output, opening)),),
        )
        return self._chain(
            error.matrix.name, error, error.inside, error.entry, step, self.flow.error(output, opening), self.given
        )

    def of(self, weight: str) -> Derivation:
        """The proof of tau db/dt = c sum_p s_p b_{p without e} e(a_p)."""
        flow, velocity = self.flow, self.flow.velocity_by_errors(weight)
        moving = MatrixSymbol(f"tau d{weight}/dt", *flow.shape(weight))
        rate = MatrixSymbol(f"dB({weight})/dt", *flow.shape(weight))
        target, source = self._ends(weight)
        change = Diagonal(moving, target, rate, source, sympy.Symbol(f"d{weight}/dt", real=True))
        step = Step(
            sympy.Eq(TAU * rate, _between(change, velocity), evaluate=False),
            "the gradient flow of the weight",
            "matrix-substitute",
            (sympy.Tuple(moving, velocity),),
            (f"flow.graph.{weight}",),
        )
        return self._chain(weight, change, TAU * rate, TAU * change.entry, step, velocity, (*self.given, *self.errors))

    def _ends(self, weight: str) -> tuple[MatrixSymbol, MatrixSymbol]:
        edge = next(edge for edge in self.flow.graph.edges if edge.weight == weight)
        return self.bases[edge.target], self.bases[edge.source]

    def _chain(
        self,
        name: str,
        change: Diagonal,
        left: MatrixExpr,
        entry: sympy.Expr,
        written_out: Step,
        whole: MatrixExpr,
        known: tuple[Diagonal, ...],
    ) -> Derivation:
        """Write the matrix out, express all factors in the bases of their nodes, cancel R'R = I, and take one entry."""
        turned = {each.matrix: each.turned for each in known if whole.has(each.matrix)}
        inside = {each.matrix: each.inside for each in known}
        proved = sympy.Eq(entry, scalar.in_one_mode(whole), evaluate=False)
        steps = (
            Step(
                sympy.Eq(left, _between(change, change.matrix), evaluate=False),
                "in the bases of the nodes at its ends, which do not move",
                "definition",
            ),
            written_out,
            Step(
                sympy.Eq(left, _between(change, whole).xreplace(turned), evaluate=False),
                "weights, moments and errors in the bases of their nodes",
                "matrix-substitute",
                tuple(sympy.Tuple(old, new) for old, new in turned.items()),
            ),
            Step(
                sympy.Eq(left, whole.xreplace(inside), evaluate=False),
                "each basis is orthogonal",
                "matrix-orthogonal",
                tuple(dict.fromkeys(self.bases.values())),
            ),
            Step(
                proved,
                "one entry of products of diagonal matrices",
                "matrix-diagonal",
                tuple(dict.fromkeys(each.pair for each in (*known, change))),
            ),
        )
        return Derivation(f"flow.graph.race.{name}", proved, steps)


def _diagonal(matrix: MatrixSymbol, target: MatrixSymbol, source: MatrixSymbol) -> Diagonal:
    return Diagonal(matrix, target, MatrixSymbol(f"diag({matrix.name})", *matrix.shape), source, scalar.entry(matrix))


def _between(change: Diagonal, middle: MatrixExpr) -> MatrixExpr:
    """Return R_t' (a sum of terms) R_s, term by term."""
    terms = middle.args if isinstance(middle, MatAdd) else (middle,)
    turned = [MatMul(change.target.T, term, change.source, evaluate=False) for term in terms]
    return turned[0] if len(turned) == 1 else MatAdd(*turned, evaluate=False)
