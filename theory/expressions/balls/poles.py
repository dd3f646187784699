"""Integrable singularities: bounds |f(x)| <= exp(c) |x - x0|^-s near a zero x0 of an affine part of f.

A factor that vanishes at x0 counts as its largest slope times |x - x0|, so that sin(x)/x is bounded; for logarithms
|log t| <= t^-e/(2.718 e) with e = 1/16, 0 < t <= 1.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sympy
from flint import acb, arb

from theory.expressions.balls.closed_form import ball
from theory.expressions.functions import Relu
from theory.problem.errors import OutOfReachError

# The most derivatives that are tried at a zero.
MOST_ZEROS = 4
LOG_POWER = sympy.Rational(1, 16)

# The c and the s of a bound.
Order = tuple[arb, sympy.Rational]


@dataclass(frozen=True)
class Pole:
    """The zero of `affine`, a polynomial of degree 1 in `x`; `values` are balls of other symbols.

    >>> from theory.expressions.symbols import z
    >>> pole = Pole(z(1), z(1), {})
    >>> pole.order(sympy.log(abs(z(1))) / sympy.sqrt(abs(z(1))), arb(0, 2.0**-40))[1]
    9/16
    >>> pole.order(sympy.sin(z(1)) / z(1), arb(0, 2.0**-40))[1]
    0
    """

    affine: sympy.Expr
    x: sympy.Symbol
    values: Mapping[sympy.Symbol, acb]

    @property
    def slope(self) -> sympy.Expr:
        """The derivative of the affine part."""
        return self.affine.diff(self.x)

    @property
    def zero(self) -> sympy.Expr:
        """Its zero."""
        return -self.affine.xreplace({self.x: sympy.Integer(0)}) / self.slope

    def order(self, f: sympy.Expr, near: arb) -> Order:
        """Return the bound on the ball `near` around the zero, within a distance of 1; OutOfReachError without one."""
        if not f.has(self.x):
            return self._size(f, near), sympy.Integer(0)
        if f.is_Mul:
            parts = [self.order(part, near) for part in f.args]
            return sum((c for c, _ in parts), arb(0)), sympy.Add(*(s for _, s in parts))
        if f.is_Pow and f.exp.is_Rational:
            return self._order_of_power(f, near)
        regular = self._regular(f, near)
        if regular is not None:
            return regular
        if f.is_Add or isinstance(f, sympy.Max | sympy.Min | Relu | sympy.Abs):
            parts = [self.order(part, near) for part in f.args]
            return _largest(c for c, _ in parts) + arb(len(parts)).log(), max(s for _, s in parts)
        if isinstance(f, sympy.log):
            inner, power = f.args[0], arb(1)
            front, rest = inner.as_independent(self.x, as_Add=False)
            inner = front * rest.args[0] if isinstance(rest, sympy.Abs) else inner
            while isinstance(inner, sympy.Abs) or (inner.is_Pow and inner.exp.is_Rational):
                power *= abs(ball(inner.exp, {}).real) if inner.is_Pow else 1
                inner = inner.args[0]
            if self._vanishes(inner):
                steepness = abs(abs(ball(inner.diff(self.x), self.values).real).log())
                size = power * (steepness + 1 / (arb(1).exp() * ball(LOG_POWER, {}).real))
                return size.log(), LOG_POWER
        raise self._refusal(f)

    def _order_of_power(self, f: sympy.Pow, near: arb) -> Order:
        power = ball(f.exp, {}).real
        inner = f.base.args[0] if isinstance(f.base, sympy.Abs) else f.base
        if self._vanishes(inner):
            return power * abs(ball(inner.diff(self.x), self.values).real).log(), -f.exp
        if f.exp.is_positive:
            c, s = self.order(f.base, near)
            return power * c, f.exp * s
        regular = self._regular(f, near)
        if regular is None:
            raise self._refusal(f)
        return regular

    def _refusal(self, f: sympy.Expr) -> OutOfReachError:
        return OutOfReachError(
            f"{f} is not integrable at {self.x} = {self.zero}, or not known to be.", "Leave that factor out."
        )

    def _vanishes(self, f: sympy.Expr) -> bool:
        """Whether f is a multiple of the affine part."""
        ratio = sympy.cancel(f / self.affine)
        return not ratio.has(self.x)

    def _regular(self, f: sympy.Expr, near: arb) -> Order | None:
        """Return the bound of a function that is finite near the zero; by Taylor's remainder where it vanishes."""
        best, order = None, 0
        try:
            while (size := self._size(f, near)).is_finite():
                best = (size, sympy.Integer(-order))
                if order == MOST_ZEROS or f.xreplace({self.x: self.zero}) != 0:
                    break
                order += 1
                f = f.diff(self.x) / order  # that of a jump has no ball
        except (ArithmeticError, ValueError):  # SymPy does not order infinities
            pass
        return best

    def _size(self, f: sympy.Expr, near: arb) -> arb:
        """Return a bound of log |f|, f with or without x."""
        value = abs(ball(f, {**self.values, self.x: acb(near)})).upper()
        return arb(0) if value == 0 else value.log()


def _largest(numbers: Iterable[arb]) -> arb:
    largest = None
    for number in numbers:
        largest = number if largest is None else arb.max(largest, number)
    return largest
