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
from theory.moments.psd import psd_report
from theory.problem import FiniteData, GaussianClone, OutOfReachError, SinglePulse, positivity
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


def test_covariances_by_lag_run_along_the_row_of_the_middle_site():
    told = answer(LAWS["torus"]).json()  # four rows of five columns
    assert told["site"] == 2 * 5 + 2
    for c, own in enumerate(told["classes"]):
        covariance = input_statistics(LAWS["torus"], c).covariance
        assert own["covariance_by_lag"].tolist() == [covariance[12, 12], covariance[12, 13], covariance[12, 14]]
    told = answer(LAWS["clone"]).json()
    assert told["site"] == 2
    assert told["classes"][0]["covariance_by_lag"].shape == (3,)


def test_the_report_keeps_the_numbers_of_the_eigenvalue():
    law = LAWS["clipped ring"]
    for told, report in zip(answer(law).json()["latent"], psd_report(law, longest=True), strict=True):
        found = report.found
        assert (told["smallest_eigenvalue"], told["rounding"]) == (found.eigenvalue, found.rounding)
        assert (told["cycles_per_site"], told["is_lower_bound"]) == (found.frequency, False)
        assert (told["regular"], told["longest_valid_xi"]) == (report.regular, report.longest)


def test_a_bound_from_the_embedding_is_called_one(monkeypatch):
    monkeypatch.setattr(positivity, "MOST_DENSE", 8)
    large = line(n=9, xi=("5/4", 1), correlation={"kind": "formula", "formula": "exp(-d/xi)"})
    assert [report["is_lower_bound"] for report in answer(large).json()["latent"]] == [True, True]


def test_a_site_with_a_single_value_has_no_kurtosis():
    (own, _) = answer(LAWS["finite"]).json()["classes"]
    assert own["kurtosis"] is None
    assert "not defined, or not known" in answer(LAWS["finite"]).text()


def test_dead_sites_are_counted_and_the_others_have_their_kurtosis():
    """Signs have the kurtosis -2; the middle site is 5 always."""
    law = FiniteData([[1, 5, -1], [-1, 5, 1], [1, 5, 1], [-1, 5, -1]], [1, 1, 1, 1])
    (own,) = answer(law).json()["classes"]
    assert own["kurtosis"] == [-2.0, None, -2.0]
    assert own["skewness"] == [0.0, None, 0.0]
    assert own["sites_that_do_not_vary"] == 1
    assert "excess kurtosis    -2 over the 2 sites that vary; 1 do not" in answer(law).text()


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
    for own, error in zip(found.json()["classes"], found.errors, strict=True):
        assert np.array_equal(own["standard_errors"]["variance"], error.variance)
        assert f"(standard error up to {error.mean.max():.2g})" in found.text()
    assert answer(LAWS["finite"]).json()["classes"][0]["standard_errors"] is None
    assert "standard error" not in answer(LAWS["finite"]).text()
    assert answer(LAWS["finite"]).json()["estimated_from"] is None
    assert "Lags are counted from site 1" in found.text()
    assert "Lags are counted" not in answer(LAWS["torus"]).text()


def test_probabilities_of_float64_are_decimals():
    weights = [Fraction(1 / 3), 1 - Fraction(1 / 3)]
    assert "probability 0.333333" in answer(FiniteData([[1, 0], [0, 1]], [1, 0], weights=weights)).text()
    assert "probability 1/2" in answer(LAWS["finite"]).text()
