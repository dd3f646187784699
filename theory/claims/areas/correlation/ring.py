"""The exponential correlation on a ring: a covariance for every length and number of sites.

Its modes on an even number n of sites are (1 - r^2)(1 - (-1)^q r^(n/2))/|1 - r e^(2 pi i q/n)|^2 with r = exp(-1/xi),
sums of geometric series; the determinant is their product.
"""

from fractions import Fraction

import sympy
from sympy import Eq, FiniteSet, Integer, Interval, Rational

from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import exact_values
from theory.claims.rational import rational
from theory.expressions.symbols import n

_SIZES = tuple(map(Integer, (2, 4, 6, 8, 10, 16)))
_second = sympy.Symbol("s", positive=True)  # the correlation of sites two apart, r^2
_DETERMINANT = (1 - 2 * _second + _second**2) ** (n / 2) * (1 - _second ** (n / 2)) ** (n / 2 - 2)


def _by_elimination(point: Point) -> Fraction:
    """Return the determinant of R[i, j] = r^d, d the periodic distance, in fractions of s = r^2.

    Odd rows are multiplied by r and odd columns divided by r, which leaves the determinant and makes every power even.
    """
    at, sites = exact_values(point)["s"], int(point[n])
    powers = [[min(abs(i - j), sites - abs(i - j)) + i % 2 - j % 2 for j in range(sites)] for i in range(sites)]
    rows = [[at ** (power // 2) for power in row] for row in powers]
    determinant = Fraction(1)
    for column in range(sites):
        pivot = rows[column][column]
        determinant *= pivot
        for row in range(column + 1, sites):
            factor = rows[row][column] / pivot
            rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column], strict=True)]
    return determinant


DETERMINANT = Claim(
    id="correlation.ring.determinant",
    title=r"The determinant of $\exp(-d/\xi)$ on a ring",
    protocol=r"The determinant of $\exp(-d/\xi)$ on a ring: it never vanishes, so that this is a covariance for all "
    r"$\xi$",
    kind=Kind.EQUATION,
    statement=Eq(sympy.Function("det")(n), _DETERMINANT, evaluate=False),
    params=(
        Param(n, FiniteSet(*_SIZES), "number of sites, even", _SIZES),
        Param(
            _second,
            Interval.open(0, 1),
            r"correlation of sites two apart, $r^2$ with $r = \exp(-1/\xi)$",
            (Rational(1, 2), Rational(1, 100), Rational(99, 100)),
        ),
    ),
    assumptions=(
        r"$\operatorname{det}(n)$ is the determinant of the matrix $R_{ij} = r^d$ with the periodic distance $d$ of "
        "the sites $i$ and $j$; $s^2 + 1 - 2 s = (1 - s)^2$",
        r"for every even $n$ the modes are sums of geometric series, $(1 - r^2) (1 - (-1)^q r^{n/2})/\lvert 1 - r "
        r"e^{2 \pi i q/n} \rvert^2$, and the determinant is their product; the product of the $1 - r "
        r"e^{2 \pi i q/n}$ over $q$ is $1 - r^n$; formula and matrix are compared at the sizes above",
        r"at $r = 0$ every eigenvalue is 1; eigenvalues depend continuously on $r$, and none becomes zero for "
        "$0 < r < 1$, so that all stay positive",
        r"every second site of a ring of $2 n$ sites with the length $2 \xi$ is a ring of $n$ sites with the length "
        r"$\xi$: so it is a covariance for odd $n$ too",
    ),
    **rational(_by_elimination),
    unchecked={
        Level.SYMBOLIC: "a determinant of any number of rows, computed by elimination in fractions",
        Level.FLOATING: "the library uses that no mode is negative, and does not evaluate the determinant",
    },
)

CLAIMS = (DETERMINANT,)
