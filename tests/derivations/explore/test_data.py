"""The data view without a browser: controls, the shared problem, tables and figures from a problem."""

from csv import DictReader
from dataclasses import replace

import numpy as np
import pytest

from derivations.explore.controls import controls, law_of
from derivations.explore.data import GROUPS, SHOWN, csv, histogram, latex, numbers, sampled, theory_of
from derivations.explore.data_page import answer, page
from derivations.explore.problems import FIRST, carried, law_values
from derivations.explore.wire import packed
from tests.theory.sampled_cases import drawn_from
from tests.tolerances import STANDARD_ERRORS
from theory.problem import LAWS, FiniteData, OutOfReachError, load


def law_named(name, **changed):
    values = {field: control.start for field, control in controls(LAWS[name], {}).items()}
    return law_of(LAWS[name], values | changed)


def test_a_network_follows_its_data():
    problem = load(FIRST)
    other, notes = carried(problem, law_named("gaussian-clone", n="12"))
    assert [(gate.site, gate.on) for gate in other.network.gates] == [(6, "input")] * 2
    assert len(notes) == 2
    assert carried(problem, problem.data) == (problem, ())
    back, notes = carried(other, problem.data)
    assert [gate.on for gate in back.network.gates] == ["input"] * 2
    assert notes == ("The law nlgp has a latent z: a gate on the input x stays on x until one of its controls moves.",)


@pytest.mark.parametrize(("name", "gain"), [("nlgp", "100"), ("gaussian-clone", "0.01")])
def test_bins_of_the_marginal_hold_what_samples_say(name, gain):
    law = law_named(name, gain=gain)
    theory, sample = theory_of(law), sampled(law)
    for c in (0, 1):
        edges, exact = theory.marginal[c]
        groups = [histogram(part, edges) for part in np.array_split(sample.x[c], GROUPS)]
        error = np.std(groups, axis=0, ddof=1) / np.sqrt(GROUPS)
        one = 1 / (sample.x[c].size * np.diff(edges))  # a bin in which no example lies has no error of its own
        assert (np.abs(exact - histogram(sample.x[c], edges)) <= STANDARD_ERRORS * np.maximum(error, one)).all()


WEIGHTED = FiniteData(
    [[1, 0, 2], [0, 1, 1], [1, 1, -1], [0, 0, 1], [2, 1, 0]], [1, 0, 1, 0, 1], weights=[1, 2, 1, 1, 3]
)
MOVED = replace(law_named("nlgp", n="5"), means=((0, 1, 2, 3, 4), (1, 1, 1, 1, 1)))
MOVED_GRID = replace(law_named("nlgp-2d", shape=("2", "3")), means=((0, 1, 2, 3, 4, 5), (1, 0, 0, 0, 0, 0)))


@pytest.fixture
def user_law(tmp_path):
    """A law of the user: 3 sites, of which one tells the class; the rows from which it draws have exact statistics."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 500)
    return drawn_from(tmp_path, rng.standard_normal((500, 3)) + y[:, None] * [2, 0, 0], y, 20_000)


def test_a_law_of_the_user_has_estimated_statistics_with_errors(user_law, tmp_path):
    theory, sample = theory_of(user_law), sampled(user_law)
    x, y = np.load(tmp_path / "rows.npz").values()
    assert theory.how == "estimated"
    for row in numbers(theory, sample):
        assert "exact" not in row
        mine = x[y == row["class"]]
        exact = mine.mean() if row["statistic"].startswith("mean") else mine.var(axis=0).mean()
        assert 0 < row["its standard error"] < 0.1
        assert abs(row["estimated"] - exact) <= STANDARD_ERRORS * row["its standard error"]
        both = np.hypot(row["its standard error"], row["standard error"])
        assert abs(row["estimated"] - row["sampled"]) <= STANDARD_ERRORS * both


def test_a_table_of_many_labels_is_refused(tmp_path):
    np.savez(tmp_path / "data.npz", x=np.ones((101, 1)), y=np.arange(101.0))
    with pytest.raises(OutOfReachError, match="101 different labels; the data view shows up to 100"):
        theory_of(law_named("table", file=f'"{tmp_path}/data.npz"', moments="[]"))


@pytest.mark.parametrize("law", [WEIGHTED, MOVED, MOVED_GRID], ids=["finite", "line", "grid"])
def test_where_sites_differ_their_means_are_drawn_and_samples_agree(law):
    theory, sample = theory_of(law), sampled(law)
    counts = np.array([[len(x)] for x in sample.x])
    error = np.sqrt(np.diagonal(theory.covariance, axis1=1, axis2=2) / counts)
    assert (np.abs(sample.site_means - theory.mean) <= STANDARD_ERRORS * error).all()
    table = numbers(theory, sample)
    averages = [f"{name}, averaged over the sites" for name in ("mean", "mean", "variance", "variance")]
    assert [row["statistic"] for row in table] == averages
    for row in table:
        assert abs(row["exact"] - row["sampled"]) <= STANDARD_ERRORS * row["standard error"]
    means = page(theory, sample)["means"]
    kept = slice(3, 6) if law is MOVED_GRID else slice(None)
    assert means["row"] == (1 if law is MOVED_GRID else None)
    assert (means["exact"] == theory.mean[:, kept]).all()
    assert (means["sampled"] == sample.site_means[:, kept]).all()
    row = next(DictReader(csv(theory, sample).splitlines()))
    assert float(row["mean, class 0"]) == theory.mean[0, 0]
    assert float(row["sampled mean, class 0"]) == sample.site_means[0, 0]
    assert "averaged over the sites, class 1" in latex(theory)


def test_a_grid_is_drawn_along_the_row_of_its_middle():
    theory = theory_of(law_named("nlgp-2d", shape=("4", "6")))
    shown = page(theory, None)
    assert (shown["row"]["row"], shown["site"]) == (2, 15)
    assert (shown["row"]["exact"] == theory.covariance[:, 15, 12:18]).all()
    assert shown["covariances"][1]["matrix"] == packed(theory.covariance[1, 15].reshape(4, 6))


def test_eigenvalues_of_the_size_of_rounding_are_a_gap():
    """Two examples span one direction, a single one none."""
    law = FiniteData([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 1, 0])
    spectrum = page(theory_of(law), None)["spectrum"]["exact"]
    assert [float(label) for label in law.labels if np.isfinite(spectrum[law.labels.index(label)]).sum() == 1] == [1]
    assert np.isfinite(spectrum).sum() == 1


@pytest.mark.parametrize("name", ["nlgp", "single-pulse", "nlgp-2d"])
def test_the_page_draws_the_numbers_of_the_theory_and_of_the_sample(name):
    theory = theory_of(law_named(name))
    sample = sampled(theory.law, rows=256)
    shown = page(theory, sample)
    for c, marginal in enumerate(shown["marginal"]):
        edges, exact = theory.marginal[c]
        assert (marginal["x"] == edges).all()
        assert (marginal["exact"] == exact).all()
        if not theory.discrete:  # 60 bins on 8 standard deviations, to the rounding of their number on the support
            assert abs(8 / 60 / marginal["bin"] - 1) <= 1 / (2 * len(exact))
        values = sample.x[c]
        shares = [(values == value).mean() for value in edges] if theory.discrete else histogram(values, edges)
        assert (marginal["sampled"] == np.array(shares)).all()
    assert shown["examples"] == [packed(x[:SHOWN]) for x in sample.x]
    rows, measured = page(theory, None)["table"], shown["table"]
    assert rows["columns"] == measured["columns"]  # a table keeps its columns while the sample is drawn
    place = [column["name"] for column in rows["columns"]].index("exact")
    assert [row[place] for row in rows["rows"]] == [row["exact"] for row in numbers(theory, None)]


def test_each_want_has_its_text():
    problem = load(FIRST)
    theory, sample = theory_of(problem.data), sampled(problem.data)
    text = answer(problem, {"want": "csv"})["text"]
    assert text == csv(theory, sample)
    first = next(DictReader(text.splitlines()))
    assert [first[name] for name in ("site", "rank")] == ["0", "1"]
    assert float(first["covariance with site 20, class 0"]) == theory.covariance[0][20, 0]
    assert float(first["sampled covariance with site 20, class 1"]) == sample.covariance[1][20, 0]
    assert float(first["eigenvalue of that rank, class 1"]) == theory.spectrum[1, 0] == theory.spectrum[1].max()
    assert answer(problem, {"want": "latex"})["text"] == latex(theory)
    assert "theory_of(problem.data)" in answer(problem, {"want": "python"})["text"]
    assert answer(problem, {})["examples"] is None
    assert answer(problem, {"sample": True})["examples"] is not None


def test_any_number_of_classes_has_curves_and_two_have_covariances():
    for classes, first, drawn in ((1, 0, [0]), (3, 1, [1, 2]), (3, 5, [1, 2]), (3, -1, [0, 1])):
        law = replace(load(FIRST).data, n=12, xi=(2, 1, 3)[:classes], labels=(1, 0, -1)[:classes])
        theory = theory_of(law)
        shown = page(theory, None, first)
        pairs = [(one["class"], one["matrix"]) for one in shown["covariances"]]
        assert pairs == [(c, packed(theory.covariance[c])) for c in drawn]
        names = tuple(f"y = {y}" for y in ("1", "0", "−1")[:classes])
        assert controls(type(law), law_values(law))["xi"].parts == names
        assert [name.split(",")[0] for name in shown["classes"]] == list(names)
        assert len(shown["spectrum"]["exact"]) == classes
