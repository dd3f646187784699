"""Covariances and one sign's offset as elements of a polynomial ring, in which high powers are cheap."""

import sympy
from sympy.polys.rings import PolyElement, PolyRing


class Entries:
    """Covariances, the sign's offset c and 1/Var of its variable z_row; entries that are not rational are generators.

    >>> v = sympy.Symbol("v", positive=True)
    >>> entries = Entries(sympy.Matrix([[v]]), 0, sympy.Integer(0))
    >>> entries.expr(entries.cov[0][0] ** 3 * entries.inverse)
    v**2
    """

    def __init__(self, cov: sympy.MatrixBase, row: int, offset: sympy.Expr) -> None:
        """Introduce a generator for each entry that is not a rational number."""
        inverse = 1 / cov[row, row]
        written = sorted({*cov, offset, inverse}, key=sympy.default_sort_key)
        names = {expr: sympy.Dummy(f"x{k}") for k, expr in enumerate(written) if not expr.is_Rational}
        self.ring = PolyRing([*names.values(), sympy.Dummy("unused")], sympy.QQ, sympy.lex)
        self._back = {name: expr for expr, name in names.items()}
        rows = range(cov.rows)
        self.cov = [[self.ring.from_expr(names.get(cov[i, j], cov[i, j])) for j in rows] for i in rows]
        self.offset, self.inverse = (self.ring.from_expr(names.get(x, x)) for x in (offset, inverse))
        self._variance = self.cov[row][row]

    def expr(self, element: PolyElement) -> sympy.Expr:
        """Return the element as an expression, common factors in front: equal elements give equal expressions."""
        return sympy.factor_terms(self._reduced(element).as_expr().xreplace(self._back))

    def _reduced(self, element: PolyElement) -> PolyElement:
        """Cancel products of the variance and its inverse."""
        if not (self._variance.is_generator and self.inverse.is_generator):
            return element
        one, other = (self.ring.index(generator) for generator in (self._variance, self.inverse))
        result = self.ring.zero
        for powers, coefficient in element.terms():
            both = min(powers[one], powers[other])
            left = tuple(power - both * (k in (one, other)) for k, power in enumerate(powers))
            result += self.ring.from_dict({left: coefficient})
        return result
