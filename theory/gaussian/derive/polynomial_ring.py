"""Covariances and the offsets of signs as elements of a polynomial ring, in which high powers are cheap."""

from collections.abc import Mapping
from itertools import combinations

import sympy
from sympy.polys.rings import PolyElement, PolyRing

from theory.expressions.algebra import is_zero

Rows = tuple[int, ...]
ROOT2 = sympy.sqrt(2)


class Entries:
    """Covariances and the offset c_k of each sign(z_k + c_k); entries that are not rational are generators.

    The variable of an erf has covariances sqrt(2) c_ik: it is multiplied by `scale`, sqrt(2), where that makes them
    rational. `inverses` are 1/Var(z_k | z_j for j in T) for all rows (*T, k) of signs, ascending, that are linearly
    independent. `z` are further generators, one for each variable.

    >>> v = sympy.Symbol("v", positive=True)
    >>> entries = Entries(sympy.Matrix([[v]]), {0: sympy.Integer(0)})
    >>> entries.expr(entries.cov[0][0] ** 3 * entries.inverses[(0,)])
    v**2
    """

    def __init__(self, cov: sympy.MatrixBase, offsets: Mapping[int, sympy.Expr]) -> None:
        """Introduce a generator for each entry that is not a rational number."""
        rows = range(cov.rows)
        self.scale = [_scale(cov, k, offsets) if k in offsets else sympy.Integer(1) for k in rows]
        scaled = cov.multiply_elementwise(sympy.Matrix(self.scale) * sympy.Matrix([self.scale]))
        moved = {k: c * self.scale[k] for k, c in offsets.items()}
        inverses = _inverses(scaled, tuple(offsets))
        written = sorted({*scaled, *moved.values(), *inverses.values()}, key=sympy.default_sort_key)
        names = {expr: sympy.Dummy(f"x{k}") for k, expr in enumerate(written) if not expr.is_Rational}
        self.ring = PolyRing([*(sympy.Dummy(f"z{k + 1}") for k in rows), *names.values()], sympy.QQ, sympy.lex)
        self.z = self.ring.gens[: cov.rows]
        self._back = {name: expr for expr, name in names.items()}

        def element(expr: sympy.Expr) -> PolyElement:
            return self.ring.from_expr(names.get(expr, expr))

        self.cov = [[element(scaled[i, j]) for j in rows] for i in rows]
        self.offsets = {k: element(c) for k, c in moved.items()}
        self.inverses = {chain: element(inverse) for chain, inverse in inverses.items()}
        named = scaled.applyfunc(lambda x: names.get(x, x))
        self.minors = {(): self.ring.one}
        for chain in self.inverses:
            minor = named.extract(chain, chain).det(method="berkowitz")
            self.minors[chain] = self.ring.from_expr(sympy.expand(minor))

    def expr(self, element: PolyElement) -> sympy.Expr:
        """Return the element as a fraction in its lowest terms: equal elements give equal expressions."""
        front = sympy.Integer(1)
        for chain in reversed(self.inverses):
            inverse, minor = self.inverses[chain], self.minors[chain]
            if minor.is_ground:
                continue
            element, power = _over(element, self.ring.index(inverse), self.minors[chain[:-1]], minor)
            while power and not (quotient := element.div([minor]))[1]:
                element, power = quotient[0][0], power - 1
            front *= minor.as_expr() ** -power
        return (front * sympy.factor_terms(element.as_expr())).xreplace(self._back)


def _over(element: PolyElement, inverse: int, numerator: PolyElement, minor: PolyElement) -> tuple[PolyElement, int]:
    """Return P and n with `element` = P/minor^n, numerator/minor put in for the generator of index `inverse`."""
    parts: dict[int, PolyElement] = {}
    for powers, coefficient in element.terms():
        n = powers[inverse]
        rest = tuple(power * (k != inverse) for k, power in enumerate(powers))
        parts.setdefault(n, element.ring.zero)[rest] = coefficient
    most = max(parts, default=0)
    return sum((numerator**n * minor ** (most - n) * part for n, part in parts.items()), element.ring.zero), most


def _scale(cov: sympy.MatrixBase, row: int, signs: Mapping[int, sympy.Expr]) -> sympy.Expr:
    entries = (signs[row], *(cov[row, j] for j in range(cov.rows) if j not in signs))
    roots = [entry for entry in entries if not entry.is_Rational]
    return ROOT2 if roots and all((ROOT2 * entry).is_Rational for entry in roots) else sympy.Integer(1)


def _inverses(cov: sympy.MatrixBase, rows: Rows) -> dict[Rows, sympy.Expr]:
    """Return 1/Var(z_k | z_T) = det Cov(z_T)/det Cov(z_T, z_k) for each chain (*T, k) that is not singular."""
    minors: dict[Rows, sympy.Expr] = {(): sympy.Integer(1)}
    inverses = {}
    for size in range(1, len(rows) + 1):
        for chain in combinations(sorted(rows), size):
            minor = sympy.expand(cov.extract(chain, chain).det(method="berkowitz"))
            if chain[:-1] in minors and is_zero(minor) is not True:
                minors[chain] = minor
                inverses[chain] = sympy.cancel(minors[chain[:-1]] / minor)
    return inverses
