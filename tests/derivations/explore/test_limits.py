"""Limits: problems too large to be drawn or trained are refused before any computing, with the largest that is not."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from derivations.experiments.folders import problem_named
from derivations.explore import fields_page, graphs, limits
from derivations.explore.bar import changed
from derivations.explore.fields import theory_of
from derivations.explore.gates import gate_view
from derivations.explore.jobs import compare as jobs_compare
from derivations.explore.jobs import fields as jobs_fields
from derivations.explore.jobs import gains as jobs_gains
from derivations.explore.jobs import map as jobs_map
from derivations.explore.phase_map import Range, refuse_long
from derivations.explore.problems import FIRST
from tests.derivations.explore.client import Client
from theory.flow.graph.data import flow_of
from theory.flow.linear.descent import steps_at_times
from theory.problem import InputError, OutOfReachError, dumps, load


@pytest.fixture
def problem():
    return load(FIRST)


def on(problem, n):
    return replace(problem, data=replace(problem.data, n=n))


def test_a_law_on_too_many_sites_is_refused_at_its_control(problem):
    with pytest.raises(
        OutOfReachError, match="at most 500 sites here, or train networks on more with gdln simulate"
    ) as error:
        changed(problem, {"data.n": "10000"})
    assert error.value.kind == "data.n"
    assert "10000 sites" in error.value.message
    assert changed(problem, {"data.n": "500"})[0].data.n == 500
    with pytest.raises(OutOfReachError, match="501 sites"):
        changed(problem, {"data.n": "501"})


@pytest.mark.parametrize("path", ["problem", "views/data", "jobs/fields"])
def test_every_request_on_too_many_sites_is_refused(problem, path):
    reply = Client().post(path, {"toml": dumps(on(problem, 10000))})
    assert reply.status == 422
    assert reply.json["error"]["key"] == "data.n"


@pytest.mark.parametrize("classes", [3, 100])
def test_more_classes_leave_fewer_sites(classes):
    """C n^3 is that of two classes on SITES sites, to the rounding of n by half a site."""
    most = limits.most_sites(classes)
    allowed = 2 * limits.SITES**3
    assert classes * (most - 0.5) ** 3 <= allowed <= classes * (most + 0.5) ** 3


def test_moments_of_many_units_are_refused_before_they_are_computed(problem):
    own = on(problem, 500)
    gates = own.network.gates + own.network.gates[:1]
    many = replace(own, network=replace(own.network, gates=gates, units=3))
    with pytest.raises(OutOfReachError, match=r"1500 weights on 500 sites.*at most 1400"):
        theory_of(many)
    view = gate_view(many, measured=False)
    assert view.exact is None
    assert "1500 weights" in view.refused.message


def test_a_training_that_takes_too_long_is_refused_with_the_largest_time(problem):
    with pytest.raises(InputError) as error:
        fields_page.asked(problem, {"until": "1e12"})
    assert error.value.kind == "until"
    assert "1e+12" in error.value.message
    largest = re.search(r"t may be up to (\S+);", error.value.hint)[1]
    assert float(fields_page.asked(problem, {"until": largest}).training.times[-1]) <= float(largest)
    for settings in ({"until": str(1.03 * float(largest))}, {"until": largest, "networks": "32"}):
        with pytest.raises(InputError, match="minutes of processor time"):
            fields_page.asked(problem, settings)


def test_the_times_of_a_problem_have_a_theory_where_training_to_them_is_refused(problem):
    long = replace(problem, training=replace(problem.training, times=(1, 10**12)))
    assert fields_page.asked(long, {}).training.times[-1] == 10**12
    for job in (jobs_fields, jobs_compare, jobs_gains):
        with pytest.raises(InputError, match="minutes of processor time"):
            job.question(long, {})


def test_a_map_that_takes_too_long_is_refused_with_the_resolution_that_does_not(problem):
    large = on(problem, 600)  # 1200 weights
    settings = {"x": "data.gain", "y": "data.xi.0", "quantity": "ratio", "size": "64"}
    with pytest.raises(OutOfReachError, match="minutes of processor time") as error:
        jobs_map.question(large, settings)
    assert "4096 places with up to 1200 weights" in error.value.message
    most = int(re.search(r"at most (\d+) values along an axis", error.value.hint)[1])
    assert jobs_map.question(large, settings | {"size": str(most)})
    with pytest.raises(OutOfReachError):
        jobs_map.question(large, settings | {"size": str(most + 1)})
    assert jobs_map.question(problem, settings)
    assert jobs_map.question(large, settings | {"quantity": "excess"})


def test_a_map_along_the_sites_counts_the_weights_of_each_place(problem):
    """Places with more weights than are solved for have no value, and the estimate leaves them out."""
    x, y = Range("data.n", 690, 720, 31, False), Range("data.gain", 1, 2, 2, True)
    weights = [2 * n for n in range(690, 721) for _ in range(2)]
    assert limits.seconds_of_a_map(weights) == limits.seconds_of_a_map([w for w in weights if w <= limits.WEIGHTS])
    assert refuse_long(problem, x, y, "ratio") is None
    with pytest.raises(OutOfReachError, match=f"A map of {31 * 64} places with up to 1400 weights"):
        refuse_long(problem, x, replace(y, count=64), "ratio")


def test_the_theory_of_a_graph_that_takes_too_long_is_refused_with_the_largest_time():
    race = problem_named("race")
    long = replace(race, training=replace(race.training, times=(*race.training.times, 10**6)))
    with pytest.raises(OutOfReachError, match="3 paths, and its theory takes") as error:
        graphs.graph_page(long, "1", "1", 64, 5)
    end = race.training.times[-1]
    largest = float(re.search(r"t may be up to (\S+);", error.value.hint)[1])
    assert float(end) < largest < 10**6
    fits = replace(race, training=replace(race.training, times=(Fraction(int(largest)),)))
    flow = flow_of(fits)
    assert limits.refuse_long_descent(fits, flow, steps_at_times(fits)[-1]) is None
    with pytest.raises(OutOfReachError, match="seconds of processor time"):
        limits.refuse_long_descent(fits, flow, 2 * steps_at_times(fits)[-1])
    shown = Client().post("views/graph", {"toml": dumps(long)}).json
    assert "seconds of processor time" in shown["note"]["message"]
