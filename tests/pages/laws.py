"""The values of the claims on laws of finitely many inputs: least squares, gates, pulses, all by enumeration."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
from mpmath import mp, mpf

from tests.pages.numerics import solved


def explained(a: list[list[mpf]], b: list[mpf]) -> mpf:
    """Return b.A^-1 b."""
    return mp.fsum(x * y for x, y in zip(b, solved(a, b), strict=True))


def second(examples: Iterable[tuple], size: int) -> list[list[mpf]]:
    """Return sum p x x^T over examples (p, x, ...)."""
    kept = list(examples)
    return [[mp.fsum(one[0] * one[1][i] * one[1][j] for one in kept) for j in range(size)] for i in range(size)]


def two_by_two(s11: mpf, s12: mpf, s22: mpf) -> list[list[mpf]]:
    """Return a symmetric matrix."""
    return [[s11, s12], [s12, s22]]


def labelled(s11, s12, s22, m11, m12, m01, m02, y1, y0) -> mpf:
    """Return <y^2> - b.A^-1 b for balanced classes with the second moments S = S_1 + S_0 and means m_1, m_0."""
    a = two_by_two(s11 / 2, s12 / 2, s22 / 2)
    b = [(m11 * y1 + m01 * y0) / 2, (m12 * y1 + m02 * y0) / 2]
    return (y1**2 + y0**2) / 2 - explained(a, b)


def with_intercept(v11, v12, v22, d1, d2, mu1, mu2, y1, y0) -> mpf:
    """Return the least squares of y on (x, 1): class means mu +- d/2, covariance V of all."""
    m, d = [mu1, mu2], [d1, d2]
    v = two_by_two(v11, v12, v22)
    a = [[v[i][j] + m[i] * m[j] for j in range(2)] + [m[i]] for i in range(2)] + [[*m, mpf(1)]]
    b = [((m[i] + d[i] / 2) * y1 + (m[i] - d[i] / 2) * y0) / 2 for i in range(2)] + [(y1 + y0) / 2]
    return (y1**2 + y0**2) / 2 - explained(a, b)


def by_rows(x11, x12, x21, x22, y1, y2, y3) -> mpf:
    """Return the first entry of (X^T X)^-1 X^T y for three examples."""
    rows = [((x11, x12), y1), ((x12, x21), y3), ((x21, x22), y2)]
    a = second([(1, x) for x, _ in rows], 2)
    return solved(a, [mp.fsum(x[i] * y for x, y in rows) for i in range(2)])[0]


def overlap_gain(a: mpf, b: mpf) -> Fraction:
    """Return the least loss of two exclusive gates less that of any two, among all gates on four inputs."""
    p, q = (Fraction(*(int(part) for part in mp_fraction(value))) for value in (a, b))
    law = [(Fraction(1, 6), 1 / x, 1) for x in (p, q, p + q)] + [(Fraction(1, 2), Fraction(1), 0)]
    gates = list(product((0, 1), repeat=4))
    least = {True: Fraction(1), False: Fraction(1)}
    for g, h in product(gates, repeat=2):
        loss = Fraction(1, 2) - _fitted(law, g, h)
        exclusive = not any(x and y for x, y in zip(g, h, strict=True))
        least[False] = min(least[False], loss)
        if exclusive:
            least[True] = min(least[True], loss)
    return least[True] - least[False]


def _fitted(law: list[tuple], g: tuple, h: tuple) -> Fraction:
    a11 = sum(p * x * x * i for (p, x, _), i in zip(law, g, strict=True))
    a22 = sum(p * x * x * j for (p, x, _), j in zip(law, h, strict=True))
    a12 = sum(p * x * x * i * j for (p, x, _), i, j in zip(law, g, h, strict=True))
    b1 = sum(p * x * y * i for (p, x, y), i in zip(law, g, strict=True))
    b2 = sum(p * x * y * j for (p, x, y), j in zip(law, h, strict=True))
    det = a11 * a22 - a12**2
    if det:
        return (a22 * b1**2 - 2 * a12 * b1 * b2 + a11 * b2**2) / det
    return b1**2 / a11 if a11 else (b2**2 / a22 if a22 else Fraction(0))


def mp_fraction(value: mpf) -> tuple[int, int]:
    """Return numerator and denominator of a number that is a fraction of a power of two."""
    size = 1 << 80
    return int(value * size), size


def opened(*points: tuple[tuple, tuple]) -> list[tuple]:
    """Return the gated inputs of equally likely points (x, gates) as examples."""
    share = mpf(1) / len(points)
    return [(share, [g * x for g in gates for x in xs]) for xs, gates in points]


def blocks(points: list[tuple[tuple, tuple]]) -> list[list[list[list[mpf]]]]:
    """Return A_kl = <g_k g_l x x^T>, entry by entry."""
    share = mpf(1) / len(points)
    units, n = len(points[0][1]), len(points[0][0])
    return [
        [
            [[mp.fsum(share * g[k] * g[m] * x[i] * x[j] for x, g in points) for j in range(n)] for i in range(n)]
            for m in range(units)
        ]
        for k in range(units)
    ]


def quadratic(x11, x12, x21, x22, v1, v2, v3, v4) -> mpf:
    """Return v.A v where gate 1 is open at both inputs and gate 2 at the second."""
    v = [v1, v2, v3, v4]
    a = second(opened(((x11, x12), (1, 0)), ((x21, x22), (1, 1))), 4)
    return mp.fsum(v[i] * a[i][j] * v[j] for i in range(4) for j in range(4))


def most(values: Iterable) -> mpf:
    """Return the largest absolute value."""
    return max(abs(value) for value in values)


def asymmetry(x11, x12, x21, x22) -> mpf:
    """Return the largest |A_kl,ij - A_kl,ji| and |A_kl - A_lk|."""
    a = blocks([((x11, x12), (1, 0)), ((x21, x22), (1, 1))])
    each = list(product(range(2), repeat=4))
    return most([a[k][m][i][j] - other for k, m, i, j in each for other in (a[k][m][j][i], a[m][k][i][j])])


def shared(x11, x12, x21, x22) -> mpf:
    """Return the largest entry of A_12 where one gate is open at one input and the other at the other."""
    return most(e for row in blocks([((x11, x12), (1, 0)), ((x21, x22), (0, 1))])[0][1] for e in row)


def redundant(x11, x12, x21, x22) -> mpf:
    """Return the largest difference of A_11, A_12, A_22 and of b_1, b_2 where both units have one gate."""
    points = [((x11, x12), (1, 1)), ((x21, x22), (0, 0))]
    a = blocks(points)
    of_b = [mp.fsum(g[0] * x[i] - g[1] * x[i] for x, g in points) for i in range(2)]
    each = list(product(range(2), repeat=2))
    return most([a[0][0][i][j] - other[i][j] for i, j in each for other in (a[0][1], a[1][1])] + of_b)


def stacked(x11, x12, x21, x22, y1, y2) -> mpf:
    """Return the largest difference of <x~ x~^T>, <x~ y> and the blocks of (8)."""
    points = [((x11, x12), (1, 0)), ((x21, x22), (1, 1))]
    a, b = second(opened(*points), 4), blocks(points)
    apart = [a[2 * k + i][2 * m + j] - b[k][m][i][j] for k, m, i, j in product(range(2), repeat=4)]
    ys = (y1, y2)
    both = [one[1] for one in opened(*points)]
    for k, i in product(range(2), repeat=2):
        whole = sum(x[2 * k + i] * y for x, y in zip(both, ys, strict=True))
        apart.append(whole - sum(g[k] * x[i] * y for (x, g), y in zip(points, ys, strict=True)))
    return most(apart)


def half_space(x11, x12, x21, x22, v1, v2) -> mpf:
    """Return <g x_1 x_2> for the four inputs +-x, +-x' and the gate 1[v.x >= 0]."""
    inputs = [(s * a, s * b) for a, b in ((x11, x12), (x21, x22)) for s in (1, -1)]
    return sum(a * b for a, b in inputs if v1 * a + v2 * b >= 0) / 4


def spanned(x1, x2, x3, x4) -> mpf:
    """Return the loss of the gates 1 and h: y = 1 at x_1 and x_3, h open at x_1 and x_2, all equally likely."""
    law = opened(((x1,), (1, 1)), ((x2,), (1, 1)), ((x3,), (1, 0)), ((x4,), (1, 0)))
    b = [(law[0][1][k] + law[2][1][k]) / 4 for k in range(2)]
    return mpf(1) / 2 - explained(second(law, 2), b)


def three_gates(a1, a2, a3, b1, b2, b3) -> mpf:
    """Return m_1.(S_1 + S_0)^-1 m_1: gate k is open at a_k of class 1 and b_k of class 0, all six equally likely."""
    squares = [(a**2 + b**2) / 3 for a, b in ((a1, b1), (a2, b2), (a3, b3))]
    s = [[squares[i] if i == j else mpf(0) for j in range(3)] for i in range(3)]
    return explained(s, [a / 3 for a in (a1, a2, a3)])


def dependence(p: mpf) -> mpf:
    """Return P(both gated inputs are 0) - P(first is 0) P(second is 0): one gate is open with p, else the other."""
    outcomes = [(p, (False, True)), (1 - p, (True, False))]
    first, other = (sum(q for q, zero in outcomes if zero[k]) for k in range(2))
    return sum(q for q, zero in outcomes if all(zero)) - first * other


def pulses(n: int, a: int, b: int) -> Iterator[tuple[Fraction, list[int]]]:
    """All pulses of a ring with their probabilities."""
    for width in range(a, b + 1):
        for start in range(n):
            yield (
                Fraction(1, n * (b + 1 - a)),
                [1 if (site - start) % n < width else 0 for site in range(n)],
            )


def pulse_mean(n, a, b, value) -> Fraction:
    """Return the average of a function of the sites."""
    return sum((p * value(u) for p, u in pulses(int(n), int(a), int(b))), Fraction(0))


def spin_mean(sites, r, value, ring=True):
    """Return the average over all spins of a line whose neighbours have the weight 1 + r where equal, else 1 - r."""
    total = weighed = 0
    for x in product((1, -1), repeat=int(sites)):
        weight = 1
        for j in range(len(x) if ring else len(x) - 1):
            weight *= 1 + r * x[j] * x[j - len(x) + 1]
        total, weighed = total + weight, weighed + weight * value(x)
    return weighed / total


def around(x: tuple[int, ...], *gaps) -> list[int]:
    """Return the spins at the ends of the first gaps on a ring, the first spin first."""
    return [x[int(sum(gaps[:k])) % len(x)] for k in range(len(gaps) + 1)]


def signed(u: list[int]) -> list[list[int]]:
    """Return the two inputs of support {-1, 1} that a random sign makes of a pulse."""
    return [[s * (2 * site - 1) for site in u] for s in (1, -1)]


def flipped(n, a, b, value) -> Fraction:
    """Return the average over pulses with a random sign flip."""
    return pulse_mean(n, a, b, lambda u: sum(Fraction(value(x), 2) for x in signed(u)))


def cross(n, a, b, p, q) -> Fraction:
    """Return <g_1 g_2 x_k x_l>: both closed half-spaces of site i = 0 hold the input where x_i = 0."""
    return pulse_mean(n, a, b, lambda u: (u[0] >= 0) * (-u[0] >= 0) * u[int(p)] * u[int(q)])


def several(n, a, b, N, value) -> Fraction:
    """Return the average of a function of N independent pulses."""
    drawn = list(pulses(int(n), int(a), int(b)))
    return sum(
        (prod(p for p, _ in own) * value([u for _, u in own]) for own in product(drawn, repeat=int(N))), Fraction(0)
    )


def on_a_line(n, W, i) -> Fraction:
    """Return the share of the places of a pulse on an open line at which it covers site i."""
    starts = range(int(n - W) + 1)
    return Fraction(sum(start <= i < start + W for start in starts), len(starts))


def best_pair(p, sets, exclusive=False, low=-1) -> mpf:
    """Return the least loss of two gates on pulses of three sites with labels 1 and `low`; floats find the pair."""
    inputs = [[int((site - at) % 3 < width) for site in range(3)] for width in (1, 2) for at in range(3)] + [[1, 1, 1]]
    y, weights = np.array([1] * 6 + [low]), [p / 6] * 6 + [1 - p]
    scale = np.sqrt(np.array(weights, float))[:, None]
    x = np.array(inputs)
    pairs = [(g, h) for g in sets for h in sets if not (exclusive and (g & h).any())]

    def loss(pair):
        columns = scale * np.concatenate([pair[0][:, None] * x, pair[1][:, None] * x], axis=1)
        return np.sum((scale[:, 0] * y - columns @ np.linalg.lstsq(columns, scale[:, 0] * y, rcond=None)[0]) ** 2)

    best = min(pairs, key=loss)
    columns = [[int(gate[e]) * int(x[e, j]) for e in range(7)] for gate in best for j in range(3)]
    return left_over(weights, columns, y.tolist())


def left_over(weights, columns, y) -> mpf:
    """Return the least squares of y on columns of whole numbers, by orthogonalising them in turn."""
    basis = []
    for column in columns:
        rest = [mpf(entry) for entry in column]
        for other in basis:
            share = mp.fsum(w * a * b for w, a, b in zip(weights, rest, other, strict=True))
            share /= mp.fsum(w * b * b for w, b in zip(weights, other, strict=True))
            rest = [a - share * b for a, b in zip(rest, other, strict=True)]
        if max(map(abs, rest)) > mpf(10) ** (-mp.dps // 2):
            basis.append(rest)
    total = mp.fsum(w * b * b for w, b in zip(weights, y, strict=True))
    for other in basis:
        along = mp.fsum(w * a * b for w, a, b in zip(weights, y, other, strict=True))
        total -= along**2 / mp.fsum(w * b * b for w, b in zip(weights, other, strict=True))
    return total


def gates_on_pulses(half_spaces: bool) -> list[np.ndarray]:
    """Return the sets of the seven pulses of three sites, or those with v.x >= theta, as zeros and ones."""
    if not half_spaces:
        return [np.array(bits) for bits in product((0, 1), repeat=7)]
    inputs = [[int((site - at) % 3 < width) for site in range(3)] for width in (1, 2) for at in range(3)] + [[1, 1, 1]]
    values = [np.array(inputs) @ v for v in product(range(-2, 3), repeat=3)]
    found = {tuple((own >= theta).astype(int)) for own in values for theta in range(-7, 8)}
    return [np.array(bits) for bits in sorted(found)]


def gained(p, half_spaces: bool) -> mpf:
    """Return the least loss of two exclusive gates less that of any two."""
    sets = gates_on_pulses(half_spaces)
    return best_pair(p, sets, exclusive=True) - best_pair(p, sets)


def sigmoid_error(h1, h2, p) -> mpf:
    """Return the squared error averaged over x, -x and the label."""
    outputs = [mp.fsum(1 / (1 + mp.exp(-sign * h)) for h in (h1, h2)) / 2 for sign in (1, -1)]
    return mp.fsum((p * (1 - one) ** 2 + (1 - p) * one**2) / 2 for one in outputs)


def relu_mean(w11, w12, w21, w22, x1, x2) -> mpf:
    """Return the mean of two ReLUs."""
    return (max(0, w11 * x1 + w12 * x2) + max(0, w21 * x1 + w22 * x2)) / 2


def printed_objective(a1, a2, a3, b1, b2, b3) -> mpf | None:
    """Return (18) with the outer products of the class means, or None where its matrix has no inverse."""
    ones, zeros = ([Fraction(*mp_fraction(x)) / 3 for x in of] for of in ((a1, a2, a3), (b1, b2, b3)))
    m = [[ones[i] * ones[j] + zeros[i] * zeros[j] for j in range(3)] for i in range(3)]
    if not sum(
        m[0][i] * (m[1][(i + 1) % 3] * m[2][(i + 2) % 3] - m[1][(i + 2) % 3] * m[2][(i + 1) % 3]) for i in range(3)
    ):
        return None
    return explained([[mpf(x.numerator) / x.denominator for x in row] for row in m], [a1 / 3, a2 / 3, a3 / 3])


def hermite_average(order: int, **moments: mpf) -> mpf:
    """Return the coefficient of the amplifier at a^order: E[X He_order(X)] times that of sign over sqrt(2/pi)."""
    before, now = [mpf(1)], [mpf(0), mpf(1)]
    for m in range(1, order):
        raised = [mpf(0), *now]
        before, now = now, [c - m * (before[i] if i < len(before) else 0) for i, c in enumerate(raised)]
    known = {"m2": mpf(1)} | moments
    average = mp.fsum(c * known[f"m{power + 1}"] for power, c in enumerate(now) if c)
    half = (order - 1) // 2
    return (-1) ** half * average / (2**half * mp.factorial(half) * order)


def growth(a: mpf, E: mpf, l0: mpf, m0: mpf, m1: mpf, n: mpf) -> mpf:
    """Return the rate of a mode for phi(x) = (x/a)^E, by differentiating the velocity at the top of the wave.

    The mode has the entry 1 there and the mean square 1/2, that of every cosine but the alternating one.
    """
    flat = n * a * a
    height = 1 / (l0 + flat)

    def velocity(step: mpf) -> mpf:
        own = flat * height + m1 * step
        x = own / mp.sqrt(n * (flat * height**2 + m1 * step**2 / 2))
        return ((x / a) ** E - own - l0 * height - m0 * step) / 4

    with mp.workdps(60):
        return mp.diff(velocity, 0)


VALUES = {
    "amplifier.series.third": lambda **moments: hermite_average(3, **moments),
    "amplifier.series.fifth": lambda **moments: hermite_average(5, **moments),
    "amplifier.series.seventh": lambda **moments: hermite_average(7, **moments),
    "amplifier.flat.growth": growth,
    "basis.half_space.own_block": half_space,
    "flow.exclusive.second_moment": shared,
    "flow.redundant.moments": redundant,
    "flow.second_moment.nonnegative": quadratic,
    "flow.second_moment.symmetric": asymmetry,
    "gate.relu.scale": lambda s_c, s_h: int(s_c * s_h >= 0),
    "gate.small_bump.both_open": lambda n, a, b: pulse_mean(n, a, b, lambda u: (u[0] >= 0) * (-u[0] >= 0)),
    "gate.small_bump.complement": lambda x_i: int(x_i >= 0) + int(-x_i >= 0),
    "gate.small_bump.product": lambda x_i: int(x_i >= 0) * int(-x_i >= 0),
    "localization.sigmoid.no_biases": sigmoid_error,
    "ising.half_space.xx": lambda r, a, b, c, e: spin_mean(
        a + b + c + e, r, lambda x: (x[0] > 0) * (around(x, a)[1] > 0) * prod(around(x, a, b, c)[2:])
    ),
    "ising.half_space.yx": lambda r, d, e: spin_mean(d + e, r, lambda x: (x[0] > 0) * around(x, d)[1]),
    "ising.line.pair": lambda r, n, i, d: spin_mean(n, r, lambda x: x[int(i)] * x[int(i + d)], ring=False),
    "ising.ring.four": lambda r, a, b, c, e: spin_mean(a + b + c + e, r, lambda x: prod(around(x, a, b, c))),
    "ising.ring.pair": lambda r, d, e: spin_mean(d + e, r, lambda x: prod(around(x, d))),
    "localization.single_pulse.support": lambda n, a, m: len(
        {tuple(u) for _, u in pulses(int(n), int(a), int(a + m - 1))}
    ),
    "model.gated.forms": lambda g1, g2, w11, w12, w21, w22, x1, x2: (
        (g1 * (w11 * x1 + w12 * x2) + g2 * (w21 * x1 + w22 * x2)) / 2
    ),
    "model.gated_input.kronecker": lambda g1, g2, x1, x2, v1, v2, v3, v4: mp.fsum(
        v * g * x for v, (g, x) in zip((v1, v2, v3, v4), product((g1, g2), (x1, x2)), strict=True)
    ),
    "model.relu.as_gated": relu_mean,
    "model.relu.gating": lambda h: max(mpf(0), h),
    "ols.gated_input.moments": stacked,
    "ols.gated_input.regression": lambda K, a11, a12, a22, b1, b2: solved(two_by_two(a11, a12, a22), [b1, b2])[0],
    "ols.gated_input.samples": by_rows,
    "ols.gates.independence": dependence,
    "ols.gates.objective": lambda s11, s12, s22, m11, m12, m01, m02: explained(two_by_two(s11, s12, s22), [m11, m12]),
    "ols.gates.overlap_wins": overlap_gain,
    "ols.gates.precision": lambda P_1, P_2, P_12: mp.inverse(mp.matrix(two_by_two(P_1 + P_12, P_12, P_2 + P_12)))[0, 1],
    "ols.gates.printed_objective": lambda m11, m12, m01, m02: explained(
        second([(1, (m11, m12)), (1, (m01, m02))], 2), [m11, m12]
    ),
    "ols.gates.span": spanned,
    "ols.gates.three_gates": three_gates,
    "ols.loss.class_means": lambda s11, s12, s22, m11, m12: labelled(s11, s12, s22, m11, m12, 0, 0, mpf(1), mpf(0)),
    "ols.loss.intercept": with_intercept,
    "ols.loss.labels": labelled,
    "ols.loss.value": lambda a11, a12, a22, b1, b2: mpf(1) / 2 - explained(two_by_two(a11, a12, a22), [b1, b2]),
    "pulse.bars.pair": lambda n, a, b, p, q: (
        pulse_mean(n, a, b, lambda u: u[0] * u[int(p)]) * pulse_mean(n, a, b, lambda u: u[0] * u[int(q)])
    ),
    "pulse.optimum.half_spaces": lambda p: gained(p, half_spaces=True),
    "pulse.optimum.least": lambda p: best_pair(p, gates_on_pulses(half_spaces=True)),
    "pulse.optimum.overlap": lambda p: gained(p, half_spaces=False),
    "pulse.plus_minus.second": lambda n, a, b, d: flipped(n, a, b, lambda x: x[0] * x[int(d)]),
    "pulse.several.line": on_a_line,
    "pulse.several.sum": lambda n, a, b, N, d: several(
        n, a, b, N, lambda own: sum(u[0] for u in own) * sum(u[int(d)] for u in own)
    ),
    "pulse.several.union": lambda n, a, b, N, d: several(
        n, a, b, N, lambda own: any(u[0] for u in own) * any(u[int(d)] for u in own)
    ),
    "pulse.sign_flip.xx": lambda n, a, b, p, q: flipped(
        n, a, b, lambda x: (x[0] > 0) * x[int(p)] * x[int(p + q) % int(n)]
    ),
    "pulse.sign_flip.yx": lambda n, a, b, d: flipped(n, a, b, lambda x: (x[0] > 0) * x[int(d)]),
    "pulse.sites.pair": lambda n, a, b, d: pulse_mean(n, a, b, lambda u: u[0] * u[int(d)]),
    "pulse.sites.triple": lambda n, a, b, p, q: pulse_mean(n, a, b, lambda u: u[0] * u[int(p)] * u[int(q)]),
    "pulse.small_bump.cross": cross,
    "pulse.zero_one.complement": lambda n, a, b, d: pulse_mean(
        n, a, b, lambda u: Fraction(u[0] * u[int(d)] + (1 - u[0]) * (1 - u[int(d)]), 2)
    ),
}

# What the notes print where it is another number, transcribed: independence; (18) where its matrix has no inverse; the
# loss of labels 1 and 0 as that of any labels, up to their scale.
PRINTED = {
    "ols.gates.independence": lambda p: mpf(0),
    "ols.gates.three_gates": printed_objective,
}
