"""Every level of checking fails when a fault is planted for it, and passes without one."""

from dataclasses import replace

import mpmath
import pytest
import sympy
from sympy import Eq, Interval, Rational

from tests.tolerances import CLAIM_DIGITS
from theory.claims import levels
from theory.claims.documents import NOTES
from theory.claims.evaluate import NotANumber, _diverges, evaluate
from theory.claims.judge import examine, verdict
from theory.claims.model import CheckResult, Claim, Kind, Level, Outcome, Param
from theory.claims.quadrature import NotConverged
from theory.claims.rows import Verdict
from theory.claims.sources import Reading, Slip, Source
from theory.proof.derivation import Derivation, Step

a = sympy.Symbol("a", positive=True)
x = sympy.Symbol("x", real=True)
f = sympy.Function("f")
FORMULA = sympy.log(1 + a) / a
STATEMENT = Eq(f(a), FORMULA, evaluate=False)


def _integral(point, digits):
    """int_0^1 dx / (1 + a x), which is log(1 + a)/a."""
    with mpmath.workdps(digits + 10):
        slope = mpmath.mpf(point[a].p) / point[a].q
        return mpmath.quad(lambda x: 1 / (1 + slope * x), [0, 1])


def _derivation():
    steps = (Step(f(a), "given", "definition"), Step(FORMULA, "known", "cite", (STATEMENT,), ("test.log",)))
    return Derivation("test.log", STATEMENT, steps)


def _float64(a):
    return float(mpmath.log1p(a) / a)


CLAIM = Claim(
    id="test.log",
    title="an integral",
    kind=Kind.EQUATION,
    statement=STATEMENT,
    params=(Param(a, Interval.open(0, sympy.oo), "slope", (Rational(1, 64),)),),
    sources=(Source(NOTES, "(1)", printed=FORMULA), Source(NOTES, "(2)", printed=2 * FORMULA)),
    oracle=_integral,
    derive=_derivation,
    numeric=_float64,
)


def _examined(claim):
    return examine(claim, {CLAIM.id: CLAIM})


def _outcome(claim, level):
    return next(result for result in _examined(claim).results if result.level is level).outcome


def test_without_a_fault_every_level_passes_and_the_verdict_names_the_misprint():
    found = _examined(CLAIM)
    outcomes = {result.level: result.outcome for result in found.results}
    assert outcomes.pop(Level.EXACT) is Outcome.SKIPPED  # a logarithm is not rational
    assert set(outcomes.values()) == {Outcome.PASS}
    assert [finding.agrees for finding in found.printed] == [True, False]
    assert found.verdict is Verdict.CORRECTED
    assert _examined(replace(CLAIM, sources=CLAIM.sources[:1])).verdict is Verdict.CONFIRMED


SLIP = Slip(NOTES, "test", ("(1)",), "a factor 2", "Divide by 2.")


READINGS = (
    ({"readings": (Reading("twice"), Reading("half", printed=FORMULA))}, "half", False, Verdict.CONFIRMED),
    ({"readings": (Reading("twice", where=a > 0),)}, "", False, Verdict.CORRECTED),
    ({"readings": (Reading("of no point", printed=FORMULA, where=a < 0),)}, "", False, Verdict.CORRECTED),
    ({"slip": SLIP, "repaired": Reading("halved", printed=FORMULA)}, "", True, Verdict.INHERITED),
    ({"slip": SLIP, "repaired": Reading("halved twice", printed=FORMULA / 2)}, "", False, Verdict.CORRECTED),
)


def test_a_wrong_form_is_tried_under_its_readings_and_once_repaired():
    for source, reading, repaired, expected in READINGS:
        examined = _examined(replace(CLAIM, sources=(Source(NOTES, "(2)", printed=2 * FORMULA, **source),)))
        (finding,) = examined.printed
        assert (finding.agrees, finding.reading, finding.repaired) == (False, reading, repaired)
        assert examined.verdict is expected


FAULTS = (
    (Level.SYMBOLIC, {"derive": lambda: Derivation("test.log", STATEMENT, _derivation().steps[:1])}),
    (Level.SYMBOLIC, {"derive": lambda: replace(_derivation(), steps=())}),
    (Level.SYMBOLIC, {"derive": lambda: replace(_derivation(), id="test.other")}),
    (
        Level.SYMBOLIC,
        {"derive": lambda: replace(_derivation(), proves=Eq(f(a), a), steps=(Step(a, "wrong", "definition"),))},
    ),
    (Level.PRECISE, {"statement": Eq(f(a), FORMULA * (1 + Rational(1, 10**29)), evaluate=False)}),
    (Level.PRECISE, {"oracle": lambda point, digits: mpmath.mpf("nan")}),
    (Level.FLOATING, {"numeric": lambda a: _float64(a) * (1 + 1e-12)}),
    (Level.FLOATING, {"numeric": lambda a: float("nan")}),
    # The doubled definition agrees with the mutant that doubles the formula, which therefore survives.
    (Level.NEGATIVE_CONTROL, {"oracle": lambda point, digits: _integral(point, digits) * 2}),
)


def test_a_planted_fault_fails_its_level():
    for level, fault in FAULTS:
        examined = _examined(replace(CLAIM, **fault))
        outcomes = {result.level: result.outcome for result in examined.results}
        assert (outcomes[level], examined.verdict) == (Outcome.FAIL, Verdict.BROKEN), (level, fault)


def test_a_definition_that_does_not_converge_is_undecided():
    def lost(_point, _digits):
        raise NotConverged("two orders differ")

    examined = _examined(replace(CLAIM, oracle=lost))
    outcomes = {result.level: result.outcome for result in examined.results}
    assert outcomes[Level.PRECISE] is outcomes[Level.NEGATIVE_CONTROL] is Outcome.INCONCLUSIVE
    assert examined.verdict is Verdict.OPEN


def test_a_mutant_that_no_point_can_tell_apart_fails_the_negative_control():
    blind = replace(CLAIM, params=(Param(a, sympy.FiniteSet(Rational(1)), "slope"),))
    assert _outcome(CLAIM, Level.NEGATIVE_CONTROL) is Outcome.PASS
    assert _outcome(blind, Level.NEGATIVE_CONTROL) is Outcome.FAIL  # at a = 1 a dropped factor 1/a changes nothing


def test_a_mutant_that_is_the_same_function_is_no_survivor_once_that_is_proved():
    b = sympy.Symbol("b", real=True)

    def step(point, digits):
        return mpmath.mpf(max(int(point[b].p), 0)) / int(point[b].q)

    claim = replace(
        CLAIM,
        statement=Eq(f(b), b * sympy.Heaviside(b), evaluate=False),
        params=(Param(b, Interval(-3, 3), "real", (Rational(-1, 2), Rational(1, 2))),),
        oracle=step,
    )
    with mpmath.workdps(40):
        rows = levels.table(claim)
    proved = levels.negative_control(claim, rows, equal=lambda mutant, formula: True)
    undecided = levels.negative_control(claim, rows, equal=lambda mutant, formula: None)
    assert (proved.outcome, undecided.outcome) == (Outcome.PASS, Outcome.FAIL)
    assert "Heaviside(2*b)" in undecided.where


def test_a_formula_without_a_real_value_is_no_number():
    with pytest.raises(NotANumber):
        evaluate(sympy.sqrt(a - 2), {a: Rational(1)}, 20)
    with pytest.raises(NotANumber):
        evaluate(1 / (a - 1), {a: Rational(1)}, 20)


def test_an_integral_across_a_pole_is_no_number_and_others_are_left_to_quadrature():
    """A simple pole at a = 1/4; then a numerator that depends on x, a double zero, no rational function, no pole."""
    for whole in (sympy.Integral(3 / (x - a) ** 3, (x, 0, 1)), 1 / sympy.Integral(1 / ((x - a) * (x + 2)), (x, 1, 0))):
        with pytest.raises(NotANumber, match="has an integral that diverges"):
            evaluate(whole, {a: Rational(1, 4)}, CLAIM_DIGITS)
    for integrand in (x / (x - a), 1 / (x**2 - 2 * a * x + a**2), sympy.exp(-x) / (x - a), 1 / (x + a)):
        assert not _diverges(sympy.Integral(integrand.subs(a, Rational(1, 4)), (x, 0, 1)))


def _result(level, outcome):
    return CheckResult("test.log", level, outcome)


OUTCOMES = (
    ({Level.SYMBOLIC: Outcome.PASS, Level.PRECISE: Outcome.PASS}, Verdict.CONFIRMED),
    ({Level.SYMBOLIC: Outcome.SKIPPED, Level.PRECISE: Outcome.PASS}, Verdict.OPEN),
    ({Level.SYMBOLIC: Outcome.PASS}, Verdict.OPEN),
    ({Level.SYMBOLIC: Outcome.PASS, Level.PRECISE: Outcome.FAIL}, Verdict.BROKEN),
    (
        {Level.SYMBOLIC: Outcome.PASS, Level.PRECISE: Outcome.PASS, Level.SIMULATED: Outcome.INCONCLUSIVE},
        Verdict.OPEN,
    ),
)


def test_undecided_is_never_true():
    for outcomes, expected in OUTCOMES:
        results = tuple(_result(level, outcome) for level, outcome in outcomes.items())
        assert verdict(CLAIM, results) is expected


def test_an_empirical_claim_needs_its_experiment_and_a_definition_needs_nothing():
    empirical = replace(CLAIM, kind=Kind.EMPIRICAL)
    assert verdict(empirical, ()) is Verdict.OPEN
    simulated, control = (_result(level, Outcome.PASS) for level in (Level.SIMULATED, Level.NEGATIVE_CONTROL))
    assert verdict(empirical, (simulated,)) is Verdict.OPEN  # a rule without its control proves nothing
    assert verdict(empirical, (simulated, control)) is Verdict.CONFIRMED
    reason = {Level.NEGATIVE_CONTROL: "every network is excluded by the same bound"}
    assert verdict(replace(empirical, unchecked=reason), (simulated,)) is Verdict.CONFIRMED
    assert verdict(replace(CLAIM, kind=Kind.DEFINITION), ()) is Verdict.DEFINITION


def _of_a_point(place):
    (row,) = levels.table(CLAIM, tried=({a: place},))
    return row


def test_a_point_without_a_ball_leaves_the_form_to_other_points():
    """The integrand has a pole on the way to 3/2 and none on the way to 1/2."""
    x = sympy.Symbol("x", positive=True)
    form = sympy.Integral(1 / (1 - x), (x, 0, a)) / a
    rows = [_of_a_point(place) for place in (Rational(3, 2), Rational(1, 2))]
    assert [levels._rejected_by_balls(form, row) for row in rows] == [None, True]
    assert levels._rejects(form, *rows)
