"""Shapes and spectra of fields beside their definitions, entry by entry."""

import cmath
from dataclasses import replace
from math import cos, pi

import numpy as np
import pytest

from derivations.explore.shapes import (
    CENTRE,
    LOW,
    PEAK,
    RATIO,
    WIDTH,
    null_levels,
    of_the_mean,
    shapes,
)
from derivations.explore.spectra import class_spectra, intervals_of, power_of, share_at, spectrum_of
from sim.measure.receptive_fields import participation_ratio
from tests.tolerances import EXPLORER_WAVE
from tests.tolerances_of_explorer import SPECTRUM
from theory.moments.inputs import input_statistics
from theory.problem import NonlinearGP, OutOfReachError, SinglePulse

LAW = NonlinearGP(12, (2, 1), 3, "open", "unit-variance", (1, 0))
RING = NonlinearGP(12, (1, "1/2"), 3, "ring", "unit-variance", (1, 0))


@pytest.fixture
def w():
    return np.random.default_rng(0).normal(size=(4, 3, 12))


def test_fields_of_zeros_have_no_shape_and_others_keep_theirs(w):
    whole = shapes(w, RING)
    assert list(whole) == [RATIO, CENTRE, WIDTH, PEAK, LOW]
    w[2, 1] = 0
    w[3, 0] = np.nan
    for name, values in shapes(w, RING).items():
        undefined = np.zeros(values.shape, bool)
        undefined[2, 1] = undefined[3, 0] = True
        assert (np.isnan(values) == undefined).all()
        assert (values[~undefined] == whole[name][~undefined]).all()


def test_a_statistic_of_the_mean_has_no_bias_of_first_order():
    """Over all samples of two values the mean of the estimate of (E x)^2 is exact; that of the plain square is not."""
    draws = np.array(np.meshgrid(*[[0.0, 1.0]] * 4)).reshape(4, -1).T
    estimates = [float(of_the_mean(np.square, draw)[0]) for draw in draws]
    assert abs(np.mean(estimates) - 1 / 4) <= EXPLORER_WAVE


def test_null_levels_are_ratios_of_fields():
    """On four sites the ratio of a sinusoid depends on its phase."""
    site = np.arange(40)
    levels, fields = null_levels(40), {"flat": site**0, "one site": site == 3, "sinusoid": np.cos(np.pi * site / 20)}
    assert levels.keys() - fields.keys() == {"random", "local"}
    for name, field in fields.items():
        assert abs(levels[name] - participation_ratio(field.astype(float))) <= EXPLORER_WAVE * levels[name]
    assert "sinusoid" not in null_levels(4)


@pytest.mark.parametrize("n", [5, 8])
def test_spectra_are_the_double_sums_of_their_definition(n):
    root = np.random.default_rng(n).normal(size=(n, n))
    covariance = root @ root.T
    spectrum = spectrum_of(covariance)
    assert len(spectrum) == n // 2 + 1
    for q, value in enumerate(spectrum):
        terms = [covariance[k, m] * cos(2 * pi * q * (k - m) / n) for k in range(n) for m in range(n)]
        assert abs(value - sum(terms) / n) <= SPECTRUM * np.abs(covariance).sum() / n
    for q, value in enumerate(power_of(root[0])):
        coefficient = sum(root[0, k] * cmath.exp(-2j * pi * q * k / n) for k in range(n))
        assert abs(value - abs(coefficient) ** 2 / (n * (root[0] ** 2).sum())) <= SPECTRUM
    assert np.abs(share_at(power_of(root), np.ones(n // 2 + 1, bool), n) - 1).max() <= SPECTRUM
    assert np.isnan(power_of(np.zeros(n))).all()


def test_on_a_ring_the_spectrum_has_the_eigenvalues():
    spectra = class_spectra(RING)
    for c in range(2):
        eigenvalues = np.sort(np.concatenate([spectra.power[c], spectra.power[c][1:6]]))
        exact = np.linalg.eigvalsh(input_statistics(RING, c).covariance)
        assert np.abs(eigenvalues - exact).max() <= SPECTRUM * exact.max() * 12


def test_the_class_of_the_larger_label_is_named_by_its_label():
    spectra, exchanged = class_spectra(RING), class_spectra(replace(RING, labels=(0, 1)))
    assert (spectra.ends, exchanged.ends) == ((0, 1), (1, 0))
    assert not (spectra.larger & exchanged.larger).any()
    assert intervals_of(spectra.larger).startswith("0 to ")


def test_spectra_belong_to_lines_and_single_labels():
    pulses = SinglePulse(8, ((2, 2), (3, 4)), "plus-minus", "sign", (1, 0))
    assert class_spectra(pulses).power.shape == (2, 5)
    with pytest.raises(OutOfReachError, match="several numbers"):
        class_spectra(NonlinearGP(12, (1, 1), 3, "ring", "none", ((1, 0), (0, 1))))
