"""Claims on Ising chains: their verdicts, known values, and planted faults."""

from dataclasses import replace
from fractions import Fraction

import pytest
import sympy

from tests.theory.claims.examined import each, examination
from theory.claims import catalog, levels
from theory.claims.areas.ising import _spins, grid
from theory.claims.model import Outcome
from theory.claims.registry import select
from theory.claims.rows import Verdict
from theory.expressions.symbols import n

CLAIMS = select(["ising"])
HALF = {_spins.r: sympy.Rational(1, 2)}


@each(CLAIMS)
def test_the_verdicts_as_computed(claim):
    """No source has spins: all are results of the workbench, some of them once their registered runs are judged."""
    assert examination(claim.id).verdict is (Verdict.OPEN if claim.registration else Verdict.RESULT)


@pytest.mark.parametrize(
    ("name", "where", "value"),
    [
        ("ising.line.pair", {n: 5, "i": 1, "d": 3}, "1/8"),
        ("ising.ring.pair", {"d": 1, "e": 2}, "2/3"),
        ("ising.ring.pair", {"d": 0, "e": 4}, "1"),
        ("ising.ring.four", {"a": 1, "b": 1, "c": 1, "e": 1}, "8/17"),
        ("ising.ring.four", {"a": 0, "b": 2, "c": 0, "e": 1}, "1"),
        ("ising.half_space.yx", {"d": 0, "e": 3}, "1/2"),
        ("ising.half_space.yx", {"d": 1, "e": 2}, "1/3"),
        ("ising.half_space.xx", {"a": 0, "b": 1, "c": 0, "e": 1}, "1/2"),  # P(x_i = 1)
        ("ising.half_space.xx", {"a": 1, "b": 0, "c": 0, "e": 2}, "5/12"),  # P(x_i = x_j = 1) = (1 + 2/3)/4
        ("ising.grid.neighbours", {"s": 0}, "0"),
        ("ising.grid.neighbours", {"s": "1/2"}, "5/17"),
    ],
)
def test_values_at_one_half(name, where, value):
    claim = catalog()[name]
    named = {param.symbol.name: param.symbol for param in claim.params}
    point = HALF | {named.get(key, key): sympy.Rational(number) for key, number in where.items()}
    assert claim.exact(point) == Fraction(value)
    assert claim.statement.rhs.xreplace(point) == sympy.Rational(value)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_wrong_formula_fails_in_fractions(claim):
    """The coupling with the other sign; on a grid that of a row, as the columns' occurs squared."""
    coupling = grid.s if claim.id == grid.NEIGHBOURS.id else _spins.r
    wrong = claim.statement.rhs.subs(coupling, -coupling)
    planted = replace(claim, statement=sympy.Eq(claim.statement.lhs, wrong, evaluate=False))
    assert levels.exact(planted).outcome is Outcome.FAIL
