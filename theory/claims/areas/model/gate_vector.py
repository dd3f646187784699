"""The vector of the gates. Localization notes, eq. (17)."""

from sympy import Eq

from theory.claims.areas.model._definition import definition, gate_vector
from theory.claims.documents import NOTES
from theory.claims.gradient_flow import g, k
from theory.claims.sources import Source

GATE_VECTOR = definition(
    "model.gate_vector.definition",
    "The vector of the gates",
    Eq(gate_vector[k], g[k], evaluate=False),
    (Source(NOTES, "(17)"),),
    "$g_k(x)$ is 0 or 1",
)

CLAIMS = (GATE_VECTOR,)
