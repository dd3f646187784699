"""The Ising model on a grid through gates at sites, in float64, by the transfer matrix from row to row.

With s_r the L spins of row r, W(s) = exp(h sum_a s_a + J sum_a s_a s_{a+1}) and V(s, s') = exp(K sum_a s_a s'_a),

    E prod_{i in I} x_i = sum_{s_0, ..., s_{R-1}} prod_r W(s_r) I_r(s_r) prod_r V(s_r, s_{r+1}) / (the same without I),

where I_r is the product of the spins of I in row r and V is applied spin by spin. On a torus the sum has the factor
V(s_{R-1}, s_0) too: vectors then depend on s_0 as well. Rows are taken along the shorter side. Vectors are divided by
the size of those without I, so that nothing overflows, and absolute errors are roundings of 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from theory.moments.arithmetic import Arithmetic
from theory.moments.feature_moments import FeatureMoments, law_moments
from theory.moments.inputs import Sites as Where
from theory.moments.inputs import input_statistics_of
from theory.moments.spin_inputs import SpinInputs
from theory.moments.spins import Sites, spin_features
from theory.problem import Network, OutOfReachError
from theory.problem.distributions.ising_2d import Ising2D

# The most numbers of a vector for each site: 134 MB, of which a product takes about three.
MOST_NUMBERS = 2**24
# The largest exponent over which the weights of a row may range: e^600 is far from the largest float.
MOST_EXPONENT = 600

Vectors = Float[np.ndarray, "... first states"]


@dataclass(frozen=True, eq=False)
class GridMoments:
    """Means of products of spins in class `c` of a grid, without the class mean.

    Raises OutOfReachError for a grid whose vectors fill the memory, and for couplings whose weights leave float64.

    Without couplings the spins are independent, with the mean tanh h:

    >>> law = Ising2D((2, 3), "torus", (1, 0), couplings=(0, 0), h=(1, 0))
    >>> np.abs(GridMoments(law, 0).first((4,)) - np.tanh(1) ** (2 - (np.arange(6) == 4) * 2)).max().round(12).item()
    0.0
    """

    law: Ising2D
    c: int

    def __post_init__(self) -> None:
        R, L = self.rows, self.columns
        count = R * L << (2 * L if self._periodic else L)
        if count > MOST_NUMBERS:
            kept = "of two rows" if self._periodic else "of a row"
            raise OutOfReachError(
                f"The exact moments of {R} x {L} spins take a vector over the states {kept} of {L} spins for each "
                f"site: {8 * count / 1e9:.3g} GB, more than {8 * MOST_NUMBERS / 1e9:.2g} GB.",
                "Shorten the shorter side of the grid"
                + (
                    ', or use boundary = "open", whose vectors are over the states of one row.'
                    if self._periodic
                    else "."
                ),
            )
        reach = 2 * L * float(abs(self.law.h[self.c]) + sum(map(abs, self.law.couplings[self.c])))
        if reach > MOST_EXPONENT:
            raise OutOfReachError(
                f"The weights of a row of {L} spins range over exp({reach:.4g}), and float64 holds "
                f"exp({MOST_EXPONENT}) with room for products.",
                "Lower the couplings or the field, or shorten the shorter side.",
            )

    @property
    def _periodic(self) -> bool:
        return self.law.boundary == "torus"

    @property
    def rows(self) -> int:
        """R, the sites along the longer side."""
        return max(self.law.shape)

    @property
    def columns(self) -> int:
        """L, the sites along the shorter side."""
        return min(self.law.shape)

    @cached_property
    def _places(self) -> Int[np.ndarray, "R L"]:
        """The site of the law at each row and column here."""
        sites = np.arange(self.law.n).reshape(self.law.shape)
        return sites.T if self.law.shape[1] > self.law.shape[0] else sites

    @cached_property
    def _spins(self) -> Float[np.ndarray, "L states"]:
        """s_a of every state of a row."""
        state = np.arange(1 << self.columns)
        return np.array([2.0 * (state >> a & 1) - 1 for a in range(self.columns)])

    @cached_property
    def _couplings(self) -> tuple[float, float]:
        """K between rows and J within a row."""
        between, within = map(float, self.law.couplings[self.c])
        return (within, between) if self.law.shape[1] > self.law.shape[0] else (between, within)

    @cached_property
    def _weights(self) -> Float[np.ndarray, " states"]:
        """W over its largest value."""
        s, J = self._spins, self._couplings[1]
        bonds = (s[1:] * s[:-1]).sum(axis=0) + (s[0] * s[-1] if self._periodic else 0.0)
        exponent = float(self.law.h[self.c]) * s.sum(axis=0) + J * bonds
        return np.exp(exponent - exponent.max())

    def _between(self, v: Vectors) -> Vectors:
        """Apply V to the last axis, spin by spin, over its largest entry."""
        K = self._couplings[0]
        same, other = np.exp(K - abs(K)), np.exp(-K - abs(K))
        for a in range(self.columns):
            pairs = v.reshape(*v.shape[:-1], v.shape[-1] >> (a + 1), 2, 1 << a)
            down, up = pairs[..., 0, :], pairs[..., 1, :]
            v = np.stack([same * down + other * up, other * down + same * up], axis=-2).reshape(v.shape)
        return v

    @cached_property
    def _scales(self) -> list[float]:
        """The sizes of the vectors without spins, row by row."""
        v, found = self._start(self._weights), []
        for row in range(self.rows):
            v = self._between(v) * self._weights if row else v
            found.append(float(v.max()))
            v = v / found[-1]
        return found

    def _start(self, weights: Float[np.ndarray, " states"]) -> Vectors:
        """The vector after the first row: over (s_0, s_0) on a torus, else over s_0 with one entry for `first`."""
        return np.diag(weights) if self._periodic else weights[None]

    def _inserted(self, sites: Sites) -> list[Float[np.ndarray, " states"]]:
        """W I_r over the scale, for every row."""
        found = [self._weights / scale for scale in self._scales]
        for site in sites:
            (row,), (column,) = np.nonzero(self._places == site)
            found[row] = found[row] * self._spins[column]
        return found

    def _ahead(self, weights: list[np.ndarray]) -> Iterator[Vectors]:
        """The sums over the rows up to each one."""
        v = self._start(weights[0])
        yield v
        for own in weights[1:]:
            v = self._between(v) * own
            yield v

    def _behind(self, weights: list[np.ndarray]) -> list[Vectors]:
        """The sums over the rows after each one."""
        size = len(self._weights)
        v = self._between(np.eye(size)) if self._periodic else np.ones((1, size))
        found = [v]
        for own in weights[:0:-1]:
            v = self._between(v * own)
            found.append(v)
        return found[::-1]

    @cached_property
    def _partition(self) -> float:
        return self._total(())

    def _total(self, sites: Sites) -> float:
        *_, last = self._ahead(self._inserted(sites))
        return float((last * self._behind(self._inserted(())[:1])[0]).sum())

    def _odd(self, spins: int) -> bool:
        """Whether the mean of a product of so many spins is 0, because x and -x are equally likely."""
        return spins % 2 == 1 and not self.law.h[self.c]

    def zeroth(self, sites: Sites) -> float:
        """E prod_{i in sites} x_i."""
        return 0.0 if self._odd(len(sites)) else self._total(sites) / self._partition

    def first(self, sites: Sites) -> Float[np.ndarray, " n"]:
        """E[prod_{i in sites} x_i x_j] for every j."""
        if self._odd(len(sites) + 1):
            return np.zeros(self.law.n)
        weights = self._inserted(sites)
        found = np.empty(self.law.n)
        for row, (v, behind) in enumerate(zip(self._ahead(weights), self._behind(weights), strict=True)):
            found[self._places[row]] = self._spins @ (v * behind).sum(axis=0)
        return found / self._partition

    def second(self, sites: Sites) -> Float[np.ndarray, "n n"]:
        """E[prod_{i in sites} x_i x_j x_k] for all j, k: one vector for every j, carried through the rows after it."""
        if self._odd(len(sites)):
            return np.zeros((self.law.n, self.law.n))
        weights = self._inserted(sites)
        carried = np.empty((0, *self._start(weights[0]).shape))
        places, found = self._places.ravel(), np.empty((self.law.n, self.law.n))
        for row, (v, behind) in enumerate(zip(self._ahead(weights), self._behind(weights), strict=True)):
            carried = np.concatenate([self._between(carried) * weights[row], v * self._spins[:, None, :]])
            ends = (behind * self._spins[:, None, :]).reshape(self.columns, -1)
            block = carried.reshape(len(carried), -1) @ ends.T
            found[np.ix_(places[: len(carried)], self._places[row])] = block
            found[np.ix_(self._places[row], places[: len(carried)])] = block.T
        return found / self._partition

    def product_mean(self, *sites: Where) -> Float[np.ndarray, "..."]:
        """E prod x_site, elementwise over arrays of sites; up to two sites from one matrix, more one by one."""
        if not sites:
            return np.ones(())
        if len(sites) == 1:
            return self._firsts[sites[0]]
        if len(sites) == 2:
            return self._seconds[sites]
        rows = np.stack(np.broadcast_arrays(*sites))
        distinct, inverse = np.unique(np.sort(rows.reshape(len(sites), -1), axis=0), axis=1, return_inverse=True)
        values = np.array([self.zeroth(tuple(column)) for column in distinct.T.tolist()])
        return values[inverse.ravel()].reshape(rows.shape[1:])

    @cached_property
    def _firsts(self) -> Float[np.ndarray, " n"]:
        return self.first(())

    @cached_property
    def _seconds(self) -> Float[np.ndarray, "n n"]:
        return self.second(())


def _require_float64(arithmetic: Arithmetic) -> None:
    if arithmetic.dtype is not float:
        raise OutOfReachError(
            "The Ising model on a grid has moments in float64 and no certified digits: its sums run over the states of "
            "a row.",
            'Leave --digits out, or use a chain (law = "ising"), whose transfer matrix is 2 x 2.',
        )


@law_moments.register
def _(law: Ising2D, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    _require_float64(arithmetic)
    return spin_features(law, network, arithmetic, lambda c: GridMoments(law, c))


@input_statistics_of.register
def _(law: Ising2D, c: int) -> SpinInputs:
    return SpinInputs(GridMoments(law, c), law.n, law.boundary == "torus")
