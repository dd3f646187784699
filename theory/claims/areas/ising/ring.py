"""The correlations of two and of four spins of a ring."""

import sympy
from sympy import Eq

from theory.claims.areas.ising._spins import (
    AROUND,
    COUPLING,
    CUT,
    DISTANCE,
    GAPS,
    LAW,
    LINE,
    OTHER_WAY,
    RING,
    SOME,
    a,
    b,
    c,
    cut,
    cut_sums,
    d,
    e,
    enumerated,
    joined,
    known,
    power,
    ring_mean,
)
from theory.claims.model import Claim, Kind
from theory.proof.derivation import Derivation, Step

_PAIR = Eq(RING(d, e), joined((d, e), power, 0), evaluate=False)


def _derive_pair() -> Derivation:
    lengths = (d, e)
    steps = (
        Step(Eq(_PAIR.lhs, cut(lengths, 0), evaluate=False), CUT + "here the two lines do so together", "definition"),
        Step(Eq(_PAIR.lhs, joined(lengths, LINE, 0), evaluate=False), "multiplied out", "identity"),
        Step(_PAIR, "the correlation of an open line", "cite", *known(lengths)),
    )
    return Derivation("ising.ring.pair", _PAIR, steps)


PAIR = Claim(
    id="ising.ring.pair",
    title="Two spins of a ring: the exponential kernel both ways round",
    kind=Kind.EQUATION,
    statement=_PAIR,
    params=(COUPLING, DISTANCE, OTHER_WAY),
    conditions=(d + e >= 2,),
    assumptions=(
        LAW,
        r"$R(d, e) = \langle x_i x_{i+d} \rangle$ on the ring of $n = d + e$ sites, so that $r^d r^e = r^n$",
    ),
    derive=_derive_pair,
    **enumerated(True, lambda x, at: x[0] * x[at["d"] % len(x)]),
    numeric=lambda r, d, e: ring_mean(r, d, e),
    drawn=SOME,
)

_FOUR = Eq(sympy.Function("Q", real=True)(*AROUND), joined(AROUND, power, 0, 2), evaluate=False)


def _derive_four() -> Derivation:
    numerator, weight = cut_sums(AROUND, 0, 2)
    value = joined(AROUND, LINE, 0, 2)
    steps = (
        Step(
            Eq(_FOUR.lhs * weight, numerator, evaluate=False),
            CUT + "the product of the four spins is that of the first and the third line",
            "definition",
        ),
        Step(
            Eq(_FOUR.lhs, value, evaluate=False),
            "divided by the factor of the mean, and multiplied out",
            "solve-linear",
            (sympy.Tuple(_FOUR.lhs, value),),
        ),
        Step(_FOUR, "the correlation of an open line", "cite", *known(AROUND)),
    )
    return Derivation("ising.ring.four", _FOUR, steps)


FOUR = Claim(
    id="ising.ring.four",
    title="Four spins of a ring: one pair of alternate gaps, or the other",
    kind=Kind.EQUATION,
    statement=_FOUR,
    params=(COUPLING, *GAPS),
    conditions=(a + b + c + e >= 2,),
    assumptions=(
        LAW,
        r"$Q(a, b, c, e) = \langle x_i x_{i+a} x_{i+a+b} x_{i+a+b+c} \rangle$ on the ring of $n = a + b + c + e$ "
        "sites; Gaussian inputs with the same pairs would have the sum of three products of pairs",
    ),
    derive=_derive_four,
    **enumerated(
        True,
        lambda x, at: (
            x[0] * x[at["a"] % len(x)] * x[(at["a"] + at["b"]) % len(x)] * x[(at["a"] + at["b"] + at["c"]) % len(x)]
        ),
    ),
    numeric=lambda r, a, b, c, e: ring_mean(r, a, b, c, e),
    drawn=SOME,
)

CLAIMS = (PAIR, FOUR)
