"""Bounds on the growth of a function f of one real variable x, proved by recursion over its expression.

With t = |x|, a `Bound` (a, b, q) is the polynomial a + b t + q t^2. Three questions are answered by bounds:

    size(f)     log |f(x)| <= bound,        so that |f| <= exp(a + b t + q t^2)
    least(f)    log |f(x)| >= -bound,       so that f has no zero
    above(f)    f(x) <= bound

for every real x, or, with `far`, for those at distances of at least 1 from zeros of polynomials in denominators and
logarithms, where affine polynomials have a size of at least 1. The bounds are far from sharp, which is enough for
tails: log(1 + t) <= t/K + log K - 1 + 1/K turns powers into exponentials. A function without such a bound, or that is
not shown to be real for all x, is refused.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from math import prod

import sympy
from flint import acb, arb

from theory.expressions.balls.closed_form import NotCertified, ball
from theory.expressions.balls.poles import LIKE_THEIR_ARGUMENT, Pole, complex_roots
from theory.expressions.functions import OwensT, Phi, Relu
from theory.problem.errors import OutOfReachError

Bound = tuple[arb, arb, arb]

ZERO: Bound = (arb(0), arb(0), arb(0))
# Upper bounds of |f| for functions of bounded values.
BOUNDED: Mapping[type, int] = {
    sympy.sign: 1,
    sympy.Heaviside: 1,
    sympy.tanh: 1,
    sympy.erf: 1,
    sympy.sin: 1,
    sympy.cos: 1,
    sympy.erfc: 2,
    sympy.asin: 2,
    sympy.acos: 4,
    sympy.atan: 2,
    sympy.atan2: 4,
    Phi: 1,
    OwensT: 1,
}
# Functions whose values are not negative.
NONNEGATIVE = (sympy.Abs, sympy.exp, sympy.cosh, sympy.erfc, sympy.acos, sympy.Heaviside, Phi, Relu)
# The distance from a pole, as a power of 1/2, at which its order is determined.
NEAR = 40
HINT = "Integrands are real for every z and grow at most like exp(q z^2) with q below 1/(2 Var z)."


class Growth:
    """The growth of functions of `x`; `values` are balls of other symbols.

    >>> from theory.expressions.symbols import z
    >>> growth = Growth(z(1))
    >>> [float(part) for part in growth.size(sympy.exp(3 * z(1)) * sympy.tanh(z(1)))]
    [0.0, 3.0, 0.0]
    >>> growth.least(1 + sympy.exp(z(1))) == ZERO
    True
    >>> growth.integrable(1 / z(1))
    Traceback (most recent call last):
    ...
    theory.problem.errors.OutOfReachError: 1/z1 is not integrable at a zero of z1, or not known to be. ...
    """

    def __init__(self, x: sympy.Symbol, values: Mapping[sympy.Symbol, acb] | None = None, far: bool = False) -> None:
        self.x, self.values, self.far = x, dict(values or {}), far
        self.poles: dict[tuple[sympy.Expr, int], Pole] = {}

    def integrable(self, f: sympy.Expr, power: int = 1) -> tuple[Bound, list[Pole]]:
        """Return the bound of log |f| far from its poles, and the poles.

        Raises OutOfReachError unless |f|^power has a mean for a standard Gaussian x; for powers above 1, poles are
        refused.

        >>> from theory.expressions.symbols import z
        >>> Growth(z(1)).integrable(sympy.exp(z(1) ** 2 / 3), power=2)
        Traceback (most recent call last):
        ...
        theory.problem.errors.OutOfReachError: The mean square of exp(z1**2/3) is infinite, or not known ...
        """
        far = Growth(self.x, self.values, far=power == 1)
        self.require_real(f, far)
        bound = far.size(f)
        for pole in far.poles.values():
            order = pole.order(f, pole.ball() + arb(0, 1) * arb(2) ** -NEAR)[1]
            if not order < 1:
                raise OutOfReachError(f"{f} is not integrable at a zero of {pole.factor}, or not known to be.", HINT)
        if not power * bound[2] < arb(1) / 2:
            mean = "mean" if power == 1 else "mean square"
            raise OutOfReachError(
                f"The {mean} of {f} is infinite, or not known to be finite.",
                "Use numbers for which the function grows more slowly than the density decays.",
            )
        return bound, list(far.poles.values())

    def require_real(self, f: sympy.Expr, far: "Growth") -> None:
        """Raise OutOfReachError unless every part of f is shown to be real for all x, and finite but at poles."""
        for part in sympy.preorder_traversal(f):
            if not isinstance(part, sympy.Expr) or not part.has(self.x):
                continue
            if part.is_Pow and not part.exp.is_Integer and not self.nonnegative(part.base):
                raise OutOfReachError(f"{part} is not shown to be real everywhere.", HINT)
            if isinstance(part, sympy.log) and not self.nonnegative(part.args[0]):
                raise OutOfReachError(f"{part} is not shown to be real everywhere.", HINT)
            if isinstance(part, sympy.asin | sympy.acos) and not self._within(part.args[0], arb(1)):
                raise OutOfReachError(f"{part} is not shown to be real everywhere.", HINT)
            if isinstance(part, sympy.atan2) and not (far.far or self._is_continuous(*part.args)):
                raise OutOfReachError(f"{part} is not shown to have a value, and no jump, everywhere.", HINT)
            if (part.is_Pow and part.exp.is_negative) or isinstance(part, sympy.log):
                far.require_finite(part)

    def require_finite(self, part: sympy.Expr) -> None:
        """Raise OutOfReachError unless 1/u or log(u) is shown to be finite."""
        try:
            self.least(part.args[0])
        except OutOfReachError as error:
            raise OutOfReachError(f"{part} is not shown to be finite everywhere. {error.message}", HINT) from error

    def number(self, f: sympy.Expr) -> arb:
        """Return the ball of a part without x."""
        try:
            value = ball(f, self.values)
        except NotCertified as error:
            raise OutOfReachError(f"{f} has no certified value: {error}.", HINT) from error
        return value.real

    def size(self, f: sympy.Expr) -> Bound:
        """Return a bound of log |f|."""
        if not f.has(self.x):
            value = abs(self.number(f)).upper()
            return (value.log() if value > 0 else arb(0), arb(0), arb(0))
        if f.is_Add:
            parts = [self.size(term) for term in f.args]
            return _plus(_largest(parts), (arb(len(parts)).log(), arb(0), arb(0)))
        if f.is_Mul:
            return _sum(map(self.size, f.args))
        if f.is_Pow and f.exp.is_Rational:
            power = self.number(abs(f.exp))
            if f.exp.is_negative:
                return _times(power, self.least(f.base))
            slow = f.base.is_polynomial(self.x) and sympy.degree(f.base, self.x) <= 2
            return _log_of(self._reach(f.base), power) if slow else _times(power, self.size(f.base))
        if f.is_Pow:
            return self.above(f.exp * sympy.log(f.base))
        if isinstance(f, sympy.exp):
            return self.above(f.args[0])
        if isinstance(f, sympy.sinh | sympy.cosh):
            return _largest([self.above(f.args[0]), self.above(-f.args[0])])
        if isinstance(f, sympy.Min) and self.nonnegative(f):
            return self._first(self.size, f.args)
        if isinstance(f, sympy.Abs | Relu | sympy.Max | sympy.Min):
            return _largest([self.size(argument) for argument in f.args])
        return _log_of(self._reach(f), arb(1))

    def near(self, f: sympy.Expr, place: arb) -> arb | None:
        """Return an upper bound of log |f| on a ball from the bound for every x; None where none is known."""
        try:
            a, b, q = Growth(self.x, self.values).size(f)
        except OutOfReachError:
            return None
        t = abs(place).upper()
        return (a + abs(b) * t + abs(q) * t * t).upper()

    def _first(self, bound: Callable[[sympy.Expr], Bound], parts: Iterable[sympy.Expr]) -> Bound:
        """Return the bound of the first part that has one."""
        *others, last = parts
        for part in others:
            try:
                return bound(part)
            except OutOfReachError:
                continue
        return bound(last)

    def above(self, f: sympy.Expr) -> Bound:
        """Return an upper bound of f."""
        if not f.has(self.x):
            return (self.number(f).upper(), arb(0), arb(0))
        if f.is_polynomial(self.x):
            return self._polynomial_above(f)
        if f.is_Add:
            smooth = sympy.Add(*(term for term in f.args if term.is_polynomial(self.x)))
            return _sum([self.above(smooth), *(self.above(term) for term in f.args if not term.is_polynomial(self.x))])
        front, rest = f.as_independent(self.x, as_Add=False)
        factor = self.number(front)
        if front != 1 and factor > 0:
            return _times(factor, self.above(rest))
        if front != 1 and factor < 0:
            return _times(-factor, self._below(rest))
        if isinstance(f, sympy.log):
            return self.size(f.args[0])
        if isinstance(f, sympy.Max | sympy.Abs):
            arguments = f.args if isinstance(f, sympy.Max) else (f.args[0], -f.args[0])
            return _largest([self.above(argument) for argument in arguments])
        if isinstance(f, Relu):
            return _largest([self.above(f.args[0]), ZERO])
        return self._reach(f)

    def _below(self, f: sympy.Expr) -> Bound:
        """Return an upper bound of -f, f without a numerical factor."""
        if self.nonnegative(f):
            return ZERO
        if isinstance(f, sympy.log):
            return self.least(f.args[0])
        if isinstance(f, sympy.Max | sympy.Min):
            other = sympy.Min if isinstance(f, sympy.Max) else sympy.Max
            return self.above(other(*(-argument for argument in f.args)))
        return self._reach(f)

    def least(self, f: sympy.Expr) -> Bound:
        """Return a bound of -log |f|."""
        if not f.has(self.x):
            value = abs(self.number(f)).lower()
            if value > 0:
                return (-value.log(), arb(0), arb(0))
        elif self.far and f.is_polynomial(self.x) and sympy.degree(f, self.x) == 1:
            self.poles[f, 0] = Pole(f, self.x, self.values, bounded=self.near)
            return ZERO
        elif f.is_Pow:
            return self._least_power(f)
        elif f.is_Mul:
            return _sum(map(self.least, f.args))
        elif f.is_Add:
            return self._least_sum(f)
        else:
            return self._least_function(f)
        raise _vanishing(f)

    def _least_function(self, f: sympy.Expr) -> Bound:
        if isinstance(f, sympy.exp):
            return self.above(-f.args[0])
        if isinstance(f, sympy.cosh):
            return ZERO
        if isinstance(f, Phi | sympy.erfc):
            return self._least_tail(f)
        if isinstance(f, LIKE_THEIR_ARGUMENT):
            least = _largest([self.least(f.args[0]), ZERO])
            return _plus(least, (-arb(1).tanh().log(), arb(0), arb(0)))
        if isinstance(f, sympy.log):
            constant, rest = f.args[0].as_independent(self.x, as_Add=True)
            if self.number(constant) > 1 and self.nonnegative(rest):
                return (-self.number(constant).log().log(), arb(0), arb(0))
        if isinstance(f, sympy.Min) and self.nonnegative(f):
            return _largest([self.least(argument) for argument in f.args])
        inside = [f.args[0]] if isinstance(f, sympy.Abs) else []
        if isinstance(f, sympy.Max):
            inside = [argument for argument in f.args if self.nonnegative(argument)]
        if not inside:
            raise _vanishing(f)
        return self.least(inside[0])

    def _least_power(self, f: sympy.Pow) -> Bound:
        if not f.exp.is_Rational:
            return self.above(-f.exp * sympy.log(f.base))
        power = self.number(abs(f.exp))
        return _times(power, self.least(f.base) if f.exp.is_positive else self.size(f.base))

    def _least_tail(self, f: sympy.Expr) -> Bound:
        """Phi(-s) >= exp(-s^2/2 - s sqrt(2/pi))/2 for s >= 0: its hazard is sqrt(2/pi) at 0 and its slope below 1."""
        a, b, q = self._reach(f.args[0])
        if not q.is_zero():
            raise OutOfReachError(f"No lower bound of {f} is known.", HINT)
        if isinstance(f, sympy.erfc):
            a, b = a * arb(2).sqrt(), b * arb(2).sqrt()
        slope = (2 / arb.pi()).sqrt()
        front = arb(2).log() if isinstance(f, Phi) else arb(0)
        return (front + slope * a + a * a / 2, slope * b + a * b, b * b / 2)

    def _least_sum(self, f: sympy.Add) -> Bound:
        """Return the least of one term where all have one sign, or of a number that dominates the others."""
        for side in (1, -1):
            if all(self.nonnegative(side * term) for term in f.args):
                with suppress(OutOfReachError):
                    return self._first(self.least, f.args)
        if f.is_polynomial(self.x):
            return self._polynomial_least(f)
        constant, rest = f.as_independent(self.x, as_Add=True)
        a, b, q = self._reach(rest)
        gap = abs(self.number(constant)) - a
        if b.is_zero() and q.is_zero() and gap > 0:
            return (-gap.log(), arb(0), arb(0))
        raise _vanishing(f)

    def nonnegative(self, f: sympy.Expr) -> bool:
        """Return whether f is shown not to be negative for any x."""
        if f.is_nonnegative or isinstance(f, NONNEGATIVE):
            return True
        if not f.has(self.x):
            return bool(self.number(f) >= 0)
        if f.is_Pow:
            return not f.exp.is_Integer or f.exp.is_even or self.nonnegative(f.base)
        if f.is_Mul:
            return prod(map(self._sign, f.args)) == 1
        if isinstance(f, sympy.Max):
            return any(map(self.nonnegative, f.args))
        if isinstance(f, sympy.Min):
            return all(map(self.nonnegative, f.args))
        if isinstance(f, sympy.log):
            return self.nonnegative(sympy.expand(f.args[0] - 1))
        if f.is_Add:
            if all(map(self.nonnegative, f.args)):
                return True
            if f.is_polynomial(self.x):
                return self._polynomial_nonnegative(f)
            constant, rest = f.as_independent(self.x, as_Add=True)
            return self._within(rest, self.number(constant))
        return False

    def _sign(self, f: sympy.Expr) -> int:
        """Return 1 where f is shown not to be negative, -1 where it is shown not to be positive, else 0."""
        turned = not f.has(self.x) or f.is_Add
        return 1 if self.nonnegative(f) else -1 if turned and self.nonnegative(-f) else 0

    def _within(self, f: sympy.Expr, most: arb) -> bool:
        """Return whether |f| <= most for all x."""
        try:
            a, b, q = self._reach(f)
        except OutOfReachError:
            return False
        return bool(b.is_zero() and q.is_zero() and a <= most)

    def _is_continuous(self, y: sympy.Expr, x: sympy.Expr) -> bool:
        """Return whether atan2(y, x) is shown to avoid its jump at y = 0, x <= 0."""
        return self._vanishes_nowhere(y) or (self.nonnegative(x) and self._vanishes_nowhere(x))

    def _vanishes_nowhere(self, f: sympy.Expr) -> bool:
        try:
            self.least(f)
        except OutOfReachError:
            return False
        return True

    def _reach(self, f: sympy.Expr) -> Bound:
        """Return a bound of |f| itself, whose coefficients are not negative."""
        if not f.has(self.x):
            return (abs(self.number(f)).upper(), arb(0), arb(0))
        if f == self.x:
            return (arb(0), arb(1), arb(0))
        if f.func in BOUNDED:
            return (arb(BOUNDED[f.func]), arb(0), arb(0))
        if f.is_Add:
            return _sum(map(self._reach, f.args))
        if f.is_Mul or (f.is_Pow and f.exp.is_Integer and 0 < f.exp <= 2):
            factors = f.args if f.is_Mul else [f.base] * int(f.exp)
            product = (arb(1), arb(0), arb(0))
            for factor in map(self._reach, factors):
                product = self._product(f, product, factor)
            return product
        if f.is_Pow and f.exp.is_Rational and 0 < f.exp < 1:
            return _plus(self._reach(f.base), (arb(1), arb(0), arb(0)))
        if isinstance(f, sympy.Abs | Relu | sympy.Max | sympy.Min):
            return _largest([self._reach(argument) for argument in f.args])
        if isinstance(f, sympy.log):
            bounds = (self.size(f.args[0]), self.least(f.args[0]))
            return _largest([tuple(map(abs, bound)) for bound in bounds])
        if f.is_Pow or isinstance(f, sympy.exp | sympy.cosh | sympy.sinh):
            a, b, q = self.size(f)
            if b <= 0 and q <= 0:
                return (a.exp(), arb(0), arb(0))
        raise OutOfReachError(f"No bound on the growth of {f} is known.", HINT)

    @staticmethod
    def _product(f: sympy.Expr, one: Bound, other: Bound) -> Bound:
        (a, b, q), (c, d, r) = one, other
        if not all(x.is_zero() for x in (b * r, q * d, q * r)):
            raise OutOfReachError(f"{f} grows faster than a quadratic form, or no slower bound is known.", HINT)
        return (a * c, a * d + b * c, a * r + b * d + q * c)

    def _polynomial_above(self, f: sympy.Expr) -> Bound:
        coefficients = [self.number(c) for c in sympy.Poly(f, self.x).all_coeffs()[::-1]]
        degree = len(coefficients) - 1
        if degree <= 2:
            a, b, q = (*coefficients, *[arb(0)] * (2 - degree))
            return (a.upper(), abs(b).upper(), q.upper())
        lead = coefficients[-1]
        if degree % 2 or not lead < 0:
            raise OutOfReachError(f"{f} grows faster than a quadratic form.", HINT)
        # Beyond the radius of Cauchy's bound the polynomial has the sign of its leading term.
        radius = 1 + _largest_of([abs(c / lead) for c in coefficients])
        return (sum((abs(c) * radius**k for k, c in enumerate(coefficients)), arb(0)).upper(), arb(0), arb(0))

    def _polynomial_least(self, f: sympy.Expr) -> Bound:
        """|f| >= |lead| prod |Im root|, for rational coefficients; with `far`, real zeros are poles."""
        polynomial = sympy.Poly(f, self.x)
        least = abs(self.number(polynomial.LC()))
        for factor, power in polynomial.factor_list()[1]:
            for place, (root, _) in enumerate(complex_roots(factor)):
                if not root.imag.is_zero():
                    least *= abs(root.imag) ** power
                elif self.far:
                    known = None if factor.degree() == 1 else root.real
                    self.poles[factor.as_expr(), place] = Pole(factor.as_expr(), self.x, self.values, known, self.near)
                else:
                    raise _vanishing(f)
        if not least.lower() > 0:
            raise _vanishing(f)
        return (-least.lower().log(), arb(0), arb(0))

    def _polynomial_nonnegative(self, f: sympy.Expr) -> bool:
        polynomial = sympy.Poly(f, self.x)
        numeric = all(c.is_Rational for c in polynomial.coeffs())
        if not numeric or polynomial.LC() < 0 or polynomial.degree() % 2:
            return False
        return all(multiplicity % 2 == 0 or abs(root.imag) > 0 for root, multiplicity in complex_roots(polynomial))


def _vanishing(f: sympy.Expr) -> OutOfReachError:
    return OutOfReachError(f"{f} is not shown to keep away from 0.", HINT)


def _plus(one: Bound, other: Bound) -> Bound:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _sum(bounds: Iterable[Bound]) -> Bound:
    total = ZERO
    for bound in bounds:
        total = _plus(total, bound)
    return total


def _times(factor: arb, bound: Bound) -> Bound:
    return tuple(factor * part for part in bound)


def _largest(bounds: list[Bound]) -> Bound:
    return tuple(_largest_of(list(parts)) for parts in zip(*bounds, strict=True))


def _largest_of(numbers: list[arb]) -> arb:
    largest = numbers[0]
    for number in numbers[1:]:
        largest = arb.max(largest, number)
    return largest


def _log_of(bound: Bound, power: arb) -> Bound:
    """Return a bound of power log(a + b t + q t^2), by a + b t + q t^2 <= M (1 + t)^d."""
    a, b, q = bound
    most = _largest_of([a + b if q.is_zero() else a + b + q, arb(1)])
    degree = 0 if b.is_zero() and q.is_zero() else 1 if q.is_zero() else 2
    if not degree:
        return (power * (a if a > 0 else most).log(), arb(0), arb(0))
    exponent = degree * power
    return (power * most.log() + 1 + exponent * exponent.log() - exponent, arb(1), arb(0))
