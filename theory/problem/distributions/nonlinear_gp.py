"""The nonlinear Gaussian process on a line, by definition only, and its kernels."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from theory.problem.distributions.base import MOST_SITES, Label, Law, Mean, set_field
from theory.problem.errors import InputError
from theory.problem.numbers import one_of, positive, whole

BOUNDARIES = ("open", "ring")
NORMALISERS = ("unit-variance", "none")


@dataclass(frozen=True)
class NonlinearGP(Law):
    """x = erf(gain z)/Z with z ~ N(0, R_c), R_c[i, j] = exp(-d(i, j)^2 / xi[c]^2), for the classes c.

    Class c has label y = labels[c], probability priors[c] (1/C where no priors are given) and, where `means` are given,
    means[c] added to x. d is |i - j| on the open line and min(|i - j|, n - |i - j|) on the ring; xi is in sites.
    normaliser "unit-variance" means Z^2 := E erf(gain z)^2 (so that the erf has variance 1), "none" means Z := 1.
    Source: localization notes, section 1; small-bump note, section 2.

    Raises InputError for xi <= 0, gain <= 0, n < 2 or > 10000, unknown words, or a ring covariance that is not positive
    semidefinite (wrapping the distance does not keep a kernel positive).
    """

    n: int
    xi: tuple[Fraction, ...]
    gain: Fraction
    boundary: str
    normaliser: str
    labels: tuple[Label, ...]
    priors: tuple[Fraction, ...] = field(default=(), kw_only=True)
    means: tuple[Mean, ...] = field(default=(), kw_only=True)

    law: ClassVar[str] = "nlgp"
    latent: ClassVar[bool] = True
    boundaries: ClassVar[tuple[str, ...]] = BOUNDARIES

    def __post_init__(self) -> None:
        whole(self.n, "data.n", least=2, most=MOST_SITES, why="the covariance alone would fill 800 MB")
        one_of(self.boundary, "data.boundary", self.boundaries)
        one_of(self.normaliser, "data.normaliser", NORMALISERS)
        why_xi = "it is the correlation length in exp(-d^2/xi^2)"
        why_gain = "erf(gain z) is zero at gain 0 and the sign convention is gain > 0"
        self.each_class("xi", lambda value, where: positive(value, where, why_xi))
        set_field(self, "gain", positive(self.gain, "data.gain", why_gain))
        self.check_classes()
        for length in dict.fromkeys(self.xi):
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

    def squared_lags(self) -> Int[np.ndarray, " n"]:
        """d(0, j)^2 for every site j, the first row of `squared_distance`."""
        return squared_lags(self.n, self.boundary)


def squared_lags(n: int, boundary: str) -> Int[np.ndarray, " n"]:
    """d(0, j)^2 on one axis: j where it is open, min(j, n - j) where it is a ring, squared.

    >>> squared_lags(4, "ring").tolist()
    [0, 1, 4, 1]
    """
    lag = np.arange(n)
    return (lag if boundary == "open" else np.minimum(lag, n - lag)) ** 2


def squared_distance(n: int, boundary: str) -> Int[np.ndarray, "n n"]:
    """d(i, j)^2 between the sites of one axis: |i - j| where it is open, min(|i - j|, n - |i - j|) where it is a ring.

    >>> squared_distance(3, "open").tolist()
    [[0, 1, 4], [1, 0, 1], [4, 1, 0]]
    """
    site = np.arange(n)
    return squared_lags(n, boundary)[np.abs(site[:, None] - site[None, :])]


def latent_correlation(law: NonlinearGP, c: int) -> Float[np.ndarray, "n n"]:
    """R_c = exp(-d^2 / xi[c]^2), the definition of the latent process of class c, in float64."""
    return np.exp(-law.squared_distance() / float(law.xi[c]) ** 2)


def axis_correlations(law: NonlinearGP, c: int) -> tuple[Float[np.ndarray, "m m"], ...]:
    """The kernels of the axes, of which R_c is the Kronecker product."""
    return tuple(np.exp(-squared_distance(sites, law.boundary) / float(law.xi[c]) ** 2) for sites in law.axes)


def _refuse_indefinite_ring(given: str, n: int, xi: Fraction, boundary: str) -> None:
    if boundary == "open":
        return  # a Gaussian kernel on the line is positive definite
    first_row = np.exp(-squared_lags(n, "ring") / float(xi) ** 2)
    smallest = float(np.fft.fft(first_row).real.min())
    # Rounding of an n-point FFT of numbers in [0, 1] stays below n eps; anything lower is negative in truth.
    if smallest < -n * np.finfo(float).eps:
        raise InputError(
            f"{given}: the covariance is not positive semidefinite (smallest eigenvalue "
            f"{smallest:#.3g}); wrapping distances breaks it.",
            'Use boundary="open" or a smaller xi. (Nothing is clipped for you.)',
        )
