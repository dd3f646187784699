"""Expressions of the engine as TeX for a page: each covariance is written once, and expectations name theirs."""

import sympy

from theory.gaussian.expectation import Expectation


class Typesetter:
    """Writes expressions; `covariances` are those that it has named C_1, C_2, ..., in this order.

    >>> from sympy import Matrix
    >>> from theory.expressions.symbols import z
    >>> setter = Typesetter()
    >>> print(setter.tex(Expectation(z(1) ** 2, Matrix([[3]])) / 2))
    \\frac{\\mathbb{E}_{C_{1}}\\left[z_{1}^{2}\\right]}{2}
    >>> len(setter.names())
    1
    """

    def __init__(self) -> None:
        self.covariances: list[sympy.ImmutableMatrix] = []

    def tex(self, expr: sympy.Basic) -> str:
        """Return the TeX of an expression, with E_{C_k}[...] for its expectations."""
        expectations = sorted(expr.atoms(Expectation), key=str)
        # No parameter of a user can have a name with a bracket.
        stand_ins = {e: sympy.Symbol(f"E[{k}]", real=True) for k, e in enumerate(expectations)}
        names = {symbol: self._expectation(e) for e, symbol in stand_ins.items()}
        return sympy.latex(expr.xreplace(stand_ins), symbol_names=names, inv_trig_style="full")

    def names(self, first: int = 0) -> list[str]:
        """Return the TeX of the covariances from number `first` on."""
        return [f"C_{{{k + 1}}} = {_matrix(cov)}" for k, cov in enumerate(self.covariances) if k >= first]

    def _expectation(self, e: Expectation) -> str:
        cov = sympy.ImmutableMatrix(e.cov)
        if cov not in self.covariances:
            self.covariances.append(cov)
        inner = sympy.latex(e.integrand, inv_trig_style="full")
        return rf"\mathbb{{E}}_{{C_{{{self.covariances.index(cov) + 1}}}}}\left[{inner}\right]"


def _matrix(cov: sympy.ImmutableMatrix) -> str:
    rows = r" \\ ".join(" & ".join(sympy.latex(entry) for entry in row) for row in cov.tolist())
    return rf"\left(\begin{{matrix}}{rows}\end{{matrix}}\right)"
