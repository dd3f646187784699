"""Questions of real algebra: what is empty, what only seems so, and a second solver's opinion."""

import cvc5
import pytest
import sympy
from sympy import Abs, Heaviside, Max, Min, Rational, acos, asin, atan, erf, exp, log, pi, sign, sqrt

from theory.conjecture import read
from theory.conjecture.prove import prove
from theory.expressions.real_algebra import RealSet, Root

x, y = sympy.symbols("x y", real=True)
UNIT = RealSet(((x, ">"), (x - 1, "<")))

EMPTY = [
    (sqrt(x) - x, "<"),
    (sqrt(x - 2), "=="),
    (Abs(x - 2) - (2 - x), "!="),
    (sign(x) - 1, "!="),
    (Heaviside(x - 1), "!="),
    (Max(x, 1 - x) - Rational(1, 2), "<"),
    (Min(x, 1 - x) - Rational(1, 2), ">"),
    (1 / x - 1, "<="),
    (x ** Rational(2, 3) - x, "<"),
    (exp(y), "<="),
    (erf(x), "<="),
    (pi - sqrt(10), ">="),
    (atan(y) - 2, ">"),
    (sqrt(x - 2) * sqrt(y), "real", (y, ">")),
    (log(-x), "real"),
    (acos(1 + x), "real"),
]
NOT_EMPTY = [
    (Abs(x - Rational(1, 7)), "=="),  # at 1/7 alone
    (sqrt(x - Rational(1, 7)), "=="),
    (Heaviside(Abs(x - Rational(1, 7))) - Rational(1, 2), "=="),
    (sqrt(x) - x, ">"),
    (y * exp(y), "<"),
    (pi - sqrt(9), ">"),
    (asin(x) - 1, ">"),
    (sqrt(-x) * sqrt(-y), "real", (y, ">")),  # i times i
    (sqrt(y) ** 2, "real", (y, "<")),
]


def test_the_solver_excludes_points():
    assert [relations for relations in EMPTY if not UNIT.empty(relations[:2], *relations[2:])] == []


def test_sets_with_a_point_are_not_empty():
    assert [relations for relations in NOT_EMPTY if UNIT.empty(relations[:2], *relations[2:])] == []


def test_a_root_of_a_polynomial_is_one_number():
    root = Root(sympy.Poly(x**2 - 2, x), sympy.Rational(1), sympy.Rational(2))
    above = RealSet((), ((x, ">", root),))
    assert above.sign(x**2 - 2) == 1
    assert above.sign(x - Rational(3, 2)) == 0
    assert RealSet((), ((x, "==", root),)).empty((x**2 - 2, "!="))


def opinion(query: str) -> str:
    """The answer of cvc5 to a question in SMT-LIB."""
    solver = cvc5.Solver()
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, f"(set-logic QF_NRA)\n{query}", "query")
    answer = ""
    while not (command := parser.nextCommand()).isNull():
        answer += command.invoke(solver, parser.getSymbolManager())
    return answer.strip()


@pytest.mark.parametrize(
    ("equation", "where"),
    [
        ("sign(x - y) = 1", "0<y<1, y<x<3"),
        ("sqrt((x - y)**3) = (x - y)*sqrt(x - y)", "0<y<1, y<x<3"),
        ("sign(x**2 + x*y + y**2 + 1/7) = 1", "-1<x<1, -1<y<1"),
    ],
)
def test_another_solver_agrees_with_every_question_of_a_proof(equation, where):
    queries = [query for step in prove(read(equation, where=where), 30) for query in step.queries]
    assert queries
    assert {opinion(query) for query in queries} == {"unsat"}
