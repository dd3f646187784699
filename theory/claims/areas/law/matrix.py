"""Inputs of any marginal with a Gaussian copula of any correlations: the half-space moment, and trained networks."""

from dataclasses import replace

import mpmath
import numpy as np
import sympy
from flint import arb
from mpmath import mpf
from sympy import Heaviside, Integer, Interval, asin, erf, oo, pi, sqrt

from theory.claims import reasons
from theory.claims.expectations import expectation_claim, pair
from theory.claims.model import Level, Param, Point
from theory.claims.parameters import CORRELATION
from theory.claims.points import values
from theory.claims.quadrature import balls, half_line
from theory.claims.trained import BESIDE, through_half_space, trained_on
from theory.expressions.balls.precision import precision
from theory.expressions.symbols import rho, z
from theory.problem import Problem
from theory.problem.distributions.nonlinear_gp_matrix import NonlinearGPMatrix

s = sympy.Symbol("s", positive=True)


def _by_quadrature(point: Point, digits: int) -> mpf:
    """The integral over x = z_2 of x_2 P(z_1 >= 0 | x), of which the odd part alone remains."""
    with precision(digits=digits + 15), mpmath.workdps(digits + 15):
        at, root = balls(point), arb(2).sqrt()
        steepness = at["rho"] / ((1 - at["rho"]) * (1 + at["rho"])).sqrt()
        mean = half_line(lambda x: (x / root).erf() * (steepness * x / root).erf(), digits)
        return values(point)["s"] * mpmath.sqrt(3) * mean


def _of_uniform_inputs(rho: float, s: float) -> float:
    law = NonlinearGPMatrix("uniform", [1], [[[1, rho], [rho, 1]]], [[1, s]])
    return float(through_half_space(law).sigma_yx[0, 1])


def _independent(problem: Problem) -> Problem:
    """The same problem with independent sites."""
    law = problem.data
    return replace(problem, data=replace(law, correlations=tuple(np.eye(law.n) for _ in range(law.classes))))


UNIFORM = expectation_claim(
    "law.matrix.uniform",
    "Uniform inputs with a Gaussian copula of any correlations through a half-space of another site",
    Heaviside(z(1)) * s * sqrt(3) * erf(z(2) / sqrt(2)),
    pair(rho),
    sqrt(3) * s * asin(sqrt(2) * rho / 2) / pi,
    params=(Param(s, Interval.open(0, oo), "standard deviation of the input", (Integer(1),)), CORRELATION),
    assumptions=(
        r"$x_i = s_i \sqrt 3\, \operatorname{erf}(z_i/\sqrt 2)$, uniform between $-\sqrt 3\, s_i$ and $\sqrt 3\, s_i$",
        BESIDE + "independent sites; the networks' inputs have Laplace's distribution",
    ),
    oracle=_by_quadrature,
    numeric=_of_uniform_inputs,
    drawn=4,
    registration=trained_on("nlgp-matrix", "independent sites", _independent),
    unchecked={Level.EXACT: reasons.ARCSINES},
)

CLAIMS = (UNIFORM,)
