"""The values of the gallery of expectations, each from its integral or from the probability of an orthant."""

from collections.abc import Callable

from mpmath import mp, mpf

from tests.pages.numerics import TAIL, integral, mean, steps_and_erfs, upper

half = mpf(1) / 2
Function = Callable[[mpf], mpf]


def rho() -> mpf:
    """The correlation of two variables on the page."""
    return mpf(3) / 5


def three() -> list[list[mpf]]:
    """The correlations of three variables on the page."""
    r12, r13, r23 = mpf(1) / 2, mpf(3) / 10, mpf(2) / 5
    return [[mpf(1), r12, r13], [r12, mpf(1), r23], [r13, r23, mpf(1)]]


def four() -> list[list[mpf]]:
    """The correlations of four variables on the page."""
    r14, r24, r34 = mpf(-1) / 10, mpf(1) / 5, mpf(3) / 10
    first = [[*row, far] for row, far in zip(three(), (r14, r24, r34), strict=True)]
    return [*first, [r14, r24, r34, mpf(1)]]


def two() -> list[list[mpf]]:
    """The correlations of two variables."""
    return [[mpf(1), rho()], [rho(), mpf(1)]]


def gelu() -> mpf:
    """Return E[z_1 Phi(z_1) z_2 Phi(z_2)]: the second factor given z_1, by E f(z) z = E f'(z)."""
    r = rho()
    left = 1 - r**2

    def inner(x: mpf) -> mpf:  # E Phi(m + s y) = Phi(m/sqrt(1 + s^2))
        m, size = r * x, mp.sqrt(1 + left)
        return m * mp.ncdf(m / size) + left / size * mp.npdf(m / size)

    return one(lambda x: x * mp.ncdf(x) * inner(x))


def powers(m: int, low: mpf | int = 0) -> mpf:
    """Return E[(z_1 - s)^m (z_2 - s)^m] over both above s = low, by the recursion of Gaussian partial moments."""
    r = rho()
    rest = mp.sqrt(1 - r**2)

    def inner(x: mpf) -> mpf:  # E (r x + rest y - s)_+^m: y above -h, by parts
        h = (r * x - low) / rest
        before, now = mp.npdf(h) + h * mp.ncdf(h), mp.ncdf(h)
        parts = [now, before]
        for k in range(2, m + 1):
            parts.append(h * parts[k - 1] + (k - 1) * parts[k - 2])
        return rest**m * parts[m]

    return mean(lambda x: (x - low) ** m * inner(x), low)


def unlike() -> mpf:
    """Return E[relu(z_1) relu(-z_2)], as E[z_1 z_2] is twice the average over like signs less twice this one."""
    return powers(1) - rho() / 2


def three_relus() -> mpf:
    """Return E of three ReLUs: the third given the first two, the second by a quadrature within that of the first."""
    r = three()
    rest = mp.sqrt(1 - r[0][1] ** 2)
    near = (r[0][2] - r[0][1] * r[1][2]) / rest**2
    far = (r[1][2] - r[0][1] * r[0][2]) / rest**2
    s = mp.sqrt(1 - near * r[0][2] - far * r[1][2])

    def inner(x: mpf) -> mpf:
        def of(y: mpf) -> mpf:
            z = r[0][1] * x + rest * y
            m = (near * x + far * z) / s
            return z * s * (m * mp.ncdf(m) + mp.npdf(m)) * mp.npdf(y)

        start = max(-r[0][1] * x / rest, mpf(-TAIL))
        return integral(of, [start, *(mpf(p) for p in (-8, -4, 0, 4, 8) if start < p), mpf(TAIL)])

    return mean(lambda x: x * inner(x), 0)


def two_steps_two_inputs() -> mpf:
    """Return E[1[z_1 >= 0] 1[z_2 >= 0] z_3 z_4]: the inputs given both gates' variables, these in polar coordinates."""
    r = four()
    det = 1 - r[0][1] ** 2
    a, c = [[(r[0][k] - r[0][1] * r[1][k]) / det, (r[1][k] - r[0][1] * r[0][k]) / det] for k in (2, 3)]
    rest = r[2][3] - a[0] * r[0][3] - a[1] * r[1][3]
    # z_1 = R sin(theta), z_2 = R sin(theta + asin r): both positive on 0 < theta < pi - asin r; E R^2 = 2.
    turn = mp.asin(r[0][1])

    def of(theta: mpf) -> mpf:
        u, v = mp.sin(theta), mp.sin(theta + mp.pi / 2 - turn)
        return 2 * (a[0] * u + a[1] * v) * (c[0] * u + c[1] * v) + rest

    return _sector(of, turn)


def _sector(of: Function, turn: mpf) -> mpf:
    """Return the average over the sector where sin(theta) and sin(theta + pi/2 - turn) are positive."""
    return integral(of, [mpf(0), (mp.pi / 2 + turn) / 2, mp.pi / 2 + turn]) / (2 * mp.pi)


def pairings(powers: list[int], r: list[list[mpf]]) -> mpf:
    """Return E prod z_i^p_i by Wick's pairings: the first variable is paired with every other."""
    left = [i for i, p in enumerate(powers) for _ in range(p)]
    if not left:
        return mpf(1)
    total = mpf(0)
    for k in range(1, len(left)):
        counts = [0] * len(powers)
        for i in left[1:k] + left[k + 1 :]:
            counts[i] += 1
        total += r[left[0]][left[k]] * pairings(counts, r)
    return total


def hermite() -> mpf:
    """Return E[He_5(z_1) He_5(z_2)] from the moments."""
    he = {5: 1, 3: -10, 1: 15}
    return mp.fsum(he[a] * he[b] * pairings([a, b], two()) for a in he for b in he)


def one(f: Function, start: mpf | int = -TAIL) -> mpf:
    """Return E f(z), with panels of an eighth around 0."""
    return mean(f, start, mpf(1) / 8)


def offset(x: mpf) -> mpf:
    """Return erf(2 x + 1/2)."""
    return mp.erf(2 * x + half)


def wedge(a: mpf) -> mpf:
    """Return P(z_1 > 1/2, 0 < z_2 < a z_1) of independent variables."""
    return mean(lambda x: mp.ncdf(a * x) - half, half)


def direction() -> mpf:
    """Return E[1[z_1 - z_2 >= s] erf(z_1)]: z_1 - z_2 has the variance 2 - 2 rho, with z_1 the covariance 1 - rho."""
    size = mp.sqrt(2 - 2 * rho())
    along = (1 - rho()) / size
    return steps_and_erfs([[1, along], [along, 1]], [half / size], [1])


def slab() -> mpf:
    """Return E[1[1/2 <= z_1 < 2] erf(z_2)]."""
    return steps_and_erfs(two(), [half], [1]) - steps_and_erfs(two(), [2], [1])


def difference() -> mpf:
    """Return E|z_1 - z_2|."""
    return 2 * mp.sqrt(2 - 2 * rho()) * one(lambda x: x, 0)


VALUES: dict[str, Callable[[], mpf]] = {
    "step, erf": lambda: steps_and_erfs(two(), [0], [1]),
    "two erfs": lambda: steps_and_erfs(two(), [], [1, 1]),
    "two gains": lambda: steps_and_erfs(two(), [], [1, 3]),
    "step, two erfs": lambda: steps_and_erfs(three(), [0], [1, 1]),
    "two steps, erf": lambda: steps_and_erfs(three(), [0, 0], [1]),
    "two steps, two erfs": lambda: steps_and_erfs(four(), [0, 0], [1, 1]),
    "two steps, two inputs": two_steps_two_inputs,
    "threshold, erf": lambda: steps_and_erfs(two(), [half], [1]),
    "slab, erf": slab,
    "threshold, two erfs": lambda: steps_and_erfs(three(), [half], [1, 1]),
    "two thresholds, erf": lambda: steps_and_erfs(three(), [half, half / 2], [1]),
    "two thresholds, two erfs": lambda: steps_and_erfs(four(), [half, half / 2], [1, 1]),
    "direction gate": direction,
    "arc-cosine kernel, degree 0": lambda: powers(0),
    "arc-cosine kernel, degree 1": lambda: powers(1),
    "arc-cosine kernel, degree 2": lambda: powers(2),
    "arc-cosine kernel, degree 3": lambda: powers(3),
    "relu and its slope": lambda: mean(lambda x: x * mp.ncdf(rho() * x / mp.sqrt(1 - rho() ** 2)), 0),
    "absolute values": lambda: 2 * powers(1) + 2 * unlike(),
    "leaky relu": lambda: mpf(101) / 100 * powers(1) - unlike() / 5,
    "relu with a bias": lambda: powers(1, half),
    "GELU": gelu,
    "three relus": three_relus,
    "two thresholds": lambda: upper(two(), [half, half]),
    "two different thresholds": lambda: upper(two(), [half, half / 2]),
    "Owen's T": lambda: wedge(mpf(2)),
    "Owen's T at 45 degrees": lambda: wedge(mpf(1)),
    "three steps": lambda: upper(three(), [mpf(0)] * 3),
    "four steps, all correlations 1/2": lambda: upper(
        [[mpf(1) if i == j else half for j in range(4)] for i in range(4)], [mpf(0)] * 4
    ),
    "erf with offset": lambda: one(offset),
    "erf squared": lambda: one(lambda x: mp.erf(2 * x) ** 2),
    "erf of two gains": lambda: one(lambda x: mp.erf(2 * x) * mp.erf(x / 2)),
    "$z$ times an erf": lambda: one(lambda x: x * offset(x)),
    "$z^2$ times an erf": lambda: one(lambda x: x**2 * offset(x)),
    "$z^2$ times a squared erf": lambda: one(lambda x: x**2 * mp.erf(2 * x) ** 2),
    "exp erf": lambda: one(lambda x: mp.exp(x) * offset(x)),
    "erf with offset, squared": lambda: one(lambda x: offset(x) ** 2),
    "Phi squared": lambda: one(lambda x: mp.ncdf(x) ** 2),
    "Phi cubed": lambda: one(lambda x: mp.ncdf(x) ** 3),
    "Phi to the fourth": lambda: one(lambda x: mp.ncdf(x) ** 4),
    "squares of three": lambda: pairings([2, 2, 2], three()),
    "Hermite polynomials": hermite,
    "exponential, relu": lambda: mean(lambda x: x * mp.exp(rho() * x + (1 - rho() ** 2) / 2), 0),
    "truncated log-normal mean": lambda: mean(mp.exp, half),
    "maximum": lambda: difference() / 2,
    # max = (sum + |difference|)/2, and sum and difference are independent
    "maximum of squares by relu": lambda: ((2 + 2 * rho()) + (2 - 2 * rho())) / 4,
}
