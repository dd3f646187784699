"""The values of the claims on deep linear networks, from the gradient flow of L = (s - b_1 ... b_N)^2/2."""

from collections.abc import Sequence

from mpmath import mp, mpf

from tests.pages.numerics import integral, slope

ORDER = 45  # of Taylor's series


def velocity(s: mpf, a: mpf, layers: int) -> mpf:
    """Return da/dt at N equal weights of the product a: each moves down its own slope of the loss."""
    others = mp.root(a, layers) ** (layers - 1)
    down = -slope(lambda change: (s - (mp.root(a, layers) + change) * others) ** 2 / 2)
    return layers * others * down


def flowed(s: mpf, start: Sequence[mpf], time: mpf) -> list[mpf]:
    """Return the weights at a time, in Taylor steps as long as their last terms allow."""
    b, left = list(start), time
    while left > 0:
        series = [[x] for x in b]
        for k in range(ORDER):
            rest = [-x for x in multiplied(series, k)]
            rest[0] += s
            for l, own in enumerate(series):
                others = multiplied(series[:l] + series[l + 1 :], k)
                own.append(mp.fsum(others[i] * rest[k - i] for i in range(k + 1)) / (k + 1))
        size = max(abs(own[-1]) for own in series)
        step = min(left, (mpf(10) ** -(mp.dps + 3) / size) ** (mpf(1) / ORDER)) if size else left
        b = [mp.polyval(own[::-1], step) for own in series]
        left -= step
    return b


def multiplied(factors: Sequence[Sequence[mpf]], order: int) -> list[mpf]:
    """Return the product of series up to an order, given up to it."""
    total = [mpf(1)] + [mpf(0)] * order
    for factor in factors:
        total = [mp.fsum(total[i] * factor[k - i] for i in range(k + 1)) for k in range(order + 1)]
    return total


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
