"""The path of Price's theorem: its parameter t in [0, 1], and signs of functions of t."""

import sympy

from theory.expressions.balls.known_sign import known_sign
from theory.expressions.symbols import path, path_
from theory.gaussian.expectation import Expectation


def parameter(e: Expectation) -> sympy.Symbol:
    """Return the parameter t of the path, or t_ where a symbol is called t.

    >>> from theory.expressions.symbols import z
    >>> parameter(Expectation(z(1), sympy.eye(1))), parameter(Expectation(z(1) * sympy.Symbol("t"), sympy.eye(1)))
    (t, t_)
    """
    return path_ if "t" in {symbol.name for symbol in e.free_symbols} else path


def on_path(expr: sympy.Expr) -> list[sympy.Symbol]:
    """Return the parameters of paths of Price's theorem that occur in `expr`, as a list.

    >>> on_path(1 - path**2), on_path(sympy.Symbol("t"))
    ([t], [])
    """
    return [symbol for symbol in (path, path_) if symbol in expr.free_symbols]


def is_positive(expr: sympy.Expr) -> bool:
    """Whether `expr` is known to be positive; a function of t, assumed without zeros in (0, 1), is tested at t = 1/2.

    >>> is_positive(1 - path**2), is_positive(sympy.Symbol("c", real=True))
    (True, False)
    """
    known = known_sign(expr)
    if known is not None:
        return known == 1
    bound = on_path(expr)
    number = expr.xreplace(dict.fromkeys(bound, sympy.Rational(1, 2)))
    return not number.free_symbols and known_sign(number) == 1
