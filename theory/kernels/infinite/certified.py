"""Certified digits of the kernels of an infinitely wide network at one pair of inputs, in balls.

    Sigma_1 = <x, x'> + v_b,   Sigma_(l+1) = v_w E[s(z) s(z')] + v_b,   z, z' ~ N(0, Sigma_l),
    K_1 = Sigma_1,             K_(l+1) = v_w E[s'(z) s'(z')] K_l + Sigma_(l+1).

Last weights of the variance 1/w have v_w = 1 in Sigma_d and before K_(d-1). Their own part of K_d, the last summand,
does not depend on them and keeps its v_w.

Where the inputs of a layer are equal, opposite, on a line or uncorrelated, its forms are taken there exactly: the
determinant of the covariance vanishes, and its ball would not.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import sympy

from theory.expressions.algebra import is_zero
from theory.expressions.balls.precision import decimals, precision
from theory.expressions.functions import OwensT
from theory.gaussian.certified.digits import SPARE, Certified, rounded
from theory.gaussian.covariance import sign
from theory.kernels.infinite.duals import Dual, Pair, c, dual, gap, p, q
from theory.kernels.infinite.network import ALIKE, WideNetwork
from theory.kernels.infinite.relation import EQUAL, LINES, SIDES, Case
from theory.problem.errors import InputError, OutOfReachError
from theory.problem.numbers import one_of

if TYPE_CHECKING:
    from flint import acb

    from theory.kernels.infinite.quadrature import Averages

NTK, NNGP, FIXED_GATES = "ntk", "nngp", "fixed-gates"
KERNELS = (NTK, NNGP, FIXED_GATES)
MAX_DIGITS = 1000
_CHECK_BITS = 64
# A layer loses some ten bits where its inputs are nearly proportional: enough for a thousand layers. Forms with
# Owen's T and integrals are slow at such precisions.
_MOST_BITS, _MOST_SPECIAL_BITS, _MOST_QUADRATURE_BITS = 2**14, 2**10, 2**9


def certified_kernel(
    network: WideNetwork,
    correlation: sympy.Expr,
    norms: tuple[sympy.Expr, sympy.Expr] = (sympy.Integer(1), sympy.Integer(1)),
    digits: int = 30,
    kernel: str = NTK,
) -> Certified:
    """Return a kernel at two inputs of the given norms and correlation, to `digits` correct significant digits.

    `kernel` is "ntk", the tangent kernel K_d; "nngp", the covariance Sigma_d of the outputs; or "fixed-gates", the
    tangent kernel d <x, x'> prod_l v_w E[s'(z_l) s'(z'_l)] of a network that is linear in its weights and takes its
    gates s' from another infinitely wide network. Of its d equal parts, one a layer of weights, all but the last are
    divided by v_w where the last weights have the variance 1/w. Raises InputError for a correlation beyond 1 or a norm
    that is not positive, and OutOfReachError where the engine has no dual, or the digits take too much work.

    >>> certified_kernel(WideNetwork("relu", 2), sympy.Rational(1, 2), digits=10).value
    '0.942331114378'
    >>> certified_kernel(WideNetwork("relu", 3), sympy.Integer(1), digits=10).value
    '3'
    """
    one_of(kernel, "the kernel", KERNELS)
    if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= MAX_DIGITS:
        raise InputError(f"digits={digits!r} is not between 1 and {MAX_DIGITS}.", "Ask for 30, say.")
    if kernel == FIXED_GATES and not network.activation.gated:
        raise OutOfReachError(
            f"{network.activation.expr} is no gate times its argument: s(h) = h s'(h) does not hold.",
            "Gates exist for linear, relu, leaky-relu and abs.",
        )
    with decimals():
        start = _start(network, correlation, norms)
        layers, bits = _averages(network, start)
    return _certified(lambda: _value(network, start, layers, kernel), digits, bits)


def _averages(network: WideNetwork, start: tuple[sympy.Expr, sympy.Expr, sympy.Expr]) -> "tuple[list[Averages], int]":
    """Return the averages of each layer as functions of balls, and the most bits: by closed forms or by integrals."""
    try:
        forms = dual(network.activation)
        pairs = list(_layers(forms, start, network))
    except OutOfReachError:
        from theory.kernels.infinite import quadrature

        biased = bool(network.bias_variance)
        averages = quadrature.layers(network.activation, _first_case(start), network.depth - 1, biased=biased)
        return list(averages), _MOST_QUADRATURE_BITS
    special = any(form.has(OwensT, sympy.Integral) for pair in pairs for form in (pair.value, pair.slope))
    square = forms.equal_inputs(1).value
    return [_by_forms(pair, square) for pair in pairs], _MOST_SPECIAL_BITS if special else _MOST_BITS


def _by_forms(pair: Pair, square: sympy.Expr) -> "Averages":
    """Return the averages of a layer by closed forms; `square` is that of E s(z)^2."""
    from flint import acb

    from theory.expressions.balls.closed_form import ball
    from theory.gaussian.certified.price_path import nonnegative

    def averages(one: acb, other: acb, both: acb) -> tuple[acb, ...]:
        table = {p: one, q: other, c: both, gap: acb(nonnegative((one * other - both * both).real))}
        if not table[gap].is_finite():
            return (acb("nan"),) * 4
        slope, value = ball(pair.slope, table), ball(pair.value, table)
        return value, slope, *(ball(square, {p: variance}) for variance in (one, other))

    return averages


def _start(
    network: WideNetwork, correlation: sympy.Expr, norms: tuple[sympy.Expr, sympy.Expr]
) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
    """Return the exact variances and covariance of the first layer."""
    for number in (correlation, *norms):
        if number.free_symbols or not number.is_finite:
            raise InputError(f"{number} is not a finite number.", "Give numbers, such as 1/2 or sqrt(2).")
    if sign(1 - correlation**2) < 0:
        raise InputError(f"The correlation {correlation} is not between -1 and 1.", "Give a correlation, such as 1/2.")
    if min(map(sign, norms)) < 1:
        raise InputError(f"The norms {norms[0]} and {norms[1]} must be positive.", "Give positive norms, such as 1.")
    bias = sympy.Rational(network.bias_variance.numerator, network.bias_variance.denominator)
    one, other = norms
    return one**2 + bias, other**2 + bias, correlation * one * other + bias


def _first_case(start: tuple[sympy.Expr, sympy.Expr, sympy.Expr]) -> Case:
    one, other, both = start
    if is_zero(both) is True:
        return Case.UNCORRELATED
    if is_zero(one * other - both**2) is not True:
        return Case.GENERAL
    return (EQUAL if is_zero(one - other) is True else LINES)[sign(both)]


def _layers(forms: Dual, start: tuple[sympy.Expr, sympy.Expr, sympy.Expr], network: WideNetwork) -> Iterator[Pair]:
    """Yield the forms of each layer in p, q, c and gap."""
    case, biased = _first_case(start), bool(network.bias_variance)
    for _ in range(network.depth - 1):
        pair, case = _layer(forms, case, biased=biased)
        yield pair


def _layer(forms: Dual, case: Case, *, biased: bool) -> tuple[Pair, Case]:
    """Return the forms of one layer, and the relation of the next layer's inputs."""
    if case is Case.GENERAL:
        return forms.pair, case
    if case is Case.UNCORRELATED:
        pair = forms.uncorrelated
        return pair, case if pair.value == 0 and not biased else Case.GENERAL
    side = SIDES[case]
    equal = case in (Case.SAME, Case.OPPOSITE)
    pair = forms.equal_inputs(side) if equal else forms.on_a_line(side)
    if pair is None:
        return forms.pair, Case.GENERAL
    if not pair.finite:
        raise OutOfReachError(
            f"The slopes of {forms.activation.expr} have no form for proportional inputs.",
            "Move the correlation away from 1 and -1.",
        )
    along = side if side == 1 else forms.activation.parity
    keeps = (equal or forms.activation.degree is not None) and along and not (biased and (along < 0 or not equal))
    if keeps:
        return pair, (EQUAL if equal else LINES)[along]
    vanishes = pair.value == 0 and not biased
    return pair, Case.UNCORRELATED if vanishes else Case.GENERAL


def _value(
    network: WideNetwork, start: tuple[sympy.Expr, sympy.Expr, sympy.Expr], layers: "list[Averages]", kernel: str
) -> "acb":
    """Return the ball of the kernel at the working precision."""
    from flint import acb, fmpq

    from theory.expressions.balls.closed_form import ball

    weight, bias = (
        acb(fmpq(number.numerator, number.denominator)) for number in (network.weight_variance, network.bias_variance)
    )
    one, other, both = (ball(number, {}) for number in start)
    tangent, gates = both, both - bias
    unit = network.last != ALIKE and network.depth > 1
    covariance = both
    for number, averages in enumerate(layers, start=2):
        value, slope, *squares = averages(one, other, both)
        factor = 1 if unit and number == network.depth else weight
        covariance = factor * value + bias
        both = weight * value + bias
        tangent = factor * slope * tangent + both
        gates = weight * slope * gates
        one, other = (weight * square + bias for square in squares)
    if kernel == FIXED_GATES:
        return (network.depth - 1) * gates / (weight if unit else 1) + gates
    return tangent if kernel == NTK else covariance


def _certified(compute: Callable[[], "acb"], digits: int, bits: int) -> Certified:
    from theory.expressions.balls.closed_form import NotCertified, enclose

    try:
        with precision(_CHECK_BITS):
            if compute().is_zero():
                return Certified("0", "0", digits, "exact")
        middle, radius = enclose(compute, digits + SPARE + 1, bits)
    except NotCertified as error:
        hint = (
            "Ask for fewer digits, or a smaller depth."
            if error.reached
            else "Use a smaller depth or norms, or smaller correlations."
        )
        raise OutOfReachError(f"{digits} certified digits are out of reach: {error}.", hint) from error
    return rounded(middle, radius, digits, "arb")
