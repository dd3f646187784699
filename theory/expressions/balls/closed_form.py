"""Certified values: SymPy closed forms and one-dimensional integrals in ball arithmetic (Arb, through python-flint).

A ball is a midpoint with a radius that encloses the value, and every operation preserves the enclosure. Precision is
raised until the radius is small enough. `acb.integral` bounds its error for analytic integrands only: there a function
with a branch cut must return a non-finite ball for an argument that may meet the cut.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import prod

import sympy
from flint import acb, arb, ctx, fmpq

from theory.expressions.balls.integral import Integrand, integral
from theory.expressions.balls.owens_t import owens_t
from theory.expressions.balls.precision import precision
from theory.expressions.exact import rational
from theory.expressions.functions import OwensT, Phi, Relu

# Precision doubles until the radius is small enough; 2^16 bits are 19,000 digits, beyond any request.
MAX_BITS = 2**16
# Extra bits for rounding, and for values somewhat smaller than their terms.
GUARD_BITS = 30
# Bisections per bit towards an end-point with a root singularity of the integrand: one would suffice.
DEPTH_PER_BIT = 4
# The most evaluations per bit of precision, before and after the change of variable.
EASY_PER_BIT = 12
HARD_PER_BIT = 100
# Only numbers between 2^-MOST_EXPONENT and 2^MOST_EXPONENT become fractions; exp of a wide ball can be far larger.
MOST_EXPONENT = 2**20


class NotCertified(ArithmeticError):
    """Ball arithmetic missed the accuracy, or has no rule; `reached` holds the best midpoint and radius, if any."""

    def __init__(self, message: str, reached: tuple[Fraction, Fraction] | None = None) -> None:
        super().__init__(message)
        self.reached = reached


def _nan() -> acb:
    return acb(arb("nan"))


def _cut(ball: acb, analytic: bool, touches: Callable[[acb], bool], value: Callable[[], acb]) -> acb:
    """Return `value()`, or a non-finite ball where the function must be analytic and the ball may touch its cut."""
    return _nan() if analytic and touches(ball) else value()


def _outer_real(x: acb) -> bool:
    """Whether x may meet the cuts |re| >= 1 of asin and acos."""
    return x.imag.contains(0) and not abs(x.real) < 1


def _outer_imaginary(x: acb) -> bool:
    """Whether x may meet the cuts |im| >= 1 of atan."""
    return x.real.contains(0) and not abs(x.imag) < 1


def _asin(x: acb, analytic: bool) -> acb:
    value = _cut(x, analytic, _outer_real, x.asin)
    if analytic or x.imag != 0:
        return value
    if value.is_finite():
        return acb(value.real)
    # On the path of integration |x| <= 1 even if its ball exceeds 1.
    low, high = arb.max(x.real.lower(), arb(-1)), arb.min(x.real.upper(), arb(1))
    return acb(low.asin().union(high.asin()))


def _acos(x: acb, analytic: bool) -> acb:
    value = _cut(x, analytic, _outer_real, x.acos)
    return value if analytic or x.imag != 0 or value.is_finite() else acb(arb.pi()) / 2 - _asin(x, analytic)


def _atan(x: acb, analytic: bool) -> acb:
    value = _cut(x, analytic, _outer_imaginary, x.atan)
    if not analytic and not value.is_finite() and x.imag == 0:
        return acb(arb(0, float(2)))
    return value


def _root(x: acb, power: sympy.Rational, analytic: bool) -> acb:
    """Return x^(p/q); on the path of integration radicands are nonnegative, and the negative part of a ball is cut."""
    if not analytic and x.imag == 0 and not x.real >= 0:
        upper = x.real.upper()
        if not upper >= 0:
            raise NotCertified("a root of a negative number")
        x = acb(upper.union(arb(0)))
    p, q = int(power.p), int(power.q)
    if q == 2:
        return x.sqrt(analytic=analytic) ** p if p > 0 else x.rsqrt(analytic=analytic) ** (-p)
    if not analytic and x.imag == 0 and p > 0 and x.real.contains(0):
        return acb(arb(0).union(arb.max(x.real.upper(), arb(0)) ** arb(fmpq(p, q))))
    return x.pow(acb(fmpq(p, q)), analytic=analytic)


def _sign(x: acb, analytic: bool) -> acb:
    """Return the sign of the real part; where a ball contains both, [-1, 1] for real numbers, else not finite."""
    if x.real > 0 or x.real < 0 or x.is_zero():
        return acb(1 if x.real > 0 else -1 if x.real < 0 else 0)
    return _nan() if analytic or not x.imag.is_zero() else acb(arb(0, 1))


def _abs(x: acb, analytic: bool) -> acb:
    """Return |x| of a real number, continued analytically as x or -x."""
    if not analytic and x.imag.is_zero():
        return acb(abs(x.real))
    return x * _sign(x, analytic)


def _step(x: acb, at_zero: acb, analytic: bool) -> acb:
    """The Heaviside function, `at_zero` at 0."""
    return at_zero if x.is_zero() and not analytic else (1 + _sign(x, analytic)) / 2


def _larger(side: int, *arguments: acb | bool) -> acb:
    """Return the largest of real numbers for side 1, the smallest for side -1, continued analytically as one of them.

    The last argument says whether the value must be analytic.
    """
    *numbers, analytic = arguments
    best = numbers[0]
    for x in numbers[1:]:
        gap = side * (x - best).real
        if gap > 0:
            best = x
        elif not gap < 0:
            if analytic or not (x.imag.is_zero() and best.imag.is_zero()):
                return _nan()
            best = acb((arb.max if side > 0 else arb.min)(x.real, best.real))
    return best


def _relu(x: acb, analytic: bool) -> acb:
    return _larger(1, acb(0), x, analytic)


def _atan2(y: acb, x: acb, analytic: bool) -> acb:
    """The angle of (x, y), in (-pi, pi]; y and x are not both 0."""
    if x.real > 0:
        return _atan(y / x, analytic)
    if y.real > 0 or y.real < 0:
        return _sign(y, analytic) * acb(arb.pi()) / 2 - _atan(x / y, analytic)
    return _nan() if analytic or not (x.imag.is_zero() and y.imag.is_zero()) else acb(arb(0, 4))


def _power(base: acb, exponent: acb, analytic: bool) -> acb:
    """Return base ** exponent of a positive base; not finite for another real base."""
    if base.imag.is_zero() and not base.real > 0:
        return _nan()
    return (exponent * base.log(analytic=analytic)).exp()


def _phi(x: acb, analytic: bool) -> acb:
    """The normal distribution function, relatively accurate in its lower tail."""
    del analytic
    return (-x / arb(2).sqrt()).erfc() / 2


# Each function takes the balls of its arguments, and whether it must be analytic on them.
FUNCTIONS: Mapping[type, Callable[..., acb]] = {
    sympy.asin: _asin,
    sympy.atan: _atan,
    sympy.acos: _acos,
    sympy.exp: lambda x, _: x.exp(),
    sympy.log: lambda x, analytic: x.log(analytic=analytic),
    sympy.sin: lambda x, _: x.sin(),
    sympy.cos: lambda x, _: x.cos(),
    sympy.erf: lambda x, _: x.erf(),
    sympy.erfc: lambda x, _: x.erfc(),
    sympy.sinh: lambda x, _: x.sinh(),
    sympy.cosh: lambda x, _: x.cosh(),
    sympy.tanh: lambda x, _: x.tanh(),
    sympy.sign: _sign,
    sympy.Abs: _abs,
    sympy.Heaviside: _step,
    sympy.Max: lambda *x: _larger(1, *x),
    sympy.Min: lambda *x: _larger(-1, *x),
    sympy.atan2: _atan2,
    sympy.Pow: _power,
    Phi: _phi,
    Relu: _relu,
    OwensT: owens_t,
}


def ball(expr: sympy.Expr, values: Mapping[sympy.Symbol, acb], analytic: bool = False) -> acb:
    """Return a ball that contains `expr`, at the current precision.

    >>> with precision(digits=40):
    ...     difference = ball(4 * sympy.atan(1) - sympy.pi, {})
    ...     third = ball(sympy.Rational(1, 3), {}).real
    >>> difference.contains(0), third.contains(fmpq(1, 3)), bool(third.rad() > 0)
    (True, False, True)
    """
    if expr in values:
        return values[expr]
    if expr.is_Rational:
        fraction = rational(expr)
        return acb(fmpq(fraction.numerator, fraction.denominator))
    if expr.is_Add:
        return sum((ball(term, values, analytic) for term in expr.args), acb(0))
    if expr.is_Mul:
        product = acb(1)
        for factor in expr.args:
            product *= ball(factor, values, analytic)
        return product
    if expr.is_Pow and expr.exp.is_Rational:
        base = ball(expr.base, values, analytic)
        return base ** int(expr.exp) if expr.exp.is_Integer else _root(base, expr.exp, analytic)
    if expr is sympy.pi:
        return acb(arb.pi())
    if expr is sympy.E:
        return acb(arb(1).exp())
    if isinstance(expr, sympy.Integral):
        return _integral(expr, values)
    function = FUNCTIONS.get(expr.func)
    if function is None:
        raise NotCertified(f"no ball arithmetic for {expr.func.__name__}")
    return function(*(ball(argument, values, analytic) for argument in expr.args), analytic)


class Program:
    """An integrand as a list of operations on balls.

    Constants are computed once, and common subexpressions once for each point.
    """

    def __init__(self, expr: sympy.Expr, t: sympy.Symbol, values: Mapping[sympy.Symbol, acb]) -> None:
        self.constants: list[acb | None] = []
        self.operations: list[tuple[int, Callable[[list, bool], acb]]] = []
        self.values, self.t = values, t
        self.slots: dict[sympy.Expr, int] = {}
        self.result = self._slot(expr)

    def _slot(self, expr: sympy.Expr) -> int:
        if expr in self.slots:
            return self.slots[expr]
        free = expr.has(self.t)
        inner = [self._slot(argument) for argument in expr.args] if free and expr.args else []
        self.slots[expr] = place = len(self.constants)
        self.constants.append(None if free else ball(expr, self.values))
        if free and expr != self.t:
            self.operations.append((place, _operation(expr, inner)))
        return place

    def __call__(self, point: acb, analytic: bool) -> acb:
        """Return the value at a ball; with `analytic`, not finite where the function is not analytic on it."""
        memory = list(self.constants)
        memory[self.slots[self.t]] = point
        for place, operation in self.operations:
            memory[place] = operation(memory, analytic)
        return memory[self.result]


def _operation(expr: sympy.Expr, inner: list[int]) -> Callable[[list, bool], acb]:
    """Return the operation that computes `expr` from the values in the slots of its arguments."""
    if expr.is_Add:
        return lambda memory, _: sum((memory[k] for k in inner), acb(0))
    if expr.is_Mul:
        return lambda memory, _: prod((memory[k] for k in inner), start=acb(1))
    first = inner[0]
    if expr.is_Pow and expr.exp.is_Integer:
        power = int(expr.exp)
        return lambda memory, _: memory[first] ** power
    if expr.is_Pow and expr.exp.is_Rational:
        exponent = expr.exp
        return lambda memory, analytic: _root(memory[first], exponent, analytic)
    function = FUNCTIONS.get(expr.func)
    if function is None:
        raise NotCertified(f"no ball arithmetic for {expr.func.__name__}")
    return lambda memory, analytic: function(*(memory[k] for k in inner), analytic)


def _integral(integral: sympy.Integral, values: Mapping[sympy.Symbol, acb]) -> acb:
    """Return the integral over t from 0 to 1; if it converges slowly, in the variable u, t = tanh(u) / tanh(U).

    The second form resolves singularities at t = 1 and beyond, at all distances down to exp(-2 U). Other limits are
    mapped to 0 and 1 first.
    """
    if len(integral.limits) != 1 or len(integral.limits[0]) != 3:
        raise NotCertified(f"{integral} is not one integral between two limits")
    ((x, low, high),) = integral.limits
    start, length = ball(low, values), ball(high - low, values)
    program = Program(integral.function, x, values)

    def across(t: acb, analytic: bool) -> acb:
        return program(start + t * length, analytic) * length

    integrand = program if (low, high) == (0, 1) else across
    direct = quadrature(integrand, acb(0), acb(1), EASY_PER_BIT)
    if direct.real.is_finite() and float(direct.real.rad()) < 2.0 ** (-0.8 * min(ctx.prec, 1200)):
        return direct
    end = acb(int(0.35 * ctx.prec) + 2)
    scale = 1 / end.tanh()

    def stretched(u: acb, analytic: bool) -> acb:
        return integrand(u.tanh() * scale, analytic) * u.sech() ** 2 * scale

    return quadrature(stretched, acb(0), end, HARD_PER_BIT)


def quadrature(integrand: Integrand, start: acb, end: acb, evaluations_per_bit: int, bits: int | None = None) -> acb:
    """Return the integral from `start` to `end` by Arb, to about `bits` of the precision, by default all of them.

    Raises NotCertified where the integrand does.
    """
    bits = ctx.prec if bits is None else bits
    limits = {"depth_limit": DEPTH_PER_BIT * bits, "eval_limit": evaluations_per_bit * bits}
    limits |= {"rel_tol": arb(2) ** -bits, "abs_tol": arb(2) ** -bits}
    try:
        return integral(integrand, start, end, **limits)
    except (ArithmeticError, ValueError) as error:
        raise NotCertified(str(error)) from error


def enclose(compute: Callable[[], arb | acb], digits: int, most_bits: int = MAX_BITS) -> tuple[Fraction, Fraction]:
    """Return midpoint and radius of a nonzero value, raising the precision until radius < 10^-digits |midpoint|.

    Raises NotCertified, with the best ball so far, where `compute` raises it, the precision limit is exceeded, or the
    value is too large or too small for a fraction.

    >>> middle, radius = enclose(lambda: 2 * arb(2).sqrt(), 30)
    >>> (middle - radius) ** 2 < 8 < (middle + radius) ** 2, radius < middle / 10**30
    (True, True)
    """
    reached = None
    bits = int(3.33 * digits) + 2 * GUARD_BITS
    try:
        with precision():
            while bits <= max(most_bits, 8 * digits):
                ctx.prec = bits
                value = compute()
                value = value.real if isinstance(value, acb) else value
                if value.is_finite() and not _is_moderate(value) and value.rel_accuracy_bits() > GUARD_BITS:
                    raise NotCertified(f"the value has a magnitude beyond 2^(+-{MOST_EXPONENT}): {value.str(3)}")
                if value.is_finite() and _is_moderate(value):
                    middle, radius = fraction(value.mid()), fraction(value.rad())
                    if radius * 10**digits < abs(middle):
                        return middle, radius
                    if reached is None or radius < reached[1]:
                        reached = middle, radius
                bits *= 2
    except NotCertified as error:
        raise NotCertified(str(error), error.reached or reached) from error
    raise NotCertified(f"a relative radius of 10^-{digits} was not reached within {bits // 2} bits", reached)


def _is_moderate(value: arb) -> bool:
    """Whether the midpoint and the radius have exponents that a fraction can hold."""
    return all(abs(int(number.man_exp()[1])) < MOST_EXPONENT for number in (value.mid(), value.rad()))


def fraction(number: arb) -> Fraction:
    """Return the exact value of a ball of radius 0, an integer times a power of two.

    >>> fraction(arb("0.75"))
    Fraction(3, 4)
    """
    mantissa, exponent = number.man_exp()
    mantissa, exponent = int(mantissa), int(exponent)
    return Fraction(mantissa) * (Fraction(2) ** exponent)
