"""Claims on single pulses: their verdicts, known values, and planted faults."""

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy

from theory.claims import catalog
from theory.claims.areas import pulse
from theory.claims.judge import examine
from theory.claims.model import Level, Outcome, Verdict
from theory.expressions.symbols import n

NARROW = {n: 40, pulse.a: 3, pulse.b: 4}


def test_the_verdicts_as_computed():
    verdicts = {claim.id: examine(claim, catalog()).verdict for claim in pulse.CLAIMS}
    assert verdicts.pop("pulse.small_bump.cross") is Verdict.CORRECTED
    assert set(verdicts.values()) == {Verdict.CONFIRMED}


@pytest.mark.parametrize(
    ("claim", "where", "value"),
    [
        (pulse.PAIR, {pulse.d: 0}, "7/80"),
        (pulse.PAIR, {pulse.d: 2}, "3/80"),
        (pulse.PAIR, {pulse.d: 4}, "0"),
        (pulse.TRIPLE, {pulse.p: 1, pulse.q: 2}, "3/80"),
        (pulse.PLUS_MINUS, {pulse.d: 0}, "1"),
        (pulse.PLUS_MINUS, {pulse.d: 20}, "13/20"),
        (pulse.COMPLEMENT, {pulse.d: 0}, "1/2"),
        (pulse.GATED_SECOND, {pulse.p: 5, pulse.q: 0}, "1/2"),
        (pulse.GATED_FIRST, {pulse.d: 0}, "1/2"),
        # Far from the gate's site every pulse that covers k is seen by both gates.
        (pulse.OVERLAP, {pulse.p: 20, pulse.q: 20}, "7/80"),
    ],
    ids=lambda item: item.id if hasattr(item, "id") else None,
)
def test_values_on_forty_sites(claim, where, value):
    point = {symbol: sympy.Integer(number) for symbol, number in (NARROW | where).items()}
    assert claim.exact(point) == Fraction(value)
    assert claim.statement.rhs.xreplace(point) == sympy.Rational(value)


@pytest.mark.parametrize("claim", pulse.CLAIMS, ids=lambda claim: claim.id)
def test_a_wrong_formula_fails_in_fractions(claim):
    """One width more at the upper end."""
    wrong = claim.statement.rhs.subs(pulse.b, pulse.b + 1)
    planted = replace(claim, statement=sympy.Eq(claim.statement.lhs, wrong, evaluate=False))
    (result,) = (result for result in examine(planted, catalog()).results if result.level is Level.EXACT)
    assert result.outcome is Outcome.FAIL
