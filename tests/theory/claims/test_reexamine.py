"""A claim examined before, at new points: it fails where it is wrong there, and trusts its table for mutants."""

from dataclasses import replace

import mpmath
import pytest
import sympy
from sympy import Eq, Interval, Rational

from theory.claims.documents import NOTES
from theory.claims.judge import applicable, examine, reexamine
from theory.claims.model import Claim, Kind, Level, Outcome, Param
from theory.claims.points import points
from theory.claims.quadrature import NotConverged
from theory.claims.sources import Source

a = sympy.Symbol("a", positive=True)
f = sympy.Function("f")
FORMULA = a**2 + 1


def _oracle(point, digits):
    with mpmath.workdps(digits):
        return mpmath.mpf(point[a].p) ** 2 / mpmath.mpf(point[a].q) ** 2 + 1


CLAIM = Claim(
    id="test.reexamine.square",
    title="a square",
    kind=Kind.EQUATION,
    statement=Eq(f(a), FORMULA),
    params=(Param(a, Interval.open(0, 1), "length", (Rational(1, 64),)),),
    sources=(Source(NOTES, "(1)", printed=FORMULA), Source(NOTES, "(2)", printed=2 * FORMULA)),
    oracle=_oracle,
    numeric=lambda a: a * a + 1,
)
KNOWN = examine(CLAIM, {})
NEW = points(CLAIM, 5)


def again(claim=CLAIM, chosen=tuple(Level)):
    found = reexamine(claim, {}, chosen, 5, KNOWN.rows)
    return found, {result.level: result.outcome for result in found.results}


def test_the_chosen_levels_are_run_at_new_points():
    found, outcomes = again()
    assert outcomes == dict.fromkeys(applicable(CLAIM), Outcome.PASS)
    assert tuple(row.point for row in found.rows) == NEW
    assert not {point[a] for point in NEW} & {row.point[a] for row in KNOWN.rows}
    assert set(found.seconds) == set(applicable(CLAIM))
    assert again(chosen=(Level.FLOATING,))[1] == {Level.FLOATING: Outcome.PASS}


@pytest.mark.parametrize(
    ("level", "fault"),
    [
        (Level.PRECISE, {"oracle": lambda point, digits: _oracle(point, digits) + (point in NEW)}),
        (
            Level.FLOATING,
            {"numeric": lambda a: a * a + 1 + (a in {float(point.popitem()[1]) for point in map(dict, NEW)})},
        ),
    ],
)
def test_a_fault_at_the_new_points_alone_fails(level, fault):
    assert again(replace(CLAIM, **fault))[1][level] is Outcome.FAIL
    before = {result.level: result.outcome for result in examine(replace(CLAIM, **fault), {}).results}
    assert before[level] is Outcome.PASS


def test_mutants_and_printed_forms_are_held_against_the_known_table():
    found, outcomes = again(replace(CLAIM, oracle=None), (Level.NEGATIVE_CONTROL,))
    assert outcomes == {}  # without an oracle there is no such level
    asked = []
    found, outcomes = again(replace(CLAIM, oracle=lambda point, digits: asked.append(point)), (Level.NEGATIVE_CONTROL,))
    assert outcomes == {Level.NEGATIVE_CONTROL: Outcome.PASS}
    assert [finding.agrees for finding in found.printed] == [True, False]
    assert asked == []  # the definition is not computed again


def test_a_printed_form_that_agrees_by_chance_fails_at_new_points():
    polynomial = sympy.prod([a - row.point[a] for row in KNOWN.rows])
    by_chance = replace(CLAIM, sources=(Source(NOTES, "(1)", printed=FORMULA + polynomial),))
    found = reexamine(by_chance, {}, (Level.PRECISE,), 5, KNOWN.rows)
    (result,) = found.results
    assert result.outcome is Outcome.FAIL
    assert "agrees with the stored table" in result.where


def test_a_definition_that_does_not_converge_is_undecided():
    def lost(point, digits):
        raise NotConverged("two orders differ")

    assert again(replace(CLAIM, oracle=lost), (Level.PRECISE,))[1] == {Level.PRECISE: Outcome.INCONCLUSIVE}
