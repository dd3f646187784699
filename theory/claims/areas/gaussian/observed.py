"""Averages given linear observations: a ReLU beside an observed variable, a cosine given a sum."""

from collections.abc import Callable
from typing import Any

import mpmath
import sympy
from flint import acb, arb
from sympy import Eq, Integer, Interval, Rational, cos, erf, exp, pi, sqrt

from theory.claims.expectations import pair
from theory.claims.model import Claim, Kind, Level, Param, Point
from theory.claims.quadrature import balls, to_mpf
from theory.expressions.balls.integral import integral
from theory.expressions.balls.precision import precision
from theory.expressions.functions import Relu
from theory.expressions.symbols import rho, z
from theory.gaussian import expect
from theory.gaussian.expectation import GivenExpectation
from theory.proof.derivation import Derivation, Step

b = sympy.Symbol("b", real=True)
PARAMS = (
    Param(
        rho,
        Interval.open(-1, 1),
        "correlation",
        (Integer(0), Rational(9, 10), Rational(-1, 2)),
        Interval(Rational(-9, 10), Rational(9, 10)),
    ),
    Param(b, Interval(-3, 3), "observed value", (Integer(0), Integer(1), Rational(-3, 2))),
)
_REACH = 18  # in standard deviations; the density there is 1e-70


def _observed_claim(
    name: str,
    title: str,
    integrand: sympy.Expr,
    form: sympy.Expr,
    formula: sympy.Expr,
    oracle: Callable[[Point, int], mpmath.mpf],
) -> Claim:
    """Return the claim E[integrand | form = b] = formula for two Gaussian variables of variance 1 and correlation rho.

    It is derived by the engine, and evaluated by its float64 form.
    """
    row = sympy.Matrix([[form.coeff(z(1)), form.coeff(z(2))]])
    statement = Eq(GivenExpectation(integrand, pair(rho), row, sympy.Matrix([b])), formula, evaluate=False)

    def derive() -> Derivation:
        steps = expect(integrand, pair(rho), given=[(form, b)]).derivation.steps
        if steps[-1].expr != formula:
            steps = (*steps, Step(formula, "rearranged into the form of the statement", "identity"))
        return Derivation(name, statement, steps)

    def numeric(**point: float) -> Any:
        return expect(integrand, pair(rho), given=[(form, b)]).numeric(**point)

    return Claim(
        id=name,
        title=title,
        kind=Kind.EQUATION,
        statement=statement,
        params=PARAMS,
        oracle=oracle,
        derive=derive,
        numeric=numeric,
        unchecked={Level.EXACT: "an exponential is not rational at a rational number other than 0"},
    )


def _along(
    f: Callable[[acb], acb],
    second: Callable[[acb, arb], acb],
    low: int | None,
    point: Point,
    digits: int,
) -> mpmath.mpf:
    """Return int f(x) p(x, second(x, b)) dx / int p(x, second(x, b)) dx for the density p of the pair.

    The first integral begins at `low` = 0, below which f is 0, or is over the whole line where `low` is None.
    """
    with precision(digits=digits + 15), mpmath.workdps(digits + 15):
        at = balls(point)
        r, value = at["rho"], at["b"]

        def energy(x: acb) -> acb:
            y = second(x, value)
            return (x * x - 2 * r * x * y + y * y) / (2 * (1 - r) * (1 + r))

        # -log of the density is a parabola in x: its middle and width from three values.
        left, between, right = (energy(acb(x)).real.mid() for x in (-1, 0, 1))
        curvature = left - 2 * between + right
        middle, width = ((left - right) / (2 * curvature)).mid(), (1 / curvature.sqrt()).mid()
        ends = middle - _REACH * width, middle + _REACH * width
        start = ends[0] if low is None else arb(low)
        lowest = energy(acb(arb.max(middle, start)))  # integrals end at absolute errors

        def weighed(factor: Callable[[acb], acb], start: arb) -> mpmath.mpf:
            weight = integral(lambda x, _: factor(x) * (lowest - energy(x)).exp(), acb(start), acb(ends[1]))
            return to_mpf(weight.real, digits)

        return weighed(f, start) / weighed(lambda _: acb(1), ends[0])


RELU = _observed_claim(
    "gaussian.observed.relu",
    "A ReLU given the value of a correlated variable",
    Relu(z(1)),
    z(2),
    rho * b * (1 + erf(rho * b / sqrt(2 * (1 - rho**2)))) / 2
    + sqrt(1 - rho**2) * exp(-(rho**2) * b**2 / (2 * (1 - rho**2))) / sqrt(2 * pi),
    lambda point, digits: _along(lambda x: x, lambda _, value: acb(value), 0, point, digits),
)

COSINE = _observed_claim(
    "gaussian.observed.cosine",
    "A cosine given the sum of two variables",
    cos(z(1)),
    z(1) + z(2),
    exp(-(1 - rho) / 4) * cos(b / 2),
    lambda point, digits: _along(acb.cos, lambda x, value: value - x, None, point, digits),
)

CLAIMS = (RELU, COSINE)
