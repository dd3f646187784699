"""Expectations of one-sided factors as upper partial moments, which have no terms that cancel in a tail.

    UpperMoment(q, x) = E max(z - x, 0)^q,   UpperMoment2(p, q, s, t, r, 1 - r^2) = E max(z1 - s, 0)^p max(z2 - t, 0)^q

for standard normal variables, z1 and z2 of correlation r; the power 0 is the step. erfc(u) = 2 E 1[e > sqrt(2) u] and
Phi(u) = E 1[e < u] are steps with one more variable e ~ N(0, 1).
"""

from dataclasses import dataclass
from itertools import product
from math import comb, prod

import sympy

from theory.expressions.algebra import is_zero
from theory.expressions.functions import Phi, Relu
from theory.gaussian.derive.integrand import Form, affine, linear
from theory.gaussian.derive.moves import covariance_of
from theory.gaussian.expectation import variables

MOST_FACTORS = 2
# The recurrence of the moments loses a digit a power; three keep thirteen.
MOST_POWER = 3
MOST_TERMS = 24
ONE = sympy.Integer(1)


class UpperMoment(sympy.Function):
    """E max(z - x, 0)^q for z ~ N(0, 1), as UpperMoment(q, x)."""

    nargs = 2
    is_extended_nonnegative = True


class UpperMoment2(sympy.Function):
    """E max(z1 - s, 0)^p max(z2 - t, 0)^q, as UpperMoment2(p, q, s, t, r, 1 - r^2)."""

    nargs = 6
    is_extended_nonnegative = True


@dataclass(frozen=True)
class _Side:
    """max(u, 0)^power for u = form + offset plus `noise` (0 or 1) times a standard normal variable of its own."""

    argument: sympy.Expr
    noise: int
    power: int


def upper_form(expr: sympy.Expr, cov: sympy.MatrixBase) -> sympy.Expr | None:
    """E[expr] for z ~ N(0, cov) as a sum of upper moments; None where it has no such form or no threshold.

    A term may be a product of at most two factors Heaviside(u), relu(u)^n, erfc(u) and Phi(u), and of powers of their
    variables.

    >>> from theory.expressions.symbols import z
    >>> upper_form(Relu(z(1) - 6), sympy.eye(1))
    UpperMoment(1, 6)
    >>> upper_form(sympy.erf(z(1) - 6), sympy.eye(1)) is None
    True
    """
    terms = sympy.Add.make_args(sympy.expand(expr))
    if len(terms) > MOST_TERMS:
        return None
    parts = [_term(term, cov) for term in terms]
    if any(term is None for term in parts):
        return None
    form = sympy.Add(*parts)
    moments = form.atoms(UpperMoment, UpperMoment2)
    thresholds = [x for m in moments for x in (m.args[1:] if isinstance(m, UpperMoment) else m.args[2:4])]
    return form if any(x != 0 for x in thresholds) else None


def _term(term: sympy.Expr, cov: sympy.MatrixBase) -> sympy.Expr | None:
    """Return the expectation of a product in upper moments, or None."""
    front, sides, powers = ONE, [], {}
    for factor in sympy.Mul.make_args(term):
        base, exponent = factor.as_base_exp()
        if not variables(factor):
            front *= factor
        elif not (exponent.is_Integer and exponent > 0):
            return None
        elif base.is_Symbol:
            powers[base] = int(exponent)
        else:
            read = _sides(base, int(exponent))
            if read is None:
                return None
            number, more = read
            front, sides = front * number, sides + more
    sides = _merged(sides)
    expansions = _with_powers(sides, powers)
    if expansions is None or not 1 <= len(sides) <= MOST_FACTORS:
        return front if not sides and not powers else None
    moments = [(c, _moment(chosen, cov)) for c, chosen in expansions]
    return None if any(m is None for _, m in moments) else front * sympy.Add(*(c * m for c, m in moments))


def _sides(base: sympy.Expr, exponent: int) -> tuple[sympy.Expr, list[_Side]] | None:
    """Return the number in front and the one-sided factors of base^exponent; None for another function."""
    argument = base.args[0] if base.args else None
    if isinstance(base, sympy.Heaviside):
        return ONE, [_Side(argument, 0, 0)]
    if isinstance(base, Relu):
        return ONE, [_Side(argument, 0, exponent)]
    if isinstance(base, sympy.Max) and len(base.args) == 2 and 0 in base.args:
        return ONE, [_Side(base.args[0] + base.args[1], 0, exponent)]
    if isinstance(base, Phi):
        return ONE, [_Side(argument, 1, 0)] * exponent
    if isinstance(base, sympy.erfc):
        return sympy.Integer(2) ** exponent, [_Side(-sympy.sqrt(2) * argument, 1, 0)] * exponent
    return None


def _merged(sides: list[_Side]) -> list[_Side]:
    """Join the factors without noise that have equal arguments: their powers add up."""
    powers: dict[sympy.Expr, int] = {}
    for side in sides:
        if not side.noise:
            powers[side.argument] = powers.get(side.argument, 0) + side.power
    return [side for side in sides if side.noise] + [_Side(u, 0, power) for u, power in powers.items()]


def _with_powers(sides: list[_Side], powers: dict[sympy.Symbol, int]) -> list[tuple[sympy.Expr, list[_Side]]] | None:
    """Multiply by powers of z_i = (u - b)/a, each the variable of a factor max(u, 0)^n, u = a z_i + b; else None."""
    choices = []
    left = dict(powers)
    for side in sides:
        form, offset = affine(side.argument)
        symbol = linear(form) / next(iter(form.values())) if len(form) == 1 and not side.noise else None
        k = left.pop(symbol, 0)
        slope = next(iter(form.values())) if k else ONE
        choices.append(
            [
                (comb(k, j) * (-offset) ** (k - j) / slope**k, _Side(side.argument, side.noise, side.power + j))
                for j in range(k + 1)
            ]
        )
    if left or any(side.power > MOST_POWER for row in choices for _, side in row):
        return None
    chosen = ((prod((c for c, _ in row), start=ONE), [side for _, side in row]) for row in product(*choices))
    return [(c, row) for c, row in chosen if c != 0]


def _moment(sides: list[_Side], cov: sympy.MatrixBase) -> sympy.Expr | None:
    """Return E of one or two factors; None where a variance is zero or the variables are linearly dependent."""
    forms: list[tuple[Form, sympy.Expr]] = [affine(side.argument) for side in sides]
    variances = [
        sympy.expand(covariance_of(form, form, cov)) + side.noise for side, (form, _) in zip(sides, forms, strict=True)
    ]
    if any(is_zero(v) is not False for v in variances):
        return None
    roots = [sympy.sqrt(v) for v in variances]
    levels = [-offset / root for (_, offset), root in zip(forms, roots, strict=True)]
    front = sympy.Mul(*(root**side.power for root, side in zip(roots, sides, strict=True)))
    cross = sympy.expand(covariance_of(forms[0][0], forms[-1][0], cov))
    if len(sides) == 1 or is_zero(cross) is True:
        each = (UpperMoment(side.power, level) for side, level in zip(sides, levels, strict=True))
        return front * sympy.Mul(*each)
    both = variances[0] * variances[1]
    minor = sympy.factor(sympy.expand(both - cross**2))
    if is_zero(minor) is True:
        return None
    return front * UpperMoment2(*(side.power for side in sides), *levels, cross / sympy.Mul(*roots), minor / both)
