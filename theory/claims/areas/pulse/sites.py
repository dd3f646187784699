"""The probability that a single pulse covers two or three sites."""

import sympy
from sympy import Eq

from theory.claims import reasons
from theory.claims.areas.pulse._pulses import (
    COVERS_TWO,
    DISTANCE,
    FIRST,
    FIT,
    LAW,
    SECOND,
    WIDTHS,
    covered,
    covered_in_float64,
    d,
    enumerated,
    p,
    q,
    zeros_and_ones,
)
from theory.claims.model import Claim, Kind, Level
from theory.expressions.symbols import n

PAIR = Claim(
    id="pulse.sites.pair",
    title="How often a pulse covers two sites at distance $d$",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\langle u_i u_{i+d} \rangle", real=True), COVERS_TWO, evaluate=False),
    params=(*WIDTHS, DISTANCE),
    conditions=(*FIT, d < n),
    assumptions=(
        LAW,
        "the sum of $(W - e)_+$ over the widths is a difference of triangular numbers; at $d = 0$ the value is "
        r"$\mathbb{E} W/n$",
    ),
    **enumerated(zeros_and_ones, lambda x, at: x[0] * x[at["d"]]),
    numeric=lambda **at: covered_in_float64(at, 0, at["d"]),
    drawn=40,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)

TRIPLE = Claim(
    id="pulse.sites.triple",
    title="How often a pulse covers three sites with the gaps $p$, $q - p$ and $n - q$",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Symbol(r"\langle u_i u_{i+p} u_{i+q} \rangle", real=True), covered(p, q - p, n - q), evaluate=False
    ),
    params=(*WIDTHS, FIRST, SECOND),
    conditions=(*FIT, p <= q, q < n),
    assumptions=(LAW, "the sites that a pulse leaves dark follow each other, so all of them lie in one gap"),
    **enumerated(zeros_and_ones, lambda x, at: x[0] * x[at["p"]] * x[at["q"]]),
    numeric=lambda **at: covered_in_float64(at, 0, at["p"], at["q"]),
    drawn=60,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)

CLAIMS = (PAIR, TRIPLE)
