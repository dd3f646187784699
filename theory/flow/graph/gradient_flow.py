r"""The gradient flow of a gated linear graph, derived path by path.

With the paths p of `theory.flow.graph.paths`, E(p) the correlation of the error with the path's input, and
c = 2 for the loss "mse", 1 for "half-mse",

    tau dW/dt = c sum_p sum_{places of W in p} s_p (product after W)' E(p) (product before W)',
    E(p) = Sigma^yx(p) - sum_j s_j W_j Sigma^xx(j, p), over the paths j that end where p ends,
    Sigma^yx(p) = <g_p y x'>,   Sigma^xx(j, p) = <g_j g_p x x'>.

Shared weights have a place in p for each of their edges. Paths whose gates have the same product g_a share their
moments, so that E and both Sigma are numbered by a. Source: localization notes, eq. (5)-(7), for one layer; "The
Neural Race Reduction" (Saxe, Sodhani, Lewallen 2022) for graphs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations_with_replacement

import sympy
from sympy.matrices.expressions import Identity, MatAdd, MatMul, MatrixExpr, MatrixSymbol, Trace

from theory.flow.graph.paths import Path, one_gate_a_node, paths_of
from theory.problem.errors import InputError, OutOfReachError
from theory.problem.gates import Gate
from theory.problem.graph import Edge, Graph
from theory.proof.derivation import Derivation, Step
from theory.proof.rules.matrices import MEAN

# Names with brackets, such as Syx(1), are no names of weights in a problem file.
TAU = sympy.Symbol("tau", positive=True)
LOSS = sympy.Symbol("L", real=True)
FACTORS = {"half-mse": sympy.Rational(1, 2), "mse": sympy.Integer(1)}


@dataclass(frozen=True)
class Place:
    """A place of a weight in a path: `index` counts the path's edges from 0."""

    path: int
    index: int


@dataclass(frozen=True)
class GraphFlow:
    """The gradient flow of every trained weight of a graph under a quadratic loss, by its paths.

    Raises OutOfReachError for a loss that is not quadratic in the outputs, and for a graph without paths (`paths_of`).

    >>> from theory.problem.graph import Node
    >>> from theory.problem.parameters import Parameter
    >>> nodes, edges = (Node("x", 3), Node("h", 2), Node("y", 1)), (Edge("x", "h", "A"), Edge("h", "y", "B"))
    >>> deep = Graph(nodes, edges, (Parameter("A", (2, 3)), Parameter("B", (1, 2))), ("x",), ("y",))
    >>> GraphFlow(deep, "half-mse").velocity("A")
    B.T*(-B*A*Sxx(1,1) + Syx(1))
    >>> flow = GraphFlow(deep, "half-mse")
    >>> all(check.passed for proof in (flow.loss_derivation, flow.derivation("A")) for check in proof.check())
    True
    """

    graph: Graph
    loss: str

    def __post_init__(self) -> None:
        if self.loss not in FACTORS:
            raise OutOfReachError(
                f'The flow of the loss "{self.loss}" is no polynomial in the weights.', "Use half-mse or mse."
            )
        object.__setattr__(self, "graph", one_gate_a_node(self.graph))
        _ = self.paths

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """The paths of the graph, numbered from 1 in formulas."""
        return paths_of(self.graph)

    @cached_property
    def weights(self) -> tuple[str, ...]:
        """The names of the trained weights."""
        return tuple(parameter.name for parameter in self.graph.parameters if parameter.trained)

    def places(self, weight: str) -> tuple[Place, ...]:
        """The places of a weight in all paths. Raises InputError for a weight that the graph does not train."""
        if weight not in self.weights:
            raise InputError(f"The graph trains no weight {weight}.", f"Choose one of: {', '.join(self.weights)}.")
        return tuple(
            Place(number, index)
            for number, path in enumerate(self.paths)
            for index, edge in enumerate(path.edges)
            if edge.weight == weight
        )

    def matrix(self, edge: Edge) -> MatrixExpr:
        """Return the symbol of an edge's weights; without weights, I or the matrix (I ... I) that adds up blocks."""
        rows, columns = self.graph.node(edge.target).dimension, self.graph.node(edge.source).dimension
        if edge.weight is not None:
            return MatrixSymbol(edge.weight, rows, columns)
        return Identity(rows) if rows == columns else MatrixSymbol(f"ones({rows},{columns})", rows, columns)

    def product(self, path: Path, first: int = 0, last: int | None = None) -> MatrixExpr:
        """The product of the weights of a path's edges from `first` to before `last`; I where there are none."""
        matrices = self._matrices[path.number][first:last]
        return _product(matrices[::-1], self.graph.node(path.nodes[first]).dimension)

    @cached_property
    def _matrices(self) -> tuple[tuple[MatrixExpr, ...], ...]:
        """The symbols along each path, by its number."""
        symbols = {edge: self.matrix(edge) for edge in self.graph.edges}
        return tuple(tuple(symbols[edge] for edge in path.edges) for path in self.paths)

    @cached_property
    def openings(self) -> tuple[tuple[Gate, ...], ...]:
        """The different products of gates g_a that paths have, a = 1, 2, ...; () is 1."""
        return tuple({path.opening: path.gates for path in self.paths}.values())

    @property
    def numbers(self) -> range:
        """The numbers a = 1, 2, ... of the products of gates."""
        return range(1, len(self.openings) + 1)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs (a, b) with a <= b."""
        return tuple(combinations_with_replacement(self.numbers, 2))

    @cached_property
    def label_rows(self) -> dict[str, slice]:
        """The entries of a label vector that belong to each output node."""
        ends = list(accumulate(self.graph.node(output).dimension for output in self.graph.outputs))
        return dict(zip(self.graph.outputs, map(slice, [0, *ends], ends), strict=True))

    def output_input(self, output: str, opening: int) -> MatrixSymbol:
        """Sigma^yx(a), <g_a y x'> at an output node."""
        return self._output_input[output, opening]

    @cached_property
    def _output_input(self) -> dict[tuple[str, int], MatrixSymbol]:
        rows = {output: self.graph.node(output).dimension for output in self.graph.outputs}
        labels = {(output, a): f"Syx({self._label(output, a)})" for output in rows for a in self.numbers}
        return {key: MatrixSymbol(label, rows[key[0]], self.inputs) for key, label in labels.items()}

    def input_input(self, one: int, other: int) -> MatrixExpr:
        """Sigma^xx(a, b), <g_a g_b x x'>, which is the same for (b, a)."""
        return self._input_input[min(one, other), max(one, other)]

    @cached_property
    def _input_input(self) -> dict[tuple[int, int], MatrixSymbol]:
        return {(a, b): MatrixSymbol(f"Sxx({a},{b})", self.inputs, self.inputs) for a, b in self.pairs}

    @property
    def inputs(self) -> int:
        """n, the dimension of x."""
        return self.graph.node(self.graph.inputs[0]).dimension

    def ending(self, output: str) -> tuple[Path, ...]:
        """The paths that end at an output node."""
        return tuple(path for path in self.paths if path.target == output)

    @cached_property
    def errors(self) -> tuple[tuple[str, int], ...]:
        """The output nodes and numbers a for which there is an E(a)."""
        return tuple(
            (output, opening)
            for output in self.graph.outputs
            for opening in sorted({path.opening for path in self.ending(output)})
        )

    def error(self, output: str, opening: int) -> MatrixExpr:
        """E(a) = Sigma^yx(a) - sum_j s_j W_j Sigma^xx(a_j, a) at an output node."""
        return self._errors[output, opening]

    @cached_property
    def _errors(self) -> dict[tuple[str, int], MatrixExpr]:
        return {(output, a): self._error(output, a) for output in self.graph.outputs for a in self.numbers}

    def _error(self, output: str, opening: int) -> MatrixExpr:
        terms = [
            _scaled(-path.scale, self.product(path), self.input_input(path.opening, opening))
            for path in self.ending(output)
        ]
        return MatAdd(self.output_input(output, opening), *terms, evaluate=False)

    def error_symbol(self, output: str, opening: int) -> MatrixSymbol:
        """The symbol of E(a) at an output node."""
        shape = self.output_input(output, opening).shape
        return MatrixSymbol(f"E({self._label(output, opening)})", *shape)

    def _label(self, output: str, opening: int) -> str:
        return str(opening) if len(self.graph.outputs) == 1 else f"{output},{opening}"

    def velocity(self, weight: str) -> MatrixExpr:
        """tau dW/dt: over the places of W in all paths, c s_p (product after)' E(p) (product before)'."""
        return self._flow(weight, self.error)

    def velocity_by_errors(self, weight: str) -> MatrixExpr:
        """tau dW/dt with a symbol for each E(a)."""
        return self._flow(weight, self.error_symbol)

    def _flow(self, weight: str, error: Callable[[str, int], MatrixExpr]) -> MatrixExpr:
        terms = []
        for place in self.places(weight):
            path = self.paths[place.path]
            after, before = self._around(place)
            factor = 2 * FACTORS[self.loss] * path.scale
            terms.append(_scaled(factor, after, error(path.target, path.opening), before))
        return MatAdd(*terms, evaluate=False) if len(terms) > 1 else terms[0]

    def _around(self, place: Place) -> tuple[MatrixExpr, MatrixExpr]:
        """The transposes of the products after and before a place."""
        path = self.paths[place.path]
        return _transposed(self.product(path, place.index + 1)), _transposed(self.product(path, 0, place.index))

    @cached_property
    def loss_derivation(self) -> Derivation:
        """The derivation of the loss as traces of the weights and the moments of the data."""
        given = "the loss of an example, averaged"
        averaged = "the average is linear, and the weights are the same for all examples"
        proved = sympy.Eq(LOSS, self._loss_by_moments(), evaluate=False)
        steps = (
            Step(sympy.Eq(LOSS, self._loss_by_examples(), evaluate=False), given, "definition"),
            Step(proved, averaged, "matrix-average", tuple(self._moments())),
        )
        return Derivation("flow.graph.loss", proved, steps)

    def derivation(self, weight: str) -> Derivation:
        """The derivation of tau dW/dt from the loss: differentiate, then collect by path."""
        shape = self.shape(weight)
        symbol, velocity = MatrixSymbol(weight, *shape), MatrixSymbol(f"d{weight}/dt", *shape)
        symmetric = tuple(self.input_input(a, b) for a, b in self.pairs)
        flow = sympy.Eq(TAU * velocity, self.velocity(weight), evaluate=False)
        expanded = sympy.Eq(TAU * velocity, MatAdd(*self._expanded(weight), evaluate=False), evaluate=False)
        using = (symbol, velocity, TAU, *symmetric)
        gradient = "the gradient of a trace of products, one term for each place of the weight"
        collected = "terms with the same products before and after the weight collected"
        loss = self.loss_derivation
        steps = (
            Step(loss.proves, "the loss by the moments of the data", "premise", cites=(loss.id,)),
            Step(expanded, gradient, "matrix-gradient", using),
            Step(flow, collected, "matrix-algebra", symmetric),
        )
        return Derivation(f"flow.graph.{weight}", flow, steps)

    def shape(self, weight: str) -> tuple[int, int]:
        """The shape of a weight: units of the edge's target times units of its source."""
        first = self.places(weight)[0]
        return self.matrix(self.paths[first.path].edges[first.index]).shape

    def _gate(self, opening: int) -> sympy.Expr:
        return sympy.Symbol(f"g{opening}", real=True) if self.openings[opening - 1] else sympy.S.One

    def _columns(self, output: str) -> tuple[MatrixSymbol, MatrixSymbol]:
        return MatrixSymbol(f"y({output})", self.graph.node(output).dimension, 1), MatrixSymbol("x()", self.inputs, 1)

    def _loss_by_examples(self) -> sympy.Expr:
        total = []
        for output in self.graph.outputs:
            y, x = self._columns(output)
            terms = [
                _scaled(-path.scale * self._gate(path.opening), self.product(path), x) for path in self.ending(output)
            ]
            residual = MatAdd(y, *terms, evaluate=False)
            total.append(FACTORS[self.loss] * MEAN(Trace(MatMul(residual, residual.T, evaluate=False))))
        return sympy.Add(*total)

    def _loss_by_moments(self) -> sympy.Expr:
        total, factor = [], FACTORS[self.loss]
        for output in self.graph.outputs:
            total.append(factor * Trace(self._label_moment(output)))
            for path in self.ending(output):
                moment, product = self.output_input(output, path.opening), _transposed(self.product(path))
                cross = MatMul(moment, product, evaluate=False)
                total.append(-2 * factor * sympy.Rational(path.scale) * Trace(cross))
                for other in self.ending(output):
                    moment = self.input_input(other.opening, path.opening)
                    inside = _scaled(1, self.product(other), moment, product)
                    total.append(factor * sympy.Rational(path.scale * other.scale) * Trace(inside))
        return sympy.Add(*total)

    def _label_moment(self, output: str) -> MatrixSymbol:
        y, _ = self._columns(output)
        return MatrixSymbol(f"Syy({output})", y.shape[0], y.shape[0])

    def _moments(self) -> Iterator[sympy.Tuple]:
        for output in self.graph.outputs:
            y, x = self._columns(output)
            yield sympy.Tuple(self._label_moment(output), sympy.S.One, y, y)
            for opening in sorted({path.opening for path in self.ending(output)}):
                yield sympy.Tuple(self.output_input(output, opening), self._gate(opening), y, x)
        for one, other in self.pairs:
            yield sympy.Tuple(self.input_input(one, other), self._gate(one) * self._gate(other), x, x)

    def _expanded(self, weight: str) -> Iterator[MatrixExpr]:
        for place in self.places(weight):
            path = self.paths[place.path]
            after, before = self._around(place)
            factor, opening = 2 * FACTORS[self.loss] * path.scale, path.opening
            yield _scaled(factor, after, self.output_input(path.target, opening), before)
            for other in self.ending(path.target):
                middle = _scaled(1, self.product(other), self.input_input(other.opening, opening))
                yield _scaled(-factor * other.scale, after, middle, before)


def _product(factors: Sequence[MatrixExpr], dimension: int) -> MatrixExpr:
    kept = [factor for factor in factors if not isinstance(factor, Identity)]
    if not kept:
        return Identity(dimension)
    return kept[0] if len(kept) == 1 else MatMul(*kept, evaluate=False)


def _transposed(product: MatrixExpr) -> MatrixExpr:
    """Return the transpose of a product, symbol by symbol, which is faster than `.T` of the product."""
    if isinstance(product, MatMul):
        return MatMul(*[factor.T for factor in reversed(product.args)], evaluate=False)
    return product.T


def _scaled(scale, *factors: MatrixExpr) -> MatrixExpr:
    """Return the product of the factors without identities, times a number."""
    inside = []
    for factor in factors:
        inside += factor.args if isinstance(factor, MatMul) else [factor]
    kept = [factor for factor in inside if not isinstance(factor, Identity)]
    number = scale if isinstance(scale, sympy.Expr) else sympy.Rational(scale)
    if not kept:
        return factors[0] if number == 1 else number * factors[0]
    if number == 1 and len(kept) == 1:
        return kept[0]
    return MatMul(*([] if number == 1 else [number]), *kept, evaluate=False)
