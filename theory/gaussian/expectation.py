"""The inert expectations E[f(z)] and E[f(z) | A z = b] of Gaussian variables with mean zero, as SymPy objects."""

import re
from collections.abc import Callable

import sympy

from theory.expressions.symbols import z

VARIABLE = re.compile(r"z([1-9][0-9]*)")


def variables(expr: sympy.Basic) -> list[int]:
    """Return the indices of the Gaussian variables z1, z2, ... in `expr`, ascending.

    >>> variables(z(3) * sympy.erf(sympy.Symbol("g") * z(1)))
    [1, 3]
    """
    names = (VARIABLE.fullmatch(symbol.name) for symbol in expr.atoms(sympy.Symbol))
    return sorted(int(name[1]) for name in names if name)


class _Average(sympy.Expr):
    """An average over z ~ N(0, cov) that is not evaluated: its first two arguments are the integrand and `cov`."""

    is_commutative = True
    is_extended_real = True

    @property
    def integrand(self) -> sympy.Expr:
        """The function of z1, z2, ... whose expectation this is."""
        return self.args[0]

    @property
    def cov(self) -> sympy.ImmutableDenseMatrix:
        """The covariance matrix of z1, z2, ..."""
        return self.args[1]

    @property
    def bound_symbols(self) -> list[sympy.Symbol]:
        """z1, ..., zm."""
        return [z(index + 1) for index in range(self.cov.rows)]

    @property
    def free_symbols(self) -> set[sympy.Symbol]:
        """The parameters."""
        return set().union(*(part.free_symbols for part in self.args)) - set(self.bound_symbols)

    def _eval_subs(self, old: sympy.Basic, new: sympy.Basic) -> "_Average | None":
        del new
        return self if old in self.bound_symbols else None

    def _printed(self, printer, condition: str) -> str:
        rows = [" & ".join(printer._print(entry) for entry in row) for row in self.cov.tolist()]
        matrix = r"\left(\begin{smallmatrix}" + r" \\ ".join(rows) + r"\end{smallmatrix}\right)"
        law = rf"z \sim \mathcal{{N}}\left(0, {matrix}\right)"
        return rf"\mathbb{{E}}_{{{law}}}\left[{printer._print(self.integrand)}{condition}\right]"


class Expectation(_Average):
    """E[integrand] for z ~ N(0, cov), not evaluated; z1, z2, ... are bound, everything else is a parameter.

    >>> rho = sympy.Symbol("rho", real=True)
    >>> Expectation(sympy.sign(z(1)) * z(2), sympy.Matrix([[1, rho], [rho, 1]])).free_symbols
    {rho}
    """

    def __new__(cls, integrand: sympy.Expr, cov: sympy.MatrixBase) -> "Expectation":
        """The expectation of `integrand` under the m x m matrix `cov` of covariances of z1, ..., zm."""
        return super().__new__(cls, integrand, sympy.ImmutableDenseMatrix(cov))

    def _latex(self, printer) -> str:
        return self._printed(printer, "")

    def _sympystr(self, printer) -> str:
        return f"E[{printer._print(self.integrand)}; cov={printer._print(self.cov.tolist())}]"


class GivenExpectation(_Average):
    """E[integrand | A z = values] for z ~ N(0, cov), not evaluated; z1, z2, ... are bound.

    It is no `Expectation`, so that no rule on expectations without observations applies to it.

    >>> GivenExpectation(z(1), sympy.eye(2), sympy.Matrix([[1, 2]]), sympy.Matrix([3]))
    E[z1 | z1 + 2*z2 = 3; cov=[[1, 0], [0, 1]]]
    """

    def __new__(
        cls, integrand: sympy.Expr, cov: sympy.MatrixBase, A: sympy.MatrixBase, values: sympy.MatrixBase
    ) -> "GivenExpectation":
        """The expectation of `integrand` given k observations: A is k x m and `values` k x 1."""
        return super().__new__(cls, integrand, *map(sympy.ImmutableDenseMatrix, (cov, A, values)))

    @property
    def A(self) -> sympy.ImmutableDenseMatrix:
        """The coefficients of the observed forms, one row each."""
        return self.args[2]

    @property
    def values(self) -> sympy.ImmutableDenseMatrix:
        """The observed values, as a column."""
        return self.args[3]

    def equations(self, written: Callable[[sympy.Expr], str] = str) -> list[str]:
        """Return the observations as text, their sides as `written` writes them."""
        forms = self.A * sympy.Matrix(self.bound_symbols)
        return [f"{written(form)} = {written(value)}" for form, value in zip(forms, self.values, strict=True)]

    def _latex(self, printer) -> str:
        condition = r",\, ".join(self.equations(printer._print))
        return self._printed(printer, rf" \mid {condition}")

    def _sympystr(self, printer) -> str:
        cov = printer._print(self.cov.tolist())
        return f"E[{printer._print(self.integrand)} | {', '.join(self.equations(printer._print))}; cov={cov}]"


class Quadrature(_Average):
    """E[f(z1)], or E[f(z1) g(z2)], without parameters: the integral itself is the result, and Arb its value.

    It is no `Expectation`: no move applies to it. One variable is printed as standard, with the integral over it.

    >>> Quadrature(sympy.tanh(z(1)) ** 2, sympy.Matrix([[4]]))
    Integral(sqrt(2)*exp(-z1**2/2)*tanh(2*z1)**2/(2*sqrt(pi)), (z1, -oo, oo))
    """

    def __new__(cls, integrand: sympy.Expr, cov: sympy.MatrixBase) -> "Quadrature":
        """The average of `integrand`, a product of functions of one variable each, under one or two rows of `cov`."""
        return super().__new__(cls, integrand, sympy.ImmutableDenseMatrix(cov))

    @property
    def standard(self) -> list[sympy.Expr]:
        """The factors of each variable as functions of a z1 of variance 1."""
        factors = sympy.Mul.make_args(self.integrand)
        functions = []
        for index in range(self.cov.rows):
            one = sympy.Mul(*(factor for factor in factors if variables(factor) == [index + 1]))
            functions.append(one.xreplace({z(index + 1): sympy.sqrt(self.cov[index, index]) * z(1)}))
        return functions

    def _printed(self, printer, condition: str) -> str:
        if self.cov.rows > 1:
            return super()._printed(printer, condition)
        density = sympy.exp(-(z(1) ** 2) / 2) / sympy.sqrt(2 * sympy.pi)
        return printer._print(sympy.Integral(density * self.standard[0], (z(1), -sympy.oo, sympy.oo)))

    def _latex(self, printer) -> str:
        return self._printed(printer, "")

    def _sympystr(self, printer) -> str:
        if self.cov.rows > 1:
            return f"E[{printer._print(self.integrand)}; cov={printer._print(self.cov.tolist())}]"
        return self._printed(printer, "")


def derivative(f: sympy.Expr, variable: sympy.Symbol) -> sympy.Expr:
    """Return df/dvariable with d sign(u)/du = 2 delta(u), also where SymPy cannot tell that u is real.

    >>> derivative(sympy.sign(2 * z(1)), z(1))
    2*DiracDelta(z1)
    """

    def done(left: sympy.Derivative) -> sympy.Expr:
        argument = left.expr.args[0]
        return 2 * sympy.DiracDelta(argument) * argument.diff(variable)

    return f.diff(variable).replace(lambda x: isinstance(x, sympy.Derivative) and isinstance(x.expr, sympy.sign), done)


def marginal(integrand: sympy.Expr, cov: sympy.MatrixBase) -> sympy.Expr:
    """E[integrand] over the variables that occur in it, renumbered from 1 in their order, numerical factors in front.

    >>> marginal(3 * z(2) ** 2, sympy.eye(2))
    3*E[z1**2; cov=[[1]]]
    """
    number, integrand = integrand.as_coeff_Mul()
    used = variables(integrand)
    if not used:
        return number * integrand
    renumbered = integrand.xreplace({z(old): z(new + 1) for new, old in enumerate(used)})
    rows = [index - 1 for index in used]
    return number * Expectation(renumbered, sympy.Matrix(len(rows), len(rows), lambda i, j: cov[rows[i], rows[j]]))
