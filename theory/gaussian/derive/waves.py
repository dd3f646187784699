"""Sines and cosines of affine forms: products of two as sums, and their expectations with polynomials.

For a linear form l, an offset h and a polynomial f, the characteristic function of the Gaussian gives

    E[exp(i (l + h)) f(z)] = exp(i h - Var(l)/2) E[f(z + i Cov(z, l))];

the real part is the expectation with cos(l + h), the imaginary part that with sin(l + h). A step, sign or erf may stand
beside them if its argument does not correlate with l: otherwise its argument would become complex.
"""

from math import factorial, prod

import sympy

from theory.expressions.algebra import is_zero
from theory.expressions.symbols import z
from theory.gaussian.derive.factors import atoms
from theory.gaussian.derive.integrand import affine, linear
from theory.gaussian.derive.moves import covariance_of
from theory.gaussian.expectation import Expectation, variables
from theory.problem.errors import OutOfReachError

ONE, ZERO = sympy.Integer(1), sympy.Integer(0)


def characteristic_function(e: Expectation) -> sympy.Expr | None:
    """Return E[cos(l + h) f(z)] or E[sin(l + h) f(z)] as expectations of polynomials; None without sine and cosine.

    Raises OutOfReachError where a step, sign or erf of f correlates with l.

    >>> c = sympy.Symbol("c", real=True)
    >>> characteristic_function(Expectation(sympy.cos(z(1)), sympy.Matrix([[c]])))
    exp(-c/2)
    >>> characteristic_function(Expectation(z(1) * sympy.sin(2 * z(2)), sympy.Matrix([[1, c], [c, 1]])))
    2*c*exp(-2)
    """
    factors = atoms(e.integrand)
    waves = [factor for factor in factors if isinstance(factor, sympy.sin | sympy.cos)]
    if len(waves) != 1:
        return None
    form, offset = affine(waves[0].args[0])
    polynomial = prod((factor for factor in factors if factor.is_Symbol), start=ONE)
    others = [factor for factor in factors if not factor.is_Symbol and factor is not waves[0]]
    for other in others:
        _require_uncorrelated(other, waves[0], e.cov)
    along = {index: covariance_of({index: ONE}, form, e.cov) for index in variables(polynomial)}
    real, imaginary = _shifted(polynomial, along)
    rest = prod(others, start=ONE)
    parts = [_mean(part * rest, e.cov) for part in (real, imaginary)]
    cosine, sine = sympy.cos(offset), sympy.sin(offset)
    factors = (cosine, -sine) if isinstance(waves[0], sympy.cos) else (sine, cosine)
    front = sympy.exp(-sympy.expand(covariance_of(form, form, e.cov)) / 2)
    return sum((front * factor * part for factor, part in zip(factors, parts, strict=True)), ZERO)


def _require_uncorrelated(factor: sympy.Expr, wave: sympy.Expr, cov: sympy.MatrixBase) -> None:
    form, _ = affine(factor.args[0])
    other, _ = affine(wave.args[0])
    if is_zero(sympy.expand(covariance_of(form, other, cov))) is not True:
        raise OutOfReachError(
            f"{factor} and {wave} are correlated, or not known to be uncorrelated: the expectation of their product is "
            "a value of erf at a complex number.",
            f"Use {wave.func.__name__} with powers and exponentials, or with steps, signs and erfs whose arguments do "
            f"not correlate with {linear(other)}.",
        )


def _shifted(polynomial: sympy.Expr, along: dict[int, sympy.Expr]) -> tuple[sympy.Expr, sympy.Expr]:
    """Return real and imaginary part of f(z + i m) for f real: sum_k (i D)^k f / k!, D = sum_j m_j d/dz_j."""
    parts = [polynomial, ZERO]
    order, derived = 0, polynomial
    while True:
        derived = sympy.expand(sum((m * derived.diff(z(index)) for index, m in along.items()), ZERO))
        order += 1
        if derived == 0:
            return parts[0], parts[1]
        side = -1 if order % 4 in (2, 3) else 1
        parts[order % 2] += side * derived / factorial(order)


def _mean(integrand: sympy.Expr, cov: sympy.MatrixBase) -> sympy.Expr:
    return Expectation(integrand, cov) if variables(integrand) else integrand


WHY = {
    "characteristic-function": r"$\mathbb{E}\, e^{i l} f(z) = e^{-\operatorname{Var}(l)/2}\, "
    r"\mathbb{E} f(z + i \operatorname{Cov}(z, l))$ for a linear form $l$ and a polynomial $f$; cosine and sine are "
    "the real and the imaginary part",
}
