"""Dual functions: E[s(z) s(z')] and E[s'(z) s'(z')] of two Gaussian variables, derived by the Gaussian engine.

z and z' have the variances p and q and the covariance c. The derivative s' is taken almost everywhere, as automatic
differentiation does: a jump has no slope. Where s' leaves the engine's language, as erf' does, Price's theorem gives

    E[s'(z) s'(z')] = d/dc E[s(z) s(z')]

for a continuous s. Both forms are rewritten in p, q, c and the determinant gap = p q - c^2, without inverse sines:

    asin(n/d) = 2 atan(n/(d + sqrt(d^2 - n^2))),

so that nothing is lost where z and z' are nearly proportional, and at gap = 0 the forms are those of equal inputs.
"""

from dataclasses import dataclass
from functools import lru_cache

import sympy

from theory.expressions.balls.precision import decimals
from theory.expressions.symbols import z
from theory.gaussian.derive.integrand import expand
from theory.gaussian.moment import expect
from theory.kernels.infinite.activations import Activation, h, slope_of
from theory.problem.errors import OutOfReachError
from theory.proof.derivation import Derivation

p, q = sympy.symbols("p q", positive=True)
c = sympy.Symbol("c", real=True)
gap = sympy.Symbol("gap", nonnegative=True)
HALF = sympy.Rational(1, 2)


@dataclass(frozen=True)
class Pair:
    """The forms of E[s(z) s(z')] and E[s'(z) s'(z')] at a pair of inputs, in p, q, c and gap."""

    value: sympy.Expr
    slope: sympy.Expr

    def at(self, table: dict[sympy.Symbol, sympy.Expr]) -> "Pair":
        """Return the forms with expressions in place of symbols."""
        return Pair(self.value.xreplace(table), self.slope.xreplace(table))

    @property
    def finite(self) -> bool:
        """Whether no form divides by zero."""
        return not any(form.has(sympy.zoo, sympy.nan, sympy.oo) for form in (self.value, self.slope))


@dataclass(frozen=True)
class Dual:
    """The dual of an activation: its forms at a general pair of inputs, and the engine's proof of the value.

    `closed_form` and `closed_slope` are both averages as the engine derives them, in p, q and c.

    >>> from theory.kernels.infinite.activations import activation
    >>> dual(activation("step")).closed_form
    (2*asin(c/(sqrt(p)*sqrt(q)))/pi + 1)/4
    >>> dual(activation("relu")).pair.slope
    atan(c/(sqrt(gap) + sqrt(p)*sqrt(q)))/pi + 1/4
    """

    activation: Activation
    closed_form: sympy.Expr
    closed_slope: sympy.Expr
    pair: Pair
    derivation: Derivation

    def equal_inputs(self, side: int) -> Pair:
        """Return the forms for z' = z (side 1) or z' = -z (side -1), in p alone.

        >>> from theory.kernels.infinite.activations import activation
        >>> dual(activation("relu")).equal_inputs(1).value, dual(activation("relu")).equal_inputs(-1).value
        (p/2, 0)
        """
        return _equal_inputs(self.activation, side)

    def on_a_line(self, side: int) -> Pair | None:
        """Return the forms for z' = side sqrt(q/p) z; None where the general forms have no value at gap = 0."""
        pair = self.pair.at({gap: sympy.Integer(0), c: side * sympy.sqrt(p) * sympy.sqrt(q)})
        return pair if pair.finite else None

    @property
    def uncorrelated(self) -> Pair:
        """The forms for c = 0."""
        return self.pair.at({c: sympy.Integer(0), gap: p * q})


@lru_cache(maxsize=64)
@decimals()
def dual(activation: Activation) -> Dual:
    """Derive the dual of an activation; OutOfReachError where the engine cannot.

    >>> from theory.kernels.infinite.activations import activation
    >>> dual(activation("exp(h)")).closed_form
    exp(c + p/2 + q/2)
    """
    cov = [[p, c], [c, q]]
    moment = expect(activation.of(1) * activation.of(2), cov)
    slope = _smooth_slope(activation)
    if slope is None:
        _require_continuous(activation)
        slope_form = moment.closed_form.diff(c)
    else:
        slope_form = expect(slope * slope.xreplace({z(1): z(2)}), cov).closed_form
    pair = Pair(_rewritten(moment.closed_form), _rewritten(slope_form))
    return Dual(activation, moment.closed_form, slope_form, pair, moment.derivation)


@lru_cache(maxsize=64)
@decimals()
def _equal_inputs(activation: Activation, side: int) -> Pair:
    def mean(function: sympy.Expr) -> sympy.Expr:
        return _rewritten(expect(function * function.xreplace({z(1): side * z(1)}), [[p]]).closed_form)

    value, slope = mean(activation.of(1)), _smooth_slope(activation)
    if slope is None:
        return Pair(value, dual(activation).pair.slope.xreplace({gap: sympy.Integer(0), c: side * p, q: p}))
    return Pair(value, mean(slope))


def _smooth_slope(activation: Activation) -> sympy.Expr | None:
    """Return s'(z1) where the engine's language has it, else None."""
    slope = slope_of(expand(activation.of(1)))
    return None if slope.has(sympy.exp) and any(not _linear(one) for one in slope.atoms(sympy.exp)) else slope


def _linear(exponential: sympy.exp) -> bool:
    return exponential.args[0].diff(z(1), 2) == 0


def _require_continuous(activation: Activation) -> None:
    """Raise OutOfReachError where s has a jump: Price's theorem would count it, and a gradient does not."""
    expansion = expand(activation.of(1))
    total = sympy.Add(*(factor * sympy.Mul(*product) for product, factor in expansion.items()))
    for step in sorted(total.atoms(sympy.sign), key=sympy.default_sort_key):
        edge = sympy.expand(z(1) - step.args[0])
        above, below = (total.xreplace({step: sympy.Integer(side)}) for side in (1, -1))
        if sympy.expand((above - below).xreplace({z(1): edge})) != 0:
            raise OutOfReachError(
                f"{activation.expr} may jump at {h} = {edge} and contains erf or Phi: no rule derives its slope.",
                "Use an activation without jumps, or one without erf and Phi.",
            )


def _rewritten(form: sympy.Expr) -> sympy.Expr:
    """Return the form in p, q, c and gap, without inverse sines; a form with integrals as it is."""
    if form.has(sympy.Integral):
        return form
    form = form.xreplace({angle: _half_angle(angle.args[0]) for angle in form.atoms(sympy.asin)})
    roots = {power: _root(power) for power in form.atoms(sympy.Pow) if power.exp.is_Rational and power.exp.q == 2}
    form = form.xreplace(roots)
    divides = any(power.base == gap and power.exp.is_negative for power in form.atoms(sympy.Pow))
    return sympy.expand(form) if divides else form


def _half_angle(x: sympy.Expr) -> sympy.Expr:
    """Return asin x; a number stays as it is."""
    if x.is_number:
        return sympy.asin(x)
    n, d = sympy.fraction(x)
    return 2 * sympy.atan(n / (d + sympy.sqrt(_by_gap(sympy.expand(d**2 - n**2)))))


def _root(power: sympy.Pow) -> sympy.Expr:
    top, below = sympy.fraction(sympy.together(power.base))
    return _by_gap(sympy.expand(top)) ** power.exp / below**power.exp


def _by_gap(polynomial: sympy.Expr) -> sympy.Expr:
    """Replace p q by gap + c^2 where this removes c."""
    if not polynomial.is_polynomial(p, q, c):
        return polynomial
    rest = sympy.reduced(polynomial, [p * q - c**2 - gap], p, q, c, gap)[1]
    return rest if not rest.has(c) else polynomial
