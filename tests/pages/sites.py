"""Numbers of rings and lines of sites: where a kernel fails, fields under a site gate, losses of gates."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

import numpy as np
from mpmath import mp, mpf
from scipy.special import erf

from tests.pages.gaussians import erf_erf, step_erf
from tests.pages.laws import explained
from tests.pages.numerics import kept, mean, steps_and_erfs

SHORT = 20  # digits of the losses, of which at most twelve are printed

# --- exp(-d^2/xi^2) on a ring -----------------------------------------------------------------------------------------


def modes(n: int, xi: mpf) -> list[mpf]:
    """Return the eigenvalues of the kernel on a ring of n sites, by frequency."""
    kernel = [mp.exp(-((mpf(d) / xi) ** 2)) for d in range(n // 2 + 1)]  # n is even: two sites at each distance
    kernel = [one if d in (0, n // 2) else 2 * one for d, one in enumerate(kernel)]
    return [mp.fdot(kernel, _cosines(n, q)) for q in range(n // 2 + 1)]


@kept
def _cosines(n: int, q: int) -> tuple[mpf, ...]:
    return tuple(mp.cos(2 * mp.pi * q * d / n) for d in range(n // 2 + 1))


@kept
def first_failure(n: int) -> tuple[int, mpf]:
    """Return the least xi, in hundredths of a site, at which an eigenvalue is negative, and the least eigenvalue there.

    Float64 settles the steps at which the least eigenvalue is far from 0; the others are decided in many digits.
    """
    q = np.arange(n // 2 + 1)
    d = np.arange(n)
    waves = np.cos(2 * np.pi * np.outer(q, d) / n)
    for step in range(1, 1000):
        kernel = np.exp(-((np.minimum(d, n - d) / (step / 100)) ** 2))
        if (waves @ kernel).min() > n**2 * np.finfo(float).eps:
            continue
        least = min(modes(n, mpf(step) / 100))
        if least < 0:
            return step, least
    raise ValueError(f"No length up to ten sites fails on a ring of {n}.")


def alternating(r: mpf) -> mpf:
    """Return the eigenvalue of (1, -1, 1, ...) on a ring of eight sites, with r = exp(-1/xi^2)."""
    return mp.fsum((-1) ** d * r ** (min(d, 8 - d) ** 2) for d in range(8))


@kept
def alternating_root() -> tuple[mpf, mpf]:
    """Return the first r at which the alternating mode vanishes, by bisection, and its xi."""
    low, high = mpf(1) / 2, mpf(3) / 4
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if alternating(middle) > 0 else (low, middle)
    return low, 1 / mp.sqrt(-mp.log(low))


# --- fields under a site gate -----------------------------------------------------------------------------------------


@cache
def _grid() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of E f(|z|), z a unit Gaussian: panels that halve towards 0, where erf(g z) is steep."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    ends = np.array([0, *(12 * 2.0 ** -np.arange(14, -1, -1))])
    z = (ends[:-1, None] + np.diff(ends)[:, None] * (nodes + 1) / 2).ravel()
    w = (np.diff(ends)[:, None] * weights / 2).ravel()
    return z, w * np.exp(-z * z / 2) * np.sqrt(2 / np.pi)


def _second(g: float, rho: np.ndarray) -> np.ndarray:
    """Return E[erf(g z_1) erf(g z_2)], given z_1."""
    z, w = _grid()
    c = g * rho / np.sqrt(1 + 2 * g**2 * (1 - rho**2))
    return (w * erf(g * z)) @ erf(np.multiply.outer(z, c))


def _first(g: float, rho: np.ndarray) -> np.ndarray:
    """Return E[1[z_1 >= 0] erf(g z_2)], given z_1."""
    z, w = _grid()
    return w @ erf(np.multiply.outer(z, g * rho / np.sqrt(1 + 2 * g**2 * (1 - rho**2)))) / 2


def site_gate_field(g: float, n: int = 40, xi: tuple[float, float] = (2.0, 1.0)) -> np.ndarray:
    """Return w_1(oo) = 2 A_11^-1 b_1 on a ring, where A_11 is half of the mean second moment."""
    apart = np.minimum(np.arange(n), n - np.arange(n))
    square = _second(g, np.array([1.0]))[0]
    row = sum(_second(g, np.exp(-((apart / one) ** 2))) for one in xi) / 2 / square
    b = _first(g, np.exp(-((apart / xi[0]) ** 2))) / (2 * np.sqrt(square))
    index = np.abs(np.arange(n)[:, None] - np.arange(n))
    return 2 * np.linalg.solve(row[index] / 2, b)


def ratio(w: np.ndarray) -> float:
    """Return sum w^4/(sum w^2)^2."""
    return float((w**4).sum() / (w**2).sum() ** 2)


# --- losses of two gates on four sites --------------------------------------------------------------------------------


def correlations(xi: int) -> list[list[mpf]]:
    """Return exp(-d^2/xi^2) of four sites on a line."""
    return [[mp.exp(-(mpf(i - j) ** 2) / xi**2) for j in range(4)] for i in range(4)]


@kept
def tiling_loss(direction: Sequence[int]) -> mpf:
    """Return the loss of 1[v.z >= 0] and its complement: 1/2 - 2 b.A^-1 b, A half of the second moments by parity."""
    g, square = mpf(1), erf_erf(mpf(1), mpf(1))
    both = [correlations(xi) for xi in (2, 1)]
    a = [[sum(erf_erf(g, r[i][j]) for r in both) / 4 / square for j in range(4)] for i in range(4)]
    r = both[0]
    size = mp.sqrt(mp.fsum(direction[i] * r[i][j] * direction[j] for i, j in product(range(4), repeat=2)))
    along = [mp.fsum(direction[j] * r[k][j] for j in range(4)) / size for k in range(4)]
    return mpf(1) / 2 - 2 * explained(a, [step_erf(g, one) / (2 * mp.sqrt(square)) for one in along])


@kept
def overlapping_loss() -> mpf:
    """Return the loss of 1[z_2 >= 0] and 1[z_3 < 0] on four sites, xi = 2 and 1, gain 1."""
    g, square = mpf(1), erf_erf(mpf(1), mpf(1))
    both = [correlations(xi) for xi in (2, 1)]
    same = [[sum(erf_erf(g, r[i][j]) for r in both) / 4 / square for j in range(4)] for i in range(4)]
    half = {(i, j): sum(_through_both(r, i, j) for r in both) / 2 / square for i in range(4) for j in range(i + 1)}
    cross = [[half[max(i, j), min(i, j)] for j in range(4)] for i in range(4)]
    a = [[*same[i], *cross[i]] for i in range(4)] + [[*(cross[j][i] for j in range(4)), *same[i]] for i in range(4)]
    b = [sign * step_erf(g, both[0][gate][k]) for gate, sign in ((1, 1), (2, -1)) for k in range(4)]
    return mpf(1) / 2 - explained(a, [one / (2 * mp.sqrt(square)) for one in b])


def _through_both(r: Sequence, i: int, j: int) -> mpf:
    """Return E[1[z_2 >= 0] 1[z_3 < 0] erf(z_i) erf(z_j)], by the steps at z_2 and -z_3."""
    sign = [1, 1, -1, 1]
    turned = [[sign[a] * sign[b] * r[a][b] for b in range(4)] for a in range(4)]
    order = [1, 2, i, j]
    return sign[i] * sign[j] * steps_and_erfs([[turned[a][b] for b in order] for a in order], [0, 0], [1, 1])


# --- shares -----------------------------------------------------------------------------------------------------------


def binomial_ends(holds: int, undecided: int, count: int, level: Fraction = Fraction(1, 100)) -> tuple[float, float]:
    """Return the interval of Clopper and Pearson: what is undecided counts as against below, as for above."""

    def tail(least: int, p: float) -> float:
        return sum(comb(count, k) * p**k * (1 - p) ** (count - k) for k in range(least, count + 1))

    def root(least: int, wanted: float) -> float:
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if tail(least, middle) < wanted else (low, middle)
        return low

    most, half = holds + undecided, float(level) / 2
    return (root(holds, half) if holds else 0.0), (root(most + 1, 1 - half) if most < count else 1.0)


def gaussian_ratio(n: int) -> mpf:
    """Return E sum w^4/(sum w^2)^2 of n independent Gaussian weights: n E w_1^4 over E of the squared length squared.

    The ratio does not depend on the length, so that E ratio E |w|^4 = n E w^4, and |w|^2 is chi-squared.
    """
    fourth = 2 * mean(lambda x: x**4, 0)

    def length(x: mpf) -> mpf:
        return x ** (mpf(n) / 2 - 1) * mp.exp(-x / 2)

    return n * fourth * mp.quad(length, [0, n, 10 * n]) / mp.quad(lambda x: x**2 * length(x), [0, n, 10 * n])


def _overlap_on_sites() -> int:
    """Return the difference of both losses in units of 10^-12, rounded down."""
    with mp.workdps(SHORT):
        return int(mp.floor((tiling_loss((0, 1, 0, 0)) - overlapping_loss()) * mpf(10) ** 12))


def _thousandths(g: mpf) -> int:
    return int(1000 * ratio(site_gate_field(float(g))))


def exponential_determinant(n: mpf, s: mpf) -> mpf:
    """Return the determinant of exp(-d/xi) on a ring of n sites, where s = exp(-2/xi)."""
    size, r = int(n), mp.sqrt(s)
    apart = [[abs(i - j) for j in range(size)] for i in range(size)]
    return mp.det(mp.matrix([[r ** min(d, size - d) for d in row] for row in apart]))


VALUES = {
    "correlation.ring.determinant": exponential_determinant,
    "localization.gain.participation": _thousandths,
    "localization.ring.alternating": alternating,
    "localization.ring.first_failure": lambda n: first_failure(int(n))[0],
    "ols.gates.overlap_on_sites": _overlap_on_sites,
}
