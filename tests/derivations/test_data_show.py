"""The answer of `gdln data show`: its numbers are those of the library, and it is whole as text and as JSON."""

import json

import numpy as np
import pytest

from derivations.answers.data_show import answer
from derivations.output import plain
from tests.sim.cases import grid, line
from tests.test_every_question import MadeUpLaw
from tests.theory.sampled_cases import drawn_from
from tests.tolerances_of_correlations import SPECTRUM_TRACE
from theory.moments.inputs import input_statistics
from theory.moments.psd import psd_report
from theory.problem import FiniteData, GaussianClone, OutOfReachError, SinglePulse, positivity

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
    data = answer(law)
    shown = json.loads(json.dumps(plain(data.json()), allow_nan=False))
    assert (shown["law"], shown["n"], len(shown["classes"])) == (law.law, law.n, law.classes)
    for c, row in enumerate(shown["classes"]):
        exact = input_statistics(law, c)
        assert np.array_equal(row["mean"], exact.mean)
        assert np.array_equal(row["covariance"], exact.covariance[shown["site"]])
        assert row["covariance_by_lag"][0] == exact.variance[shown["site"]]
        assert abs(sum(row["spectrum"]) - exact.variance.sum()) <= SPECTRUM_TRACE * exact.variance.sum()


def test_the_report_of_the_latent():
    law = LAWS["clipped ring"]
    rows = answer(law).json()["latent"]
    assert [(row["class"], row["valid"], row["proved"]) for row in rows] == [(0, False, False), (1, True, False)]
    assert rows[0]["smallest_eigenvalue"] < -rows[0]["rounding"]
    for row, report in zip(rows, psd_report(law, longest=True), strict=True):
        eigenvalue = report.found
        assert (row["smallest_eigenvalue"], row["rounding"]) == (eigenvalue.eigenvalue, eigenvalue.rounding)
        assert (row["cycles_per_site"], row["is_lower_bound"]) == (eigenvalue.frequency, False)
        assert row["regular"] == report.regular
        assert (row["longest_valid_xi"], row["indefinite_above_xi"]) == report.longest
    assert [row["shape"] for row in answer(LAWS["torus"]).json()["latent"]] == [(4, 5), (4, 5)]
    assert answer(LAWS["line"]).json()["latent"][0]["proved"]


def test_covariances_by_lag_run_along_the_row_of_the_middle_site():
    shown = answer(LAWS["torus"]).json()  # four rows of five columns
    assert shown["site"] == 2 * 5 + 2
    for c, row in enumerate(shown["classes"]):
        covariance = input_statistics(LAWS["torus"], c).covariance
        assert row["covariance_by_lag"].tolist() == [covariance[12, 12], covariance[12, 13], covariance[12, 14]]
    shown = answer(LAWS["clone"]).json()
    assert shown["site"] == 2
    assert shown["classes"][0]["covariance_by_lag"].shape == (3,)


def test_a_bound_from_the_embedding_is_called_one(monkeypatch):
    monkeypatch.setattr(positivity, "MOST_DENSE", 8)
    large = line(n=9, xi=("5/4", 1), correlation={"kind": "formula", "formula": "exp(-d/xi)"})
    assert [report["is_lower_bound"] for report in answer(large).json()["latent"]] == [True, True]


def test_a_site_with_a_single_value_has_no_kurtosis():
    (row, _) = answer(LAWS["finite"]).json()["classes"]
    assert row["kurtosis"] is None


def test_dead_sites_are_counted_and_the_others_have_their_kurtosis():
    """Signs have the kurtosis -2; the middle site is 5 always."""
    law = FiniteData([[1, 5, -1], [-1, 5, 1], [1, 5, 1], [-1, 5, -1]], [1, 1, 1, 1])
    (row,) = answer(law).json()["classes"]
    assert row["kurtosis"] == [-2.0, None, -2.0]
    assert row["skewness"] == [0.0, None, 0.0]
    assert row["sites_that_do_not_vary"] == 1


def test_a_latent_without_statistics_has_its_report():
    opposite = line(n=7, correlation={"kind": "formula", "formula": "cos(2*pi*d/3)"})
    data = answer(opposite)
    assert data.json()["classes"] == []
    assert not data.json()["latent"][0]["regular"]


def test_a_law_with_neither_is_refused():
    with pytest.raises(OutOfReachError, match="MadeUpLaw has no exact statistics"):
        answer(MadeUpLaw(4))


def test_estimated_statistics_say_so(tmp_path):
    x = np.random.default_rng(0).standard_normal((64, 3))
    law = drawn_from(tmp_path, x, np.sign(x[:, 1]), 500)
    data = answer(law)
    assert data.json()["estimated_from"] == 500
    for row, error in zip(data.json()["classes"], data.errors, strict=True):
        assert np.array_equal(row["standard_errors"]["variance"], error.variance)
    assert answer(LAWS["finite"]).json()["classes"][0]["standard_errors"] is None
    assert answer(LAWS["finite"]).json()["estimated_from"] is None
