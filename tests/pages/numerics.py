"""Quadrature, linear flows and orthants in many digits, from mpmath alone."""

from collections.abc import Callable, Sequence
from functools import cache, wraps
from itertools import combinations, pairwise

from mpmath import mp, mpf

DIGITS = 45  # of the numbers recomputed here, so that 32 printed ones are certain
TAIL = 15  # phi(15) = 6e-50: beyond it a Gaussian is smaller than the digits

Function = Callable[[mpf], mpf]


def kept(function: Callable) -> Callable:
    """Keep the values of a function, for each working precision its own."""
    values = cache(lambda _digits, *arguments: function(*arguments))
    return wraps(function)(lambda *arguments: values(mp.dps, *arguments))


@kept
def nodes() -> tuple[tuple[mpf, mpf], ...]:
    """Return Gauss and Legendre's nodes and weights on [-1, 1], by Newton's method on the recursion of P_n."""
    found, count = [], mp.dps - 5
    for k in range(count):
        x = mp.cos(mp.pi * (k + mpf("0.75")) / (count + mpf("0.5")))
        for _ in range(20):
            before, now = mpf(1), x
            for n in range(2, count + 1):
                before, now = now, ((2 * n - 1) * x * now - (n - 1) * before) / n
            slope = count * (x * now - before) / (x * x - 1)
            step = now / slope
            x -= step
            if abs(step) < mpf(10) ** (-mp.dps + 5):
                break
        found.append((x, 2 / ((1 - x * x) * slope**2)))
    return tuple(found)


def integral(f: Function, points: Sequence[mpf]) -> mpf:
    """Return the integral of f over panels between the points."""
    total = mpf(0)
    for a, b in pairwise(points):
        half, middle = (b - a) / 2, (b + a) / 2
        total += half * mp.fsum(w * f(middle + half * x) for x, w in nodes())
    return total


def mean(f: Function, start: mpf | int = -TAIL, scale: mpf | int = 1, around: mpf | int = 0) -> mpf:
    """Return int_start^oo f(x) phi(x) dx; `scale` is the length on which f changes near `around`."""
    steps = [mpf(0)]
    while steps[-1] < 2 * TAIL:
        steps.append(max(steps[-1] + min(steps[-1], 3), 2 * min(mpf(scale), 1)))
    ends = {around + sign * step for step in steps for sign in (1, -1)}
    return integral(lambda x: f(x) * mp.npdf(x), [start, *sorted(x for x in ends if start < x < TAIL), mpf(TAIL)])


def flow(matrix: Sequence[Sequence[mpf]], force: Sequence[mpf], start: Sequence[mpf], t: mpf) -> list[mpf]:
    """Return v(t) of dv/dt = M v + f: Taylor's series in small steps."""
    v, size = mp.matrix(start), len(start)
    m, f = mp.matrix(matrix), mp.matrix(force)
    steps = 1 + int(abs(t) * max(sum(abs(m[i, j]) for j in range(size)) for i in range(size)) / 4)
    for _ in range(steps):
        term, h, n = m * v + f, t / steps, 1
        change = term * h
        while max(abs(x) for x in term) * h**n > mpf(10) ** -(mp.dps + 5):
            n += 1
            term = m * term / n
            change += term * h**n
        v += change
    return list(v)


def solved(matrix: Sequence[Sequence[mpf]], right: Sequence[mpf]) -> list[mpf]:
    """Return the solution of a small linear system."""
    return list(mp.lu_solve(mp.matrix(matrix), mp.matrix(right)))


def slope(f: Function) -> mpf:
    """Return the slope at 0 of a quadratic function: a symmetric difference has no error."""
    return (f(mpf(1)) - f(mpf(-1))) / 2


def upper(r: Sequence[Sequence[mpf]], h: Sequence[mpf]) -> mpf:
    """Return P(X_1 > h_1, ..., X_d > h_d) of unit Gaussians with correlations r, d <= 4.

    Plackett: with t r off the diagonal the probability changes at the rate sum_ab r_ab phi_2(h_a, h_b; t r_ab) times
    the probability of the others given X_a = h_a and X_b = h_b.
    """
    if len(h) < 2:
        return mp.fprod(mp.ncdf(-x) for x in h)
    pairs = [(a, b) for a, b in combinations(range(len(h)), 2) if r[a][b]]
    start = mp.fprod(mp.ncdf(-x) for x in h)

    def rate(t: mpf) -> mpf:
        return mp.fsum(r[a][b] * _density(h[a], h[b], t * r[a][b]) * _others(r, h, a, b, t) for a, b in pairs)

    return start + integral(rate, [mpf(0), mpf(1) / 2, mpf(1)])


def _density(x: mpf, y: mpf, r: mpf) -> mpf:
    rest = 1 - r * r
    return mp.exp(-(x * x - 2 * r * x * y + y * y) / (2 * rest)) / (2 * mp.pi * mp.sqrt(rest))


def _others(r: Sequence[Sequence[mpf]], h: Sequence[mpf], a: int, b: int, t: mpf) -> mpf:
    left = [c for c in range(len(h)) if c not in (a, b)]
    if not left:
        return mpf(1)
    det = 1 - (t * r[a][b]) ** 2
    by = {c: ((r[c][a] - t * r[a][b] * r[c][b]) * t / det, (r[c][b] - t * r[a][b] * r[c][a]) * t / det) for c in left}
    shift = [h[c] - by[c][0] * h[a] - by[c][1] * h[b] for c in left]
    rest = [
        [(1 if c == d else t * r[c][d]) - t * (by[c][0] * r[d][a] + by[c][1] * r[d][b]) for d in left] for c in left
    ]
    size = [mp.sqrt(rest[i][i]) for i in range(len(left))]
    scaled = [[rest[i][j] / size[i] / size[j] for j in range(len(left))] for i in range(len(left))]
    if len(left) == 2 and not any(shift):
        return mpf(1) / 4 + mp.asin(scaled[0][1]) / (2 * mp.pi)
    return upper(scaled, [s / z for s, z in zip(shift, size, strict=True)])


def steps_and_erfs(r: Sequence[Sequence], thresholds: Sequence, gains: Sequence) -> mpf:
    """Return E prod 1[z_i >= s_i] prod erf(g_j z_j): the steps are first. erf(g z) = 2 P(eps < sqrt(2) g z) - 1."""
    first, count = len(thresholds), len(r)
    scale = [mpf(1)] * first + [mp.sqrt(2) * g / mp.sqrt(1 + 2 * mpf(g) ** 2) for g in gains]
    noisy = [[mpf(1) if i == j else scale[i] * scale[j] * r[i][j] for j in range(count)] for i in range(count)]
    h, total = [*map(mpf, thresholds), *[mpf(0)] * len(gains)], mpf(0)
    for size in range(len(gains) + 1):
        for chosen in combinations(range(first, count), size):
            kept = [*range(first), *chosen]
            part = upper([[noisy[i][j] for j in kept] for i in kept], [h[i] for i in kept])
            total += (-1) ** (len(gains) - size) * 2**size * part
    return total
