"""Fits of trained fields on a grid: their table, what is undetermined, and the job that makes them."""

from dataclasses import replace

import numpy as np
import pytest

from derivations.answers.fields import fitted
from derivations.experiments.folders import problem_named
from derivations.explore import fields_page, fits_page
from derivations.statistics.field_fits import difference
from tests.derivations.explore.client import Client
from tests.derivations.explore.test_fields import finished
from tests.tolerances_of_explorer import FITTED
from theory.problem import NonlinearGP2D, dumps

SHAPE = (9, 11)


@pytest.fixture(scope="module")
def problem():
    given = problem_named("relu-training")
    law = NonlinearGP2D((2, 1), 3, "open", "unit-variance", (1, 0), SHAPE)
    network = replace(given.network, units=2)
    return replace(given, data=law, network=network, training=replace(given.training, times=(0, 4)))


def wave(y0, x0, along, across, frequency):
    """A Gabor function that oscillates along the rows, by its definition."""
    y, x = np.mgrid[: SHAPE[0], : SHAPE[1]]
    bump = np.exp(-((y - y0) ** 2) / (2 * along**2) - (x - x0) ** 2 / (2 * across**2))
    return bump * np.cos(2 * np.pi * frequency * (y - y0))


def table_of(problem, weights):
    shown = fits_page.page({"relu": fitted(problem, "networks", 4.0, weights)})
    names = [column["name"] for column in shown["table"]["columns"]]
    return [dict(zip(names, row, strict=True)) for row in shown["table"]["rows"]], shown["said"]


def test_a_known_wave_is_found_and_a_field_of_zeros_or_nan_has_no_fit(problem):
    known = wave(4.2, 5.5, 1.5, 2.0, 0.2).ravel()
    weights = np.stack([[known, np.zeros_like(known)], [np.full_like(known, np.nan), 2 * known]])
    rows, said = table_of(problem, weights)
    assert [(row["network"], row["unit"], row["fit"]) for row in rows] == [
        (0, "0", "gabor"), (0, "1", None), (1, "0", None), (1, "1", "gabor"),
    ]  # fmt: skip
    expected = {
        "centre, row": 4.2, "centre, column": 5.5, "width": 1.5, "other width": 2.0, "frequency": 0.2,
        "orientation": 90.0, "residual": 0.0,
    }  # fmt: skip
    for name, value in expected.items():
        assert abs(rows[0][name] - value) <= FITTED * max(1, value), name
    assert rows[1]["residual"] is rows[1]["frequency"] is None
    assert said[0].startswith("2 of 4 fields are fitted")
    assert said[-1].startswith("A field of zeros")


def test_the_residual_is_the_share_of_power_that_the_fit_leaves(problem):
    field = wave(4, 5, 1.5, 2.0, 0.2) + 0.1 * np.random.default_rng(0).standard_normal(SHAPE)
    found = fitted(problem, "networks", 4.0, field.reshape(1, 1, -1))
    fit = found.fields[0].fit
    rows, _ = table_of(problem, field.reshape(1, 1, -1))
    left = ((field - fit.fitted) ** 2).sum() / (field**2).sum()
    assert abs(rows[0]["residual"] - left) <= FITTED
    assert rows[0]["residual"] > FITTED


def test_what_a_round_field_leaves_open_is_named(problem):
    y, x = np.mgrid[: SHAPE[0], : SHAPE[1]]
    bump = np.exp(-((y - 4) ** 2 + (x - 5) ** 2) / 4)
    rows, said = table_of(problem, bump.reshape(1, 1, -1))
    found = fitted(problem, "networks", 4.0, bump.reshape(1, 1, -1)).fields[0]
    assert found.undetermined
    names = rows[0]["undetermined"].split(", ")
    assert {"width", "other width", "orientation", "frequency"} & set(names)
    for name in names:
        assert rows[0][name] is rows[0][f"{name} ±"] is None
    assert "1 of the fits have parameters" in said[1]


def test_the_job_fits_the_networks_that_another_job_has_trained(problem, monkeypatch):
    monkeypatch.setattr("derivations.answers.fields.fit", difference)  # of both models the faster one
    small = replace(problem, data=replace(problem.data, shape=(4, 5)), network=replace(problem.network, units=1))
    client, toml = Client(), dumps(small)
    settings = {"networks": 5, "batch": 32, "until": "4"}
    assert fields_page.page(fields_page.asked(small, settings))["fits"]
    trained, _ = finished(client, "fields", toml, settings)
    _, state = finished(client, "fits", toml, settings | {"trained": trained, "snapshot": 1})
    assert (state["error"], state["share"]) == (None, 1.0)
    rows = state["results"][-1]["table"]["rows"]
    assert [row[:4] for row in rows] == [["relu", network, "0", "difference of Gaussians"] for network in range(5)]
    _, early = finished(client, "fits", toml, settings | {"trained": trained, "snapshot": 99})
    assert "No networks have reached this time" in early["error"]["message"]


def test_fields_along_a_line_are_not_fitted():
    assert not fields_page.page(fields_page.asked(problem_named("relu-training"), {}))["fits"]
