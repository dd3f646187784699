"""Claims on single pulses: their verdicts, known values, and planted faults."""

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy

from tests.pieces import claim_named
from tests.theory.claims.examined import each, examination
from theory.claims import levels
from theory.claims.areas.pulse import _pulses
from theory.claims.model import Outcome
from theory.claims.registry import select
from theory.claims.rows import Verdict
from theory.expressions.symbols import n

CLAIMS = select(["pulse"])
NARROW = {n: 40, _pulses.a: 3, _pulses.b: 4}


@each(CLAIMS)
def test_the_verdicts_as_computed(claim):
    """No source states the moments of single pulses; the small-bump note has continuous inputs, whose gates exclude."""
    near = claim.id == "pulse.small_bump.cross"
    assert examination(claim.id).verdict is (Verdict.REMARK if near else Verdict.RESULT)


@pytest.mark.parametrize(
    ("name", "where", "value"),
    [
        ("pulse.sites.pair", {_pulses.d: 0}, "7/80"),
        ("pulse.sites.pair", {_pulses.d: 2}, "3/80"),
        ("pulse.sites.pair", {_pulses.d: 4}, "0"),
        ("pulse.sites.triple", {_pulses.p: 1, _pulses.q: 2}, "3/80"),
        ("pulse.plus_minus.second", {_pulses.d: 0}, "1"),
        ("pulse.plus_minus.second", {_pulses.d: 20}, "13/20"),
        ("pulse.zero_one.complement", {_pulses.d: 0}, "1/2"),
        ("pulse.sign_flip.xx", {_pulses.p: 5, _pulses.q: 0}, "1/2"),
        ("pulse.sign_flip.yx", {_pulses.d: 0}, "1/2"),
        # Far from the gate's site every pulse that covers k is seen by both gates.
        ("pulse.small_bump.cross", {_pulses.p: 20, _pulses.q: 20}, "7/80"),
    ],
)
def test_values_on_forty_sites(name, where, value):
    claim = claim_named(name)
    point = {symbol: sympy.Integer(number) for symbol, number in (NARROW | where).items()}
    assert claim.exact(point) == Fraction(value)
    assert claim.statement.rhs.xreplace(point) == sympy.Rational(value)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_wrong_formula_fails_in_fractions(claim):
    """One width more at the upper end."""
    wrong = claim.statement.rhs.subs(_pulses.b, _pulses.b + 1)
    planted = replace(claim, statement=sympy.Eq(claim.statement.lhs, wrong, evaluate=False))
    assert levels.exact(planted).outcome is Outcome.FAIL
