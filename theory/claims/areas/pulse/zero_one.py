"""Second moments of single pulses with support {0, 1}."""

import sympy
from sympy import Eq

from theory.claims import reasons
from theory.claims.areas.pulse._pulses import (
    COVERS_ONE,
    COVERS_TWO,
    DISTANCE,
    FIT,
    LAW,
    WIDTHS,
    complements,
    d,
    enumerated,
    library_moments,
    site_gate,
)
from theory.claims.model import Claim, Kind, Level
from theory.expressions.symbols import n

COMPLEMENT = Claim(
    id="pulse.zero_one.complement",
    title=r"Second moments of single pulses with support $\{0, 1\}$ and a random complement",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\langle x_i x_{i+d} \rangle", real=True), sympy.S.Half - COVERS_ONE + COVERS_TWO, evaluate=False
    ),
    params=(*WIDTHS, DISTANCE),
    conditions=(*FIT, d < n),
    assumptions=(LAW, "$x = u$ or $1 - u$, each with probability 1/2; the mean is 1/2 at every site"),
    **enumerated(complements, lambda x, at: x[0] * x[at["d"]]),
    numeric=lambda **at: float(library_moments(at, "zero-one", "complement", site_gate()).sigma_xx[0, 0, 0, at["d"]]),
    drawn=40,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)

CLAIMS = (COMPLEMENT,)
