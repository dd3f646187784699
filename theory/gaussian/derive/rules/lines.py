"""The rules that check averages along one line: functions of one linear form, symmetric functions, the integral."""

import sympy

from theory.expressions.symbols import z
from theory.gaussian.derive.rules.replacements import equal, expectation_rule, one_term
from theory.gaussian.expectation import Expectation, Quadrature, variables
from theory.proof.derivation import StepError


@expectation_rule("one-form")
def one_form(old: Expectation, new: sympy.Expr) -> None:
    """f(u) with u a linear form of the variance of the one variable, up to its scale, is the integrand.

    >>> one_form(Expectation(sympy.exp(z(1) - z(2)), sympy.eye(2)), Expectation(sympy.exp(z(1)), sympy.Matrix([[2]])))
    """
    coefficient, inner = one_term(new)
    if inner is None or inner.cov.rows != 1:
        raise StepError(f"{new} is not an average over one variable")
    symbols = [z(index) for index in variables(old.integrand)]
    for part in sympy.preorder_traversal(old.integrand):
        gradient = sympy.Matrix([part.diff(symbol) if isinstance(part, sympy.Expr) else 0 for symbol in symbols])
        if variables(sympy.Add(*gradient)) or gradient.is_zero_matrix:
            continue
        rows = [old.bound_symbols.index(symbol) for symbol in symbols]
        form = (gradient.T * sympy.Matrix(symbols))[0, 0]
        square = (gradient.T * old.cov.extract(rows, rows) * gradient)[0, 0]
        for side in (1, -1):
            scaled = side * sympy.sqrt(sympy.cancel(inner.cov[0, 0] / square)) * form
            if sympy.expand(old.integrand - coefficient * inner.integrand.xreplace({z(1): scaled})) == 0:
                return
    raise StepError(f"{old.integrand} is not shown to be a function of one linear form")


@expectation_rule("symmetry")
def symmetry(old: Expectation, new: sympy.Expr) -> None:
    """f(z) + f(-z) is twice the value.

    >>> symmetry(Expectation(sympy.tanh(z(1)) + 1, sympy.eye(1)), sympy.Integer(1))
    """
    if variables(new) or new.has(Expectation):
        raise StepError(f"{new} is not a constant")
    flipped = old.integrand.subs({symbol: -symbol for symbol in old.bound_symbols}, simultaneous=True)
    equal(old.integrand + flipped, 2 * new, "f(z) + f(-z)")


@expectation_rule("quadrature")
def quadrature(old: Expectation, new: sympy.Expr) -> None:
    """The integral has the integrand and the variance of the average.

    >>> average = Expectation(sympy.tanh(z(1)) ** 2, sympy.eye(1))
    >>> quadrature(average, Quadrature(average.integrand, average.cov))
    """
    quadratures = new.atoms(Quadrature)
    inner = next(iter(quadratures), None)
    if len(quadratures) != 1 or inner.cov != old.cov or old.integrand * inner != new * inner.integrand:
        raise StepError(f"{new} is not the integral of {old.integrand} over its density")
