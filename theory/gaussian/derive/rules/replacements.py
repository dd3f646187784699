"""Rules that check the replacement of single expectations, and the algebra that such rules share.

A step's `using` holds pairs (expectation, replacement). A checker recomputes the replacement from the expectation alone
and raises `StepError` unless the two are proved equal.
"""

from collections.abc import Callable

import sympy

from theory.expressions.symbols import path, path_, z
from theory.gaussian.expectation import Expectation, variables
from theory.proof.derivation import Step, StepError, rule
from theory.proof.rules.shared import pairs, require_equal, require_rewritten

UNIT = sympy.Interval(0, 1)
PairChecker = Callable[[Expectation, sympy.Expr], None]


def expectation_rule(name: str) -> Callable[[PairChecker], PairChecker]:
    """Register a checker of single replacements under `name`; a step must be `before` with all replacements made.

    >>> from theory.gaussian.derive.rules.moves import parity
    >>> odd = Expectation(z(1) ** 3, sympy.eye(1))
    >>> parity(odd, sympy.Integer(0))
    >>> parity(odd, sympy.Integer(1))
    Traceback (most recent call last):
    theory.proof.derivation.StepError: parity makes an expectation zero, not 1
    """

    def register(checker: PairChecker) -> PairChecker:
        def check_step(before: sympy.Basic, step: Step) -> None:
            replacements = dict(pairs(step))
            for old, new in replacements.items():
                if not isinstance(old, Expectation):
                    raise StepError(f"{old} is not an expectation")
                checker(old, new)
            require_rewritten(before, step, replacements)

        check_step.__doc__ = checker.__doc__
        rule(name)(check_step)
        return checker

    return register


def domains_of(*exprs: sympy.Expr) -> dict[sympy.Symbol, sympy.Interval]:
    """Return the domain [0, 1] of each path parameter that occurs.

    >>> domains_of(1 - path**2, sympy.Symbol("t"))
    {t: Interval(0, 1)}
    """
    return {symbol: UNIT for expr in exprs for symbol in (path, path_) if symbol in expr.free_symbols}


def equal(a: sympy.Expr, b: sympy.Expr, what: str) -> None:
    """Raise StepError unless a = b is proved, the path parameter lying in [0, 1].

    The root is t itself, because the path parameter is not negative:

    >>> equal(sympy.Abs(path), path, "the root")
    """
    require_equal(a, b, what, domains_of(a, b))


def terms(expr: sympy.Expr) -> list[tuple[sympy.Expr, Expectation | None]]:
    """Return the coefficient and the expectation of each term of a sum. StepError for a product of expectations.

    >>> e = Expectation(z(1) ** 2, sympy.eye(1))
    >>> terms(2 * e + 3)
    [(3, None), (2, E[z1**2; cov=[[1]]])]
    """
    result = []
    for term in sympy.Add.make_args(expr):
        expectations = list(term.atoms(Expectation))
        if len(expectations) > 1:
            raise StepError(f"{term} is not a multiple of one expectation")
        result.append((term / expectations[0], expectations[0]) if expectations else (term, None))
    return result


def one_term(expr: sympy.Expr) -> tuple[sympy.Expr, Expectation | None]:
    """Return the coefficient and the expectation of a sum of one term; StepError for more terms.

    >>> one_term(2 * Expectation(z(1) ** 2, sympy.eye(1)))
    (2, E[z1**2; cov=[[1]]])
    """
    summands = terms(expr)
    if len(summands) != 1:
        raise StepError(f"{expr} is not a multiple of one expectation")
    return summands[0]


def offset_of(factor: sympy.Expr) -> tuple[int, sympy.Expr]:
    """Return the row and c of a function of z_row + c; StepError for any other argument.

    >>> offset_of(sympy.sign(z(2) - 1))
    (1, -1)
    """
    indices = variables(factor)
    if len(indices) != 1:
        raise StepError(f"{factor} is not a function of one variable")
    (index,), argument = indices, factor.args[0]
    if sympy.expand(argument.diff(z(index))) != 1:
        raise StepError(f"{argument} is not a variable plus a number")
    return index - 1, argument.xreplace({z(index): sympy.Integer(0)})
