"""The nonlinear Gaussian process on a line: its definition and its kernels."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import prod
from typing import ClassVar

import numpy as np
from jaxtyping import Float, Int

from theory.problem.correlations import GAUSSIAN, Correlation
from theory.problem.distributions.base import Label, Law, Mean, number_of_sites, set_field
from theory.problem.distributions.latent_fields import declare_correlation, declare_gain, declare_lengths
from theory.problem.errors import InputError
from theory.problem.lags import kernel_rows, matrix_of, row_of, squares
from theory.problem.nonlinearities import Nonlinearity, nonlinearity_of
from theory.problem.nonlinearities.erf import Erf
from theory.problem.numbers import one_of
from theory.problem.positivity import refuse_indefinite

BOUNDARIES = ("open", "ring")
NORMALISERS = ("unit-variance", "none")
POSITIVE_PARTS = ("refuse", "clipped")


@dataclass(frozen=True)
class NonlinearGP(Law):
    """x = f(gain z)/Z with z ~ N(0, R_c), R_c[i, j] = R(d(i, j)), for the classes c; f = erf, R(d) = exp(-d^2/xi[c]^2).

    `correlation` may declare another R, for all classes or one for each (`theory.problem.correlations`), `nonlinearity`
    another f (`theory.problem.nonlinearities`), and `gain` may be one number for each class.

    Class c has label y = labels[c], probability priors[c] (1/C where no priors are given) and, where `means` are given,
    means[c] added to x. d is |i - j| on the open line and min(|i - j|, n - |i - j|) on the ring; xi is in sites.
    normaliser "unit-variance" means Z^2 := E f(gain z)^2 (so that f(gain z)/Z has variance 1; where the gains of the
    classes differ, in the mean over classes by their probabilities), "none" means Z := 1.
    Source: localization notes, section 1; small-bump note, section 2.

    Wrapping the distance does not keep a kernel positive. Where R_c is not positive semidefinite on a ring (an
    eigenvalue is below -n eps, beyond rounding), positive_part "refuse" raises an error; "clipped" declares the law
    that the public codes draw from: z ~ N(0, R_c^+), negative eigenvalues of R_c, on a torus of the kernel of each
    axis, set to 0. The variance of z_j is then v_c > 1, the trace of R_c^+ over n (`latent_variance`), and Z^2, an
    expectation over z of all classes, is that of these variances.

    Raises InputError for xi <= 0, gain <= 0, n < 2 or > 10000, unknown words, and an indefinite R_c that is refused.

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
    gain: Fraction | tuple[Fraction, ...]
    boundary: str
    normaliser: str
    labels: tuple[Label, ...]
    priors: tuple[Fraction, ...] = field(default=(), kw_only=True)
    means: tuple[Mean, ...] = field(default=(), kw_only=True)
    positive_part: str = field(default="refuse", kw_only=True)
    correlation: Correlation | tuple[Correlation, ...] = field(default=GAUSSIAN, kw_only=True)
    nonlinearity: Nonlinearity = field(default=Erf(), kw_only=True)

    law: ClassVar[str] = "nlgp"
    latent: ClassVar[bool] = True
    boundaries: ClassVar[tuple[str, ...]] = BOUNDARIES

    def __post_init__(self) -> None:
        number_of_sites(self.n)
        one_of(self.boundary, "data.boundary", self.boundaries)
        one_of(self.normaliser, "data.normaliser", NORMALISERS)
        one_of(self.positive_part, "data.positive_part", POSITIVE_PARTS)
        set_field(self, "nonlinearity", nonlinearity_of(self.nonlinearity, "data.nonlinearity"))
        declare_correlation(self)
        declare_lengths(self)
        declare_gain(self)
        self.check_classes()
        _check_gain(self)
        refuse_indefinite(self, self._size)

    @property
    def kernels(self) -> tuple[Correlation, ...]:
        """The correlation of each class."""
        return self.correlation if isinstance(self.correlation, tuple) else (self.correlation,) * self.classes

    @property
    def gains(self) -> tuple[Fraction, ...]:
        """The gain of each class."""
        return self.gain if isinstance(self.gain, tuple) else (self.gain,) * self.classes

    def exact_length(self, c: int) -> Fraction:
        """xi of a class, or 0 where its correlation has no length."""
        return self.xi[c] if self.xi else Fraction(0)

    def length(self, c: int) -> float:
        """xi of a class in float64."""
        return float(self.exact_length(c))

    @property
    def axes(self) -> tuple[int, ...]:
        """The numbers of sites along each axis; their product is n."""
        return (self.n,)

    @property
    def isotropic(self) -> bool:
        """True if the correlation on a grid is one of the Euclidean distance, False if it is a product of the axes'."""
        return False

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
        return squares(self.axes, self.boundary)


def _check_gain(law: NonlinearGP) -> None:
    """Raise InputError where f(gain z) is not the law that its nonlinearity names."""
    why = law.nonlinearity.fixed_gain
    if why and set(law.gains) != {1}:
        given = ", ".join(f"{float(gain):g}" for gain in dict.fromkeys(law.gains))
        raise InputError(f"data.gain = {given}, but {why}.", "Write gain = 1.0.")
    if why and law.clipped and law.nonlinearity.kind != "sign":
        raise InputError(
            f'nonlinearity = "{law.nonlinearity.kind}" needs a latent of variance 1; on a clipped ring it has another.',
            'Leave positive_part out, with a smaller xi or boundary = "open".',
        )


def squared_distance(n: int, boundary: str) -> Int[np.ndarray, "n n"]:
    """d(i, j)^2 between the sites of one axis: |i - j| where it is open, min(|i - j|, n - |i - j|) where it is a ring.

    >>> squared_distance(3, "open").tolist()
    [[0, 1, 4], [1, 0, 1], [4, 1, 0]]
    """
    site = np.arange(n)
    return squares((n,), boundary)[np.abs(site[:, None] - site[None, :])]


def latent_correlation(law: NonlinearGP, c: int) -> Float[np.ndarray, "n n"]:
    """R_c, the definition of the latent process of class c, in float64; its R_c^+ if clipped.

    >>> law = NonlinearGP(40, (2, 1), 1, "open", "none", (1, 0))
    >>> [float(latent_correlation(law, c)[20, 20 + xi].round(4)) for c, xi in ((0, 2), (1, 1))]  # exp(-1) at one length
    [0.3679, 0.3679]
    """
    if not law.clipped and law.kernels[c] == GAUSSIAN:
        return GAUSSIAN.at(law.squared_distance(), law.length(c))
    return reduce(np.kron, axis_correlations(law, c))


def axis_correlations(law: NonlinearGP, c: int) -> tuple[Float[np.ndarray, "m m"], ...]:
    """The kernels of the axes, of which R_c is the Kronecker product; if clipped their positive parts.

    For a correlation of the Euclidean distance on a grid, which is no product, R_c alone.

    >>> from theory.problem import NonlinearGP2D
    >>> law = NonlinearGP2D((2, 1), 1, "open", "none", (1, 0), shape=(2, 3))
    >>> down, across = axis_correlations(law, 0)
    >>> bool(np.abs(np.kron(down, across) - latent_correlation(law, 0)).max() < np.finfo(float).eps)
    True
    """
    if not law.clipped:
        return tuple(matrix_of(row, shape) for row, shape in kernel_rows(law, c))
    return tuple(matrix_of(_positive_row(law, c, sites), (sites,)) for sites in law.axes)


def latent_variance(law: NonlinearGP, c: int) -> float:
    """v_c, the variance of z_j in class c: 1, or the trace of R_c^+ over n where the law is clipped.

    >>> law = NonlinearGP(40, (15, 1), 1, "ring", "none", (1, 0), positive_part="clipped")
    >>> [round(latent_variance(law, c), 4) for c in range(2)]
    [1.0406, 1.0]
    """
    return prod(float(_positive_row(law, c, sites)[0]) for sites in law.axes) if law.clipped else 1.0


def _positive_row(law: NonlinearGP, c: int, sites: int) -> Float[np.ndarray, " n"]:
    """The first row of the positive part of a ring's kernel: the kernel less its negative modes."""
    row = row_of(law.kernels[c], (sites,), "ring", law.length(c))
    return row + np.fft.fft(np.clip(-np.fft.fft(row).real, 0, None)).real / sites
