"""Owen's T as certified balls of real and complex arguments, and Gauss-Legendre rules in balls.

T(h, a) = (1/2 pi) int_0^a exp(-h^2 (1 + x^2)/2)/(1 + x^2) dx is entire in h and analytic in a off the cuts of atan. It
is computed at the midpoints of the arguments; their radii enter by the mean value theorem with the slopes

    T_h = -exp(-h^2/2) erf(a h/sqrt 2)/(2 sqrt(2 pi)),    T_a = exp(-h^2 (1 + a^2)/2)/(2 pi (1 + a^2)).

|a| > 1 is reduced by T(h, a) = (1 - erf(h/sqrt 2) erf(a h/sqrt 2))/4 - T(a h, 1/a), Re a > 0. For real arguments the
factor exp(-h^2/2) is taken out. The other factor is integrated by n Gauss-Legendre nodes to x = e, beyond which it is
negligible.
With w = e BETA/2 < 1 the ellipse of [0, e] in |Im x| <= w has rho = BETA + sqrt(1 + BETA^2), the integrand there is at
most M = exp(h^2 w^2/2)/(1 - w), and the remainder at most 4 e M rho^-(2n-1)/(rho - 1) (see `signs`).
"""

from functools import lru_cache
from math import asinh, ceil, log

from flint import acb, arb, ctx

from theory.expressions.balls.integral import integral
from theory.expressions.balls.precision import precision

# The half-width of the ellipse over half the distance of its foci.
BETA = 1.5
# log(4 M/(rho - 1)) without the exponential, for w <= 3/4.
LOG_MOST = log(8)
# Bits of the remainder beyond the working precision.
SPARE = 8
LARGE = 1e300
LN2 = log(2)
# The most evaluations per bit of precision for complex arguments.
EVALUATIONS_PER_BIT = 40


@lru_cache(maxsize=160)
def legendre(count: int, bits: int) -> tuple[tuple[arb, arb], ...]:
    """Return Gauss-Legendre nodes and weights on [0, 1] at the precision `bits`.

    Two nodes integrate cubic polynomials exactly, here int_0^1 x^3 dx = 1/4:

    >>> from flint import fmpq
    >>> bool(sum(w * x**3 for x, w in legendre(2, 100)).contains(fmpq(1, 4)))
    True
    """
    with precision(bits):
        both = []
        for k in range((count + 1) // 2):
            x, w = arb.legendre_p_root(count, k, weight=True)
            both.append(((1 + x) / 2, w / 2))
            if 2 * k + 1 < count:
                both.append(((1 - x) / 2, w / 2))
        return tuple(both)


def owens_t(h: arb | acb, a: arb | acb, analytic: bool = False) -> arb | acb:
    """Return Owen's T at the working precision, real and relatively accurate in the tails for real arguments.

    The ball is not finite for arguments that are not finite, for complex `a` that touch the cuts +-i [1, oo), and for
    wide balls; with `analytic` also for real `a` that touch a cut.

    T(0, a) = atan(a)/(2 pi), and T(h, 1) = Phi(h) Phi(-h)/2 = q (1 - q)/2:

    >>> with precision(100):
    ...     arctangent = owens_t(arb(0), arb(3)) - arb(3).atan() / (2 * arb.pi())
    ...     q = _tail(arb(2))
    ...     product = owens_t(arb(2), arb(1)) - q * (1 - q) / 2
    >>> arctangent.contains(0), product.contains(0), product.rad() < arb(2) ** -90
    (True, True, True)
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
    """Return T(h, a) for h >= 0, 0 <= a <= 1: exp(-h^2/2)/(2 pi) times an integral with a bound on its remainder."""
    bits = ctx.prec + SPARE
    reach = float(arb.min(h, arb(LARGE)).upper())
    end = a
    rest = arb(0)
    if reach > 0 and a * h > (2 * bits * LN2) ** 0.5:
        end = (arb(2 * bits) * arb(2).log()).sqrt().mid() / h
        rest = (a - end) * (-_half_square(h * end)).exp()
    width = BETA / 2 * end
    growth = _half_square(h * width)
    most = growth.exp() / (1 - width)
    count = ceil((bits * LN2 + float(growth.upper()) + LOG_MOST) / (2 * asinh(BETA)) + 1)
    count = 8 * -(-count // 8)
    rho = arb(BETA) + (1 + arb(BETA) * BETA).sqrt()
    remainder = 4 * most * rho ** (1 - 2 * count) / (rho - 1)
    total, square, fall = arb(0), end * end, _half_square(h * end)
    for x, w in legendre(count, ctx.prec):
        at = x * x
        total += w * (-fall * at).exp() / (1 + square * at)
    total = end * (total + arb(0, 1) * remainder.upper()) + arb(0, 1) * rest.upper()
    return total * (-_half_square(h)).exp() / (2 * arb.pi())


def _half_square(x: arb) -> arb:
    return x * x / 2


def _complex(h: acb, a: acb) -> acb:
    """Return T for complex arguments off the cuts of a."""
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
    """Return the integral along the straight line from 0 to a, with an accuracy goal of an eighth of `error`."""
    half = h * h / 2

    def integrand(x: acb, _: bool) -> acb:
        square = 1 + (a * x) * (a * x)
        return (-half * square).exp() / square

    small = arb(2) ** (-ctx.prec)
    limits = {"eval_limit": EVALUATIONS_PER_BIT * ctx.prec, "depth_limit": ctx.prec}
    goal = arb.max(small, error / 8).mid()
    return a * integral(integrand, acb(0), acb(1), abs_tol=goal, **limits) / (2 * arb.pi())
