"""The duals of the activations of infinitely wide networks, as formulas of a page, derived when the page is made."""

import sympy

from derivations.publish.notation import Notation
from theory.expressions.symbols import rho
from theory.kernels.infinite import ACTIVATIONS, activation, dual
from theory.kernels.infinite.duals import c, p, q

_UNIT = {p: sympy.Integer(1), q: sympy.Integer(1), c: rho}


def dual_formulas() -> str:
    """Return a displayed formula of both averages for each named activation, at unit variances and correlation rho."""
    return "\n".join(_formula(name) for name in ACTIVATIONS) + "\n"


def _formula(name: str) -> str:
    found = dual(activation(name))
    tex = Notation(normaliser=False).tex
    value, slope = (tex(form.xreplace(_UNIT)) for form in (found.closed_form, found.closed_slope))
    lines = (
        rf"& \mathbb{{E}}\, s(z) s(z') = {value} \\",
        rf"& \mathbb{{E}}\, s'(z) s'(z') = {slope}",
    )
    head = f"`{name}`, $s(h) = {tex(found.activation.expr)}$:"
    return "\n".join((head, "", "$$", r"\begin{aligned}", *lines, r"\end{aligned}", "$$", ""))
