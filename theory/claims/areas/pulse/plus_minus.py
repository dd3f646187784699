"""Second moments of single pulses with support {-1, 1}."""

import sympy
from sympy import Eq

from theory.claims import reasons
from theory.claims.areas.pulse._pulses import (
    DISTANCE,
    FIT,
    LAW,
    SIGNED_SECOND,
    WIDTHS,
    both_signs,
    d,
    enumerated,
    library_moments,
    mean_over,
    signs,
    site_gate,
)
from theory.claims.model import Claim, Kind, Level
from theory.expressions.symbols import n


def _same_with_a_flip(at: dict[str, int]) -> list[list[int]]:
    """The signs, after a check that a random sign flip leaves their products of two as they are."""
    plain, flipped = signs(at), both_signs(at)
    for first, second in ((0, 0), (0, at["d"])):
        if mean_over(plain, lambda x: x[first] * x[second]) != mean_over(flipped, lambda x: x[first] * x[second]):  # noqa: B023
            raise ArithmeticError("a sign flip changes a second moment")
    return plain


PLUS_MINUS = Claim(
    id="pulse.plus_minus.second",
    title=r"Second moments of single pulses with support $\{-1, 1\}$, with or without a random sign flip",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Symbol(r"\langle x_i x_{i+d} \rangle", real=True), SIGNED_SECOND, evaluate=False),
    params=(*WIDTHS, DISTANCE),
    conditions=(*FIT, d < n),
    assumptions=(LAW, "$x = 2 u - 1$; uncentred: without a flip the mean is $(a + b)/n - 1$"),
    **enumerated(_same_with_a_flip, lambda x, at: x[0] * x[at["d"]]),
    numeric=lambda **at: float(library_moments(at, "plus-minus", "sign", site_gate()).sigma_xx[0, 0, 0, at["d"]]),
    drawn=40,
    unchecked={Level.SYMBOLIC: reasons.BY_COUNTING},
)

CLAIMS = (PLUS_MINUS,)
