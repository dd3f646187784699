"""Data laws, by definition only: the nonlinear Gaussian process in one and two dimensions, its clone, the pulse."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from theory.problem.errors import InputError
from theory.problem.numbers import exact, one_of, positive, shown, whole

BOUNDARIES = ("open", "ring")
BOUNDARIES_2D = ("open", "torus")
NORMALISERS = ("unit-variance", "none")
SUPPORTS = ("zero-one", "plus-minus")
FLIPS = ("none", "sign", "complement")
MOST_SITES = 10_000


@dataclass(frozen=True)
class NonlinearGP:
    """x = erf(gain z)/Z with z ~ N(0, R_c), R_c[i, j] = exp(-d(i, j)^2 / xi[c]^2), for the classes c = 0, 1.

    Class c has label y = labels[c] and probability 1/2. d is |i - j| on the open line and min(|i - j|, n - |i - j|)
    on the ring; xi is in sites. normaliser "unit-variance" means Z^2 := E erf(gain z)^2 (so that Var x_i = 1),
    "none" means Z := 1. Source: localization notes, section 1; small-bump note, section 2.

    Raises InputError for xi <= 0, gain <= 0, n < 2 or > 10000, unknown words, or a ring covariance that is not positive
    semidefinite (wrapping the distance does not keep a kernel positive).
    """

    n: int
    xi: tuple[Fraction, Fraction]
    gain: Fraction
    boundary: str
    normaliser: str
    labels: tuple[Fraction, Fraction]

    law: ClassVar[str] = "nlgp"
    latent: ClassVar[bool] = True
    boundaries: ClassVar[tuple[str, ...]] = BOUNDARIES

    def __post_init__(self) -> None:
        whole(self.n, "data.n", least=2, most=MOST_SITES, why="the covariance alone would fill 800 MB")
        one_of(self.boundary, "data.boundary", self.boundaries)
        one_of(self.normaliser, "data.normaliser", NORMALISERS)
        why_xi = "it is the correlation length in exp(-d^2/xi^2)"
        why_gain = "erf(gain z) is zero at gain 0 and the sign convention is gain > 0"
        object.__setattr__(self, "xi", _pair(self.xi, "data.xi", lambda v, w: positive(v, w, why_xi)))
        object.__setattr__(self, "gain", positive(self.gain, "data.gain", why_gain))
        object.__setattr__(self, "labels", _pair(self.labels, "data.labels", exact))
        for length in self.xi:
            for sites in self.axes:
                given = f"{type(self).__name__}({self._size}, xi={float(length):g}, boundary={self.boundary!r})"
                _refuse_indefinite_ring(given.replace("'", '"'), sites, length, self.boundary)

    @property
    def axes(self) -> tuple[int, ...]:
        """The numbers of sites along each axis; their product is n."""
        return (self.n,)

    @property
    def _size(self) -> str:
        """The sites as they were given."""
        return f"n={self.n}"

    def squared_distance(self) -> Int[np.ndarray, "n n"]:
        """d(i, j)^2 for all pairs of sites."""
        return squared_distance(self.n, self.boundary)


@dataclass(frozen=True)
class NonlinearGP2D(NonlinearGP):
    """The NonlinearGP on a grid of shape = (rows, columns): d(i, j)^2 is the sum of the squares along the two axes.

    Site i stands in row i // columns and column i % columns, n = rows * columns. On the torus both axes are rings. The
    kernel is the product of the kernels of the axes: R_c = R_c[rows] (x) R_c[columns].

    Raises InputError as NonlinearGP does, and for sides that are not whole numbers of at least 2.
    """

    n: int = field(init=False)
    shape: tuple[int, int]

    law: ClassVar[str] = "nlgp-2d"
    boundaries: ClassVar[tuple[str, ...]] = BOUNDARIES_2D

    def __post_init__(self) -> None:
        hint = "Give rows and columns, such as [20, 20]."
        sides = _pair(self.shape, "data.shape", lambda side, at: whole(side, at, 2, MOST_SITES), "whole numbers", hint)
        object.__setattr__(self, "shape", sides)
        if sides[0] * sides[1] > MOST_SITES:
            raise InputError(
                f"data.shape = [{sides[0]}, {sides[1]}] has {sides[0] * sides[1]} sites, more than {MOST_SITES}.",
                "Give a smaller grid: the moments alone would fill 800 MB.",
            )
        object.__setattr__(self, "n", sides[0] * sides[1])
        super().__post_init__()

    @property
    def axes(self) -> tuple[int, ...]:
        """Rows and columns."""
        return self.shape

    @property
    def _size(self) -> str:
        return f"shape={list(self.shape)}"

    def squared_distance(self) -> Int[np.ndarray, "n n"]:
        """d(i, j)^2 for all pairs of sites, row by row."""
        down, across = (squared_distance(sites, self.boundary) for sites in self.shape)
        return (down[:, None, :, None] + across[None, :, None, :]).reshape(self.n, self.n)


@dataclass(frozen=True)
class GaussianClone(NonlinearGP):
    """x ~ N(0, C_c), the Gaussian with the same mean and covariance as class c of the NonlinearGP of equal fields."""

    law: ClassVar[str] = "gaussian-clone"
    latent: ClassVar[bool] = False


@dataclass(frozen=True)
class SinglePulse:
    """One pulse on a ring of n sites: u_j = 1 at the sites start, ..., start + W - 1 (modulo n), 0 at the others.

    The start is uniform on the ring; in class c the width W is uniform on the integers a..b, widths[c] = [a, b].
    support "zero-one" means x = u, "plus-minus" x = 2 u - 1. flip is taken with probability 1/2, independently of all
    else: "sign" is x -> -x, which with "zero-one" gives pulses of ones and of minus ones on zeros; "complement" is
    u -> 1 - u, with "plus-minus" the same as "sign". Class c has label y = labels[c] and probability 1/2. There is no
    latent. Source: localization notes, section 1.

    Raises InputError for n < 2 or > 10000, widths that are not integers with 1 <= a <= b <= n, or unknown words.
    """

    n: int
    widths: tuple[tuple[int, int], tuple[int, int]]
    support: str
    flip: str
    labels: tuple[Fraction, Fraction]

    law: ClassVar[str] = "single-pulse"
    latent: ClassVar[bool] = False
    boundary: ClassVar[str] = "ring"  # by definition, not a choice

    def __post_init__(self) -> None:
        whole(self.n, "data.n", least=2, most=MOST_SITES, why="the second moments alone would fill 800 MB")
        one_of(self.support, "data.support", SUPPORTS)
        one_of(self.flip, "data.flip", FLIPS)
        one_each = "Give one for each class, such as [[3, 4], [9, 10]]."
        ranges = _pair(self.widths, "data.widths", self._range, "ranges [a, b] of widths", one_each)
        object.__setattr__(self, "widths", ranges)
        object.__setattr__(self, "labels", _pair(self.labels, "data.labels", exact))

    def _range(self, ends: object, where: str) -> tuple[int, int]:
        """The ends a <= b of a range of widths."""
        why = f"a pulse does not fit a ring of {self.n} sites"
        hint = "Give the least and the largest width, such as [3, 4]."
        least, largest = _pair(ends, where, lambda end, at: whole(end, at, 1, self.n, why), "whole numbers", hint)
        if least > largest:
            raise InputError(f"{where} = [{least}, {largest}] holds no width.", "Give the least width first.")
        return least, largest


Law = NonlinearGP | NonlinearGP2D | GaussianClone | SinglePulse
LAWS: dict[str, type[Law]] = {kind.law: kind for kind in (NonlinearGP, NonlinearGP2D, GaussianClone, SinglePulse)}


def squared_distance(n: int, boundary: str) -> Int[np.ndarray, "n n"]:
    """d(i, j)^2 between the sites of one axis: |i - j| where it is open, min(|i - j|, n - |i - j|) where it is a ring.

    >>> squared_distance(4, "ring")[0].tolist()
    [0, 1, 4, 1]
    """
    site = np.arange(n)
    distance = np.abs(site[:, None] - site[None, :])
    if boundary != "open":
        distance = np.minimum(distance, n - distance)
    return distance**2


def latent_correlation(law: NonlinearGP, c: int) -> Float[np.ndarray, "n n"]:
    """R_c = exp(-d^2 / xi[c]^2), the definition of the latent process of class c, in float64."""
    return np.exp(-law.squared_distance() / float(law.xi[c]) ** 2)


def axis_correlations(law: NonlinearGP, c: int) -> tuple[Float[np.ndarray, "m m"], ...]:
    """The kernels of the axes, of which R_c is the Kronecker product."""
    return tuple(np.exp(-squared_distance(sites, law.boundary) / float(law.xi[c]) ** 2) for sites in law.axes)


_ONE_EACH = "Give one for each class, such as [2.0, 1.0]."


def _pair(values: object, where: str, convert, what: str = "numbers", hint: str = _ONE_EACH) -> tuple:
    if not isinstance(values, list | tuple) or len(values) != 2:
        raise InputError(f"{where} = {shown(values)} must be two {what}.", hint)
    return (convert(values[0], f"{where}[0]"), convert(values[1], f"{where}[1]"))


def _refuse_indefinite_ring(given: str, n: int, xi: Fraction, boundary: str) -> None:
    if boundary == "open":
        return  # a Gaussian kernel on the line is positive definite
    first_row = np.exp(-squared_distance(n, "ring")[0] / float(xi) ** 2)
    smallest = float(np.fft.fft(first_row).real.min())
    # Rounding of an n-point FFT of numbers in [0, 1] stays below n eps; anything lower is negative in truth.
    if smallest < -n * np.finfo(float).eps:
        raise InputError(
            f"{given}: the covariance is not positive semidefinite (smallest eigenvalue "
            f"{smallest:#.3g}); wrapping distances breaks it.",
            'Use boundary="open" or a smaller xi. (Nothing is clipped for you.)',
        )
