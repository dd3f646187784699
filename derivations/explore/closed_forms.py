"""Closed forms of second moments as display TeX, one dispatch over laws; those of a Gaussian latent by the engine."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from math import inf
from typing import Any

import sympy

from theory.expressions.symbols import g, rho, z
from theory.gaussian import expect
from theory.moments.scales import moments_of
from theory.problem import Cubic, Erf, Identity, Law, NonlinearGP, Sign, SinglePulse, Uniform
from theory.problem.correlations import GAUSSIAN
from theory.problem.correlations.exponential import ExponentialCorrelation
from theory.problem.distributions.elliptical import Elliptical
from theory.problem.distributions.ising import Ising

SECOND = r"\mathbb{E}[x_k x_l]"
square = sympy.Symbol("Z^2", positive=True)
beta, h, q, r, C, D = sympy.symbols("beta h q r C D", real=True)
d, n = sympy.symbols("d n", integer=True, positive=True)
_PULSE = (
    r"\mathbb{E}[u_k u_l] = \frac1n \, \mathbb{E}_W \left[ (W - d)_+ + (W - n + d)_+ \right], "
    r"\qquad d = \min(|k - l|, n - |k - l|)"
)


@dataclass(frozen=True)
class Form:
    """left = right, and the symbols of the right side with their values: expressions, or TeX where there is none.

    `averaged` names a symbol whose value is a mean over the classes.
    """

    left: str
    right: sympy.Expr
    where: tuple[tuple[sympy.Symbol, sympy.Expr | str], ...] = ()
    averaged: sympy.Symbol | None = None

    def tex(self) -> str:
        """The form as one line of TeX."""
        parts = [f"{self.left} = {sympy.latex(self.right)}"]
        for symbol, value in self.where:
            mean = r"\sum_c p_c \, " if symbol == self.averaged else ""
            parts.append(f"{sympy.latex(symbol)} = {mean}{value if isinstance(value, str) else sympy.latex(value)}")
        return r", \qquad ".join(parts)


def closed_form(law: Law) -> str:
    """The second moments of a law as display TeX; empty where no single formula gives them.

    >>> from theory.problem import NonlinearGP
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "none", (1, 0), nonlinearity="sign")
    >>> closed_form(law)
    '\\\\[ \\\\mathbb{E}[x_k x_l] = \\\\frac{2 \\\\operatorname{asin}{\\\\left(\\\\rho \\\\right)}}{\\\\pi}, ... \\\\]'
    """
    form = form_of(law)
    tex = _PULSE if isinstance(law, SinglePulse) else "" if form is None else form.tex()
    less = r"\text{for } x \text{ less its class mean: } \quad " if law.means else ""
    return rf"\[ {less}{tex} \]" if tex else ""


@singledispatch
def form_of(law: Law) -> Form | None:
    """The second moments of a law without class means; None where no single formula gives them."""
    del law
    return None


@form_of.register
def _(law: NonlinearGP) -> Form | None:
    f = _FUNCTIONS.get(type(law.nonlinearity))
    if f is None or law.clipped:  # a clipped latent has another variance
        return None
    value = (lambda v: f(v, law.nonlinearity)) if law.nonlinearity.fixed_gain else lambda v: f(g * v, law.nonlinearity)
    pair = _mean(value(z(1)) * value(z(2)), [[1, rho], [rho, 1]])
    correlation = (rho, _correlation(law))
    if law.normaliser == "none":
        return Form(SECOND, pair, (correlation,))
    of_one = _mean(value(z(1)) ** 2, [[1]])
    if of_one.free_symbols:
        averaged = square if isinstance(law.gain, tuple) else None
        return Form(SECOND, pair / square, ((square, of_one), correlation), averaged)
    return Form(SECOND, pair / of_one, (correlation,))


def _mean(integrand: Any, covariance: list[list[Any]]) -> sympy.Expr:
    return expect(sympy.expand(integrand), covariance).closed_form


_FUNCTIONS: dict[type, Callable[[Any, Any], Any]] = {
    Erf: lambda v, _: sympy.erf(v),
    Sign: lambda v, _: sympy.sign(v),
    Identity: lambda v, _: v,
    Cubic: lambda v, function: v + sympy.Rational(function.c) * v**3,
    Uniform: lambda v, _: sympy.erf(v / sympy.sqrt(2)),
}


def _correlation(law: NonlinearGP) -> str:
    kinds = set(law.kernels)
    if kinds == {GAUSSIAN}:
        return r"e^{-d_{kl}^2/\xi^2}"
    return r"e^{-d_{kl}/\xi}" if kinds == {ExponentialCorrelation()} else "R(d_{kl})"


@form_of.register
def _(law: Elliptical) -> Form | None:
    latent = (rho, r"e^{-d_{kl}^2/\xi^2}")
    seconds = {moments_of(scale, law.n).second for scale in law.scale}
    if law.normaliser == "unit-variance" or seconds == {1}:
        return Form(SECOND, rho, (latent,))
    if len(seconds) > 1 or inf in seconds:
        return None
    return Form(SECOND, sympy.Rational(seconds.pop()) * rho, (latent,))


@form_of.register
def _(law: Ising) -> Form | None:
    """By the transfer matrix; on an open line with a field sites differ, and there is no single line."""
    apart = (d, r"|k - l|")
    if not any(law.h):
        ratio = (r, sympy.tanh(beta) if law.beta else r"\tanh \beta = e^{-1/\xi}")
        if law.boundary == "open":
            return Form(SECOND, r**d, (ratio, apart))
        return Form(SECOND, (r**d + r ** (n - d)) / (1 + r**n), (ratio, apart))
    if law.boundary == "open":
        return None
    root = sympy.sqrt(sympy.sinh(h) ** 2 + sympy.exp(-4 * beta))
    return Form(
        SECOND,
        C**2 + D**2 * (r**d + r ** (n - d)) / (1 + r**n),
        (
            (r, (sympy.cosh(h) - q) / (sympy.cosh(h) + q)),
            (C, sympy.sinh(h) / q),
            (D, sympy.exp(-2 * beta) / q),
            (q, root),
            apart,
        ),
    )
