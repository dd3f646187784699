"""Translation invariance and what follows from it: localization notes, section 1 (laws and gain) and section 5 (DFT).

On a ring of n sites the correlation is exp(-d^2/xi^2) at the periodic distance d. Numbers without a closed form are
stated as integers of a stated unit, found by exact signs of balls and again by another computation.
"""

from fractions import Fraction
from itertools import product

import mpmath
import sympy
from flint import arb, arb_mat, ctx
from mpmath import mpf
from sympy import Eq, FiniteSet, Heaviside, Integer, Interval, Matrix, Max, Piecewise, Rational, oo, pi, sqrt

from theory.claims import oracles
from theory.claims.areas.flow import NOTES, exact_values, values
from theory.claims.areas.gaussian import derived
from theory.claims.model import Claim, Kind, Level, Param, Point, Source
from theory.expressions.symbols import g, n, rho, z
from theory.flow import solve
from theory.gaussian.expectation import Expectation
from theory.problem import Network, NonlinearGP, Problem, SiteGate, Training

_GUARD = 10


def _as_mpf(value: Fraction, digits: int) -> mpf:
    with mpmath.workdps(digits + _GUARD):
        return mpf(value.numerator) / value.denominator


def _table(symbol: sympy.Symbol, entries: dict[Rational, int]) -> sympy.Expr:
    """The integer that belongs to each value of a parameter."""
    return Piecewise(*((Integer(value), Eq(symbol, key)) for key, value in entries.items()))


# The alternating mode of eight sites

step = sympy.Symbol("r", positive=True)  # the correlation of neighbours, exp(-1/xi^2)
_ALTERNATING = 1 - 2 * step + 2 * step**4 - 2 * step**9 + step**16


def _alternating_mode(point: Point) -> Fraction:
    """v^T R v / v^T v for v = (1, -1, 1, ...) and R[i, j] = r^(d^2) on the ring of eight sites."""
    at, sites = exact_values(point)["r"], range(8)
    total = sum((-1) ** (i + j) * at ** min(abs(i - j), 8 - abs(i - j)) ** 2 for i, j in product(sites, sites))
    return total / 8


ALTERNATING = Claim(
    id="localization.ring.alternating",
    title="Eigenvalue of the alternating mode on a ring of eight sites: negative for neighbours correlated above 0.716",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("lambda")(step), _ALTERNATING, evaluate=False),
    params=(
        Param(
            step,
            Interval.open(0, 1),
            "correlation of neighbours, exp(-1/xi^2)",
            (Rational(1, 2), Rational(3, 4), Rational(15, 16)),
        ),
    ),
    sources=(
        Source(
            NOTES,
            "section 1",
            printed=Max(0, _ALTERNATING),
            note="'translation-invariant distributions in some family parameterized by a correlation length': read as "
            "a covariance for every length, whose eigenvalues are 0 or more; wrapping the distances breaks that",
        ),
    ),
    oracle=lambda point, digits: _as_mpf(_alternating_mode(point), digits),
    exact=_alternating_mode,
    unchecked={
        Level.SYMBOLIC: "a sum over the sites of the ring, carried out in fractions",
        Level.FLOATING: "the library uses only the sign of the modes, to refuse a ring that has no such law",
    },
)

# The first length at which there is no such law

# in hundredths of a site
FIRST_FAILURES = {Integer(8): 173, Integer(20): 262, Integer(40): 365, Integer(100): 570}


def _first_failure(point: Point) -> Fraction:
    """The smallest number of hundredths at which a Fourier mode is negative: all signs decided in balls."""
    sites, before = int(point[n]), ctx.prec
    half = sites // 2
    ctx.prec = 512  # modes fall to exp(-pi^2 xi^2/4), here above 10^-40
    try:
        cosines = [
            (arb(2 * q * d) / sites).cos_pi() * (1 if d in (0, half) else 2)
            for q in range(half + 1)
            for d in range(half + 1)
        ]
        waves = arb_mat(half + 1, half + 1, cosines)
        for hundredths in range(1, 100 * sites):
            row = [(-((100 * arb(d) / hundredths) ** 2)).exp() for d in range(half + 1)]
            modes = waves * arb_mat(half + 1, 1, row)
            if any(modes[q, 0] < 0 for q in range(half + 1)):
                return Fraction(hundredths)
            if not all(modes[q, 0] > 0 for q in range(half + 1)):
                raise ArithmeticError(f"the sign of a mode is not decided at {hundredths}/100, n = {sites}")
    finally:
        ctx.prec = before
    raise ArithmeticError(f"no length below {sites} sites fails")


def _first_failure_by_bisection(point: Point, digits: int) -> mpf:
    """The same by halving, the modes summed over all sites in mpmath."""
    sites = int(point[n])
    with mpmath.workdps(digits + 60):
        waves = [[mpmath.cospi(mpf(2 * q * d) / sites) for d in range(sites)] for q in range(sites // 2 + 1)]

        def fails(hundredths: int) -> bool:
            row = [mpmath.exp(-((mpf(100 * min(d, sites - d)) / hundredths) ** 2)) for d in range(sites)]
            return any(mpmath.fdot(wave, row) < 0 for wave in waves)

        low, high = 10, 100 * sites
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if fails(middle) else (middle, high)
        return mpf(high)


RING_LIMIT = Claim(
    id="localization.ring.first_failure",
    title="The correlation length, in hundredths of a site, from which exp(-d^2/xi^2) is no covariance on the ring",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("first")(n), _table(n, FIRST_FAILURES), evaluate=False),
    params=(Param(n, FiniteSet(*FIRST_FAILURES), "number of sites", tuple(FIRST_FAILURES)),),
    assumptions=(
        "about sqrt(n/pi) sites: the alternating mode is 2 sqrt(pi) xi exp(-pi^2 xi^2/4) on the infinite line, and "
        "cutting it at the opposite site takes exp(-n^2/(4 xi^2)) away",
        "at n = 40 and 100 the mode is -1.5e-14 and -4e-35 there: float64 sees the failure only at longer lengths",
    ),
    sources=(
        Source(
            NOTES,
            "section 1",
            printed=oo,
            note="'translation-invariant distributions in some family {p_xi}': no length is excluded there; on an open "
            "line the kernel is positive definite for all lengths, and invariant as a part of an infinite line",
        ),
    ),
    oracle=_first_failure_by_bisection,
    exact=_first_failure,
    drawn=1,
    unchecked={
        Level.SYMBOLIC: "integers found by the signs of balls: there is no formula to derive",
        Level.FLOATING: "at n = 40 and 100 the mode that turns negative is below the rounding of float64",
    },
)

# The gain controls how localized the optimal weights are

_RING, _SITE = 40, 20
PARTICIPATION = {Rational(1, 20): 411, Integer(1): 587, Integer(3): 755, Integer(100): 822}  # in thousandths
_UNIT = 1000


def _participation(weights: list) -> Fraction | mpf:
    squares = [weight * weight for weight in weights]
    return sum(square * square for square in squares) / sum(squares) ** 2


def _certified_participation(point: Point) -> Fraction:
    """1000 x the inverse participation ratio of w_1(infinity) from the certified solver, truncated."""
    zero, one = Fraction(0), Fraction(1)
    law = NonlinearGP(_RING, (Fraction(2), one), exact_values(point)["g"], "ring", "unit-variance", (one, zero))
    network = Network("gated-linear", "mean", 2, (SiteGate(_SITE, lo=zero), SiteGate(_SITE, hi=zero)))
    problem = Problem(law, network, Training("half-mse", one, ((zero,) * _RING,) * 2, (zero,)))
    found = _UNIT * _participation([Fraction(entry) for entry in solve(problem, digits=20).fixed_point[0]])
    if abs(found - round(found)) < Fraction(1, _UNIT):
        raise ArithmeticError(f"the thousandths are not decided at {dict(point)}: {float(found)}")
    return Fraction(int(found))


def _participation_by_quadrature(point: Point, digits: int) -> mpf:
    """The same from quadratures of <g_1 y x> and <x x^T> and a discrete Fourier transform in mpmath."""
    gain, half = point[g], _RING // 2
    with mpmath.workdps(digits + _GUARD):
        lags = [
            (
                oracles.step_erf(_correlation(2, lag), gain, digits),
                sum(oracles.erf_erf(_correlation(length, lag), gain, digits) for length in (1, 2)),
            )
            for lag in range(half + 1)
        ]
        force, second = ([lags[min(d, _RING - d)][part] for d in range(_RING)] for part in (0, 1))
        waves = [[mpmath.cospi(mpf(2 * q * d) / _RING) for d in range(_RING)] for q in range(_RING)]
        modes = [mpmath.fdot(wave, force) / mpmath.fdot(wave, second) for wave in waves]
        return mpmath.floor(_UNIT * _participation([mpmath.fdot(wave, modes) for wave in waves]))


def _correlation(length: int, lag: int) -> sympy.Expr:
    return sympy.exp(-Rational(lag**2, length**2)) if lag else Integer(1)


GAIN_LOCALIZES = Claim(
    id="localization.gain.participation",
    title="The gain controls localization: thousandths of the inverse participation ratio of the optimal weights",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("ipr")(g), _table(g, PARTICIPATION), evaluate=False),
    params=(Param(g, FiniteSet(*PARTICIPATION), "gain", tuple(PARTICIPATION)),),
    assumptions=(
        "ring of 40 sites, xi1 = 2, xi2 = 1, labels 1 and 0, a site gate and its complement; w_1(infinity) from zero",
        "the ratio is sum w^4/(sum w^2)^2: 1/40 for a flat field, 1 for one site; it grows with the gain",
    ),
    sources=(Source(NOTES, "section 1", note="'a gain parameter that controls the degree of localization'"),),
    oracle=_participation_by_quadrature,
    exact=_certified_participation,
    drawn=1,
    unchecked={
        Level.SYMBOLIC: "integers of certified digits: there is no formula to derive",
        Level.FLOATING: "the table is of exact gains, and float64 does not hold 1/20",
    },
)

# Section 5: one basis for all times

x11, x12, x21, x22, v1, v2 = sympy.symbols("x11 x12 x21 x22 v1 v2", real=True)


def _through_a_half_space(point: Point) -> Fraction:
    """<1[v.x >= 0] x_1 x_2> over the four equally likely inputs +-(x11, x12), +-(x21, x22)."""
    at = exact_values(point)
    total = Fraction(0)
    for sign, row in product((1, -1), ("1", "2")):
        first, second = sign * at[f"x{row}1"], sign * at[f"x{row}2"]
        total += first * second * (at["v1"] * first + at["v2"] * second >= 0) / 4
    return total


OWN_BLOCK = Claim(
    id="basis.half_space.own_block",
    title="Through any half space <g x x^T> is half of <x x^T>: on a ring the DFT diagonalizes it at all times",
    kind=Kind.EQUATION,
    statement=Eq(
        sympy.Function("A_11")(x11, x12, x21, x22, v1, v2),
        (x11 * x12 + x21 * x22) / 2 / 2,
        evaluate=False,
    ),
    params=(
        *(Param(entry, Interval(-3, 3), "entry of an input") for entry in (x11, x12, x21, x22)),
        *(Param(entry, Interval(-3, 3), "entry of the gate's direction, which drops out") for entry in (v1, v2)),
    ),
    conditions=(sympy.Ne(v1 * x11 + v2 * x12, 0), sympy.Ne(v1 * x21 + v2 * x22, 0)),
    assumptions=(
        "x and -x are equally likely, so that of each pair one passes the gate, and x x^T is the same for both",
        "<x x^T> is circulant on a ring and does not change while a gate turns, so one basis serves the block A_kk",
    ),
    sources=(
        Source(NOTES, "section 5", note="'a single basis to diagonalize them across time': right for the blocks A_kk"),
    ),
    oracle=lambda point, digits: _as_mpf(_through_a_half_space(point), digits),
    exact=_through_a_half_space,
    unchecked={
        Level.SYMBOLIC: "a sum over pairs of inputs, carried out in fractions",
        Level.FLOATING: "the library takes it for granted: it stores one matrix for all half spaces",
    },
)

a, b = sympy.symbols("a b", real=True)
_THREE = Matrix([[1, rho, a], [rho, 1, b], [a, b, 1]])
_BOTH_OPEN = Heaviside(z(1)) * Heaviside(z(2)) * (z(1) ** 2 - z(3) ** 2)
_DEFECT = (rho * (1 - rho**2) - 2 * a * b + rho * (a**2 + b**2)) / (2 * pi * sqrt(1 - rho**2))
_CROSS = Eq(Expectation(_BOTH_OPEN, _THREE), _DEFECT, evaluate=False)


def _diagonal_defect(point: Point, digits: int) -> mpf:
    """E[1 1 z_1^2] - E[1 1 z_3^2] with z_3 split into its part in z_1, z_2 and a rest; integrals over z_1 > 0."""
    with mpmath.workdps(digits + _GUARD):
        at = values(point)
        r = at["rho"]
        rest = mpmath.sqrt(1 - r * r)
        by_1, by_2 = (at["a"] - r * at["b"]) / rest**2, (at["b"] - r * at["a"]) / rest**2
        left = 1 - by_1 * at["a"] - by_2 * at["b"]

        def over_quadrant(moment) -> mpf:
            """int_0^oo phi(x) moment(x, P(z_2 > 0 | x), E[z_2; z_2 > 0 | x]) dx."""

            def integrand(x: mpf) -> mpf:
                open_2 = mpmath.ncdf(r * x / rest)
                return mpmath.npdf(x) * moment(x, open_2, r * x * open_2 + rest * mpmath.npdf(r * x / rest))

            return mpmath.quad(integrand, [0, 1, 3, 6, 10, 16])

        both = over_quadrant(lambda _x, open_2, _mean: open_2)
        square = over_quadrant(lambda x, open_2, _mean: x * x * open_2)
        mixed = over_quadrant(lambda x, _open, mean: x * mean)
        return square - ((by_1**2 + by_2**2) * square + 2 * by_1 * by_2 * mixed + left * both)


_PSD = 1 + 2 * rho * a * b - rho**2 - a**2 - b**2
CROSS_BLOCK = Claim(
    id="basis.half_spaces.cross_block",
    title="The cross block of two half spaces is not circulant: the difference of two entries of its diagonal",
    kind=Kind.EQUATION,
    statement=_CROSS,
    params=(
        Param(rho, Interval.open(-1, 1), "correlation of the gates' sites", (Rational(1, 2),)),
        Param(a, Interval.open(-1, 1), "correlation of the first gate's site with a third", (Integer(0),)),
        Param(b, Interval.open(-1, 1), "correlation of the second gate's site with the third", (Integer(0),)),
    ),
    conditions=(sympy.Gt(_PSD, Rational(1, 50)),),
    assumptions=("x Gaussian of unit variance, the limit of small gain; both gates 1[x >= 0] at their sites",),
    sources=(
        Source(
            NOTES,
            "section 5",
            printed=Integer(0),
            note="'a single basis (Toeplitz/circulant properties? DFT?)': a circulant block has a constant diagonal",
        ),
    ),
    oracle=_diagonal_defect,
    derive=derived("basis.half_spaces.cross_block", _BOTH_OPEN, _THREE, _DEFECT),
    drawn=3,
    unchecked={
        Level.EXACT: "an integral over a quadrant, with 1/pi and a square root",
        Level.FLOATING: "the library has such blocks for the correlations of a lattice, not for any three",
    },
)

CLAIMS = (ALTERNATING, RING_LIMIT, GAIN_LOCALIZES, OWN_BLOCK, CROSS_BLOCK)
