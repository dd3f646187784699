"""Remove Dirac factors: the density at their point, times the conditional expectation given their variables."""

from math import prod

import sympy

from theory.expressions.symbols import z
from theory.gaussian.derive.factors import atoms, threshold, threshold_at
from theory.gaussian.derive.path import on_path
from theory.gaussian.expectation import Expectation, variables

ONE = sympy.Integer(1)


def density(e: Expectation) -> sympy.Expr | None:
    """E[delta(u + c) f] = (density of u at -c) E[f | u = -c], for one or two variables u; None without a Dirac factor.

    A product of signs keeps its value when their arguments are multiplied by positive numbers. Multiplying by
    det Cov(u), or by its square root where all offsets are zero, keeps covariances and offsets polynomial.

    >>> density(Expectation(sympy.DiracDelta(z(1)) * z(2) ** 2, sympy.eye(2)))
    sqrt(2)*E[z1**2; cov=[[1]]]/(2*sqrt(pi))
    """
    factors = atoms(e.integrand)
    fixed = [threshold(f) for f in factors if isinstance(f, sympy.DiracDelta)]
    if not fixed:
        return None
    rest = [f for f in factors if not isinstance(f, sympy.DiracDelta)]
    determinant, exponent = _density_at(e.cov, fixed)
    front = sympy.exp(exponent) / ((2 * sympy.pi) ** sympy.Rational(len(fixed), 2) * sympy.sqrt(determinant))
    if not rest:
        return front
    used = sorted({index for factor in rest for index in variables(factor)})
    given = _Conditional(e.cov, fixed, determinant)
    only_signs = all(isinstance(f, sympy.sign) for f in rest)
    offsets = [given.mean_times_det(k - 1) for k in used]
    if only_signs:
        totals = {k: m + determinant * threshold_at(rest, k) for k, m in zip(used, offsets, strict=True)}
        shifted = any(tidy(total) != 0 for total in totals.values())
        scale = determinant if shifted else ONE
        new_factors = [sympy.sign(z(i + 1) + tidy(totals[k])) for i, k in enumerate(used)]
    else:
        scale = 1 / determinant
        new = {z(k): z(i + 1) + tidy(m) / determinant for i, (k, m) in enumerate(zip(used, offsets, strict=True))}
        new_factors = [factor.xreplace(new) for factor in rest]
    cov = sympy.Matrix(len(used), len(used), lambda i, j: tidy(scale * given.cov_times_det(used[i] - 1, used[j] - 1)))
    return front * Expectation(prod(new_factors, start=ONE), cov)


def _density_at(cov: sympy.MatrixBase, fixed: list[tuple[int, sympy.Expr]]) -> tuple[sympy.Expr, sympy.Expr]:
    """Return det Cov(u) and the exponent of the density of u at -c."""
    (a, c), (b, d) = fixed[0], fixed[-1]
    if len(fixed) == 1:
        return cov[a, a], -(c**2) / (2 * cov[a, a])
    determinant = cov[a, a] * cov[b, b] - cov[a, b] ** 2
    if c == 0 and d == 0:  # SymPy takes long to see that 0/det is 0
        return determinant, sympy.Integer(0)
    square = cov[b, b] * c**2 - 2 * cov[a, b] * c * d + cov[a, a] * d**2
    return determinant, -sympy.factor_terms(square) / (2 * determinant)


class _Conditional:
    """Mean and covariance given u = -c, both times det Cov(u): polynomials in the covariances."""

    def __init__(self, cov: sympy.MatrixBase, fixed: list[tuple[int, sympy.Expr]], determinant: sympy.Expr) -> None:
        self.cov, self.fixed, self.determinant = cov, fixed, determinant

    def cov_times_det(self, c: int, d: int) -> sympy.Expr:
        """det Cov(u) Cov(z_c, z_d | u)."""
        cov, a, b = self.cov, self.fixed[0][0], self.fixed[-1][0]
        if len(self.fixed) == 1:
            return cov[a, a] * cov[c, d] - cov[a, c] * cov[a, d]
        return (
            self.determinant * cov[c, d]
            - cov[b, b] * cov[a, c] * cov[a, d]
            - cov[a, a] * cov[b, c] * cov[b, d]
            + cov[a, b] * (cov[a, c] * cov[b, d] + cov[b, c] * cov[a, d])
        )

    def mean_times_det(self, k: int) -> sympy.Expr:
        """det Cov(u) E[z_k | u = -c]."""
        cov, (a, at), (b, also) = self.cov, self.fixed[0], self.fixed[-1]
        if len(self.fixed) == 1:
            return -cov[a, k] * at
        by_a = cov[b, b] * cov[a, k] - cov[a, b] * cov[b, k]
        by_b = cov[a, a] * cov[b, k] - cov[a, b] * cov[a, k]
        return -(by_a * at + by_b * also)


def tidy(expr: sympy.Expr) -> sympy.Expr:
    """A sum collected in powers of the interpolation parameter, or expanded where there is none.

    >>> from theory.expressions.symbols import path
    >>> c = sympy.Symbol("c")
    >>> tidy(path * (c + path) + path * c), tidy(c * (1 + c))
    (2*c*t + t**2, c**2 + c)
    """
    expanded = sympy.expand(expr)
    bound = on_path(expanded)
    return sympy.collect(expanded, bound[0], sympy.factor_terms) if bound else expanded
