"""Witnesses of the claims that count or enumerate: gates, gated forms, finite data, single pulses, which gates win."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import mpmath
from claims_gaussian import step_erf, variance
from mpmath import mpf
from witness import GUARD, At, Witness, integral, panels, reals, residual, solve


def _printed_objective(at: At, _digits: int) -> Fraction:
    """m_1^T (m_1 m_1^T + m_0 m_0^T)^-1 m_1 as a leverage: what a regression of (1, 0) on the rows m_1, m_0 explains."""
    one = Fraction(1)
    columns = ((at["m11"], at["m01"]), (at["m12"], at["m02"]))
    return one - residual(columns, (one, Fraction(0)), (one, one))


def _scaled_gate(at: At, _digits: int) -> Fraction:
    """1[c w.x >= 0] for c and w.x of the two signs, one explicit pair of vectors."""
    c, h = 5 * at["s_c"] / 2, int(at["s_h"])
    w, x = (Fraction(2), Fraction(3)), (Fraction(2 * h), -Fraction(h))
    return Fraction(int(sum(c * a * b for a, b in zip(w, x, strict=True)) >= 0))


def _relu(h: Fraction) -> Fraction:
    return (h + abs(h)) / 2


def _two_relus(at: At, _digits: int) -> Fraction:
    return sum(_relu(at[f"w{k}1"] * at["x1"] + at[f"w{k}2"] * at["x2"]) for k in (1, 2)) / 2


def _gated(at: At, _digits: int) -> Fraction:
    """The open units' outputs added up, over two."""
    return sum((at[f"w{k}{i}"] * at[f"x{i}"] for k in (1, 2) if at[f"g{k}"] == 1 for i in (1, 2)), Fraction(0)) / 2


def _along_a_vector(at: At, _digits: int) -> Fraction:
    """v.(g~ (x) x): entry m of the product is entry m // 2 of g~ times entry m % 2 of x."""
    gates, x = (at["g1"], at["g2"]), (at["x1"], at["x2"])
    return sum((at[f"v{m + 1}"] * gates[m // 2] * x[m % 2] for m in range(4)), Fraction(0))


def _apart_from_its_blocks(at: At, _digits: int) -> Fraction:
    """The largest entry of <x~ (x~, y)^T> less that of <(g~ g~^T, g~ y) by (x x^T, x)>, the gates once for all."""
    samples = (((1, 1), (at["x11"], at["x12"]), at["y1"]), ((0, 1), (at["x21"], at["x22"]), at["y2"]))
    total: dict[tuple[int, ...], Fraction] = {}
    for gates, x, y in samples:
        row = [gates[m // 2] * x[m % 2] for m in range(4)]
        for m, n in product(range(4), range(5)):
            whole = row[m] * [*row, y][n]
            joint = gates[m // 2] * (gates[n // 2] if n < 4 else 1)
            block = x[m % 2] * (x[n % 2] if n < 4 else y) if joint else 0
            total[m, n] = total.get((m, n), Fraction(0)) + whole - block
    return max(abs(value) / 2 for value in total.values())


def _regressed_on_rows(at: At, _digits: int) -> Fraction:
    """(X^T X)^-1 X^T y for three rows, first entry."""
    rows = ((at["x11"], at["x12"]), (at["x21"], at["x22"]), (at["x12"], at["x21"]))
    label = (at["y1"], at["y2"], at["y3"])
    square = [[sum(row[i] * row[j] for row in rows) for j in (0, 1)] for i in (0, 1)]
    return solve(square, [sum(row[i] * y for row, y in zip(rows, label, strict=True)) for i in (0, 1)])[0]


def _open_gates(at: At, _digits: int) -> Fraction:
    return Fraction((at["x_i"] >= 0) + (-at["x_i"] >= 0))


def _product_of_gates(at: At, _digits: int) -> Fraction:
    """1 exactly if x_i lies in both closed half-lines."""
    return Fraction(min(at["x_i"], -at["x_i"]) >= 0)


def _both_open(at: At, _digits: int) -> Fraction:
    """Site 0 is dark for the starts that are 1, ..., n - W sites before it wraps round."""
    n, a, b = (int(at[name]) for name in ("n", "a", "b"))
    dark = sum(all((start + k) % n for k in range(width)) for width in range(a, b + 1) for start in range(n))
    return Fraction(dark, n * (b - a + 1))


def _pulses(at: At, _digits: int) -> Fraction:
    """Different bit patterns: a run of ones, rotated."""
    n, a, m = (int(at[name]) for name in ("n", "a", "m"))
    runs = [(1 << width) - 1 for width in range(a, a + m)]
    return Fraction(len({(run << turn | run >> (n - turn)) & ((1 << n) - 1) for run in runs for turn in range(n)}))


def _sigmoid_error(at: At, digits: int) -> mpf:
    """<(y - (sigmoid(h1) + sigmoid(h2))/2)^2> at x and -x; sigmoid(h) = (1 + tanh(h/2))/2."""
    with mpmath.workdps(digits + GUARD):
        x = reals(at)
        total = mpf(0)
        for sign in (1, -1):
            output = sum((1 + mpmath.tanh(sign * x[h] / 2)) / 2 for h in ("h1", "h2")) / 2
            total += (x["p"] * (1 - output) ** 2 + (1 - x["p"]) * output**2) / 2
        return total


def _precision(at: At, _digits: int) -> Fraction:
    """A for one input, opened by gate 1 alone, by gate 2 alone and by both; the entry (1, 2) of its inverse."""
    matrix = [[at["P_1"] + at["P_12"], at["P_12"]], [at["P_12"], at["P_2"] + at["P_12"]]]
    return solve(matrix, [Fraction(0), Fraction(1)])[0]


def _loss_of(
    opened: Sequence[Sequence[int]], x: Sequence[Fraction], y: Sequence[int], p: Sequence[Fraction]
) -> Fraction:
    columns = [[gates[unit] * value for gates, value in zip(opened, x, strict=True)] for unit in range(len(opened[0]))]
    return residual(columns, [Fraction(label) for label in y], p)


def _gain_of_overlap(at: At, _digits: int) -> Fraction:
    """Every way to open two gates at the four inputs: the least loss of the exclusive ones less the least of all."""
    x = (1 / at["a"], 1 / at["b"], 1 / (at["a"] + at["b"]), Fraction(1))
    y, p = (1, 1, 1, 0), (*[Fraction(1, 6)] * 3, Fraction(1, 2))
    least = {True: Fraction(1), False: Fraction(1)}
    for opened in product(((0, 0), (0, 1), (1, 0), (1, 1)), repeat=4):
        exclusive = (1, 1) not in opened
        least[exclusive] = min(least[exclusive], _loss_of(opened, x, y, p))
    return least[True] - min(least.values())


def _loss_with_always_on(at: At, _digits: int) -> Fraction:
    x = tuple(at[f"x{i}"] for i in (1, 2, 3, 4))
    return _loss_of(((1, 1), (1, 1), (1, 0), (1, 0)), x, (1, 0, 1, 0), (Fraction(1, 4),) * 4)


def _objective_of_three(at: At, _digits: int) -> Fraction:
    """1 - 2 min <(y - beta.x~)^2>, each of three gates open at one input of either class."""
    opened = [[int(k == index) for k in range(3)] for index in (0, 1, 2)] * 2
    x = [at[f"{name}{k}"] for name in ("a", "b") for k in (1, 2, 3)]
    return 1 - 2 * _loss_of(opened, x, (1, 1, 1, 0, 0, 0), (Fraction(1, 6),) * 6)


def _dependence_of_blocks(at: At, digits: int) -> mpf:
    """P(both zero) - P(first zero) P(second zero) for x Gaussian, gate 1 open above the quantile of p, gate 2 below."""
    with mpmath.workdps(digits + GUARD):
        p = reals(at)["p"]
        threshold = mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * p)
        reach = mpmath.sqrt(2 * mpmath.log(10) * (digits + GUARD)) + abs(threshold)
        below, above = (
            integral(mpmath.npdf, panels(low, high, (mpf(0), mpf(1))), digits + 5)
            for low, high in ((-reach, threshold), (threshold, reach))
        )
        return -below * above


def _passed_half(at: At, _digits: int) -> Fraction:
    """<1[v.x >= 0] x_1 x_2> over four inputs in pairs of opposite sign."""
    inputs = [(s * at[f"x{k}1"], s * at[f"x{k}2"]) for s in (1, -1) for k in (1, 2)]
    passed = [x for x in inputs if at["v1"] * x[0] + at["v2"] * x[1] >= 0]
    return sum((a * b for a, b in passed), Fraction(0)) / 4


# Site gates that overlap, on four sites: E[1(z_a >= 0) 1(+-z_b >= 0) erf(g z_k) erf(g z_l)]

_SITES, _GAIN, _LENGTHS, _PLACES = 4, 1, (2, 1), 12


def _two_gates_two_erfs(rho: list[list[mpf]], a: int, b: int, side: int, k: int, l: int, digits: int) -> mpf:
    """Each erf as its own integral; what is left in z is Gaussian with the covariance S, which depends on u and v.

    By Stein's lemma E[1_a 1_b z_k z_l] = S_kl P + (S_ka S_lb + S_kb S_la - S_ab (S_ka S_la/S_aa + S_kb S_lb/S_bb))
    /(2 pi sqrt(det)), P = atan2(sqrt(det), -S_ab)/(2 pi) the angle of the quadrant, det = S_aa S_bb - S_ab^2.
    """
    sites = (a, b, k, l)
    signs = (1, side, 1, 1)
    base = [[signs[i] * signs[j] * rho[sites[i]][sites[j]] for j in range(4)] for i in range(4)]
    square = 2 * mpf(_GAIN) ** 2

    def tilted(cov: list[list[mpf]], index: int, u: mpf) -> tuple[list[list[mpf]], mpf]:
        """The lower triangle of the covariance with the erf's exponential, and what the latter takes."""
        grown = 1 + square * u * u * cov[index][index]
        row = [cov[max(index, j)][min(index, j)] for j in range(4)]
        scaled = [square * u * u / grown * entry for entry in row]
        return [[cov[i][j] - scaled[i] * row[j] for j in range(i + 1)] for i in range(4)], mpmath.sqrt(grown)

    def at_v(cov: list[list[mpf]], v: mpf) -> mpf:
        s, grown = tilted(cov, 3, v)
        if a == b:
            return s[3][2] / 2 / grown
        root = mpmath.sqrt(s[0][0] * s[1][1] - s[1][0] ** 2)
        angle = mpmath.atan2(root, -s[1][0])
        cross = s[2][0] * s[3][1] + s[2][1] * s[3][0]
        own = s[1][0] * (s[2][0] * s[3][0] / s[0][0] + s[2][1] * s[3][1] / s[1][1])
        return (s[3][2] * angle + (cross - own) / root) / (2 * mpmath.pi) / grown

    def at_u(u: mpf) -> mpf:
        cov, grown = tilted(base, 2, u)
        return integral(lambda v: at_v(cov, v), ends, digits) / grown

    ends = panels(mpf(0), mpf(1))
    return 2 * square / mpmath.pi * integral(at_u, ends, digits)


def _least_loss(gates: tuple[tuple[int, int], ...], digits: int) -> mpf:
    """1/2 - b.A^-1 b for two site gates (site, side); those that exclude each other share no moment."""
    laws = [
        [[mpmath.exp(-((mpf(i - j) / length) ** 2)) for j in range(_SITES)] for i in range(_SITES)]
        for length in _LENGTHS
    ]
    square, size = variance(mpf(_GAIN), digits), _SITES
    second, force = mpmath.zeros(2 * size), mpmath.zeros(2 * size, 1)
    for unit, (site, side) in enumerate(gates):
        for k in range(size):
            through = step_erf(laws[0][site][k], mpf(_GAIN), digits)
            force[unit * size + k] = side * through / (2 * mpmath.sqrt(square))
    for (p, (a, first)), (q, (b, side)) in product(enumerate(gates), repeat=2):
        if q < p or (a == b and first != side):
            continue
        for k in range(size):
            for l in range(k + 1):
                # z -> -z leaves the two erfs alone, so only the product of the gates' sides matters
                value = sum(_two_gates_two_erfs(rho, a, b, first * side, k, l, digits) for rho in laws) / (2 * square)
                for i, j in ((k, l), (l, k)):
                    second[p * size + i, q * size + j] = second[q * size + j, p * size + i] = value
    return mpf(1) / 2 - mpmath.fdot(force, mpmath.lu_solve(second, force))


def _gain_on_sites(_at: At, _digits: int) -> mpf:
    digits = _PLACES + 4
    with mpmath.workdps(digits + 6):
        tiling, overlapping = (_least_loss(gates, digits) for gates in (((1, 1), (1, -1)), ((1, 1), (2, -1))))
        return mpmath.floor((tiling - overlapping) * mpf(10) ** _PLACES)


_AT_SITE = ("x_i=0", "x_i=1/1099511627776", "x_i=-1/1099511627776", "x_i=3", "x_i=-5/2")
_ROWS = (
    "w11=1 w12=-2 w21=3 w22=1/2 x1=1 x2=2",
    "w11=-1 w12=0 w21=1/3 w22=-3 x1=0 x2=-1",
    "w11=2 w12=3 w21=-3 w22=-1/7 x1=-5/2 x2=0",
    "w11=3 w12=1 w21=-1/2 w22=5/2 x1=-1 x2=3",
)
_TWO_INPUTS = (
    "x11=1 x12=-2 x21=3 x22=1/2 v1=1 v2=1",
    "x11=-3 x12=1/3 x21=1 x22=1 v1=0 v2=-2",
    "x11=2 x12=2 x21=-1 x22=3 v1=3 v2=1/5",
    "x11=1/9 x12=-1 x21=5/2 x22=-3 v1=-1 v2=2",
)

_FOUR_ENTRIES = (
    "x11=1 x12=-2 x21=3 x22=1/2",
    "x11=3 x12=1/7 x21=0 x22=-1",
    "x11=-3 x12=1/3 x21=2/7 x22=3",
    "x11=1/1024 x12=3 x21=-1 x22=0",
)


def _given_the_third(at: At, _digits: int) -> Fraction:
    """E x1 x2 less the part that x3 explains, from the covariance whose columns solve P c = e."""
    matrix = [
        [at["p11"], at["p12"], at["p13"]],
        [at["p12"], at["p22"], at["p23"]],
        [at["p13"], at["p23"], at["p33"]],
    ]
    columns = [solve(matrix, [Fraction(i == j) for i in range(3)]) for j in range(3)]
    return columns[0][1] - columns[0][2] * columns[1][2] / columns[2][2]


WITNESSES = {
    "ols.gates.printed_objective": Witness(
        _printed_objective,
        (
            "m11=1 m12=0 m01=0 m02=1",
            "m11=1/2 m12=-1/3 m01=-1 m02=1/7",
            "m11=-1 m12=1 m01=1 m02=-99/100",
            "m11=0 m12=1/1024 m01=1 m02=1",
        ),
        40,
    ),
    "gate.relu.scale": Witness(_scaled_gate, tuple(f"s_c={c} s_h={h}" for c, h in product((-1, 0, 1), repeat=2)), 40),
    "model.relu.gating": Witness(
        lambda at, _digits: _relu(at["h"]),
        ("h=0", "h=1/1099511627776", "h=-1/1099511627776", "h=7/2", "h=-1000"),
        40,
    ),
    "model.relu.as_gated": Witness(_two_relus, _ROWS, 40),
    "model.gated.forms": Witness(
        _gated, tuple(f"g1={g} g2={h} {row}" for g, h, row in zip((0, 1, 1, 0), (0, 0, 1, 1), _ROWS, strict=True)), 40
    ),
    "model.gated_input.kronecker": Witness(
        _along_a_vector,
        tuple(
            f"g1={g} g2={h} x1={x} x2={y} v1=1 v2=-2 v3=1/3 v4=5/2"
            for g, h, x, y in zip((0, 1, 1, 0), (0, 0, 1, 1), (1, -2, 3, 0), (2, 1, -1, 3), strict=True)
        ),
        40,
    ),
    "gate.small_bump.complement": Witness(_open_gates, _AT_SITE, 40),
    "gate.small_bump.product": Witness(_product_of_gates, _AT_SITE, 40),
    "gate.small_bump.both_open": Witness(
        _both_open, ("n=40 a=3 b=4", "n=64 a=1 b=8", "n=8 a=4 b=4", "n=8 a=1 b=8", "n=17 a=2 b=5"), 40
    ),
    "localization.single_pulse.support": Witness(
        _pulses, ("n=3 a=1 m=1", "n=9 a=3 m=3", "n=4 a=1 m=3", "n=7 a=2 m=2", "n=5 a=3 m=1"), 40
    ),
    "localization.sigmoid.no_biases": Witness(
        _sigmoid_error,
        ("h1=0 h2=0 p=1/2", "h1=8 h2=-8 p=1/3", "h1=8 h2=8 p=99/100", "h1=-1/1024 h2=2 p=1/2", "h1=-3 h2=1/2 p=1/7"),
    ),
    "ols.gates.three_gates": Witness(
        _objective_of_three,
        (
            "a1=1 a2=2 a3=1/2 b1=1 b2=1 b3=1",
            "a1=1/1024 a2=1 a3=14/5 b1=2 b2=1/3 b3=1/7",
            "a1=5/2 a2=5/2 a3=5/2 b1=1/9 b2=2 b3=1",
            "a1=2 a2=1/5 a3=1 b1=1/64 b2=14/5 b3=5/2",
        ),
        40,
    ),
    "ols.gated_input.moments": Witness(
        _apart_from_its_blocks, tuple(f"{point} y1=1 y2=-2/3" for point in _FOUR_ENTRIES), 40
    ),
    "ols.gated_input.samples": Witness(
        _regressed_on_rows, tuple(f"{point} y1=1 y2=-2/3 y3=3" for point in _FOUR_ENTRIES), 40
    ),
    "ols.gates.conditional_independence": Witness(
        _given_the_third,
        (
            "p11=2 p22=3 p33=4 p12=0 p13=1 p23=-1/2",
            "p11=2 p22=2 p33=5 p12=1 p13=1/2 p23=1/3",
            "p11=5 p22=3 p33=2 p12=-1/7 p13=-1 p23=1",
            "p11=7/2 p22=9/4 p33=3 p12=-1 p13=2/5 p23=-3/4",
        ),
    ),
    "ols.gates.independence": Witness(_dependence_of_blocks, ("p=1/2", "p=1/1024", "p=3/4", "p=999/1000")),
    "ols.gates.precision": Witness(
        _precision,
        ("P_1=1 P_2=2 P_12=1/2", "P_1=1/3 P_2=5/2 P_12=0", "P_1=2 P_2=1/7 P_12=1/64", "P_1=1 P_2=1 P_12=3"),
        40,
    ),
    "ols.gates.overlap_wins": Witness(_gain_of_overlap, ("a=5/4 b=4", "a=1/2 b=9", "a=2 b=4", "a=3/2 b=7"), 40),
    "ols.gates.overlap_on_sites": Witness(_gain_on_sites, ("",), 40),
    "ols.gates.span": Witness(
        _loss_with_always_on,
        ("x1=1 x2=2 x3=1/2 x4=1", "x1=1/1024 x2=1 x3=2 x4=1/3", "x1=5/2 x2=1/5 x3=1 x4=1", "x1=2 x2=2 x3=2 x4=2"),
        40,
    ),
    "basis.half_space.own_block": Witness(_passed_half, _TWO_INPUTS, 40),
}
