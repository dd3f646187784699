"""Explicit finite data sets: their loss, its gradient flow and its minimiser, from the definitions, at any precision.

Oracles of the claims on gradient flow. Nothing is derived here: the gradient is a difference of losses, the flow a
Taylor series of that gradient, so these numbers share no formula with the claims that they check.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import mpmath
from mpmath import mpf

Number = mpf | Fraction  # losses and their gradients are exact for fractions; flows and minima need mpf
Vector = list[mpf] | list[Fraction]
Loss = Callable[[Vector], Number]

_GUARD = 30  # digits beyond those requested, lost in differences of losses and in repeated doubling


@dataclass(frozen=True)
class Sample:
    """One example: its probability, the gates of the K units, the input x, the label y."""

    probability: Number
    gates: tuple[int, ...]
    x: tuple[Number, ...]
    y: Number


def half_mse(samples: Sequence[Sample], readout: Number) -> Loss:
    """Return w -> <(y - readout sum_k g_k w_k.x)^2>/2 for the K n weights w, unit after unit.

    One unit, x = 3 and y = 1: the loss (1 - 3 w)^2/2 vanishes at w = 1/3.

    >>> data = [Sample(Fraction(1), (1,), (Fraction(3),), Fraction(1))]
    >>> half_mse(data, Fraction(1))([Fraction(0)]), half_mse(data, Fraction(1))([Fraction(1, 3)])
    (Fraction(1, 2), Fraction(0, 1))
    """

    def loss(w: Vector) -> Number:
        total = 0
        for sample in samples:
            n = len(sample.x)
            output = sum(
                gate * w[unit * n + site] * sample.x[site]
                for unit, gate in enumerate(sample.gates)
                for site in range(n)
            )
            total += sample.probability * (sample.y - readout * output) ** 2
        return total / 2

    return loss


def gradient(loss: Loss, w: Vector) -> Vector:
    """Return the gradient of a quadratic loss, for which the symmetric difference (L(w+e) - L(w-e))/2 is exact.

    >>> gradient(lambda w: w[0] ** 2 + 3 * w[1], [Fraction(1), Fraction(0)])
    [Fraction(2, 1), Fraction(3, 1)]
    """
    return [(loss(_moved(w, i, 1)) - loss(_moved(w, i, -1))) / 2 for i in range(len(w))]


def flow(loss: Loss, start: Vector, tau: mpf, time: mpf, digits: int) -> Vector:
    """Return w(time) of tau dw/dt = -dL/dw from `start`, for a quadratic loss.

    A Taylor series of the flow over a short time gives an affine map; the flow is autonomous, so doubling the time
    composes the map with itself.

    The solution of dw/dt = -w with w(0) = 1 is exp(-1) at t = 1:

    >>> (w,) = flow(lambda w: w[0] ** 2 / 2, [mpf(1)], mpf(1), mpf(1), 20)
    >>> abs(w - mpmath.exp(-1)) < mpf(10) ** -14
    True
    """
    with mpmath.workdps(digits + _GUARD):
        velocity, jacobian = _generator(loss, len(start), tau)
        doublings = max(0, int(mpmath.ceil(mpmath.log(1 + time * mpmath.mnorm(jacobian, 1), 2))))
        step = _taylor_map(velocity, jacobian, time / 2**doublings)
        for _ in range(doublings):
            step = step * step
        return _apply(step, start)


def flow_limit(loss: Loss, start: Vector, digits: int) -> Vector:
    """Return w(infinity) of the gradient flow of a quadratic loss: the time is doubled until the weights are constant.

    >>> mpmath.nstr(flow_limit(lambda w: (w[0] - 2) ** 2 / 2, [mpf(0)], 15)[0], 12)
    '2.0'
    """
    with mpmath.workdps(digits + _GUARD):
        velocity, jacobian = _generator(loss, len(start), mpf(1))
        step = _taylor_map(velocity, jacobian, 1 / mpmath.mnorm(jacobian, 1))
        for _ in range(400):
            longer = step * step
            if mpmath.mnorm(longer - step, 1) <= mpf(10) ** -(digits + 5) * mpmath.mnorm(step, 1):
                return _apply(longer, start)
            step = longer
    raise ArithmeticError("the flow has not come to rest after 2^400 short times; the loss has no minimum")


def minimiser(loss: Loss, size: int, digits: int) -> Vector:
    """Return the weights at which the gradient of a strictly convex quadratic loss vanishes.

    >>> minimiser(lambda w: (w[0] - 2) ** 2, 1, 10)
    [mpf('2.0')]
    """
    with mpmath.workdps(digits + _GUARD):
        velocity, jacobian = _generator(loss, size, mpf(1))
        solution = mpmath.lu_solve(jacobian, mpmath.matrix([-entry for entry in velocity]))
        return [solution[i] for i in range(size)]


def square_root(p: mpf, q: mpf, r: mpf) -> tuple[Vector, Vector]:
    """Return vectors l1, l2 with l1 l1^T + l2 l2^T = [[p, q], [q, r]], which must be positive semidefinite.

    >>> square_root(mpf(4), mpf(2), mpf(10))  # [[4, 2], [2, 10]]
    ([mpf('2.0'), mpf('1.0')], [mpf('0.0'), mpf('3.0')])
    """
    corner = mpmath.sqrt(p)
    return [corner, q / corner], [mpf(0), mpmath.sqrt(r - q * q / p)]


def _moved(w: Vector, index: int, by: int) -> Vector:
    return [*w[:index], w[index] + by, *w[index + 1 :]]


def _generator(loss: Loss, size: int, tau: mpf) -> tuple[Vector, mpmath.matrix]:
    """Return velocity and jacobian of dw/dt = velocity + jacobian w, from the gradient at 0 and at the unit vectors."""
    origin = [mpf(0)] * size
    velocity = [-entry / tau for entry in gradient(loss, origin)]
    jacobian = mpmath.matrix(size, size)
    for j in range(size):
        column = gradient(loss, _moved(origin, j, 1))
        for i in range(size):
            jacobian[i, j] = -column[i] / tau - velocity[i]
    return velocity, jacobian


def _taylor_map(velocity: Vector, jacobian: mpmath.matrix, time: mpf) -> mpmath.matrix:
    """Return the affine map of the flow over `time` as a matrix on (w, 1): the Taylor series summed to rounding."""
    size = len(velocity)
    generator = mpmath.matrix(size + 1, size + 1)
    for i in range(size):
        generator[i, size] = velocity[i]
        for j in range(size):
            generator[i, j] = jacobian[i, j]
    term = total = mpmath.eye(size + 1)
    order = 0
    while mpmath.mnorm(term, 1) > mpmath.eps * mpmath.mnorm(total, 1):
        order += 1
        term = term * generator * (time / order)
        total = total + term
    return total


def _apply(step: mpmath.matrix, start: Vector) -> Vector:
    extended = step * mpmath.matrix([*start, mpf(1)])
    return [extended[i] for i in range(len(start))]
