"""The probability of a quadrant {z1 > x, z2 > y} whose corner is its point nearest to the origin, relatively accurate.

Let d^2 = (x^2 - 2 r x y + y^2)/(1 - r^2) be the squared distance of the corner from the origin. An integral over the
angle under which the origin sees the two sides gives

    P = sign(x) F(|x|, (y - r x)/(|x| sqrt(1 - r^2))) + sign(y) F(|y|, (x - r y)/(|y| sqrt(1 - r^2))),
    F(h, a) = (1/2 pi) int_a^oo exp(-h^2 (1 + s^2)/2)/(1 + s^2) ds
            = (exp(-d^2/2)/(2 pi)) int_0^oo exp(-u)/((d^2 + 2 u) sqrt(a^2 + 2 u/h^2)) du,  h^2 (1 + a^2) = d^2.
"""

from flint import acb, arb, ctx

from theory.expressions.balls.integral import integral

# The most evaluations of the integrand per bit of precision.
EVALUATIONS_PER_BIT = 40
GUARD = 16


def corner(x: arb, y: arb, r: arb) -> bool:
    """Whether the corner (x, y) is certainly the point of the quadrant that is nearest to the origin.

    >>> corner(arb(1), arb(1), arb("0.5")), corner(arb(1), arb("0.1"), arb("0.5"))  # 0.1 < r x: a side is nearer
    (True, False)
    """
    return bool(abs(r) < 1 and x > r * y and y > r * x)


def half_distance(x: arb, y: arb, r: arb) -> arb:
    """d^2/2.

    >>> half_distance(arb(3), arb(4), arb(0))  # (3^2 + 4^2)/2
    12.5000000000000
    """
    return (x * x - 2 * r * x * y + y * y) / (2 * (1 - r * r))


def quadrant(x: arb, y: arb, r: arb) -> arb:
    """P(z1 > x, z2 > y) for standard normal z1, z2 of correlation r at the working precision, given `corner(x, y, r)`.

    The radius is small relative to P. The balls x, y and r must have more digits, because their differences enter. A
    side through the origin (x = 0) is seen under no angle.

    Without correlation it is P(z1 > x) P(z2 > y), also far in the tail, where it is about exp(-100^2):

    >>> x = arb(100)
    >>> ratio = quadrant(x, x, arb(0)) / ((x / arb(2).sqrt()).erfc() / 2) ** 2
    >>> ratio.contains(1), bool(ratio.rad() < 1e-9)
    (True, True)
    """
    half, root = half_distance(x, y, r), (1 - r * r).sqrt()
    total = arb(0)
    for h, other in ((x, y), (y, x)):
        if h.is_zero():
            continue
        side = 1 if h > 0 else -1
        total += side * _fan(abs(h), (other - r * h) / (abs(h) * root), half)
    return total * (-half).exp() / (2 * arb.pi())


def _fan(h: arb, a: arb, half: arb) -> arb:
    """Return F without the factor in front; its part beyond u = U is at most exp(-U) times the other factors at 0."""
    end = arb(int(0.7 * ctx.prec) + GUARD)
    square, rate = a * a, 2 / (h * h)

    def integrand(u: acb, analytic: bool) -> acb:
        return (-u).exp() / (2 * (half + u) * (square + rate * u).sqrt(analytic=analytic))

    limits = {"depth_limit": ctx.prec, "eval_limit": EVALUATIONS_PER_BIT * ctx.prec}
    total = integral(integrand, acb(0), acb(end), abs_tol=_floor(half, a), **limits).real
    return total + arb(0, 1) * ((-end).exp() / (2 * half * a)).upper()


def _floor(half: arb, a: arb) -> arb:
    """Return 2^-prec times the size of the integral."""
    return (arb(2) ** -ctx.prec / (2 * half * a)).mid()
