"""Evaluation of a formula at an exact point to a given number of digits, by mpmath; integrals and Owen's T by Arb."""

import mpmath
import sympy

from theory.claims.model import Point
from theory.expressions.balls.closed_form import NotCertified, ball, enclose
from theory.expressions.balls.precision import decimals
from theory.expressions.functions import OwensT

_GUARD = 12  # extra digits carried; evalf raises its own precision further where terms cancel
_MOST_BITS = 512  # for an integral; one that converges reaches its digits with at most 300


class NotANumber(ValueError):
    """A formula has no real value at a point (a pole, a branch cut crossed, a division by zero).

    >>> x = sympy.Symbol("x")
    >>> evaluate(1 / x, {x: sympy.Integer(0)}, 10)
    Traceback (most recent call last):
    ...
    theory.claims.evaluate.NotANumber: 1/x has no value at {x: 0}
    """

    def __str__(self) -> str:
        # Formatted when read: long formulas take longer to print than to evaluate, and most errors are only counted.
        expr, point, why = self.args
        return f"{expr} {why} at {point}"


@decimals()
def evaluate(expr: sympy.Expr, point: Point, digits: int) -> mpmath.mpf:
    """Return the real value of `expr` at `point` with at least `digits` correct digits (absolute where it is zero).

    >>> evaluate(sympy.pi * sympy.Symbol("a"), {sympy.Symbol("a"): sympy.Rational(1, 2)}, 10) > 1.57079632
    True
    >>> far = evaluate(OwensT(2, 1000), {}, 20)  # T(h, oo) = Phi(-h)/2
    >>> mpmath.almosteq(far, mpmath.ncdf(-2) / 2, 1e-14)
    True
    """
    value = expr.xreplace(dict(point)).doit(deep=False) if expr.has(sympy.Piecewise) else expr.xreplace(dict(point))
    if any(map(_diverges, value.atoms(sympy.Integral))):  # for which mpmath would give some number
        raise NotANumber(expr, dict(point), "has an integral that diverges")
    number = sympy.N(_with_balls(value, digits + 2 * _GUARD), digits + _GUARD)
    # SymPy represents atan(1/0) by the interval between its two limits.
    if number.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo, sympy.AccumBounds) or number.free_symbols:
        raise NotANumber(expr, dict(point), "has no value")
    real, imaginary = number.as_real_imag()
    if imaginary != 0:
        raise NotANumber(expr, dict(point), f"is {number}, which is not real,")
    with mpmath.workdps(digits + _GUARD):
        return mpmath.mpf(sympy.Float(real, digits + _GUARD)._mpf_)


def _with_balls(expr: sympy.Expr, digits: int) -> sympy.Expr:
    """Return the expression with integrals and Owen's T as numbers to `digits`, except for what Arb cannot enclose.

    Arb takes a hundredth of mpmath's time for an integral, and mpmath has no Owen's T.
    """
    known = {}
    for part in expr.atoms(sympy.Integral, OwensT):
        if part.free_symbols:  # inside another integral
            continue
        try:
            middle, _ = enclose(lambda whole=part: ball(whole, {}), digits, _MOST_BITS)
        except NotCertified:
            continue
        known[part] = sympy.Float(sympy.Rational(middle.numerator, middle.denominator), digits)
    return expr.xreplace(known)


def _diverges(integral: sympy.Integral) -> bool:
    """Return whether the integrand is a constant over polynomials, one of which changes sign between the limits.

    At its zero x_0 there, |p(x)| <= C |x - x_0|, and the other polynomials are bounded. False decides nothing.
    """
    if len(integral.limits) != 1 or len(integral.limits[0]) != 3 or integral.free_symbols:
        return False
    ((x, low, high),) = integral.limits
    powers = [factor.as_base_exp() for factor in sympy.Mul.make_args(integral.function) if factor.has(x)]
    if not all(base.is_polynomial(x) and power.is_Integer and power < 0 for base, power in powers):
        return False
    products = [base.xreplace({x: low}) * base.xreplace({x: high}) for base, _ in powers]
    return any(product.is_Rational and product < 0 for product in products)
