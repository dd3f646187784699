"""The correlation of two spins of an open line."""

import sympy
from sympy import Eq

from theory.claims.areas.ising._spins import COUPLING, DISTANCE, LAW, LINE, SITES, SOME, chain, d, enumerated, r
from theory.claims.model import Claim, Kind, Param
from theory.expressions.symbols import n
from theory.moments.arithmetic import FLOAT64
from theory.moments.ising import ChainMoments
from theory.proof.derivation import Derivation, Step

_i = sympy.Symbol("i", integer=True, nonnegative=True)
_PAIR = Eq(LINE(d), r**d, evaluate=False)


def _derive() -> Derivation:
    steps = (
        Step(
            Eq(LINE(d + 1), r * LINE(d), evaluate=False),
            r"sum over the spin at distance $d + 1$: $\sum_{x'} (1 + r x x') x' = 2 r x$ and "
            r"$\sum_{x'} (1 + r x x') = 2$; spins further out add the same factor to both sums",
            "definition",
        ),
        Step(_PAIR, r"$C(0) = \langle x_i^2 \rangle = 1$", "induction", (d, sympy.Tuple(LINE(0), sympy.S.One))),
    )
    return Derivation("ising.line.pair", _PAIR, steps)


PAIR = Claim(
    id="ising.line.pair",
    title="Two spins of an open line have the correlation of an exponential kernel",
    kind=Kind.EQUATION,
    statement=_PAIR,
    params=(
        COUPLING,
        SITES,
        Param(_i, sympy.Range(0, 5), "the first of the two sites, which drops out"),
        DISTANCE,
    ),
    conditions=(_i + d < n,),
    assumptions=(
        LAW,
        r"$C(d) = \langle x_i x_{i+d} \rangle$; with $r = e^{-1/\xi}$ it is $e^{-d/\xi}$",
    ),
    derive=_derive,
    **enumerated(False, lambda x, at: x[at["i"]] * x[at["i"] + at["d"]]),
    numeric=lambda r, n, i, d: ChainMoments(chain("open", n, r), 0, FLOAT64).product_mean(i, i + d).item(),
    drawn=SOME,
)

CLAIMS = (PAIR,)
