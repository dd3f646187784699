"""Arcs, each the atan of an element of the field, and the addition theorem that joins a sum of them to one arc."""

from math import lcm

import sympy

from theory.expressions.generators import Field

# The most arcs, with their multiplicity, that the addition theorem joins.
MOST_ARCS = 24


Arcs = dict[sympy.Dummy, sympy.Expr]


def known_arc(field: Field, tangent: sympy.Expr, arcs: Arcs, pi: sympy.Dummy) -> sympy.Expr | None:
    """Express atan(tangent) by one of `arcs`: atan(-u) = -atan u or atan(1/u) = sign(u) pi/2 - atan u; else None."""
    for angle, other in arcs.items():
        for side in (1, -1):
            if field.is_zero(tangent - side * other):
                return side * angle
            if field.is_zero(tangent * other - side):
                return field.sign(tangent) * pi / 2 - side * angle
    return None


def joined(field: Field, element: sympy.Expr, known: Arcs, pi: sympy.Dummy) -> tuple[sympy.Expr, sympy.Rational] | None:
    """Return (u, q) with `element` = c (atan u + q pi); None unless it is c (sum n_j atan u_j + q pi), n_j integers."""
    numerator, _ = field.over(element)
    arcs = [arc for arc in (*known, pi) if arc in numerator.free_symbols]
    if not arcs:
        return None
    poly = sympy.Poly(numerator, *arcs)
    if set(map(sum, poly.monoms())) != {1}:
        return None
    first = poly.coeff_monomial(arcs[0])
    shares = {arc: sympy.cancel(poly.coeff_monomial(arc) / first) for arc in arcs}
    if not all(share.is_Rational for share in shares.values()):
        return None
    common = lcm(*(int(share.q) for arc, share in shares.items() if arc is not pi), 1)
    turn = shares.pop(pi, sympy.Integer(0)) * common
    times = {arc: int(share * common) for arc, share in shares.items()}
    if sum(map(abs, times.values())) > MOST_ARCS:
        return None
    total = sympy.Integer(0)
    for arc, count in times.items():
        for _ in range(abs(count)):
            total, quarters = _joined(field, total, known[arc] if count > 0 else -known[arc])
            turn += sympy.Rational(quarters, 2)
    return total, turn


def _joined(field: Field, u: sympy.Expr, v: sympy.Expr) -> tuple[sympy.Expr, int]:
    """Return (w, k) with atan u + atan v = atan w + k pi/2."""
    rest = 1 - u * v
    if field.is_zero(rest):
        return sympy.Integer(0), field.sign(v)
    above, below = field.over((u + v) / rest)
    return above / below, 0 if field.sign(rest) > 0 else 2 * field.sign(v)
