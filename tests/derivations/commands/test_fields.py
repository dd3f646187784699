"""`gdln fields`: fits around a torus, the mean of orientations, and parameters that are not determined."""

from dataclasses import replace

import numpy as np
import pytest

from derivations.answers import fields
from derivations.statistics.field_fits import GABOR
from derivations.statistics.locality import exactly
from tests.derivations.answers.problems import LINE, changed
from tests.tolerances_of_laws import FIELD_FIT
from theory.problem import loads

SHAPE = (6, 5)
GRID = changed(LINE, ("xi = [2.0", "xi = [1.5"), ('"nlgp"\nn = 6', f'"nlgp-2d"\nshape = {list(SHAPE)}'))


def test_fields_on_a_torus_are_fitted_around_it(monkeypatch):
    """A wave about the corner, which an open grid cuts into four pieces."""
    y, x = (np.minimum(np.arange(sites), sites - np.arange(sites)) for sites in SHAPE)
    bump = (np.exp(-(y[:, None] ** 2 / 2 + x**2) / 2) * np.cos(np.pi * x / 2)).ravel()
    monkeypatch.setattr(fields, "_of_theory", lambda problem, time: (8.0, bump[None, None]))
    (one,) = fields.answer(loads(changed(GRID, ('"open"', '"torus"')))).fields
    assert one.fit.explained > 1 - FIELD_FIT


def wave(unit, degrees, noise=0.0):
    """A wave of 0.2 cycles a site in normal noise, as a fitted field."""
    y, x = np.mgrid[:9, :8].astype(float)
    turn = np.radians(degrees)
    u = (x - 4) * np.cos(turn) + (y - 5) * np.sin(turn)
    field = np.exp(-((x - 4) ** 2 + (y - 5) ** 2) / 12) * np.cos(2 * np.pi * 0.2 * u)
    field += noise * np.random.default_rng(0).standard_normal(field.shape)
    return fields.FittedField(0, unit, field, fields.fit(field, torus=False))


def test_a_period_longer_than_the_grid_is_no_wave():
    """Along the columns the grid of 9 x 8 sites has 8; a period along its diagonal may be longer."""

    def fitted(frequency, degrees=0.0):
        best = fields.Fit("gabor", dict.fromkeys(GABOR, 3.0), dict.fromkeys(GABOR, 0.01), 0.9, 0.0, np.zeros((9, 8)))
        best.value.update(frequency=frequency, orientation=degrees)
        return fields.FittedField(0, 0, np.ones((9, 8)), best)

    cases = {
        (1 / 7.9, 0.0): True,
        (1 / 8.1, 0.0): False,
        (1 / 8.9, 90.0): True,
        (1 / 11, 45.0): True,
        (1 / 12, 45.0): False,
    }
    assert {case: fitted(*case).is_wave for case in cases} == cases
    answer = fields.FieldsAnswer(loads(GRID), "theory", 1.0, (fitted(1 / 12),))
    assert "no wave: frequency 0.0833" in answer.text()
    noise = fields.FittedField(0, 1, np.ones((9, 8)), replace(fitted(1 / 4).fit, explained=0.2))
    assert "not explained: frequency 0.25" in fields.FieldsAnswer(loads(GRID), "theory", 1.0, (noise,)).text()
    assert (answer.json()["fields"][0]["wave"], answer.json()["waves"]) == (False, 0)


def test_fields_have_the_locality_of_random_weights():
    """One site is local, a flat field is not; networks have an interval."""
    n, one = 30, np.zeros(SHAPE)
    one[2, 2] = 1.0

    def answer(source, *images):
        fit = fields.Fit("gabor", {}, {}, 0.0, 0.0, one)
        return fields.FieldsAnswer(
            loads(GRID), source, 1.0, tuple(fields.FittedField(k, 0, image, fit) for k, image in enumerate(images))
        )

    assert answer("theory", one).locality() == exactly(1.0, n)
    assert answer("theory", np.ones(SHAPE)).locality().word == "not local"
    assert answer("networks", one, one + 0.01, one - 0.01).locality().word == "local"
    assert answer("networks", one).locality() is None
    assert answer("theory", one).json()["locality"]["word"] == "local"


@pytest.mark.slow
def test_orientations_are_averaged_as_axes_and_noise_leaves_parameters_undetermined():
    """170 and 10 degrees are 20 degrees apart, around 0."""
    waves = wave(0, 170.0), wave(1, 10.0)
    mean, resultant = fields.FieldsAnswer(loads(GRID), "theory", 1.0, waves).alignment()
    assert min(mean, 180 - mean) < FIELD_FIT
    assert abs(resultant - np.cos(np.radians(20))) < FIELD_FIT
    lost = wave(1, 0.0, noise=3.0)
    assert lost.undetermined
    assert not any(lost.determined(name) for name in lost.undetermined)
    answer = fields.FieldsAnswer(loads(GRID), "theory", 1.0, (waves[0], lost))
    assert ["undetermined" in row for row in answer.text().splitlines()[3:5]] == [False, True]
    assert [field["fit"]["undetermined"] for field in answer.json()["fields"]] == [(), lost.undetermined]
