"""The support of the single pulse. Localization notes, section 1."""

from fractions import Fraction
from itertools import product

import sympy
from sympy import Eq, Range

from theory.claims.documents import NOTES
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.rational import rational
from theory.claims.sources import Says, Source
from theory.expressions.symbols import n

narrowest, widths = sympy.symbols("a m", integer=True, positive=True)


def _pulses(point: Point) -> Fraction:
    """The number of different vectors of n entries with one run of ones of a width among a, ..., a + m - 1, cyclic."""
    sites, low, count = int(point[n]), int(point[narrowest]), int(point[widths])
    patterns = {
        tuple(int((site - start) % sites < width) for site in range(sites))
        for start, width in product(range(sites), range(low, low + count))
    }
    if not patterns <= set(product((0, 1), repeat=sites)):
        raise ArithmeticError("a pulse is not a vector of zeros and ones")
    return Fraction(len(patterns))


PULSE_SUPPORT = Claim(
    id="localization.single_pulse.support",
    title="The support of the single pulse",
    protocol=r"The support of the single pulse is a subset of $\{0, 1\}^n$: on a ring, $n m$ points for $m$ widths",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("points")(n, narrowest, widths), n * widths, evaluate=False),
    params=(
        Param(n, Range(3, 10), "number of sites"),
        Param(narrowest, Range(1, 4), "smallest width"),
        Param(widths, Range(1, 4), "number of widths, which follow each other"),
    ),
    conditions=(narrowest + widths <= n,),  # even the widest pulse leaves a site at 0
    assumptions=(
        r"every start and every width has positive probability; for a support of $\{-1, 1\}$ map $u$ to $2 u - 1$",
    ),
    sources=(
        Source(
            NOTES,
            "section 1",
            note="the ring, and so the number $n m$ of the points, is not in the notes",
            says=Says.READ_AS,
            words=r"the latter has discrete support on a subset of $\{0, 1\}^n$",
        ),
    ),
    **rational(_pulses),
    unchecked={
        Level.SYMBOLIC: "support points are counted by enumerating them",
        Level.FLOATING: "a count is not rounded",
    },
)

CLAIMS = (PULSE_SUPPORT,)
