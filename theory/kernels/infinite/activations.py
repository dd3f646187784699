"""Activations s(h) of infinitely wide networks: each is one formula in the language of expressions."""

from dataclasses import dataclass

import sympy

from theory.expressions.language import Names, parse
from theory.expressions.symbols import z
from theory.gaussian.covariance import sign
from theory.gaussian.derive.integrand import Expansion, expand
from theory.problem.errors import InputError, OutOfReachError
from theory.problem.numbers import exact, shown

h = sympy.Symbol("h", real=True)
LEAKY, LEAK = "leaky-relu", "1/100"

# The formula, and the variance of weights (times the width) that a name stands for where none is given. It keeps the
# variance of homogeneous activations: E relu(z)^2 = 1/2 for z ~ N(0, 1).
ACTIVATIONS = {
    "linear": ("h", "1"),
    "relu": ("relu(h)", "2"),
    "abs": ("Abs(h)", "1"),
    "step": ("Heaviside(h)", "2"),
    "sign": ("sign(h)", "1"),
    "erf": ("erf(h)", "1"),
    "gelu": ("h*Phi(h)", "1"),
    "tanh": ("tanh(h)", "1"),
    "sigmoid": ("sigmoid(h)", "1"),
    "softplus": ("softplus(h)", "1"),
    "swish": ("swish(h)", "1"),
    "sin": ("sin(h)", "1"),
    "cos": ("cos(h)", "1"),
}


@dataclass(frozen=True)
class Activation:
    """An activation: its name, s as an expression in h, and the default variance of weights times the width.

    >>> activation("gelu").expr
    h*Phi(h)
    """

    name: str
    expr: sympy.Expr
    weight_variance: sympy.Rational

    def of(self, index: int) -> sympy.Expr:
        """s(z_index)."""
        return self.expr.xreplace({h: z(index)})

    def slope(self) -> sympy.Expr:
        """s'(h) almost everywhere, as an expression: jumps have no slope. It may contain exp(-h**2)."""
        return slope_of(expand(self.of(1))).xreplace({z(1): h})

    @property
    def parity(self) -> int:
        """1 for an even activation, -1 for an odd one, 0 for others."""
        plain, mirrored = (expand(self.expr.xreplace({h: side * z(1)})) for side in (1, -1))
        return next((side for side in (1, -1) if _ratio_is(plain, mirrored, sympy.Integer(side))), 0)

    @property
    def degree(self) -> int | None:
        """The k with s(a h) = a^k s(h) for all a > 0, from 0 to 3; None for other activations."""
        a = sympy.Symbol("a", positive=True)
        try:
            plain, scaled = (expand(self.expr.xreplace({h: factor * z(1)})) for factor in (sympy.Integer(1), a))
        except OutOfReachError:  # such a function is not homogeneous, or not known to be
            return None
        return next((k for k in range(4) if _ratio_is(plain, scaled, a**k)), None)

    @property
    def gated(self) -> bool:
        """Whether s(h) = h s'(h), so that s' is a gate and the network is linear in its weights where gates are given.

        >>> activation("relu").gated, activation("erf").gated
        (True, False)
        """
        return self.degree == 1


def slope_of(expansion: Expansion) -> sympy.Expr:
    """Return the derivative by z1, almost everywhere, of sum_k c_k prod_j atom_kj: signs are constants.

    >>> slope_of(expand(sympy.Heaviside(z(1)) * z(1) ** 2))
    z1*sign(z1) + z1
    """
    total = sympy.Add(*(c * sympy.Mul(*product) for product, c in expansion.items()))
    names = {one: sympy.Dummy(real=True) for one in total.atoms(sympy.sign)}
    back = {name: one for one, name in names.items()}
    return sympy.expand(total.xreplace(names).diff(z(1))).xreplace(back)


def _ratio_is(one: Expansion, other: Expansion, ratio: sympy.Expr) -> bool:
    """Whether the second of two expansions is `ratio` times the first."""
    return one.keys() == other.keys() and all(sympy.expand(other[key] - ratio * one[key]) == 0 for key in one)


def activation(text: str, gain: object = 1) -> Activation:
    """Return the activation s(gain h) of a name, of "leaky-relu:SLOPE", or of a formula in h such as "erf(h/sqrt(2))".

    The gain is positive: a number, or text. Raises InputError for another name or formula.

    >>> activation("relu(h) - h/2").expr
    -h/2 + relu(h)
    >>> activation("erf", gain="1/sqrt(2)").expr
    erf(sqrt(2)*h/2)
    """
    factor = _positive(gain)
    if text.partition(":")[0] == LEAKY:
        expr, variance = _leaky(text)
    else:
        formula, number = ACTIVATIONS.get(text, (text, "1"))
        expr, variance = _parsed(formula), sympy.Rational(number)
    return Activation(text, expr.xreplace({h: factor * h}), variance)


def _leaky(text: str) -> tuple[sympy.Expr, sympy.Rational]:
    """max(h, a h) for 0 <= a < 1, and the variance 2/(1 + a^2) at which E s(z)^2 is the variance of z."""
    leak = text.partition(":")[2] or LEAK
    slope = exact(leak, f"the slope of {LEAKY}")
    if not 0 <= slope < 1:
        raise InputError(f"The slope {shown(leak)} of {LEAKY} is not between 0 and 1.", f"Write {LEAKY}:1/10.")
    a = sympy.Rational(slope.numerator, slope.denominator)
    return _parsed(f"relu(h) - {leak}*relu(-h)"), 2 / (1 + a**2)


def _parsed(formula: str) -> sympy.Expr:
    try:
        expr = parse(formula, Names(parameters={h.name: h}))
    except InputError as error:
        known = ", ".join((*ACTIVATIONS, LEAKY))
        raise InputError(
            f"The activation {shown(formula)} cannot be read. {error.message}",
            f"Name one of {known}, or write a formula in h such as erf(h/sqrt(2)).",
        ) from error
    if h not in expr.free_symbols:
        raise InputError(f"The activation {shown(formula)} does not depend on h.", "Write a formula in h.")
    return expr


def _positive(gain: object) -> sympy.Expr:
    number = parse(gain) if isinstance(gain, str) else sympy.Rational(exact(gain, "the gain"))
    if number.free_symbols or not number.is_finite or sign(number) != 1:
        raise InputError(f"The gain {number} is not positive and finite.", "Give a positive number, such as 1/sqrt(2).")
    return number
