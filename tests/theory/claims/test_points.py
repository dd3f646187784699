"""Test points: as many as a claim draws, each in its domain, the interesting ones among them."""

from dataclasses import replace

import pytest
import sympy
from sympy import Interval, Rational, oo

from theory.claims.model import Claim, Kind, Param
from theory.claims.points import points

a, b = sympy.symbols("a b", real=True)
n = sympy.Symbol("n", integer=True)
HALF = Rational(1, 2)
CLAIM = Claim(
    "an.example.fact",
    "two parameters",
    Kind.EQUATION,
    sympy.Eq(a, a + 0 * b, evaluate=False),
    (
        Param(a, Interval(0, 1), "a share", (HALF, Rational(0))),
        Param(b, Interval.open(0, oo), "a size", (Rational(100),), likely=Interval(2, 3)),
    ),
)


def test_so_many_points_are_drawn_as_the_claim_says():
    claim = replace(CLAIM, drawn=9)
    assert len(points(claim)) == 9 + 3  # three interesting values
    assert len(points(claim, 4)) == 4 * 9 + 3


def test_random_points_come_from_the_likely_part():
    drawn = points(replace(CLAIM, drawn=50))[:50]
    assert all(2 <= point[b] <= 3 for point in drawn)
    assert len({point[a] for point in drawn}) == 50
    assert HALF not in {point[a] for point in drawn}


def test_points_are_those_of_the_id():
    renamed = replace(CLAIM, id="an.example.other")
    assert points(CLAIM) == points(replace(CLAIM, title="another"))
    assert not {point[a] for point in points(CLAIM)[:6]} & {point[a] for point in points(renamed)[:6]}


def test_integers_are_drawn_from_the_whole_range():
    claim = Claim("an.example.count", "n", Kind.EQUATION, sympy.Eq(n, n, evaluate=False), drawn=60)
    ranged = replace(claim, params=(Param(n, sympy.Range(-2, 3), "a place"),))
    assert {point[n] for point in points(ranged)} == {-2, -1, 0, 1, 2}
    listed = replace(claim, params=(Param(n, sympy.FiniteSet(1, 5), "a size"),))
    assert {point[n] for point in points(listed)} == {1, 5}


def test_a_claim_without_parameters_has_one_point():
    assert points(replace(CLAIM, params=())) == ({},)


def test_points_meet_the_conditions_of_the_claim():
    assert all(point[a] <= HALF for point in points(replace(CLAIM, conditions=(a <= HALF,))))
    with pytest.raises(ValueError, match="broke a condition"):
        points(replace(CLAIM, conditions=(a < -1,)))
