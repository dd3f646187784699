"""Fits of trained fields on a grid: their table, what is undetermined, and the job that makes them."""

from dataclasses import replace

import numpy as np
import pytest

from derivations.answers.fields import FieldsAnswer, FittedField
from derivations.experiments.folders import problem_named
from derivations.explore import fields_page, fits_page
from derivations.statistics.field_fits import DIFFERENCE, GABOR, Fit
from tests.derivations.explore.client import Client, finished
from tests.tolerances import EXPLORER_WAVE
from theory.problem import NonlinearGP2D, dumps

WAVE = Fit(
    "gabor",
    dict(zip(GABOR, (1.0, 1.5, 2.5, 1.25, 0.75, 30.0, 0.2, 0.1), strict=True)),
    dict.fromkeys(GABOR, 0.01),
    0.75,
    0,
    None,
)
SPOT = Fit(
    "difference of Gaussians",
    dict(zip(DIFFERENCE, (1.0, 3.0, 4.0, 0.5, 2.0, 0.4), strict=True)),
    dict.fromkeys(DIFFERENCE, 0.02) | {"surround": np.inf},
    1.0,
    0,
    None,
)


@pytest.fixture(scope="module")
def problem():
    line = problem_named("relu-training")
    law = NonlinearGP2D((2, 1), 3, "open", "unit-variance", (1, 0), (4, 5))
    network = replace(line.network, units=1)
    return replace(line, data=law, network=network, training=replace(line.training, times=(0, 4)))


def table_of(shown):
    names = [column["name"] for column in shown["table"]["columns"]]
    return [dict(zip(names, row, strict=True)) for row in shown["table"]["rows"]]


def test_each_column_has_the_parameter_of_its_model(problem):
    two = replace(problem, network=replace(problem.network, units=2))
    fields = tuple(FittedField(k // 2, k % 2, np.ones((4, 5)), fit) for k, fit in enumerate((WAVE, None, SPOT, WAVE)))
    shown = fits_page.page({"relu": FieldsAnswer(two, "networks", 4.0, fields)})
    wave, none, spot, _ = table_of(shown)
    expected = {
        "networks": "relu", "network": 0, "unit": "0", "fit": "gabor", "residual": 0.25, "centre, row": 1.5,
        "centre, column": 2.5, "width": 1.25, "other width": 0.75, "frequency": 0.2, "orientation": 30.0,
        "undetermined": None,
    }  # fmt: skip
    assert {name: wave[name] for name in expected} == expected
    assert {wave[name] for name in wave if name.endswith("±")} == {0.01}
    assert (none["unit"], none["fit"], none["residual"], none["width"], none["frequency ±"]) == ("1", *[None] * 4)
    expected = {
        "network": 1, "unit": "0", "fit": "difference of Gaussians", "residual": 0.0, "centre, row": 3.0,
        "centre, row ±": 0.02, "width": 0.5, "other width": None, "other width ±": None, "frequency": None,
        "undetermined": "other width",
    }  # fmt: skip
    assert {name: spot[name] for name in expected} == expected
    assert [text.split(" ")[0] for text in shown["said"]] == ["3", "1", "A"]


def test_the_job_fits_the_networks_that_another_job_has_trained(problem, monkeypatch):
    fitted = []

    def fit(field, torus):
        fitted.append(field)
        return SPOT if torus else WAVE

    monkeypatch.setattr("derivations.answers.fields.fit", fit)
    client, toml = Client(), dumps(problem)
    settings = {"networks": 5, "batch": 8, "until": "4"}
    assert fields_page.page(fields_page.as_trained(problem, settings))["fits"]
    along_a_line = fields_page.as_trained(problem_named("relu-training"), {})
    assert not fields_page.page(along_a_line)["fits"]
    trained, last = finished(client, "fields", toml, settings)
    name, state = finished(client, "fits", toml, settings | {"trained": trained, "snapshot": 1})
    assert (state["error"], state["share"], name != trained) == (None, 1.0, True)
    rows = table_of(state["results"][-1])
    assert [(row["networks"], row["network"], row["unit"], row["fit"]) for row in rows] == [
        ("relu", network, "0", "gabor") for network in range(5)
    ]
    ratios = [row["relu"] for row in last["results"][1]["rows"] if row["quantity"] == "participation ratio"]
    shares = [(field**4).sum() / (field**2).sum() ** 2 for field in fitted]
    assert abs(np.mean(shares) - ratios[0]) <= EXPLORER_WAVE
    _, early = finished(client, "fits", toml, settings | {"trained": trained, "snapshot": 99})
    assert "No networks have reached this time" in early["error"]["message"]
