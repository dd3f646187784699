"""Null levels against sums in exact arithmetic and against draws."""

from fractions import Fraction

import numpy as np
import pytest
import sympy

from sim.measure.receptive_fields import participation_ratio
from tests.tolerances import CLAIM_DIGITS, CLAIM_PRECISE, NULL_DRAWS, STANDARD_ERRORS
from theory.moments import null_levels
from theory.problem import InputError


@pytest.mark.parametrize(("n", "q"), [(5, 2), (6, 3), (6, 0)])
def test_sinusoids_by_exact_sums(n, q):
    weights = [sympy.cos(2 * sympy.pi * q * j / n + sympy.pi / 7).rewrite(sympy.exp) for j in range(n)]
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


@pytest.mark.parametrize("n", [2, 40])
def test_gaussian_ratio_against_draws(n):
    ratio = participation_ratio(np.random.default_rng(n).normal(size=(NULL_DRAWS, n)))
    error = ratio.std() / np.sqrt(NULL_DRAWS)
    assert abs(ratio.mean() - float(null_levels.gaussian_ratio(n))) <= STANDARD_ERRORS * error


def test_the_sites_of_gaussian_weights_from_their_ratio():
    assert null_levels.gaussian_sites(null_levels.gaussian_ratio(16)) == 16


def test_a_ratio_of_no_field_names_no_sites():
    for ratio in (0, -1, 1.5):
        with pytest.raises(InputError, match="no field"):
            null_levels.gaussian_sites(ratio)


@pytest.mark.parametrize("wrong", [null_levels.flat_ratio, null_levels.gaussian_ratio])
def test_no_field_without_sites(wrong):
    with pytest.raises(InputError):
        wrong(0)
