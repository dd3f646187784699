"""The correlation exp(-d^2/xi^2) on a ring: lengths without such a law. The notes name neither a ring nor a kernel.

d is the periodic distance of n sites. Numbers without a closed form are stated as integers in a stated unit, found by
certified signs of balls and again by a second computation.
"""

from fractions import Fraction
from itertools import product

import mpmath
import sympy
from flint import arb, arb_mat
from mpmath import mpf
from sympy import Eq, FiniteSet, Integer, Interval, Piecewise, Rational

from theory.claims.documents import NOTES
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import exact_values
from theory.claims.rational import rational
from theory.claims.sources import Says, Source
from theory.expressions.balls.precision import precision
from theory.expressions.symbols import n

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
    title="Eigenvalue of the alternating mode on a ring of eight sites",
    protocol="Eigenvalue of the alternating mode on a ring of eight sites: negative above $r = 0.713472$ "
    r"($\xi = 1.72104$)",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("lambda")(step), _ALTERNATING, evaluate=False),
    params=(
        Param(
            step,
            Interval.open(0, 1),
            r"correlation of neighbours, $\exp(-1/\xi^2)$",
            (Rational(1, 2), Rational(3, 4), Rational(15, 16)),
        ),
    ),
    **rational(_alternating_mode),
    unchecked={
        Level.SYMBOLIC: "a sum over the sites of the ring, carried out in fractions",
        Level.FLOATING: "the library uses only the sign of the modes, to refuse a ring that has no such law",
    },
)

# The smallest length at which there is no such law

# in hundredths of a site
FIRST_FAILURES = {Integer(8): 173, Integer(20): 262, Integer(40): 365, Integer(100): 570}
_TABLE = Piecewise(*((Integer(value), Eq(n, sites)) for sites, value in FIRST_FAILURES.items()))


def _first_failure(point: Point) -> Fraction:
    """The smallest number of hundredths at which a Fourier mode is negative: all signs decided in balls."""
    sites = int(point[n])
    half = sites // 2
    with precision(512):  # modes fall to exp(-pi^2 xi^2/4), here above 10^-40
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
    raise ArithmeticError(f"no length below {sites} sites fails")


def _first_failure_by_bisection(point: Point, digits: int) -> mpf:
    """The same number by bisection, with the modes summed over all sites in mpmath."""
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
    title=r"Where $\exp(-d^2/\xi^2)$ first fails to be a covariance on a ring",
    protocol=r"On a ring of $n$ sites $\exp(-d^2/\xi^2)$ first fails to be a covariance at $\xi = 1.721$, 2.618, "
    "3.644, 5.698 ($n = 8$, 20, 40, 100); of lengths in steps of 1/100 the first are 1.73, 2.62, 3.65, 5.70",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("first")(n), _TABLE, evaluate=False),
    params=(Param(n, FiniteSet(*FIRST_FAILURES), "number of sites", tuple(FIRST_FAILURES)),),
    assumptions=(
        r"lengths are tried in steps of 1/100 site, and the integers are $100 \xi$; at all smaller steps it is a "
        "covariance",
        r"where 4 divides $n$, as here, near $\sqrt{n/\pi}$ sites: the alternating mode is "
        r"$2 \sqrt{\pi} \xi \exp(-\pi^2 \xi^2/4)$ on the infinite line, and the ring takes $\exp(-n^2/(4 \xi^2))$ "
        "away at the opposite site; for other $n$ it is another mode that fails first",
        r"at $n = 40$ and 100 the mode has the value $-1.5 \cdot 10^{-14}$ and $-4 \cdot 10^{-35}$ at these "
        "lengths: float64 sees the failure only at longer ones",
    ),
    sources=(
        Source(
            NOTES,
            "section 1",
            note="the notes have 'translation-invariant distributions in some family', and no ring or kernel; public "
            "code wraps the distances of this kernel; on an open line it is positive definite for all lengths",
            says=Says.UNSTATED,
        ),
    ),
    oracle=_first_failure_by_bisection,
    exact=_first_failure,
    drawn=1,
    unchecked={
        Level.SYMBOLIC: "integers found by the signs of balls: there is no formula to derive",
        Level.FLOATING: "at $n = 40$ and 100 the mode that turns negative is below the rounding of float64",
    },
)

CLAIMS = (ALTERNATING, RING_LIMIT)
