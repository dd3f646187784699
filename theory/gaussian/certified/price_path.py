"""The path of Price's theorem in balls: the cross correlations of two blocks times t = tanh(u)/C, 0 <= t <= 1."""

from flint import arb, ctx

from theory.expressions.balls.precision import precision

# Constants are computed with this many times the working precision: they are differences of nearly equal numbers.
SPARE_PRECISION = 4
# The path has at most the length L = bits log(2)/2, where tanh(L) is about 1 - 2^-bits.
HALF_LOG_2 = 0.35
# C is at least this: for smaller canonical correlations the singularities lie far enough from the path.
LEAST_CANONICAL = 0.5


def path(largest_square: arb, bits: int) -> tuple[arb, arb]:
    """Return the exact end of the path in u and the scale 1/C: t = 1 there, or C = 1 and tanh(end) = 1 - 2^-bits.

    `largest_square` is the square of the largest canonical correlation c. Since C >= c, the integrand has no
    singularity with |t| < 1/C.

    Canonical correlations up to 1/2 take C = 1/2, so that t = 2 tanh(u) is 1 at the end:

    >>> end, scale = path(arb("0.25"), 100)
    >>> (end.tanh() * scale).contains(1), round(float(scale.mid()), 12)
    (True, 2.0)
    """
    longest = arb(int(HALF_LOG_2 * bits) + 2)
    with precision(SPARE_PRECISION * ctx.prec):
        largest = arb.max(largest_square.upper().sqrt().upper(), arb(LEAST_CANONICAL))
        if not largest < 1:
            return longest, arb(1)
        end = largest.atanh().upper()
    end = (+end).upper()
    if not end < longest:
        return longest, arb(1)
    with precision(SPARE_PRECISION * ctx.prec):
        return end, 1 / end.tanh()


def canonical_squares(r12: arb, r13: arb, r14: arb, r23: arb, r24: arb, r34: arb) -> tuple[arb, arb]:
    """Return the squared canonical correlations of (1, 2) with (3, 4), the larger first.

    With uncorrelated variables in each block, r13 = 1/2 and r24 = 1/4 are the canonical correlations:

    >>> half, quarter, zero = arb("0.5"), arb("0.25"), arb(0)
    >>> larger, smaller = canonical_squares(zero, half, zero, zero, quarter, zero)
    >>> larger.contains(half**2), smaller.contains(quarter**2)
    (True, True)
    """
    blocks = (1 - r12 * r12) * (1 - r34 * r34)
    cross = r13 * r24 - r14 * r23
    both = r13 * r13 + r14 * r14 + r23 * r23 + r24 * r24 + 2 * r12 * r34 * (r13 * r24 + r14 * r23)
    both -= 2 * r34 * (r13 * r14 + r23 * r24) + 2 * r12 * (r13 * r23 + r14 * r24)
    total, product = both / blocks, cross * cross / blocks
    apart = total * total - 4 * product
    # (c1^2 - c2^2)^2 is not negative, although its ball may contain negative numbers.
    difference = apart.sqrt() if apart > 0 else arb.max(apart.upper(), arb(0)).sqrt().union(arb(0))
    return (total + difference) / 2, (total - difference) / 2


def nonnegative(x: arb) -> arb:
    """Cut the negative part off the ball of a number that is known not to be negative.

    >>> ball = nonnegative(arb(0, 1))  # [-1, 1] becomes [0, 1]
    >>> bool(ball > -0.001), ball.contains(1)
    (True, True)
    """
    return x if x >= 0 or not x.is_finite() else arb.max(x.upper(), arb(0)).union(arb(0))
