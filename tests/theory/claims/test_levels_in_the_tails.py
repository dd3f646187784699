"""Every level tells a true formula from a false one where values are as small as 1e-1000 or as large as 1e1000."""

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest
import sympy
from sympy import Eq, Interval, Rational, exp

from theory.claims import levels
from theory.claims.model import Claim, Kind, Outcome, Param
from theory.proof.derivation import Derivation, Step

a = sympy.Symbol("a", real=True)
f = sympy.Function("f")
# exp(-a) is about 1e-1000, 1, 1e304, 1e1000.
PLACES = [Rational(x) for x in (2302, 1, -700, -2302)]
IN_FLOAT64 = [place for place in PLACES if abs(place) <= 700]


def _powers(point, digits):
    """exp(-a) as the limit of (1 + 1/n)**n would have it: by the sum of its series at a/1024, squared ten times."""
    with mpmath.workdps(digits + 20):
        x = -mpmath.mpf(int(point[a].p)) / int(point[a].q) / 1024
        total, term, k = mpmath.mpf(1), mpmath.mpf(1), 0
        while abs(term) > mpmath.mpf(10) ** -(digits + 20):
            k += 1
            term *= x / k
            total += term
        for _ in range(10):
            total *= total
        return total


CLAIM = Claim(
    id="test.tail",
    title="an exponential",
    kind=Kind.EQUATION,
    statement=Eq(f(a), exp(-a), evaluate=False),
    params=(Param(a, Interval(-3000, 3000), "place"),),
    oracle=_powers,
    numeric=lambda a: math.exp(-a),
)


def said(formula):
    return replace(CLAIM, statement=Eq(f(a), formula, evaluate=False))


def passes(result):
    return result.outcome is Outcome.PASS


# Each is false by far less than 1e-30 of the value 1, or right but for a relative error above 1e-30.
WRONG = {
    "last digit": exp(-a) * (1 + Rational(1, 10**29)),
    "twice": 2 * exp(-a),
    "zero": sympy.Integer(0),
    "another tail": exp(-a) * (1 + exp(-50)),
    "sign": -exp(-a),
}


def test_precise():
    for place in PLACES:
        tried = ({a: place},)
        assert passes(levels.precise(CLAIM, levels.table(CLAIM, tried=tried)))
        judged = {
            name: levels.precise(said(form), levels.table(said(form), tried=tried)) for name, form in WRONG.items()
        }
        assert [name for name, result in judged.items() if passes(result)] == []


def test_precise_where_the_definition_is_zero():
    """A formula that is not zero is wrong, however small it is; one that is zero by cancellation is right."""
    for place in (place for place in PLACES if place > 1):
        nothing = replace(CLAIM, oracle=lambda point, digits: mpmath.mpf(0))
        tried = ({a: place},)
        small, cancels = exp(-a), exp(-2 * a) - exp(-a) ** 2 * (sympy.sin(a) ** 2 + sympy.cos(a) ** 2)
        for form, right in ((small, False), (cancels, True)):
            claim = replace(nothing, statement=Eq(f(a), form, evaluate=False))
            assert passes(levels.precise(claim, levels.table(claim, tried=tried))) == right


def test_negative_control_and_printed_forms():
    """The true form is not rejected, the wrong ones are."""
    for place in PLACES:
        (row,) = levels.table(CLAIM, tried=({a: place},))
        assert not levels._rejects(exp(-a), row)
        rejected = {name for name, form in WRONG.items() if levels._rejects(form, row)}
        assert rejected == {name for name in WRONG if name not in ("last digit", "another tail")}


def float64(function):
    """The path of a program that overflows to infinity, as arrays do."""

    def value(a):
        try:
            return function(a)
        except OverflowError:
            return math.inf

    return value


def test_floating():
    for place in PLACES:
        tried = ({a: place},)
        right = replace(CLAIM, numeric=float64(lambda a: math.exp(-a)))
        assert passes(levels.floating(right, tried))
        wrong = {
            "a part in 1e9": float64(lambda a: math.exp(-a) * (1 + 1e-9)),
            "by cancellation": float64(lambda a: 1 - (1 - math.exp(-a)) if a > 1 else 2 * math.exp(-a)),
            "sign": lambda a: -float64(lambda a: math.exp(-a))(a),
            "no number": lambda a: math.nan,
            "zero": lambda a: 0.0,
            "infinite": lambda a: math.inf,
            "minus infinite": lambda a: -math.inf,
            "one third": lambda a: 1 / 3,
        }
        judged = {name for name, path in wrong.items() if passes(levels.floating(replace(CLAIM, numeric=path), tried))}
        below = {"a part in 1e9", "by cancellation", "sign", "zero"}
        beyond = {"a part in 1e9", "by cancellation", "infinite"}
        # Outside of float64 all that can be said is that the value is below or beyond its numbers.
        assert judged == (set() if place in IN_FLOAT64 else below if place > 0 else beyond)


def test_floating_decides_nothing_where_no_digit_is_left():
    """The condition number of sin at 2**60 is about 1e18: a tolerance that grew with it would let any constant pass."""
    far = {a: Rational(2**60 + 2**8)}
    for path in (lambda a: 0.0, lambda a: 1.0):
        assert not passes(levels.floating(replace(said(sympy.sin(a)), numeric=path), (far,)))


@pytest.mark.parametrize("power", [-1000, 310])
def test_exact(power):
    place = Rational(10) ** power
    claim = replace(said(a**2), exact=lambda point: Fraction(int(point[a].p), int(point[a].q)) ** 2)
    assert passes(levels.exact(claim, ({a: place},)))
    for form in (a**2 + place**3 / 10**40, a**2 * (1 + Rational(1, 10**400)), sympy.Integer(0), -(a**2)):
        other = replace(claim, statement=Eq(f(a), form, evaluate=False))
        assert not passes(levels.exact(other, ({a: place},)))


def derived(form, place):
    """The result of a derivation of `form` from the cited value of exp(-place)."""
    steps = (
        Step(f(a), "given", "definition"),
        Step(exp(-place), "known", "cite", (Eq(f(a), exp(-place)),), (CLAIM.id,)),
        Step(form, "algebra", "identity"),
    )
    stated = Eq(f(a), form, evaluate=False)
    claim = replace(CLAIM, statement=stated, derive=lambda: Derivation(CLAIM.id, stated, steps))
    cited = replace(CLAIM, statement=Eq(f(a), exp(-place), evaluate=False))
    return levels.symbolic(claim, {CLAIM.id: cited})


def test_symbolic():
    """A step between numbers of this size is proved if it is an identity, and refused where digits hide the fault."""
    for place in PLACES:
        true = sympy.Mul(exp(-place / 2), exp(-place / 3), exp(-place / 6), evaluate=False)
        assert passes(derived(true, place))
        for form in (exp(-place) * (1 + exp(-3000)), exp(-place) + exp(-5000), sympy.Integer(0), 2 * exp(-place)):
            assert not passes(derived(form, place))
