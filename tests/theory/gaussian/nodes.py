"""Gaussian averages by Gauss-Legendre sums of their definition, between the kinks of the integrand."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np

NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)
REACH, STEP = 12.0, 2.0  # in standard deviations

Function = Callable[..., np.ndarray]


def pieces(low: float, high: float, kinks: Iterable[float], step: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights between `low` and `high`, in intervals of at most `step` that end at the kinks."""
    ends = sorted({low, high, *np.arange(low, high, step), *(kink for kink in kinks if low < kink < high)})
    middle, half = (np.add(ends[1:], ends[:-1]) / 2, np.subtract(ends[1:], ends[:-1]) / 2)
    return (middle[:, None] + half[:, None] * NODES).ravel(), (half[:, None] * WEIGHTS).ravel()


def on_a_line(x: float, sd: float, kinks: Iterable[float]) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of an average over N(x, sd^2); one node where sd = 0."""
    if sd == 0:
        return np.array([x]), np.array([1.0])
    nodes, weights = pieces(x - REACH * sd, x + REACH * sd, kinks, STEP * sd)
    return nodes, weights * np.exp(-(((nodes - x) / sd) ** 2) / 2) / (sd * np.sqrt(2 * np.pi))


def average(f: Function, mean: Sequence[float], cov: Sequence[Sequence[float]]) -> float:
    """E[f(z1, z2)] for z ~ N(mean, cov), where f is smooth away from z1 = 0, z2 = 0, z1 = z2 and z1 = -z2."""
    (m, n), ((v, c), (_, w)) = mean, cov
    rest = w - c * c / v
    on_one_line = c * c == v * w
    total = 0.0
    for x, weight in zip(*on_a_line(m, v**0.5, [0.0, m - n * v / c] if on_one_line else [0.0]), strict=True):
        y, inner = on_a_line(n + c / v * (x - m), 0.0 if on_one_line else rest**0.5, [0.0, x, -x])
        total += weight * np.sum(inner * f(x, y))
    return total


def on_the_line(f: Function, mean: Sequence[float], cov: np.ndarray, A: np.ndarray, b: np.ndarray, forms=()):
    """E[f(z) | A z = b] for a line of such z: the integral of f times the density of z along it, over that of 1.

    `forms` are the linear forms at whose zeros f is not smooth.
    """
    direction = np.linalg.svd(A)[2][-1]
    start = np.linalg.lstsq(A, b, rcond=None)[0] - mean
    inverse = np.linalg.inv(cov)
    sd = (direction @ inverse @ direction) ** -0.5
    top = -(direction @ inverse @ start) * sd**2
    slopes = [(np.dot(form, direction), np.dot(form, start + mean)) for form in forms]
    t, weights = pieces(top - REACH * sd, top + REACH * sd, [-at / slope for slope, at in slopes if slope], STEP * sd)
    z = start[:, None] + direction[:, None] * t
    density = weights * np.exp(-np.einsum("it,ij,jt->t", z, inverse, z) / 2 + start @ inverse @ start / 2)
    return np.sum(density * f(*(z + np.asarray(mean)[:, None]))) / np.sum(density)
