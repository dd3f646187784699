"""The exact range of a rational A: connected components, rank and orthogonal bases without a threshold.

Where A is a matrix of exact numbers (the law has finitely many inputs), its zeros are exact and so are its ranks.
Rows that no entry of A connects decouple; within a component of M rows the reduced row echelon form gives the
rank r and r rational vectors that span the range, orthogonalised in exact arithmetic. In them A has the kernel V A V^T,
which is positive definite; what is orthogonal to them never moves. Source: notes, eq. (8)-(12), for singular A.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import gcd

import numpy as np
from flint import fmpq, fmpq_mat, fmpz, fmpz_mat, nmod_mat
from jaxtyping import Int, Shaped

from theory.moments.exact_moments import ExactMoments
from theory.moments.feature_moments import Structure
from theory.problem import InputError, OutOfReachError

# The largest r^2 (r + M) for M rows and rank r: ten seconds of elimination in integers of hundreds of digits.
MOST_ELIMINATION = 150_000_000
# The most rows for the rank of an integer matrix in modular arithmetic, which takes three seconds.
MOST_REGULAR_ROWS = 1_200
# Digits of an echelon form grow as the rank; below this many bits it is made, and taken where it is the smaller one.
MOST_ECHELON_BITS = 4_000
PRIMES = (2**61 - 1, 2**61 - 31, 2**61 - 45)
MOST_CHARACTERS = 60  # the longest fraction for the optimum that is shown


@dataclass(frozen=True)
class Piece:
    """A component of A: orthogonal vectors v_p over the rows at `places`, |v_p|^2, v_p.A v_q and v_p.b (r, m).

    `pivots` are r of the places on which A is regular.

    Sites 0 and 1 are never nonzero together, so that A has two components of one row:

    >>> moments = ExactMoments(1, 2, np.array([[1, 0], [0, 1]]), 2, np.array([Fraction(1, 2)] * 2), Fraction(1))
    >>> [(piece.places.tolist(), piece.circulant) for piece in pieces(moments)]
    [([0], True), ([1], True)]
    """

    places: Int[np.ndarray, " M"]
    pivots: Int[np.ndarray, " r"]
    vectors: Shaped[np.ndarray, "r M"]
    norms: tuple[Fraction, ...]
    kernel: Shaped[np.ndarray, "r r"]
    rhs: Shaped[np.ndarray, "r m"]

    @property
    def circulant(self) -> bool:
        """Whether the kernel in the unit vectors v_p/|v_p| is exactly circulant."""
        size = len(self.norms)
        row = self.kernel[0]
        turned = np.stack([np.roll(row, shift) for shift in range(size)])
        return len(set(self.norms)) == 1 and bool((self.kernel == turned).all())


@lru_cache(maxsize=8)
def pieces(moments: ExactMoments) -> tuple[Piece, ...]:
    """Return the nonzero components of A. Raises OutOfReachError where one is too large, InputError without any.

    >>> from theory.moments.finite import exact_moments
    >>> from theory.problem import AlwaysGate, FiniteData, Network
    >>> law = FiniteData([[1, 1, 0], [0, 0, 1]], [1, -1])
    >>> [len(piece.norms) for piece in pieces(exact_moments(law, Network("gated-linear", "mean", 1, (AlwaysGate(),))))]
    [1, 1]
    """
    rows = moments.rows
    found = [_piece(moments, places) for places in components(rows != 0) if rows[places[0]].any()]
    if not found:
        raise InputError(
            "A = <x~ x~^T> is 0: no gate of this network ever opens on an input that is not 0, so nothing is learned.",
            "Move the bounds of the gates between the values of the inputs.",
        )
    return tuple(found)


def components(connected: np.ndarray) -> list[Int[np.ndarray, " M"]]:
    """The connected components of a symmetric relation, each as ascending indices.

    >>> [part.tolist() for part in components(np.array([[1, 0, 1], [0, 0, 0], [1, 0, 1]], dtype=bool))]
    [[0, 2], [1]]
    """
    left, found = np.ones(len(connected), dtype=bool), []
    for start in range(len(connected)):
        if not left[start]:
            continue
        reached = np.zeros(len(connected), dtype=bool)
        reached[start] = True
        fresh = reached
        while fresh.any():
            fresh = connected[fresh].any(axis=0) & ~reached
            reached = reached | fresh
        found.append(np.flatnonzero(reached))
        left &= ~reached
    return found


def _piece(moments: ExactMoments, places: Int[np.ndarray, " M"]) -> Piece:
    size = len(places)
    if size > MOST_REGULAR_ROWS:
        _out_of_reach(size, f"exact ranks are found for up to {MOST_REGULAR_ROWS}")
    numerators = moments.rows[np.ix_(places, places)].tolist()
    matrix = fmpz_mat(numerators)
    rank = matrix.rank()
    b = moments.columns[places]
    if rank == size:
        unit = np.array([[Fraction(int(i == j)) for j in range(size)] for i in range(size)], dtype=object)
        kernel = [[Fraction(entry, moments.denominator) for entry in row] for row in numerators]
        return Piece(places, places, unit, (Fraction(1),) * size, np.array(kernel, dtype=object), b)
    if rank**2 * (rank + size) > MOST_ELIMINATION:
        _out_of_reach(size, f"its rank {rank} makes an exact basis of its range too long to compute")
    leading = _pivots(matrix, rank)
    vectors, minors = _orthogonal(_spanning(matrix, leading))
    kernel = vectors * matrix * vectors.transpose()
    norms = [Fraction(minor, earlier) for earlier, minor in pairwise(minors)]
    # Powers of 2 that bring every vector to a length of about 1: floats would not hold some of them.
    units = [Fraction(2) ** ((norm.numerator.bit_length() - norm.denominator.bit_length()) // 2) for norm in norms]
    over = [minor * unit for minor, unit in zip(minors[:-1], units, strict=True)]
    rhs = (fmpq_mat(vectors) * _matrix(b)).tolist()
    return Piece(
        places=places,
        pivots=places[leading],
        vectors=_divided(vectors, over, [Fraction(1)] * size),
        norms=tuple(norm / unit**2 for norm, unit in zip(norms, units, strict=True)),
        kernel=_divided(kernel, over, [minor * moments.denominator for minor in over]),
        rhs=np.array(
            [[_fraction(entry) / minor for entry in row] for row, minor in zip(rhs, over, strict=True)], dtype=object
        ),
    )


def _pivots(matrix: fmpz_mat, rank: int) -> list[int]:
    """Return as many columns as the rank that are independent modulo a prime, and hence over the rationals."""
    for prime in PRIMES:
        reduced, found = nmod_mat(matrix, prime).rref()
        if found == rank:
            rows = reduced.tolist()[:rank]
            return [next(column for column, entry in enumerate(row) if int(entry)) for row in rows]
    raise OutOfReachError(
        f"A has rank {rank}, and less modulo each of {len(PRIMES)} primes of 61 bits.",
        "Change the data by a little: this happens to one matrix in 10^18, or to one made for it.",
    )


def _spanning(matrix: fmpz_mat, leading: list[int]) -> fmpz_mat:
    """Return integer rows that span the row space: those of the echelon form over the rationals, or rows of A itself.

    A is symmetric, so that its rows at the pivots are independent like the columns there.
    """
    table = matrix.tolist()
    rows = [_primitive(table[index]) for index in leading]
    if len(leading) * _bits(rows) > MOST_ECHELON_BITS:
        return fmpz_mat(rows)
    reduced = fmpq_mat(matrix).rref()[0].tolist()[: len(leading)]
    echelon = [_primitive(fmpq_mat([row]).numer_denom()[0].entries()) for row in reduced]
    return fmpz_mat(min(echelon, rows, key=_bits))


def _primitive(row: list[fmpz]) -> list[int]:
    """Divide the row by the greatest common divisor of its entries."""
    whole = [int(entry) for entry in row]
    divisor = gcd(*whole)
    return [entry // divisor for entry in whole]


def _bits(rows: list[list[int]]) -> int:
    """The bits of the largest entry."""
    return max(entry.bit_length() for row in rows for entry in row)


def _orthogonal(rows: fmpz_mat) -> tuple[fmpz_mat, list[int]]:
    """Gram-Schmidt of independent integer rows without fractions, by elimination in (G | rows), G their Gram matrix.

    Row p comes out as m_{p-1} v_p, with v_p = rows[p] less its projection on the rows before, m_p the leading minors
    of G (m_{-1} = 1, returned first) and |v_p|^2 = m_p/m_{p-1}. Entries have as many digits as the minors.
    """
    rank = rows.nrows()
    gram = (rows * rows.transpose()).tolist()
    joined = fmpz_mat([[*left, *right] for left, right in zip(gram, rows.tolist(), strict=True)])
    *_, upper = joined.fflu()
    table = upper.tolist()
    return fmpz_mat([row[rank:] for row in table]), [1, *(int(table[p][p]) for p in range(rank))]


def _divided(matrix: fmpz_mat, left: list[Fraction], right: list[Fraction]) -> Shaped[np.ndarray, "p q"]:
    """Divide entry (p, q) by left[p] right[q], in fractions."""
    rows = zip(left, matrix.tolist(), strict=True)
    return np.array([[int(x) / (a * c) for x, c in zip(row, right, strict=True)] for a, row in rows], dtype=object)


def _out_of_reach(rows: int, why: str) -> None:
    raise OutOfReachError(
        f"A has a coupled component of {rows} rows: {why}.",
        "Use fewer sites or overlapping gates; A and b, as exact fractions, are in theory.moments.",
    )


def optimum(moments: ExactMoments) -> Fraction:
    """Return <|y - yhat|^2> at the optimum as a fraction, <y.y> - sum_o b_o.A^+ b_o over the outputs o.

    Source: notes, eq. (13)-(16), corrected.

    >>> from theory.moments.finite import exact_moments
    >>> from theory.problem import AlwaysGate, FiniteData, Network
    >>> law = FiniteData([[1, 0], [0, 1], [1, 1]], [1, -1, 1])
    >>> str(optimum(exact_moments(law, Network("gated-linear", "mean", 1, (AlwaysGate(),)))))
    '1/9'
    """
    total, b = moments.y2, moments.columns
    for piece in pieces(moments):
        # b lies in the range of A, and any solution of A w = b has this b.w: the one on the pivots alone.
        columns = _matrix(b[piece.pivots])
        regular = fmpq_mat(fmpz_mat(moments.rows[np.ix_(piece.pivots, piece.pivots)].tolist()))
        products = columns.transpose() * regular.solve(columns)
        total -= moments.denominator * sum((_fraction(products[o, o]) for o in range(b.shape[1])), Fraction(0))
    return total


def structure(moments: ExactMoments) -> Structure:
    """Rank and decoupling of A by elimination, and in words: gates that never change, the rank, the blocks.

    Two equal rows have rank 1:

    >>> moments = ExactMoments(1, 2, np.array([[1, 1], [1, 1]]), 1, np.array([Fraction(1)] * 2), Fraction(2))
    >>> structure(moments).notes[0]
    'A has rank 1 of 2, exactly, by elimination in fractions; the other directions keep w0.'
    """
    found, size = pieces(moments), len(moments.first)
    rank, largest = sum(len(piece.norms) for piece in found), max(len(piece.norms) for piece in found)
    circulant = all(piece.circulant for piece in found)
    notes = list(moments.notes)
    if rank < size:
        kept = "w0" if size == moments.units * moments.n else "their initial values"
        notes.append(
            f"A has rank {rank} of {size}, exactly, by elimination in fractions; the other directions keep {kept}."
        )
    solved = "diagonalised by the DFT" if circulant else f"kernels of at most {largest} rows"
    notes.append(f"A decouples into {len(found)} block{'s' if len(found) > 1 else ''}; {solved}.")
    if largest**3 <= MOST_ELIMINATION and len(least := str(optimum(moments))) <= MOST_CHARACTERS:
        notes.append(f"<(y - yhat)^2> at the optimum is {least}.")
    return Structure(rank, largest, circulant, tuple(notes))


def _matrix(fractions: Shaped[np.ndarray, "r m"]) -> fmpq_mat:
    return fmpq_mat([[_fmpq(entry) for entry in row] for row in fractions.tolist()])


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def _fmpq(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)
