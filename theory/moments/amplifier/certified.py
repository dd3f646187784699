"""The amplifier to any number of digits, in balls: of finitely many values, and of a marginal that is a formula.

A marginal is X = x(t) for a t of density w(t) on an interval: t = x, or t = u uniform in (0, 1) and x(u) the quantile
function. Arb encloses the integrals. Where an end is infinite, or x(u) is, an inner interval is integrated, and the
rest R is bounded by the mass 1 and the variance 1: E[|X|; R] <= E[1 + X^2; R]/2.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING

import sympy

from theory.expressions.algebra import is_zero
from theory.expressions.language import Names, parse
from theory.gaussian.certified.digits import Certified, rounded
from theory.moments.inputs import Values
from theory.problem import InputError, OutOfReachError
from theory.problem.numbers import one_of

if TYPE_CHECKING:
    from flint import arb

KINDS = ("density", "cumulative", "quantile")
# Inner intervals that are tried: x up to 2^17, or u as near as 2^-512 to 0 and 1.
_LEVELS = range(8)
# Mass, mean and variance are known to this where a formula is checked first; heavier tails are refused.
_CHECKED = 1e-6
_CHECK_BITS = 96
MOST_DIGITS = 200
_SLOPE = sympy.Symbol("slope", real=True)  # a/sqrt(2 (1 - a^2))


@dataclass(frozen=True)
class FormulaMarginal:
    """A marginal of mean 0 and variance 1, given by a formula on an interval.

    `kind` is density or cumulative, formulas in x on the `support`, or quantile, a formula in u on (0, 1). Raises
    InputError where the mass is not 1, the mean not 0 or the variance not 1; OutOfReachError for heavy tails.

    >>> laplace = FormulaMarginal("exp(-sqrt(2)*abs(x))/sqrt(2)")
    >>> certified_amplifier(laplace, sympy.Rational(1, 2), 10)[0].value
    '0.366071867587'
    """

    text: str
    kind: str = "density"
    support: tuple[str, str] = ("-oo", "oo")

    def __post_init__(self) -> None:
        one_of(self.kind, "the kind of formula", KINDS)
        self._check()

    @cached_property
    def _parts(self) -> tuple[sympy.Expr, sympy.Expr, sympy.Symbol, sympy.Expr, sympy.Expr]:
        """x(t), w(t), t and the ends of the interval."""
        t = sympy.Symbol("u" if self.kind == "quantile" else "x", real=True)
        formula = parse(self.text, Names(parameters={t.name: t}))
        if self.kind == "quantile":
            return formula, sympy.Integer(1), t, sympy.Integer(0), sympy.Integer(1)
        low, high = (parse(end) for end in self.support)
        if not (low < high) == True:  # noqa: E712 - SymPy's truth
            raise InputError(f"The support from {low} to {high} is empty.", "Give its ends in ascending order.")
        if self.kind == "cumulative":
            formula = formula.diff(t)
            if formula.has(sympy.DiracDelta, sympy.Derivative):
                raise InputError("The distribution function jumps or has no derivative.", "Give values, or a density.")
        return t, formula, t, low, high

    def _inner(self) -> Iterator[tuple[tuple[sympy.Expr, sympy.Expr], ...]]:
        """Pieces of the interval: the whole one first, if it is finite, then inner ones that grow."""
        _, _, _, low, high = self._parts
        finite = low.is_finite, high.is_finite
        if low < 0 < high:
            middle = sympy.Integer(0)
        elif all(finite):
            middle = (low + high) / 2
        else:
            middle = low + 1 if finite[0] else high - 1
        if all(finite):
            yield (low, middle), (middle, high)
        if all(finite) and self.kind != "quantile":
            return
        for level in _LEVELS:
            near, far = sympy.Rational(1, 2 ** (4 * 2**level)), 2 ** (2 * level + 3)
            # A quantile function may be infinite at its ends, so that these are approached.
            left = middle - far if not finite[0] else low + near if self.kind == "quantile" else low
            right = middle + far if not finite[1] else high - near if self.kind == "quantile" else high
            yield (left, middle), (middle, right)

    def integral(self, factor: Callable[[sympy.Expr], sympy.Expr], pieces: tuple, slope: "arb | None" = None) -> "arb":
        """Return the ball of the integral of factor(x(t)) w(t) over pieces of the interval, at Arb's precision."""
        from flint import acb, arb

        from theory.expressions.balls.closed_form import ball

        x, weight, t, _, _ = self._parts
        values = {} if slope is None else {_SLOPE: acb(slope)}
        total = arb(0)
        for low, high in pieces:
            # On one side of 0 the absolute value of t is analytic.
            side = sympy.Dummy("t", positive=True) if low >= 0 else sympy.Dummy("t", negative=True) if high <= 0 else t
            inside = (factor(x) * weight).xreplace({t: side})
            whole = sympy.Integral(inside, (side, low, high)) if inside.has(side) else inside * (high - low)
            total += ball(whole, values).real
        return total

    def covered(self, enough: float) -> tuple[tuple, "arb", "arb"]:
        """Return pieces, their mass and their variance; what they leave out is at most `enough`, if that is reached."""
        best = None
        for pieces in self._inner():
            mass, variance = self.integral(lambda _: sympy.Integer(1), pieces), self.integral(lambda x: x * x, pieces)
            if not (mass.is_finite() and variance.is_finite()):
                continue
            before, best = best, (pieces, mass, variance)
            if abs(mass - 1) < enough and abs(variance - 1) < enough:
                return best
            settled = before is not None and all(
                abs(new - old) < enough * (1 + abs(new)) for new, old in zip(best[1:], before[1:], strict=True)
            )
            if settled:
                return best
        if best is not None and best[2] > 1 + _CHECKED:
            raise OutOfReachError(
                f"The tails are too heavy: E[X^2; |x| < {float(max(map(abs, _ends(best[0])))):.3g}] = "
                f"{float(best[2].mid()):.4g} still grows, so that the variance is infinite or beyond reach.",
                "Give a marginal whose tails fall faster.",
            )
        if best is None:
            raise OutOfReachError(
                "The integrals of the formula have no finite enclosure.",
                "Check the support. A density with a pole at an end has a bounded quantile function: give that.",
            )
        return best

    def _check(self) -> None:
        from theory.expressions.balls.closed_form import NotCertified
        from theory.expressions.balls.precision import precision

        try:
            with precision(_CHECK_BITS):
                pieces, mass, variance = self.covered(_CHECKED)
                mean = self.integral(lambda x: x, pieces)
        except NotCertified as error:
            raise OutOfReachError(f"The formula {self.text} cannot be integrated: {error}.", _REMEDY) from error
        shown = [float(number.mid()) for number in (mass, mean, variance)]
        if not shown[0] > 0 or abs(shown[0] - 1) > 10 * _CHECKED:
            raise InputError(
                f"The density {self.text} integrates to {shown[0]:.8g}, not to 1.",
                "Divide it by its integral, or give its --support.",
            )
        if abs(shown[1]) > 10 * _CHECKED:
            raise InputError(
                f"The marginal has the mean {shown[1]:.6g}; the amplifier is defined for the mean 0.", "Shift it."
            )
        if abs(shown[2] - 1) > 10 * _CHECKED:
            root = sqrt(shown[2])
            raise InputError(
                f"The marginal has the variance {shown[2]:.8g} on |x| < {float(max(map(abs, _ends(pieces)))):.3g}; the "
                "amplifier is defined for the variance 1.",
                f"If it is finite, rescale: r p(r x) with r = {root:.8g} for a density p, Q(u)/r for a quantile "
                "function Q.",
            )


_REMEDY = "Use functions without jumps, and give the ends of the support."


def _ends(pieces: tuple) -> list[sympy.Expr]:
    return [end for piece in pieces for end in piece]


def certified_amplifier(
    marginal: "FormulaMarginal | Values", a: sympy.Expr, digits: int
) -> tuple[Certified, Certified | None]:
    """Return phi(a) and the elasticity at a (None at a = 0 or |a| = 1) to correct significant digits.

    Values and probabilities are exact numbers or SymPy expressions. For a formula on an unbounded support the bound of
    the error takes for granted that mass and variance are exactly 1, which some six digits confirm. Raises InputError
    for |a| > 1, OutOfReachError where the digits are out of reach.

    >>> pulse = Values((-1, 1), (sympy.Rational(1, 2),) * 2)  # erf(3/(4 sqrt2)) at a = 3/5
    >>> certified_amplifier(pulse, sympy.Rational(3, 5), 10)[0].value
    '0.546745295246'
    """
    a = sympy.Integer(0) + a
    if not a.is_real or (abs(a) > 1) == True:  # noqa: E712 - SymPy's truth
        raise InputError(f"a = {a} is not a correlation, -1 <= a <= 1.", "Give a number between -1 and 1.")
    if not 1 <= digits <= MOST_DIGITS:
        raise InputError(f"{digits} digits: 1 to {MOST_DIGITS} are computed.", "Ask for 30, say.")
    if a == 0:
        return Certified("0", "0", digits, "exact"), None
    average = _of_values(marginal) if isinstance(marginal, Values) else _of_formula(marginal, digits)
    return _certified(lambda: average(a)[0], digits), (
        None if abs(a) == 1 else _certified(lambda: average(a)[1], digits)
    )


def _certified(value: "Callable[[], arb]", digits: int) -> Certified:
    from theory.expressions.balls.closed_form import NotCertified, enclose

    try:
        return rounded(*enclose(value, digits + 3, int(3.33 * digits) + 400), digits, "arb")
    except NotCertified as error:
        reached = "" if error.reached is None else rounded(*error.reached, 15, "arb")
        said = f"Reached: {reached.value}, error at most {reached.radius}." if reached else "Ask for fewer digits."
        raise OutOfReachError(f"{digits} certified digits are out of reach: {error}.", said) from error


def _kernels(a: sympy.Expr) -> tuple[Callable, Callable, sympy.Expr]:
    """h(x) with E h(X) = phi(a), dh/ds, and s(1 + s^2), in which `_SLOPE` stands for s/sqrt2 where |a| < 1."""
    if abs(a) == 1:
        return (lambda x: a * sympy.Abs(x)), (lambda _: sympy.Integer(0)), sympy.Integer(0)
    s = a / sympy.sqrt(1 - a**2)
    return (
        lambda x: x * sympy.erf(_SLOPE * x),
        lambda x: sympy.sqrt(2 / sympy.pi) * x**2 * sympy.exp(-(_SLOPE**2) * x**2),
        s / (1 - a**2),
    )


def _slope(a: sympy.Expr) -> "arb":
    from flint import arb

    from theory.expressions.balls.closed_form import ball

    return arb(0) if abs(a) == 1 else ball(a / sympy.sqrt(2 * (1 - a**2)), {}).real


def _of_values(marginal: Values) -> "Callable[[sympy.Expr], tuple[arb, arb]]":
    """A function of a that returns the balls of phi and of the elasticity, the sum over the values."""
    from flint import acb

    from theory.expressions.balls.closed_form import ball

    pairs = [
        (sympy.Integer(0) + x, sympy.Integer(0) + p)
        for x, p in zip(marginal.values, marginal.probabilities, strict=True)
    ]
    _require_exact_unit(pairs)

    def average(a: sympy.Expr) -> "tuple[arb, arb]":
        h, by_s, front = _kernels(a)
        at = {_SLOPE: acb(_slope(a))}
        value, rate = (sum(ball(p * f(x), at).real for x, p in pairs) for f in (h, by_s))
        return value, ball(front, {}).real * rate / value

    return average


def _require_exact_unit(pairs: list[tuple[sympy.Expr, sympy.Expr]]) -> None:
    mass, mean, variance = (sympy.Add(*(p * x**power for x, p in pairs)) for power in (0, 1, 2))
    if is_zero(mass - 1) is not True or not all(p.is_nonnegative for _, p in pairs):
        raise InputError(f"The probabilities add up to {mass}, or one is negative.", "Give probabilities with sum 1.")
    if is_zero(mean) is not True or is_zero(variance - 1) is not True:
        raise InputError(
            f"The values have the mean {mean} and the variance {variance}; the amplifier is defined for 0 and 1.",
            "Shift the values by the mean and divide by the square root of the variance; --rescale does so.",
        )


def _of_formula(marginal: FormulaMarginal, digits: int) -> "Callable[[sympy.Expr], tuple[arb, arb]]":
    """A function of a that returns the balls of phi and of the elasticity, integrals over the marginal."""
    from flint import arb

    from theory.expressions.balls.closed_form import ball

    def average(a: sympy.Expr) -> "tuple[arb, arb]":
        pieces, mass, variance = marginal.covered(10.0 ** -(digits + 6))
        h, by_s, front = _kernels(a)
        slope = _slope(a)
        whole = _ends(pieces)[0] == marginal._parts[3] and _ends(pieces)[-1] == marginal._parts[4]
        for word, number in (("mass", mass), ("variance", variance)):
            if number > 1 or (whole and number < 1):
                raise InputError(f"The {word} of the marginal is {number.str(20)}, not 1.", "Correct its last digits.")
        left = arb.max((1 - mass).upper(), arb(0)), arb.max((1 - variance).upper(), arb(0))
        # The outer part of phi has the sign of a; that of dh/ds is at most sqrt(2/pi) x^2.
        rest = arb(0) if whole else arb(0, 1) * ((left[0] + left[1]) / 2).upper()
        outer = arb(0) if whole else arb(0, 1) * left[1].upper()
        value = marginal.integral(h, pieces, slope) + rest
        rate = marginal.integral(by_s, pieces, slope) + outer
        return value, ball(front, {}).real * rate / value

    return average
