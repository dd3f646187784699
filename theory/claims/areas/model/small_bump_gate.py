"""The two gates of the small-bump network. Small-bump note, eq. (2), (3)."""

import sympy
from sympy import Eq, Heaviside

from theory.claims.areas.model._definition import definition
from theory.claims.documents import BUMP_NOTE
from theory.claims.gradient_flow import x
from theory.claims.sources import Source

site = sympy.Symbol("i", integer=True, positive=True)
_gate = sympy.Function("g")

SMALL_BUMP_GATES = definition(
    "model.small_bump_gate.definition",
    "The two gates of the small-bump network: two closed half-spaces of one site",
    sympy.Tuple(
        Eq(_gate(1), Heaviside(x[site], 1), evaluate=False), Eq(_gate(2), Heaviside(-x[site], 1), evaluate=False)
    ),
    (Source(BUMP_NOTE, "(2)"), Source(BUMP_NOTE, "(3)")),
    r"on $\{x_i = 0\}$ both gates are 1 (`gate.small_bump.complement`)",
)

CLAIMS = (SMALL_BUMP_GATES,)
