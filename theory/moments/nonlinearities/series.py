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
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float, Shaped

from theory.moments.arithmetic import FLOAT64, Arithmetic, Numbers
from theory.moments.inputs import Density, Sites
from theory.moments.nonlinearities import functions
from theory.moments.nonlinearities.dispatch import inputs_through, statistics_through
from theory.moments.nonlinearities.edges import square_in_balls
from theory.moments.nonlinearities.quadrature import Given, in_plane, on_line
from theory.moments.nonlinearities.refusals import refuse, refuse_digits
from theory.moments.process_inputs import ProcessInputs
from theory.moments.statistics import ClassStatistics, Lags
from theory.moments.unit_gaussians import Tail, TailPair
from theory.problem import Algebraic, Laplace, Logistic, NonlinearGP, Nonlinearity, OutOfReachError, Quantile

NODES = 16
PANELS = 24
TERMS = 64  # of Mehler's series: m = 1, 3, ..., 127
NEGLIGIBLE = 1e-17  # of the remainder of the series relative to E f^2
HALVINGS = 45  # panels shrink to 1e-13 towards 0, where a sign given z_k may turn steeply

# Seconds of an integral in the plane through one tail and through two, and the most of all integrals of a network.
SECONDS_OF_ONE, SECONDS_OF_TWO, MOST_SECONDS = 0.01, 0.025, 900

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

    only_float64: ClassVar[bool] = True

    @property
    def function(self) -> Nonlinearity:
        """The f of a latent of variance 1."""
        return self.law.nonlinearity

    @property
    def _square(self) -> Any:
        if self.arithmetic is FLOAT64:
            return functions.moment(self.function, 2)
        return square_in_balls(self.function)

    @cached_property
    def input_correlation(self) -> tuple[Numbers, Numbers]:
        """r = E[f(z_k) f(z_l)]/E f^2 by lag, and 1 - r."""
        if self.arithmetic is not FLOAT64:
            refuse_digits(self.law, "covariance")
        rho, gap = self._latent
        distinct, first, place = np.unique(rho, return_index=True, return_inverse=True)
        pairs = zip(distinct, gap[first], strict=True)
        less = np.array([correlation_lost(self.function, r, own) for r, own in pairs])[place]
        return 1 - less, less

    @cached_property
    def covariances(self) -> Numbers:
        """E[x_k x_l] by lag."""
        return self.input_correlation[0] * (self._square / self.normaliser_squared)

    def input_of(self, u: Float[np.ndarray, " q"]) -> tuple[Float[np.ndarray, " q"], Float[np.ndarray, " q"]]:
        """x = f(u)/Z and dx/du, the density of u over that of f."""
        f, root = self.function, sqrt(self.normaliser_squared)
        x = np.sign(u) * functions.values(f, np.abs(u))
        return x / root, _density(u) / functions.marginal(f, 1.0).density(x) / root

    @property
    def seconds_through_one(self) -> float:
        """That of an integral in the plane."""
        return SECONDS_OF_ONE

    @property
    def seconds_through_two(self) -> float:
        """That of an integral in the plane."""
        return SECONDS_OF_TWO

    @property
    def kinks(self) -> tuple[float, ...]:
        """The u at which f is not smooth."""
        above = functions.kinks(self.function).tolist()
        return (*(-z for z in above), 0.0, *above)

    def require_time(self, alone: int, pairs: int) -> None:
        """Raise OutOfReachError where so many integrals in the plane take too long."""
        seconds = alone * SECONDS_OF_ONE + pairs * SECONDS_OF_TWO
        if seconds > MOST_SECONDS:
            raise OutOfReachError(
                f'The moments of the nonlinearity "{self.function.kind}" through these gates are {alone + pairs} '
                f"integrals over two variables, which take about {seconds:.0f} s; more than {MOST_SECONDS} s is "
                "refused.",
                "Use fewer sites, thresholds or overlapping gates, or simulate it (gdln simulate).",
            )

    def first_beyond(self, tail: Tail) -> Shaped[np.ndarray, " n"]:
        """E[T x_k]."""
        return self._first([tail], 0.0)

    def first_beyond_two(self, pair: TailPair) -> Shaped[np.ndarray, " n"]:
        """E[T T' x_k]."""
        return self._first([pair.one, pair.other], float(pair.r))

    def _first(self, tails: list[Tail], r: float) -> Float[np.ndarray, " n"]:
        self._require_float64()
        f, root = self.function, sqrt(self.normaliser_squared)
        rows = [[Given(float(tail.r[k]), 0.0, float(tail.a)) for tail in tails] for k in range(len(tails[0].r))]
        return np.array([on_line(f, 1, row, r) for row in rows]) / root

    def second_beyond(self, tail: Tail, k: Lags, l: Lags) -> Numbers:
        """E[T x_k x_l]."""
        return self._second([(float(tail.a), tail.r[k], tail.r[l])], self.lags[k, l], 0.0)

    def second_beyond_two(self, pair: TailPair, k: Lags, l: Lags) -> Numbers:
        """E[T T' x_k x_l]."""
        tails = [(float(own.a), own.r[k], own.r[l]) for own in (pair.one, pair.other)]
        return self._second(tails, self.lags[k, l], float(pair.r))

    def _second(self, tails: list[tuple[float, Numbers, Numbers]], kl: Lags, r: float) -> Numbers:
        """E[T x_k x_l] or E[T T' x_k x_l] for rows of correlations with z_k and z_l; equal rows are computed once."""
        self._require_float64()
        f, (rho, gap) = self.function, self._latent
        columns = [np.broadcast_to(column, np.shape(kl)).astype(float) for _, *both in tails for column in both]
        rows, place = np.unique(np.stack([np.asarray(kl, float), *columns], axis=-1), axis=0, return_inverse=True)
        self.require_time(*((0, len(rows)) if len(tails) == 2 else (len(rows), 0)))
        found = []
        for lag, *correlations in rows.tolist():
            own, left = float(rho[int(lag)]), float(gap[int(lag)])
            pairs = zip(tails, correlations[::2], correlations[1::2], strict=True)
            if left == 0:
                same = 1 if own > 0 else -1  # z_l = z_k or -z_k
                found.append(same * on_line(f, 2, [Given(at_k, 0.0, at) for (at, *_), at_k, _ in pairs], r))
                continue
            given = tuple(Given(at_k, (at_l - own * at_k) / sqrt(left), at) for (at, *_), at_k, at_l in pairs)
            found.append(in_plane(f, own, left, given, r))
        return np.array(found)[place].reshape(np.shape(kl)) / self.normaliser_squared

    def _require_float64(self) -> None:
        if self.arithmetic is not FLOAT64:
            refuse_digits(self.law, "moments through gates")


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
