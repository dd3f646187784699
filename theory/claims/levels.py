"""The levels of checking without simulation; each is independent of the formula that it checks.

symbolic: every step of the derivation by its rule. exact: the formula against its definition in fractions. precise:
the formula against the defining integral, sum or ODE. floating: the library's float64 path against the formula.
negative control: the same points must reject every printed form that differs and every mutant of the formula.
"""

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import mpmath
import sympy
from flint import arb, fmpq

from theory.claims import reasons
from theory.claims.citations import citation_error
from theory.claims.evaluate import NotANumber, evaluate
from theory.claims.model import CheckResult, Claim, Level, Outcome, Point
from theory.claims.mutants import mutants
from theory.claims.points import points
from theory.claims.sources import Reading, Source
from theory.expressions.algebra import prove_equal
from theory.expressions.balls.closed_form import NotCertified, ball
from theory.expressions.balls.precision import decimals, precision
from theory.expressions.balls.real import FUNCTIONS, Others, Table, Undecided, Undefined, enclose, values_of_parts

PRECISE_DIGITS = 30
# For a float64 formula of a few correctly rounded functions: about 450 units in the last place.
FLOATING_TOLERANCE = 1e-13
# Where rounding of the arguments may change the value by more than this, float64 does not test the formula.
FLOATING_MOST = 1e-6
# A difference that counts: far above the error of the oracle (1e-30), far below a slip of a sign, term or factor.
REJECTION_DIGITS = 15


@dataclass(frozen=True)
class TableRow:
    """One test point with the value of the definition and of the formula, and their relative difference.

    >>> from theory.claims import catalog
    >>> row = table(catalog()["gaussian.step_step.orthant"])[0]
    >>> row.error < 1e-30
    True
    """

    point: Point
    oracle: mpmath.mpf
    formula: mpmath.mpf
    error: float


@dataclass(frozen=True)
class PrintedFinding:
    """A printed form compared with the definition: where they differ, the plainest point and both values.

    For a form that differs, `reading` is the convention under which it agrees (empty: none of those tried), and
    `repaired` is True if it agrees once its slip is repaired.
    """

    source: Source
    agrees: bool
    point: Point | None = None
    printed: str = ""
    oracle: str = ""
    reading: str = ""
    repaired: bool = False

    @property
    def right(self) -> bool:
        """True if the form agrees as printed, or under a reading that the source leaves open."""
        return self.agrees or bool(self.reading)


def table(claim: Claim, digits: int = PRECISE_DIGITS, tried: tuple[Point, ...] | None = None) -> tuple[TableRow, ...]:
    """Return the formula and its definition at the points `tried`, by default the claim's test points.

    >>> from theory.claims import catalog
    >>> claim = catalog()["gaussian.step_step.orthant"]
    >>> (rho,) = (param.symbol for param in claim.params)
    >>> (row,) = table(claim, tried=({rho: sympy.Rational(1, 2)},))  # 1/4 + asin(1/2)/(2 pi)
    >>> mpmath.nstr(row.oracle, 12), mpmath.nstr(row.formula, 12)
    ('0.333333333333', '0.333333333333')
    """
    return tuple(_row(claim, point, digits) for point in (points(claim) if tried is None else tried))


@decimals()
def _row(claim: Claim, point: Point, digits: int) -> TableRow:
    oracle = claim.oracle(point, digits + 5)
    formula = evaluate(claim.statement.rhs, point, digits + 5)
    error = relative_error(formula, oracle, digits + 5)
    if oracle == 0 and _excludes_zero(claim.statement.rhs, point, digits):
        error = math.inf
    return TableRow(point, oracle, formula, error)


def _excludes_zero(formula: sympy.Expr, point: Point, digits: int) -> bool:
    """Return whether a ball shows that the formula is not zero, however small it is."""
    with precision(digits=digits):
        try:
            return not enclose(formula, point).contains(0)
        except (Undefined, Undecided):
            return False


@decimals()
def relative_error(value: mpmath.mpf, truth: mpmath.mpf, digits: int) -> float:
    """Return |value - truth| / |truth|; where truth is zero, the absolute difference.

    >>> relative_error(mpmath.mpf(3), mpmath.mpf(2), 10), relative_error(mpmath.mpf(3), mpmath.mpf(0), 10)
    (0.5, 3.0)
    """
    with mpmath.workdps(digits + 10):
        difference = abs(value - truth)
        return float(difference / abs(truth) if truth != 0 else difference)


def skipped(claim: Claim, level: Level) -> CheckResult:
    """Return the result of a level that is not run, with the reason that the claim or else its kind states.

    >>> from theory.claims import catalog
    >>> skipped(catalog()["gaussian.step_step.orthant"], Level.EXACT).outcome.value
    'SKIPPED'
    """
    reason = claim.unchecked.get(level) or reasons.OF_KIND.get(claim.kind, reasons.NOT_GIVEN)
    return CheckResult(claim.id, level, Outcome.SKIPPED, where=reason)


def symbolic(claim: Claim, claims: Mapping[str, Claim]) -> CheckResult:
    """Check every step of the derivation, its id, that it proves the claim's statement, and its citations.

    A citation passes if the cited claim in `claims` states the equations that the step uses.

    >>> from theory.claims import catalog
    >>> symbolic(catalog()["gaussian.step_step.orthant"], catalog()).outcome.value
    'PASS'
    """
    if claim.derive is None:
        return skipped(claim, Level.SYMBOLIC)
    derivation = claim.derive()
    failed = [check for check in derivation.check() if not check.passed]
    faults = [f"step {check.index} ({check.rule}): {check.error}" for check in failed]
    if derivation.id != claim.id:
        faults.append(f"the derivation is called {derivation.id!r}; give it the id of its claim")
    if derivation.proves != claim.statement:
        faults.append(f"{derivation.id} proves another statement than the claim's")
    faults += [error] if (error := citation_error(derivation, claims)) else []
    if faults:
        return CheckResult(claim.id, Level.SYMBOLIC, Outcome.FAIL, float(len(faults)), 0.0, faults[0])
    return CheckResult(claim.id, Level.SYMBOLIC, Outcome.PASS, 0.0, 0.0, f"{len(derivation.steps)} steps")


def exact(claim: Claim, tried: tuple[Point, ...] | None = None) -> CheckResult:
    """Check that the formula equals its definition at every point, both in fractions: no tolerance.

    The points are those `tried`, by default the claim's test points.

    >>> from theory.claims import catalog
    >>> exact(catalog()["model.relu.gating"]).outcome.value
    'PASS'
    """
    if claim.exact is None:
        return skipped(claim, Level.EXACT)
    tried = points(claim) if tried is None else tried
    for point in tried:
        definition = claim.exact(point)
        formula = claim.statement.rhs.xreplace(dict(point))
        # Powers of conjugate roots add up to a fraction, which the kernel decides.
        if prove_equal(formula, sympy.Rational(definition.numerator, definition.denominator)) is not True:
            where = f"{formula} is not {definition} at {describe(point)}"
            return CheckResult(claim.id, Level.EXACT, Outcome.FAIL, 1.0, 0.0, where)
    return CheckResult(claim.id, Level.EXACT, Outcome.PASS, 0.0, 0.0, f"{len(tried)} point{'s' * (len(tried) != 1)}")


def precise(claim: Claim, rows: tuple[TableRow, ...], digits: int = PRECISE_DIGITS) -> CheckResult:
    """Check that the formula agrees with its definition to `digits` digits at every point.

    >>> from theory.claims import catalog
    >>> claim = catalog()["gaussian.step_step.orthant"]
    >>> precise(claim, table(claim)).outcome.value
    'PASS'
    """
    return _worst(claim, Level.PRECISE, [(row.error, row.point) for row in rows], 10.0**-digits)


def floating(claim: Claim, tried: tuple[Point, ...]) -> CheckResult:
    """Check that the library's float64 path agrees with the formula at the float64 values of the points.

    The tolerance at a point is 1e-13 plus the effect of rounding each argument once, 4 eps x the condition number
    sum_j |p_j df/dp_j / f|, and at most 1e-6. Beyond the largest float64 only infinity of the same sign passes.

    >>> from theory.claims import catalog
    >>> claim = catalog()["gaussian.erf.second_moment"]
    >>> floating(claim, points(claim)[:1]).outcome.value
    'PASS'
    """
    if claim.numeric is None:
        return skipped(claim, Level.FLOATING)
    found = [_float_error(claim, point) for point in tried]
    error, tolerance, point = max(found, key=lambda item: math.inf if math.isnan(item[0]) else item[0] / item[1])
    outcome = Outcome.PASS if error <= tolerance else Outcome.FAIL
    return CheckResult(claim.id, Level.FLOATING, outcome, error, tolerance, describe(point), {"points": len(found)})


def _float_error(claim: Claim, point: Point) -> tuple[float, float, Point]:
    """Return the relative error of the float64 path at a point, and its tolerance."""
    rounded = {symbol: _as_float64(value) for symbol, value in point.items()}
    formula = claim.statement.rhs
    truth = evaluate(formula, rounded, PRECISE_DIGITS)
    arguments = {symbol.name: int(at) if symbol.is_integer else float(at) for symbol, at in rounded.items()}
    value = float(claim.numeric(**arguments))
    # Below the smallest normal number float64 loses digits, so errors there are relative to that number.
    scale, condition = max(abs(truth), mpmath.mpf(sys.float_info.min)), 0.0
    for symbol, number in rounded.items():
        if number != 0 and truth != 0 and not number.is_Integer:
            slope = evaluate(formula.diff(symbol), rounded, REJECTION_DIGITS)
            condition += float(abs(mpmath.mpf(number.p) / number.q * slope / scale))
    tolerance = min(FLOATING_TOLERANCE + 4 * sys.float_info.epsilon * condition, FLOATING_MOST)
    if abs(truth) > sys.float_info.max and math.isinf(value):
        return (0.0 if (value > 0) == (truth > 0) else math.inf), tolerance, rounded
    if 0 < abs(truth) < scale:
        return float(abs(mpmath.mpf(value) - truth) / scale), tolerance, rounded
    return relative_error(mpmath.mpf(value), truth, PRECISE_DIGITS), tolerance, rounded


def _as_float64(value: sympy.Rational) -> sympy.Rational:
    """Return `value` rounded to float64 as an exact rational; an integer stays one, because it may be a count."""
    return value if value.is_Integer else sympy.Rational(*float(value).as_integer_ratio())


def _worst(claim: Claim, level: Level, errors: list[tuple[float, Point]], tolerance: float) -> CheckResult:
    # A NaN compares false with everything and would be ignored by max(), so it is sought first.
    error, point = max(errors, key=lambda pair: math.inf if math.isnan(pair[0]) else pair[0])
    outcome = Outcome.PASS if error <= tolerance else Outcome.FAIL
    return CheckResult(claim.id, level, outcome, error, tolerance, describe(point), {"points": len(errors)})


def describe(point: Point) -> str:
    """Return the point in words.

    >>> describe({sympy.Symbol("g"): sympy.Rational(1, 2)})
    'g = 1/2'
    """
    return ", ".join(f"{symbol} = {_short(value)}" for symbol, value in sorted(point.items(), key=lambda i: str(i[0])))


def _short(value: sympy.Rational) -> str:
    return str(value) if len(str(value)) <= 8 else f"{float(value):.6g}"


def printed_findings(claim: Claim, rows: tuple[TableRow, ...]) -> tuple[PrintedFinding, ...]:
    """Return, for each source that prints a form, whether it agrees with the definition at every point.

    The printed gradient flow of one weight lacks a factor 1/2:

    >>> from theory.claims import catalog
    >>> claim = catalog()["flow.gradient.small_bump"]
    >>> [(finding.source.label, finding.agrees) for finding in printed_findings(claim, table(claim))]
    [('(4)', False)]
    """
    return tuple(_finding(source, rows) for source in claim.sources if source.printed is not None)


def _finding(source: Source, rows: tuple[TableRow, ...]) -> PrintedFinding:
    rejecting = [row for row in rows if _rejects(source.printed, row)]
    if not rejecting:
        return PrintedFinding(source, agrees=True)
    # The plainest counter-example: a finite value if possible, and the shortest point.
    row = min(rejecting, key=lambda row: (math.isinf(_rejection(source.printed, row)), len(str(dict(row.point)))))
    try:
        printed = mpmath.nstr(evaluate(source.printed, row.point, REJECTION_DIGITS), 10)
    except NotANumber:
        printed = "no value"
    right = (reading.convention for reading in source.readings if _holds(reading, source, rows))
    repaired = source.repaired is not None and _holds(source.repaired, source, rows)
    definition = mpmath.nstr(row.oracle, 10)
    return PrintedFinding(source, False, row.point, printed, definition, next(right, ""), repaired)


def _differs(reading: Reading, source: Source, row: TableRow) -> bool:
    """Return whether the form differs from the definition under a reading that covers the point."""
    form = source.printed if reading.printed is None else reading.printed
    return reading.admits(row.point) and _rejects(form, row)


def _holds(reading: Reading, source: Source, rows: tuple[TableRow, ...]) -> bool:
    """Return whether a form under a reading agrees at every point that the reading admits, at least one."""
    admits = any(reading.admits(row.point) for row in rows)
    return admits and not any(_differs(reading, source, row) for row in rows)


def _rejection(form: sympy.Expr, row: TableRow) -> float:
    """Return the relative deviation of a form from the definition at a point; infinite where it has no real value."""
    try:
        return relative_error(evaluate(form, row.point, REJECTION_DIGITS + 5), row.oracle, PRECISE_DIGITS)
    except NotANumber:
        return math.inf


def _rejects(form: sympy.Expr, *rows: TableRow, known: Callable[[int], Table] | None = None) -> bool:
    """Return whether a form differs from the definition at a point by more than one part in 10^REJECTION_DIGITS.

    Balls take a fraction of the time of certified digits, so all points are tried with balls first; digits decide where
    there is no ball or it is too wide. `known` returns the values of subexpressions at the row with an index.
    """
    undecided = []
    for index, row in enumerate(rows):
        rejected = _rejected_by_balls(form, row, known and known(index))
        if rejected:
            return True
        if rejected is None:
            undecided.append(row)
    return any(_rejection(form, row) > 10.0**-REJECTION_DIGITS for row in undecided)


def _rejected_by_balls(form: sympy.Expr, row: TableRow, known: Table | None = None) -> bool | None:
    """Return whether a form differs at the point in the sense of `_rejects`; None where balls do not decide."""
    with precision(digits=PRECISE_DIGITS):
        oracle = arb(row.oracle)
        allowed = (abs(oracle) if row.oracle else 1) * arb(10) ** -REJECTION_DIGITS
        try:
            difference = abs(enclose(form, known or row.point, _others_at(row.point)) - oracle)
        except (Undefined, Undecided):
            return None
        return bool(difference > allowed) if difference > allowed or difference < allowed else None


def _others_at(point: Point) -> Others:
    """Return balls of integrals, pieces and functions with fractions for values at a point."""
    at = dict(point)

    def value(expr: sympy.Expr, inside: Callable[[sympy.Expr], arb]) -> arb | None:
        if isinstance(expr, sympy.Integral):
            return _integral(expr.xreplace(at))
        if isinstance(expr, sympy.Piecewise):
            return inside(_piece(expr, at))
        if expr.func in FUNCTIONS:
            return None
        known = expr.xreplace(at)
        return arb(fmpq(int(known.p), int(known.q))) if known.is_Rational else None

    return value


def _integral(expr: sympy.Integral) -> arb:
    try:
        number = ball(expr, {})
    except NotCertified as error:
        raise Undecided(str(error)) from error
    if not number.imag.contains(0):
        raise Undecided("an integral that is not real")
    return number.real


def _piece(expr: sympy.Piecewise, point: Point) -> sympy.Expr:
    """Return the piece whose condition is the first to hold at the point."""
    for piece, condition in expr.args:
        holds = condition.xreplace(point)
        if holds == sympy.true:
            return piece
        if holds != sympy.false:
            raise Undecided(f"whether {holds}")
    raise Undefined("no piece covers the point")


def negative_control(
    claim: Claim,
    rows: tuple[TableRow, ...],
    equal: Callable[[sympy.Expr, sympy.Expr], bool | None] = prove_equal,
) -> CheckResult:
    """Check that every mutant that is a different function is rejected at some point; survivors are named.

    A mutant that no point rejects counts as the same function only if `equal` proves it.

    Every slip of 1/4 + asin(rho)/(2 pi), a sign, a factor or a term, differs from the definition at some point:

    >>> from theory.claims import catalog
    >>> claim = catalog()["gaussian.step_step.orthant"]
    >>> negative_control(claim, table(claim)).outcome.value
    'PASS'
    """
    formula = claim.statement.rhs

    @cache
    def known(index: int) -> Table:
        """Return values of the formula's subexpressions at a point; a mutant shares most of them."""
        with precision(digits=PRECISE_DIGITS):
            return values_of_parts(formula, rows[index].point, _others_at(rows[index].point))

    killed, same, survivors = 0, 0, []
    for mutant in mutants(formula):
        if _rejects(mutant, *rows, known=known):
            killed += 1
        elif equal(mutant, formula) is True:
            same += 1
        else:
            survivors.append(mutant)
    outcome = Outcome.PASS if killed and not survivors else Outcome.FAIL
    where = f"survives: {survivors[0]}" if survivors else f"{killed} altered formulas rejected"
    return CheckResult(
        claim.id, Level.NEGATIVE_CONTROL, outcome, float(len(survivors)), 0.0, where, {"killed": killed, "equal": same}
    )
