"""The duals of the activations of infinitely wide networks, as formulas of a page, derived when the page is made."""

import sympy

from derivations.publish.notation import Notation
from theory.expressions.symbols import rho
from theory.kernels.infinite import ACTIVATIONS, activation, dual
from theory.kernels.infinite.duals import c, p, q
from theory.problem.errors import OutOfReachError

_UNIT = {p: sympy.Integer(1), q: sympy.Integer(1), c: rho}


def dual_formulas() -> str:
    """Return a displayed formula of both averages at unit variances and correlation rho, where it has a closed form."""
    return "\n".join(formula for name in ACTIVATIONS if (formula := _formula(name))) + "\n"


def _formula(name: str) -> str:
    try:
        found = dual(activation(name))
    except OutOfReachError:  # of tanh and other activations integrals remain
        return ""
    tex = Notation(normaliser=False).tex
    value, slope = (tex(form.xreplace(_UNIT)) for form in (found.closed_form, found.closed_slope))
    lines = (
        rf"& \mathbb{{E}}\, s(z) s(z') = {value} \\",
        rf"& \mathbb{{E}}\, s'(z) s'(z') = {slope}",
    )
    head = f"`{name}`, $s(h) = {tex(found.activation.expr)}$:"
    return "\n".join((head, "", "$$", r"\begin{aligned}", *lines, r"\end{aligned}", "$$", ""))
