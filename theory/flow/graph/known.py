"""The properties of a problem's data that reductions use: moments of paths, in float64 and if possible exact.

Laws of finitely many examples have rational moments: integers times a common factor. The moments of other laws are in
float64, each entry with an error of a few roundings of its largest term.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm, sqrt
from typing import Any

import numpy as np

from theory.flow.graph.data import moments_of
from theory.flow.graph.gate_values import GateValues, examples_of, gate_values, opened
from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.moments import PathMoments
from theory.moments.exact_moments import Examples
from theory.moments.feature_moments import squared_labels
from theory.problem import FiniteData, OutOfReachError, Problem
from theory.problem.distributions.rows import RowsLaw

MOST_ENTRIES = 20_000_000  # the most numbers in all moments together: 160 MB
MOST_EXACT = 2_000_000  # the most numbers in the examples for exact moments, which then take some seconds
EPSILON = float(np.finfo(float).eps)
MOMENT_ROUNDINGS = 8  # the error of an entry of a law's moments in roundings of its largest term


@dataclass(frozen=True, eq=False)
class Moment:
    """A matrix of moments: `array` in float64, and `whole`, exact integers equal to it up to a positive factor.

    whole: None for moments that are not exact. name: its form in formulas. unit: a bound on the Frobenius norm that
    cancellation does not reduce, the root mean square of |y| |x|. rounding: the error of the array in that unit.
    """

    name: str
    array: np.ndarray
    whole: Any  # flint.fmpz_mat or None
    unit: float
    rounding: float


@dataclass(frozen=True)
class Off:
    """The relative size of a matrix that should vanish; `of` names the reference, and `zero` is True if it vanishes."""

    zero: bool
    size: float
    of: str
    exact: bool
    bound: float = 0.0

    def __str__(self) -> str:
        if self.zero and self.exact:
            return "0"
        said = f"{self.size:.2g} of {self.of}"
        return f"{said}, within the rounding of float64 ({self.bound:.1g})" if self.zero else said


@dataclass(frozen=True, eq=False)
class Known:
    """The moments of a problem's paths, computed at first use; OutOfReachError where they are too large.

    exactly: whether moments are exact where the data are; in float64 alone they are known sooner.
    """

    problem: Problem
    flow: GraphFlow
    exactly: bool = True

    @cached_property
    def gates(self) -> GateValues:
        """Products of gates as random variables."""
        return gate_values(self.problem.data, self.flow)

    @cached_property
    def moments(self) -> PathMoments:
        """Sigma^yx(a) and Sigma^xx(a, b) in float64."""
        products, n = len(self.flow.openings), self.flow.inputs
        if products**2 * n**2 > 2 * MOST_ENTRIES:
            raise OutOfReachError(
                f"The moments of {products} products of gates on {n} inputs have more than {MOST_ENTRIES} entries.",
                "Use fewer inputs or gates.",
            )
        return moments_of(self.problem, self.flow)

    @cached_property
    def _listed(self) -> Examples | None:
        """The examples if they are few enough for exact arithmetic, else None, which every condition then mentions."""
        law = self.problem.data
        if not self.exactly or (isinstance(law, FiniteData) and len(law.x) * law.n > MOST_EXACT):
            return None
        return examples_of(law)

    @property
    def exact(self) -> bool:
        """Whether conditions on the moments are decided in exact arithmetic."""
        return self._listed is not None

    @cached_property
    def _whole(self) -> tuple[dict[tuple[str, int], Any], dict[tuple[int, int], Any]]:
        return _whole_moments(self._listed, self.flow) if self._listed is not None else ({}, {})

    @cached_property
    def _size(self) -> dict[int, float]:
        """sqrt(<g_a^2 |x|^2>)."""
        return {a: sqrt(np.trace(self.moments.beside(a, a))) for a in self.flow.numbers}

    @property
    def _rounding(self) -> float:
        law = self.problem.data
        rows = len(law.rows.x) if isinstance(law, RowsLaw) else len(law.x) if isinstance(law, FiniteData) else 0
        return max(MOMENT_ROUNDINGS, rows) * EPSILON  # a sum over rows has a rounding for each

    def input_input(self, one: int, other: int) -> Moment:
        """Sigma^xx(a, b)."""
        a, b = sorted((one, other))
        whole = self._whole[1].get((a, b))
        array = _without_rounding(self.moments.input_input[a, b], whole)
        return Moment(f"Sxx[{a},{b}]", array, whole, self._size[a] * self._size[b], self._rounding)

    def output_input(self, output: str, a: int) -> Moment:
        """Sigma^yx(a) at an output node."""
        whole = self._whole[0].get((output, a))
        array = _without_rounding(self.moments.output_input[output, a], whole)
        name = self.flow.output_input(output, a).name.replace("(", "[").replace(")", "]")
        return Moment(name, array, whole, sqrt(squared_labels(self.problem.data)) * self._size[a], self._rounding)


def asymmetry(factors: Sequence[tuple[Moment, bool]]) -> Off:
    """Return how far a product of moments, each transposed if its flag is set, is from symmetric.

    |P - P'| relative to the norms of the factors (Frobenius); exact where all factors are.

    >>> from flint import fmpz_mat
    >>> def moment(rows):
    ...     return Moment("M", np.array(rows, dtype=float), fmpz_mat(rows), 1.0, 0.0)
    >>> A, B = moment([[1, 0], [0, 2]]), moment([[0, 1], [1, 0]])
    >>> str(asymmetry([(A, False), (A, True)])), str(asymmetry([(A, False), (B, False)]))
    ('0', '0.45 of the product of the norms')
    """
    if all(moment.whole is not None for moment, _ in factors):
        product = _product([moment.whole.transpose() if flag else moment.whole for moment, flag in factors])
        difference = product - product.transpose()
        return exact_off(difference, [moment.whole for moment, _ in factors], "the product of the norms")
    array = _product([moment.array.T if flag else moment.array for moment, flag in factors], np.matmul)
    size = float(np.linalg.norm(array - array.T))
    norms = float(np.prod([np.linalg.norm(moment.array) for moment, _ in factors]))
    units = float(np.prod([moment.unit for moment, _ in factors]))
    longest = max(max(moment.array.shape) for moment, _ in factors)
    each = sum(moment.rounding for moment, _ in factors) + (len(factors) - 1) * longest * EPSILON
    allowed = 2 * each * units
    return relative_off(size, norms, allowed, "the product of the norms")


def exact_off(difference: Any, factors: Sequence[Any], of: str) -> Off:
    """Return |D| relative to the product of norms, for integer matrices (flint.fmpz_mat).

    >>> from flint import fmpz_mat
    >>> exact_off(fmpz_mat([[3]]), [fmpz_mat([[4]])], "of it").size
    0.75
    """
    square = _squared(difference)
    if square == 0:
        return Off(True, 0.0, of, True)
    denominator = 1
    for factor in factors:
        denominator *= _squared(factor)
    return Off(False, sqrt(Fraction(square, denominator)), of, True)


def relative_off(size: float, norms: float, allowed: float, of: str) -> Off:
    """Return `size` relative to `norms`, in float64; it counts as zero if rounding can explain it.

    >>> relative_off(1e-17, 1.0, 1e-15, "1").zero, relative_off(0.5, 2.0, 1e-15, "2").size
    (True, 0.25)
    """
    return Off(bool(size <= allowed), size / norms if norms else 0.0, of, False, allowed / norms if norms else 0.0)


def _product(matrices: Sequence[Any], times: Any = lambda left, right: left * right) -> Any:
    found = matrices[0]
    for matrix in matrices[1:]:
        found = times(found, matrix)
    return found


def _without_rounding(array: np.ndarray, whole: Any) -> np.ndarray:
    """Return the array with exact zeros where the integers are 0 and float64 has only rounding errors."""
    if whole is None:
        return array
    return np.where(np.array([[int(entry) != 0 for entry in row] for row in whole.table()]), array, 0.0)


def _squared(matrix: Any) -> int:
    return sum(int(entry) ** 2 for entry in matrix.entries())


def _whole_moments(examples: Examples, flow: GraphFlow) -> tuple[dict, dict]:
    """Return Sigma^yx and Sigma^xx times one positive factor each, as integers, by sums over patterns of gates."""
    from flint import fmpz_mat

    x, y = _whole_rows(examples.x.tolist()), _whole_rows(examples.labels)
    shares = [row[0] for row in _whole_rows([(share,) for share in examples.probabilities])]
    patterns: dict[tuple[bool, ...], list[int]] = {}
    for index, pattern in enumerate(map(tuple, opened(flow, examples.x, examples.context).tolist())):
        patterns.setdefault(pattern, []).append(index)
    n, m = len(x[0]), len(y[0])
    second = {pattern: fmpz_mat(n, n) for pattern in patterns}
    first = {pattern: fmpz_mat(m, n) for pattern in patterns}
    for pattern, mine in patterns.items():
        inputs = fmpz_mat([x[i] for i in mine])
        second[pattern] = fmpz_mat([[shares[i] * entry for entry in x[i]] for i in mine]).transpose() * inputs
        first[pattern] = fmpz_mat([[shares[i] * entry for entry in y[i]] for i in mine]).transpose() * inputs
    input_input = {
        (a, b): sum((second[p] for p in patterns if p[a - 1] and p[b - 1]), fmpz_mat(n, n)) for a, b in flow.pairs
    }
    whole = {a: sum((first[p] for p in patterns if p[a - 1]), fmpz_mat(m, n)) for a in flow.numbers}
    tables = {a: matrix.table() for a, matrix in whole.items()}
    output_input = {
        (name, a): fmpz_mat(table[rows]) for name, rows in flow.label_rows.items() for a, table in tables.items()
    }
    return output_input, input_input


def _whole_rows(rows: Sequence[Sequence[Fraction]]) -> list[list[int]]:
    """Rows of fractions times their common denominator."""
    common = lcm(*(Fraction(entry).denominator for row in rows for entry in row))
    return [[int(Fraction(entry) * common) for entry in row] for row in rows]
