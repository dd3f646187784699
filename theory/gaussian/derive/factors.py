"""The factors of a product of signs, powers and Dirac deltas, and the variable and the offset of each."""

import sympy

from theory.expressions.symbols import z
from theory.gaussian.expectation import variables


def atoms(integrand: sympy.Expr) -> list[sympy.Expr]:
    """Return the factors of a product, powers written out.

    >>> atoms(z(1) ** 3 * sympy.sign(z(2)))
    [z1, z1, z1, sign(z2)]
    """
    factors = []
    for factor in sympy.Mul.make_args(integrand):
        power = factor.is_Pow and factor.exp.is_Integer and factor.exp > 0
        factors += [factor.base] * int(factor.exp) if power else [factor]
    return factors


def threshold(factor: sympy.Expr) -> tuple[int, sympy.Expr]:
    """The index (from 0) and the offset c of sign(z_k + c) or DiracDelta(z_k + c).

    >>> threshold(sympy.sign(z(3) + 2))
    (2, 2)
    """
    (index,) = variables(factor)
    return index - 1, sympy.expand(factor.args[0] - z(index))


def signs_of(integrand: sympy.Expr) -> list[tuple[int, sympy.Expr]] | None:
    """Return index and offset of each factor, in the order of the indices; None unless all factors are signs.

    >>> signs_of(sympy.sign(z(2) - 1) * sympy.sign(z(1))), signs_of(z(1) * sympy.sign(z(2)))
    ([(0, 0), (1, -1)], None)
    """
    factors = atoms(integrand)
    if not all(isinstance(factor, sympy.sign) for factor in factors):
        return None
    return sorted((threshold(factor) for factor in factors), key=lambda item: item[0])


def threshold_at(factors: list[sympy.Expr], index: int) -> sympy.Expr:
    """The offset of the sign of z_index.

    >>> threshold_at([sympy.sign(z(1)), sympy.sign(z(2) + 5)], 2)
    5
    """
    return next(c for k, c in map(threshold, factors) if k == index - 1)
