"""The engine against quadrature of the defining integrals, and against what every expectation satisfies."""

import json
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Heaviside, erf, exp, sign
from sympy import Rational as Q

from derivations.benchmarks.gallery import CASES
from tests.oracles.expectation_cases import filled
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


def named(index: int) -> str:
    return "{expr} {cov} {mean}".format(**ORACLE[index])


def rows_of(indices: Iterable[int]) -> pytest.MarkDecorator:
    """A test of each row, as its argument `index`; pytest-xdist keeps those of one row together."""
    marked = [pytest.param(index, id=named(index), marks=pytest.mark.xdist_group(named(index))) for index in indices]
    return pytest.mark.parametrize("index", marked)


every_row = rows_of(range(len(ORACLE)))


@every_row
def test_values_agree_with_the_defining_integrals(index):
    value, row = moment_of(index).evaluate(DIGITS), ORACLE[index]
    reference = Fraction(row["value"])
    slack = Fraction(value.radius) + (abs(reference) or 1) / Fraction(10) ** row["digits"]
    assert abs(Fraction(value.value) - reference) <= slack
    assert value.digits == DIGITS
    assert Fraction(value.radius) * 10**DIGITS <= abs(Fraction(value.value))


# The proof of a product of two blocks of three takes minutes; its value is compared above.
PROOF_IS_LONG = "Heaviside(z1-1/2)*erf(z2)*erf(z3)*relu(z4)*relu(z5)*relu(z6)"


@rows_of(k for k, row in enumerate(ORACLE) if row["expr"] != PROOF_IS_LONG)
def test_every_step_is_checked(index):
    moment = moment_of(index)
    assert [check for check in moment.derivation.check() if not check.passed] == []
    proof = moment.arctan_derivation
    assert proof is None or [check for check in proof.check() if not check.passed] == []


def test_the_oracle_has_the_digits_it_should():
    assert len(ORACLE) == 242
    assert {row["digits"] for row in ORACLE} == {DIGITS}


def test_the_oracle_has_every_case_of_the_gallery():
    known = {}
    for row in ORACLE:
        rows = parse_rows(row["cov"])
        known.setdefault(str(rows), set()).add(read(row["expr"], rows))
    for case in CASES:
        rows = parse_rows(filled(case.cov, dict(case.point)))
        assert read(filled(case.expr, dict(case.point)), rows) in known[str(rows)], case.name


INTEGRALS = {
    "two steps, two erfs",
    "threshold, two erfs",
    "two thresholds, erf",
    "two thresholds, two erfs",
    "four steps, all correlations 1/2",
    "Phi to the fourth",
}
SPECIAL = {
    "threshold, erf",
    "slab, erf",
    "direction gate",
    "relu with a bias",
    "two thresholds",
    "two different thresholds",
    "Owen's T",
    "erf with offset, squared",
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_classes(case):
    rows = parse_rows(filled(case.cov, dict(case.point)))
    kind = expect(read(filled(case.expr, dict(case.point)), rows), rows).kind
    assert kind == ("integral" if case.name in INTEGRALS else "special" if case.name in SPECIAL else "elementary")


# --- what every expectation satisfies --------------------------------------------------------------------------------

NEAR, NEARER = Q(1, 1000), Q(1, 10**9)
few = settings(max_examples=8)
APART = (0, NEAR, 1)


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
    found = expect(expr, cov, mean).evaluate(DIGITS)
    return Fraction(found.value), Fraction(found.radius)


def same(left, right) -> bool:
    """Whether two sums of (value, radius) have a number in common."""
    gap = sum(v for v, _ in left) - sum(v for v, _ in right)
    return abs(gap) <= sum(r for _, r in (*left, *right))


PAIRS = [
    Heaviside(z1) * erf(2 * z2),
    Heaviside(z1 - Q(1, 2)) * Heaviside(z2 + Q(1, 4)),
    Relu(z1) * Relu(z2 - 1),
    exp(z1 / 3) * Heaviside(z2),
    z1**2 * erf(z2 + Q(1, 3)),
    sign(z1) * z2**3,
]
TRIPLES = [
    Heaviside(z1) * Heaviside(z2) * Heaviside(z3),
    Heaviside(z1) * erf(z2) * erf(z3),
    sign(z1) * z2 * z3**2,
]
TURNED = {z1: -z1, z2: -z2, z3: -z3}


@pytest.mark.parametrize("expr", PAIRS, ids=str)
@given(cov=covariances(2, APART))
@few
def test_reflection_of_pairs(expr, cov):
    assert same([value(expr, cov)], [value(expr.xreplace(TURNED), cov)])


@pytest.mark.parametrize("expr", TRIPLES, ids=str)
@given(cov=covariances(3))
@few
def test_reflection_of_triples(expr, cov):
    assert same([value(expr, cov)], [value(expr.xreplace(TURNED), cov)])


@pytest.mark.parametrize("expr", TRIPLES, ids=str)
@given(cov=covariances(3), order=st.permutations(range(3)))
@few
def test_permutation(expr, cov, order):
    moved = sympy.Matrix(3, 3, lambda i, j: cov[order[i], order[j]])
    renamed = expr.xreplace({z(old + 1): z(new + 1) for new, old in enumerate(order)})
    assert same([value(expr, cov)], [value(renamed, moved)])


@given(cov=covariances(2), c=st.fractions(-3, 3, max_denominator=8))
@few
def test_a_step_and_its_complement(cov, c):
    u, rest = z1 + Q(c.numerator, c.denominator), erf(z2) * z2
    parts = [value(Heaviside(u) * rest, cov), value(Heaviside(-u) * rest, cov)]
    assert same(parts, [value(rest, cov)])


@given(cov=covariances(2), c=st.fractions(-3, 3, max_denominator=8))
@few
def test_a_variable_is_the_difference_of_relus(cov, c):
    u, rest = z1 + Q(c.numerator, c.denominator), z2**2
    (v, r), other = value(Relu(-u) * rest, cov), value(u * rest, cov)
    assert same([value(Relu(u) * rest, cov), (-v, r)], [other])


@given(cov=covariances(3, APART), c=st.fractions(-3, 3, max_denominator=8))
@few
def test_signs_are_at_most_one(cov, c):
    v, r = value(sign(z1) * sign(z2 - Q(c.numerator, c.denominator)), cov)
    assert abs(v) <= 1 + r


@given(cov=covariances(2, APART), thresholds=st.lists(st.integers(-12, 12), min_size=3, max_size=3, unique=True))
@few
def test_steps_fall_with_their_threshold(cov, thresholds):
    values = [value(Heaviside(z1 - Q(t, 4)) * Heaviside(z2), cov) for t in sorted(thresholds)]
    for (low, r), (high, s) in zip(values[1:], values, strict=False):
        assert low <= high + r + s


@pytest.mark.parametrize("left", PAIRS[:4], ids=str)
@given(first=covariances(2, APART), second=covariances(2))
@settings(max_examples=4)
def test_independent_blocks_factorise(left, first, second):
    right = Heaviside(z3) * z4
    (a, r), (b, s) = value(left, first), value(Heaviside(z1) * z2, second)
    both, t = value(left * right, sympy.diag(first, second))
    assert abs(both - a * b) <= t + r * abs(b) + s * abs(a) + r * s


@given(
    scale=st.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**6),
    b=st.fractions(-4, 4, max_denominator=8),
    variance=st.fractions(Fraction(1, 100), 100, max_denominator=100),
)
@few
def test_a_sign_knows_no_scale(scale, b, variance):
    scale, b, variance = (Q(x.numerator, x.denominator) for x in (scale, b, variance))
    cov = [[variance]]
    assert same([value(sign(z1 + b), cov)], [value(sign(scale * (z1 + b)), cov)])
    assert same([value(sign(z1 + b), cov)], [value(sign(z1), cov, [b])])


@given(cov=covariances(2), mean=st.lists(st.fractions(-2, 2, max_denominator=4), min_size=2, max_size=2))
@few
def test_a_mean_is_a_shift(cov, mean):
    mean = [Q(m.numerator, m.denominator) for m in mean]
    expr = Heaviside(z1) * z2**2
    shifted = expr.xreplace({z1: z1 + mean[0], z2: z2 + mean[1]})
    assert same([value(expr, cov, mean)], [value(shifted, cov)])


g, s = sympy.symbols("g s", positive=True)
rho = sympy.Symbol("rho", real=True)
SYMBOLIC = [
    Heaviside(z1) * erf(g * z2),
    Heaviside(z1 - s) * erf(g * z2),
    Heaviside(z1 - s) * Heaviside(z2 - s),
    Relu(z1) ** 2 * Relu(z2),
    Relu(z1 - s) * Relu(z2),
    exp(g * z1) * Heaviside(z2 - s),
    z1**2 * erf(g * z2 + s),
]


@cache
def symbolic(expr) -> Moment:
    return expect(expr, [[1, rho], [rho, 1]])


@pytest.mark.parametrize("expr", SYMBOLIC, ids=str)
@given(
    gain=st.sampled_from([Q(1, 100), Q(1, 3), 1, 5, 100]),
    threshold=st.sampled_from([Q(1, 1000), Q(1, 2), 2, 8]),
    r=st.sampled_from([Q(-9, 10), Q(-1, 3), Q(1, 10**6), Q(4, 5), Q(999999, 1000000)]),
)
@few
def test_numbers_into_the_formula_or_into_the_question(expr, gain, threshold, r):
    moment = symbolic(expr)
    point = {symbol: {g: gain, s: threshold, rho: r}[symbol] for symbol in moment.parameters}
    late = moment.evaluate(DIGITS, **{symbol.name: number for symbol, number in point.items()})
    early = value(expr.xreplace({g: gain, s: threshold}), [[1, r], [r, 1]])
    into = certified_form(moment.closed_form.xreplace(point), DIGITS)
    assert same([(Fraction(late.value), Fraction(late.radius))], [early])
    assert same([(Fraction(into.value), Fraction(into.radius))], [early])


# --- what is not a question, or out of reach -------------------------------------------------------------------------

P, SAME = "[[1, 1/2], [1/2, 1]]", "[[1, 1], [1, 1]]"
BAD = [
    ("sign(z1)*sign(z2)", "[[1, 2], [2, 1]]", InputError, "positive semidefinite"),
    ("sign(z1)*sign(z2)", "[[1, 1/2], [1/3, 1]]", InputError, "symmetric"),
    ("Heaviside(z1-1)", "[[0]]", OutOfReachError, "variance zero"),
    ("Heaviside(z1-z2-1/2)", SAME, OutOfReachError, "variance zero"),
    ("sqrt(-1)*z1", P, InputError, "not real"),
    ("foo(z1)", P, InputError, "foo"),
    ("q*z1", P, InputError, "domain"),
    ("z3", P, InputError, "2 variables"),
    ("1/0", P, InputError, "zero"),
    ("relu(erf(z1))", P, OutOfReachError, "not linear"),
    ("exp(z1*z2)", P, OutOfReachError, "not linear"),
    ("z1**z2", P, OutOfReachError, "z1**z2"),
    ("Phi2(z1,z2,1/2)", P, OutOfReachError, "Phi2"),
    ("sign(sign(z1)-1/2)", P, OutOfReachError, "not linear"),
    ("(1+erf(z1))**12*(1+erf(z2))**12", P, OutOfReachError, "13"),
    ("erf(z1)**12", P, OutOfReachError, "12 dependent"),
    ("max(z1,z2,z1+z2)", P, OutOfReachError, "maximum or minimum of 3"),
    ("relu(z1-1)**20*relu(z2-1/3)**20", P, OutOfReachError, "1200 products"),
]


@pytest.mark.parametrize(("text", "cov", "error", "word"), BAD, ids=lambda part: part if isinstance(part, str) else "")
def test_what_is_no_question_is_said(text, cov, error, word):
    rows = parse_rows(cov)
    with pytest.raises(error) as caught:
        expect(read(text, rows), rows)
    assert word in str(caught.value)
    assert caught.value.hint
