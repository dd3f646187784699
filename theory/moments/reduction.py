"""The exact reduction of A through gates that are combinations of signs: independent gates and decoupled parts.

With g = G e, e = (1, s_1, ..., s_m) and B = <(e x)(e x)^T>, A = (G kron I) B (G kron I)^T. The column space of the
rational matrix G, times the inputs, is the range of A: weights outside never move. In it, where the classes have no
means, <e_0 e_i x x^T> = 0 by parity, so the linear network's direction G e_0 decouples wherever it is orthogonal to the
others; and gates that share one sign all have the same <x x^T>, so that there A = (G G^T) kron <x x^T> and only a 2 x 2
matrix remains. Exclusive gates (blocks) and redundant gates (sum and difference) are special cases.

Biases move in the column space of H = [G; e_0/s], whose rows are the coefficients of their features g_k and 1/s. Under
x -> -x the functions s_i x and 1 are even, x and s_i odd: where G e_0 is orthogonal to the G e_i, so is H e_0 to the
H e_i, and the weights along the G e_i with the bias along H e_0 decouple from all others.

Class means break the parity: then everything is one part, and the range is the same, as e_c and e_c x_j stay linearly
independent (`GateBasis`). Thresholds other than 0 break it too. Without biases the parts are then groups of units whose
gates are never open together, as the slabs of a tiling: where g_k g_l = 0 for all k of one group and l of another, a
combination of gates vanishes only where that of each group does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from theory.moments.basis import GateBasis, Vector


def inner(u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
    """u . v, exactly.

    >>> str(inner((Fraction(1, 2), Fraction(1)), (Fraction(1, 3), Fraction(2))))
    '13/6'
    """
    return sum((a * b for a, b in zip(u, v, strict=True) if a and b), Fraction(0))


def orthogonal_basis(vectors: Sequence[Vector]) -> list[Vector]:
    """Orthogonalise vectors over the rationals, without normalisation; dependent vectors are dropped.

    >>> one, two = Fraction(1), Fraction(2)
    >>> len(orthogonal_basis([(one, one), (two, two), (one, two)]))
    2
    """
    basis: list[tuple[Vector, Fraction]] = []
    for vector in vectors:
        rest = vector
        for other, norm in basis:
            if factor := inner(rest, other) / norm:
                rest = tuple(a - factor * b if b else a for a, b in zip(rest, other, strict=True))
        if any(rest):
            basis.append((rest, inner(rest, rest)))
    return [vector for vector, _ in basis]


@dataclass(frozen=True)
class Span:
    """The span of some columns of a matrix M: orthogonal vectors v_p, the rows v_p^T M, and |v_p|^2.

    >>> one, zero = Fraction(1), Fraction(0)
    >>> span = Span.of([(one, one), (one, zero)], (0, 1))  # columns (1, 1) and (1, 0)
    >>> [str(norm) for norm in span.norms], str(inner(*span.vectors))
    (['2', '1/2'], '0')
    """

    vectors: list[Vector]
    rows: list[Vector]
    norms: list[Fraction]

    @classmethod
    def of(cls, matrix: Sequence[Vector], chosen: Sequence[int]) -> "Span":
        """The span of the columns `chosen` of a matrix given by its rows."""
        columns = list(zip(*matrix, strict=True))
        return cls.along(orthogonal_basis([columns[c] for c in chosen]) if columns else [], columns)

    @classmethod
    def along(cls, vectors: list[Vector], columns: Sequence[Vector]) -> "Span":
        """Orthogonal vectors with their products with the columns."""
        rows = [tuple(inner(vector, column) for column in columns) for vector in vectors]
        return cls(vectors, rows, [inner(vector, vector) for vector in vectors])


@dataclass(frozen=True)
class Part:
    """A decoupled part: directions of the weights in the column space of G, of the biases in that of H.

    `shared`: only weights and at most one sign enter, and without class means every block is then a multiple of
    <x x^T>.

    Two gates that are the same unit twice: only their sum moves, and their difference keeps its start.

    >>> from theory.moments.basis import gate_basis
    >>> from theory.problem import Network, RepeatedGate, SiteGate
    >>> gates = gate_basis(Network("gated-linear", "mean", 2, (SiteGate(3, lo=0), RepeatedGate(of=0))))
    >>> [part.rank(40) for part in parts(gates)]
    [40]
    """

    weights: Span
    biases: Span
    shared: bool

    def rank(self, n: int) -> int:
        """The number of directions of theta in this part."""
        return n * len(self.weights.vectors) + len(self.biases.vectors)


@lru_cache(maxsize=16)
def parts(gates: GateBasis, parity: bool = True) -> tuple[Part, ...]:
    """Return the decoupled parts of the column spaces of G and H, exactly; `parity`: x and -x have the same law.

    >>> half = Fraction(1, 2)
    >>> from theory.moments.directions import Direction
    >>> from theory.moments.half_spaces import HalfSpace
    >>> two = GateBasis((HalfSpace(Direction(((0, Fraction(1)),))),), ((half, half), (half, -half)))
    >>> [len(parts(two, parity)) for parity in (True, False)], [part.shared for part in parts(two)]
    ([1, 1], [True])
    """
    if not gates.odd and not gates.constants:
        return tuple(_exclusive_part(gates, chosen) for chosen in _groups(gates))
    parity = parity and gates.odd
    signs = range(1, 1 + len(gates.half_spaces))
    choices = [((*signs, 0), (*signs, 0))]
    even, *odd = zip(*gates.coefficients, strict=True)
    if parity and (gates.constants or len(odd) > 1) and not any(inner(even, sign) for sign in odd):
        choices = [((0,), signs), (signs, (0,))]
    spans = [(Span.of(gates.coefficients, w), Span.of(gates.constants, b)) for w, b in choices]
    return tuple(Part(weights, biases, _shared(weights, biases, parity)) for weights, biases in spans)


def _groups(gates: GateBasis) -> list[list[int]]:
    """The units in groups: gates of different groups are never open together, exactly."""
    rows = gates.coefficients
    groups: list[list[int]] = []
    for k, row in enumerate(rows):
        met = [group for group in groups if any(gates.product(row, rows[l]) for l in group)]
        groups = [group for group in groups if group not in met] + [sorted([*(l for group in met for l in group), k])]
    return sorted(groups)


def _exclusive_part(gates: GateBasis, chosen: list[int]) -> Part:
    """The part of a group of units; each unit for itself where their gates are independent."""
    units = range(len(gates.coefficients))
    columns = list(zip(*gates.coefficients, strict=True))
    vectors = orthogonal_basis([tuple(x if k in chosen else Fraction(0) for k, x in enumerate(c)) for c in columns])
    if len(vectors) == len(chosen):
        vectors = [tuple(Fraction(int(k == l)) for l in units) for k in chosen]
    span = Span.along(vectors, columns)
    return Part(span, Span.along([], []), _shared(span, Span.along([], []), parity=False))


def _shared(weights: Span, biases: Span, parity: bool) -> bool:
    """Whether the weights share <x x^T>; with class means <s x x^T> is not zero, and no sign may enter."""
    if biases.rows:
        return False
    signs = sum(any(row[c] for row in weights.rows) for c in range(1, len(weights.rows[0])))
    return signs <= (1 if parity else 0)


def gate_rank(gates: GateBasis) -> int:
    """The number of linearly independent gates, exactly.

    >>> gate_rank(GateBasis((), ((Fraction(1),), (Fraction(1),))))
    1
    """
    return sum(len(part.weights.vectors) for part in parts(gates))


def kernel_size(part: Part, n: int) -> int:
    """The number of rows of the kernel of a part.

    >>> (part,) = parts(GateBasis((), ((Fraction(1),), (Fraction(1),))))
    >>> kernel_size(part, 5), part.rank(5)
    (5, 5)
    """
    return n if part.shared else part.rank(n)
