"""Inputs x = Q(Phi(z))/Z with a quantile function Q without closed moments: Mehler's series, and quadrature.

With the Hermite coefficients f_m = E[f(z) He_m(z)]/sqrt(m!) of the odd function f,

    E[f(z_k) f(z_l)] = sum over odd m of f_m^2 rho^m,

whose terms beyond M add up to at most |rho|^(M+2) (E f^2 - sum_(m <= M) f_m^2) in size. Where that is not below the
rounding, 1 - r = E[(f(z_k) - f(z_l))^2]/(2 E f^2) is integrated instead, over (z_k + z_l)/2 and (z_k - z_l)/2, in
which nothing cancels as rho -> 1. E[s f(z_k)] is one integral. Definitions: Mehler's formula; `functions`.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import sqrt

import numpy as np
from jaxtyping import Float
from scipy.special import erf

from theory.moments.arithmetic import FLOAT64, Arithmetic, Numbers
from theory.moments.inputs import Density, Sites
from theory.moments.nonlinearities import functions
from theory.moments.nonlinearities.dispatch import inputs_through, statistics_through
from theory.moments.nonlinearities.refusals import refuse, refusing
from theory.moments.process_inputs import ProcessInputs
from theory.moments.statistics import ClassStatistics
from theory.problem import Algebraic, Laplace, Logistic, NonlinearGP, Nonlinearity, Quantile

NODES = 16
PANELS = 24
TERMS = 64  # of Mehler's series: m = 1, 3, ..., 127
NEGLIGIBLE = 1e-17  # of the remainder of the series relative to E f^2
HALVINGS = 45  # panels shrink to 1e-13 towards 0, where a sign given z_k may turn steeply

Copula = Laplace | Logistic | Algebraic | Quantile


@dataclass(frozen=True)
class SeriesStatistics(ClassStatistics):
    """Moments of class `c`, in float64, for a quantile function f of a Gaussian copula.

    The absolute errors of a covariance at unit variance and of E[s_i x_k] are below 1e-13.

    E x_k^2 of the Laplace law is 2:

    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0), nonlinearity="laplace")
    >>> round(float(SeriesStatistics(law, 0, FLOAT64).variance), 12)
    2.0
    """

    @property
    def function(self) -> Nonlinearity:
        """The f of a latent of variance 1."""
        return self.law.nonlinearity

    @property
    def _square(self) -> float:
        return functions.moment(self.function, 2)

    @cached_property
    def input_correlation(self) -> tuple[Numbers, Numbers]:
        """r = E[f(z_k) f(z_l)]/E f^2 by lag, and 1 - r."""
        if self.arithmetic is not FLOAT64:
            refuse(self.law, "certified digits of its covariance")
        rho, gap = self._latent
        distinct, first, place = np.unique(rho, return_index=True, return_inverse=True)
        pairs = zip(distinct, gap[first], strict=True)
        less = np.array([correlation_lost(self.function, r, own) for r, own in pairs])[place]
        return 1 - less, less

    @cached_property
    def covariances(self) -> Numbers:
        """E[x_k x_l] by lag."""
        return self.input_correlation[0] * (self._square / self.normaliser_squared)

    def through_sign(self, r: Numbers, gap: Numbers) -> Numbers:
        """E[s x_k] = E[f(z_k) erf(r z_k/sqrt(2 (1 - r^2)))]/Z."""
        if self.arithmetic is not FLOAT64:
            refuse(self.law, "certified digits of its moments through gates")
        return through_sign(self.function, r, gap) / sqrt(self.normaliser_squared)

    two_half_spaces = through_two_signs = refusing("moments through the half-spaces of two sites or directions")
    first_beyond = second_beyond = first_beyond_two = second_beyond_two = refusing("moments through thresholds")
    latent_of = refusing("thresholds of the input")


@dataclass(frozen=True)
class HalfLine:
    """Nodes z > 0 with the weights of 2 phi(z) dz, and f there: sum(weight * f^2) = E f^2."""

    z: Float[np.ndarray, " q"]
    weight: Float[np.ndarray, " q"]
    f: Float[np.ndarray, " q"]


@lru_cache(maxsize=16)
def half_line(nonlinearity: Nonlinearity) -> HalfLine:
    """Return nodes on panels that end at the kinks of f and shrink geometrically towards 0.

    >>> nodes = half_line(Laplace())
    >>> round(float(nodes.weight @ nodes.f**2), 12)
    2.0
    """
    end = functions.reach(nonlinearity)
    graded = 2.0 ** -np.arange(1, HALVINGS)
    edges = np.unique(np.concatenate([np.linspace(0, end, PANELS + 1), graded, functions.kinks(nonlinearity)]))
    z, weight = _composite(edges)
    return HalfLine(z, 2 * weight * _density(z), functions.values(nonlinearity, z))


@lru_cache(maxsize=16)
def squared_coefficients(nonlinearity: Nonlinearity) -> tuple[Float[np.ndarray, " m"], float]:
    """Return f_m^2/E f^2 for m = 1, 3, ..., and what all further ones add up to, by Parseval's identity.

    >>> shares, rest = squared_coefficients(Logistic())
    >>> bool(abs(shares.sum() + rest - 1) < 1e-15), bool(0 <= rest < 1e-6)
    (True, True)
    """
    nodes = half_line(nonlinearity)
    square = functions.moment(nonlinearity, 2)
    below, here = np.zeros_like(nodes.z), np.ones_like(nodes.z)
    found = []
    for m in range(2 * TERMS):
        if m % 2:
            found.append(float(nodes.weight @ (nodes.f * here)) ** 2 / square)
        # He_(m+1)/sqrt((m+1)!) = (z He_m/sqrt(m!) - sqrt(m) He_(m-1)/sqrt((m-1)!))/sqrt(m+1)
        below, here = here, (nodes.z * here - sqrt(m) * below) / sqrt(m + 1)
    shares = np.array(found)
    return shares, max(0.0, 1 - float(shares.sum()))


def correlation_lost(nonlinearity: Nonlinearity, rho: float, gap: float) -> float:
    """Return 1 - E[f(z_k) f(z_l)]/E f^2 at the correlation rho, gap = 1 - rho^2; absolute error below 1e-13.

    >>> correlation_lost(Laplace(), 0.0, 1.0), correlation_lost(Laplace(), 1.0, 0.0)
    (1.0, 0.0)
    """
    if rho < 0:
        return 2 - correlation_lost(nonlinearity, -rho, gap)
    shares, rest = squared_coefficients(nonlinearity)
    if rest * rho ** (2 * TERMS + 1) < NEGLIGIBLE:
        return 1 - float(shares @ rho ** (2 * np.arange(TERMS) + 1.0))
    return 0.0 if gap == 0 else _structure(nonlinearity, rho, gap) / functions.moment(nonlinearity, 2)


def _structure(nonlinearity: Nonlinearity, rho: float, gap: float) -> float:
    """E[(f(m + h) - f(m - h))^2]/2 for independent m ~ N(0, (1 + rho)/2) and h ~ N(0, (1 - rho)/2).

    The quarter m, h > 0 has a quarter of it, by symmetry. Panels of m end where m - h or m + h is at a kink, and those
    of h where two of these meet.
    """
    wide, narrow = sqrt((1 + rho) / 2), sqrt(gap / (1 + rho) / 2)
    end = functions.reach(nonlinearity)
    points = np.concatenate([[0.0], functions.kinks(nonlinearity)])
    near = 2.0 ** -np.arange(1, 9)
    meeting = np.abs(np.add.outer(points, np.concatenate([points, -points]))).ravel() / 2
    apart = np.concatenate([narrow * np.linspace(0, end, PANELS + 1), narrow * near, meeting])
    h, h_weight = _composite(np.unique(np.minimum(apart, narrow * end)))
    regular = np.broadcast_to(np.linspace(0, wide * end, PANELS + 1), (len(h), PANELS + 1))
    around = h[:, None, None] * np.array([-1.0, 1.0]) + points[:, None]
    graded = h[:, None] * (1 + np.concatenate([near, -near]))
    edges = np.concatenate([regular, np.abs(around).reshape(len(h), -1), graded], axis=1)
    m, m_weight = _composite(np.sort(np.clip(edges, 0, wide * end), axis=1))
    upper, lower = m + h[:, None], m - h[:, None]
    change = functions.values(nonlinearity, upper) - np.sign(lower) * functions.values(nonlinearity, np.abs(lower))
    inner = np.sum(m_weight * _density(m / wide) / wide * change**2, axis=1)
    return float(2 * np.sum(h_weight * _density(h / narrow) / narrow * inner))


def through_sign(nonlinearity: Nonlinearity, r: Numbers, gap: Numbers) -> Numbers:
    """Return E[s f(z_k)] for the sign s of a Gaussian with correlation r with z_k, gap = 1 - r^2; error below 1e-13.

    A sign of z_k itself gives E|f|, 1 for the Laplace law:

    >>> round(float(through_sign(Laplace(), np.array([1.0]), np.array([0.0]))[0]), 13)
    1.0
    """
    nodes = half_line(nonlinearity)
    with np.errstate(divide="ignore"):
        slope = r / np.sqrt(2 * np.asarray(gap, float))
    return np.array([nodes.weight @ (nodes.f * erf(own * nodes.z)) for own in np.ravel(slope)]).reshape(np.shape(slope))


def _composite(edges: Float[np.ndarray, "*any p"]) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and weights on the panels between edges along the last axis."""
    unit, unit_weight = np.polynomial.legendre.leggauss(NODES)
    low, half = edges[..., :-1, None], np.diff(edges, axis=-1)[..., None] / 2
    shape = (*edges.shape[:-1], -1)
    return (low + half * (1 + unit)).reshape(shape), (half * unit_weight).reshape(shape)


def _density(z: np.ndarray) -> np.ndarray:
    return np.exp(-z * z / 2) / sqrt(2 * np.pi)


@dataclass(frozen=True, eq=False)
class SeriesInputs(ProcessInputs):
    """Inputs with a Gaussian copula and the marginal of a quantile function."""

    def fourth(self, i: Sites, j: Sites, k: Sites, l: Sites) -> Float[np.ndarray, "..."]:
        """E x_i^4 where the four sites are one. Raises OutOfReachError for others: they are integrals over R^4."""
        i, j, k, l = np.broadcast_arrays(i, j, k, l)
        if not ((i == j) & (j == k) & (k == l)).all():
            refuse(self.law, "fourth moments of different sites")
        return np.full(i.shape, functions.moment(self._class.function, 4) / self._class.normaliser_squared**2)

    def marginal(self, site: int) -> Density:
        """The law of f(z)/Z, the same at every site."""
        del site
        return functions.marginal(self._class.function, 1 / sqrt(self._class.normaliser_squared))


@statistics_through.register
def _(nonlinearity: Copula, law: NonlinearGP, c: int, arithmetic: Arithmetic) -> SeriesStatistics:
    del nonlinearity
    return SeriesStatistics(law, c, arithmetic)


@inputs_through.register
def _(nonlinearity: Copula, law: NonlinearGP, c: int) -> SeriesInputs:
    del nonlinearity
    return SeriesInputs(law, c)
