"""The coefficients of the amplifier at a = 0 in the moments of X: averages of X He_(2k+1)(X)."""

from fractions import Fraction
from math import factorial

import sympy
from sympy import Eq, Ge, Interval, Rational, oo
from sympy.core.relational import Relational

from theory.claims.literature import LOCALIZATION
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import exact_values
from theory.claims.rational import rational

m4, m6, m8 = sympy.symbols("m4 m6 m8", positive=True)


def _moment(symbol: sympy.Symbol, largest: int, *interesting: Rational) -> Param:
    """A moment of a pixel of variance 1: at least 1, as the moments of X^2 do not fall with their order.

    Random points are drawn up to `largest`, so that some of them meet the conditions on all moments together.
    """
    return Param(
        symbol,
        Interval(1, oo),
        rf"$\mathbb{{E}}[X^{symbol.name[1:]}]$",
        interesting,
        likely=Interval(1, largest),
    )


# Kurtosis of two values, of the uniform law and of a Gaussian; the sixth and eighth moments of a Gaussian.
_FOURTH = _moment(m4, 4, Rational(1), Rational(9, 5), Rational(3))
_INNER = _moment(m4, 4, Rational(3))
_SIXTH = _moment(m6, 30, Rational(15))
_EIGHTH = _moment(m8, 600, Rational(105))
# The Hankel determinants of the moments of X^2 are not negative.
_SIX = Ge(m6, m4**2)
_EIGHT = Ge((m4 - 1) * (m8 - m4**2), (m6 - m4) ** 2)


def _by_composition(order: int, point: Point) -> Fraction:
    """Return the coefficient of a^(2 order + 1) of sqrt(pi/2) E[X erf(X s/sqrt2)], s = a (1 - a^2)^(-1/2).

    erf(x s/sqrt2) sqrt(pi/2) = sum_m (-1)^m (x s)^(2m+1)/(2^m m! (2m+1)), and s^(2m+1) = a^(2m+1) (1 - a^2)^(-m-1/2).
    """
    at, total = exact_values(point), Fraction(0)
    for m in range(order + 1):
        binomial = Fraction(1)
        for i in range(order - m):
            binomial *= (Fraction(2 * m + 1, 2) + i) / (i + 1)
        moment = at[f"m{2 * m + 2}"] if m else Fraction(1)
        total += (-1) ** m * moment * binomial / (2**m * factorial(m) * (2 * m + 1))
    return total


def _claim(
    name: str, order: int, formula: sympy.Expr, params: tuple[Param, ...], conditions: tuple[Relational, ...] = ()
) -> Claim:
    power = 2 * order + 1
    return Claim(
        id=f"amplifier.series.{name}",
        known=LOCALIZATION if order == 1 else "",
        title=rf"The coefficient of $\sqrt{{2/\pi}} a^{power}$ in the amplifier of a pixel of variance 1",
        kind=Kind.EQUATION,
        statement=Eq(sympy.Function("c")(order), formula, evaluate=False),
        params=params,
        conditions=conditions,
        assumptions=(
            r"$X$ has variance 1, is distributed like $-X$, with these moments; the series is asymptotic as $a \to 0$",
            rf"it is $\mathbb{{E}}[X H_{power}(X)]$ times a number, with the Hermite polynomial of the weight "
            r"$e^{-x^2/2}$: it vanishes for a Gaussian",
        ),
        **rational(lambda point: _by_composition(order, point)),
        unchecked={
            Level.SYMBOLIC: "two power series are multiplied in fractions; no chain of steps derives the product",
            Level.FLOATING: "the library has the coefficients as exact expressions",
        },
    )


CLAIMS = (
    _claim("third", 1, (3 - m4) / 6, (_FOURTH,)),
    _claim("fifth", 2, (m6 - 10 * m4 + 15) / 40, (_INNER, _SIXTH), (_SIX,)),
    _claim("seventh", 3, -(m8 - 21 * m6 + 105 * m4 - 105) / 336, (_INNER, _SIXTH, _EIGHTH), (_SIX, _EIGHT)),
)
