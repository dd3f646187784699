"""Conditions between parameters: what is proved under them is true on them, and hostile ones end in an error."""

import random
import re
from fractions import Fraction
from itertools import islice, product

import pytest
import sympy

from tests.theory.conjecture.hostile_domains import ACCEPTED, REFUSED, UNPRINTED
from theory.conjecture import judge, read
from theory.conjecture.cells import NoCells, cells
from theory.conjecture.points import points
from theory.conjecture.statement import Statement
from theory.expressions.domains import parse_domains
from theory.problem.errors import InputError

PAIR = "[[1, rho], [rho, 1]]"
GENERAL = "[[a, c], [c, b]]"


def true_equation(domain):
    """A true equation in the letters of a domain, so that no name of it is missing."""
    names = set(re.findall(r"[A-Za-z0-9_]+", domain)) & {"a", "b"} or {"a", "b"}
    return " + ".join(sorted(names)) + " = " + " + ".join(sorted(names, reverse=True))


def refusal(text, equation=None, cov=None):
    """The words of the error; None where the domain has points."""
    try:
        next(points(read(equation or true_equation(text), cov, where=text), 1, 2))
    except InputError as error:
        return f"{error.message} {error.hint}" if error.hint else "no hint"
    return None


def texts_of(table):
    """The domains of a text of the table, which two blanks part."""
    return [text for text in re.split(r"  |\n", table) if text]


def test_hostile_domains_are_refused_and_say_why():
    tables = [*((word, texts_of(table)) for word, table in REFUSED.items()), *UNPRINTED.items()]
    assert sum(len(texts) for _, texts in tables) > 200
    assert [(text, word) for word, texts in tables for text in texts if word not in str(refusal(text))] == []


@pytest.mark.slow
def test_odd_domains_that_are_right_are_taken():
    assert {text: words for text in texts_of(ACCEPTED) if (words := refusal(text)) is not None} == {}


# --- conditions drawn at random, with their values by fractions


def drawn_side(draw, depth=0):
    """The text of a polynomial in a, b, c, and the function that it is."""
    kind = draw.choice("nvv" if depth > 1 else "nv+-*2")
    if kind == "n":
        number = Fraction(draw.randint(-6, 6), draw.randint(1, 4))
        return f"({number})", lambda at: number
    if kind == "v":
        name = draw.choice("abc")
        return name, lambda at: at[name]
    left, f = drawn_side(draw, depth + 1)
    if kind == "2":
        return f"({left})**2", lambda at: f(at) ** 2
    right, h = drawn_side(draw, depth + 1)
    values = {"+": lambda at: f(at) + h(at), "-": lambda at: f(at) - h(at), "*": lambda at: f(at) * h(at)}
    return f"({left}){kind}({right})", values[kind]


def drawn_domain(draw):
    """The text of one to three comparisons, and whether a point meets them."""
    clauses, tests = [], []
    signs = {
        "<": lambda x, y: x < y,
        "<=": lambda x, y: x <= y,
        ">": lambda x, y: x > y,
        ">=": lambda x, y: x >= y,
    }
    for _ in range(draw.randint(1, 3)):
        (left, f), (right, h), sign = drawn_side(draw), drawn_side(draw), draw.choice([*signs])
        clauses.append(f"{left} {sign} {right}")
        tests.append((f, signs[sign], h))
    return ", ".join(clauses), lambda at: all(compare(f(at), h(at)) for f, compare, h in tests)


GRID = [Fraction(k, 3) for k in (-12, -7, -3, -2, -1, 0, 1, 2, 3, 5, 12)]
EMPTY = ("domain is empty", "holds nowhere", "contradict each other", "leaves no interval")


def test_points_of_random_domains_lie_in_them_and_empty_ones_are_empty():
    draw = random.Random(0)
    met = empty = 0
    for _ in range(40):
        text, holds = drawn_domain(draw)
        names = sorted(set(re.findall("[abc]", text)))
        try:
            statement = read(" + ".join(names or ["1"]) + " = 0", where=text)
            drawn = list(islice(points(statement, 3, 5), 8))
        except InputError as error:
            if any(word in error.message for word in EMPTY):
                grid = (dict(zip(names, at, strict=True)) for at in product(GRID, repeat=len(names)))
                inside = [at for at in grid if holds(at)]
                # What leaves a single point is refused too.
                assert len({at[name] for at in inside for name in names}) <= len(names), (text, inside[:3])
                empty += 1
            continue
        met += 1
        for point in drawn:
            at = {symbol.name: Fraction(int(x.p), int(x.q)) for symbol, x in point.items()}
            assert holds({name: at.get(name, Fraction(0)) for name in "abc"}), (text, at)
    assert met > 12
    assert empty


# --- verdicts

TRUE = [
    ("E[sign(z1)*sign(z2)] = 2*asin(c/sqrt(a*b))/pi", GENERAL, "c**2<a*b", "proved"),
    ("E[z1*z2] = c", GENERAL, "c**2<=a*b", "proved"),
    ("sqrt((r2 - r1)**2) = r2 - r1", None, "-1<r1<r2<1", "proved"),
    ("sqrt((r2 - r1)**2) = r2 - r1", None, "-1<r1<=r2<1", "proved or supported"),
    ("sign(r2 - r1) = 1", None, "r1<r2", "proved"),
    ("max(a, b) = b", None, "a<b", "proved"),
    ("log(a*b) = log(a) + log(b)", None, "a>0, a*b>0", "proved"),
    ("sign(1 - a**2 - b**2) = 1", None, "a**2 + b**2<1", "proved"),
    ("sign(d - c)*sign(b - a) = 1", None, "a<b<c<d", "proved"),
    ("sign(a*b - c**2) = 1", None, "c**2<a*b", "proved"),
]


def test_equations_that_hold_on_the_joint_domain():
    for equation, cov, where, verdict in TRUE:
        answer = judge(read(equation, cov, where=where), suggest=False)
        assert answer.verdict in verdict, (equation, answer.reason)
        assert all(step.checked for step in answer.steps)


# False somewhere on the domain, though true on much of it.
FALSE = [
    ("E[sign(z1)*sign(z2)] = 2*asin(c)/pi", GENERAL, "a>1, b>1, c**2<1"),
    ("sqrt((r2 - r1)**2) = r1 - r2", None, "-1<r1<r2<1"),
    ("sign(r2 - r1) = 1", None, "r1<=r2"),
    ("sign(c - a) + sign(b - a) = 2", None, "a<b, b<=c+1"),
    ("max(a, b) = b", None, "-1<a<1, -1<b<1, a<b + 1/1000"),
    ("sqrt((a*b - c**2)**2) = c**2 - a*b", None, "a>0, b>0, c**2<a*b"),
    ("Abs(a) + Abs(b) + c = a + b + c", None, "c**2<a*b"),
    ("sign(1 - a**2 - b**2) = 1", None, "a**2 + b**2<=1"),
    ("sign(r8 - r1 - 1/2) = 1 + 0*(r2 + r3 + r4 + r5 + r6 + r7)", None, "0<r1<r2<r3<r4<r5<r6<r7<r8<1"),
    ("sign(a - b + 1/10**9) = -1", None, "0<a<b<a + 1/1000"),
]


def test_equations_that_fail_on_the_joint_domain_are_refuted_inside_it():
    for equation, cov, where in FALSE:
        statement = read(equation, cov, where=where)
        answer = judge(statement, suggest=False)
        assert answer.verdict == "refuted", equation
        point = {symbol: Fraction(int(x.p), int(x.q)) for symbol, x in answer.counterexample.point.items()}
        assert all(condition.holds(point) for condition in statement.conditions), equation


def test_without_the_condition_the_equation_is_refuted():
    """The conditions carry the proofs above: on the larger box the same equations are false."""
    for equation, where in (("sign(r2 - r1) = 1", "-1<r1<1, -1<r2<1"), ("max(a, b) = b", "a>0, b>0")):
        assert judge(read(equation, where=where), suggest=False).verdict == "refuted"


def test_a_condition_that_is_not_strict_gives_no_sign():
    """At r1 = r2 the step jumps: only the points of the larger box r1 < r2 would be proved."""
    assert judge(read("Heaviside(r2 - r1) = 1", where="-1<r1<=r2<1"), suggest=False).verdict != "proved"


def test_the_sides_of_a_condition_that_has_two_parts_are_judged_apart():
    """c**2 < a*b leaves two parts, a, b > 0 and a, b < 0: what holds on one is no theorem."""
    assert judge(read("sqrt(a**2) + b*c = a + b*c", where="c**2<a*b, -9<c<9"), suggest=False).verdict == "refuted"
    assert judge(read("sqrt(a**2) + b*c = a + b*c", where="c**2<a*b, b>0"), suggest=False).verdict in (
        "proved",
        "supported",
    )


# --- what the matrix adds


def test_bounds_are_cut_to_those_of_the_matrix():
    statement = read("E[sign(z1)*sign(z2)] = 2*asin(rho)/pi", PAIR, where="-2<rho<2")
    assert statement.asked.domain.bounds == ["-1 <= rho <= 1"]
    assert statement.asked.remarks == ("-2 < rho < 2 is cut to -1 <= rho <= 1: the covariance needs 1 - rho**2 >= 0.",)
    for point in points(statement, 16, 12):
        assert all(abs(value) <= 1 for value in point.values())


def test_a_bound_that_the_matrix_does_not_need_is_left():
    read_as = read("E[z1**2] = 1", PAIR, where="-1/2<rho<1").asked
    assert (read_as.domain.bounds, read_as.remarks, read_as.conditions) == (["-1/2 < rho < 1"], (), ())


def test_domains_without_a_covariance_are_refused():
    cases = (
        (PAIR, "rho>3/2", "Of rho > 3/2 no point makes the matrix a covariance"),
        (PAIR, "rho>=1", "Put in rho = 1"),
        ("[[1, rho, 0], [rho, 1, 9/10], [0, 9/10, 1]]", "rho>1/2", "19/100 - rho**2 >= 0"),
        (GENERAL, "a<0, c<b", "needs a >= 0"),
        (GENERAL, "0<a<1, 0<b<1, c>2", "holds nowhere"),
        (GENERAL, "c<a, c>b, a<b", "contradict each other"),
    )
    assert [case for case in cases if case[2] not in str(refusal(case[1], "E[z1] = 0", case[0]))] == []


def test_the_conditions_of_user_and_matrix_are_stated_once():
    read_as = read("E[z1*z2] = c", GENERAL, where="c**2<a*b").asked
    assert [str(condition) for condition in read_as.domain.conditions] == ["c**2 < a*b"]
    assert read_as.conditions == ()
    assert read_as.domain.names["a"].is_positive
    left = read("E[z1*z2] = c", GENERAL, where="a>0, b>0, -9<c<9").asked
    assert [str(condition) for condition in left.conditions] == ["a*b - c**2 >= 0"]


def test_without_a_point_at_which_all_are_positive_no_minor_gives_a_sign():
    """a + b and -(a + b) are minors of a matrix that is a covariance on a line only, on which none is positive."""
    a, b = sympy.symbols("a b", real=True)
    box = dict.fromkeys((a, b), sympy.Interval.open(-1, 1))
    root = sympy.sqrt(a + b)
    (cell,) = cells(Statement(root, root, sympy.ImmutableMatrix([[a + b, 0], [0, 1]]), box), ()).cells
    assert cell.interior.sign(a + b) == 1
    with pytest.raises(NoCells, match="the sign of a \\+ b is not certified"):
        cells(Statement(root, root, sympy.ImmutableMatrix([[a + b, 0], [0, -a - b]]), box), ())


def test_narrow_chains_are_drawn_though_plain_values_miss_them():
    names = [f"r{k}" for k in range(5)]
    statement = read(" + ".join(names) + " = 0", where="0<" + "<".join(names) + "<1")
    drawn = list(points(statement, 4, 4))
    assert len(drawn) >= 8
    for point in drawn:
        values = [point[symbol] for symbol in sorted(point, key=lambda symbol: symbol.name)]
        assert values == sorted(set(values))
        assert values[0] > 0
        assert values[-1] < 1


def test_the_domain_is_read_into_bounds_and_conditions():
    domain = parse_domains("2*g<1, rho**2<=2, -1<r<s<=1, g>r")
    assert domain.bounds == ["-1 < g < 1/2", "-sqrt(2) <= rho <= sqrt(2)", "-1 < r < 1/2", "-1 < s <= 1"]
    assert [str(condition) for condition in domain.conditions] == ["r < s", "g > r"]
    assert sympy.Symbol("g", real=True) in domain.intervals
