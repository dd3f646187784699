"""Single pulses with a random sign flip through a half-space: the moments that the small-bump note calls (5), (6)."""

import sympy
from sympy import Eq, Integer, Range

from theory.claims import reasons
from theory.claims.areas.pulse._pulses import (
    COVERS_ONE,
    DISTANCE,
    FIT,
    HALF_SPACE,
    LAW,
    SIGNED_SECOND,
    WIDTHS,
    both_signs,
    covered,
    d,
    enumerated,
    library_moments,
    p,
    q,
)
from theory.claims.model import Claim, Kind, Level, Param
from theory.expressions.symbols import n

GATED_SECOND = Claim(
    id="pulse.sign_flip.xx",
    title="With a random sign flip a half-space sees half of the second moment, wherever its site is",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\langle \mathbf{1}[x_i > 0] x_{k} x_{l} \rangle", real=True),
        (1 - 4 * COVERS_ONE + 4 * covered(q, n - q)) / 2,
        evaluate=False,
    ),
    params=(
        *WIDTHS,
        Param(
            p, Range(0, 40), "distance along the ring from the gate's site $i$ to $k$, which drops out", (Integer(0),)
        ),
        Param(q, Range(0, 40), "distance along the ring from $k$ to $l$", (Integer(0),)),
    ),
    conditions=(*FIT, p < n, q < n),
    assumptions=(LAW, r"$x = 2 u - 1$, times a random sign; $\mathbf{1}(x_i > 0) + \mathbf{1}(x_i < 0) = 1$"),
    **enumerated(both_signs, lambda x, at: (x[0] > 0) * x[at["p"]] * x[(at["p"] + at["q"]) % at["n"]]),
    numeric=lambda **at: float(
        library_moments(at, "plus-minus", "sign", HALF_SPACE).sigma_xx[0, 0, at["p"], (at["p"] + at["q"]) % at["n"]]
    ),
    drawn=40,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)

GATED_FIRST = Claim(
    id="pulse.sign_flip.yx",
    title="First moment of flipped pulses through a half-space",
    protocol="With a random sign flip the mean through a half-space is half of the second moment with its site",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\langle \mathbf{1}[x_i > 0] x_{i+d} \rangle", real=True), SIGNED_SECOND / 2, evaluate=False
    ),
    params=(*WIDTHS, DISTANCE),
    conditions=(*FIT, d < n),
    assumptions=(
        LAW,
        r"$x = 2 u - 1$, times a random sign: $\mathbf{1}(x_i > 0) = (1 + x_i)/2$, and odd moments vanish",
    ),
    **enumerated(both_signs, lambda x, at: (x[0] > 0) * x[at["d"]]),
    numeric=lambda **at: float(library_moments(at, "plus-minus", "sign", HALF_SPACE).sigma_yx[0, at["d"]]),
    drawn=40,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)

CLAIMS = (GATED_SECOND, GATED_FIRST)
