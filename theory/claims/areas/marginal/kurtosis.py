"""Fourth moments of f(z): the excess kurtosis of the inputs, whatever their correlations."""

from collections.abc import Callable
from fractions import Fraction

import mpmath
import sympy
from sympy import Eq, Integer, Interval, Matrix, Rational, gamma, oo

from theory.claims.areas.marginal.covariance import COEFFICIENT, c
from theory.claims.expectations import expectation_claim
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.points import exact_values
from theory.expressions.symbols import z
from theory.moments.inputs import input_statistics
from theory.problem import NonlinearGP

k = sympy.Symbol("k", positive=True)
NO_RULE = r"an integral of powers of $\Phi$ or of its logarithm, for which there is no rule of proof"
NOT_RATIONAL = r"the moments are values of $\Gamma$ or integrals of logarithms, which are not rational"
_EXCESS = sympy.Symbol(r"\mathbb{E} x^4/(\mathbb{E} x^2)^2 - 3", real=True)


def library(nonlinearity: object, normaliser: str = "unit-variance") -> NonlinearGP:
    """Return a law of two sites with this nonlinearity."""
    return NonlinearGP(2, (1, 1), 1, "open", normaliser, (1, 0), nonlinearity=nonlinearity)


def _kurtosis(nonlinearity: object) -> float:
    return float(input_statistics(library(nonlinearity), 0).kurtosis[0])


def _fourth_moment(point: Point) -> Fraction:
    """E (z + c z^3)^4 from the moments (m - 1)!! of z."""
    own = exact_values(point)["c"]
    total, even = Fraction(0), 3
    for power, choices in enumerate((1, 4, 6, 4, 1)):
        total += choices * own**power * even  # E z^(4 + 2 power)
        even *= 5 + 2 * power
    return total


def _by_moments(point: Point, digits: int) -> mpmath.mpf:
    value = _fourth_moment(point)
    with mpmath.workdps(digits + 10):
        return mpmath.mpf(value.numerator) / value.denominator


CUBIC = expectation_claim(
    "marginal.kurtosis.cubic",
    "The fourth moment of a cubic of a Gaussian variable",
    (z(1) + c * z(1) ** 3) ** 4,
    Matrix([[1]]),
    3 + 60 * c + 630 * c**2 + 3780 * c**3 + 10395 * c**4,
    params=(COEFFICIENT,),
    oracle=_by_moments,
    exact=_fourth_moment,
    numeric=lambda c: float(
        input_statistics(library({"kind": "cubic", "c": Fraction(c)}, "none"), 0).fourth(0, 0, 0, 0)
    ),
)


def _along_the_line(f: Callable[[mpmath.mpf], mpmath.mpf]) -> Callable[[Point, int], mpmath.mpf]:
    """Return the oracle E f^4/(E f^2)^2 - 3 by quadrature over z > 0 of an odd f."""

    def oracle(_point: Point, digits: int) -> mpmath.mpf:
        with mpmath.workdps(digits + 15):
            ends = [mpmath.mpf(end) for end in range(18)]
            second, fourth = (
                2 * mpmath.quad(lambda u, order=order: mpmath.npdf(u) * f(u) ** order, ends) for order in (2, 4)
            )
            return fourth / second**2 - 3

    return oracle


LAPLACE = Claim(
    id="marginal.kurtosis.laplace",
    title="The excess kurtosis of Laplace inputs",
    kind=Kind.EQUATION,
    statement=Eq(_EXCESS, Integer(3), evaluate=False),
    assumptions=(r"$x = -\operatorname{sgn}(z) \log(2 \Phi(-\lvert z \rvert))$, up to a factor",),
    oracle=_along_the_line(lambda u: -mpmath.log(mpmath.erfc(u / mpmath.sqrt(2)))),
    numeric=lambda: _kurtosis("laplace"),
    unchecked={Level.SYMBOLIC: NO_RULE, Level.EXACT: NOT_RATIONAL},
)

LOGISTIC = Claim(
    id="marginal.kurtosis.logistic",
    title="The excess kurtosis of logistic inputs",
    kind=Kind.EQUATION,
    statement=Eq(_EXCESS, Rational(6, 5), evaluate=False),
    assumptions=(r"$x = \log(\Phi(z)/\Phi(-z))$, up to a factor",),
    oracle=_along_the_line(lambda u: mpmath.log(mpmath.ncdf(u)) - mpmath.log(mpmath.ncdf(-u))),
    numeric=lambda: _kurtosis("logistic"),
    unchecked={Level.SYMBOLIC: NO_RULE, Level.EXACT: NOT_RATIONAL},
)


def _algebraic(point: Point, digits: int) -> mpmath.mpf:
    """E |x|^m = int_0^oo x^m (1 + x^k)^(-1-1/k) dx with x = e^t, by the trapezoidal rule.

    The integrand is analytic for |Im t| < pi/k, so that a step h has a relative error of about exp(-2 pi^2/(k h)); it
    decays like exp((m + 1) t) and exp((m - k) t).
    """
    with mpmath.workdps(digits + 15):
        own = exact_values(point)["k"]
        exponent = mpmath.mpf(own.numerator) / own.denominator
        size = (digits + 15) * mpmath.log(10)
        step = 2 * mpmath.pi**2 / (exponent * size)

        def moment(m: int) -> mpmath.mpf:
            low, high = -int(size / (m + 1) / step) - 1, int(size / (exponent - m) / step) + 1
            places = (index * step for index in range(low, high + 1))
            power = 1 + 1 / exponent
            terms = (mpmath.exp((m + 1) * t) * (1 + mpmath.exp(exponent * t)) ** -power for t in places)
            return step * mpmath.fsum(terms)

        return moment(4) / moment(2) ** 2 - 3


ALGEBRAIC = Claim(
    id="marginal.kurtosis.algebraic",
    title="The excess kurtosis of inputs with an algebraic sigmoid as distribution function",
    kind=Kind.EQUATION,
    statement=Eq(
        _EXCESS,
        k * gamma(5 / k) * gamma(1 - 4 / k) * gamma(1 + 1 / k) / (gamma(3 / k) * gamma(1 - 2 / k)) ** 2 - 3,
        evaluate=False,
    ),
    params=(
        Param(
            k,
            Interval.open(4, oo),
            "exponent",
            (Rational(9, 2), Integer(5), Integer(6), Integer(12)),
            likely=Interval(5, 20),
        ),
    ),
    assumptions=(r"$P(x \leq a) = (1 + a/(1 + \lvert a \rvert^k)^{1/k})/2$, up to a factor",),
    oracle=_algebraic,
    numeric=lambda k: _kurtosis({"kind": "algebraic", "k": Fraction(k)}),
    drawn=3,
    unchecked={Level.SYMBOLIC: NO_RULE, Level.EXACT: NOT_RATIONAL},
)

CLAIMS = (CUBIC, LAPLACE, LOGISTIC, ALGEBRAIC)
