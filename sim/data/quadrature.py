"""The laws' numbers from their definitions: Z^2 := E f(gain z)^2 and the covariance of f(gain z)/Z, here of f = erf.

Other nonlinearities are in `nonlinear_quadrature`. Nothing here is a closed form. Both integrals are composite
Gauss-Legendre sums whose panels shrink geometrically towards the steep part of erf, which has the width 1/gain. Each is
computed twice, with different numbers of nodes, and OutOfReachError is raised where the two results differ.
"""

import math
from functools import lru_cache, singledispatch

import numpy as np
import torch
from jaxtyping import Float

from theory.problem import Erf, NonlinearGP, OutOfReachError, latent_correlation, latent_variance
from theory.problem.correlations import GAUSSIAN

# P(|N(0, 1)| > 12) < 4e-33: the truncated tail is below the rounding of every integral here.
_REACH = 12.0
_NEGLIGIBLE = 1e-30
_NODES = (20, 28)
# A sum of m rounded terms is right to about sqrt(m) eps; the sums have fewer than 2,000 terms and two levels.
_AGREEMENT = 64 * np.finfo(float).eps


def normaliser(law: NonlinearGP) -> float:
    """Return Z of the law: the root of E erf(gain z)^2 for "unit-variance", 1 for "none".

    Raises OutOfReachError where the gain is so small that the square underflows, or the quadrature does not settle.

    >>> normaliser(NonlinearGP(4, (2, 1), 3, "open", "none", (1, 0)))
    1.0
    """
    return math.sqrt(_square(law)) if law.normaliser == "unit-variance" else 1.0


def _square(law: NonlinearGP) -> float:
    """Return E f(gain z)^2 over all classes; their gains may differ, and the variances of z if the law is clipped."""
    gains = [unit_gain(law, c) for c in range(law.classes)]
    if len(set(gains)) == 1:
        return second_moment(law.nonlinearity, gains[0])
    squares = (second_moment(law.nonlinearity, gain) for gain in gains)
    return sum(float(p) * square for p, square in zip(law.probabilities, squares, strict=True))


def unit_gain(law: NonlinearGP, c: int) -> float:
    """Return the gain of class `c` for a latent scaled to variance 1.

    >>> unit_gain(NonlinearGP(4, (2, 1), (3, 1), "open", "none", (1, 0)), 0)
    3.0
    """
    return float(law.gains[c]) * math.sqrt(latent_variance(law, c))


@singledispatch
def second_moment(nonlinearity: object, gain: float) -> float:
    """Return E f(gain z)^2 for z ~ N(0, 1); `nonlinear_quadrature` registers all but erf."""
    del gain
    raise OutOfReachError(
        f"No quadrature of {type(nonlinearity).__name__}, which is no nonlinearity.",
        "Derive it from theory.problem.Nonlinearity.",
    )


@singledispatch
def cross_moment(
    nonlinearity: object, gain: float, rho: Float[np.ndarray, " m"], conditional_variance: Float[np.ndarray, " m"]
) -> Float[np.ndarray, " m"]:
    """Return E f(gain z1) f(gain z2) at correlations rho, as `erf_covariance` does for f = erf."""
    del rho, conditional_variance
    return second_moment(nonlinearity, gain)  # refuses


def erf_variance(gain: float) -> float:
    """Return E erf(gain z)^2 for z ~ N(0, 1), relative to a few machine epsilons for every gain from 1e-150 on.

    >>> f"{erf_variance(1.0):.6f}"
    '0.464559'
    """
    if not gain**2 > np.finfo(float).tiny:
        raise OutOfReachError(
            f"gain = {gain:g}: E erf(gain z)^2, of the size gain^2, underflows double precision.",
            "Use a gain above 1e-150; below about 1e-8 the law is Gaussian to double precision anyway.",
        )

    def integral(nodes: int) -> float:
        z, weight = composite(_edges_from_zero(gain), nodes)
        # Twice the half-line, by symmetry.
        return float(2 * np.sum(weight * normal_density(z) * _erf(gain * z) ** 2))

    return float(settled(f"E erf({gain:g} z)^2", *(np.array([integral(nodes)]) for nodes in _NODES))[0])


def erf_covariance(
    gain: float, rho: Float[np.ndarray, " m"], conditional_variance: Float[np.ndarray, " m"]
) -> Float[np.ndarray, " m"]:
    """Return E erf(gain z1) erf(gain z2) at correlations rho, by integrating over z1 and, at each z1, over z2 given z1.

    `conditional_variance` is 1 - rho^2 > 0, given apart because the subtraction loses it for rho near 1.
    Absolute error: a few machine epsilons times E erf(gain z)^2.
    """
    passes = (_erf_covariance(gain, rho, conditional_variance, nodes) for nodes in _NODES)
    return settled(f"E erf({gain:g} z1) erf({gain:g} z2)", *passes, scale=erf_variance(gain))


@second_moment.register
def _(_nonlinearity: Erf, gain: float) -> float:
    return erf_variance(gain)


@cross_moment.register
def _(_nonlinearity: Erf, gain: float, rho: np.ndarray, conditional_variance: np.ndarray) -> np.ndarray:
    return erf_covariance(gain, rho, conditional_variance)


def covariance(law: NonlinearGP, c: int) -> Float[np.ndarray, "n n"]:
    """Return Cov(x_i, x_j) in class c for x = f(gain z)/Z, whose mean is zero because f is odd.

    The entry depends on the distance alone, so each distance is integrated once.

    >>> covariance(NonlinearGP(2, (2, 1), 1, "open", "unit-variance", (1, 0)), 0).diagonal().tolist()
    [1.0, 1.0]
    """
    rho, conditional_variance, place = _correlations(law, c)
    gain = unit_gain(law, c)
    variance = second_moment(law.nonlinearity, gain)
    values = np.zeros(len(rho))
    coincident = conditional_variance == 0
    values[coincident] = np.sign(rho[coincident]) * variance
    # At most |rho| times the variance, as every odd power of rho has a coefficient >= 0: 0 to all digits here.
    seen = ~coincident & (np.abs(rho) > _NEGLIGIBLE)
    if seen.any():
        values[seen] = cross_moment(law.nonlinearity, gain, rho[seen], conditional_variance[seen])
    scale = _square(law) if law.normaliser == "unit-variance" else 1.0
    return (values / scale)[place].reshape(law.n, law.n)


def _correlations(law: NonlinearGP, c: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rho and 1 - rho^2 of the latent, each distinct value once, and the place of each pair of sites in them."""
    if law.clipped or law.kernels[c] != GAUSSIAN:
        covariance = latent_correlation(law, c)
        rho, place = np.unique(covariance / covariance[0, 0], return_inverse=True)
        return rho, (1 - rho) * (1 + rho), place
    distances, place = np.unique(law.squared_distance(), return_inverse=True)
    exponent = distances / float(law.xi[c]) ** 2
    return np.exp(-exponent), -np.expm1(-2 * exponent), place


def _erf_covariance(gain: float, rho: np.ndarray, conditional_variance: np.ndarray, nodes: int) -> np.ndarray:
    values = np.empty(len(rho))
    for index, (r, variance) in enumerate(zip(rho, conditional_variance, strict=True)):
        spread = math.sqrt(variance)
        # The conditional mean of erf(gain z2) varies over the width of erf, smoothed by the spread of z2.
        turn = math.hypot(spread, 1 / gain) / abs(r)
        z1, weight = composite(_edges_from_zero(gain, 1 / turn), nodes)
        inner = _conditional_mean(gain, r * z1, spread, nodes)
        values[index] = 2 * np.sum(weight * normal_density(z1) * _erf(gain * z1) * inner)
    return values


def _conditional_mean(gain: float, mean: np.ndarray, spread: float, nodes: int) -> np.ndarray:
    """Return E erf(gain (mean + spread e)), e ~ N(0, 1), for each mean; erf is steep around e = -mean/spread."""
    centre = -mean / spread
    width = 1 / (gain * spread)
    regular = np.arange(-_REACH, _REACH + 1)
    graded = width * np.concatenate([-_grades(width)[::-1], [0.0], _grades(width)])
    edges = np.concatenate(
        [np.broadcast_to(regular, (len(mean), len(regular))), centre[:, None] + graded[None, :]], axis=1
    )
    edges = np.sort(np.clip(edges, -_REACH, _REACH), axis=1)
    # Panels of length zero, where edges coincide or were clipped, contribute nothing.
    e, weight = composite(edges, nodes)
    return np.sum(weight * normal_density(e) * _erf(gain * (mean[:, None] + spread * e)), axis=1)


def _grades(width: float) -> np.ndarray:
    """Offsets 1/2, 1, 2, 4, ... in units of `width`, up to the reach of the Gaussian on both sides."""
    doublings = max(2, min(8, math.ceil(math.log2(max(2 * _REACH / width, 2.0)))))
    return 2.0 ** np.arange(-1, doublings)


def _edges_from_zero(*steepness: float) -> np.ndarray:
    """Return panel edges on [0, reach] that halve towards 0 until they are finer than every 1/steepness."""
    finest = min(1.0, *(1 / s for s in steepness)) / 4
    halvings = math.ceil(math.log2(_REACH / finest))
    return np.concatenate([[0.0], _REACH * 2.0 ** np.arange(-halvings, -3), np.arange(1, 9) * _REACH / 8])


def composite(edges: np.ndarray, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return Gauss-Legendre nodes and weights of all panels between edges (..., p + 1), as (..., p nodes)."""
    unit, unit_weight = _legendre(nodes)
    low, half = edges[..., :-1, None], np.diff(edges, axis=-1)[..., None] / 2
    shape = (*edges.shape[:-1], -1)
    return (low + half * (1 + unit)).reshape(shape), (half * unit_weight).reshape(shape)


_legendre = lru_cache(maxsize=len(_NODES))(np.polynomial.legendre.leggauss)


def normal_density(z: np.ndarray) -> np.ndarray:
    """Return the density of N(0, 1)."""
    return np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)


def _erf(z: np.ndarray) -> np.ndarray:
    return torch.erf(torch.from_numpy(np.ascontiguousarray(z))).numpy()


def settled(what: str, coarse: np.ndarray, fine: np.ndarray, scale: float | None = None) -> np.ndarray:
    """Return the finer of two quadratures; OutOfReachError where they disagree beyond rounding."""
    limit = _AGREEMENT * (np.abs(fine).max() if scale is None else scale)
    apart = float(np.abs(fine - coarse).max())
    if not apart <= limit:
        raise OutOfReachError(
            f"{what}: {_NODES[0]} and {_NODES[1]} nodes a panel differ by {apart:.2g}; rounding allows {limit:.2g}.",
            "The covariance of this law cannot be integrated; use a gain from 1e-100 to 1e100.",
        )
    return fine
