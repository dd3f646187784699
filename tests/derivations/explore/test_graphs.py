"""Numbers of the graph view: which path wins, the controls, networks beside the theory, and refusals."""

import csv
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from statistics import fmean, stdev

import numpy as np
import pytest

from derivations.answers.graph_compare import LAW, graph_view
from derivations.experiments.folders import problem_named
from derivations.explore import graphs
from derivations.explore.fields import SHOWN_TIMES
from derivations.explore.graph_page import trained
from derivations.explore.problems import carried
from derivations.explore.training import train_together
from tests.tolerances import STORED_RATIOS
from theory.problem import (
    FiniteData,
    InitialByName,
    InputError,
    NormalInitialisation,
    OutOfReachError,
)

RACE = problem_named("race")


@pytest.fixture(scope="module")
def page():
    return graphs.graph_page(RACE, "1", "1", 32, 5)


@pytest.fixture(scope="module")
def learned(page):
    return train_together({graphs.NETWORKS: page.problem})


def test_the_winner_is_strongest_from_its_time_on(page):
    (name,), time = graphs.winners(page)
    theory = page.view.means("strengths")
    later = page.view.times >= time
    for other, along in theory.items():
        assert (theory[name][later] >= along[later]).all(), other
    before = np.flatnonzero(~later)
    assert len(before)
    assert max(theory, key=lambda other: theory[other][before[-1]]) != name
    assert f"the path {name} is the strongest; it leads from t = {time:.4g} on." in graphs.sentence(page)


def test_networks_are_shown_by_their_mean_and_its_standard_error(page, learned):
    shown, losses = trained(page, learned)["loss"]["loss"], learned[graphs.NETWORKS].losses
    assert len(losses) > 2
    for time, values in enumerate(losses.T):
        assert abs(shown["mean"][time] / fmean(values) - 1) < STORED_RATIOS
        assert abs(shown["error"][time] / stdev(values) * len(values) ** 0.5 - 1) < STORED_RATIOS


def test_paths_that_are_equally_strong_win_together():
    """All pathways of a routing network grow alike; a start at rest has none that grows."""
    routing = problem_named("routing")
    assert graphs.sentence(graphs.graph_page(routing, "1", "1", 64, 5)) == "At t = 16 all 9 paths are equally strong."
    still = replace(RACE, training=replace(RACE.training, w0=NormalInitialisation(0, 0)))
    assert graphs.sentence(graphs.graph_page(still, "1", "1", 64, 5)) == "At t = 16 no path has any strength."


def test_each_path_has_half_of_its_strength_from_the_time_named(page):
    for row in graphs.rows(page, {}):
        along = page.view.means("strengths")[row["path"]]
        since = page.view.times >= row["at least half of it from t ="]
        assert (along[since] >= along[-1] / 2).all()
        assert since.all() or along[~since][-1] < along[-1] / 2
        assert row["networks"] is row["standard error"] is None


def test_the_factors_scale_laws_numbers_and_tau():
    laws = ((name, RACE.training.w0) for name in ("R", "L", "decode", "always"))
    training = replace(RACE.training, w0=InitialByName((("encode", ((1, 2), (3, 4), (5, 6))), *laws)))
    for start in (RACE, replace(RACE, training=training)):
        scaled = graphs.scaled(start, Fraction(1, 4), Fraction(2))
        assert scaled.training.tau == 2 * start.training.tau
        for name, array in start.start().items():
            assert np.array_equal(scaled.start()[name], array / 4)
    slow = graphs.graph_page(RACE, "1", "2", 64, 5)
    assert len(slow.view.times) <= SHOWN_TIMES
    plain = graph_view(replace(slow.problem, training=replace(slow.problem.training, tau=1, times=(8,))))
    assert np.array_equal(slow.view.descent.losses[:, -1], plain.descent.losses[:, -1])  # t/tau is the same


def test_networks_stand_beside_the_theory(page, learned):
    rows = graphs.rows(page, learned)
    for row in rows:
        apart = abs(row["networks"] - row["strength at the end"])
        assert apart <= row["strength at the end"] / 5
        assert row["standard error"] > 0
    whole = learned[graphs.NETWORKS]
    first = {name: array[:, :3] for name, array in whole.parameters.items()}
    part = {graphs.NETWORKS: replace(whole, parameters=first, losses=whole.losses[:, :3])}
    assert graphs.rows(page, part) == graphs.rows(page, {})  # networks that have not reached the end


def test_every_number_of_the_figure_is_in_the_csv(page, learned):
    table = list(csv.DictReader(StringIO(graphs.csv(page, learned))))
    times, names = len(page.view.times), sum(len(values) for values in page.view.quantities.values())
    assert len(table) == 2 * times * names
    losses = [float(row["value"]) for row in table if (row["quantity"], row["of"]) == ("loss", LAW)]
    assert losses == page.view.means("loss")["loss"].tolist()
    assert all(bool(row["standard error"]) == (row["of"] == graphs.NETWORKS) for row in table)


def test_a_graph_is_carried_to_other_data_or_says_why_not():
    wide = FiniteData(((1, 0), (0, 1)), (1, -1))
    problem, notes = carried(RACE, wide)
    assert problem.network == RACE.network
    assert (problem.data, notes) == (wide, ())
    with pytest.raises(OutOfReachError, match="gated-linear"):
        graphs.graph_page(problem_named("small-bump"), "1", "1", 64, 5)
    with pytest.raises(InputError, match="x has n = 3 sites"):
        carried(RACE, FiniteData(((1, 0, 0), (0, 1, 0)), (1, -1)))
