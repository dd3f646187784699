"""The density and the kurtosis of one site, against their definitions."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.special import erf
from scipy.stats import norm

from tests.oracles.pulses import inputs
from tests.tolerances import EXPLORER_EXAMPLES, FOUR_POINT, MARGINAL_CUMULATIVE, MARGINAL_DENSITY
from theory.moments.arithmetic import FLOAT64
from theory.moments.inputs import Values, input_statistics
from theory.moments.statistics import class_statistics
from theory.problem import GaussianClone, NonlinearGP, OutOfReachError, SinglePulse

PULSES = [
    SinglePulse(8, ((2, 3), (5, 5)), support, flip, (1, 0))
    for support, flip in (("zero-one", "none"), ("zero-one", "complement"), ("plus-minus", "sign"))
]


def process(gain, normaliser="unit-variance", kind=NonlinearGP):
    return kind(6, (2, 1), gain, "open", normaliser, (1, 0))


def erf_moment(gain, power):
    with mpmath.workdps(30):
        return mpmath.quad(lambda z: mpmath.erf(gain * z) ** power * mpmath.npdf(z), [-15, -3, -1, 0, 1, 3, 15])


@pytest.mark.parametrize(("gain", "normaliser"), [("1/2", "none"), (3, "unit-variance")])
def test_one_site_of_a_process_is_its_latent_carried_along(gain, normaliser):
    law = process(gain, normaliser)
    g = float(law.gain)
    z = np.linspace(-1.5, 1.5, 31) / g
    scale = 1.0 if normaliser == "none" else float(mpmath.sqrt(erf_moment(law.gain, 2)))
    marginal = input_statistics(law, 0).marginal(3)
    x = erf(g * z) / scale
    carried = marginal.density(x) * 2 * g / np.sqrt(np.pi) * np.exp(-((g * z) ** 2)) / scale
    assert np.abs(carried / norm.pdf(z) - 1).max() < MARGINAL_DENSITY
    assert np.abs(marginal.cumulative(x) - norm.cdf(z)).max() < MARGINAL_CUMULATIVE
    assert marginal.density(np.array([1.01 / scale])).tolist() == [0.0]
    assert marginal.cumulative(np.array([-1.01, 1.01]) / scale).tolist() == [0.0, 1.0]
    assert abs(marginal.high * scale - 1) < MARGINAL_CUMULATIVE
    assert marginal.low == -marginal.high


def test_one_site_of_the_clone_is_normal():
    law = process(2, "none", GaussianClone)
    deviation = float(np.sqrt(class_statistics(law, 1, FLOAT64).variance))
    x, statistics = np.linspace(-2, 2, 9), input_statistics(law, 1)
    marginal = statistics.marginal(0)
    assert np.abs(marginal.cumulative(x) - norm.cdf(x / deviation)).max() < MARGINAL_CUMULATIVE
    assert np.abs(marginal.density(x) / norm.pdf(x, scale=deviation) - 1).max() < MARGINAL_DENSITY
    assert (marginal.low, marginal.high) == (-np.inf, np.inf)
    assert np.abs(statistics.kurtosis).max() < FOUR_POINT


@pytest.mark.parametrize("gain", ["1/2", 10])
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
