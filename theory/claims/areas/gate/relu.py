"""The gate of a ReLU unit and the scale of its weights. Localization notes, section 2.1."""

from fractions import Fraction

import sympy
from sympy import Abs, Eq, FiniteSet, Integer

from theory.claims.documents import NOTES
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.rational import rational
from theory.claims.sources import Reading, Says, Source

sign_c, sign_h = sympy.symbols("s_c s_h", integer=True)
_SIGNS = FiniteSet(-1, 0, 1)
_EVERY_SIGN = (Integer(-1), Integer(0), Integer(1))


def _gate_of_scaled_weights(point: Point) -> Fraction:
    """1[c w.x >= 0] for explicit c, w, x of the two signs; raises an error if it depends on more than the signs."""
    scale, side = int(point[sign_c]), int(point[sign_h])
    w = (Fraction(1), Fraction(-2))
    inputs = [(Fraction(3 * side), Fraction(side)), (Fraction(0), Fraction(-side))]
    inputs += [(Fraction(2), Fraction(1))] if side == 0 else []
    values = {
        sum(size * scale * weight * entry for weight, entry in zip(w, x, strict=True)) >= 0
        for size in (Fraction(1, 2), Fraction(1), Fraction(7, 3))
        for x in inputs
    }
    if len(values) != 1:
        raise ArithmeticError(f"the gate is not a function of the signs at {dict(point)}")
    return Fraction(int(values.pop()))


GATE_SCALE = Claim(
    id="gate.relu.scale",
    title="The gate of scaled weights",
    protocol=r"The gate of scaled weights $c w$: that of $w$ for $c > 0$, its complement for $c < 0$ ($w \cdot x$ not "
    "0), 1 for $c = 0$",
    kind=Kind.EQUIVALENCE,
    statement=Eq(
        sympy.Function("gate")(sign_c * sign_h), 1 + (sign_c * sign_h - Abs(sign_c * sign_h)) / 2, evaluate=False
    ),
    params=(
        Param(sign_c, _SIGNS, "sign of the scale $c$", _EVERY_SIGN),
        Param(sign_h, _SIGNS, r"sign of $w \cdot x$", _EVERY_SIGN),
    ),
    assumptions=(
        r"the gate is $\mathbf{1}[c w \cdot x \geq 0]$; both sides depend on the signs alone, and all nine pairs of "
        "them are tried",
    ),
    sources=(
        Source(
            NOTES,
            "section 2.1",
            printed=1 + (sign_h - Abs(sign_h)) / 2,
            note="a scale is a positive factor; a negative one gives the complement, and 0 opens every gate",
            says=Says.READ_AS,
            words="$g$ is invariant to the scale of $w_1$",
            readings=(Reading("$c > 0$", where=sign_c > 0),),
        ),
    ),
    **rational(_gate_of_scaled_weights),
    drawn=80,  # enough draws to include all nine pairs
    unchecked={
        Level.SYMBOLIC: "nine cases of signs, all of them enumerated",
        Level.FLOATING: "a gate is 0 or 1: nothing is rounded",
    },
)

CLAIMS = (GATE_SCALE,)
