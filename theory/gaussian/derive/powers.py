"""Powers times one sign: one move that integrates by parts until no power remains.

With w = Var z_b, c_i = Cov(z_i, z_b) and f the density of z_b at -c, for every monomial P

    E[P sign(z_b + c)] = E[P] erf(c/sqrt(2 w)) + 2 f S[P],   S[z_i Q] = c_i E[Q | z_b = -c] + sum_j c_ij S[dQ/dz_j];

the first term of S comes from the derivative of the sign in Stein's formula. E[P] and E[Q | z_b = -c] obey recursions
of the same kind. The value of each monomial is computed once.
"""

from functools import lru_cache

import sympy
from sympy.polys.rings import PolyElement

from theory.gaussian.derive.factors import atoms, threshold
from theory.gaussian.derive.polynomial_ring import Entries
from theory.gaussian.expectation import Expectation, variables

# Fewer powers are removed one at a time, because the longer proof is easier to follow.
LEAST_POWERS = 6

Powers = tuple[int, ...]


def one_sign_powers(e: Expectation) -> sympy.Expr | None:
    """E[prod_i z_i^n_i sign(z_b + c)] for six powers and more.

    E |z|^7 = 2^3 3! sqrt(2/pi):

    >>> from theory.expressions.symbols import z
    >>> one_sign_powers(Expectation(z(1) ** 7 * sympy.sign(z(1)), sympy.ImmutableDenseMatrix([[1]])))
    48*sqrt(2)/sqrt(pi)
    """
    factors = atoms(e.integrand)
    powers = [variables(factor)[0] for factor in factors if factor.is_Symbol]
    signs = [factor for factor in factors if isinstance(factor, sympy.sign)]
    if len(signs) != 1 or len(powers) < LEAST_POWERS or len(powers) + 1 < len(factors):
        return None
    return _by_parts(e.cov, *threshold(signs[0])).moment(tuple(powers.count(k + 1) for k in range(e.cov.rows)))


class _ByParts:
    """Moments of monomials times sign(z_row + offset), by recursion over the degree."""

    def __init__(self, cov: sympy.ImmutableDenseMatrix, row: int, offset: sympy.Expr) -> None:
        self.variance, self.offset = cov[row, row], offset
        self.entries = entries = Entries(cov, row, offset)
        self.cov, along = entries.cov, entries.cov[row]
        rows = range(cov.rows)
        # Given z_row, its own conditional covariances are zero.
        self.mean = [-entries.offset * (1 if i == row else along[i] * entries.inverse) for i in rows]
        self.given = [
            [
                entries.ring.zero if row in (i, j) else self.cov[i][j] - along[i] * along[j] * entries.inverse
                for j in rows
            ]
            for i in rows
        ]
        self.along = along
        self.known: dict[tuple[str, Powers], PolyElement] = {}

    def moment(self, powers: Powers) -> sympy.Expr:
        """E[z^powers sign(z_row + offset)]."""
        plain, jump = (self.entries.expr(self._of(kind, powers)) for kind in ("plain", "jump"))
        w, c = self.variance, self.offset
        density = sympy.exp(-(c**2) / (2 * w)) / sympy.sqrt(2 * sympy.pi * w)
        return plain * sympy.erf(c / sympy.sqrt(2 * w)) + 2 * density * jump

    def _of(self, kind: str, powers: Powers) -> PolyElement:
        """E[P] ("plain"), E[P | z_row = -offset] ("given") or S[P] ("jump") of the monomial."""
        if (kind, powers) not in self.known:
            self.known[kind, powers] = self._reduced(kind, powers)
        return self.known[kind, powers]

    def _reduced(self, kind: str, powers: Powers) -> PolyElement:
        ring = self.entries.ring
        first = next((i for i, power in enumerate(powers) if power), None)
        if first is None:
            return ring.zero if kind == "jump" else ring.one
        rest, total = _lowered(powers, first), ring.zero
        if kind != "plain":
            total += (self.along if kind == "jump" else self.mean)[first] * self._of("given", rest)
        cov = (self.given if kind == "given" else self.cov)[first]
        for j, power in enumerate(rest):
            if power and cov[j]:
                total += power * cov[j] * self._of(kind, _lowered(rest, j))
        return total


# The monomials of one integrand are evaluated in succession and share a recursion.
_by_parts = lru_cache(maxsize=4)(_ByParts)


def _lowered(powers: Powers, index: int) -> Powers:
    return tuple(power - (k == index) for k, power in enumerate(powers))


WHY = {
    "one-sign-powers": "powers times one sign, by parts (Stein) until no power is left; the sign's derivative is "
    "twice a Dirac factor",
}
MOVES = {"one-sign-powers": one_sign_powers}
