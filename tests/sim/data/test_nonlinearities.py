"""Samples and quadrature through every nonlinearity, against SciPy's quantiles, double integrals and the theory."""

import numpy as np
import pytest
import torch

from sim.data import quadrature
from sim.data.nonlinear_quadrature import reach
from sim.data.nonlinearities import applied
from tests.sim.cases import line
from tests.theory.nonlinear_cases import BINARY_AND_MORE, EVERY, cross, function, mean_square
from tests.tolerances import NONLINEAR, NONLINEAR_VALUES
from theory.moments.arithmetic import FLOAT64
from theory.moments.statistics import class_statistics
from theory.problem import Algebraic, GaussianClone, Nonlinearity, OutOfReachError


def test_values_are_those_of_scipy():
    z = np.concatenate([np.linspace(-8, 8, 161), [1e-9, -1e-9, 1e-3]])
    near = np.abs(z) < 3
    for kind, nonlinearity in EVERY.items():
        values, exact = applied(nonlinearity, torch.from_numpy(z.copy())).numpy(), function(nonlinearity)(z)
        assert np.abs(values - exact).max() <= NONLINEAR_VALUES * np.abs(exact).max(), kind
        assert np.abs(values - exact)[near].max() <= NONLINEAR_VALUES, kind
        assert (np.sign(values[z != 0]) == np.sign(z[z != 0])).all(), kind


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["laplace", "algebraic", "uniform"])
def test_quadrature_is_the_double_integral_and_the_theory(kind):
    rho = np.exp([-1 / 4, -1 / 100])
    square = quadrature.second_moment(EVERY[kind], 1.0)
    assert abs(square / mean_square(EVERY[kind]) - 1) < NONLINEAR
    found = quadrature.cross_moment(EVERY[kind], 1.0, rho, 1 - rho**2)
    f = function(EVERY[kind])
    for value, r in zip(found, rho, strict=True):
        assert abs(value - cross(f, f, EVERY[kind], r)) < NONLINEAR * square
    clone = line(GaussianClone, n=3, nonlinearity=EVERY[kind])
    exact = class_statistics(clone, 1, FLOAT64).covariances
    assert np.abs(quadrature.covariance(clone, 1)[0] - exact).max() < NONLINEAR


def test_quadrature_of_a_table_with_atoms():
    law = line(n=2, nonlinearity=BINARY_AND_MORE)
    exact = class_statistics(law, 0, FLOAT64).covariances
    assert np.abs(quadrature.covariance(law, 0)[0] - exact).max() < NONLINEAR


def test_an_algebraic_law_of_nearly_infinite_variance_is_refused():
    assert reach(Algebraic("9/4")) < 37
    with pytest.raises(OutOfReachError, match=r"k = 2\.1 has much of its weight"):
        quadrature.normaliser(line(nonlinearity=Algebraic("21/10")))
    assert quadrature.normaliser(line(nonlinearity=Algebraic("21/10"), normaliser="none")) == 1


def test_a_nonlinearity_that_nobody_wrote_is_refused():
    class MadeUp(Nonlinearity):
        kind = "made-up"

    with pytest.raises(OutOfReachError, match="No samples through the nonlinearity MadeUp"):
        applied(MadeUp(), torch.zeros(2))
    for ask in (quadrature.second_moment, quadrature.cross_moment):
        with pytest.raises(OutOfReachError, match="No quadrature of int"):
            ask(3, 1.0, *(np.zeros(0),) * (2 if ask is quadrature.cross_moment else 0))
