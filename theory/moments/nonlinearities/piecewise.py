"""Features that depend on each other because f is constant on intervals, as for x = sign(z): A on its exact range.

At one site 1, f, the hard half-spaces e_c and the products e_c f are, on each interval between thresholds and ends of
flat pieces, a multiple of f plus a constant, or a constant where f is flat. Exact elimination chooses a basis of them.
Products of basis functions of different sites are linearly independent, and so are soft functions, which are analytic.
So every feature is a combination, with exact coefficients F, of linearly independent functions, A = F M F' with M
positive definite, and the range of A is that of F.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from jaxtyping import Shaped

from theory.moments.arithmetic import FLOAT64
from theory.moments.basis import GateBasis
from theory.moments.exact_moments import whole_numbers
from theory.moments.exact_range import Component, RangedFeatures
from theory.moments.nonlinearities.edges import exact_square
from theory.moments.nonlinearities.gates import Piece, cells, pieces
from theory.moments.sign_features import SignFeatures
from theory.problem import NonlinearGP, OutOfReachError

Key = frozenset[tuple[int, int]]  # basis functions by site and number; soft half-spaces by -1 and their index
Combination = dict[Key, Fraction]
ONE: Combination = {frozenset(): Fraction(1)}


def on_range(law: NonlinearGP, sums: SignFeatures) -> RangedFeatures:
    """Return the moments on the exact range of A.

    Raises OutOfReachError for hard gates along several sites, for class means where Z is irrational, and for balls of
    trained biases beside such a Z.
    """
    if sums.gates.constants and sums.arithmetic is not FLOAT64 and not _has_rational_scale(law):
        raise OutOfReachError(
            "The features of these gates depend on each other, and in some combinations those of the inputs have the "
            "factor 1/Z and those of the biases have not: the range of A is known in float64 alone.",
            'Leave the digits out, use normaliser = "none", or leave the biases out.',
        )
    matrix, _ = whole_numbers(coefficients(law, sums.gates))
    found = (Component.of(np.arange(len(matrix)), matrix),)
    return RangedFeatures(
        sums, lambda: found, ": inputs that are constant on intervals make features depend on each other"
    )


def _has_rational_scale(law: NonlinearGP) -> bool:
    """Whether 1/Z, the factor of features of inputs beside those of biases, is known to be a rational number."""
    return law.normaliser == "none" or exact_square(law.nonlinearity) == 1


def coefficients(law: NonlinearGP, gates: GateBasis) -> Shaped[np.ndarray, "P V"]:
    """Return the features of all rows of A as combinations of linearly independent functions, in fractions.

    Of s_0 x_0 = 1 and s_0 x_1 on two sites there is one function each, and none of x_0 and x_1 alone:

    >>> from theory.moments.directions import Direction
    >>> from theory.moments.half_spaces import HalfSpace
    >>> law = NonlinearGP(2, (2, 1), 1, "open", "none", (1, 0), nonlinearity="sign")
    >>> zero, one = Fraction(0), Fraction(1)
    >>> coefficients(law, GateBasis((HalfSpace(Direction(((0, one),))),), ((zero, one),))).astype(int).tolist()
    [[1, 0], [0, 1]]
    """
    _require_rational(law)
    sites = {i: _Site.of(law, gates, i, pieces(law.nonlinearity)) for i in range(law.n)}
    columns: list[list[Combination]] = []
    for means in law.means or ((Fraction(0),) * law.n,):
        own = []
        for row in gates.coefficients:
            for j in range(law.n):
                terms = [(number, _with_input(gates, sites, c, j)) for c, number in enumerate(row) if number]
                constants = [(means[j] * number, _alone(gates, sites, c)) for c, number in enumerate(row) if number]
                own.append(_sum([*terms, *constants]))
        for row in gates.constants:
            own.append(_sum([(number, _alone(gates, sites, c)) for c, number in enumerate(row) if number]))
        columns.append(own)
    parts = []
    for own in columns:
        keys = list(dict.fromkeys(key for feature in own for key in feature))
        parts.append(np.array([[feature.get(key, Fraction(0)) for key in keys] for feature in own], dtype=object))
    return np.concatenate(parts, axis=1)


def _require_rational(law: NonlinearGP) -> None:
    if law.means and not _has_rational_scale(law):
        raise OutOfReachError(
            "The features of these gates depend on each other, and class means beside an irrational Z leave the rank "
            "of A unknown.",
            'Use normaliser = "none", leave the class means out, or simulate it (gdln simulate).',
        )


@dataclass(frozen=True)
class _Site:
    """Functions of one site over a basis of them that begins with 1: of f, of each e_c, and of each e_c f, by c."""

    f: Combination
    alone: Mapping[int, Combination]
    times_f: Mapping[int, Combination]

    @classmethod
    def of(cls, law: NonlinearGP, gates: GateBasis, site: int, flat: list[Piece]) -> "_Site":
        from flint import fmpq, fmpq_mat

        hard = [c for c, own in enumerate(gates.half_spaces) if not own.soft and own.direction.entries[0][0] == site]
        found = list(cells(law, [gates.half_spaces[c] for c in hard], flat))
        rows: list[list[Fraction]] = []
        for values, f in found:
            zero = [Fraction(0)] * len(values)
            if f is None:
                rows += [[*zero, *values], [*values, *zero]]
            else:
                rows.append([*values, *(f * value for value in values)])
        # Columns: 1, e_c, ..., then f, f e_c, ...; 1 and f come first.
        count = 1 + len(hard)
        order = [0, count, *range(1, count), *range(count + 1, 2 * count)]
        exact = fmpq_mat([[fmpq(row[v].numerator, row[v].denominator) for v in order] for row in rows])
        reduced, rank = exact.rref()
        pivots = [next(v for v in range(2 * count) if reduced[row, v] != 0) for row in range(rank)]

        def column(v: int) -> Combination:
            numbers = [(pivot, reduced[row, v]) for row, pivot in enumerate(pivots)]
            keys = {pivot: frozenset() if pivot == 0 else frozenset(((site, pivot),)) for pivot in pivots}
            return {keys[pivot]: Fraction(int(x.p), int(x.q)) for pivot, x in numbers if x != 0}

        alone = {c: column(2 + place) for place, c in enumerate(hard)}
        times = {c: column(1 + count + place) for place, c in enumerate(hard)}
        return cls(column(1), alone, times)


def _alone(gates: GateBasis, sites: Mapping[int, _Site], c: int) -> Combination:
    """e_c, the function 1 for c = 0."""
    if c == 0:
        return ONE
    own = gates.half_spaces[c - 1]
    if own.soft:
        return {frozenset(((-1, c),)): Fraction(1)}
    return sites[own.direction.entries[0][0]].alone[c - 1]


def _with_input(gates: GateBasis, sites: Mapping[int, _Site], c: int, j: int) -> Combination:
    """e_c f(z_j)."""
    if c and not gates.half_spaces[c - 1].soft and gates.half_spaces[c - 1].direction.site == j:
        return sites[j].times_f[c - 1]
    gate, f = _alone(gates, sites, c), sites[j].f
    return _sum([(a * b, {key | other: Fraction(1)}) for key, a in gate.items() for other, b in f.items()])


def _sum(terms: list[tuple[Fraction, Combination]]) -> Combination:
    total: Combination = {}
    for factor, combination in terms:
        for key, number in combination.items():
            total[key] = total.get(key, Fraction(0)) + factor * number
    return {key: number for key, number in total.items() if number}
