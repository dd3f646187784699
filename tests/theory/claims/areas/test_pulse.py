"""Claims on single pulses: their verdicts, known values, and planted faults."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
import sympy

from tests.theory.claims.examined import each, examination
from theory.claims import catalog, levels
from theory.claims.areas.pulse import _pulses, bars, optimum, several, smooth
from theory.claims.model import Outcome
from theory.claims.registry import select
from theory.claims.rows import Verdict
from theory.expressions.symbols import n

CLAIMS = select(["pulse"])
NARROW = {n: 40, _pulses.a: 3, _pulses.b: 4}


@each(CLAIMS)
def test_the_verdicts_as_computed(claim):
    """No source states the moments of single pulses; the small-bump note has continuous inputs, whose gates exclude.

    Claims with a registered run are open until it is judged.
    """
    near = claim.id == "pulse.small_bump.cross"
    expected = Verdict.OPEN if claim.registration else Verdict.REMARK if near else Verdict.RESULT
    assert examination(claim.id).verdict is expected


@pytest.mark.parametrize(
    ("name", "where", "value"),
    [
        ("pulse.sites.pair", {_pulses.d: 0}, "7/80"),
        ("pulse.sites.pair", {_pulses.d: 2}, "3/80"),
        ("pulse.sites.pair", {_pulses.d: 4}, "0"),
        ("pulse.sites.triple", {_pulses.p: 1, _pulses.q: 2}, "3/80"),
        ("pulse.plus_minus.second", {_pulses.d: 0}, "1"),
        ("pulse.plus_minus.second", {_pulses.d: 20}, "13/20"),
        ("pulse.half_space.single", {_pulses.d: 2}, "3/80"),
        ("pulse.zero_one.complement", {_pulses.d: 0}, "1/2"),
        ("pulse.sign_flip.xx", {_pulses.p: 5, _pulses.q: 0}, "1/2"),
        ("pulse.sign_flip.yx", {_pulses.d: 0}, "1/2"),
        # Far from the gate's site every pulse that covers k is seen by both gates.
        ("pulse.small_bump.cross", {_pulses.p: 20, _pulses.q: 20}, "7/80"),
    ],
)
def test_values_on_forty_sites(name, where, value):
    claim = catalog()[name]
    point = {symbol: sympy.Integer(number) for symbol, number in (NARROW | where).items()}
    assert claim.exact(point) == Fraction(value)
    assert claim.statement.rhs.xreplace(point) == sympy.Rational(value)


def widened(rhs):
    """One width more at the upper end, or, in a formula without widths, another probability or number of pulses."""
    changed = rhs.subs(_pulses.b, _pulses.b + 1)
    others = {optimum.share: optimum.share / 2, several.W: several.W + 1, smooth.N: smooth.N + 1}
    return changed if changed != rhs else rhs.subs(others)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_wrong_formula_fails_in_fractions(claim):
    wrong = widened(claim.statement.rhs)
    planted = replace(claim, statement=sympy.Eq(claim.statement.lhs, wrong, evaluate=False))
    assert levels.exact(planted).outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("name", "where", "value"),
    [
        ("pulse.several.union", {n: 6, _pulses.a: 1, _pulses.b: 1, several.N: 2, _pulses.d: 3}, "1/18"),
        ("pulse.several.sum", {n: 6, _pulses.a: 1, _pulses.b: 1, several.N: 2, _pulses.d: 3}, "1/18"),
        ("pulse.several.line", {n: 5, several.W: 2, several.i: 0}, "1/4"),
        ("pulse.several.line", {n: 5, several.W: 2, several.i: 2}, "1/2"),
        ("pulse.half_space.union", {n: 6, _pulses.a: 1, _pulses.b: 1, several.N: 2, _pulses.d: 3}, "1/18"),
        ("pulse.half_space.bars", {n: 4, bars.a: 2, bars.b: 2, bars.p: 1, bars.q: 0}, "1/8"),
        ("pulse.smooth.neighbours", {n: 4, smooth.N: 2, smooth.h: 1}, "1"),
        ("pulse.bars.pair", {n: 4, bars.a: 2, bars.b: 2, bars.p: 1, bars.q: 0}, "1/8"),
        ("pulse.optimum.least", {optimum.share: "1/2"}, "1/188"),
        ("pulse.optimum.overlap", {optimum.share: "1/2"}, "13/1974"),
        ("pulse.optimum.half_spaces", {optimum.share: "1/2"}, "19/846"),
    ],
)
def test_values_of_several_pulses_bars_and_gates(name, where, value):
    """Two single lit sites of six differ with probability 2/36 as asked; 1/36 - 1/188 = 19/846."""
    claim = catalog()[name]
    point = {symbol: sympy.Rational(number) for symbol, number in where.items()}
    assert claim.exact(point) == Fraction(value)
    assert claim.statement.rhs.xreplace(point) == sympy.Rational(value)


def test_the_half_spaces_of_three_bits():
    """There are 104 threshold functions of three variables; each set of the seven nonzero inputs has one or two."""
    sets = {
        tuple(sum(a * b for a, b in zip(v, x, strict=True)) >= theta for x in product((0, 1), repeat=3))
        for v in product(range(-2, 3), repeat=3)
        for theta in range(-7, 8)
    }
    assert len(sets) == 104
    assert len({cut[1:] for cut in sets}) == len(optimum._half_spaces())
