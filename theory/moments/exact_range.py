"""The exact rank and range of A = F M F^T, for rational F and positive definite M: those of F, without a threshold.

What is orthogonal to the range never moves. Orthonormal vectors that span it are eigenvectors of A in float64, and in
balls independent columns of F, orthogonalised. Source: notes, eq. (8)-(12), for singular A.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Int, Shaped

from theory.moments.arithmetic import Arithmetic
from theory.moments.feature_moments import Block, FeatureMoments, Structure
from theory.moments.sign_features import SignFeatures
from theory.moments.symmetric import Circulant, Dense
from theory.problem import OutOfReachError

# The largest r^2 (M - r) for rank r and M rows or columns: a minute of elimination in integers of hundreds of digits.
MOST_ELIMINATION = 100_000_000
PRIMES = (2**61 - 1, 2**61 - 31, 2**61 - 45)


@dataclass(frozen=True, eq=False)
class Component:
    """Coupled rows of A, at `places`, with their rows of F in whole numbers; `rank` is that of both.

    >>> Component.of(np.array([0, 1]), np.array([[1, 2], [2, 4]])).rank
    1
    """

    places: Int[np.ndarray, " M"]
    features: Any  # flint.fmpz_mat, (M, V)
    rank: int

    @classmethod
    def of(cls, places: Int[np.ndarray, " M"], features: Shaped[np.ndarray, "M V"]) -> "Component":
        """Find the rank of features in whole numbers. Raises OutOfReachError where that takes minutes."""
        from flint import fmpz_mat, nmod_mat

        matrix, least = fmpz_mat(features.tolist()), min(features.shape)
        rank = nmod_mat(matrix, PRIMES[0]).rank()  # at most the rank over the rationals
        if rank < least:
            if rank**2 * (least - rank) > MOST_ELIMINATION:
                raise OutOfReachError(
                    f"A has a coupled component of {len(places)} rows: its rank, about {rank}, takes minutes to find "
                    "exactly.",
                    "Use fewer sites or overlapping gates; A and b, as exact fractions, are in theory.moments.",
                )
            rank = matrix.rank()
        return cls(places, matrix, rank)

    @property
    def regular(self) -> bool:
        """Whether A has full rank on these rows."""
        return self.rank == len(self.places)

    def directions(self, kernel: Shaped[np.ndarray, "M M"], arithmetic: Arithmetic) -> Shaped[np.ndarray, "r M"]:
        """Return orthonormal rows that span the range of A on these rows, of which A is the kernel."""
        if self.regular:
            numbers = np.full((self.rank, self.rank), arithmetic.rational(Fraction(0)), dtype=arithmetic.dtype)
            np.fill_diagonal(numbers, arithmetic.rational(Fraction(1)))
            return numbers
        if arithmetic.dtype is float:
            return np.linalg.eigh(kernel)[1][:, -self.rank :].T
        from flint import arb_mat

        columns = self.features.transpose().tolist()
        rows = orthonormal(arb_mat([columns[column] for column in independent(self.features, self.rank)]))
        return np.array(rows.tolist(), dtype=object)

    def block(
        self,
        kernel: Shaped[np.ndarray, "M M"],
        rhs: Shaped[np.ndarray, "M *m"],
        arithmetic: Arithmetic,
        circulant: bool = False,
    ) -> Block:
        """Return the flow of these rows of A and b in the coordinates of `directions`."""
        directions = self.directions(kernel, arithmetic)
        if not self.regular:
            kernel, rhs = directions @ kernel @ directions.T, directions @ rhs
            kernel = (kernel + kernel.T) / 2
        return Block(
            n=1,
            directions=directions[None],
            constants=np.empty((1, 0, 0), dtype=arithmetic.dtype),
            scales=np.array([arithmetic.rational(Fraction(1))], dtype=arithmetic.dtype),
            kernel=Circulant(kernel[0], (len(kernel),)) if circulant else Dense(kernel),
            rhs=rhs.T[..., None, :],
            places=self.places,
        )


def independent(matrix: Any, rank: int) -> list[int]:
    """Return as many columns as the rank, independent modulo a prime, and hence over the rationals (flint.fmpz_mat).

    >>> from flint import fmpz_mat
    >>> independent(fmpz_mat([[1, 2, 0], [2, 4, 1]]), 2)
    [0, 2]
    """
    from flint import nmod_mat

    for prime in PRIMES:
        reduced, found = nmod_mat(matrix, prime).rref()
        if found == rank:
            rows = reduced.tolist()[:rank]
            return [next(column for column, entry in enumerate(row) if int(entry)) for row in rows]
    raise OutOfReachError(
        f"A has rank {rank}, and less modulo each of {len(PRIMES)} primes of 61 bits.",
        "Change the data by a little: this happens to one matrix in 10^18, or to one made for it.",
    )


def orthonormal(rows: Any) -> Any:
    """Return an orthonormal basis of the span of independent rows of balls (flint.arb_mat), by halves.

    >>> from flint import arb_mat
    >>> basis = orthonormal(arb_mat([[3, 4], [1, 0]]))
    >>> [[round(float(entry), 12) for entry in row] for row in basis.tolist()]
    [[0.6, 0.8], [0.8, -0.6]]
    """
    from flint import arb_mat

    table = rows.tolist()
    if len(table) == 1:
        return rows * (1 / (rows * rows.transpose())[0, 0].sqrt())
    first, rest = orthonormal(arb_mat(table[: len(table) // 2])), arb_mat(table[len(table) // 2 :])
    rest = rest - rest * first.transpose() * first
    return arb_mat([*first.tolist(), *orthonormal(rest).tolist()])


@dataclass(frozen=True, eq=False)
class RangedFeatures(FeatureMoments):
    """The moments `sums` with A on its exact range, of components that `find` finds; `said` is why the rank is known.

    s_0 x_0 = 1 and s_0 x_1 = s_1 x_0 for x = sign(z):

    >>> from theory.moments import feature_moments
    >>> from theory.problem import Network, NonlinearGP, SiteGate
    >>> law = NonlinearGP(2, (2, 1), 1, "open", "none", (1, 0), nonlinearity="sign")
    >>> network = Network("gated-linear", "mean", 2, (SiteGate(0, lo=0), SiteGate(1, lo=0)))
    >>> feature_moments(law, network).structure.rank
    3
    """

    sums: SignFeatures
    find: Callable[[], tuple[Component, ...]]
    said: str
    remarks: tuple[str, ...] = ()

    @property
    def arithmetic(self) -> Arithmetic:
        """The numbers: float64 or balls."""
        return self.sums.arithmetic

    @property
    def certified_seconds(self) -> float:
        """About how long the integrals of these moments in balls take."""
        return self.sums.certified_seconds

    @cached_property
    def _assembled(self) -> Shaped[np.ndarray, "P P"]:
        return self.sums.assembled()

    def assembled(self) -> Shaped[np.ndarray, "P P"]:
        """A as an array."""
        return self._assembled

    @property
    def b(self) -> Shaped[np.ndarray, "P *m"]:
        """<phi y>."""
        return self.sums.b

    @property
    def y2(self) -> Any:
        """<y.y>."""
        return self.sums.y2

    @property
    def amplification(self) -> float:
        """That of the sums."""
        return self.sums.amplification

    @cached_property
    def _components(self) -> tuple[Component, ...]:
        return self.find()

    @cached_property
    def structure(self) -> Structure:
        """The rank of A and its decoupling."""
        ranks, size = [component.rank for component in self._components], len(self.b)
        notes = [*self.remarks]
        if sum(ranks) < size:
            notes.append(
                f"A has rank {sum(ranks)} of {size}, exactly{self.said}; the other directions keep their initial "
                "values."
            )
        return Structure(sum(ranks), max(ranks), False, (*notes, decoupled(ranks)))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """A block for each component."""
        parts = ((own, self.assembled()[np.ix_(own.places, own.places)]) for own in self._components)
        return tuple(own.block(kernel, self.b[own.places], self.arithmetic) for own, kernel in parts)


def decoupled(ranks: list[int], circulant: bool = False) -> str:
    """Return the sentence on the components of A.

    >>> decoupled([3, 1])
    'A decouples into 2 blocks; kernels of at most 3 rows.'
    """
    solved = "diagonalised by the DFT" if circulant else f"kernels of at most {max(ranks)} rows"
    return f"A decouples into {len(ranks)} block{'s' if len(ranks) > 1 else ''}; {solved}."


def components(connected: np.ndarray) -> list[Int[np.ndarray, " M"]]:
    """The connected components of a symmetric relation, each as ascending indices.

    >>> [part.tolist() for part in components(np.array([[1, 0, 1], [0, 0, 0], [1, 0, 1]], dtype=bool))]
    [[0, 2], [1]]
    """
    from scipy.sparse.csgraph import connected_components

    count, label = connected_components(connected, directed=False)
    return [np.flatnonzero(label == part) for part in range(count)]
