"""The printer writes what SymPy writes: signs, brackets and coefficients of products of matrices included."""

from itertools import product

import sympy
from sympy import I, MatMul, MatrixSymbol, Rational, Trace, ZeroMatrix, pi, sqrt
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

from theory.expressions.printer import Printer

A, B = (MatrixSymbol(name, 3, 3) for name in "AB")
x = sympy.Symbol("x", real=True)


def unevaluated(*factors):
    return MatMul(*factors, evaluate=False)


EXPRESSIONS = [
    *(-A, 2 * A, -A * B, -2 * A * B, MatMul(Rational(-1, 2), A), MatMul(-sqrt(2), A), MatMul(-pi, A, B)),
    *(MatMul(I, A), MatMul(-I, A, B), MatMul(1 + I, A), MatMul(-1 - I, A), MatMul(-x, A), MatMul(x - 1, A)),
    *(A - B, A * (A - B), -(A - B) * B, MatMul(-3, A + B), (A * B).T - 2 * B**2, sympy.Eq(A, -B), A.inv() * -B),
    *(unevaluated(-1, unevaluated(-2, A), B), unevaluated(A, unevaluated(-2, B)), unevaluated(A, unevaluated(A, B))),
    *(unevaluated(-1, ZeroMatrix(3, 3)), (-A * B) ** 2, Trace(-A * B) * x - x * Trace(A), x / (1 - x) - x**-2),
]


def test_the_text_is_that_of_sympy():
    assert [Printer().doprint(expr) for expr in EXPRESSIONS] == [sympy.sstr(expr) for expr in EXPRESSIONS]


def test_brackets_are_those_of_sympy():
    """Within a sum, a product, a power, or anything else."""
    for place in product(EXPRESSIONS, (PRECEDENCE[name] for name in ("Add", "Mul", "Pow", "Atom")), (False, True)):
        assert Printer().parenthesize(*place) == StrPrinter().parenthesize(*place), place
