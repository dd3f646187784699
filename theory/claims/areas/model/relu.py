"""A ReLU network as a gated linear network. Localization notes, eq. (2), (3)."""

import sympy
from sympy import Eq, Integer, Interval, Max, Tuple, oo

from theory.claims import reasons
from theory.claims.areas.model._definition import output
from theory.claims.documents import NOTES
from theory.claims.finite_data import Number
from theory.claims.indicator import TINY, is_open
from theory.claims.model import Claim, Kind, Level, Param
from theory.claims.rational import rational_by_name
from theory.claims.sources import Says, Source
from theory.proof.derivation import Derivation, Step

h = sympy.Symbol("h", real=True)
w11, w12, w21, w22, x1, x2 = sympy.symbols("w11 w12 w21 w22 x1 x2", real=True)


def relu(value: Number) -> Number:
    """Return max(value, 0), by comparison."""
    return value if value > 0 else value * 0


def _derive_relu() -> Derivation:
    result = Eq(Max(h, 0), is_open(h) * h, evaluate=False)
    steps = (
        Step(result.lhs, r"$\operatorname{ReLU}(h) = \max(h, 0)$", "definition"),
        Step(result.rhs, "$h > 0$, $h = 0$ (both sides vanish) and $h < 0$", "cases", (h,)),
    )
    return Derivation("model.relu.gating", result, steps)


RELU = Claim(
    id="model.relu.gating",
    title="A ReLU is a gate times its argument, at 0 as well",
    kind=Kind.EQUATION,
    statement=Eq(Max(h, 0), is_open(h) * h, evaluate=False),
    params=(Param(h, Interval(-oo, oo), r"pre-activation $\langle w_1, x \rangle$", (Integer(0), TINY, -TINY)),),
    sources=(Source(NOTES, "(2)", printed=is_open(h) * h, note="at $h = 0$ the gate's value does not matter"),),
    **rational_by_name(lambda at: relu(at["h"])),
    derive=_derive_relu,
    unchecked={Level.FLOATING: reasons.NO_NETWORK},
)


def _mean_of_relus(at: dict[str, Number]) -> Number:
    rows = ((at["w11"], at["w12"]), (at["w21"], at["w22"]))
    return sum(relu(row[0] * at["x1"] + row[1] * at["x2"]) for row in rows) / 2


_DRIVES = (w11 * x1 + w12 * x2, w21 * x1 + w22 * x2)

_GATED_SUM = (
    (is_open(_DRIVES[0]) * w11 + is_open(_DRIVES[1]) * w21) * x1
    + (is_open(_DRIVES[0]) * w12 + is_open(_DRIVES[1]) * w22) * x2
) / 2


def _derive_as_gated() -> Derivation:
    first, second = sympy.symbols("h_1 h_2", real=True)
    result = Eq(output, _GATED_SUM, evaluate=False)
    gated = Eq(output, (is_open(first) * first + is_open(second) * second) / 2, evaluate=False)
    by_units = sum(is_open(drive) * drive for drive in _DRIVES) / 2
    steps = (
        Step(
            Eq(output, (Max(first, 0) + Max(second, 0)) / 2, evaluate=False),
            "(1) with $W_2 = (1/2, 1/2)$ and no biases, for two units",
            "definition",
        ),
        Step(gated, "each ReLU is a gate times its argument", "cases", (first, second)),
        Step(
            Eq(output, by_units, evaluate=False),
            r"$h_k = w_k \cdot x$ for two inputs",
            "substitute",
            (Tuple(first, _DRIVES[0]), Tuple(second, _DRIVES[1])),
        ),
        Step(result, "collect by inputs", "identity"),
    )
    return Derivation("model.relu.as_gated", result, steps)


WEIGHTS = tuple(Param(symbol, Interval(-3, 3), "weight") for symbol in (w11, w12, w21, w22))
INPUTS = tuple(Param(symbol, Interval(-3, 3), "input", (Integer(0),)) for symbol in (x1, x2))

RELU_AS_GATED = Claim(
    id="model.relu.as_gated",
    title="The mean of ReLU units is the gated linear network of (3), with gates that depend on the weights",
    kind=Kind.EQUATION,
    statement=Eq(output, _GATED_SUM, evaluate=False),
    params=(*WEIGHTS, *INPUTS),
    assumptions=("two units, two inputs, no biases; (3) then holds the gates fixed, which a ReLU does not",),
    sources=(Source(NOTES, "(3)", note="(3) with the gates of (2), which move with the weights", says=Says.UNSTATED),),
    **rational_by_name(_mean_of_relus),
    derive=_derive_as_gated,
    cites=("model.relu.gating",),
    unchecked={Level.FLOATING: reasons.NO_NETWORK},
)

CLAIMS = (RELU, RELU_AS_GATED)
