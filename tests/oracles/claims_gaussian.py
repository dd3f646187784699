"""Witnesses of the claims on Gaussian expectations: gaussian.*, conditional.*, moment.*, localization.nlgp.*.

Every erf is its own defining integral, erf(s r) = (2/sqrt pi) int_0^1 s r exp(-(s r u)^2) du, and the Gaussian
variables are integrated first, in polar coordinates where there is a step. What is left is one integral of an
algebraic function, without an erf, an exponential or an inverse trigonometric function; of a step and two erfs of its
plane one arctangent is left. Three factors are integrated directly, by a trapezoidal rule in one variable and
Gauss-Legendre panels in another.
"""

from fractions import Fraction
from itertools import pairwise

import mpmath
from flint import arb, ctx
from mpmath import mpf
from witness import GUARD, At, Witness, integral, panels, real, reals, rule, solve


def quadrant(rho: mpf, digits: int, moment=lambda _cos, _sin, a: 1 / (2 * a)) -> mpf:
    """E[1(z1 >= 0) 1(z2 >= 0) f] for corr(z1, z2) = rho, in polar coordinates z = r (cos, sin).

    The density is exp(-a r^2)/(2 pi sqrt(1 - rho^2)) with a = (1 - rho sin 2 theta)/(2 (1 - rho^2)), and
    `moment(cos, sin, a)` is int_0^oo f exp(-a r^2) r dr; by default f = 1.
    """
    return _over_angles(rho, mpf(0), digits, moment, ())


def _over_angles(rho: mpf, low: mpf, digits: int, moment, near: tuple) -> mpf:
    rest = (1 - rho) * (1 + rho)

    def integrand(theta: mpf) -> mpf:
        cos, sin = mpmath.cos_sin(theta)
        return moment(cos, sin, (1 - 2 * rho * sin * cos) / (2 * rest))

    ends = panels(low, mpmath.pi / 2, *near, *_peak(rho))
    return integral(integrand, ends, digits) / (2 * mpmath.pi * mpmath.sqrt(rest))


def _peak(rho: mpf) -> tuple[tuple[mpf, mpf], ...]:
    """The density along angles is largest at +-pi/4; its poles are acosh(1/|rho|)/2 off the real line there."""
    if rho == 0:
        return ((mpf(0), mpf(1)),)
    return ((mpmath.sign(rho) * mpmath.pi / 4, mpmath.acosh(1 / abs(rho)) / 2), (mpf(0), mpf(1)))


def step_erf_of_two(a: mpf, b: mpf, rho: mpf, digits: int) -> mpf:
    """E[1(z1 >= 0) erf(a z1 + b z2)]; int_0^oo r erf(s r) exp(-A r^2) dr = s/(2 A sqrt(A + s^2)), s = a cos + b sin.

    The two signs of s nearly cancel where the correlation of z1 with a z1 + b z2 is small, so digits are added.
    """
    along = a + b * rho
    if along == 0:
        return mpf(0)  # the argument is independent of z1
    lost = max(0, -int(mpmath.log10(abs(along) / (1 + abs(a) + abs(b)))))
    with mpmath.workdps(mpmath.mp.dps + lost):

        def moment(cos: mpf, sin: mpf, rate: mpf) -> mpf:
            s = a * cos + b * sin
            return s / (2 * rate * mpmath.sqrt(rate + s * s))

        flat = -mpmath.atan2(a, b) if b else mpmath.pi / 2
        flat -= mpmath.pi * mpmath.nint(flat / mpmath.pi)
        width = 1 / (2 + 2 * abs(a) + 2 * abs(b))
        return _over_angles(rho, -mpmath.pi / 2, digits + lost, moment, ((flat, width),))


def step_erf(rho: mpf, gain: mpf, digits: int) -> mpf:
    """E[1(z1 >= 0) erf(g z2)]; for rho = 1 the two are one, and z exp(-z^2/2) is integrated at once."""
    if abs(rho) == 1:
        ends = panels(mpf(0), mpf(1), (mpf(0), 1 / (2 * gain)))
        return rho * gain * mpmath.sqrt(2) / mpmath.pi * integral(lambda u: 1 / (1 + 2 * (gain * u) ** 2), ends, digits)
    return step_erf_of_two(mpf(0), gain, rho, digits)


def erf_erf(rho: mpf, gain: mpf, digits: int) -> mpf:
    """E[erf(g z1) erf(g z2)] = (4 g^2/pi) int int_0^1 E[z1 z2 exp(-(g u z1)^2 - (g v z2)^2)] du dv, v first.

    The expectation is rho det^(-3/2) with det = (1 + 2 g^2 u^2) (1 + 2 g^2 v^2) - (2 g^2 u v rho)^2.
    """
    square = 2 * gain**2

    def integrand(u: mpf) -> mpf:
        first = 1 + square * u * u
        second = square + square**2 * u * u * (1 - rho) * (1 + rho)
        return 1 / (first * mpmath.sqrt(first + second))

    ends = panels(mpf(0), mpf(1), (mpf(0), 1 / (4 * gain)))
    return 2 * square * rho / mpmath.pi * integral(integrand, ends, digits)


def step_erf_erf(r12: mpf, r13: mpf, r23: mpf, gain: mpf, digits: int) -> mpf:
    """E[1(z1 >= 0) erf(g z2) erf(g z3)]: z3 given the others by its mean, z2 given z1 by the trapezoidal rule.

    E erf(m + s N) = erf(m/sqrt(1 + 2 s^2)). The trapezoidal rule of step h errs by exp(-pi^2/(G h^2)) where the
    integrand grows like exp(G y^2) off the line. The arithmetic is that of balls, which are checked to be thin.
    """
    before = ctx.dps
    ctx.dps = digits + 2 * GUARD
    try:
        a, b, c, g = (arb(mpmath.nstr(x, digits + 2 * GUARD)) for x in (r12, r13, r23, gain))
        rest = (1 - a * a).sqrt()
        by_2 = (c - a * b) / (1 - a * a)
        by_1 = b - by_2 * a
        steep = g / (1 + 2 * g * g * (1 - b * by_1 - c * by_2)).sqrt()
        grows = 0.5 + float((g * rest) ** 2 + (steep * by_2 * rest) ** 2)
        decay = (digits + 8) * 2.302585
        step = arb(3.0 / (decay * grows) ** 0.5)
        count = int((2 * decay) ** 0.5 / float(step)) + 1
        grid = [(k * step * rest, (-((k * step) ** 2) / 2).exp() * step) for k in range(-count, count + 1)]
        total = arb(0)
        width = 1 / (1 + float(g))
        ends = [float(end) for end in panels(mpf(0), mpf((2 * decay) ** 0.5), (mpf(0), mpf(width)))]
        for start, end in pairwise(ends):
            middle, half = (arb(start) + arb(end)) / 2, (arb(end) - arb(start)) / 2
            for node, weight in _balls(digits):
                z = middle + half * node
                inner = arb(0)
                for tail, mass in grid:
                    second = a * z + tail
                    inner += mass * (g * second).erf() * (steep * (by_1 * z + by_2 * second)).erf()
                total += half * weight * (-z * z / 2).exp() * inner
        total /= 2 * arb.pi()
        if not total.rad() < arb(10) ** -(digits + 5):
            raise ArithmeticError(f"the rounding errors of {total} are not small")
        return mpf(total.mid().str(digits + GUARD, radius=False))
    finally:
        ctx.dps = before


def _balls(digits: int) -> list[tuple[arb, arb]]:
    with mpmath.workdps(digits + 2 * GUARD):
        texts = [[mpmath.nstr(x, digits + 2 * GUARD) for x in pair] for pair in rule(digits + 8, mpmath.mp.prec)]
    return [(arb(node), arb(weight)) for node, weight in texts]


def variance(gain: mpf, digits: int) -> mpf:
    """Z^2 = E erf(g z)^2."""
    return erf_erf(mpf(1), gain, digits)


def _of(function, *names: str):
    """A witness from a function of real parameters and digits."""

    def value(at: At, digits: int) -> mpf:
        with mpmath.workdps(digits + GUARD):
            numbers = reals(at)
            return function(*(numbers[name] for name in names), digits)

    return value


def _smoothed(m: mpf, sigma: mpf, gain: mpf, digits: int) -> mpf:
    """E erf(g (m + sigma N)), the density times the erf over the line."""
    if m == 0:
        return mpf(0)  # the integrand is odd
    reach = mpmath.sqrt(2 * mpmath.log(10) * (digits + GUARD))
    near = [(mpf(0), mpf(2))]
    if sigma:
        near.append((-m / sigma, 1 / (gain * sigma)))
    ends = panels(-reach, reach, *near)
    return integral(lambda u: mpmath.npdf(u) * mpmath.erf(gain * (m + sigma * u)), ends, digits)


# One latent site given two others, by the inverse of the correlation matrix in fractions


def _precision_row(at: At) -> list[Fraction]:
    """The row of site l in the inverse correlation matrix of (z_i, z_k, z_l)."""
    ik, il, kl = at["rho_ik"], at["rho_il"], at["rho_kl"]
    return solve([[1, ik, il], [ik, 1, kl], [il, kl, 1]], [Fraction(0), Fraction(0), Fraction(1)])


def _conditional_variance(at: At, _digits: int) -> Fraction:
    return 1 / _precision_row(at)[2]


def _slope(index: int):
    """a = the derivative at 0 of E[erf(g z_l) | z_i, z_k] times sqrt(pi)/2 = beta g E exp(-(g sigma N)^2).

    The last mean by the trapezoidal rule, which errs by exp(-pi^2/(c h^2)) for exp(-c x^2).
    """

    def value(at: At, digits: int) -> mpf:
        row = _precision_row(at)
        with mpmath.workdps(digits + GUARD):
            gain = real(at["g"])
            c = mpf(1) / 2 + gain**2 / real(row[2])
            decay = mpmath.log(10) * (digits + 10)
            step = mpmath.pi / mpmath.sqrt(decay * c)
            count = int(mpmath.sqrt(decay / c) / step) + 1
            mean = step * mpmath.fsum(mpmath.exp(-c * (k * step) ** 2) for k in range(-count, count + 1))
            return -real(row[index] / row[2]) * gain * mean / mpmath.sqrt(2 * mpmath.pi)

    return value


# Moments of x = erf(g z)/Z through a site gate; latent correlation exp(-d^2/xi^2)


def _correlation(distance: mpf, length: mpf) -> mpf:
    return mpmath.exp(-((distance / length) ** 2))


def _input_output(d: mpf, gain: mpf, length: mpf, digits: int) -> mpf:
    return step_erf(_correlation(d, length), gain, digits) / (2 * mpmath.sqrt(variance(gain, digits)))


def _second_moment(p: mpf, q: mpf, gain: mpf, xi1: mpf, xi2: mpf, digits: int) -> mpf:
    total = sum(step_erf_erf(*(_correlation(d, length) for d in (p, q, p - q)), gain, digits) for length in (xi1, xi2))
    return total / (2 * variance(gain, digits))


def _step_and_two(rho: mpf, first: mpf, second: mpf, gain: mpf, digits: int) -> mpf:
    """E[1(z1 >= 0) erf(s) erf(t)], s = first z1 + (gain - first) z2 and t = second z1 + (gain - second) z2.

    By parts, and from int_0^oo erf(t r) exp(-p r^2) dr = atan(t/sqrt p)/sqrt(pi p), the integral along a ray is
    int_0^oo r erf(s r) erf(t r) exp(-A r^2) dr
    = [s atan(t/sqrt(A + s^2))/sqrt(A + s^2) + t atan(s/sqrt(A + t^2))/sqrt(A + t^2)]/(pi A).
    """

    def moment(cos: mpf, sin: mpf, rate: mpf) -> mpf:
        s, t = (along * cos + (gain - along) * sin for along in (first, second))
        by_s, by_t = mpmath.sqrt(rate + s * s), mpmath.sqrt(rate + t * t)
        return (s / by_s * mpmath.atan(t / by_s) + t / by_t * mpmath.atan(s / by_t)) / (mpmath.pi * rate)

    width = 1 / (2 + 2 * gain)
    near = tuple((centre, width) for centre in (-mpmath.pi / 2, mpf(0), mpmath.pi / 2))
    return _over_angles(rho, -mpmath.pi / 2, digits, moment, near)


def _own_site(d: mpf, gain: mpf, xi1: mpf, xi2: mpf, digits: int) -> mpf:
    total = sum(_step_and_two(_correlation(d, length), gain, mpf(0), gain, digits) for length in (xi1, xi2))
    return total / (2 * variance(gain, digits))


def _square(d: mpf, gain: mpf, xi1: mpf, xi2: mpf, digits: int) -> mpf:
    """At the gate's own site E[1(z >= 0) erf(g z)^2] is integrated as it stands."""
    if d:
        total = sum(_step_and_two(_correlation(d, length), mpf(0), mpf(0), gain, digits) for length in (xi1, xi2))
    else:
        reach = mpmath.sqrt(2 * mpmath.log(10) * (digits + GUARD))
        ends = panels(mpf(0), reach, (mpf(0), mpf(1)), (mpf(0), 1 / (1 + gain)))
        total = 2 * integral(lambda u: mpmath.npdf(u) * mpmath.erf(gain * u) ** 2, ends, digits)
    return total / (2 * variance(gain, digits))


_PAIRS = (
    "rho=1/3 g=1",
    "rho=-7/10 g=1/100",
    "rho=0 g=2",
    "rho=999999/1000000 g=3",
    "rho=-999/1000 g=100",
    "rho=1/1048576 g=1/2",
)
_TRIPLES = (
    "rho_ik=1/3 rho_il=-1/2 rho_kl=1/4",
    "rho_ik=0 rho_il=2/3 rho_kl=-1/3",
    "rho_ik=63/64 rho_il=1/2 rho_kl=1/2",
    "rho_ik=-1/2 rho_il=0 rho_kl=3/4",
    "rho_ik=2/3 rho_il=1/5 rho_kl=4/5",
)
_WITH_GAIN = tuple(f"{triple} g={g}" for triple, g in zip(_TRIPLES, ("1", "1/100", "4", "1/3", "5/2"), strict=True))

WITNESSES = {
    "gaussian.step_step.orthant": Witness(
        _of(quadrant, "rho"),
        ("rho=0", "rho=1/2", "rho=-1/3", "rho=999999/1000000", "rho=-999/1000", "rho=1/1048576"),
    ),
    "gaussian.step_erf.arcsine": Witness(_of(step_erf, "rho", "g"), _PAIRS),
    "gaussian.step_erf.arctangent": Witness(_of(step_erf, "rho", "g"), _PAIRS),
    "gaussian.erf_erf.arcsine": Witness(_of(erf_erf, "rho", "g"), _PAIRS),
    "gaussian.erf.second_moment": Witness(_of(variance, "g"), ("g=1/100", "g=1/2", "g=1", "g=7/3", "g=100")),
    "gaussian.step_erf_erf.arcsine": Witness(
        _of(step_erf_erf, "r12", "r13", "r23", "g"),
        (
            "r12=1/2 r13=1/3 r23=-1/4 g=1",
            "r12=-9/10 r13=1/10 r23=1/5 g=1/100",
            "r12=3/4 r13=3/4 r23=1/2 g=3/2",
            "r12=0 r13=-1/2 r23=2/3 g=1/2",
        ),
        30,
    ),
    "gaussian.erf.smoothing": Witness(
        _of(_smoothed, "m", "sigma", "g"),
        (
            "m=1 sigma=1 g=1",
            "m=-3 sigma=1/2 g=2",
            "m=1/1048576 sigma=1 g=1/100",
            "m=2 sigma=0 g=1",
            "m=0 sigma=5 g=3",
            "m=5/2 sigma=100 g=100",
        ),
    ),
    "gaussian.step_erf.two_sites": Witness(
        _of(step_erf_of_two, "a_i", "a_k", "rho"),
        (
            "a_i=1 a_k=-1/2 rho=1/3",
            "a_i=0 a_k=2 rho=-3/4",
            "a_i=-3 a_k=0 rho=0",
            "a_i=3 a_k=3 rho=-63/64",
            "a_i=1/2 a_k=-1 rho=1/2",
        ),
    ),
    "conditional.variance.value": Witness(_conditional_variance, _TRIPLES, 40),
    "conditional.variance.determinant": Witness(_conditional_variance, _TRIPLES, 40),
    "conditional.slope.gate_site": Witness(_slope(0), _WITH_GAIN),
    "conditional.slope.other_site": Witness(_slope(1), _WITH_GAIN),
    "moment.site_gate.tower": Witness(_of(step_erf, "rho_il", "g"), _WITH_GAIN),
    "moment.site_gate.first_one": Witness(
        _of(step_erf, "rho", "g"),
        ("rho=0 g=1", "rho=1/2 g=1/100", "rho=999999/1000000 g=1", "rho=1/7 g=100", "rho=9/10 g=3"),
    ),
    "localization.nlgp.support": Witness(
        _of(lambda g, digits: 1 / mpmath.sqrt(variance(g, digits)), "g"),
        ("g=1/100", "g=1/3", "g=1", "g=5/2", "g=100"),
    ),
    "moment.site_gate.yx": Witness(
        _of(_input_output, "d", "g", "xi1"),
        ("d=0 g=1 xi1=2", "d=1 g=1/100 xi1=8", "d=-4 g=3 xi1=1/2", "d=3 g=100 xi1=2", "d=-2 g=1/2 xi1=7/3"),
    ),
    "moment.site_gate.xx": Witness(
        _of(_second_moment, "p", "q", "g", "xi1", "xi2"),
        (
            "p=1 q=2 g=1 xi1=2 xi2=1",
            "p=-1 q=1 g=1/2 xi1=1 xi2=2",
            "p=-2 q=-1 g=3/2 xi1=1/2 xi2=3",
            "p=2 q=-2 g=1/100 xi1=3/2 xi2=5/2",
        ),
        30,
    ),
    "moment.site_gate.own_site": Witness(
        _of(_own_site, "d", "g", "xi1", "xi2"),
        (
            "d=1 g=1 xi1=2 xi2=1",
            "d=-1 g=1/100 xi1=8 xi2=1/2",
            "d=3 g=5/2 xi1=7/3 xi2=3/2",
            "d=-4 g=100 xi1=2 xi2=5",
            "d=2 g=1/3 xi1=1 xi2=1",
        ),
    ),
    "moment.site_gate.square": Witness(
        _of(_square, "d", "g", "xi1", "xi2"),
        (
            "d=1 g=1 xi1=2 xi2=1",
            "d=0 g=1/3 xi1=1 xi2=3",
            "d=-2 g=5/2 xi1=7/3 xi2=3/2",
            "d=4 g=100 xi1=2 xi2=8",
            "d=-1 g=1/100 xi1=8 xi2=1/2",
            "d=0 g=100 xi1=2 xi2=1",
        ),
    ),
}
