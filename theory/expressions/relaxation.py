"""The entire function (1 - exp(-z))/z, through which a gradient flow needs no inverse of its matrix."""

import mpmath
import sympy

from theory.expressions.balls.precision import decimals

_GUARD_BITS = 20


class phi1(sympy.Function):
    """phi(z) = (1 - exp(-z))/z, continued by its limit 1 at z = 0; int_0^t exp(-a r) dr = t phi(a t).

    It is entire, and positive on the real line, so that a flow along a null direction (a = 0) is no special case.

    >>> phi1(0)
    1
    >>> z = sympy.Symbol("z", positive=True)
    >>> sympy.expand(z * phi1(z).rewrite(sympy.exp))
    1 - exp(-z)
    """

    nargs = 1

    @classmethod
    def eval(cls, z):
        """Return the value at 0, or None for SymPy to keep the function."""
        if z.is_zero:
            return sympy.S.One
        if z is sympy.oo:
            return sympy.S.Zero
        return None

    def fdiff(self, argindex=1):  # noqa: ARG002 - SymPy's signature
        """phi'(z) = (exp(-z) - phi(z))/z, whose limit at z = 0 is -1/2."""
        (z,) = self.args
        return (sympy.exp(-z) - self) / z

    def _eval_rewrite_as_exp(self, z, **_):
        if z.is_nonzero:
            return (1 - sympy.exp(-z)) / z
        return sympy.Piecewise(((1 - sympy.exp(-z)) / z, sympy.Ne(z, 0)), (1, True))

    def _eval_evalf(self, prec):
        argument = self.args[0]._to_mpmath(prec + _GUARD_BITS)
        with decimals(bits=prec + _GUARD_BITS):
            value = -mpmath.expm1(-argument) / argument if argument != 0 else mpmath.mpf(1)
        return sympy.Expr._from_mpmath(value, prec)

    def _eval_is_real(self):
        return True if self.args[0].is_real else None

    def _eval_is_positive(self):
        return True if self.args[0].is_real else None

    def _eval_is_finite(self):
        return True if self.args[0].is_finite else None

    def _latex(self, printer, exp=None):
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"\varphi{power}\left({printer._print(self.args[0])}\right)"
