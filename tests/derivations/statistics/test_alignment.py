"""Fields aligned by their centre and sign, site by site, and their means."""

import numpy as np
import pytest

from derivations.statistics.alignment import centred, mean_and_error, mean_by_chance, mean_of_aligned
from sim.measure.receptive_fields import centre_and_width
from theory.problem import NonlinearGP, NonlinearGP2D

LAW = NonlinearGP(12, (2, 1), 3, "open", "unit-variance", (1, 0))
RING = NonlinearGP(12, (1, "1/2"), 3, "ring", "unit-variance", (1, 0))


@pytest.fixture
def w():
    return np.random.default_rng(0).normal(size=(4, 3, 12))


@pytest.mark.parametrize("law", [LAW, RING])
def test_aligned_fields_have_their_centre_in_the_middle(w, law):
    middle = centre_and_width(w, law.boundary)[0]
    moved = centred(w, law)
    for place in np.ndindex(4, 3):
        shift, field = int(np.round(middle[place])) - 6, w[place]
        sign = np.sign(field[np.abs(field).argmax()])
        for site in range(12):
            source = site + shift
            if law.boundary == "open" and not 0 <= source < 12:
                assert np.isnan(moved[(*place, site)])
            else:
                assert moved[(*place, site)] == sign * field[source % 12]


def test_the_mean_of_aligned_fields_ends_where_few_of_them_do():
    """Fields of ones on an open line: a site has a mean where three of the five have it."""
    w = np.ones((5, 12))
    w[np.arange(5), [2, 4, 6, 8, 10]] = 1e9  # their centres
    moved = np.where(centred(w, LAW) > 1, 1, centred(w, LAW))
    moved[:3, :4] = np.nan
    count = np.isfinite(moved).sum(axis=0)
    assert {2, 3} <= set(count)
    assert (np.isfinite(mean_of_aligned(moved)) == (count >= 3)).all()
    assert (mean_of_aligned(moved)[count >= 3] == 1).all()
    nothing = np.full((5, 12), np.nan)
    assert np.isfinite(
        mean_of_aligned(np.concatenate([np.ones((5, 12)), nothing]))
    ).all()  # fields without a centre do not count


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


def test_a_field_on_a_torus_is_moved_along_both_axes():
    field = np.zeros((3, 4))
    field[0, 0], field[2, 0] = -2, -0.5
    law = NonlinearGP2D(("1/2", "1/2"), 1, "torus", "none", (1, 0), (3, 4))
    assert centred(field.ravel(), law).reshape(3, 4)[:, 2].tolist() == [0.5, 2, 0]
