"""E[e He_a(u_k) He_b(u_l)] for a function e of one or two Gaussian variables: sums of the moments of e.

With u_k = p A + q B + (what is independent of the unit Gaussians A, B), and corr(u_k, u_l) = rho,

    E[e He_a(u_k) He_b(u_l)] = sum_t a! b! rho^t/(t! (a-t)! (b-t)!) h(a-t, b-t),
    h(a, b) = sum_ij binom(a, i) binom(b, j) p_k^i q_k^(a-i) p_l^j q_l^(b-j) E[e He_(i+j)(A) He_(a+b-i-j)(B)],

from the generating function E[e exp(x u_k - x^2/2 + y u_l - y^2/2)] and a shift of (A, B).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import comb, factorial
from operator import mul
from typing import Any

from theory.moments.unit_gaussians import TailPair

_LARGEST = 6  # the sum of the orders of two Hermite polynomials of order 3


@dataclass(frozen=True)
class Plane:
    """A function e by its moments E[e He_m(A) He_n(B)]; moments that are absent are 0.

    Without e, E[He_3(u_k) He_3(u_l)] = 6 rho^3:

    >>> Plane({(0, 0): 1.0}).two(3, 3, (0.5, 0.0), (0.5, 0.0), 0.25) == 6 * 0.25**3
    True
    """

    moments: Mapping[tuple[int, int], Any]

    @classmethod
    def of_two_tails(cls, pair: TailPair) -> "Plane":
        """e = 1[A >= a] 1[r A + s B >= b], s = sqrt(1 - r^2), by integration by parts.

        With He_m phi = -(He_(m-1) phi)', each moment is an integral over the two edges of the wedge: over B >= k at A =
        a, and over W >= l along the line r A + s B = b, on which A = r b + s W and B = s b - r W. Independent tails:

        >>> from types import SimpleNamespace as of
        >>> one = of(a=0.0, density=0.4, open=0.5)
        >>> pair = of(one=one, other=one, r=0.0, gap=1.0, both=0.25, given_one=0.5, given_other=0.5, peak=0.16)
        >>> [round(Plane.of_two_tails(pair).moments[m, n], 12) for m, n in ((1, 0), (1, 1), (3, 0))]
        [0.2, 0.16, -0.2]
        """
        r, s = pair.r, pair.gap**0.5 if isinstance(pair.gap, float) else pair.gap.sqrt()
        a, b = pair.one.a, pair.other.a
        k, l = (b - r * a) / s, (a - r * b) / s
        # phi(b) E[W^p; W >= l] by p, with phi(b) phi(l) = peak.
        powers = [pair.other.density * pair.given_other, pair.peak]
        for p in range(2, _LARGEST + 1):
            powers.append(power(l, p - 1) * pair.peak + (p - 1) * powers[p - 2])
        found: dict[tuple[int, int], Any] = {(0, 0): pair.both}
        for m, n in product(range(_LARGEST + 1), repeat=2):
            if not 0 < m + n <= _LARGEST:
                continue
            orders, weight = ((m - 1, n), r) if m else ((m, n - 1), s)
            at_line = _multiplied(_along(orders[0], r * b, s), _along(orders[1], s * b, -r))
            edge = sum(number * moment for number, moment in zip(at_line, powers, strict=False))
            start = 0
            if m:
                beyond = pair.peak * hermite(n - 1, k) if n else pair.one.density * pair.given_one
                start = hermite(m - 1, a) * beyond
            found[m, n] = start + weight * edge
        return cls(found)

    def two(self, a: int, b: int, k: tuple[Any, Any], l: tuple[Any, Any], rho: Any) -> Any:
        """E[e He_a(u_k) He_b(u_l)] for k = (p_k, q_k) and l = (p_l, q_l); q may be None where e depends on A alone."""
        total: Any = 0
        for t in range(min(a, b) + 1):
            weight = factorial(a) * factorial(b) // (factorial(t) * factorial(a - t) * factorial(b - t))
            total = total + weight * power(rho, t) * self._shifted(a - t, b - t, k, l)
        return total

    def _shifted(self, a: int, b: int, k: tuple[Any, Any], l: tuple[Any, Any]) -> Any:
        total: Any = 0
        for i, j in product(range(a + 1), range(b + 1)):
            moment = self.moments.get((i + j, a + b - i - j))
            if moment is not None:
                along = power(k[0], i) * power(k[1], a - i) * power(l[0], j) * power(l[1], b - j)
                total = total + comb(a, i) * comb(b, j) * moment * along
        return total


def power(x: Any, n: int) -> Any:
    """x^n by products: Arb's own power of a ball that contains 0 is no number.

    >>> power(-2, 3), power(0, 0)
    (-8, 1)
    """
    return reduce(mul, [x] * n, 1)


def hermite(order: int, x: Any) -> Any:
    """He_order(x), the polynomials orthogonal under N(0, 1).

    >>> hermite(3, 2)
    2
    """
    return sum(number * power(x, degree) for degree, number in _coefficients(order).items())


def _along(order: int, start: Any, slope: Any) -> list[Any]:
    """The coefficients of He_order(start + slope W) by the powers of W."""
    total: list[Any] = [0] * (order + 1)
    for degree, number in _coefficients(order).items():
        for p in range(degree + 1):
            total[p] = total[p] + number * comb(degree, p) * power(start, degree - p) * power(slope, p)
    return total


def _multiplied(left: list[Any], right: list[Any]) -> list[Any]:
    """The product of two polynomials by their coefficients."""
    total: list[Any] = [0] * (len(left) + len(right) - 1)
    for (i, a), (j, b) in product(enumerate(left), enumerate(right)):
        total[i + j] = total[i + j] + a * b
    return total


def _coefficients(order: int) -> dict[int, int]:
    """The coefficients of He_order by degree."""
    below, here = {}, {0: 1}
    for n in range(order):
        above = {degree + 1: number for degree, number in here.items()}
        for degree, number in below.items():
            above[degree] = above.get(degree, 0) - n * number
        below, here = here, above
    return here
