"""E[f(z_k) T] and E[f(z_k) f(z_l) T] in float64, for one or two tails T = 1[U >= a] and f smooth between kinks.

Given z_k = u and z_l = rho u + sqrt(1 - rho^2) w the tails are an orthant of at most two Gaussians,

    E[f f T T'] = int phi(u) f(u) int phi(w) f(rho u + sqrt(1 - rho^2) w) P(U >= a, U' >= a' | u, w) dw du,

by Gauss-Legendre on panels. They end where the integrand is not smooth, and narrow geometrically towards places where
it turns quickly: at z_k and z_l in a kink, on the line on which a tail is as likely as not, and where these meet.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.special import ndtr

from theory.gaussian.float64.quadrature import legendre
from theory.gaussian.float64.two_signs import two_signs
from theory.moments.nonlinearities import functions
from theory.problem import Nonlinearity

NODES = 12
WIDTH = 1.5  # of a panel where the integrand is smooth: 12 nodes leave 1e-15 of a Gaussian
NEAR = np.array([-8.0, -4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0, 8.0])  # beyond 8 of its lengths a turn is over: Phi(-8)
SETTLED = 1e-15  # a variance below it is rounding: the tail is then known from u and w
_NARROWEST = 1e-12
_KEPT = 2**16  # integrals in the plane: one takes up to a second, and each reader of a problem asks for the same ones


@dataclass(frozen=True)
class Given:
    """A tail U >= at given u and w: U = along u + across w + rest e, with e ~ N(0, 1)."""

    along: float
    across: float
    at: float

    @property
    def rest(self) -> float:
        """The standard deviation of U given u and w."""
        left = 1 - self.along**2 - self.across**2
        return sqrt(left) if left > SETTLED else 0.0

    def standard(self, u: Any, w: Any) -> Any:
        """E[U | u, w] - at."""
        return self.along * u + self.across * w - self.at


def on_line(nonlinearity: Nonlinearity, power: int, tails: Sequence[Given], r: float = 0.0) -> float:
    """E[f(u)^power T T'] with corr(U, U') = r; the tails have across = 0.

    >>> from theory.problem import Laplace
    >>> round(on_line(Laplace(), 2, [Given(1.0, 0.0, 0.0)]), 12)  # half of E f^2 = 2
    1.0
    """
    end = functions.reach(nonlinearity)
    turns = [(tail.at / tail.along, tail.rest / abs(tail.along)) for tail in tails if abs(tail.along) > _NARROWEST]
    edges = _edges(end, [np.array([z]) for z in _kinks(nonlinearity)], [(np.array([z]), s) for z, s in turns])
    u, weight = _nodes(edges)
    value = _f(nonlinearity, u) ** power * _density(u) * _beyond(tails, r, u, np.zeros(1))
    return float((weight * value).sum())


@lru_cache(maxsize=_KEPT)
def in_plane(nonlinearity: Nonlinearity, rho: float, gap: float, tails: tuple[Given, ...], r: float = 0.0) -> float:
    """E[f(z_k) f(z_l) T T'] with corr(z_k, z_l) = rho, gap = 1 - rho^2 > 0 and corr(U, U') = r.

    Without correlation the tail of z_k leaves E[f(z_k) T] E[f(z_l)] = 0:

    >>> from theory.problem import Laplace
    >>> abs(in_plane(Laplace(), 0.0, 1.0, (Given(1.0, 0.0, 0.5),))) < 1e-14
    True
    """
    root, end, kinks = sqrt(gap), functions.reach(nonlinearity), _kinks(nonlinearity)
    near = [tail for tail in tails if abs(tail.along) > _NARROWEST]
    turns = [(tail.at / tail.along, sqrt(max(0.0, 1 - tail.along**2)) / abs(tail.along)) for tail in near]
    steep = [tail for tail in tails if abs(tail.across) > _NARROWEST]
    lines = [(tail.at / tail.across, -tail.along / tail.across, tail.rest / abs(tail.across)) for tail in steep]
    bends = [(z / root, -rho / root, 0.0) for z in kinks]
    turns += [(z / rho, root / abs(rho)) for z in kinks if abs(rho) > _NARROWEST]
    for index, (start, slope, scale) in enumerate(lines):
        for other, against, more in [*bends, *lines[index + 1 :]]:
            rate = slope - against
            if abs(rate) > _NARROWEST:
                turns.append(((other - start) / rate, max(scale, more) / abs(rate)))
    u, weight = _nodes(_edges(end, [np.array([z]) for z in kinks], [(np.array([z]), s) for z, s in turns]))
    u, weight = u[0][weight[0] > 0], weight[0][weight[0] > 0]
    inner = _edges(
        end,
        [start + slope * u for start, slope, _ in bends],
        [(start + slope * u, scale) for start, slope, scale in lines],
    )
    w, inner_weight = _nodes(inner)
    # Where u^2 + w^2 > end^2, |f f| is at most f(sqrt(u^2 + w^2))^2: as small beside its density as f^2 beyond the end.
    q, place = np.nonzero((inner_weight > 0) & (u[:, None] ** 2 + w**2 < end**2))
    u, weight, w, inner_weight = u[q], weight[q], w[q, place], inner_weight[q, place]
    value = _f(nonlinearity, u) * _f(nonlinearity, rho * u + root * w) * _beyond(tails, r, u, w)
    return float((weight * inner_weight * _density(np.hypot(u, w)) * value).sum()) / sqrt(2 * np.pi)


def _beyond(tails: Sequence[Given], r: float, u: Any, w: Any) -> Any:
    """P(T, T' | u, w)."""
    free = [tail for tail in tails if tail.rest]
    known = 1.0
    for tail in tails:
        if not tail.rest:
            known = known * (tail.standard(u, w) >= 0)
    if not free:
        return known
    heights = [tail.standard(u, w) / tail.rest for tail in free]
    if len(free) == 1:
        return known * ndtr(heights[0])
    one, other = free
    joint = (r - one.along * other.along - one.across * other.across) / (one.rest * other.rest)
    joint = min(max(joint, -1.0), 1.0)  # 1 up to rounding where u and w leave the tails one variable
    signs = two_signs(joint, 1 - joint**2, thresholds=tuple(np.broadcast_arrays(*heights)))
    return known * (ndtr(heights[0]) + ndtr(heights[1]) - 0.5 + signs / 2) / 2


def _edges(
    end: float, breaks: list[Float[np.ndarray, " q"]], turns: list[tuple[Float[np.ndarray, " q"], float]]
) -> Float[np.ndarray, "q p"]:
    """Ends of panels in [-end, end], row by row: regular ones, `breaks`, and those around each turn of a length."""
    regular = np.linspace(-end, end, 2 * int(np.ceil(end / WIDTH)) + 1)
    around = [place[:, None] + scale * NEAR for place, scale in turns]
    rows = max([1, *(len(place) for place in breaks), *(len(place) for place in around)])
    parts = [np.broadcast_to(regular, (rows, len(regular)))]
    parts += [np.broadcast_to(place[:, None], (rows, 1)) for place in breaks]
    parts += [np.broadcast_to(place, (rows, len(NEAR))) for place in around]
    return np.sort(np.clip(np.concatenate(parts, axis=1), -end, end), axis=1)


def _nodes(edges: Float[np.ndarray, "q p"]) -> tuple[Float[np.ndarray, "q m"], Float[np.ndarray, "q m"]]:
    unit, unit_weight = legendre(NODES)
    width = np.diff(edges, axis=1)[..., None]
    shape = (len(edges), -1)
    return (edges[:, :-1, None] + width * unit).reshape(shape), (width * unit_weight).reshape(shape)


def _kinks(nonlinearity: Nonlinearity) -> list[float]:
    above = functions.kinks(nonlinearity).tolist()
    return [*(-z for z in above), 0.0, *above]


def _f(nonlinearity: Nonlinearity, z: Float[np.ndarray, "*any"]) -> Float[np.ndarray, "*any"]:
    return np.sign(z) * functions.values(nonlinearity, np.abs(z))


def _density(z: Float[np.ndarray, "*any"]) -> Float[np.ndarray, "*any"]:
    return np.exp(-z * z / 2) / sqrt(2 * np.pi)
