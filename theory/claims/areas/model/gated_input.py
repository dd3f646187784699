"""The gated input. Localization notes, eq. (12)."""

from sympy import Eq

from theory.claims.areas.model._definition import definition, gated_input
from theory.claims.documents import NOTES
from theory.claims.gradient_flow import g, j, k, x
from theory.claims.sources import Source

GATED_INPUT = definition(
    "model.gated_input.definition",
    "The gated input: x once for each unit, where its gate is open",
    Eq(gated_input[k, j], g[k] * x[j], evaluate=False),
    (Source(NOTES, "(12)"),),
    "unit after unit: component (k, j) has the place (k - 1) n + j",
)

CLAIMS = (GATED_INPUT,)
