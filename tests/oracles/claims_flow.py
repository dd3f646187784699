"""Witnesses of the claims on gradient flow and descent: flow.* but the small-bump problem.

The flow is K tau dw/dt = b - A w/K for all units at once. At a time it is the affine map of a diagonal Pade
approximant composed with itself; at rest it is the end of implicit Euler steps of growing length; at a finite rate it
is carried out step by step in fractions. The velocity itself is a derivative of the loss of explicit samples.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import mpmath
from mpmath import mpf
from witness import GUARD, At, Witness, at_rest, integral, panels, reals, solve

_ORDER = 24  # of the approximant: at a norm of 1/2 its error is below 10^-75


def flowed(
    second: Sequence[Sequence[mpf]],
    force: Sequence[mpf],
    start: Sequence[mpf],
    units: mpf,
    time: mpf,
    digits: int,
) -> list[mpf]:
    """w(time), time in units of tau."""
    size = len(force)
    generator = mpmath.matrix(size + 1, size + 1)
    for i in range(size):
        generator[i, size] = force[i] / units * time
        for j in range(size):
            generator[i, j] = -second[i][j] / units**2 * time
    halvings = max(0, int(mpmath.ceil(mpmath.log(2 * mpmath.mnorm(generator, 1) + mpf(1) / 2, 2))))
    with mpmath.workdps(digits + GUARD + 10 + halvings):
        short = generator / mpf(2) ** halvings
        above, below = mpmath.zeros(size + 1), mpmath.zeros(size + 1)
        power, weight = mpmath.eye(size + 1), mpf(1)
        for order in range(_ORDER + 1):
            above += weight * power
            below += (-1) ** order * weight * power
            power = power * short
            weight *= mpf(_ORDER - order) / ((2 * _ORDER - order) * (order + 1))
        step = mpmath.inverse(below) * above
        for _ in range(halvings):
            step = step * step
        ended = step * mpmath.matrix([*start, mpf(1)])
        return [ended[i] for i in range(size)]


def _mode(at: At, digits: int) -> mpf:
    with mpmath.workdps(digits + 60):
        x = reals(at)
        return flowed([[x["lambda"]]], [x["c"]], [x["u0"]], x["K"], x["t"] / x["tau"], digits)[0]


def _along(at: At, sharing: int, digits: int) -> list[mpf]:
    """All K units along one eigenvector: the first `sharing` have one gate, every other unit has its own.

    <g_k g_l x x^T> is lambda within the shared gate, 2 + k for another unit k, and 0 between exclusive gates.
    """
    with mpmath.workdps(digits + 60):
        x, units = reals(at), int(at["K"])
        second = [
            [x["lambda"] if max(k, l) < sharing else mpf(2 + k) if k == l else mpf(0) for l in range(units)]
            for k in range(units)
        ]
        force = [x["c1"] if k < sharing else mpf(-k) for k in range(units)]
        start = [x[f"u{k + 1}0"] if k < sharing else mpf(1) for k in range(units)]
        return flowed(second, force, start, x["K"], x["t"] / x["tau"], digits)


def _small_bump_mode(at: At, unit: int, digits: int) -> mpf:
    """Both units of K = 2 along an eigenvector of S: A = diag(S, S)/2 and b_2 = -b_1."""
    with mpmath.workdps(digits + 60):
        x = reals(at)
        half = x["s"] / 2
        start = [x.get("u10", mpf(3)), x.get("u20", mpf(-2))]
        second = [[half, mpf(0)], [mpf(0), half]]
        return flowed(second, [x["c1"], -x["c1"]], start, mpf(2), x["t"] / x["tau"], digits)[unit]


def _difference(at: At, digits: int) -> mpf:
    first, second, *_ = _along(at, 2, digits + 10)
    with mpmath.workdps(digits + GUARD):
        return first - second


def _mode_at_rest(at: At, digits: int) -> mpf:
    with mpmath.workdps(digits + 60):
        x = reals(at)
        return at_rest(mpmath.matrix([[x["lambda"]]]), [x["c"]], [mpf(2)], x["K"], digits)[0]


def _unseen_at_rest(at: At, digits: int) -> mpf:
    """The component of w(oo) along (12, -5)/13, which the only sample x = (5, 12) with the label 1 does not see."""
    with mpmath.workdps(digits + 100):
        x = reals(at)
        row, v = mpmath.matrix([5, 12]), (mpf(12) / 13, mpf(-5) / 13)
        start = [x["u0"] * entry + 2 for entry in v]  # 2 (1, 1) has the component 14/13 along v
        end = at_rest(row * row.T, list(row), start, x["K"], digits)
        return v[0] * end[0] + v[1] * end[1] - mpf(14) / 13


def _one_sample_at_rest(at: At, digits: int) -> mpf:
    """A = x x^T and b = y x for the only sample."""
    with mpmath.workdps(digits + 100):
        x = reals(at)
        row = mpmath.matrix([x["x1"], x["x2"]])
        return at_rest(row * row.T, list(row * x["y"]), [x["w10"], x["w20"]], x["K"], digits)[0]


def _exclusive_at_rest(at: At, digits: int) -> mpf:
    """Two inputs; unit 1 with the given moments, unit 2 with its own where there is one."""
    with mpmath.workdps(digits + 60):
        x = reals(at)
        size = 2 if at["K"] == 1 else 4
        second, force = mpmath.eye(size), [x["b1"], x["b2"], mpf(1), mpf(-2)][:size]
        second[0, 0], second[0, 1], second[1, 0], second[1, 1] = x["a11"], x["a12"], x["a12"], x["a22"]
        return at_rest(second, force, [mpf(1)] * size, x["K"], digits)[0]


def _own_subset(at: At, _digits: int) -> Fraction:
    """b = A w/K for the 2 K weights of K exclusive units: P S, P r for the first, (1 - P) <...> for the others."""
    units = int(at["K"])
    matrix = [[Fraction(0)] * (2 * units) for _ in range(2 * units)]
    force = [Fraction(0)] * (2 * units)
    for k in range(units):
        s11, s12, s22, r1, r2 = (at[name] for name in ("s11", "s12", "s22", "r1", "r2")) if k == 0 else (2, 1, 3, k, 1)
        share = at["P_open"] if k == 0 else (1 - at["P_open"]) / (units - 1)
        matrix[2 * k][2 * k], matrix[2 * k][2 * k + 1] = share * s11 / units, share * s12 / units
        matrix[2 * k + 1][2 * k], matrix[2 * k + 1][2 * k + 1] = share * s12 / units, share * s22 / units
        force[2 * k], force[2 * k + 1] = share * r1, share * r2
    return solve(matrix, force)[0]


def _velocity(at: At, _digits: int) -> Fraction:
    """-dL/dw_1/tau for two equally likely samples x = 1 that open unit 1, the second one the other units as well.

    Labels b +- 1 make <g_1 x y> = b; w_1 makes <g_1 x sum_l g_l w_l x> = h. L is quadratic in w_1, so that three of
    its values give the derivative: (4 L(1) - 3 L(0) - L(2))/2. The readout is 1/K and the loss half the mean square
    where the point gives no s and no ell.
    """
    units = int(at.get("K", Fraction(2)))
    readout, half = at.get("s", Fraction(1, units)), at.get("ell", Fraction(1)) / 2
    others = [Fraction(l + 1, 3) for l in range(units - 1)]
    first = at["h_ki"] - sum(others, Fraction(0)) / 2

    def loss(moved: int) -> Fraction:
        outputs = [readout * (first + moved + extra) for extra in (Fraction(0), sum(others, Fraction(0)))]
        labels = [at["b_ki"] + 1, at["b_ki"] - 1]
        return sum(((y - out) ** 2 for y, out in zip(labels, outputs, strict=True)), Fraction(0)) * half / 2

    return -(4 * loss(1) - 3 * loss(0) - loss(2)) / 2 / at["tau"]


def _descended(at: At, _digits: int) -> Fraction:
    """m steps w <- w + (eta/K) (b - A w/K) in fractions."""
    u = at["u0"]
    for _ in range(int(at["m"])):
        u += at["eta"] / at["K"] * (at["c"] - at["lambda"] * u / at["K"])
    return u


def _asymmetry(at: At, _digits: int) -> Fraction:
    """The largest difference of A from its transpose, and of each block from its own, for three samples, four gates."""
    inputs = [(at["x11"], at["x12"]), (at["x21"], at["x22"]), (at["x11"] - at["x22"], Fraction(1))]
    gates = [(1, 0, 1, 1), (1, 1, 0, 1), (0, 1, 1, 1)]
    gated = [[g * entry for g in open_ for entry in x] for x, open_ in zip(inputs, gates, strict=True)]
    places = list(product(range(4), (0, 1)))
    matrix = {
        (a, b): sum(row[2 * a[0] + a[1]] * row[2 * b[0] + b[1]] for row in gated) / 3
        for a, b in product(places, places)
    }
    return max(
        max(abs(value - matrix[(k, j), (l, i)]), abs(value - matrix[(l, i), (k, j)]))
        for ((k, i), (l, j)), value in matrix.items()
    )


def _constant(at: At, digits: int) -> mpf:
    """lambda (u(t) - c/lambda) e^(lambda t) at lambda t = 1, of the flow from c/lambda + d."""
    with mpmath.workdps(digits + 60):
        x = reals(at)
        rest = x["c"] / x["lambda"]
        ended = flowed([[x["lambda"]]], [x["c"]], [rest + x["d"]], mpf(1), 1 / x["lambda"], digits + 20)[0]
        return x["lambda"] * (ended - rest) * mpmath.e


def _end_in_the_sum_readout(at: At, digits: int) -> mpf:
    with mpmath.workdps(digits + 60):
        x = reals(at)
        return at_rest(mpmath.matrix([[x["lambda"]]]), [x["c1"]], [x["u10"]], mpf(1), digits)[0]


def _pair_in_the_sum_readout(at: At, unit: int, digits: int) -> mpf:
    """K tau dw/dt = b - A w for two units with one gate: one step of a single unit's clock is K tau."""
    with mpmath.workdps(digits + 60):
        x = reals(at)
        second = [[x["lambda"]] * 2] * 2
        start = [x["u10"], x["u20"]]
        return flowed(second, [x["c1"]] * 2, start, mpf(1), x["t"] / (x["K"] * x["tau"]), digits)[unit]


def _gated(at: At, gates: Sequence[Sequence[int]]) -> list[list[Fraction]]:
    """Samples g~ (x) x of the two inputs of the point, in turn."""
    inputs = [(at["x11"], at["x12"]), (at["x21"], at["x22"])]
    return [[g * entry for g in open_ for entry in inputs[row % 2]] for row, open_ in enumerate(gates)]


def _shared_by_exclusive(at: At, _digits: int) -> Fraction:
    """The largest entry of <x~ x~^T> off its diagonal blocks; four samples, each opens one of four gates."""
    rows = _gated(at, [[int(k == opened) for k in range(4)] for opened in range(4)])
    places = [(a, b) for a, b in product(range(8), repeat=2) if a // 2 != b // 2]
    return max(abs(sum(row[a] * row[b] for row in rows)) / 4 for a, b in places)


def _apart_with_one_gate(at: At, _digits: int) -> Fraction:
    """The largest difference of b_1 and b_2, and of the blocks of <x~ x~^T>, for two equal gates; labels 1, 2, 3, 4."""
    rows = _gated(at, [(1, 1), (1, 1), (0, 0), (0, 0)])
    force = [sum((label + 1) * row[a] for label, row in enumerate(rows)) for a in range(4)]
    block = [[sum(row[a] * row[b] for row in rows) for b in range(4)] for a in range(4)]
    forces = [abs(force[i] - force[2 + i]) for i in (0, 1)]
    return max(*forces, *(abs(block[a][b] - block[a % 2][b % 2]) for a, b in product(range(4), repeat=2)))


def _mean_square(at: At, _digits: int) -> Fraction:
    """<(v.x~)^2> for the two samples, the first with gate 1 alone open."""
    v = [at[f"v{index}"] for index in range(1, 5)]
    rows = _gated(at, [(1, 0), (1, 1)])
    return sum((sum((a * b for a, b in zip(v, row, strict=True)), Fraction(0)) ** 2 for row in rows), Fraction(0)) / 2


def _under_a_turning_force(at: At, digits: int) -> mpf:
    """The mode beside a rotating pair (cos, sin)(omega t), as one linear flow."""
    with mpmath.workdps(digits + 60):
        x = reals(at)
        turn = x["omega"] * x["tau"] * x["K"] ** 2
        second = [[x["lambda"], -x["c_0"] * x["K"], mpf(0)], [mpf(0), mpf(0), turn], [mpf(0), -turn, mpf(0)]]
        start = [x["u0"], mpf(1), mpf(0)]
        return flowed(second, [mpf(0)] * 3, start, x["K"], x["t"] / x["tau"], digits + 20)[0]


def _gated_mean(at: At, digits: int) -> mpf:
    """E[1(z_1 >= 0) z_2] as the integral of y P(z_1 >= 0 | z_2 = y) phi(y), the other order."""
    with mpmath.workdps(digits + GUARD):
        rho = reals(at)["rho"]
        rest = mpmath.sqrt(1 - rho**2)
        reach = mpmath.sqrt(2 * mpmath.log(10) * (digits + GUARD))
        ends = panels(-reach, reach, (mpf(0), rest))
        return integral(lambda y: y * mpmath.npdf(y) * mpmath.ncdf(rho * y / rest), ends, digits + 5)


_HARD = ("t=0 lambda=2", "t=1/1073741824 lambda=1", "t=100 lambda=1000", "t=3 lambda=1/1099511627776", "t=2 lambda=5/7")
_MODES = tuple(
    f"K={K} tau={tau} {hard} c=-3/2 u0=2/3"
    for K, tau, hard in zip((3, 1, 2, 7, 4), ("1/2", "1/64", "50", "1", "3"), (*_HARD,), strict=True)
)
_SHARED = tuple(
    f"K={K} tau={tau} {hard} c1={c1} u10=2/3 u20=-7/5"
    for K, tau, hard, c1 in zip(
        (3, 2, 2, 7, 4), ("1/2", "1/64", "50", "1", "3"), _HARD, ("1", "-3", "1/2", "2", "-1/7"), strict=True
    )
)
_MOMENTS = ("b_ki=1 h_ki=-2/3", "b_ki=0 h_ki=3", "b_ki=-5/2 h_ki=0", "b_ki=2/7 h_ki=5/3", "b_ki=-3 h_ki=-3")
_TAUS = ("1", "1/64", "50", "2/3", "7")

_BUMP = tuple(
    f"tau={tau} {hard.replace('lambda', 's')} c1={c1}"
    for tau, hard, c1 in zip(("1/2", "1/64", "50", "1", "3"), _HARD, ("1", "-3", "1/2", "2", "-1/7"), strict=True)
)

_INPUTS = (
    "x11=1 x12=-2 x21=3 x22=1/2",
    "x11=0 x12=0 x21=1 x22=-1",
    "x11=-3 x12=1/3 x21=2/7 x22=3",
    "x11=1/1024 x12=3 x21=-1 x22=0",
)

WITNESSES = {
    "flow.gradient.general": Witness(
        _velocity,
        tuple(
            f"s={s} ell={ell} tau={tau} {rest}"
            for s, ell, tau, rest in zip(
                ("1", "1/2", "1/7", "2", "5/2"), ("1", "2", "1/3", "1", "2"), _TAUS, _MOMENTS, strict=True
            )
        ),
        40,
    ),
    "flow.gradient.entry": Witness(
        _velocity,
        tuple(f"K={K} tau={tau} {rest}" for K, tau, rest in zip((1, 2, 7, 3, 5), _TAUS, _MOMENTS, strict=True)),
        40,
    ),
    "flow.gradient.small_bump": Witness(
        _velocity, tuple(f"tau={tau} {rest}" for tau, rest in zip(_TAUS, _MOMENTS, strict=True)), 40
    ),
    "flow.mode.solution": Witness(_mode, (*_MODES, "K=2 tau=1 t=5 lambda=0 c=3 u0=-1")),
    "flow.exclusive.mode": Witness(
        lambda at, digits: _along(at, 1, digits)[0],
        tuple(point.replace("c=", "c1=").replace("u0", "u10") for point in _MODES),
    ),
    "flow.redundant.first": Witness(lambda at, digits: _along(at, 2, digits)[0], _SHARED),
    "flow.redundant.second": Witness(lambda at, digits: _along(at, 2, digits)[1], _SHARED),
    "flow.redundant.first_in_sum": Witness(lambda at, digits: _pair_in_the_sum_readout(at, 0, digits), _SHARED),
    "flow.redundant.second_in_sum": Witness(lambda at, digits: _pair_in_the_sum_readout(at, 1, digits), _SHARED),
    "flow.redundant.difference": Witness(_difference, _SHARED),
    "flow.fixed_point.mode": Witness(
        _mode_at_rest,
        ("K=1 lambda=1 c=2", "K=7 lambda=1/1099511627776 c=-1/3", "K=2 lambda=1000 c=3", "K=3 lambda=5/7 c=-2"),
    ),
    "flow.fixed_point.null_mode": Witness(_unseen_at_rest, ("K=1 u0=1", "K=7 u0=-1/3", "K=2 u0=3", "K=3 u0=-5/7")),
    "flow.small_bump.first_mode": Witness(
        lambda at, digits: _small_bump_mode(at, 0, digits), tuple(f"{point} u10=2/3" for point in _BUMP)
    ),
    "flow.small_bump.second_mode": Witness(
        lambda at, digits: _small_bump_mode(at, 1, digits), tuple(f"{point} u20=-7/5" for point in _BUMP)
    ),
    "flow.fixed_point.singular": Witness(
        _one_sample_at_rest,
        (
            "K=1 x1=1 x2=0 y=2 w10=1 w20=-1",
            "K=2 x1=1/2 x2=-3 y=-1 w10=2 w20=1/3",
            "K=7 x1=1/1048576 x2=1 y=3 w10=-2 w20=1",
            "K=3 x1=11/4 x2=5/2 y=1/2 w10=0 w20=3",
        ),
    ),
    "flow.exclusive.fixed_point": Witness(
        _exclusive_at_rest,
        (
            "K=1 a11=2 a12=1 a22=3 b1=1 b2=-2",
            "K=2 a11=1/2 a12=0 a22=4 b1=-3 b2=1",
            "K=7 a11=1 a12=99/100 a22=1 b1=1 b2=1/3",
            "K=3 a11=5/2 a12=-3/2 a22=1 b1=2 b2=3",
        ),
    ),
    "flow.exclusive.own_subset": Witness(
        _own_subset,
        (
            "K=2 s11=2 s12=1 s22=3 r1=1 r2=-2 P_open=1/2",
            "K=7 s11=1 s12=0 s22=6 r1=-3 r2=1 P_open=1/1000",
            "K=3 s11=3 s12=-3 s22=4 r1=2 r2=1/7 P_open=99/100",
            "K=5 s11=6 s12=5/2 s22=3/2 r1=0 r2=3 P_open=1/3",
        ),
        40,
    ),
    "flow.mode.constant": Witness(
        _constant,
        ("lambda=1 d=-2 c=1", "lambda=1/1024 d=1/3 c=-3", "lambda=100 d=3 c=5/7", "lambda=5/3 d=-1/7 c=0"),
    ),
    "flow.exclusive.transient": Witness(
        _end_in_the_sum_readout,
        (
            "lambda=2 c1=-3/2 u10=2/3",
            "lambda=1/1099511627776 c1=1 u10=0",
            "lambda=1000 c1=3 u10=-2",
            "lambda=5/7 c1=-1/7 u10=3",
        ),
    ),
    "flow.exclusive.second_moment": Witness(_shared_by_exclusive, _INPUTS, 40),
    "flow.redundant.moments": Witness(_apart_with_one_gate, _INPUTS, 40),
    "flow.second_moment.nonnegative": Witness(
        _mean_square,
        tuple(
            f"{point} {v}"
            for point, v in zip(
                _INPUTS,
                ("v1=1 v2=-1 v3=2 v4=0", "v1=3 v2=1/2 v3=-3 v4=1", "v1=0 v2=0 v3=1 v4=1", "v1=1/7 v2=2 v3=0 v4=-3"),
                strict=True,
            )
        ),
        40,
    ),
    "flow.moving_gates.mode": Witness(
        _under_a_turning_force,
        (
            "K=3 tau=1/2 t=2 lambda=2 c_0=1 omega=3 u0=2/3",
            "K=1 tau=1/64 t=1/1073741824 lambda=1 c_0=-3 omega=-1 u0=2/3",
            "K=2 tau=50 t=7 lambda=1000 c_0=1/2 omega=1/3 u0=-2",
            "K=7 tau=1 t=100 lambda=1/1024 c_0=2 omega=0 u0=1",
            "K=4 tau=3 t=5/2 lambda=5/7 c_0=-1/7 omega=1/10 u0=0",
        ),
    ),
    "flow.moving_gates.moment": Witness(_gated_mean, ("rho=1/2", "rho=-999/1000", "rho=3/4", "rho=-1/7", "rho=1/1024")),
    "flow.descent.weights": Witness(
        _descended,
        (
            "m=0 eta=1 K=2 lambda=1 c=1 u0=-2",
            "m=1 eta=1/3 K=1 lambda=5 c=-1 u0=3",
            "m=24 eta=1/10 K=3 lambda=7/2 c=2 u0=1/5",
            "m=12 eta=5 K=2 lambda=1 c=-3 u0=1",
            "m=7 eta=16 K=1 lambda=3 c=1 u0=0",
        ),
        40,
    ),
    "flow.second_moment.symmetric": Witness(_asymmetry, _INPUTS, 40),
}
