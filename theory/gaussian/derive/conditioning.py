"""Remove Dirac factors: the density at their point, times the conditional expectation given their variables."""

from math import prod

import sympy

from theory.expressions.symbols import z
from theory.gaussian.derive.factors import atoms, threshold, threshold_at
from theory.gaussian.derive.path import on_path
from theory.gaussian.expectation import Expectation, variables

ONE = sympy.Integer(1)


def density(e: Expectation) -> sympy.Expr | None:
    """E[delta(u + c) f] = (density of u at -c) E[f | u = -c], for variables u; None without a Dirac factor.

    A product of signs keeps its value when their arguments are multiplied by positive numbers. Multiplying by
    det Cov(u), or by its square root where all offsets are zero, keeps covariances and offsets polynomial. The sign of
    a variable that is a combination of the u is a number.

    >>> density(Expectation(sympy.DiracDelta(z(1)) * z(2) ** 2, sympy.eye(2)))
    sqrt(2)*E[z1**2; cov=[[1]]]/(2*sqrt(pi))
    """
    factors = atoms(e.integrand)
    fixed = [threshold(f) for f in factors if isinstance(f, sympy.DiracDelta)]
    if not fixed:
        return None
    rest = [f for f in factors if not isinstance(f, sympy.DiracDelta)]
    law = _Conditional(e.cov, fixed)
    determinant = law.determinant
    front = sympy.exp(law.exponent()) / ((2 * sympy.pi) ** sympy.Rational(len(fixed), 2) * sympy.sqrt(determinant))
    used = sorted({index for factor in rest for index in variables(factor)})
    offsets = {k: law.mean_times_det(k - 1) for k in used}
    if not all(isinstance(f, sympy.sign) for f in rest):
        new = {z(k): z(i + 1) + tidy(m) / determinant for i, (k, m) in enumerate(offsets.items())}
        new_factors, scale = [factor.xreplace(new) for factor in rest], 1 / determinant
    else:
        totals = {k: tidy(m + determinant * threshold_at(rest, k)) for k, m in offsets.items()}
        known = [k for k in used if law.cov_times_det(k - 1, k - 1) == 0]
        front *= prod((sympy.sign(totals[k]) for k in known), start=ONE)
        used = [k for k in used if k not in known]
        scale = determinant if any(totals[k] != 0 for k in used) else ONE
        new_factors = [sympy.sign(z(i + 1) + totals[k]) for i, k in enumerate(used)]
    if not used:
        return front
    cov = sympy.Matrix(len(used), len(used), lambda i, j: tidy(scale * law.cov_times_det(used[i] - 1, used[j] - 1)))
    return front * Expectation(prod(new_factors, start=ONE), cov)


class _Conditional:
    """Mean and covariance given u = -c, both times det Cov(u): polynomials in the covariances."""

    def __init__(self, cov: sympy.MatrixBase, fixed: list[tuple[int, sympy.Expr]]) -> None:
        self.cov, self.rows, self.at = cov, [row for row, _ in fixed], sympy.Matrix([c for _, c in fixed])
        block = cov.extract(self.rows, self.rows)
        self.determinant, self.weights = _determinant(block), block.adjugate()

    def exponent(self) -> sympy.Expr:
        """The exponent of the density of u at -c."""
        square = (self.at.T * self.weights * self.at)[0, 0]
        # SymPy takes long to see that 0/det is 0.
        return -sympy.factor_terms(square) / (2 * self.determinant) if square != 0 else square

    def cov_times_det(self, c: int, d: int) -> sympy.Expr:
        """det Cov(u) Cov(z_c, z_d | u)."""
        cross = self.cov.extract([c], self.rows) * self.weights * self.cov.extract(self.rows, [d])
        return sympy.expand(self.determinant * self.cov[c, d] - cross[0, 0])

    def mean_times_det(self, k: int) -> sympy.Expr:
        """det Cov(u) E[z_k | u = -c]."""
        return -(self.cov.extract([k], self.rows) * self.weights * self.at)[0, 0]


def _determinant(block: sympy.MatrixBase) -> sympy.Expr:
    """Return det C, for two variables as a product of variances less a square."""
    if block.rows > 2:
        return block.det(method="berkowitz")
    return block[0, 0] if block.rows == 1 else block[0, 0] * block[1, 1] - block[0, 1] ** 2


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
