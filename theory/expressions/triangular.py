"""The triangular number 1 + 2 + ... + m, and 0 where m is not positive: a sum of positive parts."""

import sympy


class triangle(sympy.Function):
    """T(m) = m (m + 1)/2 for an integer m > 0 and 0 otherwise, so that sum_{w <= b} (w - e)_+ = T(b - e).

    >>> [triangle(m) for m in range(-2, 5)]
    [0, 0, 0, 1, 3, 6, 10]
    >>> triangle(7 - 4) - triangle(5 - 4)  # the positive parts of 6 - 4 and 7 - 4
    5
    """

    nargs = 1

    @classmethod
    def eval(cls, m: sympy.Expr) -> sympy.Expr | None:
        """Return the value at an integer, or None for SymPy to keep the function."""
        if m.is_Integer:
            return m * (m + 1) / 2 if m.is_positive else sympy.S.Zero
        return None

    def _eval_is_integer(self) -> bool | None:
        return True if self.args[0].is_integer else None

    def _eval_is_nonnegative(self) -> bool | None:
        return True if self.args[0].is_integer else None

    def _latex(self, printer, exp=None):
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"T{power}\left({printer._print(self.args[0])}\right)"
