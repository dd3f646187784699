"""Witnesses of the claims on networks of infinite width: integrals over a preactivation, and sums over signs."""

from collections import defaultdict
from fractions import Fraction
from itertools import product
from math import prod

import mpmath
from mpmath import mpf
from witness import GUARD, At, Witness, integral, panels, real

_REACH = 16  # standard deviations: the density there is 1e-56


def _over_positive(f, r: mpf, digits: int) -> mpf:
    """2 int_0^oo phi(x) f(x, t) dx; the other preactivation is positive with the probability Phi(t)."""
    steepness = r / mpmath.sqrt((1 - r) * (1 + r))
    width = 1 / max(abs(steepness), mpf(1))
    ends = panels(mpf(0), mpf(_REACH), (mpf(0), width))
    return 2 * integral(lambda x: mpmath.npdf(x) * f(x, steepness * x), ends, digits)


def _steps(r: mpf, digits: int) -> mpf:
    return _over_positive(lambda _x, t: mpmath.ncdf(t), r, digits)


def _relus(r: mpf, digits: int) -> mpf:
    """E[relu(m + s N)] = m Phi(m/s) + s phi(m/s), by parts."""
    s = mpmath.sqrt((1 - r) * (1 + r))
    return _over_positive(lambda x, t: x * (r * x * mpmath.ncdf(t) + s * mpmath.npdf(t)), r, digits)


def _pair(at: At, digits: int) -> mpf:
    with mpmath.workdps(digits + GUARD):
        return _relus(real(at["rho"]), digits)


def _sines(at: At, digits: int) -> mpf:
    """(E cos(z - z') - E cos(z + z'))/2, each an integral over one Gaussian."""
    with mpmath.workdps(digits + GUARD):
        r, ends = real(at["rho"]), panels(mpf(-_REACH), mpf(_REACH), (mpf(0), mpf(1)))
        parts = [_cosine(mpmath.sqrt(2 + side * 2 * r), ends, digits) for side in (-1, 1)]
        return (parts[0] - parts[1]) / 2


def _cosine(s: mpf, ends: list[mpf], digits: int) -> mpf:
    return integral(lambda x: mpmath.npdf(x) * mpmath.cos(s * x), ends, digits)


def _kernel(at: At, digits: int) -> mpf:
    """(v/2) slope_2 (slope_1 rho + covariance_1) + covariance_2."""
    with mpmath.workdps(digits + GUARD):
        r = real(at["rho"])
        first = _relus(r, digits)
        earlier = _steps(first, digits) * (_steps(r, digits) * r + first)
        return real(at["v"]) / 2 * earlier + _relus(first, digits)


def _gated(at: At, digits: int) -> mpf:
    with mpmath.workdps(digits + GUARD):
        r = real(at["rho"])
        return 3 * r * _steps(r, digits) * _steps(_relus(r, digits), digits)


def _diagonal(at: At, _digits: int) -> Fraction:
    """One term for each layer of weights: the mean square of all other weights and gates of a path, in units of 2/w."""
    depth = int(at["d"])
    others = [[at["v"] / 2 if layer == depth - 1 else Fraction(1) for layer in range(depth)] for _ in range(depth)]
    return sum((prod(own for layer, own in enumerate(row) if layer != marked) for marked, row in enumerate(others)), 0)


def _open_paths(at: At, _digits: int) -> Fraction:
    """V^(d-1) E Lambda, level by level: the law of the values of a level, over the signs of the weights before it."""
    width, depth = int(at["w"]), int(at["d"])
    law: dict[tuple[tuple[int, ...], int], Fraction] = {((1,), 1): Fraction(1)}
    for level in range(1, depth):
        following: dict[tuple[tuple[int, ...], int], Fraction] = defaultdict(Fraction)
        for (values, paths), weight in law.items():
            rows = []
            for node in range(width):
                sizes = [3 ** (7 ** (1 + (level * width + node) % 3)) + 5 * j * j + level for j in range(len(values))]
                rows.append(
                    [max(sum(map(prod, zip(signs, sizes, values, strict=True))), 0) for signs in _signs(values)]
                )
            for chosen in product(*rows):
                following[chosen, paths * sum(q > 0 for q in chosen)] += weight / prod(map(len, rows))
        law = following
    return at["V"] ** (depth - 1) * sum((paths * weight for (_, paths), weight in law.items()), Fraction(0))


def _signs(values: tuple[int, ...]) -> list[tuple[int, ...]]:
    return list(product((1, -1), repeat=len(values)))


_CORRELATIONS = ("rho=1/2", "rho=-1/3", "rho=9/10", "rho=-7/8", "rho=1/64")
WITNESSES = {
    "ntk.dual.relu_relu": Witness(_pair, _CORRELATIONS),
    "ntk.dual.sin_sin": Witness(_sines, _CORRELATIONS),
    "ntk.recursion.value": Witness(
        _kernel, ("rho=1/2 v=2", "rho=1/2 v=1", "rho=-1/3 v=1", "rho=9/10 v=1/5", "rho=-7/8 v=7")
    ),
    "ntk.recursion.diagonal": Witness(_diagonal, ("d=2 v=1", "d=3 v=1", "d=5 v=2", "d=4 v=1/3", "d=9 v=7/2")),
    "ntk.fixed_gates.kernel": Witness(_gated, _CORRELATIONS),
    "ntk.fixed_gates.scale": Witness(
        _open_paths, ("w=1 d=3 V=2", "w=2 d=3 V=1", "w=3 d=2 V=2/3", "w=3 d=1 V=5", "w=2 d=2 V=1/7")
    ),
}
