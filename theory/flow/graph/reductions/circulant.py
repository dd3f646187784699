r"""Circulant moments: where every Sigma^xx(a, b) is circulant, the discrete Fourier transform diagonalises them all.

With F the orthogonal matrix of cosines and sines and Sigma^xx(a, b) = F L(a, b) F', L diagonal,

    E(a) F = Sigma^yx(a) F - sum_j s_j (W_j F) L(a_j, a):

in the errors, a column of the first layer's weights W F is not coupled to other columns. With one layer of weights the
columns learn independently; weights of later layers depend on the sum over all columns.
"""

from collections.abc import Iterator

import numpy as np
import sympy
from jaxtyping import Float
from sympy.matrices.expressions import MatAdd, MatMul, MatrixExpr, MatrixSymbol

from theory.flow.graph.conditions import Condition
from theory.flow.graph.diagonal import pairs_met
from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.known import EPSILON, Known, Moment, Off, exact_off, relative_off
from theory.flow.graph.reduction import NotReduced, Part, Reduction, formula, listed
from theory.problem import Problem
from theory.proof.derivation import Derivation, Step
from theory.proof.rules import matrices, orthogonal  # noqa: F401 - they register the rules that the derivation names

SHOWN = 6  # eigenvalues of a spectrum that are printed


def reduce(problem: Problem, flow: GraphFlow, known: Known) -> Reduction | NotReduced:
    """Return the errors in the Fourier basis of the inputs, the spectra, and the weights that decouple."""
    del problem
    if flow.inputs == 1:
        return NotReduced(why="there is one input")
    moments = {pair: known.input_input(*pair) for pair in pairs_met(flow)}
    conditions = tuple(_is_circulant(moment, off_circulant(moment)) for moment in moments.values())
    failed = [condition for condition in conditions if not condition.holds]
    if failed:
        return NotReduced(tuple(failed[:1]))
    proofs = tuple(_derive(flow, *key) for key in flow.errors)
    formulas = tuple(formula(flow, proof.proves.lhs, proof.proves.rhs) for proof in proofs)
    spectra = listed("L", {f"{a},{b}": spectrum(moment.array) for (a, b), moment in moments.items()}, SHOWN)
    return Reduction(
        "the moments of the inputs are circulant: in the basis $F$ of cosines and sines they are diagonal, "
        "$\\Sigma^{xx} = F L F^{\\top}$",
        conditions,
        (
            Part("the errors", formulas),
            Part("the diagonals, by frequency 0, 1, ...; what is not listed is 0", spectra),
            Part("; ".join(_decoupled(flow))),
        ),
        proofs,
    )


def off_circulant(moment: Moment) -> Off:
    """Return how far a moment is from circulant: its distance from the mean along its diagonals over its norm.

    >>> off_circulant(Moment("M", np.array([[1.0, 0.0], [0.0, 0.0]]), None, 1.0, 1e-16)).size
    0.7071067811865476
    """
    n = len(moment.array)
    lag = (np.arange(n)[None, :] - np.arange(n)[:, None]) % n
    if moment.whole is not None:
        from flint import fmpz_mat

        rows = moment.whole.table()
        sums = [sum(int(rows[i][(i + d) % n]) for i in range(n)) for d in range(n)]
        difference = fmpz_mat([[n * int(rows[i][j]) - sums[lag[i, j]] for j in range(n)] for i in range(n)])
        return exact_off(difference, [n * moment.whole], "its norm")
    mean = np.bincount(lag.ravel(), moment.array.ravel(), n) / n
    size, norm = float(np.linalg.norm(moment.array - mean[lag])), float(np.linalg.norm(moment.array))
    return relative_off(size, norm, 2 * (moment.rounding + n * EPSILON) * moment.unit, "its norm")


def _is_circulant(moment: Moment, off: Off) -> Condition:
    return Condition(f"`{moment.name}` is circulant", off.zero, str(off), off.exact)


def spectrum(matrix: Float[np.ndarray, "n n"]) -> Float[np.ndarray, " frequencies"]:
    """The eigenvalues of a symmetric circulant matrix at the frequencies 0, ..., n // 2.

    >>> spectrum(np.array([[2.0, 1.0, 0.0, 1.0], [1.0, 2.0, 1.0, 0.0], [0.0, 1.0, 2.0, 1.0], [1.0, 0.0, 1.0, 2.0]]))
    array([4., 2., 0.])
    """
    return np.fft.rfft(matrix[0]).real


def _decoupled(flow: GraphFlow) -> Iterator[str]:
    """Return the sentences on which columns of weights learn independently, and which do not."""
    layers = {sum(edge.weight in flow.weights for edge in path.edges) for path in flow.paths}
    if layers == {1} and all(path.edges[0].weight in flow.weights for path in flow.paths):
        yield "every path has one layer of weights: each column of $W F$ learns independently of the others"
    else:
        yield "each column of the first layer's $W F$ meets only itself in the errors"
        yield "weights of later layers add up all columns and couple them"


def _derive(flow: GraphFlow, output: str, a: int) -> Derivation:
    """Derive E(a) F: substitute the moments, then use F'F = I."""
    n, error = flow.inputs, flow.error_symbol(output, a)
    F = MatrixSymbol("F", n, n)
    left = MatrixSymbol(f"{error.name} F", *error.shape)
    numbers = {path.opening for path in flow.ending(output)}
    diagonal = {flow.input_input(b, a): MatrixSymbol(f"L({min(a, b)},{max(a, b)})", n, n) for b in numbers}
    terms = flow.error(output, a).args
    turned = MatAdd(*(MatMul(term, F, evaluate=False) for term in terms), evaluate=False)
    put_in = turned.xreplace({old: MatMul(F, new, F.T, evaluate=False) for old, new in diagonal.items()})
    reduced = MatAdd(*(_moved(term, F, diagonal) for term in terms), evaluate=False)
    proved = sympy.Eq(left, reduced, evaluate=False)
    pairs = tuple(sympy.Tuple(old, MatMul(F, new, F.T, evaluate=False)) for old, new in diagonal.items())
    steps = (
        Step(sympy.Eq(left, turned, evaluate=False), "the error in the basis of the inputs", "definition"),
        Step(sympy.Eq(left, put_in, evaluate=False), "circulant moments", "matrix-substitute", pairs),
        Step(proved, "the Fourier basis is orthogonal", "matrix-orthogonal", (F,)),
    )
    return Derivation(f"flow.graph.circulant.{error.name}", proved, steps)


def _moved(term: MatrixExpr, F: MatrixSymbol, diagonal: dict[MatrixSymbol, MatrixSymbol]) -> MatrixExpr:
    """Write W Sigma^xx F as W F L; keep Sigma^yx F."""
    factors = term.args if isinstance(term, MatMul) else (term,)
    if factors[-1] in diagonal:
        return MatMul(*factors[:-1], F, diagonal[factors[-1]], evaluate=False)
    return MatMul(*factors, F, evaluate=False)
