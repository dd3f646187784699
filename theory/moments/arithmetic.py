"""Two arithmetics for one set of formulas: float64 arrays, and arrays of certified balls (Arb).

A formula of this room is written once, for NumPy arrays of either kind of number; what differs between the two
(functions, and how an exact fraction enters) is in an `Arithmetic`. Arb works at the precision of the surrounding
`flint.ctx.workprec` block.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from jaxtyping import Shaped

from theory.gaussian.float64 import signs, two_signs
from theory.problem import OutOfReachError

Numbers = Shaped[np.ndarray, "*any"]
Pair = tuple[Shaped[np.ndarray, "..."], Shaped[np.ndarray, "..."]]
# A ball of E[s1 s2 s3 s4] takes 1 to 50 ms at 40 digits, mostly 2: more of them than this would take minutes.
MOST_CERTIFIED_QUADS = 20_000
# Bits of a float64 with a few to spare, and beyond how many times 64 bits nothing is told from zero any more.
FLOAT64_BITS = 60
MOST_DOUBLINGS = 9


@dataclass(frozen=True)
class Arithmetic:
    """What the formulas need beyond + - * /; every function takes and returns arrays elementwise.

    `dtype` is that of its arrays; `rational` takes exact fractions to numbers; `exp_minus` and
    `one_minus_exp_minus` take a list of exact u to exp(-u) and 1 - exp(-u). `sign_pair(r, 1 - r^2)` = E[s1 s2];
    `sign_quad(r12, r13, r14, r23, r24, r34)` = E[s1 s2 s3 s4]. `settled(f)` is f(), two arrays that f computes
    in balls: the first to the relative, the second to the absolute accuracy of this arithmetic, whatever cancels.
    """

    dtype: type
    rational: Callable[[Fraction], Any]
    pi: Callable[[], Any]
    sqrt: Callable[[Any], Any]
    exp_minus: Callable[[Sequence[Fraction]], Numbers]
    one_minus_exp_minus: Callable[[Sequence[Fraction]], Numbers]
    sign_pair: Callable[[Any, Any], Any]
    sign_quad: Callable[..., Any]
    settled: Callable[[Callable[[], Pair]], Pair]


def _split(exponents: Sequence[Fraction]) -> tuple[np.ndarray, np.ndarray]:
    """u = high + low with high the nearest float: exp(-high)(1 - low) then has no error from rounding u."""
    high = np.array([float(u) for u in exponents])
    low = np.array([float(u - Fraction(h)) for u, h in zip(exponents, high.tolist(), strict=True)])
    return high, low


def _exp_minus(exponents: Sequence[Fraction]) -> np.ndarray:
    high, low = _split(exponents)
    with np.errstate(under="ignore"):
        return np.exp(-high) * (1 - low)


def _one_minus_exp_minus(exponents: Sequence[Fraction]) -> np.ndarray:
    high, low = _split(exponents)
    with np.errstate(under="ignore"):
        return -np.expm1(-high) + np.exp(-high) * low


def settled(compute: Callable[[], Pair], bits: int) -> Pair:
    """The two arrays of balls that `compute` gives: the first right to `bits` bits or 0, the second within 2^-bits.

    The precision is raised until that holds. Raises OutOfReachError where it never does: a number of the first is then
    zero, and no precision tells it from zero.
    """
    from flint import arb, ctx

    radius = arb(2) ** -bits
    for doubling in range(MOST_DOUBLINGS + 1):
        with ctx.workprec(bits + (64 << doubling)):
            relative, absolute = compute()
        known = all(x.is_zero() or x.rel_accuracy_bits() >= bits for x in relative.ravel())
        if known and all(x.rad() <= radius for x in absolute.ravel()):
            return relative, absolute
    raise OutOfReachError(
        f"{64 << MOST_DOUBLINGS} bits to spare do not tell a variance along the gates' directions from zero.",
        "The covariance is singular, or too close to it: shorten xi, or leave out directions that nearly coincide.",
    )


def _settled_float64(compute: Callable[[], Pair]) -> Pair:
    relative, absolute = settled(compute, FLOAT64_BITS)
    return relative.astype(float), absolute.astype(float)


FLOAT64 = Arithmetic(
    dtype=float,
    rational=float,
    pi=lambda: np.pi,
    sqrt=np.sqrt,
    exp_minus=_exp_minus,
    one_minus_exp_minus=_one_minus_exp_minus,
    sign_pair=two_signs.two_signs,
    sign_quad=signs.four_signs,
    settled=_settled_float64,
)


def certified() -> Arithmetic:
    """The arithmetic of balls; python-flint is imported here, so that float64 work does not load it."""
    from flint import arb, ctx, fmpq

    from theory.gaussian.certified.signs import four_signs, two_signs

    def number(x: Fraction) -> arb:
        return arb(fmpq(x.numerator, x.denominator))

    def balls(exponents: Sequence[Fraction], function: Callable[[arb], arb]) -> np.ndarray:
        return np.array([function(-number(u)) for u in exponents], dtype=object)

    def quad(*correlations: Any) -> np.ndarray:
        rows = np.broadcast_arrays(*(np.asarray(r, dtype=object) for r in correlations))
        if rows[0].size > MOST_CERTIFIED_QUADS:
            raise OutOfReachError(
                f"{rows[0].size} distinct certified integrals E[s1 s2 s3 s4] are needed for these overlapping gates; "
                f"more than {MOST_CERTIFIED_QUADS} would take minutes.",
                "Leave `digits` out for float64 (accurate to about 1e-13), or use fewer sites or overlapping gates.",
            )
        return np.frompyfunc(four_signs, 6, 1)(*rows)

    return Arithmetic(
        dtype=object,
        rational=number,
        pi=arb.pi,
        sqrt=np.frompyfunc(arb.sqrt, 1, 1),
        exp_minus=lambda exponents: balls(exponents, arb.exp),
        one_minus_exp_minus=lambda exponents: balls(exponents, lambda u: -u.expm1()),
        sign_pair=np.frompyfunc(two_signs, 2, 1),
        sign_quad=quad,
        settled=lambda compute: settled(compute, ctx.prec),
    )
