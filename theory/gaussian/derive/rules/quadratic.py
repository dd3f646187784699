"""The rule that checks exponentials of quadratic forms, by completing the square in matrices."""

import sympy

from theory.expressions.balls.known_sign import known_sign
from theory.gaussian.derive.rules.replacements import equal, expectation_rule, one_term
from theory.gaussian.expectation import Expectation, variables
from theory.proof.derivation import StepError

_S = sympy.Dummy("s", real=True)


def quadratic_part(exponent: sympy.Expr, symbols: list[sympy.Symbol]) -> sympy.Matrix:
    """Return A of an exponent -z.A z/2 + b.z + c.

    >>> from theory.expressions.symbols import z
    >>> quadratic_part(-(z(1) ** 2) + z(1) * z(2) + 3 * z(2), [z(1), z(2)])
    Matrix([
    [ 2, -1],
    [-1,  0]])
    """
    return -sympy.hessian(sympy.expand(exponent), list(symbols))


def stays_integrable(form: sympy.Matrix, cov: sympy.Matrix) -> bool:
    """Whether E exp(-z.A z/2) is known to be finite for z ~ N(0, C): A >= 0, or 1 + s A C regular for 0 < s <= 1.

    The eigenvalues of 1 + s A C are real, positive at s = 0, and change sign at a zero of the determinant alone.

    >>> stays_integrable(sympy.Matrix([[-1]]), sympy.Matrix([[sympy.Rational(9, 10)]]))
    True
    >>> stays_integrable(sympy.Matrix([[-1]]), sympy.eye(1))
    False
    """
    rows = range(form.rows)
    if all(form[i, j] == 0 for i in rows for j in rows if i != j):
        positive = all(known_sign(form[i, i]) in (0, 1) for i in rows)
    else:
        numbers = all(entry.is_Rational for entry in form)
        positive = numbers and sympy.Matrix(form).is_positive_semidefinite is True
    if positive:
        return True
    if form.rows == 1:
        return known_sign(1 + form[0, 0] * cov[0, 0]) == 1
    if not all(entry.is_Rational for entry in (*form, *cov)):
        return False
    determinant = sympy.Poly((sympy.eye(form.rows) + _S * form * cov).det(method="berkowitz"), _S)
    return determinant.degree() < 1 or determinant.count_roots(0, 1) == 0


@expectation_rule("quadratic-tilt")
def quadratic_tilt(old: Expectation, new: sympy.Expr) -> None:
    """C' (1 + A C) = C, the factor in front is det(1 + A C)^(-1/2) > 0, and the integrand loses its quadratic exponent.

    E exp(-z1^2) = 1/sqrt(3):

    >>> from theory.expressions.symbols import z
    >>> quadratic_tilt(Expectation(sympy.exp(-(z(1) ** 2)), sympy.eye(1)), 1 / sympy.sqrt(3))
    """
    factors = sympy.Mul.make_args(old.integrand)
    exponents = [factor.args[0] for factor in factors if isinstance(factor, sympy.exp)]
    if len(exponents) != 1:
        raise StepError("one exponential is expected")
    symbols = [symbol for symbol in old.bound_symbols if old.integrand.has(symbol)]
    rows = [old.bound_symbols.index(symbol) for symbol in symbols]
    cov, form = sympy.Matrix(old.cov).extract(rows, rows), quadratic_part(exponents[0], symbols)
    if any(variables(entry) for entry in form):
        raise StepError(f"{exponents[0]} is not quadratic")
    if not stays_integrable(form, cov):
        raise StepError(f"the mean of exp({exponents[0]}) is not known to be finite")
    inside = sympy.eye(len(rows)) + form * cov
    front, inner = one_term(new)
    quadratic = (sympy.Matrix([symbols]) * form * sympy.Matrix(symbols))[0, 0] / 2
    others = (factor for factor in factors if not isinstance(factor, sympy.exp))
    rest = sympy.exp(sympy.expand(exponents[0] + quadratic)) * sympy.Mul(*others)
    used = [symbol for symbol in symbols if rest.has(symbol)]
    if inner is None:
        front /= rest
        if used:
            raise StepError(f"{new} is no mean of {rest}")
    elif len(used) != inner.cov.rows:
        raise StepError(f"{new} is a mean over {inner.cov.rows} variables, not over {used}")
    else:
        names = dict(zip(used, inner.bound_symbols, strict=True))
        equal(sympy.expand(rest.xreplace(names)), sympy.expand(inner.integrand), "the integrand")
        solved = inside.T.LUsolve(cov.T).T  # C (1 + A C)^(-1)
        places = [symbols.index(symbol) for symbol in used]
        for i, row in enumerate(places):
            for j, column in enumerate(places):
                equal(inner.cov[i, j], solved[row, column], f"the covariance of z{row + 1} and z{column + 1}")
    equal(front**2 * inside.det(), sympy.Integer(1), "the square of the factor in front")
    if known_sign(front) != 1:
        raise StepError(f"the factor {front} in front is not known to be positive")
