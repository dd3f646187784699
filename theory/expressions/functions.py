"""Functions of the expression language that SymPy does not have: Phi, Phi2, relu and Owen's T.

They are printed by the names that the language reads.
"""

import sympy


class Phi(sympy.Function):
    """The standard normal distribution function, (1 + erf(x / sqrt 2)) / 2.

    >>> x = sympy.Symbol("x", real=True)
    >>> Phi(x).diff(x)
    sqrt(2)*exp(-x**2/2)/(2*sqrt(pi))
    """

    nargs = 1

    def _latex(self, printer, exp: str | None = None) -> str:
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"\Phi{power}\left({printer._print(self.args[0])}\right)"

    def fdiff(self, argindex: int = 1) -> sympy.Expr:
        """Return the normal density."""
        del argindex
        return sympy.exp(-(self.args[0] ** 2) / 2) / sympy.sqrt(2 * sympy.pi)


class Phi2(sympy.Function):
    """P(X <= h, Y <= k) for standard normal X, Y of correlation r: Phi2(h, k, r), |r| < 1.

    Its derivative by r is the density (Plackett's identity), and the quadrant is the arcsine law:

    >>> r = sympy.Symbol("r", real=True)
    >>> Phi2(0, 0, r)
    asin(r)/(2*pi) + 1/4
    >>> Phi2(1, 2, r).diff(r)
    exp((4*r - 5)/(2 - 2*r**2))/(2*pi*sqrt(1 - r**2))
    """

    nargs = 3

    @classmethod
    def eval(cls, h: sympy.Expr, k: sympy.Expr, r: sympy.Expr) -> sympy.Expr | None:
        """Return the product for r = 0 and P(X <= 0, Y <= 0) = 1/4 + asin(r)/(2 pi) for h = k = 0; else None."""
        if r == 0:
            return (1 + sympy.erf(h / sympy.sqrt(2))) * (1 + sympy.erf(k / sympy.sqrt(2))) / 4
        if h == 0 and k == 0:
            return sympy.Rational(1, 4) + sympy.asin(r) / (2 * sympy.pi)
        return None

    def fdiff(self, argindex: int = 1) -> sympy.Expr:
        """By h: phi(h) Phi((k - r h)/sqrt(1 - r^2)); by k: the same with h and k exchanged; by r: the density."""
        h, k, r = self.args
        rest = 1 - r**2
        if argindex == 3:
            return sympy.exp(-(h**2 - 2 * r * h * k + k**2) / (2 * rest)) / (2 * sympy.pi * sympy.sqrt(rest))
        at, other = (h, k) if argindex == 1 else (k, h)
        inner = (1 + sympy.erf((other - r * at) / sympy.sqrt(2 * rest))) / 2
        return sympy.exp(-(at**2) / 2) / sympy.sqrt(2 * sympy.pi) * inner

    def _latex(self, printer) -> str:
        return rf"\Phi_{{2}}\left({', '.join(printer._print(argument) for argument in self.args)}\right)"


class Relu(sympy.Function):
    """max(x, 0) = x 1[x > 0].

    >>> x, a = sympy.Symbol("x", real=True), sympy.Symbol("a", positive=True)
    >>> Relu(x), Relu(a), Relu(-a)
    (relu(x), a, 0)
    """

    nargs = 1

    @classmethod
    def eval(cls, x: sympy.Expr) -> sympy.Expr | None:
        """Return x if it is known not to be negative, 0 if it is known not to be positive, else None."""
        if x.is_nonnegative:
            return x
        return sympy.Integer(0) if x.is_nonpositive else None

    def _sympystr(self, printer) -> str:
        return f"relu({printer._print(self.args[0])})"

    def _latex(self, printer, exp: str | None = None) -> str:
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"\operatorname{{relu}}{power}\left({printer._print(self.args[0])}\right)"


class OwensT(sympy.Function):
    """T(h, a) = (1 / 2 pi) int_0^a exp(-h^2 (1 + x^2) / 2) / (1 + x^2) dx.

    >>> h, a = sympy.symbols("h a", positive=True)
    >>> OwensT(0, a), OwensT(h, 1), OwensT(h, -a)
    (atan(a)/(2*pi), 1/8 - erf(sqrt(2)*h/2)**2/8, -owens_t(h, a))
    >>> sympy.expand(OwensT(h, a).diff(a) * (1 + a**2) * 2 * sympy.pi)
    exp(-h**2/2)*exp(-a**2*h**2/2)
    """

    nargs = 2

    @classmethod
    def eval(cls, h: sympy.Expr, a: sympy.Expr) -> sympy.Expr | None:
        """T(h, 0) = 0, T(0, a) = atan(a)/(2 pi), T(h, 1) = Phi(h) Phi(-h)/2, T(h, -a) = -T(h, a) = -T(-h, a)."""
        if a == 0:
            return sympy.Integer(0)
        if a == 1:
            return (1 - sympy.erf(h / sympy.sqrt(2)) ** 2) / 8
        if h == 0:
            return sympy.atan(a) / (2 * sympy.pi)
        if a.could_extract_minus_sign():
            return -cls(h, -a)
        return cls(-h, a) if h.could_extract_minus_sign() else None

    def fdiff(self, argindex: int = 1) -> sympy.Expr:
        """By h: -phi(h) erf(a h/sqrt 2)/2; by a: exp(-h^2 (1 + a^2)/2)/(2 pi (1 + a^2))."""
        h, a = self.args
        if argindex == 2:
            return sympy.exp(-(h**2) * (1 + a**2) / 2) / (2 * sympy.pi * (1 + a**2))
        return -sympy.exp(-(h**2) / 2) * sympy.erf(a * h / sympy.sqrt(2)) / (2 * sympy.sqrt(2 * sympy.pi))

    def _sympystr(self, printer) -> str:
        return f"owens_t({', '.join(map(printer._print, self.args))})"

    def _latex(self, printer) -> str:
        return rf"T\left({', '.join(printer._print(argument) for argument in self.args)}\right)"


def with_tails(total: sympy.Add) -> list[sympy.Expr]:
    """Return the terms of a sum, with c +- c erf(u) as one term 2 c Phi(+-sqrt(2) u), which is accurate in the tails.

    >>> x = sympy.Symbol("x")
    >>> with_tails(x + sympy.erf(-x) / 2 + sympy.Rational(1, 2))
    [x, Phi(-sqrt(2)*x)]
    """
    terms = list(total.args)
    for term in total.args:
        if not any(isinstance(factor, sympy.erf) for factor in sympy.Mul.make_args(term)):
            continue
        front, function = term.as_independent(sympy.erf)
        if not isinstance(function, sympy.erf):
            continue
        for side in (1, -1):
            if term in terms and -side * front in terms:
                terms.remove(term)
                terms.remove(-side * front)
                terms.append(-2 * side * front * Phi(-side * sympy.sqrt(2) * function.args[0]))
    return terms
