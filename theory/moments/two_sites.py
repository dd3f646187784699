"""E[1[w_i x_i + w_j x_j >= 0] x_k] of the nonlinear Gaussian process: one integral, for every k.

With |w_i| < |w_j| and a = w_i/w_j the gate has the sign of w_j times that of z_j + t(z_i), t(s) = erfinv(a erf(g s))/g,
a smooth function; and erf(g z_k) is the mean of sign(y_k), y_k = kappa z_k + sqrt(1 - kappa^2) eps. Given z_i = s both
are signs at thresholds of a pair of Gaussians, so that

    E[1_w x_k] = (sign(w_j)/Z) int_0^oo phi(s) E[sign(n_1 + h_1(s)) sign(n_2 + h_2(s))] ds,
    h_1 = (rho_ij s + t(s))/sqrt(1 - rho_ij^2),   h_2 = kappa rho_ik s/sqrt(1 - kappa^2 rho_ik^2),
    corr(n_1, n_2) = kappa (rho_jk - rho_ij rho_ik)/sqrt((1 - rho_ij^2)(1 - kappa^2 rho_ik^2)),

whose integrand is elementary for k = i (n_2 is independent of n_1) and two of Owen's T elsewhere. (Integrating over
the site of the larger weight instead, as the localization map does, gives a threshold that is infinite beyond the
point where |w_j| erf(g s) = |w_i|.) Source: localization map, section 5, item 11.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from jaxtyping import Float
from scipy.special import erf, erfc, erfcinv, erfinv

from theory.gaussian.float64.two_signs import two_signs
from theory.moments.directions import Entries
from theory.moments.statistics import ClassStatistics
from theory.problem import OutOfReachError

# The upper limit of the integral: the normal probability beyond 12 is below 4e-33.
REACH = 12.0
NODES = 16
# A panel is halved until this changes no value by more; a hundred panels then have an error of 1e-14.
SETTLED = 1e-16
MOST_ROUNDS = 60
# Shorter panels contribute less than the rounding of float64.
SHORTEST = 1e-17

Integrand = Callable[[Float[np.ndarray, " s"]], Float[np.ndarray, "s n"]]


def through_two_sites(statistics: ClassStatistics, weights: Entries) -> Float[np.ndarray, " n"]:
    """E[1[w.x >= 0] x_k | class] for every k and two weights of unequal size; absolute error below 1e-13/Z.

    At small gain x is Gaussian, and E[1[w.x >= 0] x_k] = (Cw)_k/sqrt(2 pi w'Cw):

    >>> from theory.moments.arithmetic import FLOAT64
    >>> from theory.moments.statistics import class_statistics
    >>> from theory.problem import NonlinearGP
    >>> statistics = class_statistics(NonlinearGP(3, (2, 1), "1/1000", "open", "unit-variance", (1, 0)), 0, FLOAT64)
    >>> C, w = statistics.covariance(statistics.lags), np.array([1.0, 2.0, 0.0])
    >>> found = through_two_sites(statistics, ((0, Fraction(1)), (1, Fraction(2))))
    >>> np.abs(found - C @ w / np.sqrt(2 * np.pi * (w @ C @ w))).max().round(6).item()
    0.0
    """
    if statistics.law.clipped:
        raise OutOfReachError(
            "A gate at two sites with weights of unequal size has no moments here where the ring is clipped.",
            "Use weights of equal size, or simulate it.",
        )
    (i, small), (j, large) = sorted(weights, key=lambda entry: abs(entry[1]))
    total = integral(_integrand(statistics, i, j, small / large), _scale(statistics, i, j))
    return (1 if large > 0 else -1) * total / np.sqrt(statistics.normaliser_squared)


def threshold(a: Fraction, g: float, s: Float[np.ndarray, " s"]) -> Float[np.ndarray, " s"]:
    """t(s) = erfinv(a erf(g s))/g for |a| < 1 and s >= 0; by 1 - |a| erf = (1 - |a|) + |a| erfc where that is small.

    >>> bool(abs(threshold(Fraction(1, 2), 1e-9, np.array([1.0]))[0] - 0.5) <= np.finfo(float).eps)
    True
    """
    size, rest = float(abs(a)), float(1 - abs(a))
    y = size * erf(g * s)
    far = erfcinv(rest + size * erfc(g * s))
    return np.where(y > 0.5, far, erfinv(y)) / g * (1 if a > 0 else -1)


def integral(integrand: Integrand, first: float) -> Float[np.ndarray, " n"]:
    """Return int_0^12 of the integrand by Gauss-Legendre on panels that grow from `first`, halved until converged.

    >>> half = integral(lambda s: np.exp(-(s[:, None] ** 2) / 2) / np.sqrt(2 * np.pi), 0.5)  # of the normal density
    >>> half.round(12).tolist()
    [0.5]
    """
    doublings = int(np.ceil(np.log2(REACH / first)))
    edges = np.concatenate([[0.0], REACH * 2.0 ** np.arange(-doublings, 1)])
    low, high = edges[:-1], edges[1:]
    total, values = 0.0, _panels(integrand, low, high)
    for _ in range(MOST_ROUNDS):
        middle = (low + high) / 2
        left, right = _panels(integrand, low, middle), _panels(integrand, middle, high)
        open_ = np.abs(left + right - values).max(axis=1) > SETTLED
        total = total + (left + right)[~open_].sum(axis=0)
        if not open_.any():
            return total
        low, high = np.concatenate([low[open_], middle[open_]]), np.concatenate([middle[open_], high[open_]])
        values = np.concatenate([left[open_], right[open_]])
    raise OutOfReachError(
        f"The integral of a gate at two sites does not settle within {MOST_ROUNDS} halvings of {len(low)} panels.",
        "Simulate the gate, or use weights whose sizes are equal or less nearly so.",
    )


def _panels(integrand: Integrand, low: np.ndarray, high: np.ndarray) -> Float[np.ndarray, "p n"]:
    """Return the integrals over panels."""
    unit, weight = np.polynomial.legendre.leggauss(NODES)
    half = (high - low) / 2
    s = low[:, None] + half[:, None] * (1 + unit)
    values = integrand(s.ravel()).reshape(len(low), NODES, -1)
    return np.einsum("p,m,pmn->pn", half, weight, values)


def _scale(statistics: ClassStatistics, i: int, j: int) -> float:
    """Return the shortest length scale of the integrand near 0: that of erf, or of the conditional spread of z_j."""
    gap = statistics.latent[1][statistics.lags_of(i)[j]]
    return max(min(1.0, 1 / float(statistics.law.gains[statistics.c]), np.sqrt(gap)), SHORTEST)


def _integrand(statistics: ClassStatistics, i: int, j: int, a: Fraction) -> Integrand:
    """phi(s) E[sign(n_1 + h_1) sign(n_2 + h_2)] over s and k."""
    gain, k2 = statistics.law.gains[statistics.c], float(statistics.kappa_squared)
    g, lost = float(gain), float(1 / (1 + 2 * gain**2))
    rho, gap = (by_lag[statistics.lags] for by_lag in statistics.latent)
    less = np.where(rho > 0, gap / (1 + np.abs(rho)), 1 - rho)
    # rho_jk - rho_ij rho_ik, of 1 - rho: nothing is lost near rho = 1.
    partial = less[i, j] + less[i] - less[j] - less[i, j] * less[i]
    own = lost + k2 * gap[i]
    r = np.sqrt(k2) * partial / np.sqrt(gap[i, j] * own)
    # det of the correlations of i, j, k, which vanishes for k in {i, j}.
    det = np.clip(gap[i, j] * gap[i] - partial**2, 0, None)
    det[[i, j]] = 0.0
    left = (gap[i, j] * lost + k2 * det) / (gap[i, j] * own)
    slope = np.sqrt(k2) * rho[i] / np.sqrt(own)

    def integrand(s: Float[np.ndarray, " s"]) -> Float[np.ndarray, "s n"]:
        h1 = (rho[i, j] * s + threshold(a, g, s)) / np.sqrt(gap[i, j])
        density = np.exp(-(s**2) / 2) / np.sqrt(2 * np.pi)
        return density[:, None] * two_signs(r, left, thresholds=(h1[:, None], slope * s[:, None]))

    return integrand
