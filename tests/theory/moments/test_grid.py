"""The nonlinear process on a grid: distances by loops, moments against the engine, and what is one-dimensional."""

import itertools

import numpy as np
import pytest
import sympy
from sympy import Heaviside, Rational, erf

from tests.theory.moments import definition
from tests.tolerances import MOMENT_ENTRY, MOMENT_FOUR_FACTORS, UNIT_ROUNDOFF
from theory.expressions.symbols import z
from theory.gaussian.moment import expect
from theory.moments import gated_moments
from theory.moments.statistics import all_lags
from theory.problem import (
    AlwaysGate,
    InputError,
    NonlinearGP2D,
    SiteGate,
    axis_correlations,
    latent_correlation,
)


def grid(shape=(2, 3), boundary="open", **changes):
    settings = {"xi": (2, 1), "gain": "1/2", "normaliser": "none", "labels": (1, 0)}
    return NonlinearGP2D(shape=shape, boundary=boundary, **(settings | changes))


def question(law, gates):
    return definition.question(law, *gates, times=(0, 1))


def squared(law, i, j):
    """d^2 by walking along the axes."""
    total = 0
    for sites, first, second in zip(law.shape, divmod(i, law.shape[1]), divmod(j, law.shape[1]), strict=True):
        walk = abs(first - second)
        total += min(walk, sites - walk) ** 2 if law.boundary == "torus" else walk**2
    return total


@pytest.mark.parametrize(("shape", "boundary"), [((2, 3), "open"), ((5, 6), "torus")])
def test_distances_and_kernels(shape, boundary):
    law = grid(shape, boundary, xi=(1, "1/2"))
    table = [[squared(law, i, j) for j in range(law.n)] for i in range(law.n)]
    assert law.squared_distance().tolist() == table
    for c in (0, 1):
        product = np.kron(*axis_correlations(law, c))
        assert np.abs(product - latent_correlation(law, c)).max() <= 4 * UNIT_ROUNDOFF
    lags = all_lags(law)
    for i, j in itertools.product(range(law.n), repeat=2):
        assert squared(law, 0, lags[i, j]) == table[i][j]


def engine(law, factors, c):
    """E of a product of functions of the latent, in class c, by the engine with correlations from the definition."""
    sites = sorted({site for site, _ in factors})
    entry = {(i, j): sympy.exp(-Rational(squared(law, i, j)) / law.xi[c] ** 2) for i in sites for j in sites}
    cov = sympy.Matrix(len(sites), len(sites), lambda a, b: entry[sites[a], sites[b]])
    integrand = sympy.Mul(*(function(z(sites.index(site) + 1)) for site, function in factors))
    return float(expect(integrand, cov.evalf(40)).evaluate(20).value)


def x(u):
    return erf(u / 2)


def test_moments_are_what_the_engine_gives():
    law = grid((3, 4), "torus", xi=(1, "1/2"))
    moments = gated_moments(question(law, (SiteGate(1, lo=0), SiteGate(6, lo=0), AlwaysGate())))
    largest = np.abs(moments.A).max()
    for k in (11,):
        halves = [engine(law, [(6, Heaviside), (k, x)], c) for c in (0, 1)]
        assert abs(moments.b[law.n + k] - halves[0] / 2) <= MOMENT_ENTRY * np.abs(moments.b).max()
        for l in (2,):
            both = [engine(law, [(1, Heaviside), (6, Heaviside), (k, x), (l, x)], c) for c in (0, 1)]
            assert abs(moments.A[k, law.n + l] - sum(both) / 2) <= MOMENT_FOUR_FACTORS * largest


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shape": (1, 5)}, r"data\.shape\[0\] = 1"),
        ({"shape": 12}, "data.shape = 12 must be two whole numbers"),
        ({"shape": (2.5, 4)}, r"data\.shape\[0\]"),
        ({"shape": (200, 200)}, "40000 sites"),
        ({"boundary": "ring"}, "data.boundary"),
        ({"shape": (8, 3), "boundary": "torus", "xi": (5, 1)}, "the covariance is not"),
    ],
)
def test_bad_grids_are_named(changes, message):
    with pytest.raises(InputError, match=message):
        grid(**changes)
