"""Integrable singularities: bounds |f(x)| <= exp(c) |x - x0|^-s near a zero x0 of a polynomial part of f.

A factor that vanishes at x0 counts as its largest slope times |x - x0|, so that sin(x)/x is bounded; for logarithms
|log t| <= t^-e/(2.718 e) with e = 1/16, 0 < t <= 1.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import sympy
from flint import acb, arb, fmpq, fmpq_poly

from theory.expressions.balls.closed_form import ball
from theory.expressions.exact import rational
from theory.expressions.functions import Relu
from theory.problem.errors import OutOfReachError

# The most derivatives that are tried at a zero.
MOST_ZEROS = 4
LOG_POWER = sympy.Rational(1, 16)
# Increasing odd functions f with |f(u)| >= tanh(1) min(|u|, 1), and |f(u)| <= 1.2 |u| for |u| <= 1.
LIKE_THEIR_ARGUMENT = (sympy.tanh, sympy.atan, sympy.erf, sympy.sinh)

# The c and the s of a bound.
Order = tuple[arb, sympy.Rational]


@dataclass(frozen=True)
class Pole:
    """A zero of `factor`, a polynomial in `x`: of degree 1, or irreducible over the rationals with the zero in `root`.

    `values` are balls of other symbols; `bounded` returns an upper bound of log |f| near the zero, for functions f that
    have one for all x, and None for others.

    >>> from theory.expressions.symbols import z
    >>> pole = Pole(z(1), z(1), {})
    >>> pole.order(sympy.log(abs(z(1))) / sympy.sqrt(abs(z(1))), arb(0, 2.0**-40))[1]
    9/16
    >>> pole.order(sympy.sin(z(1)) / z(1), arb(0, 2.0**-40))[1]
    0
    """

    factor: sympy.Expr
    x: sympy.Symbol
    values: Mapping[sympy.Symbol, acb]
    root: arb | None = None
    bounded: Callable[[sympy.Expr, arb], arb | None] = lambda _f, _near: None

    @property
    def zero(self) -> sympy.Expr | None:
        """The zero of a factor of degree 1."""
        slope = self.factor.diff(self.x)
        return None if slope.has(self.x) else -self.factor.xreplace({self.x: sympy.Integer(0)}) / slope

    def ball(self) -> arb:
        """Return the ball of the zero at the current precision."""
        if self.zero is not None:
            return ball(self.zero, self.values).real
        balls = (root.real for root, _ in complex_roots(sympy.Poly(self.factor, self.x)) if root.imag.is_zero())
        return next(one for one in balls if one.overlaps(self.root))

    def reach(self) -> arb:
        """Return an R such that the factor, or the distance from its zero, is at least 1 for |x| >= R."""
        slope = self.factor.diff(self.x)
        return abs(self.ball()) + (1 if slope.has(self.x) else 1 / abs(ball(slope, self.values).real))

    def order(self, f: sympy.Expr, near: arb) -> Order:
        """Return the bound on the ball `near` around the zero, within a distance of 1; OutOfReachError without one."""
        if not f.has(self.x):
            return self._size(f, near), sympy.Integer(0)
        if f.is_Mul:
            parts = [self.order(part, near) for part in f.args]
            return sum((c for c, _ in parts), arb(0)), sympy.Add(*(s for _, s in parts))
        known = self._order_of_power(f, near) if f.is_Pow and f.exp.is_Rational else self._regular(f, near)
        if known is None and (most := self.bounded(f, near)) is not None:
            known = most, sympy.Integer(0)
        known = known or self._order_of_function(f, near)
        if known is None:
            raise self._refusal(f)
        return known

    def _order_of_function(self, f: sympy.Expr, near: arb) -> Order | None:
        if f.is_Add or isinstance(f, sympy.Max | sympy.Min | Relu | sympy.Abs):
            parts = [self.order(part, near) for part in f.args]
            return _largest(c for c, _ in parts) + arb(len(parts)).log(), max(s for _, s in parts)
        return self._order_of_log(f.args[0], near) if isinstance(f, sympy.log) else None

    def _order_of_log(self, inner: sympy.Expr, near: arb) -> Order | None:
        power, extra = arb(1), arb(0)
        while not inner.is_polynomial(self.x) and (
            isinstance(inner, sympy.Abs | sympy.Mul) or (inner.is_Pow and inner.exp.is_Rational)
        ):
            if inner.is_Mul:
                front, inner = inner.as_independent(self.x, as_Add=False)
                if front == 1:
                    return None
                extra += power * abs(abs(ball(front, self.values).real).log())
            else:
                power *= abs(ball(inner.exp, {}).real) if inner.is_Pow else 1
                inner = inner.args[0]
        times, size = self._zeros_of(inner, near)
        if not times:
            return None
        extra += power * (abs(size.log()) + times / (arb(1).exp() * ball(LOG_POWER, {}).real))
        return extra.log(), LOG_POWER

    def _order_of_power(self, f: sympy.Pow, near: arb) -> Order | None:
        power = ball(f.exp, {}).real
        times, size = self._zeros_of(f.base.args[0] if isinstance(f.base, sympy.Abs) else f.base, near)
        if times and size > 0:
            return (power * size.log()).upper(), -f.exp * times
        if f.exp.is_positive:
            try:
                c, s = self.order(f.base, near)
            except OutOfReachError:
                return None
            return power * c, f.exp * s
        return self._regular(f, near)

    def _refusal(self, f: sympy.Expr) -> OutOfReachError:
        place = f"{self.x} = {self.zero}" if self.zero is not None else f"a zero of {self.factor}"
        return OutOfReachError(f"{f} is not integrable at {place}, or not known to be.", "Leave that factor out.")

    def _zeros_of(self, f: sympy.Expr, near: arb) -> tuple[int, arb]:
        """Return the multiplicity k of the zero in f, known for polynomials, and the ball of |f|/|x - x0|^k near it."""
        if isinstance(f, LIKE_THEIR_ARGUMENT):
            times, size = self._zeros_of(f.args[0], near)
            return times, size * arb(1).tanh().union(arb(6) / 5)
        if not f.is_polynomial(self.x):
            return 0, arb(0)
        times, rest = 0, f
        while rest.has(self.x):
            quotient, remainder = sympy.div(rest, self.factor, self.x)
            if sympy.cancel(remainder) != 0:
                break
            times, rest = times + 1, quotient
        at = {**self.values, self.x: acb(near)}
        slope = abs(ball(self.factor.diff(self.x), at).real)
        return times, slope**times * abs(ball(rest, at).real)

    def _regular(self, f: sympy.Expr, near: arb) -> Order | None:
        """Return the bound of a function that is finite near the zero; by Taylor's remainder where it vanishes."""
        best, order = None, 0
        try:
            while (size := self._size(f, near)).is_finite():
                best = (size, sympy.Integer(-order))
                if order == MOST_ZEROS or self.zero is None or f.xreplace({self.x: self.zero}) != 0:
                    break
                if f.has(sympy.atan2) and not ball(f, {**self.values, self.x: acb(near)}, True).is_finite():
                    break  # its derivative does not show the jump
                order += 1
                f = f.diff(self.x) / order  # that of a jump has no ball
        except (ArithmeticError, ValueError):  # SymPy does not order infinities
            pass
        return best

    def _size(self, f: sympy.Expr, near: arb) -> arb:
        """Return a bound of log |f|, f with or without x."""
        value = abs(ball(f, {**self.values, self.x: acb(near)})).upper()
        return arb(0) if value == 0 else value.log()


def complex_roots(polynomial: sympy.Poly) -> list:
    """Return the complex roots of a polynomial with rational coefficients, with multiplicities, as balls.

    The imaginary parts of real roots are exactly 0. Raises OutOfReachError for other coefficients.
    """
    coefficients = polynomial.all_coeffs()[::-1]
    if not all(c.is_Rational for c in coefficients):
        raise OutOfReachError(f"The zeros of {polynomial.as_expr()} are not known.", "Give rational coefficients.")
    fractions = map(rational, coefficients)
    return fmpq_poly([fmpq(c.numerator, c.denominator) for c in fractions]).complex_roots()


def _largest(numbers: Iterable[arb]) -> arb:
    largest = None
    for number in numbers:
        largest = number if largest is None else arb.max(largest, number)
    return largest
