"""The correlation of input and output through a gate. Localization notes, eq. (6); small-bump note, eq. (5)."""

from sympy import Eq

from theory.claims.areas.model._definition import definition
from theory.claims.documents import BUMP_NOTE, NOTES
from theory.claims.gradient_flow import INPUT_OUTPUT, b, i, k
from theory.claims.sources import Source

INPUT_OUTPUT_MOMENT = definition(
    "model.input_output.definition",
    "The correlation of input and output through a gate",
    Eq(b[k, i], INPUT_OUTPUT[1], evaluate=False),
    (Source(NOTES, "(6)"), Source(BUMP_NOTE, "(5)")),
    "written for a law of $N$ points with probabilities $p$; both classes are averaged over, with their priors",
)

CLAIMS = (INPUT_OUTPUT_MOMENT,)
