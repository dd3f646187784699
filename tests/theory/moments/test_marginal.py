"""The density and the kurtosis of one site, against their definitions."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.special import erf

from tests.oracles.pulses import inputs
from tests.tolerances import EXPLORER_EXAMPLES, FOUR_POINT, MARGINAL_CUMULATIVE, MARGINAL_DENSITY
from theory.moments.arithmetic import FLOAT64
from theory.moments.inputs import Values, input_statistics
from theory.moments.statistics import class_statistics
from theory.problem import GaussianClone, NonlinearGP, OutOfReachError, SinglePulse

PULSES = [
    SinglePulse(8, ((2, 3), (5, 5)), support, flip, (1, 0))
    for support in ("zero-one", "plus-minus")
    for flip in ("none", "sign", "complement")
]


def process(gain, normaliser="unit-variance", kind=NonlinearGP):
    return kind(6, (2, 1), gain, "open", normaliser, (1, 0))


def erf_moment(gain, power):
    with mpmath.workdps(30):
        return mpmath.quad(lambda z: mpmath.erf(gain * z) ** power * mpmath.npdf(z), [-15, -3, -1, 0, 1, 3, 15])


@pytest.mark.parametrize("normaliser", ["unit-variance", "none"])
@pytest.mark.parametrize("gain", ["1/2", 1, 3])
def test_the_density_is_that_of_the_latent_carried_along(gain, normaliser):
    law = process(gain, normaliser)
    g = float(law.gain)
    z = np.linspace(-1.5, 1.5, 31) / g
    scale = 1.0 if normaliser == "none" else float(mpmath.sqrt(erf_moment(law.gain, 2)))
    density = input_statistics(law, 0).marginal(3).density
    carried = density(erf(g * z) / scale) * 2 * g / np.sqrt(np.pi) * np.exp(-((g * z) ** 2)) / scale
    normal = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    assert np.abs(carried / normal - 1).max() < MARGINAL_DENSITY
    assert density(np.array([1.01 / scale])).tolist() == [0.0]


@pytest.mark.parametrize("normaliser", ["unit-variance", "none"])
@pytest.mark.parametrize("gain", ["1/2", 1, 3])
def test_the_distribution_is_the_integral_of_the_latent_that_gives_no_more(gain, normaliser):
    law = process(gain, normaliser)
    g, scale = float(law.gain), 1.0 if normaliser == "none" else float(mpmath.sqrt(erf_moment(law.gain, 2)))
    z = np.linspace(-1.5, 1.5, 11) / g
    marginal = input_statistics(law, 0).marginal(0)
    found = marginal.cumulative(erf(g * z) / scale)
    integrals = [float(mpmath.quad(mpmath.npdf, [-mpmath.inf, -3, end])) for end in z]
    assert np.abs(found - integrals).max() < MARGINAL_CUMULATIVE
    assert marginal.cumulative(np.array([-1.01, 1.01]) / scale).tolist() == [0.0, 1.0]
    assert abs(marginal.high * scale - 1) < MARGINAL_CUMULATIVE
    assert marginal.low == -marginal.high


def test_the_distribution_of_the_clone():
    law = process(2, "none", GaussianClone)
    deviation = float(np.sqrt(class_statistics(law, 1, FLOAT64).variance))
    x = np.linspace(-2, 2, 9)
    integrals = [float(mpmath.quad(mpmath.npdf, [-mpmath.inf, -3, end])) for end in x / deviation]
    marginal = input_statistics(law, 1).marginal(0)
    assert np.abs(marginal.cumulative(x) - integrals).max() < MARGINAL_CUMULATIVE
    assert (marginal.low, marginal.high) == (-np.inf, np.inf)


def test_the_density_of_the_clone_is_the_normal_one_of_its_variance():
    law = process(2, "none", GaussianClone)
    variance = float(class_statistics(law, 1, FLOAT64).variance)
    x = np.linspace(-2, 2, 9)
    expected = np.exp(-x * x / (2 * variance)) / np.sqrt(2 * np.pi * variance)
    found = input_statistics(law, 1)
    assert np.abs(found.marginal(0).density(x) / expected - 1).max() < MARGINAL_DENSITY
    assert np.abs(found.kurtosis).max() < FOUR_POINT


@pytest.mark.parametrize("gain", ["1/2", 1, 3, 10])
def test_the_kurtosis_is_that_of_the_integrals(gain):
    law = process(gain)
    second, fourth = erf_moment(law.gain, 2), erf_moment(law.gain, 4)
    assert abs(input_statistics(law, 1).kurtosis[0] - float(fourth / second**2 - 3)) < FOUR_POINT / float(second) ** 2


@pytest.mark.parametrize("law", PULSES, ids=lambda law: f"{law.support}-{law.flip}")
def test_a_site_of_a_pulse_by_counting(law):
    for c, (least, most) in enumerate(law.widths):
        found = [x[3] for x in inputs(law.n, (least, most), law.support, law.flip)]
        levels = tuple(sorted(set(found)))
        statistics = input_statistics(law, c)
        assert statistics.marginal(3) == Values(levels, tuple(Fraction(found.count(x), len(found)) for x in levels))
        mean = Fraction(sum(found), len(found))
        second, fourth = (sum((x - mean) ** r for x in found) / len(found) for r in (2, 4))
        assert abs(statistics.kurtosis[3] - float(fourth / second**2 - 3)) < EXPLORER_EXAMPLES / float(second) ** 2


def test_a_constant_site_has_no_kurtosis():
    constant = SinglePulse(4, ((4, 4), (4, 4)), "zero-one", "none", (1, 0))
    with pytest.raises(OutOfReachError, match="has the value 1 always, so that its kurtosis is undefined"):
        _ = input_statistics(constant, 0).kurtosis
    with pytest.raises(OutOfReachError, match="its skewness is undefined"):
        _ = input_statistics(constant, 0).skewness
