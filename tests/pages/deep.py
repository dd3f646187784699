"""The values of the claims on deep linear networks, from the gradient flow of L = (s - b_1 ... b_N)^2/2."""

from collections.abc import Sequence

from mpmath import mp, mpf

from tests.pages import paths
from tests.pages.numerics import integral, slope
from tests.pages.paths import Network


def velocity(s: mpf, a: mpf, layers: int) -> mpf:
    """Return da/dt at N equal weights of the product a: each moves down its own slope of the loss."""
    others = mp.root(a, layers) ** (layers - 1)
    down = -slope(lambda change: (s - (mp.root(a, layers) + change) * others) ** 2 / 2)
    return layers * others * down


def flowed(s: mpf, start: Sequence[mpf], time: mpf) -> list[mpf]:
    """Return the weights of a network with one path at a time."""
    return paths.flowed(Network((tuple(range(len(start))),), s, mpf(1)), start, time)


def equal(s: mpf, a0: mpf, time: mpf, layers: int) -> mpf:
    """Return the product of N weights that start equal."""
    return mp.fprod(flowed(s, [mp.root(a0, layers)] * layers, time))


def duration(s: mpf, a0: mpf, a: mpf, layers: int) -> mpf:
    """Return the time from a0 to a: int dx/velocity in panels of log x, shorter towards the pole at s."""
    first, last, pole = mp.log(a0), mp.log(a), mp.log(s)
    ends = [first]
    while ends[-1] < last:
        ends.append(min(last, ends[-1] + min(mpf(1) / 2, (pole - ends[-1]) / 2)))
    return integral(lambda y: mp.exp(y) / velocity(s, mp.exp(y), layers), ends)


def curvature(s: mpf, lam: mpf) -> mpf:
    """Return the trace of the loss's curvature where b_1 b_2 = s and b_2^2 - b_1^2 = lambda."""
    square = mp.findroot(lambda q: q * q - lam * q - s * s, (mpf(0), s + abs(lam) + 1), solver="anderson")
    second = mp.sqrt(square)
    first = s / second

    def loss(x: mpf, y: mpf) -> mpf:
        return (s - x * y) ** 2 / 2

    moved = [loss(first + h, second) + loss(first, second + h) for h in (1, -1)]
    return sum(moved) - 4 * loss(first, second)


def pair(tau: mpf, t: mpf, s: mpf, b10: mpf, b20: mpf) -> list[mpf]:
    """Return both weights of two layers."""
    return flowed(s, [b10, b20], t / tau)


VALUES = {
    "deep.balanced.conserved": lambda **at: (lambda b: b[1] ** 2 - b[0] ** 2)(pair(**at)),
    "deep.balanced.decay": lambda N, tau, t, a0: equal(mpf(0), a0, t / tau, int(N)),
    "deep.balanced.four_layers": lambda tau, s, a0, a: tau * duration(s, a0, a, 4),
    "deep.balanced.layers": lambda N, tau, s, a: velocity(s, a, int(N)) / tau,
    "deep.balanced.time": lambda N, tau, s, a0, a: tau * duration(s, a0, a, int(N)),
    "deep.balanced.two_layers": lambda tau, t, s, a0: equal(s, a0, t / tau, 2),
    "deep.lambda_balanced.rate": lambda **at: curvature(at["s"], at["lambda"]) / at["tau"],
    "deep.lambda_balanced.solution": lambda **at: mp.fprod(pair(**at)),
}
