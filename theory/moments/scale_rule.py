"""Continuous laws of a scale r as finitely many values: the trapezoidal rule in t = log r.

A gate at a threshold h of x = r z is one of z at h/r, so that its moments are means over r of Gaussian ones. These and
the density of t are analytic where |Im t| < pi/4, and decay at both ends; with the step h the rule has a relative error
of the order exp(-2 pi (pi/4)/h), and of a narrow density, nearly a Gaussian of width w = 1/(2 sqrt(shape)), of the
order exp(-2 (pi w/h)^2). With h = 1/8 and h = w/2 they are 7e-18 and 5e-35. The densities of t are those of

    gamma       G = shape r^2 ~ Gamma(shape): 2 G^shape exp(-G)/Gamma(shape)
    student-t   the same with shape = dof/2 and G = shape/r^2: 2 G = dof/r^2 ~ chi^2.
"""

from collections.abc import Callable
from functools import singledispatch
from math import ceil, lgamma, log, sqrt

import numpy as np
from jaxtyping import Float

from theory.problem import OutOfReachError
from theory.problem.scales import GammaScale, Scale, SphereScale, StudentScale

STEPS, STEPS_OF_WIDTH = 8, 2  # for each unit of log r, and for the width of its density
REACH = 64.0  # r from exp(-64) to exp(64): E r^2 of a Student t of 3 degrees of freedom beyond is exp(-64)
NEGLIGIBLE = 1e-19  # of a probability and of its part of E r^2

Nodes = Float[np.ndarray, " q"]


def values_of(scale: Scale) -> tuple[Nodes, Nodes]:
    """Return values of r with their probabilities. Raises OutOfReachError for a scale that depends on z.

    E r^2 = 1 of a gamma law:

    >>> r, p = values_of(GammaScale(1))
    >>> round(float(p.sum()), 13), round(float(p @ r**2), 13)
    (1.0, 1.0)
    """
    log_density, shape = _log_density(scale)
    steps = ceil(max(STEPS, STEPS_OF_WIDTH * 2 * sqrt(shape)))
    t = np.arange(-REACH * steps, REACH * steps + 1) / steps
    with np.errstate(under="ignore", over="ignore"):
        r, p = np.exp(t), np.exp(log_density(t)) / steps
        kept = np.maximum(p, p * r**2) > NEGLIGIBLE
    return r[kept], p[kept]


@singledispatch
def _log_density(scale: Scale) -> tuple[Callable[[Nodes], Nodes], float]:
    """The logarithm of the density of t = log r, and the shape of the gamma law that r^2 or 1/r^2 has."""
    raise OutOfReachError(
        f'The scale "{scale.kind}" has no density of log r here.', "Register it in theory/moments/scale_rule.py."
    )


@_log_density.register
def _(scale: SphereScale) -> tuple[Callable[[Nodes], Nodes], float]:
    del scale
    raise OutOfReachError(
        "A gate with a threshold other than 0, or a soft one, has no exact moments on a sphere: its r is a function of "
        "z, so that x is bounded and no mixture of Gaussian laws. A class mean moves a threshold at 0.",
        "Use hard gates at 0 without class means, another scale, or run gdln simulate.",
    )


@_log_density.register
def _(scale: StudentScale) -> tuple[Callable[[Nodes], Nodes], float]:
    return _of_gamma(scale.dof / 2, -1), scale.dof / 2


@_log_density.register
def _(scale: GammaScale) -> tuple[Callable[[Nodes], Nodes], float]:
    return _of_gamma(float(scale.shape), 1), float(scale.shape)


def _of_gamma(shape: float, sign: int) -> Callable[[Nodes], Nodes]:
    """The logarithm of the density of t where shape exp(2 sign t) ~ Gamma(shape)."""
    constant = log(2) + shape * log(shape) - lgamma(shape)
    return lambda t: constant + shape * (2 * sign * t - np.exp(2 * sign * t))
