"""Mechanical mutants of a formula: at every node a sign, a factor 2, an added 1, a dropped term or factor."""

from collections.abc import Iterator

import sympy


def mutants(expr: sympy.Expr) -> Iterator[sympy.Expr]:
    """Yield every formula that differs from `expr` by one mechanical slip; each differs as an expression tree.

    >>> x = sympy.Symbol("x")
    >>> sympy.sin(2 * x) in set(mutants(sympy.sin(x)))
    True
    """
    seen = {expr}
    for mutant in _mutated(expr):
        if mutant not in seen:
            seen.add(mutant)
            yield mutant


def _mutated(expr: sympy.Basic) -> Iterator[sympy.Basic]:
    if not isinstance(expr, sympy.Expr):
        return
    yield from _slips(expr)
    if isinstance(expr, sympy.Integral):
        # Only the integrand is altered, not the variable and the limits of integration.
        for inner in _mutated(expr.function):
            yield sympy.Integral(inner, *expr.limits)
        return
    for index, argument in enumerate(expr.args):
        for inner in _mutated(argument):
            yield expr.func(*expr.args[:index], inner, *expr.args[index + 1 :])


def _slips(node: sympy.Expr) -> Iterator[sympy.Expr]:
    yield -node
    yield 2 * node
    yield node + 1
    if isinstance(node, sympy.Add | sympy.Mul):
        for index in range(len(node.args)):
            yield node.func(*node.args[:index], *node.args[index + 1 :])
