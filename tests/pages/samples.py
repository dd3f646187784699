"""The values of the claims that networks on samples of one law judge: clusters, pulses, grids, Student's law."""

from fractions import Fraction
from itertools import product
from math import prod

from mpmath import mp, mpf

from tests.pages.ellipses import half_space
from tests.pages.gaussians import erf_erf, step_erf
from tests.pages.laws import pulse_mean, several


def cluster(a: mpf, b: mpf, rho: mpf) -> mpf:
    """Return E[1[a + z_1 >= 0] (b + z_2)] as an integral over z_2, given which z_1 has the mean rho z_2."""
    spread = mp.sqrt((1 - rho) * (1 + rho))
    turn = -a / rho if rho else mpf(0)  # where the gate is as often open as closed; steep for rho near 1
    width = spread / abs(rho) if rho else mpf(1)
    near = [turn + step * width for step in (-12, -6, -2, 0, 2, 6, 12)]
    points = sorted({mpf(x) for x in (-18, -12, -6, -3, -1, 0, 1, 3, 6, 12, 18)} | {x for x in near if abs(x) < 18})
    return mp.quad(lambda x: (b + x) * mp.ncdf((a + rho * x) / spread) * mp.npdf(x), points)


def student(rho: mpf, w_1: mpf, w_2: mpf) -> mpf:
    """Return the Gaussian value times E V^(-1/2)/sqrt(E V^-1), V of the chi^2 distribution with five degrees."""

    def mean(power: int) -> mpf:
        """Return E u^-power up to a constant, with V = u^2."""
        return mp.quad(lambda u: u ** (4 - power) * mp.exp(-(u**2) / 2), [0, 1, 2, 4, 8, 16])

    return half_space(rho, w_1, w_2) * mean(1) / mp.sqrt(mean(2) * mean(0))


def loop(r: mpf, s: mpf) -> mpf:
    """Return <1[x_1 >= 0] x_2> round a loop of four spins with the bonds s, r, s, r, the first from x_1 to x_2."""
    total = open_ = mpf(0)
    for x in product((1, -1), repeat=4):
        weight = prod(1 + bond * x[k] * x[(k + 1) % 4] for k, bond in enumerate((s, r, s, r)))
        total += weight
        open_ += weight * x[1] if x[0] > 0 else 0
    return open_ / total


def added(n: mpf, N: mpf, h: mpf) -> mpf:
    """Return <x_0 x_1> of N pulses (h/2, h, h/2) on a ring, start by start."""
    sites, count = int(n), int(N)
    form = {0: Fraction(1, 2), 1: Fraction(1), 2: Fraction(1, 2)}
    means = [
        sum(form.get((0 - start) % sites, 0) for start in starts)
        * sum(form.get((1 - start) % sites, 0) for start in starts)
        for starts in product(range(sites), repeat=count)
    ]
    share = sum(means, Fraction(0)) / len(means)
    return h**2 * mpf(share.numerator) / share.denominator


VALUES = {
    "elliptical.student_gate.five": student,
    "law.gaussian.half_space": lambda v, w, rho: w * cluster(mpf(0), mpf(0), rho),
    "law.matrix.uniform": lambda s, rho: mp.sqrt(3) * s * step_erf(1 / mp.sqrt(2), rho),
    "ising.grid.neighbours": loop,
    "mixture.half_space.component": cluster,
    "mixture.half_space.clusters": lambda p, a, b, c, d, rho: p * cluster(a, b, rho) + (1 - p) * cluster(c, d, rho),
    "moment.grid.first": lambda d, e, g, xi1: (
        step_erf(g, mp.exp(-(d**2 + e**2) / xi1**2)) / mp.sqrt(erf_erf(g, mpf(1)))
    ),
    "pulse.half_space.bars": lambda n, a, b, p, q: (
        pulse_mean(n, a, b, lambda u: (2 * u[0] >= 1) * u[int(p)]) * pulse_mean(n, a, b, lambda u: u[0] * u[int(q)])
    ),
    "pulse.half_space.single": lambda n, a, b, d: pulse_mean(n, a, b, lambda u: (2 * u[0] >= 1) * u[int(d)]),
    "pulse.half_space.union": lambda n, a, b, N, d: several(
        n, a, b, N, lambda own: (2 * max(u[0] for u in own) >= 1) * max(u[int(d)] for u in own)
    ),
    "pulse.smooth.neighbours": added,
}
