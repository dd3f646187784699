"""Witnesses of the claims on rings of sites: localization.ring.*, localization.gain.*, basis.half_spaces.*."""

from fractions import Fraction
from operator import mul

import mpmath
from claims_gaussian import erf_erf, quadrant, step_erf
from flint import arb, ctx
from mpmath import mpf
from witness import GUARD, At, Witness, reals


def _alternating(at: At, _digits: int) -> Fraction:
    """The first entry of R v for v = (1, -1, 1, ...), R[i, j] = r^(d^2) on a ring of eight sites."""
    return sum((-1) ** j * at["r"] ** (min(j, 8 - j) ** 2) for j in range(8))


def _is_positive_definite(row: list[arb]) -> bool:
    """Levinson's recursion on the Toeplitz matrix of `row`: all prediction errors are positive.

    Midpoints alone, as floating point that is faster than mpmath's: the radii would double with each order.
    """
    coefficients: list[arb] = []
    error = row[0]
    for order in range(1, len(row)):
        reflection = (row[order] - sum(map(mul, coefficients, row[order - 1 : 0 : -1]), arb(0))) / error
        reflection = reflection.mid()
        error = (error * (1 - reflection) * (1 + reflection)).mid()
        if error <= 0:
            return False
        coefficients = [(a - reflection * b).mid() for a, b in zip(coefficients, coefficients[::-1], strict=True)] + [
            reflection
        ]
    return True


def _first_failure(at: At, _digits: int) -> Fraction:
    """Hundredths of a site, one after another from where Gershgorin's circles leave 0: exp(-d^2/xi^2) on the ring.

    Below a length of 1 the entries beside the diagonal are less than 1 in sum: 2 (e^-1 + e^-4 + ...) = 0.77.
    """
    n, hundredths = int(at["n"]), 100
    with ctx.workdps(90):
        while True:
            length = arb(hundredths) / 100
            if not _is_positive_definite([(-((min(d, n - d) / length) ** 2)).exp().mid() for d in range(n)]):
                return Fraction(hundredths)
            hundredths += 1


def _participation(at: At, _digits: int) -> mpf:
    """1000 sum w^4/(sum w^2)^2, cut to an integer, for <x x^T> w = <g_1 y x> on a ring of 40 sites, xi = 2 and 1.

    Factors 1/Z, 1/2 and K change the length of w alone. The linear system is solved by elimination.
    """
    sites, digits = 40, 12
    with mpmath.workdps(digits + 2 * GUARD):
        gain = reals(at)["g"]

        def rho(lag: int, length: int) -> mpf:
            return mpmath.exp(-((mpf(lag) / length) ** 2))

        force = [step_erf(rho(lag, 2), gain, digits + GUARD) for lag in range(sites // 2 + 1)]
        pairs = [sum(erf_erf(rho(lag, xi), gain, digits + GUARD) for xi in (1, 2)) for lag in range(sites // 2 + 1)]
        second = mpmath.matrix(sites)
        for i in range(sites):
            for j in range(sites):
                second[i, j] = pairs[min(abs(i - j), sites - abs(i - j))]
        w = mpmath.lu_solve(second, mpmath.matrix([force[min(d, sites - d)] for d in range(sites)]))
        squares = [entry * entry for entry in w]
        return mpmath.floor(1000 * mpmath.fdot(squares, squares) / mpmath.fsum(squares) ** 2)


def _cross_block(at: At, digits: int) -> mpf:
    """E[1(z1 >= 0) 1(z2 >= 0) (z1^2 - z3^2)] in polar coordinates; z3 = c1 z1 + c2 z2 + rest, of variance left.

    int_0^oo r^3 exp(-A r^2) dr = 1/(2 A^2) and int_0^oo r exp(-A r^2) dr = 1/(2 A).
    """
    with mpmath.workdps(digits + GUARD):
        x = reals(at)
        rho, a, b = x["rho"], x["a"], x["b"]
        c1, c2 = (a - rho * b) / (1 - rho**2), (b - rho * a) / (1 - rho**2)
        left = 1 - c1 * a - c2 * b

        def moment(cos: mpf, sin: mpf, rate: mpf) -> mpf:
            return (cos * cos - (c1 * cos + c2 * sin) ** 2) / (2 * rate**2) - left / (2 * rate)

        return quadrant(rho, digits, moment)


WITNESSES = {
    "localization.ring.alternating": Witness(_alternating, ("r=1/2", "r=3/4", "r=15/16", "r=1/1000", "r=716/1000"), 40),
    "localization.ring.first_failure": Witness(_first_failure, ("n=8", "n=20", "n=40", "n=100"), 40),
    "localization.gain.participation": Witness(_participation, ("g=1/20", "g=1", "g=3", "g=100"), 40),
    "basis.half_spaces.cross_block": Witness(
        _cross_block,
        (
            "rho=1/2 a=1/3 b=-1/4",
            "rho=0 a=1/2 b=1/2",
            "rho=-3/4 a=0 b=1/5",
            "rho=9/10 a=1/2 b=3/5",
            "rho=1/7 a=-2/3 b=0",
        ),
    ),
}
