"""Fields at different sites and with different signs: their aligned means and the statistics of each."""

import numpy as np
import pytest

from derivations.answers.field_statistics import CENTRE, LARGEST, aligned, quartiles, table
from theory.problem import NonlinearGP, NonlinearGP2D

N, BUMP = 16, np.array([0.5, 2.0, 0.5])
RING = NonlinearGP(N, (1, "1/2"), 1, "ring", "none", (1, 0))
LINE = NonlinearGP(N, (1, "1/2"), 1, "open", "none", (1, 0))
PLACES = {"ring": [15, 0, 1, 3, 14], "open": [3, 5, 6, 8, 12]}


@pytest.mark.parametrize("law", [RING, LINE])
def test_one_bump_at_many_places_is_one_aligned_field(law):
    places = PLACES[law.boundary]
    w = np.zeros((5, N))
    w[:, :3] = BUMP
    w = np.stack([np.roll(field, place - 1) for field, place in zip(w, places, strict=True)])
    w[[1, 3]] *= -1
    mean, error = aligned(w[:, None], law)
    covered = np.isfinite(mean[0])
    assert covered[N // 2 - 3 : N // 2 + 4].all()
    assert (mean[0][covered] == np.roll(np.pad(BUMP, (0, N - 3)), N // 2 - 1)[covered]).all()
    assert (error[0][covered] == 0).all()
    assert np.abs(w.mean(axis=0)).max() < 0.5 * BUMP.max()  # the mean at each site is another field
    shapes = quartiles(w[:, None], law)
    assert (shapes[LARGEST] == 2).all()
    expected = [15, 0, 1] if law is RING else np.quantile(places, (0.25, 0.5, 0.75))
    assert np.abs((shapes[CENTRE][:, 0] - expected + N / 2) % N - N / 2).max() < 1e-12 * N
    assert len(table(w[:, None], law, together=True)) == 2


def test_fields_of_zeros_and_fields_on_a_grid():
    law = NonlinearGP2D(("1/2", "1/2"), 1, "open", "none", (1, 0), (4, 4))
    w = np.zeros((3, 2, 16))
    w[:, 0, 9] = 1, 2, 3
    shapes = quartiles(w, law)
    assert [shapes[name][1].tolist()[0] for name in shapes] == [2, 2, 1]
    assert all(np.isnan(values[:, 1]).all() for values in shapes.values())
    assert "undefined" in table(w, law, together=False)[2]
