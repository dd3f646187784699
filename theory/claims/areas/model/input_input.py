"""The second moment of the input through two gates. Localization notes, eq. (7); small-bump note, eq. (6)."""

from sympy import Eq

from theory.claims.areas.model._definition import definition
from theory.claims.documents import BUMP_NOTE, NOTES
from theory.claims.gradient_flow import SECOND_MOMENT, A, i, j, k, l
from theory.claims.sources import Source

INPUT_INPUT_MOMENT = definition(
    "model.input_input.definition",
    "The second moment of the input through two gates",
    Eq(A[k, i, l, j], SECOND_MOMENT[1], evaluate=False),
    (Source(NOTES, "(7)"), Source(BUMP_NOTE, "(6)")),
    "an uncentred moment; written for a law of $N$ points with probabilities $p$",
)

CLAIMS = (INPUT_INPUT_MOMENT,)
