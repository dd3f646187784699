"""Owen's T as certified balls of real and complex arguments, and Gauss-Legendre rules in balls.

T(h, a) = (1/2 pi) int_0^a exp(-h^2 (1 + x^2)/2)/(1 + x^2) dx is entire in h and analytic in a off the cuts of atan. It
is computed at the midpoint of the arguments; their radii enter by the mean value theorem with the slopes

    T_h = -exp(-h^2/2) erf(a h/sqrt 2)/(2 sqrt(2 pi)),    T_a = exp(-h^2 (1 + a^2)/2)/(2 pi (1 + a^2)).

|a| > 1 is reduced by T(h, a) = (1 - erf(h/sqrt 2) erf(a h/sqrt 2))/4 - T(a h, 1/a), Re a > 0. For real arguments the
ellipse of [0, 1] with rho = 4 keeps the distance 0.14 from the poles +-i, and |Im x| < 1 there: the integrand is at
most 7 in size, and n nodes leave 4 * 7 * 4^-(2n-1)/3 (see `threshold_balls`).
"""

from functools import lru_cache
from math import log

from flint import acb, arb, ctx

# Bits that n nodes gain each, and the bound on the integrand.
BITS_PER_NODE = 4
MOST = 7
# A tail exp(-h^2 ...) is computed to relative accuracy as long as it has no more bits than this times the precision.
TAIL_BITS = 16
# Evaluations allowed a bit for complex arguments.
EVALUATIONS_PER_BIT = 40


@lru_cache(maxsize=64)
def legendre(count: int, bits: int) -> tuple[tuple[arb, arb], ...]:
    """Gauss-Legendre nodes and weights on [0, 1] at the precision `bits`."""
    with ctx.workprec(bits):
        both = []
        for k in range((count + 1) // 2):
            x, w = arb.legendre_p_root(count, k, weight=True)
            both.append(((1 + x) / 2, w / 2))
            if 2 * k + 1 < count:
                both.append(((1 - x) / 2, w / 2))
        return tuple(both)


def owens_t(h: arb | acb, a: arb | acb, analytic: bool = False) -> arb | acb:
    """Owen's T at the working precision, relatively accurate for real arguments also far out; real for real ones.

    Not finite where an argument is not, for complex `a` that touch the cuts +-i [1, oo), and for wide balls. With
    `analytic`, every ball `a` that touches a cut, real or not, gives a ball that is not finite.
    """
    if isinstance(h, arb) and isinstance(a, arb):
        return _real(h, a)
    h, a = acb(h), acb(a)
    if h.imag.is_zero() and a.imag.is_zero() and not analytic:
        return acb(_real(h.real, a.real))
    return _complex(h, a)


def _real(h: arb, a: arb) -> arb:
    h0, a0 = abs(h.mid()), a.mid()
    if not (h.is_finite() and a.is_finite()):
        return arb("nan")
    size = abs(a0)
    if size <= 1:
        value = _short(h0, size)
    else:
        q, q_other = _tail(h0), _tail(size * h0)
        value = (q + q_other) / 2 - q * q_other - _short(size * h0, 1 / size)
    value = -value if a0 < 0 else value
    if h.rad().is_zero() and a.rad().is_zero():
        return value
    square = 1 + a * a
    by_h = (-h * h / 2).exp() / (2 * (2 * arb.pi()).sqrt())
    by_a = (-h * h * square / 2).exp() / (2 * arb.pi() * square)
    return value + arb(0, 1) * (abs(by_h) * h.rad() + abs(by_a) * a.rad()).upper()


def _tail(h: arb) -> arb:
    return (h / arb(2).sqrt()).erfc() / 2


def _short(h: arb, a: arb) -> arb:
    """T(h, a) for h >= 0 and 0 <= a <= 1, each exact or nearly so."""
    half = h * h / 2
    tail = float(half.upper()) * (1 + float(a.upper()) ** 2) / log(2)
    bits = ctx.prec + int(min(tail, TAIL_BITS * ctx.prec)) + 8
    count = -(-bits // BITS_PER_NODE) + 2
    count = 8 * -(-count // 8)
    total, square = arb(0), a * a
    for x, w in legendre(count, ctx.prec):
        growth = 1 + square * (x * x)
        total += w * (-half * growth).exp() / growth
    remainder = 4 * MOST * arb(4) ** (1 - 2 * count) / 3
    return a * (total + arb(0, 1) * remainder.upper()) / (2 * arb.pi())


def _complex(h: acb, a: acb) -> acb:
    """T for complex arguments off the cuts of a."""
    nan = acb(arb("nan"))
    touches = a.real.contains(0) and not abs(a.imag) < 1
    if touches or not (h.is_finite() and a.is_finite()):
        return nan
    square = 1 + a * a
    by_h = (-h * h / 2).exp() * (a * h / arb(2).sqrt()).erf() / (2 * (2 * arb.pi()).sqrt())
    by_a = (-h * h * square / 2).exp() / (2 * arb.pi() * square)
    error = (abs(by_h) * _radius(h) + abs(by_a) * _radius(a)).upper()
    if not error.is_finite():
        return nan
    h, a = _middle(h), _middle(a)
    if abs(a) <= 1 or not (a.real > 0 or a.real < 0):
        value = _path(h, a, error)
    else:
        value = (1 - (h / arb(2).sqrt()).erf() * (a * h / arb(2).sqrt()).erf() * _sign(a)) / 4 * _sign(a)
        value -= _path(a * h, 1 / a, error)
    ball = arb(0, 1) * error
    return value + acb(ball, ball)


def _sign(a: acb) -> int:
    return 1 if a.real > 0 else -1


def _middle(x: acb) -> acb:
    return acb(x.real.mid(), x.imag.mid())


def _radius(x: acb) -> arb:
    return (x.real.rad() * x.real.rad() + x.imag.rad() * x.imag.rad()).sqrt()


def _path(h: acb, a: acb, error: arb) -> acb:
    """The integral along the straight line from 0 to a, not much more accurately than `error`."""
    half = h * h / 2

    def integrand(x: acb, _: bool) -> acb:
        square = 1 + (a * x) * (a * x)
        return (-half * square).exp() / square

    small = arb(2) ** (-ctx.prec)
    limits = {"eval_limit": EVALUATIONS_PER_BIT * ctx.prec, "depth_limit": ctx.prec}
    goal = arb.max(small, error / 8).mid()
    return a * acb.integral(integrand, acb(0), acb(1), abs_tol=goal, **limits) / (2 * arb.pi())
