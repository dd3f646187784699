"""Two arithmetics for one set of formulas: float64 arrays, and arrays of certified balls (Arb).

A formula of this package is written once, for NumPy arrays of either kind of number. An `Arithmetic` has the parts that
differ: the functions, and the conversion of exact fractions. Arb works at the precision of the surrounding
`flint.ctx.workprec` block.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Shaped

from theory.expressions.balls.precision import precision
from theory.gaussian.float64 import owens_t, signs, two_signs
from theory.moments import tail_signs
from theory.problem import OutOfReachError

Numbers = Shaped[np.ndarray, "*any"]
Pair = tuple[Shaped[np.ndarray, "..."], Shaped[np.ndarray, "..."]]
# A ball of E[s1 s2 s3 s4] takes 1 to 50 ms at 40 digits, mostly 2; more balls than this would take minutes.
MOST_CERTIFIED_QUADS = 20_000
# The bits of a float64 plus a few, and how often the 64 spare bits are doubled to separate a number from zero.
FLOAT64_BITS = 60
LARGEST_EXACT = 2**53  # all integers up to it are floats
MOST_DOUBLINGS = 9


@dataclass(frozen=True)
class Arithmetic:
    """The functions that the formulas need beyond + - * /; every function takes and returns arrays elementwise.

    `dtype` is that of its arrays; `rational` converts exact fractions.
    `sign_pair(r, 1 - r^2)` = E[s1 s2]; `four_signs(r12, r13, r14, r23, r24, r34)` = E[s1 s2 s3 s4].
    `owens_t(h, a)` is Owen's T, `tail_and_two_signs(a, P(u >= a), r12, r13, r23)` = E[1[u >= a] s2 s3], and
    `signs_at(thresholds, *correlations)` = E[prod_k sign(z_k + h_k)] for three or four signs with the same thresholds.
    `cosine_transform(x)` = sum_j x_j cos(2 pi q j/N) of an even x, and `negative_part(x)` = max(-x, 0).
    `settled(f)` is f(), two arrays that f computes in balls: the first to the relative, the second to the absolute
    accuracy of this arithmetic, whatever cancels.

    The same formula in float64 and in balls, here E[s1 s2] = 1/3 at the correlation 1/2:

    >>> balls = certified()
    >>> third = balls.sign_pair(balls.rational(Fraction(1, 2)), balls.rational(Fraction(3, 4)))
    >>> round(float(FLOAT64.sign_pair(0.5, 0.75)) * 3, 13), (third * 3).contains(1)
    (1.0, True)
    """

    dtype: type
    rational: Callable[[Fraction], Any]
    pi: Callable[[], Any]
    sqrt: Callable[[Any], Any]
    sign_pair: Callable[[Any, Any], Any]
    four_signs: Callable[..., Any]
    owens_t: Callable[[Any, Any], Any]
    tail_and_two_signs: Callable[..., Any]
    signs_at: Callable[..., Any]
    settled: Callable[[Callable[[], Pair]], Pair]
    cosine_transform: Callable[[Numbers], Numbers]
    negative_part: Callable[[Numbers], Numbers]


def settled(compute: Callable[[], Pair], bits: int) -> Pair:
    """Return the two arrays of balls of `compute`: the first to `bits` bits or 0, the second within 2^-bits.

    The precision is raised until this accuracy is reached. Raises OutOfReachError where it never is: then a number of
    the first array is zero, and no precision separates it from zero.

    sqrt(1 + x) - 1 loses the digits of x = 10^-40, and more bits restore them:

    >>> from flint import arb
    >>> def compute():
    ...     return np.array([(1 + arb(10) ** -40).sqrt() - 1], dtype=object), np.array([arb(0)], dtype=object)
    >>> relative, _ = settled(compute, 53)
    >>> float(relative[0])
    5e-41
    """
    from flint import arb

    from theory.expressions.balls.closed_form import NotCertified

    radius = arb(2) ** -bits
    for doubling in range(MOST_DOUBLINGS + 1):
        with precision(bits + (64 << doubling)):
            try:
                relative, absolute = compute()
            except NotCertified:
                break
        known = all(x.is_zero() or x.rel_accuracy_bits() >= bits for x in relative.ravel())
        if known and all(x.rad() <= radius for x in absolute.ravel()):
            return relative, absolute
    raise OutOfReachError(
        "In some class two gates look at the same direction of the data, up to a factor, or one direction does not "
        "vary, or nearly so: the covariance is singular there, and the moments through these gates are not exact here.",
        "Gate other sites or directions, give the classes a regular covariance (on a line a smaller xi), or simulate "
        "it (gdln simulate).",
    )


def _settled_float64(compute: Callable[[], Pair]) -> Pair:
    relative, absolute = settled(compute, FLOAT64_BITS)
    return relative.astype(float), absolute.astype(float)


FLOAT64 = Arithmetic(
    dtype=float,
    rational=float,
    pi=lambda: np.pi,
    sqrt=np.sqrt,
    sign_pair=two_signs.two_signs,
    four_signs=signs.four_signs,
    owens_t=owens_t.owens_t,
    tail_and_two_signs=tail_signs.tail_and_two_signs,
    signs_at=tail_signs.signs_at,
    settled=_settled_float64,
    cosine_transform=lambda x: np.fft.fft(x).real,
    negative_part=lambda x: np.clip(-x, 0, None),
)


@cache
def certified() -> Arithmetic:
    """Return the arithmetic of balls; python-flint is imported here, so that float64 work does not load it.

    >>> numbers = certified()
    >>> numbers.sqrt(numbers.rational(Fraction(1, 4))) == numbers.rational(Fraction(1, 2)), numbers.dtype
    (True, <class 'object'>)
    """
    from flint import acb, arb, ctx, fmpq

    from theory.expressions.balls.owens_t import owens_t as balls_owens_t
    from theory.gaussian.certified.signs import four_signs, three_signs, two_signs

    def number(x: Fraction) -> arb:
        return arb(fmpq(x.numerator, x.denominator))

    def each(function: Callable[..., arb], *arguments: Any) -> np.ndarray:
        rows = np.broadcast_arrays(*(np.asarray(x, dtype=object) for x in arguments))
        if rows[0].size > MOST_CERTIFIED_QUADS:
            raise OutOfReachError(
                f"{rows[0].size} distinct certified integrals E[s1 s2 s3 s4] are needed for these overlapping gates; "
                f"more than {MOST_CERTIFIED_QUADS} would take minutes.",
                "Leave `digits` out for float64 (accurate to about 1e-13), or use fewer sites or overlapping gates.",
            )
        return np.frompyfunc(function, len(rows), 1)(*rows)

    def at(thresholds: tuple[arb, ...], *correlations: Any) -> np.ndarray:
        function = three_signs if len(thresholds) == 3 else four_signs
        if len(thresholds) == 4 and all(h == 0 for h in thresholds):
            return each(four_signs, *correlations)
        return each(lambda *r: function(*r, thresholds=thresholds), *correlations)

    def tail_and_two(a: arb, tail: arb, p: Any, q: Any, w: Any) -> np.ndarray:
        """1[u >= a] = (1 + sign(u - a))/2."""
        del tail
        zero = arb(0)
        return each(lambda p, q, w: (two_signs(w) + three_signs(p, q, w, (-a, zero, zero))) / 2, p, q, w)

    def cosines(x: Numbers) -> Numbers:
        """Return the cosine transform by FFT."""
        return np.array([mode.real for mode in acb.dft([acb(number) for number in x])], dtype=object)

    return Arithmetic(
        dtype=object,
        rational=number,
        pi=arb.pi,
        sqrt=np.frompyfunc(arb.sqrt, 1, 1),
        sign_pair=np.frompyfunc(two_signs, 2, 1),
        four_signs=lambda *correlations: each(four_signs, *correlations),
        owens_t=np.frompyfunc(lambda h, a: a.atan() / (2 * arb.pi()) if h == 0 else balls_owens_t(h, a), 2, 1),
        tail_and_two_signs=tail_and_two,
        signs_at=at,
        settled=lambda compute: settled(compute, ctx.prec),
        cosine_transform=cosines,
        negative_part=np.frompyfunc(lambda x: (-x).max(arb(0)), 1, 1),
    )
