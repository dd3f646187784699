"""Claims without a problem: equations and bounds by the prover of `gdln check`, orders by the slope towards an end.

l <= r is the equation max(l - r, 0) = 0, and l < r is sign(r - l) = 1, so that one prover decides all of them. The
precise level compares an equation with the defining integrals of its left side, which Arb computes without the engine.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import mpmath
import numpy as np
import sympy
from flint import arb, ctx

from derivations.notes.reading import NoteClaim, half_unit, related
from theory.claims import levels
from theory.claims.model import CheckResult, Claim, Kind, Level, Outcome, Param, Point
from theory.claims.points import points
from theory.conjecture import Answer, Statement, read
from theory.conjecture import judge as decide
from theory.conjecture.points import points as plain_points
from theory.expressions.balls.closed_form import NotCertified, fraction
from theory.expressions.balls.closed_form import enclose as certified
from theory.expressions.balls.precision import precision
from theory.expressions.balls.real import Undecided, Undefined, enclose
from theory.expressions.functions import Phi
from theory.expressions.symbols import z
from theory.gaussian.certified.digits import average_ball
from theory.gaussian.certified.effort import Effort
from theory.gaussian.expectation import Expectation, Quadrature, variables
from theory.problem import InputError, OutOfReachError

# The equation that says the same as a bound, by its relation.
BOUNDS = {
    "<=": "max(({left}) - ({right}), 0) = 0",
    ">=": "max(({right}) - ({left}), 0) = 0",
    "<": "sign(({right}) - ({left})) = 1",
    ">": "sign(({left}) - ({right})) = 1",
}
DIGITS, SPARE = 30, 10
# Points of an average of two variables without a step, whose series takes seconds each.
FEW = 2
NO_DEFINITION = "no quadrature without the engine is known: {}"
NO_VALUE = (NotCertified, OutOfReachError, Undefined, Undecided)
ONE_BOUND = "altered forms of a bound may hold too"
# The distances from the end at which orders are compared, nearer ones for Gaussian tails; the change of log |l/r| that
# counts as settled; the slope above which a ratio that does not fall to half of it has another order; the points of the
# other symbols.
NEAR, SETTLED, SLOPE, FALLING, POINTS = ((20, 40, 80, 160), (3, 4, 5, 6)), 1e-9, 1e-3, 0.5, (6, 2)


# Precisions in bits of the ratio of two sides, and forms of a side in which nothing cancels far out: 1 - erf = erfc.
BITS = (256, 1024, 4096, 16384)
TAILS = (
    lambda side: side,
    lambda side: sympy.expand(side.replace(sympy.erf, lambda u: 1 - sympy.erfc(u))),
    lambda side: sympy.expand(side.replace(sympy.erf, lambda u: sympy.erfc(-u) - 1)),
)


def check(one: NoteClaim) -> None:
    """Raise InputError, with the place in the note, for text that is no formula or domain."""
    try:
        read(_form(one), one.cov, one.mean, one.where, one.given)
        if one.sentence.relation == "~":
            _axis(one, read(_form(one), one.cov, one.mean, one.where, one.given))
    except InputError as error:
        raise _at(one, error) from None
    except OutOfReachError:  # its judgement says so
        return


def _at(one: NoteClaim, error: InputError) -> InputError:
    """Return an error with its place in the note, and the note's table of domains in the place of the option."""
    hint = error.hint.replace("--where on the command line", "a line of [symbols]")
    return InputError(f"{one.place}: {error.message}", hint, error.kind)


def _form(one: NoteClaim) -> str:
    """Return the equation that says the same."""
    sentence = one.sentence
    form = "{left} = {right}" if sentence.relation == "~" else BOUNDS.get(sentence.relation, "{left} = {right}")
    return form.format(left=sentence.left, right=sentence.right)


def judge(one: NoteClaim) -> tuple[Claim, tuple[CheckResult, ...], tuple[levels.TableRow, ...]]:
    """Return the claim, the result of each level, and the table of values of a claim without a problem.

    Raises InputError for text that is no formula, with the place in the note.
    """
    sentence = one.sentence
    try:
        if sentence.relation == "~":
            return _order(one)
        statement = read(_form(one), one.cov, one.mean, one.where, one.given)
        judged = decide(statement, DIGITS)
    except InputError as error:
        raise _at(one, error) from None
    except OutOfReachError as error:
        claim = Claim(one.id, one.title, Kind.EQUATION, _text(one))
        said = f"out of reach: {error.message}"
        return claim, (CheckResult(one.id, Level.SYMBOLIC, Outcome.INCONCLUSIVE, where=said),), ()
    if sentence.relation != "=":
        claim = _claim(one, Kind.INEQUALITY, statement, _text(one))
        return claim, (_proof(one, judged), _skipped(one, Level.NEGATIVE_CONTROL, ONE_BOUND)), ()
    claim = _claim(one, Kind.EQUATION, statement)
    if (half := half_unit(sentence.right)) is not None and not statement.parameters:
        return claim, (_rounded(one, statement, half),), ()
    proof = _proof(one, judged)
    if judged.verdict == "refuted":
        return claim, (proof,), ()
    try:
        rows = levels.table(claim, tried=_affordable(statement, points(claim)))
        precise = levels.precise(claim, rows)
    except (OutOfReachError, NotCertified, ValueError) as error:
        precise = _skipped(one, Level.PRECISE, NO_DEFINITION.format(getattr(error, "message", error)))
        # Altered right sides are still held against the certified values of the left side.
        derived = replace(claim, oracle=lambda point, _digits: _number(statement.lhs, statement, point))
        try:
            rows = levels.table(derived, tried=points(claim))
        except (*NO_VALUE, ValueError):
            return claim, (proof, precise, _skipped(one, Level.NEGATIVE_CONTROL, "a side has no value")), ()
    return claim, (proof, precise, levels.negative_control(claim, rows)), rows


def _text(one: NoteClaim) -> sympy.Basic:
    """Return the sentence as it is written, for a claim whose sides are shown as text."""
    left, right = (
        sympy.Symbol(rf"\mathtt{{{side}}}".replace("_", r"\_").replace("**", "^"))
        for side in (one.sentence.left, one.sentence.right)
    )
    return related(left, one.sentence.relation, right)


def _proof(one: NoteClaim, judged: Answer) -> CheckResult:
    if judged.verdict == "proved":
        return CheckResult(one.id, Level.SYMBOLIC, Outcome.PASS, 0.0, 0.0, f"{len(judged.steps)} steps")
    if judged.verdict == "refuted":
        trial, better = judged.counterexample, judged.suggestion
        place = ", ".join(f"{symbol} = {value}" for symbol, value in trial.point.items())
        said = f"refuted at {place or 'these numbers'}"
        sides = _sides(one, trial.point)
        said += f": left side {sides[0]}, right side {sides[1]}" if sides else ""
        said += f"; it holds with {better.change}" if better and one.sentence.relation == "=" else ""
        return CheckResult(one.id, Level.SYMBOLIC, Outcome.FAIL, where=said)
    if one.sentence.relation == "=":
        points = f"{judged.agreeing} of {judged.tried} points agree to {judged.digits} digits"
        said = f"{judged.verdict}: {points}; {judged.reason}"
    else:
        said = f"the bound holds at {judged.agreeing} of {judged.tried} points; it is not proved"
    return CheckResult(one.id, Level.SYMBOLIC, Outcome.INCONCLUSIVE, where=said)


def _rounded(one: NoteClaim, statement: Statement, half: Fraction) -> CheckResult:
    """Hold a number against a decimal: it must round to the digits that are written."""
    try:
        gap = abs(_number(statement.lhs - statement.rhs, statement, {}))
    except NO_VALUE as error:
        return CheckResult(one.id, Level.PRECISE, Outcome.INCONCLUSIVE, where=str(error))
    outcome = Outcome.PASS if gap <= mpmath.mpf(half.numerator) / half.denominator else Outcome.FAIL
    where = f"the left side is {(_sides(one, {}) or ('unknown',))[0]}"
    return CheckResult(one.id, Level.PRECISE, outcome, float(gap), float(half), where)


def _sides(one: NoteClaim, point: Point) -> tuple[str, str] | None:
    """Return both sides at a point; None where one has no certified value."""
    statement = read(f"{one.sentence.left} = {one.sentence.right}", one.cov, one.mean, one.where, one.given)
    try:
        values = [_number(side, statement, point) for side in (statement.lhs, statement.rhs)]
    except NO_VALUE:
        return None
    digits = 10 if mpmath.nstr(values[0], 10) != mpmath.nstr(values[1], 10) else DIGITS
    return mpmath.nstr(values[0], digits), mpmath.nstr(values[1], digits)


def _skipped(one: NoteClaim, level: Level, why: str) -> CheckResult:
    return CheckResult(one.id, level, Outcome.SKIPPED, where=why)


def _claim(one: NoteClaim, kind: Kind, statement: Statement, said: sympy.Basic | None = None) -> Claim:
    """Return the claim; an equation has its closed right side and the defining integrals of its left one."""
    params = tuple(Param(symbol, statement.domains[symbol], "") for symbol in statement.parameters)
    if said is None:
        rhs = statement.closed[1] if statement.rhs.has(Expectation) else statement.rhs
        said = sympy.Eq(statement.lhs, rhs, evaluate=False)
    conditions = [(sympy.Gt if one.strict else sympy.Ge)(one.margin, 0) for one in statement.conditions]
    conditions += [sympy.Gt(minor, 0) for minor in statement.minors]
    oracle = (lambda point, digits: definition(statement.lhs, point, digits)) if kind is Kind.EQUATION else None
    return Claim(one.id, one.title, kind, said, params, conditions=tuple(conditions), oracle=oracle)


def definition(lhs: sympy.Expr, point: Point, digits: int) -> mpmath.mpf:
    """Return a side with each E[...] by its integral over the density, one or two variables at a time.

    >>> value = definition(2 * Expectation(sympy.Heaviside(z(1)) * z(1), sympy.Matrix([[4]])), {}, 20)
    >>> mpmath.nstr(value, 12), mpmath.nstr(4 / mpmath.sqrt(2 * mpmath.pi), 12)
    ('1.59576912161', '1.59576912161')
    """
    averages = {e: _terms(e.xreplace(dict(point))) for e in lhs.atoms(Expectation)}

    def value() -> arb:
        table = {
            e: sum((average_ball(part, Effort()) * number for number, part in parts), start)
            for e, (start, parts) in averages.items()
        }
        try:
            return enclose(lhs, {**point, **table})
        except (Undecided, Undefined) as error:
            raise NotCertified(str(error)) from error

    middle = _middle(value, digits)
    with mpmath.workdps(digits + 10):
        return mpmath.mpf(middle.numerator) / middle.denominator


def _affordable(statement: Statement, tried: tuple[Point, ...]) -> tuple[Point, ...]:
    """Return the points with the smallest correlations where an average over two variables remains."""

    def largest(point: Point) -> float:
        parts = [part for e in statement.lhs.atoms(Expectation) for _, part in _terms(e.xreplace(dict(point)))[1]]
        pairs = [part.cov for part in parts if part.cov.rows > 1]
        return max((abs(float(cov[0, 1])) / float(cov[0, 0] * cov[1, 1]) ** 0.5 for cov in pairs), default=0.0)

    sizes = {index: largest(point) for index, point in enumerate(tried)}
    few = sorted(sizes, key=sizes.__getitem__)[:FEW]
    return tuple(tried[index] for index in few) if any(sizes.values()) else tried


def _terms(e: Expectation) -> tuple[arb, list[tuple[arb, Quadrature]]]:
    """Return an average as a number and multiples of integrals over one variable, or two of a product."""
    start, parts = arb(0), []
    integrand = sympy.expand(e.integrand, power_base=False, power_exp=False, log=False)
    for term in sympy.Add.make_args(integrand):
        number, rest = term.as_independent(*e.bound_symbols, as_Add=False)
        used = variables(rest)
        factors = sympy.Mul.make_args(rest)
        if len(used) > 2 or any(len(variables(factor)) > 1 for factor in factors):
            raise OutOfReachError(f"{rest} is no product of functions of two variables", "")
        front = enclose(number, {})
        if not used:
            start += front
            continue
        factors, used = _given_the_other(list(factors), used, e.cov)
        rest = sympy.Mul(*factors)
        renumbered = rest.xreplace({z(old): z(new + 1) for new, old in enumerate(used)})
        rows = [index - 1 for index in used]
        cov = sympy.Matrix(len(rows), len(rows), lambda i, j, rows=rows: e.cov[rows[i], rows[j]])
        if any(cov[k, k] == 0 for k in range(len(rows))):
            raise OutOfReachError(f"{rest} has a variable without variance", "")
        parts.append((front, Quadrature(renumbered, cov)))
    return start, parts


def _given_the_other(
    factors: list[sympy.Expr], used: list[int], cov: sympy.MatrixBase
) -> tuple[list[sympy.Expr], list[int]]:
    """Put the probability of a step of one of two variables, given the other, in its place: P(z > 0) = Phi(m/s)."""
    steps = [factor for factor in factors if isinstance(factor, sympy.Heaviside | sympy.sign)]
    alone = [one for one in steps if sum(variables(factor) == variables(one) for factor in factors) == 1]
    if len(used) < 2 or not alone:
        return factors, used
    (step,), (index,) = alone[:1], variables(alone[0])
    (other,) = (k for k in used if k != index)
    u, slope = step.args[0], step.args[0].diff(z(index))
    left = cov[index - 1, index - 1] - cov[index - 1, other - 1] ** 2 / cov[other - 1, other - 1]
    if slope.has(z(index)) or slope == 0 or left <= 0:
        return factors, used
    mean = u.xreplace({z(index): cov[index - 1, other - 1] / cov[other - 1, other - 1] * z(other)})
    probability = Phi(mean / (abs(slope) * sympy.sqrt(left)))
    value = probability if isinstance(step, sympy.Heaviside) else 2 * probability - 1
    return [value if factor == step else factor for factor in factors], [other]


def _order(one: NoteClaim) -> tuple[Claim, tuple[CheckResult, ...], tuple[levels.TableRow, ...]]:
    """Judge l ~ r: l/r must tend to a constant other than 0, at each of some values of the other symbols.

    At distances 10^20, 10^40, ... the ratio must settle; equal sides are proved equal. Numbers are no proof of a limit.
    """
    statement = read(_form(one), one.cov, one.mean, one.where, one.given)
    symbol, end = _axis(one, statement)
    claim = Claim(one.id, one.title, Kind.ASYMPTOTIC, _text(one))
    if decide(statement, DIGITS).verdict == "proved":
        return claim, (CheckResult(one.id, Level.SYMBOLIC, Outcome.PASS, 0.0, 0.0, "the sides are equal"),), ()
    others = [{k: v for k, v in point.items() if k != symbol} for point in plain_points(statement, *POINTS)]
    places = {tuple(sorted((k.name, v) for k, v in point.items())): point for point in others}
    results = [_settles(one, statement, symbol, end, place) for place in places.values()]
    order = (Outcome.FAIL, Outcome.INCONCLUSIVE, Outcome.PASS)
    return claim, (min(results, key=lambda result: order.index(result.outcome)),), ()


def _axis(one: NoteClaim, statement: Statement) -> tuple[sympy.Symbol, str]:
    """Return the symbol along which orders are compared, and its end: "0" or "oo"."""
    name, arrow, end = (part.strip() for part in (one.along or "").partition("->"))
    symbol = next((symbol for symbol in statement.parameters if symbol.name == name), None)
    if not arrow or symbol is None or end not in ("0", "oo"):
        names = [one.name for one in statement.parameters] or ["g"]
        hint = f'Its symbols are: {", ".join(names)}. Write along = "{names[0]} -> 0", or "{names[0]} -> oo".'
        raise InputError(f"along = {one.along!r} is no axis of the claim.", hint)
    domain = statement.domains[symbol]
    if not (domain.sup == sympy.oo if end == "oo" else domain.inf <= 0 < domain.sup):
        raise InputError(f"along = {one.along!r} leaves the domain of {name}.", "Choose an end of the domain.")
    return symbol, end


def _settles(one: NoteClaim, statement: Statement, symbol: sympy.Symbol, end: str, others: Point) -> CheckResult:
    """Judge whether l/r settles towards an end, at values of the other symbols."""
    at = f" at {levels.describe(others)}" if others else ""
    for distances in NEAR:
        places = [{**others, symbol: sympy.Integer(10) ** (power if end == "oo" else -power)} for power in distances]
        try:
            with mpmath.workdps(DIGITS):
                ratios = [_log_ratio(statement, place) for place in places]
        except NO_VALUE as error:
            reason = str(error)
            continue
        if None in ratios:
            where = f"a side vanishes at {levels.describe(places[ratios.index(None)])}"
            return CheckResult(one.id, Level.PRECISE, Outcome.FAIL, where=where)
        return _settled(one, distances, ratios, f"{end}{at}")
    where = f"no certified values of l/r as near {end} as 10^{NEAR[-1][0]}{at}: {reason}"
    return CheckResult(one.id, Level.PRECISE, Outcome.INCONCLUSIVE, where=where)


def _settled(one: NoteClaim, distances: Sequence[int], ratios: list[mpmath.mpf], towards: str) -> CheckResult:
    """Judge log |l/r| at powers of ten towards an end."""
    with mpmath.workdps(DIGITS):
        steps = [abs(after - before) for before, after in pairwise(ratios)]
        slopes = [step / mpmath.log(10) / int(gap) for step, gap in zip(steps, np.diff(distances), strict=True)]
    change = float(steps[-1])
    growing = slopes[-1] > SLOPE and slopes[-1] > FALLING * slopes[-2]
    outcome = Outcome.PASS if change <= SETTLED else Outcome.FAIL if growing else Outcome.INCONCLUSIVE
    where = f"log |l/r| changes by {change:.3g} from 10^{distances[-2]} to 10^{distances[-1]} times nearer {towards}"
    return CheckResult(one.id, Level.PRECISE, outcome, change, SETTLED, where)


def _log_ratio(statement: Statement, place: Point) -> mpmath.mpf | None:
    """Return log |l/r| at a point to an error of 10^-15 of 1 + its size; None where a side is exactly 0.

    The sides themselves may be far beyond what a fraction holds, as Gaussian tails are. Raises NotCertified.
    """
    forms = [[tail(_closed(side, statement)) for side in (statement.lhs, statement.rhs)] for tail in TAILS]
    with precision():
        for bits, (lhs, rhs) in product(BITS, forms):
            ctx.prec = bits
            left, right = _ball(lhs, place), _ball(rhs, place)
            if left.is_zero() or right.is_zero():
                return None
            value = abs(left / right).log()
            if value.is_finite() and value.rad() <= abs(value.mid()) * 1e-15 + 1e-15:
                middle = fraction(value.mid())
                return mpmath.mpf(middle.numerator) / middle.denominator
    raise NotCertified("the ratio of the sides has no accurate value within 16384 bits")


def _closed(side: sympy.Expr, statement: Statement) -> sympy.Expr:
    return side.xreplace({e: moment.closed_form for e, moment in statement.moments.items()})


def _ball(closed: sympy.Expr, place: Point) -> arb:
    """Return a ball around a closed form, that of every number where the precision does not decide a part of it."""
    try:
        return enclose(closed, place)
    except Undecided:
        return arb("nan")


def _number(side: sympy.Expr, statement: Statement, place: Point) -> mpmath.mpf:
    """Return a side at a point, its averages in closed form."""
    closed = _closed(side, statement)
    middle = _middle(lambda: _ball(closed, place), DIGITS + SPARE)
    with mpmath.workdps(DIGITS + 2 * SPARE):
        return mpmath.mpf(middle.numerator) / middle.denominator


def _middle(value: Callable[[], arb], digits: int) -> Fraction:
    """Return a number to so many digits; 0 for one below 10^-digits that no ball separates from 0.

    Raises NotCertified.
    """
    if value().is_zero():
        return Fraction(0)
    try:
        return certified(value, digits)[0]
    except NotCertified as error:
        if error.reached is None or abs(error.reached[0]) + error.reached[1] > Fraction(1, 10**digits):
            raise
        return Fraction(0)
