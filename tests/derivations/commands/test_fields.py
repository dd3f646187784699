"""`gdln fields`: fields of theory and of networks on a grid, their fits, and what is refused."""

import numpy as np
import pytest

from derivations.answers import fields
from tests.tolerances_of_laws import FIELD_FIT
from theory.flow import solve
from theory.problem import InputError, OutOfReachError, loads

TEXT = """
[data]
law = "nlgp-2d"
shape = [6, 5]
xi = [1.5, 1.0]
gain = 1.0
boundary = "open"
normaliser = "unit-variance"
labels = [1.0, 0.0]
[network]
model = "gated-linear"
readout = "mean"
[[network.gates]]
kind = "site"
site = 12
lo = 0.0
[[network.gates]]
kind = "site"
site = 12
hi = 0.0
[training]
loss = "half-mse"
tau = 1.0
w0 = { law = "normal", scale = 0.0, seed = 0 }
times = [0.0, 8.0]
[simulation]
mode = "online"
samples = 100
batch = 50
learning_rate = 1.0
replicates = 3
seed = 0
"""
GATED = (2, 2)  # row and column of the gates' site


def test_fields_of_theory_are_those_of_the_solution():
    problem = loads(TEXT)
    found = fields.answer(problem)
    assert (found.time, len(found.fields), len(found.waves)) == (8.0, 2, 0)
    for unit, one in enumerate(found.fields):
        assert np.array_equal(one.field, solve(problem).weights[1][unit].reshape(6, 5))
        assert len(found.told) == 2
        assert (round(one.fit.value["y"]), round(one.fit.value["x"])) == GATED
    limit = fields.answer(problem, time=np.inf)
    assert np.array_equal(limit.fields[0].field.ravel(), solve(problem).fixed_point[0])


def test_a_field_of_zeros_has_no_fit_and_is_said_to_be_zero():
    found = fields.answer(loads(TEXT), time=0.0)
    assert [one.fit for one in found.fields] == [None, None]
    assert "zero: it has no fit" in found.text()
    assert found.alignment() is None
    assert found.json()["fields"][0]["fit"] is None


def test_networks_are_those_of_a_run():
    from sim.train import train

    found = fields.answer(loads(TEXT), "networks", networks=2)
    run = train(loads(TEXT), replicates=range(2))
    assert [(one.network, one.unit) for one in found.fields] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert np.array_equal(found.fields[3].field.ravel(), run.weights[1, -1, 1])


def test_fields_on_a_torus_are_fitted_around_it(monkeypatch):
    """A bump about the corner, which an open grid cuts into four pieces."""
    y, x = (np.minimum(np.arange(sites), sites - np.arange(sites)) for sites in (6, 5))
    bump = np.exp(-(y[:, None] ** 2 + x**2) / 2).ravel()
    monkeypatch.setattr(fields, "_of_theory", lambda problem, time: (8.0, bump[None, None]))
    (one,) = fields.answer(loads(TEXT.replace('"open"', '"torus"'))).fields
    assert one.fit.explained > 1 - FIELD_FIT


def test_orientations_are_averaged_as_axes():
    """170 and 10 degrees are 20 degrees apart, around 0."""
    y, x = np.mgrid[:12, :12].astype(float)
    made = []
    for unit, degrees in enumerate((170.0, 10.0)):
        turn = np.radians(degrees)
        u = (x - 6) * np.cos(turn) + (y - 6) * np.sin(turn)
        field = np.exp(-((x - 6) ** 2 + (y - 6) ** 2) / 12) * np.cos(2 * np.pi * 0.2 * u)
        made.append(fields.FittedField(0, unit, field, fields.fit(field, torus=False)))
    answer = fields.FieldsAnswer(loads(TEXT), "theory", 1.0, tuple(made))
    assert len(answer.waves) == len(made)
    mean, resultant = answer.alignment()
    assert min(mean, 180 - mean) < FIELD_FIT
    assert abs(resultant - np.cos(np.radians(20))) < FIELD_FIT


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('law = "nlgp-2d"\nshape = [6, 5]', 'law = "nlgp"\nn = 30', "Fields are fitted on grids"),
        ("shape = [6, 5]", "shape = [3, 10]", "a side below 4"),
        ("labels = [1.0, 0.0]", "labels = [[1.0, 0.0], [0.0, 1.0]]", "2 numbers each"),
    ],
)
def test_problems_without_fields_on_a_grid_are_refused(old, new, said):
    with pytest.raises(OutOfReachError, match=said):
        fields.answer(loads(TEXT.replace(old, new)))


def test_times_and_networks_that_are_not_there_are_refused():
    with pytest.raises(InputError, match=r"t = 3 is none of the problem's times: 0, 8\."):
        fields.answer(loads(TEXT), time=3.0)
    with pytest.raises(InputError, match="--networks 4: the problem has 3 replicates"):
        fields.answer(loads(TEXT), "networks", networks=4)


GRIDS = {
    "ising-2d": 'law = "ising-2d"\nshape = [6, 5]\ncouplings = [0.3, 0.1]\nh = [0.0, 0.0]\nboundary = "open"',
    "bars": 'law = "bars"\nshape = [6, 5]\nboundary = "open"\nrows = [[1, 1], [2, 3]]\ncolumns = [[2, 3], [1, 1]]\n'
    'support = "plus-minus"\nflip = "none"',
}


@pytest.mark.parametrize("name", GRIDS)
@pytest.mark.slow
def test_every_law_on_a_grid_has_fields(name):
    _, rest = TEXT.split("labels", 1)
    problem = loads(f"[data]\n{GRIDS[name]}\nlabels{rest}")
    found = fields.answer(problem)
    for unit, one in enumerate(found.fields):
        assert np.array_equal(one.field, solve(problem).weights[1][unit].reshape(6, 5))
    assert found.json()["estimated_from"] is None


def noisy(noise):
    """A wave of 0.2 cycles a site in normal noise, as a fitted field."""
    y, x = np.mgrid[:12, :12].astype(float)
    wave = np.exp(-((x - 6) ** 2 + (y - 5) ** 2) / 12) * np.cos(2 * np.pi * 0.2 * (x - 6))
    field = wave + noise * np.random.default_rng(0).standard_normal(wave.shape)
    return fields.FittedField(0, 0, field, fields.fit(field, torus=False))


def test_what_two_standard_errors_do_not_tell_is_undetermined():
    """The parameters of a clear wave are known; those of one in noise three times as large are not, in all answers."""
    clear, lost = noisy(0.01), noisy(3.0)
    assert clear.undetermined == ()
    for name in lost.undetermined:
        assert not lost.determined(name)
    assert lost.undetermined
    found = fields.FieldsAnswer(loads(TEXT), "theory", 1.0, (clear, lost))
    rows = found.text().splitlines()
    assert "undetermined" not in rows[3]
    assert "undetermined" in rows[4]
    said = [own["fit"] for own in found.json()["fields"]]
    assert [own["undetermined"] for own in said] == [clear.undetermined, lost.undetermined]
    assert {own["confidence"] for own in said} == {0.95}
    assert clear in found.waves
