"""The rows of the first-layer weights. Localization notes, eq. (4)."""

from sympy import Eq

from theory.claims.areas.model._definition import W1, definition, first_row
from theory.claims.documents import NOTES
from theory.claims.gradient_flow import j, k
from theory.claims.sources import Source

WEIGHT_ROWS = definition(
    "model.weights.definition",
    "The rows of the first-layer weights",
    Eq(W1[k, j], first_row[k, j], evaluate=False),
    (Source(NOTES, "(4)", note=r"row $k$ of $W_1$ is $w_k^\top$"),),
)

CLAIMS = (WEIGHT_ROWS,)
