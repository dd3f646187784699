"""The answer of `gdln data show`: its numbers are those of the library, and it is whole as text and as JSON."""

import json
from fractions import Fraction

import numpy as np
import pytest

from derivations.answers.data_show import answer
from derivations.output import plain
from tests.sim.cases import grid, line
from tests.test_every_question import MadeUpLaw
from tests.tolerances_of_correlations import SPECTRUM_TRACE
from theory.moments.inputs import input_statistics
from theory.problem import FiniteData, GaussianClone, OutOfReachError, SinglePulse
from theory.problem.distributions.own import OwnLaw

LAWS = {
    "line": line(n=9, correlation="exponential", gain=(1, 2)),
    "clipped ring": line(n=9, xi=(9, 1), boundary="ring", positive_part="clipped"),
    "torus": grid(shape=(4, 5), boundary="torus", xi=("1/2", 1), correlation="exponential", grid="isotropic"),
    "clone": line(GaussianClone, n=5),
    "pulse": SinglePulse(8, ((3, 4), (5, 6)), "zero-one", "none", (1, 0)),
    "finite": FiniteData([[1, 0, 2], [0, 1, 2]], [1, 0]),
}


@pytest.mark.parametrize("name", LAWS)
def test_numbers_are_those_of_the_library(name):
    law = LAWS[name]
    found = answer(law)
    told = json.loads(json.dumps(plain(found.json()), allow_nan=False))
    assert (told["law"], told["n"], len(told["classes"])) == (law.law, law.n, law.classes)
    for c, own in enumerate(told["classes"]):
        exact = input_statistics(law, c)
        assert np.array_equal(own["mean"], exact.mean)
        assert np.array_equal(own["covariance"], exact.covariance[told["site"]])
        assert own["covariance_by_lag"][0] == exact.variance[told["site"]]
        assert abs(sum(own["spectrum"]) - exact.variance.sum()) <= SPECTRUM_TRACE * exact.variance.sum()
    text = found.text()
    assert text.startswith(f"{law.law}, {law.n} sites, {law.classes} class")
    assert text.count("covariance by lag") == law.classes
    assert ("correlation of the latent" in text) is (name not in ("pulse", "finite"))


def test_the_report_of_the_latent():
    told = answer(LAWS["clipped ring"]).json()["latent"]
    assert [(report["class"], report["valid"], report["proved"]) for report in told] == [
        (0, False, False),
        (1, True, False),
    ]
    assert told[0]["smallest_eigenvalue"] < -told[0]["rounding"]
    assert 1 < told[0]["longest_valid_xi"] < 9
    (one, other) = answer(LAWS["torus"]).json()["latent"]
    assert one["shape"] == other["shape"] == (4, 5)
    assert answer(LAWS["line"]).json()["latent"][0]["proved"]
    assert "NOT positive semidefinite" in answer(LAWS["clipped ring"]).text()


def test_a_site_with_a_single_value_has_no_kurtosis():
    (own, _) = answer(LAWS["finite"]).json()["classes"]
    assert own["kurtosis"] is None
    assert "not defined, or not known" in answer(LAWS["finite"]).text()


def test_a_latent_without_statistics_has_its_report():
    opposite = line(n=7, correlation={"kind": "formula", "formula": "cos(2*pi*d/3)"})
    found = answer(opposite)
    assert "whose correlation is 1 or -1" in found.text()
    assert found.json()["classes"] == []
    assert not found.json()["latent"][0]["regular"]


def test_a_law_with_neither_is_refused():
    with pytest.raises(OutOfReachError, match="MadeUpLaw has no exact statistics"):
        answer(MadeUpLaw(4))


def test_estimated_statistics_say_so(tmp_path):
    x = np.random.default_rng(0).standard_normal((64, 3))
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", x[:, 1])
    law = OwnLaw(folder=str(tmp_path), estimate={"examples": 500, "seed": 0})
    found = answer(law)
    assert found.json()["estimated_from"] == 500
    assert "estimated from 500 examples" in found.text()
    assert answer(LAWS["finite"]).json()["estimated_from"] is None
    assert "Lags are counted from site 1" in found.text()
    assert "Lags are counted" not in answer(LAWS["torus"]).text()


def test_probabilities_of_float64_are_decimals():
    weights = [Fraction(1 / 3), 1 - Fraction(1 / 3)]
    assert "probability 0.333333" in answer(FiniteData([[1, 0], [0, 1]], [1, 0], weights=weights)).text()
    assert "probability 1/2" in answer(LAWS["finite"]).text()
