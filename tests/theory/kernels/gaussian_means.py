"""E[f(z) g(z')] of two Gaussian variables by quadrature between the kinks, and the recursion of wide networks by it."""

from collections.abc import Callable
from math import sqrt

import numpy as np
from scipy.special import erf, ndtr

from tests.tolerances_of_infinite_width import DUAL_REACH

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
Function = Callable[[np.ndarray], np.ndarray]

# s and s', almost everywhere, of each activation.
ACTIVATIONS: dict[str, tuple[Function, Function]] = {
    "linear": (lambda x: x, np.ones_like),
    "relu": (lambda x: np.maximum(x, 0), lambda x: (x > 0) * 1.0),
    "leaky-relu:1/10": (lambda x: np.maximum(x, x / 10), lambda x: np.where(x > 0, 1.0, 0.1)),
    "abs": (np.abs, np.sign),
    "step": (lambda x: (x > 0) * 1.0, np.zeros_like),
    "sign": (np.sign, np.zeros_like),
    "erf": (erf, lambda x: 2 / sqrt(np.pi) * np.exp(-(x**2))),
    "erf(h/sqrt(2))": (lambda x: erf(x / sqrt(2)), lambda x: sqrt(2 / np.pi) * np.exp(-(x**2) / 2)),
    "gelu": (lambda x: x * ndtr(x), lambda x: ndtr(x) + x * np.exp(-(x**2) / 2) / sqrt(2 * np.pi)),
    "sin": (np.sin, np.cos),
    "cos": (np.cos, lambda x: -np.sin(x)),
    "relu(h)**2": (lambda x: np.maximum(x, 0) ** 2, lambda x: 2 * np.maximum(x, 0)),
    "tanh": (np.tanh, lambda x: 1 / np.cosh(x) ** 2),
    "softplus": (lambda x: np.logaddexp(0, x), lambda x: 1 / (1 + np.exp(-x))),
    "h*cos(h + 1)": (lambda x: x * np.cos(x + 1), lambda x: np.cos(x + 1) - x * np.sin(x + 1)),
}


def _panels(low: np.ndarray, high: np.ndarray, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights of `number` panels from `low` to `high`, along a new last axis."""
    edges = low[..., None] + (high - low)[..., None] * np.arange(number + 1) / number
    half = np.diff(edges, axis=-1)[..., None] / 2
    middle = edges[..., :-1, None] + half
    return tuple(part.reshape(*low.shape, -1) for part in (middle + half * _NODES, half * _WEIGHTS))


def mean(f: Function, g: Function, p: float, q: float, c: float) -> float:
    """E[f(z) g(z')] for z, z' of variances p, q and covariance c; f and g may have a kink at 0."""
    reach = np.array(DUAL_REACH)
    halves = [_panels(-reach, 0 * reach, 12), _panels(0 * reach, reach, 12)]
    x, wx = (np.concatenate([half[part] for half in halves]) for part in (0, 1))
    slope, rest = c / sqrt(p), sqrt(max(q - c * c / p, 0.0))
    kink = np.clip(-slope * x / rest if rest else np.zeros_like(x), -DUAL_REACH, DUAL_REACH)
    total = 0.0
    for low, high in ((-DUAL_REACH + 0 * kink, kink), (kink, DUAL_REACH + 0 * kink)):
        y, wy = _panels(low, high, 8)
        inner = (wy * np.exp(-(y**2) / 2) * g(slope * x[:, None] + rest * y)).sum(axis=1)
        total += float((wx * np.exp(-(x**2) / 2) * f(sqrt(p) * x) * inner).sum())
    return total / (2 * np.pi)


def kernels(
    name: str, depth: int, start: tuple[float, float, float], weight: float, bias: float
) -> tuple[float, float]:
    """Return K_d and Sigma_d for variances and covariance <x, x'> of the first layer, without its biases."""
    s, slope = ACTIVATIONS[name]
    p, q, c = (number + bias for number in start)
    tangent = c
    for _ in range(depth - 1):
        gradient, value = (weight * mean(f, f, p, q, c) for f in (slope, s))
        p, q = (weight * mean(s, s, one, one, one) + bias for one in (p, q))
        c = value + bias
        tangent = gradient * tangent + c
    return tangent, c
