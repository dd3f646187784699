"""Powers times signs: one move that integrates by parts until no power remains.

With X_T = E[prod_(k in T) 2 delta(z_k + c_k) prod_(k not in T) sign(z_k + c_k)], for every monomial P

    E[P prod_k sign(z_k + c_k)] = sum_T a_T X_T,

where a = V_{}[P]. Given z_k = -c_k for the k in T, let z have the means m and the covariances c. Stein's formula is

    V_T[z_i Q] = m_i V_T[Q] + sum_j c_ij V_T[dQ/dz_j] + sum_(k not in T) c_ik V_(T + k)[Q],

whose last term comes from the derivatives of the signs, and V_T[1] is one at T. The value of each monomial is computed
once.
"""

from functools import lru_cache
from math import prod

import sympy
from sympy.polys.rings import PolyElement

from theory.expressions.algebra import is_zero
from theory.expressions.symbols import z
from theory.gaussian.derive.factors import atoms, threshold
from theory.gaussian.derive.polynomial_ring import Entries, Rows
from theory.gaussian.expectation import Expectation, marginal, variables

# Five dependent signs have no law; the recursion would store a moment for each subset of them.
MOST_SIGNS = 4

Powers = tuple[int, ...]
Value = dict[Rows, PolyElement]


def sign_powers(e: Expectation) -> sympy.Expr | None:
    """E[prod_i z_i^n_i prod_k sign(z_k + c_k)] for up to four signs.

    E |z|^7 is twice the density at 0 times 2^3 3!:

    >>> sign_powers(Expectation(z(1) ** 7 * sympy.sign(z(1)), sympy.ImmutableDenseMatrix([[1]])))
    96*E[DiracDelta(z1); cov=[[1]]]
    """
    factors = atoms(e.integrand)
    powers = [variables(factor)[0] for factor in factors if factor.is_Symbol]
    signs = dict(threshold(factor) for factor in factors if isinstance(factor, sympy.sign))
    if not powers or not 0 < len(signs) <= MOST_SIGNS or len(powers) + len(signs) < len(factors):
        return None
    by_parts = _by_parts(e.cov, tuple(sorted(signs.items())))
    if not by_parts.transversal:
        return None
    return by_parts.moment(tuple(powers.count(k + 1) for k in range(e.cov.rows)))


class _ByParts:
    """Moments of monomials times the signs of z_k + c_k, by recursion over the degree."""

    def __init__(self, cov: sympy.ImmutableDenseMatrix, signs: tuple[tuple[int, sympy.Expr], ...]) -> None:
        self.original, self.signs = cov, dict(signs)
        self.entries = Entries(cov, self.signs)
        zero, one = self.entries.ring.zero, self.entries.ring.one
        self.mean, self.cov = {(): [zero] * cov.rows}, {(): self.entries.cov}
        self.known: dict[tuple[Rows, Powers], Value] = {}
        self.unit = {T: {T: one} for T in self._conditioned()}
        self.basis = {T: self._factors(T) for T in self.mean}

    def _conditioned(self) -> list[Rows]:
        """Compute the means and covariances given z_k = -c_k for k in T, for every T that is not singular."""
        for (*before, k), inverse in self.entries.inverses.items():
            mean, cov = self.mean[tuple(before)], self.cov[tuple(before)]
            slope = [row[k] * inverse for row in cov]
            gap = self.entries.offsets[k] + mean[k]
            rows, T = range(len(cov)), (*before, k)
            fixed = [i in T for i in rows]
            self.mean[T] = [-self.entries.offsets[i] if fixed[i] else mean[i] - slope[i] * gap for i in rows]
            self.cov[T] = [
                [self.entries.ring.zero if fixed[i] or fixed[j] else cov[i][j] - slope[i] * cov[k][j] for j in rows]
                for i in rows
            ]
        return list(self.mean)

    @property
    def transversal(self) -> bool:
        """Whether no z_k + c_k vanishes given zeros of others, of which it is a combination: its sign would be open."""
        open_signs = (
            is_zero(self.entries.expr(mean[k] + self.entries.offsets[k])) is not False
            for T, mean in self.mean.items()
            for k in self.signs
            if k not in T and _with(T, k) not in self.mean
        )
        return not any(open_signs)

    def moment(self, powers: Powers) -> sympy.Expr:
        """E[z^powers prod_k sign(z_k + c_k)]."""
        return sympy.Add(*(self.entries.expr(a) * self.basis[T] for T, a in self._value((), powers).items()))

    def _factors(self, T: Rows) -> sympy.Expr:
        """X_T; delta(s u) = delta(u)/s for the scale s of the entries."""
        functions = ((sympy.DiracDelta if k in T else sympy.sign)(z(k + 1) + c) for k, c in self.signs.items())
        front = sympy.Mul(*(2 / self.entries.scale[k] for k in T))
        return front * marginal(prod(functions, start=sympy.Integer(1)), self.original)

    def _value(self, T: Rows, powers: Powers) -> Value:
        """V_T[z^powers]."""
        if (T, powers) not in self.known:
            self.known[T, powers] = self._reduced(T, powers)
        return self.known[T, powers]

    def _reduced(self, T: Rows, powers: Powers) -> Value:
        first = next((i for i, power in enumerate(powers) if power), None)
        if first is None:
            return self.unit[T]
        rest, row = _lowered(powers, first), self.cov[T][first]
        parts = [(self.mean[T][first], T, rest)]
        parts += [(power * row[j], T, _lowered(rest, j)) for j, power in enumerate(rest) if power]
        parts += [(row[k], _with(T, k), rest) for k in self.signs if k not in T and _with(T, k) in self.mean]
        total: Value = {}
        for factor, subset, left in parts:
            if factor:
                for key, value in self._value(subset, left).items():
                    total[key] = total[key] + factor * value if key in total else factor * value
        return {key: value for key, value in total.items() if value}


# The monomials of one integrand are evaluated in succession and share a recursion.
_by_parts = lru_cache(maxsize=8)(_ByParts)


def _with(T: Rows, k: int) -> Rows:
    return tuple(sorted((*T, k)))


def _lowered(powers: Powers, index: int) -> Powers:
    return tuple(power - (k == index) for k, power in enumerate(powers))


WHY = {
    "sign-powers": "powers times signs, by parts (Stein) until no power is left; a sign's derivative is twice a "
    "Dirac factor",
}
MOVES = {"sign-powers": sign_powers}
