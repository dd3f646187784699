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
    aligned,
    centred,
    mean_and_error,
    mean_by_chance,
    mean_of_aligned,
    null_levels,
    of_the_mean,
    shapes,
)
from derivations.explore.spectra import class_spectra, intervals_of, power_of, share_at, spectrum_of
from sim.measure.receptive_fields import participation_ratio
from tests.tolerances import EXPLORER_WAVE
from tests.tolerances_of_explorer import SPECTRUM
from theory.moments.inputs import input_statistics
from theory.problem import NonlinearGP, NonlinearGP2D, OutOfReachError, SinglePulse

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


@pytest.mark.parametrize(("law", "boundary"), [(LAW, "open"), (RING, "ring")])
def test_aligned_fields_have_their_centre_in_the_middle(w, law, boundary):
    centres = shapes(w, law)[CENTRE]
    moved = aligned(w, centres, boundary)
    for place in np.ndindex(4, 3):
        shift, field = int(np.round(centres[place])) - 6, w[place]
        sign = np.sign(field[np.abs(field).argmax()])
        for site in range(12):
            source = site + shift
            if boundary == "open" and not 0 <= source < 12:
                assert np.isnan(moved[(*place, site)])
            else:
                assert moved[(*place, site)] == sign * field[source % 12]


def test_the_mean_of_aligned_fields_ends_where_few_of_them_do():
    """Fields of ones on an open line: a site has a mean where three of the five have it."""
    w = np.ones((5, 12))
    moved = aligned(w, np.array([2.0, 4.0, 6.0, 8.0, 10.0]), "open")
    moved[:3, :4] = np.nan
    count = np.isfinite(moved).sum(axis=0)
    assert {2, 3} <= set(count)
    assert (np.isfinite(mean_of_aligned(moved)) == (count >= 3)).all()
    assert (mean_of_aligned(moved)[count >= 3] == 1).all()
    nothing = np.full((5, 12), np.nan)
    assert np.isfinite(mean_of_aligned(np.concatenate([w, nothing]))).all()  # fields without a centre do not count


EVEN = NonlinearGP(16, (2, 1), 3, "ring", "unit-variance", (1, 0))
ODD = NonlinearGP(15, (2, 1), 3, "open", "unit-variance", (1, 0))


@pytest.mark.parametrize("law", [EVEN, ODD])
def test_alignment_alone_gives_fields_of_random_phases_their_bump(law):
    """Groups of fields with one spectrum and independent phases; their bump lies within five standard errors."""
    rng, n = np.random.default_rng(1), law.n
    size = 1 / (1 + np.arange(n // 2 + 1))
    phases = np.exp(2j * np.pi * rng.random((40, 40, len(size))))
    phases[..., 0] = rng.choice([-1, 1], (40, 40))
    phases[..., -1] = rng.choice([-1, 1], (40, 40)) if n % 2 == 0 else phases[..., -1]
    w = np.fft.irfft(size * phases, n)
    groups = np.stack([mean_of_aligned(centred(group, law)) for group in w])
    mean, error = mean_and_error(groups)
    chance = mean_by_chance(w.reshape(-1, n), law)
    inside = np.isfinite(chance) & np.isfinite(mean)
    assert inside.sum() > n // 2
    assert (np.abs(chance - mean)[inside] <= 5 * error[inside]).all()
    assert chance[n // 2] > 20 * error[n // 2]  # there is a bump


def test_a_mean_takes_the_networks_that_have_a_value():
    mean, error = mean_and_error(np.array([[1.0, 2.0, np.nan], [3.0, np.nan, 1.0], [8.0, 4.0, np.nan]]))
    assert mean.tolist() == [4.0, 3.0, 1.0]
    assert error[:2].tolist() == [np.std([1, 3, 8], ddof=1) / np.sqrt(3), 1.0]
    assert np.isnan(error[2])


def test_a_statistic_of_the_mean_has_no_bias_of_first_order():
    """Over all samples of two values the mean of the estimate of (E x)^2 is exact; that of the plain square is not."""
    draws = np.array(np.meshgrid(*[[0.0, 1.0]] * 4)).reshape(4, -1).T
    estimates = [float(of_the_mean(np.square, draw)[0]) for draw in draws]
    assert abs(np.mean(estimates) - 1 / 4) <= EXPLORER_WAVE


def test_a_field_on_a_torus_is_moved_along_both_axes():
    field = np.zeros((3, 4))
    field[0, 0], field[2, 0] = -2, -0.5
    law = NonlinearGP2D(("1/2", "1/2"), 1, "torus", "none", (1, 0), (3, 4))
    assert centred(field.ravel(), law).reshape(3, 4)[:, 2].tolist() == [0.5, 2, 0]


def test_null_levels_are_ratios_of_fields():
    """On four sites the ratio of a sinusoid depends on its phase."""
    site = np.arange(40)
    levels, fields = null_levels(40), {"flat": site**0, "one site": site == 3, "sinusoid": np.cos(np.pi * site / 20)}
    assert levels.keys() - fields.keys() == {"random"}
    for name, field in fields.items():
        assert abs(levels[name] - participation_ratio(field.astype(float))) <= EXPLORER_WAVE * levels[name]
    assert "sinusoid" not in null_levels(4)


@pytest.mark.parametrize("n", [5, 8])
def test_spectra_are_the_double_sums_of_their_definition(n):
    root = np.random.default_rng(n).normal(size=(n, n))
    covariance = root @ root.T
    found = spectrum_of(covariance)
    assert len(found) == n // 2 + 1
    for q, value in enumerate(found):
        terms = [covariance[k, m] * cos(2 * pi * q * (k - m) / n) for k in range(n) for m in range(n)]
        assert abs(value - sum(terms) / n) <= SPECTRUM * np.abs(covariance).sum() / n
    for q, value in enumerate(power_of(root[0])):
        coefficient = sum(root[0, k] * cmath.exp(-2j * pi * q * k / n) for k in range(n))
        assert abs(value - abs(coefficient) ** 2 / (n * (root[0] ** 2).sum())) <= SPECTRUM
    assert np.abs(share_at(power_of(root), np.ones(n // 2 + 1, bool), n) - 1).max() <= SPECTRUM
    assert np.isnan(power_of(np.zeros(n))).all()


def test_on_a_ring_the_spectrum_has_the_eigenvalues():
    found = class_spectra(RING)
    for c in range(2):
        own = np.sort(np.concatenate([found.power[c], found.power[c][1:6]]))
        exact = np.linalg.eigvalsh(input_statistics(RING, c).covariance)
        assert np.abs(own - exact).max() <= SPECTRUM * exact.max() * 12


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
