"""SymPy's text of an expression, in names that the expression language reads, and fast for products of matrices."""

import sympy
from sympy.core.mul import _keep_coeff
from sympy.printing.precedence import PRECEDENCE, precedence
from sympy.printing.str import StrPrinter


class Printer(StrPrinter):
    """SymPy's printer to text, faster where matrices are multiplied; maximum and minimum are max and min.

    SymPy learns the sign of a product of matrices by multiplying it by -1 and simplifying the result, twice for each
    factor that it prints. The sign is that of the numeric coefficient, the first factor.

    >>> A, B = (sympy.MatrixSymbol(name, 2, 2) for name in "AB")
    >>> Printer().doprint(A - 2 * A * (A - B)) == sympy.sstr(A - 2 * A * (A - B))
    True
    >>> Printer().doprint(sympy.Max(sympy.Symbol("x"), 0))
    'max(0, x)'
    """

    def parenthesize(self, item: sympy.Basic, level: int, strict: bool = False) -> str:
        """Return the text of `item`, in brackets where it binds more weakly than `level`, or, not strict, as weakly."""
        binds = _precedence(item)
        text = self._print(item)
        return f"({text})" if binds < level or (not strict and binds <= level) else text

    def _print_Exp1(self, _: sympy.Basic) -> str:  # E[...] is an expectation in the language that is read
        return "exp(1)"

    def _print_Max(self, largest: sympy.Max) -> str:
        return f"max({self._listed(largest)})"

    def _print_Min(self, smallest: sympy.Min) -> str:
        return f"min({self._listed(smallest)})"

    def _listed(self, function: sympy.Max | sympy.Min) -> str:
        return ", ".join(map(self._print, sorted(function.args, key=sympy.default_sort_key)))

    def _print_MatMul(self, product: sympy.MatMul) -> str:
        coefficient, matrices = product.as_coeff_mmul()
        real, imaginary = coefficient.as_real_imag() if coefficient.is_number else (sympy.S.One, sympy.S.One)
        negative = (imaginary.is_zero and real.is_negative) or (real.is_zero and imaginary.is_negative)
        # Without its sign a product binds as any product.
        factors = _keep_coeff(-coefficient, matrices).args if negative else product.args
        text = "*".join(self.parenthesize(factor, PRECEDENCE["Mul"]) for factor in factors)
        return f"-{text}" if negative else text


def _precedence(item: sympy.Basic) -> int:
    if not isinstance(item, sympy.MatMul):
        return precedence(item)
    first = item.args[0]
    return PRECEDENCE["Add" if first.is_Number and first.is_extended_negative else "Mul"]
