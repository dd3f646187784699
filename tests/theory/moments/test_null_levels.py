"""Null levels against sums in exact arithmetic and against draws."""

from fractions import Fraction

import numpy as np
import pytest
import sympy

from sim.measure.receptive_fields import participation_ratio
from tests.tolerances import CLAIM_DIGITS, CLAIM_PRECISE, NULL_DRAWS, STANDARD_ERRORS
from theory.moments import null_levels
from theory.problem import InputError


@pytest.mark.parametrize(("n", "q"), [(5, 1), (5, 2), (6, 1), (6, 2), (6, 3), (6, 0), (12, 5)])
@pytest.mark.parametrize("phase", [0, sympy.pi / 7])
def test_sinusoids_by_exact_sums(n, q, phase):
    weights = [sympy.cos(2 * sympy.pi * q * j / n + phase).rewrite(sympy.exp) for j in range(n)]
    square = sympy.expand(sum(sympy.expand(w**2) for w in weights))
    fourth = sympy.expand(sum(sympy.expand(w**4) for w in weights))
    expected = null_levels.sinusoid_ratio(n, q)
    difference = sympy.expand(fourth - sympy.Rational(expected) * square**2)
    assert abs(sympy.N(difference, CLAIM_DIGITS)) < CLAIM_PRECISE


def test_a_quarter_of_the_ring_depends_on_its_phase():
    with pytest.raises(InputError, match="depends on its phase"):
        null_levels.sinusoid_ratio(40, 10)
    sites = np.arange(8)
    ratio = [participation_ratio(np.cos(np.pi * sites / 2 + phase)) for phase in (0, np.pi / 4)]
    assert [Fraction(float(value)).limit_denominator(64) for value in ratio] == [Fraction(1, 4), Fraction(1, 8)]


@pytest.mark.parametrize("n", [2, 3, 10, 40])
def test_gaussian_ratio_against_draws(n):
    ratio = participation_ratio(np.random.default_rng(n).normal(size=(NULL_DRAWS, n)))
    error = ratio.std() / np.sqrt(NULL_DRAWS)
    assert abs(ratio.mean() - float(null_levels.gaussian_ratio(n))) <= STANDARD_ERRORS * error


@pytest.mark.parametrize("n", [2, 3])
def test_gaussian_ratio_by_integration_over_the_sphere(n):
    """The mean of sum u_j^4 over the uniform law of the circle and of the sphere."""
    t, u = sympy.symbols("t u", real=True)
    if n == 2:
        ratio = sympy.cos(t) ** 4 + sympy.sin(t) ** 4
        mean = sympy.integrate(ratio, (t, 0, 2 * sympy.pi)) / (2 * sympy.pi)
    else:
        ratio = u**4 + (1 - u**2) ** 2 * (sympy.cos(t) ** 4 + sympy.sin(t) ** 4)
        over = sympy.integrate(sympy.expand(ratio), (t, 0, 2 * sympy.pi)) / (2 * sympy.pi)
        mean = sympy.integrate(sympy.expand(over), (u, -1, 1)) / 2
    assert sympy.Rational(null_levels.gaussian_ratio(n)) == mean


@pytest.mark.parametrize("sites", [3, 19])
def test_the_sites_of_gaussian_weights_from_their_ratio(sites):
    """Draws on some of 40 sites: the mean ratio names their number, within the error of the mean."""
    weights = np.zeros((NULL_DRAWS, 40))
    weights[:, :sites] = np.random.default_rng(sites).normal(size=(NULL_DRAWS, sites))
    ratio = participation_ratio(weights)
    error = STANDARD_ERRORS * ratio.std() / np.sqrt(NULL_DRAWS)
    assert null_levels.gaussian_sites(ratio.mean() + error) <= sites <= null_levels.gaussian_sites(ratio.mean() - error)


@pytest.mark.parametrize("ratio", [0, -1, 1.5])
def test_a_ratio_of_no_field_names_no_sites(ratio):
    with pytest.raises(InputError, match="no field"):
        null_levels.gaussian_sites(ratio)


def test_levels_are_ordered():
    n = 40
    levels = [null_levels.flat_ratio(n), null_levels.sinusoid_ratio(n, 1), null_levels.gaussian_ratio(n)]
    assert levels == sorted(levels)
    assert levels[-1] < null_levels.one_site_ratio() == null_levels.gaussian_ratio(1) == 1


@pytest.mark.parametrize("wrong", [null_levels.flat_ratio, null_levels.gaussian_ratio])
def test_no_field_without_sites(wrong):
    with pytest.raises(InputError):
        wrong(0)
