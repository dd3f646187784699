"""The values of the claims on Gaussian averages and site gates, from their integrals."""

from collections.abc import Callable

from mpmath import mp, mpf

from tests.pages.numerics import TAIL, integral, kept, mean, solved, steps_and_erfs

half = mpf(1) / 2


def given_first(g: mpf, rho: mpf) -> mpf:
    """Return the c of E[erf(g z_2) | z_1] = erf(c z_1): z_2 has mean rho z_1 and variance 1 - rho^2."""
    return g * rho / mp.sqrt(1 + 2 * g**2 * (1 - rho**2))


@kept
def step_erf(g: mpf, rho: mpf) -> mpf:
    """Return E[1[z_1 >= 0] erf(g z_2)]."""
    c = given_first(g, rho)
    return mean(lambda x: mp.erf(c * x), 0, 1 / max(1, abs(c)))


def step_step(rho: mpf) -> mpf:
    """Return P(z_1 >= 0, z_2 >= 0), given z_1."""
    if abs(rho) == 1:
        return half * (rho > 0)
    c = rho / mp.sqrt(1 - rho**2)
    return mean(lambda x: mp.ncdf(c * x), 0, 1 / max(1, abs(c)))


@kept
def erf_erf(g: mpf, rho: mpf) -> mpf:
    """Return E[erf(g z_1) erf(g z_2)]; rho may be 1."""
    c = given_first(g, rho)
    return 2 * mean(lambda x: mp.erf(g * x) * mp.erf(c * x), 0, 1 / max(1, g))


def step_erf_erf(r12: mpf, r13: mpf, r23: mpf, g: mpf) -> mpf:
    """Return E[1[z_1 >= 0] erf(g z_2) erf(g z_3)]."""
    return steps_and_erfs([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]], [0], [g, g])


def erf_conditional(mine: str, other: str, **at: mpf) -> mpf:
    """Return the coefficient of one site in the argument of E[erf(g z_l) | z_i, z_k] = erf(a_i z_i + a_k z_k)."""
    r, g = at["rho_ik"], at["g"]
    near, far = solved([[1, r], [r, 1]], [at[f"rho_{mine}"], at[f"rho_{other}"]])
    rest = mp.sqrt(1 - near * at[f"rho_{mine}"] - far * at[f"rho_{other}"])
    small = mpf(1) / 16
    average = mean(lambda x: mp.erf(g * (small * near + rest * x)), scale=1 / max(1, g * rest))
    return mp.erfinv(average) / small


def conditional_variance(rho_ik: mpf, rho_il: mpf, rho_kl: mpf) -> mpf:
    """Return Var(z_l | z_i, z_k): one over the entry of the precision matrix."""
    return 1 / mp.inverse(mp.matrix([[1, rho_ik, rho_il], [rho_ik, 1, rho_kl], [rho_il, rho_kl, 1]]))[2, 2]


def relu_beside(rho: mpf, b: mpf) -> mpf:
    """Return E[relu(z_1) | z_2 = b], z_1 with the mean rho b and the variance 1 - rho^2 that regression leaves."""
    rest = mp.sqrt(1 - rho**2)
    return mean(lambda x: rho * b + rest * x, -rho * b / rest)


def cross_block(rho: mpf, a: mpf, b: mpf) -> mpf:
    """Return E[(z_1^2 - z_3^2) 1[z_1 >= 0] 1[z_2 >= 0]], by conditioning on z_1 and z_2."""
    near, far = solved([[1, rho], [rho, 1]], [a, b])
    left, s = 1 - near * a - far * b, mp.sqrt(1 - rho**2)

    def inner(x: mpf) -> mpf:
        m = rho * x / s  # z_2 = s (m + y), y a unit Gaussian, open for y >= -m
        p, d = mp.ncdf(m), mp.npdf(m)
        first, second = m * p + d, (m**2 + 1) * p + m * d  # of z_2/s, where the gate is open
        return (x**2 * (1 - near**2) - left) * p - 2 * near * far * x * s * first - (far * s) ** 2 * second

    return mean(inner, 0)


def squares(d: mpf, g: mpf, xi1: mpf, xi2: mpf) -> mpf:
    """Return the mean square of x at distance d from the gate's site, through the gate."""
    total = mpf(0)
    for xi in (xi1, xi2):
        rho = mp.exp(-((d / xi) ** 2))
        if d == 0:
            total += mean(lambda x: mp.erf(g * x) ** 2, 0, 1 / max(1, g))
        else:
            c = rho / mp.sqrt(1 - rho**2)
            total += mean(lambda x, c=c: mp.erf(g * x) ** 2 * mp.ncdf(c * x), scale=1 / max(1, g, c))
    return total / (2 * erf_erf(g, mpf(1)))


def own_site(d: mpf, g: mpf, xi1: mpf, xi2: mpf) -> mpf:
    """Return the second moment of x_i and x_(i+d) through the gate of site i."""
    both = [given_first(g, mp.exp(-((d / xi) ** 2))) for xi in (xi1, xi2)]
    total = mp.fsum(mean(lambda x, c=c: mp.erf(g * x) * mp.erf(c * x), 0, 1 / max(1, g)) for c in both)
    return total / (2 * erf_erf(g, mpf(1)))


def gated_second_moment(p: mpf, q: mpf, g: mpf, xi1: mpf, xi2: mpf) -> mpf:
    """Return the second moment of x_(i+p) and x_(i+q) through the gate of site i."""
    total = mpf(0)
    for xi in (xi1, xi2):
        r = [mp.exp(-((distance / xi) ** 2)) for distance in (p, q, p - q)]
        if p == q:  # one site: its square, half of it by the symmetry of the gate
            total += squares(p, g, xi, xi) * erf_erf(g, mpf(1))
        elif 0 in (p, q):
            total += own_site(p + q, g, xi, xi) * erf_erf(g, mpf(1))
        else:
            total += step_erf_erf(*r, g)
    return total / (2 * erf_erf(g, mpf(1)))


def gated_mean(d: mpf, g: mpf, xi1: mpf) -> mpf:
    """Return <g y x_(i+d)>: half of the mean within class 1."""
    return step_erf(g, mp.exp(-((d / xi1) ** 2))) / (2 * mp.sqrt(erf_erf(g, mpf(1))))


def two_sites(g: mpf, rho1: mpf, rho0: mpf) -> tuple[list[list[mpf]], list[mpf]]:
    """Return A_11 and b_1 of two inputs and the gate of the first: half of the second moments, half of the mean."""
    square = erf_erf(g, mpf(1))
    cross = (erf_erf(g, rho1) + erf_erf(g, rho0)) / 2 / square
    root = 2 * mp.sqrt(square)
    return [[half, cross / 2], [cross / 2, half]], [step_erf(g, mpf(1)) / root, step_erf(g, rho1) / root]


def small_bump_weight(g: mpf, rho1: mpf, rho0: mpf) -> mpf:
    """Return W_11(oo) = 2 (A_11^-1 b_1)_1."""
    return 2 * solved(*two_sites(g, rho1, rho0))[0]


def small_bump_loss(g: mpf, rho1: mpf, rho0: mpf) -> mpf:
    """Return 1/2 - b.A^-1 b, of which both units have as much."""
    a, b = two_sites(g, rho1, rho0)
    return half - 2 * sum(x * y for x, y in zip(b, solved(a, b), strict=True))


def softly(f: Callable[[mpf], mpf], theta: mpf, beta: mpf) -> mpf:
    """Return E[Phi(beta (z_i - theta)) f(z_i)]."""
    edges = sorted({*(mpf(x) for x in range(-TAIL, TAIL + 1)), theta - 2 / beta, theta, theta + 2 / beta})
    inside = [x for x in edges if -TAIL <= x <= TAIL]
    return integral(lambda x: mp.npdf(x) * mp.ncdf(beta * (x - theta)) * f(x), inside)


def step_of_two(a_i: mpf, a_k: mpf, rho: mpf) -> mpf:
    """Return E[1[z_1 >= 0] erf(a_i z_1 + a_k z_2)]."""
    c = (a_i + a_k * rho) / mp.sqrt(1 + 2 * a_k**2 * (1 - rho**2))
    return mean(lambda x: mp.erf(c * x), 0, 1 / max(1, abs(c)))


def beyond(theta: mpf, g: mpf, rho: mpf) -> mpf:
    """Return E[1[z_1 >= theta] erf(g z_2)]."""
    c = given_first(g, rho)
    return mean(lambda x: mp.erf(c * x), theta, 1 / max(1, abs(c)))


def product_in_slab(rho_ik: mpf, rho_il: mpf, rho_kl: mpf, low: mpf | int, high: mpf | int) -> mpf:
    """Return E[1[low <= z_i < high] z_k z_l], given z_i: the means are rho_ik z_i and rho_il z_i."""
    ends = [mpf(low), *(mpf(x) for x in range(-TAIL, TAIL) if low < x < high), mpf(high)]
    left = rho_kl - rho_ik * rho_il
    return integral(lambda x: (left + rho_ik * x * rho_il * x) * mp.npdf(x), ends)


def tiled(l: mpf, u: mpf, **rhos: mpf) -> mpf:
    """Return the sum of three such moments, over slabs that tile the line."""
    return mp.fsum(product_in_slab(**rhos, low=low, high=high) for low, high in ((-TAIL, l), (l, u), (u, TAIL)))


def matern(u: mpf) -> mpf:
    """Return the Matern correlation of smoothness 3/2 at the distance u xi, by its Bessel function."""
    s = mp.sqrt(3) * u
    return mp.sqrt(2 / mp.pi) * s ** (3 * half) * mp.besselk(3 * half, s)


def amplified(s: mpf, density, end: mpf) -> mpf:
    """Return E[X erf(s X/sqrt2)] for a symmetric density on [-end, end]."""
    ends = [0, *(end / 2**k for k in range(8, -1, -1))]
    return 2 * mp.quad(lambda x: x * mp.erf(s * x / mp.sqrt(2)) * density(x), ends)


VALUES = {
    "amplifier.pixel.gaussian": lambda s: amplified(s, mp.npdf, mpf(16)),
    "amplifier.pixel.uniform": lambda s: amplified(s, lambda _: 1 / mp.sqrt(12), mp.sqrt(3)),
    "correlation.covariance.exponential": lambda u, g: erf_erf(g, mp.exp(-u)),
    "correlation.covariance.matern": lambda u, g: erf_erf(g, matern(u)),
    "basis.half_spaces.cross_block": cross_block,
    "conditional.slope.gate_site": lambda **at: erf_conditional("il", "kl", **at),
    "conditional.slope.other_site": lambda **at: erf_conditional("kl", "il", **at),
    "conditional.variance.determinant": conditional_variance,
    "conditional.variance.value": conditional_variance,
    "flow.moving_gates.moment": lambda rho: mean(lambda x: rho * x, 0),
    "flow.small_bump.two_sites": small_bump_weight,
    "gaussian.erf.second_moment": lambda g: erf_erf(g, mpf(1)),
    "gaussian.erf.smoothing": lambda m, sigma, g: mean(
        lambda x: mp.erf(g * (m + sigma * x)), scale=1 / max(1, g * sigma), around=-m / sigma if sigma else 0
    ),
    "gaussian.erf_erf.arcsine": lambda rho, g: erf_erf(g, rho),
    "gaussian.observed.cosine": lambda rho, b: mean(lambda x: mp.cos(b / 2 + mp.sqrt((1 - rho) / 2) * x)),
    "gaussian.observed.relu": relu_beside,
    "gaussian.step_erf.arcsine": lambda rho, g: step_erf(g, rho),
    "gaussian.step_erf.arctangent": lambda rho, g: step_erf(g, rho),
    "gaussian.step_erf.two_sites": step_of_two,
    "gaussian.step_erf_erf.arcsine": step_erf_erf,
    "gaussian.step_step.orthant": step_step,
    "localization.nlgp.support": lambda g: 1 / mp.sqrt(erf_erf(g, mpf(1))),
    "moment.site_gate.first_one": lambda rho, g: step_erf(g, rho),
    "moment.site_gate.own_site": own_site,
    "moment.site_gate.square": squares,
    "moment.site_gate.tower": lambda rho_ik, rho_il, rho_kl, g: step_erf(g, rho_il),
    "moment.site_gate.xx": gated_second_moment,
    "moment.site_gate.yx": gated_mean,
    "moment.soft.first_moment": lambda theta, beta, rho: softly(lambda x: rho * x, theta, beta),
    "moment.soft.second_moment": lambda theta, beta, rho_ik, rho_il, rho_kl: softly(
        lambda x: rho_kl - rho_ik * rho_il + rho_ik * rho_il * x**2, theta, beta
    ),
    "moment.threshold.second_moment": lambda theta, **rhos: product_in_slab(**rhos, low=theta, high=TAIL),
    "moment.threshold.slab": lambda l, u, rho: integral(
        lambda x: rho * x * mp.npdf(x), [l, *(mpf(x) for x in range(-TAIL, TAIL) if l < x < u), u]
    ),
    "moment.threshold.step_erf": beyond,
    "moment.threshold.tiling": tiled,
    "ols.small_bump.two_sites": small_bump_loss,
}


# --- what the small-bump note prints, transcribed -------------------------------------------------------------------


def printed_second_moment(p: mpf, q: mpf, g: mpf, xi1: mpf, xi2: mpf) -> mpf:
    """Return (8) with (9) to (12) and sigma_1^2 = 1 - rho_ik^2: the mean over the classes, over Z^2."""
    total = mpf(0)
    for xi in (xi1, xi2):
        ik, il, kl = (mp.exp(-((distance / xi) ** 2)) for distance in (p, q, p - q))
        rest = 1 - ik**2
        c = g / mp.sqrt(1 + 2 * g**2 * (1 - (il**2 - 2 * ik * il * kl + kl**2) / rest))
        a_i, a_k = (kl - il * ik) / rest * c, (il - kl * ik) / rest * c
        total += mp.atan(mp.sqrt(2) * (ik + a_i) / mp.sqrt(1 + 2 * a_k**2 * rest)) / mp.pi
    return total / 2 / erf_erf(g, mpf(1))


PRINTED = {"moment.site_gate.xx": printed_second_moment}
