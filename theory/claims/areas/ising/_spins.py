"""Spins on a line: their parameters, their configurations one by one, and the library's moments of them.

exp(beta x x') is proportional to 1 + r x x' with r = tanh beta, as x x' is 1 or -1: two neighbours have the weight
1 + r where they are equal and 1 - r where they differ, which is rational.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate, product
from math import atanh, prod
from typing import Any

import sympy
from sympy import Eq, Integer, Interval, Range, Rational

from theory.claims.model import Param, Point
from theory.claims.points import exact_values
from theory.claims.rational import rational
from theory.expressions.symbols import n
from theory.moments import GatedMoments, gated_moments
from theory.moments.arithmetic import FLOAT64
from theory.moments.ising import ChainMoments
from theory.problem import Network, NormalInitialisation, Problem, SiteGate, Training
from theory.problem.distributions.ising import Ising

r = sympy.Symbol("r", real=True)
a, b, c, d, e = sympy.symbols("a b c d e", integer=True, nonnegative=True)
LINE = sympy.Function("C", real=True)  # C(d), the correlation at distance d on an open line
RING = sympy.Function("R", real=True)  # R(d, e), on a ring of d + e sites

COUPLING = Param(r, Interval.open(-1, 1), r"$\tanh \beta$", (Rational(1, 2), Rational(-15, 16), Rational(1, 2**20)))
SITES = Param(n, Range(2, 9), "sites", (Integer(7),))
DISTANCE = Param(d, Range(0, 5), "distance of the two sites", (Integer(1),))
OTHER_WAY = Param(e, Range(0, 5), "their distance the other way round the ring, which has $n = d + e$ sites")
GAPS = (
    Param(a, Range(0, 3), "distance from the first site to the second"),
    Param(b, Range(0, 3), "distance from the second site to the third"),
    Param(c, Range(0, 3), "distance from the third site to the fourth"),
    Param(e, Range(0, 3), "distance from the fourth site to the first, on a ring of $n = a + b + c + e$ sites"),
)
AROUND = (a, b, c, e)
LAW = (
    r"$P(x)$ is proportional to $\exp(\beta \sum_j x_j x_{j+1})$ on $x \in \{-1, 1\}^n$, without a field, and "
    r"$\exp(\beta x x')$ to $1 + r x x'$ with $r = \tanh \beta$"
)
CUT = "the chosen sites cut the ring into open lines, whose ends agree or differ; "
SOME = 16  # random points of an enumeration
HALF_SPACE = SiteGate(0, lo=Fraction(0), on="input")


def cut(lengths: tuple[sympy.Expr, ...], *odd: int) -> sympy.Expr:
    """Return the mean of the product of s_k over the lines `odd` of a ring that is cut into lines of these lengths.

    s_k = 1 or -1 says whether the ends of line k agree, of probability proportional to 1 + s_k C(length) on an open
    line; round the ring the product of all s_k is 1.
    """
    numerator, weight = cut_sums(lengths, *odd)
    return numerator / weight


def cut_sums(lengths: tuple[sympy.Expr, ...], *odd: int) -> tuple[sympy.Expr, sympy.Expr]:
    """Return numerator and denominator of `cut`: sums over the signs s_k.

    >>> cut_sums((d, e), 0)[1]
    (1 - C(d))*(1 - C(e)) + (C(d) + 1)*(C(e) + 1)
    """
    signs = [s for s in product((1, -1), repeat=len(lengths)) if prod(s) == 1]
    weights = [prod(1 + sign * LINE(m) for sign, m in zip(s, lengths, strict=True)) for s in signs]
    return sum(prod(s[k] for k in odd) * weight for s, weight in zip(signs, weights, strict=True)), sum(weights)


def joined(lengths: tuple[sympy.Expr, ...], correlation: Callable[[sympy.Expr], sympy.Expr], *odd: int) -> sympy.Expr:
    """Return `cut` multiplied out: the correlations of the lines `odd`, or those of the others, over 1 plus all.

    >>> joined((d, e), lambda m: r**m, 0)
    (r**d + r**e)/(r**d*r**e + 1)
    """
    values = [correlation(m) for m in lengths]
    others = prod(value for k, value in enumerate(values) if k not in odd)
    return (prod(values[k] for k in odd) + others) / (1 + prod(values))


def power(distance: sympy.Expr) -> sympy.Expr:
    """Return r^distance, the correlation of an open line."""
    return r**distance


def known(lengths: tuple[sympy.Expr, ...]) -> tuple[tuple[Eq, ...], tuple[str, ...]]:
    """Return the correlations of open lines as equations, and the claim of each, for a step that cites them."""
    return tuple(Eq(LINE(m), power(m), evaluate=False) for m in lengths), ("ising.line.pair",) * len(lengths)


def enumerated(ring: bool, value: Callable[[tuple[int, ...], dict[str, int]], int]) -> dict[str, Any]:
    """Return the exact level and the oracle of a claim: the mean of value(x, parameters) over all configurations.

    The line has n sites, a ring as many as the sum of the distances.

    >>> found = enumerated(True, lambda x, at: x[0] * x[1])["exact"]
    >>> str(found({r: Rational(1, 2), d: Integer(1), e: Integer(2)}))  # (r + r^2)/(1 + r^3)
    '2/3'
    """

    def exact(point: Point) -> Fraction:
        given = exact_values(point)
        coupling, at = given.pop("r"), {name: int(number) for name, number in given.items()}
        sites = sum(at.values()) if ring else at["n"]
        total = weighed = Fraction(0)
        for x in product((-1, 1), repeat=sites):
            bonds = sites if ring else sites - 1
            unequal = sum(x[j] != x[(j + 1) % sites] for j in range(bonds))
            weight = (1 - coupling) ** unequal * (1 + coupling) ** (bonds - unequal)
            total += weight
            weighed += weight * value(x, at)
        return weighed / total

    return rational(exact)


def ring_mean(coupling: float, *lengths: int) -> float:
    """Return the library's mean of the product of the spins at the ends of lines that make up a ring, in float64."""
    law, ends = chain("ring", sum(lengths), coupling), [0, *accumulate(lengths[:-1])]
    return ChainMoments(law, 0, FLOAT64).product_mean(*(site % law.n for site in ends)).item()


def chain(boundary: str, sites: int, coupling: float) -> Ising:
    """Return the law of two equal classes with tanh beta = coupling."""
    return Ising(sites, boundary, (1, 1), beta=(Fraction(atanh(coupling)),) * 2)


def library_moments(sites: int, coupling: float, *gates: SiteGate) -> GatedMoments:
    """Return the library's float64 moments of a ring through gates, for the label 1."""
    at_rest = Training("half-mse", Fraction(1), NormalInitialisation(Fraction(0), 0), (Fraction(0),))
    network = Network("gated-linear", "mean", len(gates), gates)
    return gated_moments(Problem(chain("ring", sites, coupling), network, at_rest))
