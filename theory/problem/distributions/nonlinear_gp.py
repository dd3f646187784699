"""The nonlinear Gaussian process on a line: its definition and its kernels."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import prod
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from theory.problem.distributions.base import MOST_SITES, Label, Law, Mean, set_field
from theory.problem.errors import InputError
from theory.problem.nonlinearities import Nonlinearity, nonlinearity_of
from theory.problem.nonlinearities.erf import Erf
from theory.problem.numbers import one_of, positive, whole

BOUNDARIES = ("open", "ring")
NORMALISERS = ("unit-variance", "none")
POSITIVE_PARTS = ("refuse", "clipped")


@dataclass(frozen=True)
class NonlinearGP(Law):
    """x = f(gain z)/Z with z ~ N(0, R_c), R_c[i, j] = exp(-d(i, j)^2 / xi[c]^2), for the classes c, f = erf.

    Class c has label y = labels[c], probability priors[c] (1/C where no priors are given) and, where `means` are given,
    means[c] added to x. d is |i - j| on the open line and min(|i - j|, n - |i - j|) on the ring; xi is in sites.
    normaliser "unit-variance" means Z^2 := E f(gain z)^2 (so that f(gain z)/Z has variance 1), "none" means Z := 1.
    `nonlinearity` names another f: see `theory.problem.nonlinearities`.
    Source: localization notes, section 1; small-bump note, section 2.

    Wrapping the distance does not keep a kernel positive. Where R_c is not positive semidefinite on a ring (an
    eigenvalue is below -n eps, beyond rounding), positive_part "refuse" raises an error; "clipped" declares the law
    that the public codes draw from: z ~ N(0, R_c^+), negative eigenvalues of R_c, on a torus of the kernel of each
    axis, set to 0. The variance of z_j is then v_c > 1, the trace of R_c^+ over n (`latent_variance`), and Z^2, an
    expectation over z of all classes, is that of these variances.

    Raises InputError for xi <= 0, gain <= 0, n < 2 or > 10000, unknown words, and an indefinite ring that is refused.

    >>> law = NonlinearGP(40, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> [str(prior) for prior in law.probabilities], latent_correlation(law, 0)[0, :3].round(4)  # exp(-d^2/4)
    (['1/2', '1/2'], array([1.    , 0.7788, 0.3679]))
    >>> NonlinearGP(40, (15, 1), 1, "ring", "none", (1, 0))
    Traceback (most recent call last):
    ...
    theory.problem.errors.InputError: NonlinearGP(n=40, xi=15, boundary="ring"): the covariance is not positive ...
    """

    n: int
    xi: tuple[Fraction, ...]
    gain: Fraction
    boundary: str
    normaliser: str
    labels: tuple[Label, ...]
    priors: tuple[Fraction, ...] = field(default=(), kw_only=True)
    means: tuple[Mean, ...] = field(default=(), kw_only=True)
    positive_part: str = field(default="refuse", kw_only=True)
    nonlinearity: Nonlinearity = field(default=Erf(), kw_only=True)

    law: ClassVar[str] = "nlgp"
    latent: ClassVar[bool] = True
    boundaries: ClassVar[tuple[str, ...]] = BOUNDARIES

    def __post_init__(self) -> None:
        whole(self.n, "data.n", least=2, most=MOST_SITES, why="the covariance alone would fill 800 MB")
        one_of(self.boundary, "data.boundary", self.boundaries)
        one_of(self.normaliser, "data.normaliser", NORMALISERS)
        one_of(self.positive_part, "data.positive_part", POSITIVE_PARTS)
        why_xi = "it is the correlation length in exp(-d^2/xi^2)"
        why_gain = "erf(gain z) is zero at gain 0 and the sign convention is gain > 0"
        set_field(self, "nonlinearity", nonlinearity_of(self.nonlinearity, "data.nonlinearity"))
        self.each_class("xi", lambda value, where: positive(value, where, why_xi))
        set_field(self, "gain", positive(self.gain, "data.gain", why_gain))
        self.check_classes()
        _check_gain(self)
        for length in dict.fromkeys(() if self.clipped else self.xi):
            for sites in self.axes:
                given = f"{type(self).__name__}({self._size}, xi={float(length):g}, boundary={self.boundary!r})"
                _refuse_indefinite_ring(given.replace("'", '"'), sites, length, self.boundary)

    @property
    def axes(self) -> tuple[int, ...]:
        """The numbers of sites along each axis; their product is n."""
        return (self.n,)

    @property
    def clipped(self) -> bool:
        """True if negative eigenvalues of the latent covariance are set to 0; the open line has none."""
        return self.positive_part == "clipped" and self.boundary != "open"

    @property
    def _size(self) -> str:
        """The number of sites, written as the argument of the law."""
        return f"n={self.n}"

    def squared_distance(self) -> Int[np.ndarray, "n n"]:
        """d(i, j)^2 for all pairs of sites."""
        return squared_distance(self.n, self.boundary)

    def squared_lags(self) -> Int[np.ndarray, " n"]:
        """d(0, j)^2 for every site j, the first row of `squared_distance`."""
        return squared_lags(self.n, self.boundary)


def _check_gain(law: NonlinearGP) -> None:
    """Raise InputError where f(gain z) is not the law that its nonlinearity names."""
    why = law.nonlinearity.fixed_gain
    if why and law.gain != 1:
        raise InputError(f"data.gain = {float(law.gain):g}, but {why}.", "Write gain = 1.0.")
    if why and law.clipped and law.nonlinearity.kind != "sign":
        raise InputError(
            f'nonlinearity = "{law.nonlinearity.kind}" needs a latent of variance 1; on a clipped ring it has another.',
            'Leave positive_part out, with a smaller xi or boundary = "open".',
        )


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
    """R_c = exp(-d^2 / xi[c]^2), the definition of the latent process of class c, in float64; its R_c^+ if clipped.

    >>> law = NonlinearGP(40, (2, 1), 1, "open", "none", (1, 0))
    >>> [float(latent_correlation(law, c)[20, 20 + xi].round(4)) for c, xi in ((0, 2), (1, 1))]  # exp(-1) at one length
    [0.3679, 0.3679]
    """
    if not law.clipped:
        return np.exp(-law.squared_distance() / float(law.xi[c]) ** 2)
    return reduce(np.kron, axis_correlations(law, c))


def axis_correlations(law: NonlinearGP, c: int) -> tuple[Float[np.ndarray, "m m"], ...]:
    """The kernels of the axes, of which R_c is the Kronecker product; if clipped their positive parts.

    >>> from theory.problem import NonlinearGP2D
    >>> law = NonlinearGP2D((2, 1), 1, "open", "none", (1, 0), shape=(2, 3))
    >>> down, across = axis_correlations(law, 0)
    >>> bool(np.abs(np.kron(down, across) - latent_correlation(law, 0)).max() < np.finfo(float).eps)
    True
    """
    if not law.clipped:
        return tuple(np.exp(-squared_distance(sites, law.boundary) / float(law.xi[c]) ** 2) for sites in law.axes)
    rows = (_positive_row(sites, law.xi[c]) for sites in law.axes)
    return tuple(row[np.abs(np.subtract.outer(np.arange(len(row)), np.arange(len(row))))] for row in rows)


def latent_variance(law: NonlinearGP, c: int) -> float:
    """v_c, the variance of z_j in class c: 1, or the trace of R_c^+ over n where the law is clipped.

    >>> law = NonlinearGP(40, (15, 1), 1, "ring", "none", (1, 0), positive_part="clipped")
    >>> [round(latent_variance(law, c), 4) for c in range(2)]
    [1.0406, 1.0]
    """
    return prod(float(_positive_row(sites, law.xi[c])[0]) for sites in law.axes) if law.clipped else 1.0


def _positive_row(n: int, xi: Fraction) -> Float[np.ndarray, " n"]:
    """The first row of the positive part of a ring's kernel: the kernel less its negative modes."""
    row = np.exp(-squared_lags(n, "ring") / float(xi) ** 2)
    return row + np.fft.fft(np.clip(-np.fft.fft(row).real, 0, None)).real / n


def _refuse_indefinite_ring(given: str, n: int, xi: Fraction, boundary: str) -> None:
    if boundary == "open":
        return  # a Gaussian kernel on the line is positive definite
    first_row = np.exp(-squared_lags(n, "ring") / float(xi) ** 2)
    smallest = float(np.fft.fft(first_row).real.min())
    # Rounding of an n-point FFT of numbers in [0, 1] stays below n eps; a lower eigenvalue is truly negative.
    if smallest < -n * np.finfo(float).eps:
        raise InputError(
            f"{given}: the covariance is not positive semidefinite (smallest eigenvalue "
            f"{smallest:#.3g}); wrapping distances breaks it.",
            'Use boundary="open" or a smaller xi, or declare positive_part="clipped", the law whose negative '
            "eigenvalues are set to 0. (Nothing is clipped for you.)",
        )
