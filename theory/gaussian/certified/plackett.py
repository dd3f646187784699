"""E[s1 s2 s3 s4] of four jointly Gaussian signs without thresholds as a certified ball (Plackett's integral).

With the cross block of (1, 2) and (3, 4) scaled by t (Plackett), and (a, b) running over its four pairs,

    E = (4/pi^2) { asin r12 asin r34
        + int_0^1 sum_ab r_ab/root_ab atan(t M_ab/(sqrt(det R(t)) root_ab)) dt },  root_ab = sqrt(1 - t^2 r_ab^2),

where M_ab is linear in t^2 and det R(t) = (1 - r12^2)(1 - r34^2)(1 - c1^2 t^2)(1 - c2^2 t^2) with the canonical
correlations c2 <= c1 <= 1 of the two pairs; |r_ab| <= c1. All singularities lie on real |t| >= 1/c1, so that the
strip |Im u| < pi/2 of the variable u, t = tanh(u)/C with c1 <= C <= 1, contains none. Every factor is linear in
S = 1 - t^2 C^2 = sech(u)^2 with a constant term that is computed once, to more digits: nothing cancels near t = 1.
The path ends at an exact number u where t = 1, or at u = L with C = 1 if the ball of c1 contains 1; by |atan| <= pi/2
the rest of the integral from that t to 1 is at most (pi/2) sum_ab |asin r_ab - asin(t r_ab)|.
"""

from flint import acb, arb, ctx

from theory.expressions.balls.closed_form import NotCertified
from theory.expressions.balls.integral import integral
from theory.expressions.balls.precision import precision
from theory.gaussian.certified.effort import Effort
from theory.gaussian.certified.price_path import SPARE_PRECISION, canonical_squares, nonnegative, path

# The other two and the inner correlations of each cross pair: indices of r_ab, r_cd, r_ac, r_bd, r_ad, r_bc.
CROSS = ((1, 4, 0, 5, 2, 3), (2, 3, 0, 5, 1, 4), (3, 2, 0, 5, 4, 1), (4, 1, 0, 5, 3, 2))
# The three ways to pair up: (1, 2), (3, 4); (1, 3), (2, 4); (1, 4), (2, 3), as orders of r12, r13, r14, r23, r24, r34.
PAIRINGS = ((0, 1, 2, 3, 4, 5), (1, 0, 2, 3, 5, 4), (2, 1, 0, 5, 4, 3))
# The most bisections of a panel, per bit of precision.
DEPTH_PER_BIT = 4
# With fewer evaluations per bit than this no integral converges.
LEAST_PER_BIT = 1


def plackett(r12: arb, r13: arb, r14: arb, r23: arb, r24: arb, r34: arb, effort: Effort) -> arb:
    """E[s1 s2 s3 s4] for correlations of a positive definite matrix, at the working precision.

    The signs are paired so that the singularities of the integrand lie far from t = 1: det R is the same for all
    pairings, so that the smallest product (1 - r12^2)(1 - r34^2) goes with the smallest canonical correlations.
    Raises NotCertified when the effort is used up.

    With correlations 1/2 the signs compare one of five independent variables of one law with the other four. Its rank
    is uniform, so E = (1 - 1 + 1 - 1 + 1)/5:

    >>> half = arb(1) / 2
    >>> (5 * plackett(half, half, half, half, half, half, Effort())).contains(1)
    True
    """
    correlations = (r12, r13, r14, r23, r24, r34)
    orders = [tuple(correlations[index] for index in order) for order in PAIRINGS]
    with precision(SPARE_PRECISION * ctx.prec):
        r = min(orders, key=lambda r: float(((1 - r[0] * r[0]) * (1 - r[5] * r[5])).mid()))
        squares = canonical_squares(*r)
    end, scale = path(squares[0], ctx.prec)
    with precision(SPARE_PRECISION * ctx.prec):
        integrand = _Integrand(r, squares, scale)
    limit = effort.affordable()
    if limit >= LEAST_PER_BIT * ctx.prec:
        total = integral(integrand, 0, end, depth_limit=DEPTH_PER_BIT * ctx.prec, eval_limit=limit).real
        effort.spend(integrand.evaluations)
    if integrand.evaluations >= limit or limit < LEAST_PER_BIT * ctx.prec:
        raise NotCertified("integrals for four signs take more work than is allowed")
    with precision(SPARE_PRECISION * ctx.prec):
        last = end.tanh() * scale
        rest = sum((abs(r_ab.asin() - (last * r_ab).asin()) for r_ab in r[1:5]), arb(0)) * arb.pi() / 2
    total += rest.union(-rest)
    return 4 * (r[0].asin() * r[5].asin() + total) / (arb.pi() * arb.pi())


class _Integrand:
    """The sum over the cross pairs, as a function of u, times dt/du."""

    def __init__(self, r: tuple[arb, ...], squares: tuple[arb, arb], scale: arb) -> None:
        square = scale * scale
        linear = [(nonnegative(1 - c * square), c * square) for c in squares]
        root = ((1 - r[0] * r[0]) * (1 - r[5] * r[5])).sqrt()
        terms = []
        for ab, cd, ac, bd, ad, bc in (tuple(r[index] for index in pair) for pair in CROSS):
            p, q = cd - ac * ad, bc - ac * ab
            constant, slope = p - bd * q, ab * (q * ad - ab * p)
            r_square = ab * ab * square
            front = scale / root
            linear.append((nonnegative(1 - r_square), r_square))
            terms.append((ab * scale, (constant + slope * square) * front, -slope * square * front))
        self.linear, self.terms = linear, terms
        self.evaluations = 0

    def __call__(self, u: acb, analytic: bool) -> acb:
        self.evaluations += 1
        sech, sinh, cosh = u.sech(), u.sinh(), u.cosh()
        s, sinh_square = sech * sech, sinh * sinh
        size = abs(s).upper()

        # sqrt(constant + slope s) is written as x or x sech(u), whichever keeps boxes off the branch cut of the root.
        roots = [
            ((constant + slope * s).sqrt(analytic), 0)
            if size < constant
            else ((1 + constant * sinh_square).sqrt(analytic), 1)
            for constant, slope in self.linear
        ]
        (first, one), (second, two), *others = roots
        # tanh divided by the two roots, without quotients of boxes that grow alike, which would be wide.
        over = (sinh * sech, sinh, sinh * cosh)[one + two] / (first * second)
        total = acb(0)
        for (front, top, top_slope), (below, power) in zip(self.terms, others, strict=True):
            inverse = cosh / below if power else 1 / below
            tangent = over * (top + top_slope * s) * inverse
            if analytic and tangent.real.contains(0) and not abs(tangent.imag) < 1:
                return acb("nan")
            total += front * inverse * tangent.atan()
        return total * s
