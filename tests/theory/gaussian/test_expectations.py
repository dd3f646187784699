"""The engine against quadrature of the defining integrals, and against what every expectation satisfies."""

import json
from fractions import Fraction
from functools import cache

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Heaviside, erf, exp
from sympy import Rational as Q

from tests.paths import ORACLES
from theory.expressions.functions import Relu
from theory.expressions.language import Names, parse, parse_list, parse_rows
from theory.expressions.symbols import z
from theory.gaussian import Moment, expect
from theory.gaussian.certified.digits import certified_form
from theory.problem.errors import InputError, OutOfReachError

ORACLE = json.loads((ORACLES / "expectations.json").read_text(encoding="utf-8"))
DIGITS = 30
z1, z2, z3, z4 = map(z, (1, 2, 3, 4))


def read(text: str, rows: list) -> sympy.Expr:
    """The integrand in as many variables as `rows` has."""
    return parse(text, Names(variables=len(rows)))


@cache
def moment_of(index: int) -> Moment:
    """The engine's answer to a row."""
    row = ORACLE[index]
    rows = parse_rows(row["cov"])
    return expect(read(row["expr"], rows), rows, parse_list(row["mean"]) if row["mean"] else None)


# The proof of a product of two blocks of three takes minutes.
PROOF_IS_LONG = "Heaviside(z1-1/2)*erf(z2)*erf(z3)*relu(z4)*relu(z5)*relu(z6)"
# Neighbouring rows are one integrand at other numbers.
FAST = range(0, len(ORACLE), 9)


def check(index: int) -> None:
    """Compare the certified value with the stored integral, and check the derivation."""
    row, moment = ORACLE[index], moment_of(index)
    value, reference = moment.evaluate(DIGITS), Fraction(row["value"])
    slack = Fraction(value.radius) + (abs(reference) or 1) / Fraction(10) ** row["digits"]
    assert abs(Fraction(value.value) - reference) <= slack, row
    assert (value.digits, row["digits"]) == (DIGITS, DIGITS)
    assert Fraction(value.radius) * 10**DIGITS <= abs(Fraction(value.value))
    if row["expr"] == PROOF_IS_LONG:
        return
    for proof in filter(None, (moment.derivation, moment.arctan_derivation)):
        assert [step for step in proof.check() if not step.passed] == [], row


def test_proved_values_agree_with_the_defining_integrals():
    for index in FAST:
        check(index)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_all_proved_values_agree_with_the_defining_integrals(part):
    for index in sorted(set(range(len(ORACLE))) - set(FAST))[part::4]:
        check(index)


# --- what every expectation satisfies --------------------------------------------------------------------------------

NEAR, NEARER = Q(1, 1000), Q(1, 10**9)
few = settings(max_examples=4)


@st.composite
def covariances(draw, size: int, extras: tuple = (0, NEARER, NEAR, 1)) -> sympy.ImmutableDenseMatrix:
    """B B^T for a small integer matrix B without a row of zeros, singular or nearly so, plus one of `extras`.

    Where thresholds exclude each other at a singular covariance, values next to it have millions of zeros: there
    NEARER is left out.
    """
    rank = draw(st.integers(1, size))
    entry = st.integers(-3, 3)
    rows = draw(st.lists(st.lists(entry, min_size=rank, max_size=rank).filter(any), min_size=size, max_size=size))
    b = sympy.Matrix(rows)
    extra = draw(st.sampled_from(extras))
    return sympy.ImmutableDenseMatrix(b * b.T + extra * sympy.eye(size))


def value(expr, cov, mean=None) -> tuple[Fraction, Fraction]:
    """Midpoint and radius."""
    answer = expect(expr, cov, mean).evaluate(DIGITS)
    return Fraction(answer.value), Fraction(answer.radius)


def same(left, right) -> bool:
    """Whether two sums of (value, radius) have a number in common."""
    gap = sum(v for v, _ in left) - sum(v for v, _ in right)
    return abs(gap) <= sum(r for _, r in (*left, *right))


TRIPLE = Heaviside(z1) * erf(z2) * erf(z3)


@given(cov=covariances(3), order=st.permutations(range(3)))
@few
def test_permutation(cov, order):
    moved = sympy.Matrix(3, 3, lambda i, j: cov[order[i], order[j]])
    renamed = TRIPLE.xreplace({z(old + 1): z(new + 1) for new, old in enumerate(order)})
    assert same([value(TRIPLE, cov)], [value(renamed, moved)])


@given(cov=covariances(2), c=st.fractions(-3, 3, max_denominator=8))
@few
def test_a_step_and_its_complement(cov, c):
    u, rest = z1 + Q(c.numerator, c.denominator), erf(z2) * z2
    parts = [value(Heaviside(u) * rest, cov), value(Heaviside(-u) * rest, cov)]
    assert same(parts, [value(rest, cov)])


g, s = sympy.symbols("g s", positive=True)
rho = sympy.Symbol("rho", real=True)
SYMBOLIC = [
    Heaviside(z1 - s) * erf(g * z2),
    Relu(z1) ** 2 * Relu(z2),
    exp(g * z1) * Heaviside(z2 - s),
]


@pytest.mark.parametrize("expr", SYMBOLIC)
def test_numbers_into_the_formula_or_into_the_question(expr):
    moment = expect(expr, [[1, rho], [rho, 1]])
    for gain, threshold, r in ((Q(1, 100), 8, Q(-9, 10)), (5, Q(1, 1000), Q(1, 10**6)), (1, 2, 1 - Q(1, 10**6))):
        point = {symbol: {g: gain, s: threshold, rho: r}[symbol] for symbol in moment.parameters}
        late = moment.evaluate(DIGITS, **{symbol.name: number for symbol, number in point.items()})
        early = value(expr.xreplace({g: gain, s: threshold}), [[1, r], [r, 1]])
        into = certified_form(moment.closed_form.xreplace(point), DIGITS)
        assert same([(Fraction(late.value), Fraction(late.radius))], [early])
        assert same([(Fraction(into.value), Fraction(into.radius))], [early])


# --- what is not a question, or out of reach -------------------------------------------------------------------------

P, SAME = "[[1, 1/2], [1/2, 1]]", "[[1, 1], [1, 1]]"
BAD = [
    ("Heaviside(z1-1)", "[[0]]", OutOfReachError, "variance zero"),
    ("Heaviside(z1-z2-1/2)", SAME, OutOfReachError, "variance zero"),
    ("sqrt(-1)*z1", P, InputError, "not real"),
    ("foo(z1)", P, InputError, "foo"),
    ("q*z1", P, InputError, "domain"),
    ("relu(erf(z1*z2))", P, OutOfReachError, "not linear"),
    ("z1**z2", P, OutOfReachError, "z1**z2"),
    ("Phi2(z1,z2,1/2)", P, OutOfReachError, "Phi2"),
    ("(1+erf(z1))**12*(1+erf(z1-z2))**12", P, OutOfReachError, "13"),
    ("erf(z1)**10*erf(z2)*erf(z1-z2)", P, OutOfReachError, "12 dependent"),
    ("z2*exp(z1**2)", "[[1, 0], [0, 1]]", OutOfReachError, "infinite"),
    ("z2*exp(tanh(z1)+z1**2)", "[[1, 0], [0, 1]]", OutOfReachError, "infinite"),
    ("tanh(z1)/(z1**2-1)", P, OutOfReachError, "not integrable"),
    *((text, "[[1]]", OutOfReachError, "not integrable") for text in ("1/z1", "sign(z1)/abs(z1)", "exp(1/z1)")),
    ("asin(1/z1)", "[[1]]", OutOfReachError, "real"),
    ("sqrt(z1+100)*tanh(z1)", P, OutOfReachError, "real"),
    ("tanh(z1)*exp(z1**4)", P, OutOfReachError, "faster"),
    ("relu(z1-1)**20*relu(z1-z2-1/3)**20", P, OutOfReachError, "1200 products"),
]


def test_what_is_no_question_is_refused():
    for text, cov, error, word in BAD:
        rows = parse_rows(cov)
        with pytest.raises(error) as caught:
            expect(read(text, rows), rows)
        assert word in str(caught.value), text
        assert caught.value.hint
