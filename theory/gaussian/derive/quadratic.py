"""Exponentials of quadratic forms: a Gaussian density times exp(-z.A z/2) is another Gaussian density."""

from math import prod

import sympy

from theory.expressions.symbols import z
from theory.gaussian.derive.factors import atoms
from theory.gaussian.derive.rules.quadratic import quadratic_part, stays_integrable
from theory.gaussian.expectation import Expectation, marginal, variables
from theory.problem.errors import OutOfReachError


def quadratic_tilt(e: Expectation) -> sympy.Expr | None:
    """E[exp(-z.A z/2) f(z)] = det(1 + A C)^(-1/2) E f(z'), z' of covariance C (1 + A C)^(-1).

    E exp(-z^2) = 1/sqrt(3):

    >>> quadratic_tilt(Expectation(sympy.exp(-(z(1) ** 2)), sympy.eye(1)))
    sqrt(3)/3

    Raises OutOfReachError where the mean is infinite, or not known to be finite.
    """
    factors = atoms(e.integrand)
    exponents = [factor for factor in factors if isinstance(factor, sympy.exp)]
    if len(exponents) != 1:
        return None
    form = quadratic_part(exponents[0].args[0], e.bound_symbols)
    if form.is_zero_matrix:
        return None
    used = [index - 1 for index in variables(e.integrand)]
    form, cov = form.extract(used, used), sympy.Matrix(e.cov).extract(used, used)
    if not stays_integrable(form, cov):
        raise OutOfReachError(
            f"The mean of {exponents[0]} is infinite, or not known to be finite.",
            "Use a form that is negative for all z, or numbers for which exp decays faster than the density grows.",
        )
    inside = sympy.eye(len(used)) + form * cov
    narrowed = (cov * inside.inv(method="ADJ")).applyfunc(sympy.cancel)
    names = [z(k + 1) for k in used]
    quadratic = sympy.expand((sympy.Matrix([names]) * form * sympy.Matrix(names))[0, 0]) / 2
    rest = sympy.exp(sympy.expand(exponents[0].args[0] + quadratic))
    rest *= prod((factor for factor in factors if factor is not exponents[0]), start=sympy.Integer(1))
    whole = sympy.zeros(e.cov.rows, e.cov.rows)
    for i, row in enumerate(used):
        for j, column in enumerate(used):
            whole[row, column] = narrowed[i, j]
    front = 1 / sympy.sqrt(sympy.factor(inside.det(method="berkowitz")))
    return front * (marginal(rest, whole) if variables(rest) else rest)


WHY = {
    "quadratic-tilt": r"the density times $e^{-z \cdot A z / 2}$ is that of a Gaussian of covariance "
    r"$C (1 + A C)^{-1}$ times $\det(1 + A C)^{-1/2}$",
}
