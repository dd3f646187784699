"""Gradient flow of networks whose outputs are products of weights along paths, by Taylor's series in flint."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod

from flint import arb, arb_poly, arb_series, ctx
from mpmath import mp, mpf

ORDER = 45  # of Taylor's series
BEYOND = 20  # digits of the series beyond those of the numbers
MOST = 1_000  # steps of a flow, and of Newton's method


@dataclass(frozen=True)
class Network:
    """L = (P/2) sum over the paths of (s - product of the path's weights)^2; a path is the numbers of its weights."""

    paths: tuple[tuple[int, ...], ...]
    s: mpf
    P: mpf


def flowed(network: Network, start: Sequence[mpf], time: mpf) -> list[mpf]:
    """Return the weights at a time, in units of tau."""
    with _settings():
        left = arb(time)
        for weights, length in _steps(network, start):
            if left <= length:
                return [_number(w(left)) for w in weights]
            left -= length
    raise ArithmeticError(f"{MOST} steps do not reach the time {time}.")


def until(network: Network, start: Sequence[mpf], path: Sequence[int], goal: mpf) -> mpf:
    """Return the time, in units of tau, at which the product of the weights of a path has grown to a goal."""
    with _settings():
        passed = arb(0)
        for weights, length in _steps(network, start):
            missing = arb(goal) - prod(weights[k] for k in path)
            if missing(length) <= 0:
                return _number(passed + _root(missing, length))
            passed += length
    raise ArithmeticError(f"{MOST} steps do not reach {goal}.")


def rest(network: Network, start: Sequence[mpf]) -> list[mpf]:
    """Return the weights where none has a velocity in the digits of the numbers."""
    with _settings():
        for weights, _ in _steps(network, start):
            if max(abs(_number(w[1])) for w in weights) < mpf(10) ** -mp.dps:
                return [_number(w[0]) for w in weights]
    raise ArithmeticError(f"{MOST} steps do not lead to rest.")


@contextmanager
def _settings() -> Iterator[None]:
    """Set the digits and the order of flint's series."""
    order, ctx.cap = ctx.cap, ORDER + 1
    try:
        with ctx.workdps(mp.dps + BEYOND):
            yield
    finally:
        ctx.cap = order


def _steps(network: Network, start: Sequence[mpf]) -> Iterator[tuple[list[arb_poly], arb]]:
    """Yield the weights as polynomials in time, and the length at which their last terms are below the digits."""
    small, at = mpf(10) ** -(mp.dps + 3), [arb(w) for w in start]
    for _ in range(MOST):
        weights = _taylor(network, at)
        last = [(k, abs(_number(w[k]))) for w in weights for k in range(ORDER - 2, ORDER + 1)]
        length = arb(min(((small / size) ** (mpf(1) / k) for k, size in last if size), default=mpf(1)))
        yield weights, length
        at = [w(length).mid() for w in weights]


def _taylor(network: Network, start: Sequence[arb]) -> list[arb_poly]:
    """Return the weights as series: each integral of the velocities makes one more order right."""
    found = [arb_series([w], 1) for w in start]
    for _ in range(ORDER):
        found = [w + velocity.integral() for w, velocity in zip(start, _downhill(network, found), strict=True)]
    return [arb_poly(w.coeffs()) for w in found]


def _downhill(network: Network, weights: Sequence[arb_series]) -> list[arb_series]:
    """Return -dL/dw of each weight: over its paths, what is missing times the other weights."""
    s, share = arb(network.s), arb(network.P)
    slopes = [arb_series([0], ORDER + 1) for _ in weights]
    for path in network.paths:
        missing = s - prod(weights[k] for k in path)
        for place, k in enumerate(path):
            slopes[k] += missing * prod(weights[l] for l in path[:place] + path[place + 1 :])
    return [share * slope for slope in slopes]


def _root(falling: arb_poly, start: arb) -> arb:
    """Return the root by Newton's method."""
    slope, at = falling.derivative(), start
    for _ in range(MOST):
        step = (falling(at) / slope(at)).mid()
        at = (at - step).mid()
        if abs(step) < arb(10) ** -mp.dps:
            return at
    raise ArithmeticError("Newton's method does not find the time.")


def _number(ball: arb) -> mpf:
    """Return the middle of a ball."""
    mantissa, exponent = ball.mid().man_exp()
    return mp.ldexp(int(mantissa), int(exponent))
