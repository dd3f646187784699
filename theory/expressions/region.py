"""Regions: parts of a box of parameters on which the signs of some functions are known.

A proof on a region holds at every point of it; no samples are involved. A sign is known because the solver of real
algebra certifies it, because it defines the region, or because a root, a logarithm or an inverse sine of the expression
would not be real otherwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

import sympy

from theory.expressions.exact import rational
from theory.expressions.real_algebra import RealSet, outer_ends, sign_on

# The width of the intervals that isolate roots.
ISOLATION = sympy.QQ(1, 10**12)
LINE = sympy.Interval(-sympy.oo, sympy.oo)
POSITIVE = sympy.Interval.open(0, sympy.oo)

Domains = Mapping[sympy.Symbol, sympy.Interval]


class Open(Exception):
    """The sign of `factor` is not known on the region: each side is a case of its own."""

    def __init__(self, factor: sympy.Expr) -> None:
        super().__init__(str(factor))
        self.factor = factor


def interval_of(symbol: sympy.Symbol, domains: Domains) -> sympy.Interval:
    """Return the open interval of a symbol: its domain within the numbers that its assumptions allow."""
    low, high = -sympy.oo, sympy.oo
    if symbol.is_nonnegative:
        low = sympy.Integer(0)
    if symbol.is_nonpositive:
        high = sympy.Integer(0)
    if symbol in domains:
        low, high = sympy.Max(low, domains[symbol].start), sympy.Min(high, domains[symbol].end)
    return sympy.Interval.open(low, high)


@dataclass
class Region:
    """The points of `box` and `inside` at which every polynomial in `signs` has its sign, +1 or -1.

    The variables of the polynomials are symbols and generators of a normal form; `box` has intervals for both.
    `deduced` are signs without which the expression would not be real; `certified` stores signs in all of `box` and
    `inside`, and 0 for those that are not certain.
    """

    box: dict[sympy.Symbol, sympy.Interval]
    signs: dict[sympy.Expr, int] = field(default_factory=dict)
    deduced: dict[sympy.Expr, int] = field(default_factory=dict)
    certified: dict[sympy.Expr, int] = field(default_factory=dict)
    inside: RealSet = field(default_factory=RealSet)

    def sign(self, factor: sympy.Expr) -> int:
        """Return the sign of an irreducible polynomial; Open where it is not known."""
        for side, form in ((1, factor), (-1, sympy.expand(-factor))):
            for known in (self.signs, self.deduced, self.certified):
                if known.get(form):
                    return side * known[form]
        if factor not in self.certified:
            self.certified[factor] = sign_on(factor, self.box, self.inside)
        if not self.certified[factor]:
            raise Open(factor)
        return self.certified[factor]

    @property
    def is_box(self) -> bool:
        """Whether the region is its whole box, which is connected."""
        return not self.signs and not self.deduced and not self.inside.relations

    def with_sign(self, factor: sympy.Expr, sign: int) -> "Region":
        """Return the part of the region on which `factor` has this sign."""
        known = {f: s for f, s in self.certified.items() if s}
        return Region(dict(self.box), {**self.signs, factor: sign}, dict(self.deduced), known, self.inside)

    def split(self, factor: sympy.Expr) -> list["Region"]:
        """Return regions that together cover this one except for the zeros of `factor`.

        A polynomial in one parameter divides the parameter's interval at its real roots; any other polynomial gives one
        region for each sign.
        """
        symbols = factor.free_symbols
        (only,) = symbols if len(symbols) == 1 else (None,)
        if only is None or isinstance(only, sympy.Dummy):
            return [self.with_sign(factor, side) for side in (1, -1)]
        parts = []
        for interval, sign in between_roots(sympy.Poly(factor, only), self.box[only]):
            known = {f: s for f, s in self.certified.items() if s} | {factor: sign}
            box = {**self.box, only: interval}
            parts.append(Region(box, dict(self.signs), dict(self.deduced), known, self.inside))
        return parts


def between_roots(poly: sympy.Poly, interval: sympy.Interval) -> list[tuple[sympy.Interval, int]]:
    """Return intervals that cover those between the roots of `poly` in `interval`, and its sign on each of the latter.

    The ends are rational, so that neighbouring intervals overlap slightly around irrational roots.

    >>> x = sympy.Symbol("x")
    >>> [sign for _, sign in between_roots(sympy.Poly(x**2 - 2, x), sympy.Interval.open(0, 9))]
    [-1, 1]
    """
    low, high = outer_ends(interval)
    inside = [(a, b) for a, b in real_roots(poly) if (low is None or b > low) and (high is None or a < high)]
    pieces = []
    for (left, after), (before, right) in pairwise([(low, low), *inside, (high, high)]):
        if after is None or before is None:
            between = 0 if after is before else (before - 1 if after is None else after + 1)
        else:
            between = (after + before) / 2
        sign = sympy.sign(poly.eval(sympy.Rational(Fraction(between).numerator, Fraction(between).denominator)))
        pieces.append((open_interval(left, right), int(sign)))
    return pieces


def real_roots(poly: sympy.Poly) -> list[tuple[Fraction, Fraction]]:
    """Return isolating intervals of the roots in ascending order; both ends are the root where it is rational.

    >>> x = sympy.Symbol("x")
    >>> [low == high for low, high in real_roots(sympy.Poly((3 * x - 1) * (x**2 - 2), x))]
    [False, True, False]
    """
    if poly.degree() < 1:
        return []
    linear = [factor for factor, _ in poly.factor_list()[1] if factor.degree() == 1]
    exact = {rational(-factor.nth(0) / factor.nth(1)) for factor in linear}
    isolated = [(rational(low), rational(high)) for (low, high), _ in poly.intervals(eps=ISOLATION)]
    return [next(((root, root) for root in exact if low <= root <= high), (low, high)) for low, high in isolated]


def open_interval(low: Fraction | None, high: Fraction | None) -> sympy.Interval:
    """Return the open interval between two fractions; None stands for an infinite end."""
    start = -sympy.oo if low is None else sympy.Rational(low.numerator, low.denominator)
    return sympy.Interval.open(start, sympy.oo if high is None else sympy.Rational(high.numerator, high.denominator))
