"""Fits of fields on a grid: planted functions are fitted exactly, and errors are those of least squares."""

import numpy as np
import pytest

from derivations.statistics.field_fits import DIFFERENCE, GABOR, difference, fit, gabor
from tests.tolerances_of_laws import FIELD_FIT
from theory.problem import InputError, OutOfReachError

SHAPE = (14, 12)
Y, X = np.mgrid[: SHAPE[0], : SHAPE[1]].astype(float)


def planted_gabor(amplitude, y, x, along, across, orientation, frequency, phase, away=lambda d, sites: d):
    """A Gabor function written out, site by site."""
    turn = np.radians(orientation)
    dy, dx = away(Y - y, SHAPE[0]), away(X - x, SHAPE[1])
    u, v = dx * np.cos(turn) + dy * np.sin(turn), dy * np.cos(turn) - dx * np.sin(turn)
    envelope = np.exp(-(u**2) / (2 * along**2) - v**2 / (2 * across**2))
    return amplitude * envelope * np.cos(2 * np.pi * frequency * u + phase)


def planted_difference(amplitude, y, x, centre, surround, ratio):
    r2 = (Y - y) ** 2 + (X - x) ** 2
    return amplitude * (np.exp(-r2 / (2 * centre**2)) - ratio * np.exp(-r2 / (2 * surround**2)))


WAVE = (0.02, 8.0, 6.5, 2.0, 2.5, 120.0, 0.25, 4.0)


def apart(fitted, planted):
    """Differences of the parameters; angles by the shortest way, at either of the two equal descriptions."""
    value = np.array([fitted.value[name] for name in GABOR])
    options = []
    for turned, phase in ((planted[5], planted[7]), (planted[5] + 180, -planted[7])):
        off = value - np.array([*planted[:5], turned, planted[6], phase])
        off[5] = (off[5] + 180) % 360 - 180
        off[7] = (off[7] + np.pi) % (2 * np.pi) - np.pi
        options.append(off)
    return min(options, key=lambda off: abs(off[5]))


def test_on_a_torus_distances_are_the_shortest_ones():
    planted = (1.0, 0.5, 11.2, 2.0, 2.0, 30.0, 0.2, 0.5)
    field = planted_gabor(*planted, away=lambda d, sites: (d + sites / 2) % sites - sites / 2)
    assert np.abs(apart(gabor(field, torus=True), planted)).max() < FIELD_FIT
    assert gabor(field, torus=False).explained < 1 - FIELD_FIT


def test_a_planted_difference_of_gaussians_is_fitted_exactly():
    planted = (-2.0, 8.2, 6.4, 1.2, 2.8, 0.15)
    result = difference(planted_difference(*planted), torus=False)
    assert np.abs([result.value[name] - each for name, each in zip(DIFFERENCE, planted, strict=True)]).max() < FIELD_FIT


@pytest.fixture(scope="module")
def noisy():
    """A noisy wave and its fit."""
    field = planted_gabor(*WAVE) + 0.001 * np.random.default_rng(4).standard_normal(SHAPE)
    return field, fit(field, torus=False)


def test_explained_and_bic_are_those_of_their_definitions(noisy):
    field, result = noisy
    lost, sites, parameters = ((field - result.fitted) ** 2).sum(), field.size, len(result.value)
    assert abs(result.explained - (1 - lost / (field**2).sum())) < FIELD_FIT
    assert abs(result.bic - (sites * np.log(lost / sites) + parameters * np.log(sites))) < FIELD_FIT * abs(result.bic)
    assert (result.model, 0 <= result.value["orientation"] < 180) == ("gabor", True)


def test_standard_errors_are_those_of_least_squares(noisy):
    """The roots of the diagonal of (J'J)^-1 |r|^2/(N - p), J by central differences of the function written out."""
    field, result = noisy
    at, step = np.array([result.value[name] for name in GABOR]), 1e-5
    changes = step * np.eye(len(at))
    J = np.stack([(planted_gabor(*(at + h)) - planted_gabor(*(at - h))).ravel() / (2 * step) for h in changes], axis=1)
    variances = np.diag(np.linalg.inv(J.T @ J)) * ((field - result.fitted) ** 2).sum() / (field.size - len(at))
    error = np.array([result.error[name] for name in GABOR])
    assert np.abs(error / np.sqrt(variances) - 1).max() < FIELD_FIT


@pytest.mark.slow
def test_a_round_field_has_no_orientation():
    result = gabor(np.exp(-((Y - 8) ** 2 + (X - 7) ** 2) / 8), torus=False)
    assert result.error["orientation"] == np.inf


def test_what_has_no_fit_is_refused():
    for value in (0.0, np.nan):
        with pytest.raises(InputError, match="zero or not finite"):
            fit(np.full((8, 8), value), torus=False)
    with pytest.raises(OutOfReachError, match="3 x 9 sites has fewer than 4"):
        fit(np.ones((3, 9)), torus=True)
