"""Gradient flow of networks whose outputs are products of weights along paths, by Taylor's series in flint."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from operator import mul

from flint import arb, arb_poly, ctx
from mpmath import mp, mpf

ORDER = 60  # of Taylor's series: with fewer orders the steps are shorter
BEYOND = 20  # digits of the series beyond those of the numbers: they cover the rounding of all steps
MOST = 1_000  # steps of a flow, and of Newton's method


@dataclass(frozen=True)
class Network:
    """L = (P/2) sum over the outputs of (s - products of the weights along its paths)^2; a path is their numbers.

    Without `ends` every path has an output of its own; else it names the output of each.
    """

    paths: tuple[tuple[int, ...], ...]
    s: mpf
    P: mpf
    ends: tuple[int, ...] = ()


def flowed(network: Network, start: Sequence[mpf], time: mpf) -> list[mpf]:
    """Return the weights at a time, in units of tau."""
    with ctx.workdps(mp.dps + BEYOND):
        left = arb(time)
        for weights, length in _steps(network, start):
            if left <= length:
                return [_number(w(left)) for w in weights]
            left -= length
    raise ArithmeticError(f"{MOST} steps do not reach the time {time}.")


def until(network: Network, start: Sequence[mpf], path: Sequence[int], goal: mpf) -> mpf:
    """Return the time, in units of tau, at which the product of the weights of a path has grown to a goal."""
    with ctx.workdps(mp.dps + BEYOND):
        passed = arb(0)
        for weights, length in _steps(network, start):
            missing = arb(goal) - prod(weights[k] for k in path)
            if missing(length) <= 0:
                return _number(passed + _root(missing, length))
            passed += length
    raise ArithmeticError(f"{MOST} steps do not reach {goal}.")


def rest(network: Network, start: Sequence[mpf]) -> list[mpf]:
    """Return the weights when all velocities are below the digits of the numbers."""
    with ctx.workdps(mp.dps + BEYOND):
        for weights, _ in _steps(network, start):
            if max(abs(_number(w[1])) for w in weights) < mpf(10) ** -mp.dps:
                return [_number(w[0]) for w in weights]
    raise ArithmeticError(f"{MOST} steps do not lead to rest.")


def _steps(network: Network, start: Sequence[mpf]) -> Iterator[tuple[list[arb_poly], arb]]:
    """Yield each step: the weights as polynomials in time, and a time at which the last terms are below the digits."""
    small, at = mpf(10) ** -(mp.dps + 3), [arb(w) for w in start]
    for _ in range(MOST):
        weights = _taylor(network, at)
        last = [(k, abs(_number(w[k]))) for w in weights for k in range(ORDER - 2, ORDER + 1)]
        length = arb(min(((small / size) ** (mpf(1) / k) for k, size in last if size), default=mpf(1)))
        yield weights, length
        at = [w(length).mid() for w in weights]


def _taylor(network: Network, start: Sequence[arb]) -> list[arb_poly]:
    """Return the weights as polynomials: the velocity -dL/dw up to one order gives the weight up to the next.

    The velocity of a weight is the sum over its paths of P (s - product) times the product of the other weights.
    """
    known = {(): [arb(1)] + [arb(0)] * ORDER} | {(k,): [w] for k, w in enumerate(start)}
    others = [(k, path, path[:n] + path[n + 1 :]) for path in network.paths for n, k in enumerate(path)]
    wanted = {part[:n] for _, path, beside in others for part in (path, beside) for n in range(2, len(part) + 1)}
    products = sorted(wanted, key=len)  # each from a shorter one and a weight
    known |= {part: [] for part in products}
    end = dict(zip(network.paths, network.ends or range(len(network.paths)), strict=True))
    missing = {output: [] for output in end.values()}
    s, share = arb(network.s), arb(network.P)
    for order in range(ORDER):
        for part in products:
            known[part].append(_coefficient(known[part[:-1]], known[part[-1:]], order))
        for output, own in missing.items():
            own.append((0 if order else s) - sum(known[path][order] for path in end if end[path] == output))
        slopes = [arb(0) for _ in start]
        for k, path, beside in others:
            slopes[k] += _coefficient(missing[end[path]], known[beside], order)
        for k, slope in enumerate(slopes):
            known[(k,)].append(share * slope / (order + 1))
    return [arb_poly(known[(k,)]) for k in range(len(start))]


def _coefficient(one: Sequence[arb], other: Sequence[arb], order: int) -> arb:
    """Return a coefficient of the product of two series."""
    return sum(map(mul, one, other[order::-1]), arb(0))


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
