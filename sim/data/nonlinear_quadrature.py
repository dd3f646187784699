"""E f(gain z)^2 and E f(gain z1) f(gain z2) of any nonlinearity f, by quadrature of their definitions.

The integrals over z1 and, at each z1, over z2 given z1 are composite Gauss-Legendre sums. Panels end where f may have a
kink or a jump (at 0, and at the quantiles of a table) and shrink geometrically towards these points.
"""

import math
from fractions import Fraction
from functools import singledispatch

import numpy as np
import torch
from jaxtyping import Float

from sim.data.nonlinearities import applied
from sim.data.quadrature import composite, cross_moment, normal_density, second_moment, settled
from theory.problem import Algebraic, Nonlinearity, OutOfReachError, Quantile, Tanh

Values = Float[np.ndarray, "*any"]
# P(|N(0, 1)| > 12) < 4e-33, see sim.data.quadrature.
_REACH = 12.0
_PANELS = 24
_NODES = (20, 28)
_LEAST_K = Fraction(9, 4)  # at its reach of 36 the density of z is 1e-282
_KEPT = 200_000  # numbers of an inner integral at a time


@singledispatch
def reach(nonlinearity: Nonlinearity) -> float:
    """Return the z beyond which f(z)^2 times the density of z is negligible."""
    del nonlinearity
    return _REACH


@reach.register
def _(nonlinearity: Algebraic) -> float:
    # f(z)^2 grows like exp(z^2/k), so that f^2 times the density falls like exp(-(1 - 2/k) z^2/2).
    if nonlinearity.k < _LEAST_K:
        raise OutOfReachError(
            f"E f(z)^2 of the algebraic law with k = {float(nonlinearity.k):g} has much of its weight where the "
            "density of z underflows double precision.",
            f'Give k >= {float(_LEAST_K):g}, or normaliser = "none".',
        )
    return _REACH / math.sqrt(1 - 2 / float(nonlinearity.k))


@singledispatch
def kinks(nonlinearity: Nonlinearity) -> list[float]:
    """Return the z >= 0 at which f may have a kink or a jump, ascending; f is odd."""
    del nonlinearity
    return [0.0]


@kinks.register
def _(nonlinearity: Quantile) -> list[float]:
    shares = torch.tensor([float(p) for p in nonlinearity.p[:-1]], dtype=torch.float64)
    return torch.special.ndtri(shares).tolist()


@singledispatch
def finest(nonlinearity: Nonlinearity) -> float:
    """Return the length of the first panels beside a kink, next to which f is smooth."""
    del nonlinearity
    return 0.25


@finest.register
def _(nonlinearity: Algebraic) -> float:
    del nonlinearity
    return 2.0**-8  # |u|^k is not smooth at 0


@finest.register
def _(nonlinearity: Tanh) -> float:
    del nonlinearity
    return 2.0**-6  # tanh(gain z) turns within 1/gain


@second_moment.register
def _(nonlinearity: Nonlinearity, gain: float) -> float:
    def integral(nodes: int) -> float:
        z, weight = composite(_outer(nonlinearity, finest(nonlinearity) / max(1.0, gain)), nodes)
        # Twice the half-line, by symmetry.
        return float(2 * np.sum(weight * normal_density(z) * _of(nonlinearity, gain * z) ** 2))

    passes = (np.array([integral(nodes)]) for nodes in _NODES)
    return float(settled(f"E f({gain:g} z)^2 of {nonlinearity}", *passes)[0])


@cross_moment.register
def _(nonlinearity: Nonlinearity, gain: float, rho: Values, conditional_variance: Values) -> Values:
    """Return E f(gain z1) f(gain z2) at correlations rho; `conditional_variance` is 1 - rho^2 > 0."""

    def integrals(nodes: int) -> np.ndarray:
        pairs = zip(rho, conditional_variance, strict=True)
        return np.array([_cross(nonlinearity, gain, float(r), math.sqrt(left), nodes) for r, left in pairs])

    what = f"E f({gain:g} z1) f({gain:g} z2) of {nonlinearity}"
    return settled(what, *map(integrals, _NODES), scale=second_moment(nonlinearity, gain))


def _cross(nonlinearity: Nonlinearity, gain: float, rho: float, spread: float, nodes: int) -> float:
    # The mean of f(gain z2) given z1 turns over the width spread/rho around a kink.
    turn = min(1.0, spread / abs(rho))
    z, weight = composite(_outer(nonlinearity, finest(nonlinearity) * turn, 1 / rho), nodes)
    outer = weight * normal_density(z) * _of(nonlinearity, gain * z)
    step = max(1, _KEPT // (nodes * len(_inner(nonlinearity, np.zeros(1), spread)[0])))
    parts = (slice(start, start + step) for start in range(0, len(z), step))
    return float(2 * sum(outer[part] @ _mean(nonlinearity, gain, rho * z[part], spread, nodes) for part in parts))


def _mean(nonlinearity: Nonlinearity, gain: float, mean: np.ndarray, spread: float, nodes: int) -> np.ndarray:
    """Return E f(gain (mean + spread e)), e ~ N(0, 1), for each mean."""
    e, weight = composite(_inner(nonlinearity, mean, spread), nodes)
    limit = reach(nonlinearity)
    # Where |z2| is beyond the reach, so is (z1, e), and f there does not matter; but it must not overflow.
    z2 = np.clip(mean[:, None] + spread * e, -limit, limit)
    return np.sum(weight * normal_density(e) * _of(nonlinearity, gain * z2), axis=1)


def _inner(nonlinearity: Nonlinearity, mean: np.ndarray, spread: float) -> np.ndarray:
    """Return the ends of panels in e: regular ones, and around each e at which mean + spread e is at a kink."""
    limit = reach(nonlinearity)
    regular = np.linspace(-limit, limit, _PANELS + 1)
    points = np.array(kinks(nonlinearity))
    places = (np.concatenate([-points, points])[None, :] - mean[:, None]) / spread
    around = (places[:, :, None] + _offsets(finest(nonlinearity) / spread)).reshape(len(mean), -1)
    edges = np.concatenate([np.broadcast_to(regular, (len(mean), len(regular))), around], axis=1)
    return np.sort(np.clip(edges, -limit, limit), axis=1)


def _outer(nonlinearity: Nonlinearity, first: float, stretch: float = 1.0) -> np.ndarray:
    """Return the ends of panels on [0, reach], graded around every kink and around `stretch` times it."""
    limit = reach(nonlinearity)
    points = np.array(kinks(nonlinearity))
    points = np.unique(np.concatenate([points, abs(stretch) * points]))
    around = (points[:, None] + _offsets(first)).ravel()
    return np.unique(np.clip(np.concatenate([around, np.linspace(0, limit, _PANELS + 1)]), 0, limit))


def _offsets(first: float) -> np.ndarray:
    """Return 0 and +-first, +-2 first, +-4 first, ... up to 1."""
    grades = first * 2.0 ** np.arange(max(1, math.ceil(-math.log2(min(first, 0.5)))))
    return np.concatenate([-grades, [0.0], grades])


def _of(nonlinearity: Nonlinearity, v: np.ndarray) -> np.ndarray:
    return applied(nonlinearity, torch.from_numpy(np.array(v))).numpy()
