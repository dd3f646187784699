"""E f(x) of one standard Gaussian variable x, for any function of the language, as a certified ball.

    E f(x) = int_-R^R f(x) phi(x) dx + rest,    |rest| <= int_|x|>R exp(a + b |x| + q x^2) phi(x) dx,

with the bound |f(x)| <= exp(a + b |x| + q x^2) of `growth`, q < 1/2, and R such that the rest is below the working
precision. The interval is cut at the zeros of arguments of steps, signs, |.|, maxima and minima. Between them f is
analytic and Arb integrates it. A zero is known up to a ball, which adds its width times the largest integrand on it.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import combinations, pairwise
from math import ceil

import sympy
from flint import acb, arb, ctx

from theory.expressions.balls.closed_form import NotCertified, Program, ball, fraction, quadrature
from theory.expressions.balls.growth import NEAR, Growth
from theory.expressions.balls.poles import Pole
from theory.expressions.balls.precision import precision
from theory.expressions.functions import Relu

Values = Mapping[sympy.Symbol, acb]
# An analytic function on an interval.
Piece = tuple[arb, arb, sympy.Expr]

SWITCHES = (sympy.sign, sympy.Heaviside, sympy.Abs, Relu, sympy.Max, sympy.Min, sympy.atan2)
EVALUATIONS_PER_BIT = 400
# Bits of the tail beyond the working precision.
SPARE = 8
# Times the working precision, at which the ends of an interval around a pole are exact.
EXACT = 40
# Times the precision near poles and where arguments of steps touch 0, where digits cancel.
NEAR_POLES = 4
# The most bits at which a line without poles is tried a second time, with that precision.
MOST_TWICE = 2**9
# The least width of such an interval, in units of the error of its middle.
NARROWEST = 64
# The most intervals in which the zeros of one argument are looked for, and the most steps of Newton's method for one.
MOST_INTERVALS, NEWTON = 3000, 60
# Intervals are cut off their middle, where a symmetric function would have its zero.
OFF_MIDDLE = 0.4871


class Line:
    """The average of f(x), x ~ N(0, 1); other symbols in f have balls as their values.

    Raises OutOfReachError where f is not shown to be real and integrable.

    E tanh(x)^2 + E 1/cosh(x)^2 = 1:

    >>> from theory.expressions.balls.precision import precision
    >>> x = sympy.Symbol("x", real=True)
    >>> with precision(100):
    ...     total = sum(Line(f, x).ball() for f in (sympy.tanh(x) ** 2, 1 / sympy.cosh(x) ** 2))
    >>> total.contains(1), bool(total.rad() < 1e-25)
    (True, True)
    """

    def __init__(self, f: sympy.Expr, x: sympy.Symbol, values: Values | None = None) -> None:
        self.f, self.x, self.values = _accurate(f, x), x, dict(values or {})
        self.bound, self.poles = Growth(x, self.values).integrable(f)

    def ball(self) -> arb:
        """Return the average at the working precision. Raises NotCertified where the work allowed does not suffice."""
        bits = ctx.prec
        for times in (NEAR_POLES,) if self.poles else (1, NEAR_POLES) if bits <= MOST_TWICE else (1,):
            with precision(times * bits), suppress(NotCertified):
                total = self._ball(bits)
                if total.is_finite() and total.rad() <= arb(2) ** (-bits // 2) * (1 + abs(total)):
                    return total
        raise NotCertified(f"the integral of {self.f} takes more evaluations than are allowed")

    def _ball(self, bits: int) -> arb:
        end = arb(ceil(float(self._reach(bits).upper())))
        parts = list(pieces(self.f, self.x, self.values, -end, end))
        total, gaps = arb(0), []
        for pole in self.poles:
            *gap, most = self._around(pole, bits)
            gaps.append(gap)
            total += arb(0, 1) * most
        for start, stop, f in parts:
            for low, high in _outside(start.mid(), stop.mid(), gaps) if f != 0 else ():
                total += quadrature(self._weighted(f), acb(low), acb(high), EVALUATIONS_PER_BIT, bits).real
        for cut, functions in cuts(self.f, parts):
            if not any(low <= cut and cut <= high for low, high in gaps):
                most = sum((abs(self._weighted(f)(acb(cut), False)) for f in functions), arb(0))
                total += arb(0, 1) * (2 * cut.rad() * most).upper()
        return total / (2 * arb.pi()).sqrt() + self._rest(end)

    def _around(self, pole: Pole, bits: int) -> tuple[arb, arb, arb]:
        """Return the exact ends of an interval around a pole, and a bound on the integral over it."""
        zero = pole.ball()
        _, s = pole.order(self.f, zero + arb(0, 1) * arb(2) ** -NEAR)
        width = arb.max(NARROWEST * zero.rad(), arb(2) ** -ceil((bits + SPARE) / float(1 - s))).upper()
        c, s = pole.order(self.f, zero + arb(0, 1) * (2 * width))
        left = ball(1 - s, {}).real
        with precision(EXACT * ctx.prec):
            low, high = zero.mid() - width, zero.mid() + width
        return low, high, (2 * c.exp() * (2 * width) ** left / left).upper()

    def _reach(self, bits: int) -> arb:
        """Return an R with (1/2 - q) R^2 - b R - a >= log 2 (bits + SPARE)."""
        a, b, q = self.bound
        s = 1 - 2 * q
        goal = arb.max(a + (bits + SPARE) * arb(2).log(), arb(0))
        reach = (b + (b * b + 2 * s * goal).sqrt()) / s
        for pole in self.poles:
            reach = arb.max(reach, pole.reach())
        return reach

    def _rest(self, end: arb) -> arb:
        """Return the integral of the bound beyond the end, as a ball around 0."""
        a, b, q = self.bound
        root = (1 - 2 * q).sqrt()
        tail = ((end * root - b / root) / arb(2).sqrt()).erfc()
        return arb(0, 1) * ((a + b * b / (2 * root * root)).exp() * tail / root).upper()

    def _weighted(self, f: sympy.Expr) -> "Function":
        return Function(f * sympy.exp(-(self.x**2) / 2, evaluate=False), self.x, self.values)


class Function:
    """A function of x at balls, not finite where it must be analytic and is not; constants have no x.

    >>> x = sympy.Symbol("x", real=True)
    >>> Function(2 * sympy.Abs(x), x, {})(acb(-3), False).real.str()
    '6.00000000000000'
    """

    def __init__(self, f: sympy.Expr, x: sympy.Symbol, values: Values) -> None:
        self.program = Program(f, x, values) if f.has(x) else None
        self.constant = None if self.program else ball(f, values)

    def __call__(self, point: acb, analytic: bool) -> acb:
        """Return the value at a ball."""
        return self.program(point, analytic) if self.program else self.constant


def _accurate(f: sympy.Expr, x: sympy.Symbol) -> sympy.Expr:
    """Return a function in a form whose balls are narrow where it touches 0 or has a kink.

    >>> x = sympy.Symbol("x", real=True)
    >>> _accurate(sympy.asin(sympy.sin(x)) + sympy.tanh(x**2 - 2 * x + 1), x)
    tanh((x - 1)**2) + atan2(sin(x), Abs(cos(x)))
    """
    f = f.replace(lambda part: part.is_Add and part.is_polynomial(x), lambda p: _short(p, x))
    for inverse, function in ((sympy.asin, sympy.sin), (sympy.acos, sympy.cos)):
        f = f.replace(inverse, lambda a, u=inverse, v=function: _angle(a.args[0], u) if isinstance(a, v) else u(a))
    return f


def _short(p: sympy.Expr, x: sympy.Symbol) -> sympy.Expr:
    factors = sympy.factor(p)
    return sympy.horner(p, wrt=x) if factors.is_Add else factors


def _angle(u: sympy.Expr, inverse: type) -> sympy.Expr:
    """Return asin(sin(u)) or acos(cos(u))."""
    y, x = sympy.sin(u), sympy.cos(u)
    return sympy.atan2(y, abs(x)) if inverse is sympy.asin else sympy.atan2(abs(y), x)


def _outside(start: arb, end: arb, gaps: list[list[arb]]) -> list[tuple[arb, arb]]:
    """Return the parts of an interval outside of gaps."""
    parts = [(start, end)]
    for low, high in gaps:
        parts = [
            ends
            for left, right in parts
            for ends in ((left, low if low < right else right), (high if high > left else left, right))
            if ends[0] < ends[1]
        ]
    return parts


def cuts(f: sympy.Expr, parts: list[Piece]) -> Iterator[tuple[arb, list[sympy.Expr]]]:
    """Yield each end of pieces that is known up to a ball only, and the functions in and beside it."""
    for left, right in pairwise([None, *parts, None]):
        ends = [piece[side] for piece, side in ((left, 1), (right, 0)) if piece is not None]
        cut = ends[0].union(ends[-1])
        if not cut.rad().is_zero():
            yield cut, [f, *(piece[2] for piece in (left, right) if piece is not None)]


def pieces(
    f: sympy.Expr, x: sympy.Symbol, values: Values, low: arb, high: arb, kept: frozenset = frozenset()
) -> Iterator[Piece]:
    """Yield pieces between zeros of the arguments of steps, from `low` to `high`; the steps in `kept` stay as they are.

    >>> x = sympy.Symbol("x", real=True)
    >>> [(float(a), float(b), f) for a, b, f in pieces(sympy.Abs(x - 1), x, {}, arb(-2), arb(2))]
    [(-2.0, 1.0, 1 - x), (1.0, 2.0, x - 1)]
    """
    steps = sorted(f.atoms(*SWITCHES) - kept, key=sympy.default_sort_key)
    step = next((one for one in steps if one.has(x) and not any(part.has(*SWITCHES) for part in one.args)), None)
    if step is None:
        yield low, high, f
        return
    cuts: list[arb] = []
    for argument in _arguments(step):
        zeros = _zeros(argument, x, values, low.upper(), high.lower())
        if zeros is None:
            yield from pieces(f, x, values, low, high, kept | {step})
            return
        cuts += zeros
    for start, end in pairwise(_merged([low, *cuts, high])):
        middle = (start.mid() + end.mid()) / 2
        branch = _branch(step, x, values, middle)
        new, rest = (f, kept | {step}) if branch is None else (f.xreplace({step: branch}), kept)
        yield from pieces(new, x, values, start, end, rest)


def _arguments(step: sympy.Expr) -> list[sympy.Expr]:
    if isinstance(step, sympy.Max | sympy.Min):
        return [one - other for one, other in combinations(step.args, 2)]
    return [step.args[0]]


def _branch(step: sympy.Expr, x: sympy.Symbol, values: Values, middle: arb) -> sympy.Expr | None:
    """Return the value of a step at a point at which no argument vanishes; None where the balls do not decide.

    An angle stays as it is between the zeros of its first argument, where it has no jump.
    """
    if isinstance(step, sympy.atan2):
        return None
    if isinstance(step, sympy.Max | sympy.Min):
        best, *others = step.args
        for other in others:
            side = _sign_at(other - best, x, values, middle)
            if side is None:
                return None
            best = other if side == (1 if isinstance(step, sympy.Max) else -1) else best
        return best
    side = _sign_at(step.args[0], x, values, middle)
    if side is None:
        return None
    if isinstance(step, sympy.Abs):
        return side * step.args[0]
    if isinstance(step, sympy.sign):
        return sympy.Integer(side)
    open_ = sympy.Integer((1 + side) // 2)
    return open_ if isinstance(step, sympy.Heaviside) else open_ * step.args[0]


def _sign_at(f: sympy.Expr, x: sympy.Symbol, values: Values, point: arb) -> int | None:
    value = ball(f, {**values, x: acb(point)}).real
    return 1 if value > 0 else -1 if value < 0 else None


def _merged(cuts: list[arb]) -> list[arb]:
    """Return balls in ascending order; balls that overlap become one."""
    merged: list[arb] = []
    for cut in sorted(cuts, key=lambda cut: fraction(cut.mid())):
        if merged and cut.overlaps(merged[-1]):
            merged[-1] = merged[-1].union(cut)
        else:
            merged.append(cut)
    return merged


def _zeros(f: sympy.Expr, x: sympy.Symbol, values: Values, low: arb, high: arb) -> list[arb] | None:
    """Return balls in [low, high] that contain all zeros of f there; None where that takes too much work."""
    if not f.has(x):
        return []
    if f.is_polynomial(x) and sympy.degree(f, x) == 1:
        slope = f.diff(x)
        zero = -(ball(f.xreplace({x: sympy.Integer(0)}), values) / ball(slope, values)).real
        return [] if zero < low or zero > high else [zero] if zero.is_finite() else None
    value, slope, curvature = (Function(f.diff(x, order), x, values) for order in range(3))
    zeros, waiting, finest = [], [(low, high)], arb(2) ** -ctx.prec
    for _ in range(MOST_INTERVALS):
        if not waiting:
            return zeros
        start, end = waiting.pop()
        inside = start.union(end)
        if not value(acb(inside), False).real.contains(0):
            continue
        smooth = value(acb(inside), True).is_finite()
        narrow = (_by_newton(value, slope, inside) or _contact(value, slope, curvature, inside)) if smooth else None
        if narrow is not None:
            zeros.append(narrow)
        elif end - start < finest:
            zeros.append(inside)
        else:
            middle = (start + (end - start) * OFF_MIDDLE).mid()
            waiting += [(start, middle), (middle, end)]
    return None


def _contact(value: Function, slope: Function, curvature: Function, inside: arb) -> arb | None:
    """Return a ball with every zero in an interval, where f is convex or concave and its extremum may be 0; else None.

    |f(x)| >= min |f''| (x - c)^2/2 - |f(c)| for the extremum c.
    """
    bend = abs(curvature(acb(inside), False).real)
    if not bend > 0:
        return None
    extremum = _by_newton(slope, curvature, inside)
    if extremum is None:
        return None
    least = value(acb(extremum), False).real
    return extremum + arb(0, 1) * (2 * abs(least).upper() / bend.lower()).sqrt().upper() if least.contains(0) else None


def _by_newton(value: Function, slope: Function, inside: arb) -> arb | None:
    """Return a small ball with every zero in an interval, on which f is analytic and monotonic; None on others."""
    for _ in range(NEWTON):
        rate = slope(acb(inside), False).real
        if not rate.is_finite() or rate.contains(0):
            return None
        middle = inside.mid()
        next_ = middle - value(acb(middle), False).real / rate
        if not next_.overlaps(inside):
            return None
        smaller = next_.intersection(inside)
        if not smaller.rad() < inside.rad() / 2:
            return smaller
        inside = smaller
    return inside
