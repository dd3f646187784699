"""The values of the claims on networks of infinite width: averages of ReLUs by polar angles, and sums over gates."""

from itertools import product
from math import comb

from mpmath import mp, mpf


def shared(r: mpf) -> mpf:
    """Return twice the probability that two unit Gaussians of correlation r are positive, by the angle between them."""
    inside = mp.quad(lambda t: 1 / (1 + t * t), [0, mp.sqrt((1 - r) / (1 + r))])  # half of the angle
    return 1 - 2 * inside / mp.pi


def rectified(r: mpf) -> mpf:
    """Return 2 E[relu relu] at the correlation r: its derivative is `shared`, and at r = -1 it is 0."""
    # int shared = r shared + the rest of an integration by parts, whose integrand is smooth in the angle.
    angle = mp.acos(r)
    return mp.quad(lambda a: (1 - a / mp.pi) * mp.sin(a), [angle, mp.pi])


def layers(r: mpf, depth: int) -> tuple[mpf, mpf, mpf]:
    """Return the tangent kernel, the covariance and the product of slopes of a ReLU network, weights all alike."""
    tangent, gates, covariance = mpf(r), mpf(1), mpf(r)
    for _ in range(depth - 1):
        slope, covariance = shared(covariance), rectified(covariance)
        tangent, gates = slope * tangent + covariance, gates * slope
    return tangent, covariance, gates


def last(rho: mpf, v: mpf) -> mpf:
    """Return the tangent kernel of three layers whose last weights have the variance v/w."""
    tangent, covariance, _ = layers(rho, 3)
    return v / 2 * (tangent - covariance) + covariance


def fixed(rho: mpf, depth: int = 3) -> mpf:
    """Return the tangent kernel with the gates of a random network."""
    return depth * rho * layers(rho, depth)[2]


def sines(rho: mpf) -> mpf:
    """Return E[sin sin] by the power series of both sines: E z^i z'^j over pairings, summed over the shared pairs."""
    total = mpf(0)
    for shared_pairs in range(1, 60, 2):
        # The Hermite coefficient of sin of odd order k is +-exp(-1/2)/k!.
        total += mp.exp(-1) * rho**shared_pairs / mp.factorial(shared_pairs)
    return total


def paths(w: mpf, d: mpf, V: mpf) -> mpf:
    """Return the mean number of open paths: a level has each number of open gates with its binomial probability."""
    width, depth = int(w), int(d)
    counts = range(width + 1)
    total = mpf(0)
    for opened in product(counts, repeat=depth - 1):
        share = mpf(1)
        for count in opened:
            share *= mpf(comb(width, count)) / 2**width * count
        total += share
    return total * V ** (depth - 1)


VALUES = {
    "ntk.dual.relu_relu": lambda rho: rectified(rho),
    "ntk.dual.sin_sin": lambda rho: sines(rho),
    "ntk.recursion.value": last,
    "ntk.recursion.diagonal": lambda d, v: sum((v / 2 for _ in range(int(d) - 1)), mpf(1)),
    "ntk.fixed_gates.kernel": lambda rho: fixed(rho),
    "ntk.fixed_gates.scale": paths,
}
