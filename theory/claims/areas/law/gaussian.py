"""Gaussian inputs of any covariance: the half-space moment, and networks trained on samples."""

from dataclasses import replace

import mpmath
import numpy as np
import sympy
from mpmath import mpf
from sympy import Heaviside, Integer, Interval, Matrix, oo, pi, sqrt

from theory.claims.expectations import expectation_claim
from theory.claims.model import Level, Param, Point
from theory.claims.parameters import CORRELATION
from theory.claims.points import values
from theory.claims.trained import BESIDE, through_half_space, trained_on
from theory.expressions.symbols import rho, z
from theory.problem import Problem
from theory.problem.distributions.gaussian import Gaussian

v, w = sympy.symbols("v w", positive=True)


def _size(symbol: sympy.Symbol, of: str) -> Param:
    return Param(symbol, Interval.open(0, oo), f"standard deviation of {of}", (Integer(1),))


def _cut(point: Point, digits: int) -> mpf:
    """The mean of x_2 where x_1 = v u >= 0: an integral over u, given which x_2 has the mean rho w u."""
    with mpmath.workdps(digits + 15):
        at = values(point)
        return at["rho"] * at["w"] * mpmath.quad(lambda u: u * mpmath.npdf(u), [0, 1, 4, 16, mpmath.inf])


def _of_gaussians(rho: float, v: float, w: float) -> float:
    law = Gaussian([1], [[[v * v, rho * v * w], [rho * v * w, w * w]]])
    return float(through_half_space(law).sigma_yx[0, 1])


def _independent(problem: Problem) -> Problem:
    """The same problem with the variances alone."""
    law = problem.data
    return replace(problem, data=replace(law, covariance=tuple(np.diag(C.diagonal()) for C in law.matrices)))


GAUSSIAN = expectation_claim(
    "law.gaussian.half_space",
    "Gaussian inputs of any covariance through a half-space of another site",
    Heaviside(z(1)) * z(2),
    Matrix([[v**2, rho * v * w], [rho * v * w, w**2]]),
    rho * w / sqrt(2 * pi),
    params=(_size(v, "the gate's site"), _size(w, "the other site"), CORRELATION),
    assumptions=(BESIDE + "independent sites of the same variances",),
    oracle=_cut,
    numeric=_of_gaussians,
    drawn=4,
    registration=trained_on("gaussian", "independent sites of the same variances", _independent),
    unchecked={Level.EXACT: r"a multiple of $1/\sqrt{2 \pi}$ is not rational"},
)

CLAIMS = (GAUSSIAN,)
