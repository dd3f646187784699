"""The single pulse: its parameters, its inputs one by one, and the library's moments of it.

A pulse of width W, uniform on a..b, starts anywhere on a ring of n sites: u_j = 1 inside, 0 outside; x = u or 2 u - 1.
The localization notes name the law in section 1 and leave its moments open. The definitions are sums over every start,
width and flip, in fractions.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import inf

import sympy
from sympy import Integer, Range

from theory.claims.model import Param, Point
from theory.claims.rational import rational
from theory.expressions.symbols import n
from theory.expressions.triangular import triangle
from theory.moments import GatedMoments, gated_moments
from theory.moments.lit_sites import lit
from theory.problem import Network, NormalInitialisation, Problem, SinglePulse, SiteGate, Training

a, b, d, p, q = sympy.symbols("a b d p q", integer=True)

WIDTHS = (
    Param(n, Range(2, 41), "sites of the ring", (Integer(3), Integer(40))),
    Param(a, Range(1, 41), "least width of the pulse", (Integer(1), Integer(3))),
    Param(b, Range(1, 41), "largest width", (Integer(4),)),
)

FIT = (a <= b, b <= n)
LAW = r"the width is uniform on $a, \ldots, b$ and the start uniform on the ring, independently"
DISTANCE = Param(d, Range(0, 40), "distance of the two sites along the ring", (Integer(0),))
FIRST = Param(p, Range(0, 40), "distance along the ring from the gate's site $i$ to $k$", (Integer(0),))
SECOND = Param(q, Range(0, 40), "distance along the ring from the gate's site $i$ to $l$")


def covered(*gaps: sympy.Expr) -> sympy.Expr:
    """Return the probability that a pulse covers sites with these gaps, sum_gaps E (W - (n - gap))_+ / n.

    The sum over the widths up to b is the triangular number T(b - n + gap).
    """
    counts = (triangle(b - n + gap) - triangle(a - 1 - n + gap) for gap in gaps)
    return sum(counts) / (n * (b - a + 1))


COVERS_TWO = covered(d, n - d)
COVERS_ONE = (a + b) / (2 * n)  # E W/n, the probability of one site
SIGNED_SECOND = 1 - 4 * COVERS_ONE + 4 * COVERS_TWO


def pulses(at: dict[str, int]) -> Iterator[list[int]]:
    """Yield u of every start and width."""
    sites = at["n"]
    for start in range(sites):
        for width in range(at["a"], at["b"] + 1):
            inside = {(start + step) % sites for step in range(width)}
            yield [int(site in inside) for site in range(sites)]


def mean_over(points: list[list[int]], value: Callable[[list[int]], int]) -> Fraction:
    """Return the mean of value(x) over equally likely inputs."""
    return Fraction(sum(value(x) for x in points), len(points))


def signs(at: dict[str, int]) -> list[list[int]]:
    """Return x = 2 u - 1 of every start and width."""
    return [[2 * bit - 1 for bit in u] for u in pulses(at)]


def both_signs(at: dict[str, int]) -> list[list[int]]:
    """Return x = 2 u - 1 of every start and width, and its negative."""
    return [[sign * value for value in x] for x in signs(at) for sign in (1, -1)]


def zeros_and_ones(at: dict[str, int]) -> list[list[int]]:
    """Return x = u of every start and width."""
    return list(pulses(at))


def complements(at: dict[str, int]) -> list[list[int]]:
    """Return x = u of every start and width, and 1 - u."""
    return [bits for u in pulses(at) for bits in (u, [1 - bit for bit in u])]


def enumerated(points: Callable, value: Callable[[list[int], dict[str, int]], int]) -> dict[str, Callable]:
    """Return the exact level and the oracle of a claim: the mean of value(x, parameters) over equally likely inputs."""

    def exact(point: Point) -> Fraction:
        at = {symbol.name: int(number) for symbol, number in point.items()}
        return mean_over(points(at), lambda x: value(x, at))

    return rational(exact)


def library_moments(at: dict[str, int], support: str, flip: str, *gates: SiteGate) -> GatedMoments:
    """Return the library's float64 moments where both classes have these widths, and the label 1."""
    law = SinglePulse(at["n"], ((at["a"], at["b"]),) * 2, support, flip, (Fraction(1), Fraction(1)))
    at_rest = Training("half-mse", Fraction(1), NormalInitialisation(Fraction(0), 0), (Fraction(0),))
    return gated_moments(Problem(law, Network("gated-linear", "mean", len(gates), gates), at_rest))


def site_gate(lo: Fraction | float = -inf, hi: Fraction | float = inf) -> SiteGate:
    """Return the gate 1[lo <= x_0 < hi]."""
    return SiteGate(0, lo, hi, "input")


def covered_in_float64(at: dict[str, int], *sites: int) -> float:
    """Return the library's probability that a pulse covers all of these sites, in float64."""
    law = SinglePulse(at["n"], ((at["a"], at["b"]),) * 2, "zero-one", "none", (Fraction(1), Fraction(1)))
    return float(lit(law, 0, sites))


HALF_SPACE = site_gate(lo=Fraction(0))
