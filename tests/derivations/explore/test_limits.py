"""Limits: problems too large to be drawn or trained are refused before any computing, with the largest that is not."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest

from derivations.experiments.folders import problem_named
from derivations.explore import compare_page, fields_page, gain_sweep, graphs, limits, map_page, phase_map
from derivations.explore.bar import changed
from derivations.explore.fields import theory_of
from derivations.explore.gates import gate_view
from derivations.explore.phase_map import Range, refuse_long
from derivations.explore.problems import FIRST
from tests.derivations.explore.client import Client
from tests.tolerances import UNIT_ROUNDOFF
from theory.flow.graph.data import flow_of
from theory.flow.linear.descent import steps_at_times
from theory.problem import InputError, NonlinearGP2D, OutOfReachError, dumps, load


@pytest.fixture
def problem():
    return load(FIRST)


def on(problem, n):
    return replace(problem, data=replace(problem.data, n=n))


def test_a_law_on_too_many_sites_is_refused_at_its_control(problem):
    with pytest.raises(OutOfReachError, match=r"10000 sites.*at most 500 sites here") as error:
        changed(problem, {"data.n": "10000"})
    assert error.value.kind == "data.n"
    assert changed(problem, {"data.n": "500"})[0].data.n == 500
    for path in ("problem", "views/data", "jobs/fields"):
        reply = Client().post(path, {"toml": dumps(on(problem, 501))})
        assert (reply.status, reply.json["error"]["key"]) == (422, "data.n")
    grid = NonlinearGP2D((2, 1), 1, "open", "unit-variance", (1, 0), (2, 251))
    with pytest.raises(OutOfReachError) as error:
        limits.refuse_large(grid)
    assert error.value.kind == "data.shape"
    images = SimpleNamespace(classes=2, n=784, downsample=1)
    assert limits.refuse_large(images) is None
    for classes in (3, 100):  # C n^3 is that of two classes on SITES sites, to the rounding of n by half a site
        most, cost = limits.most_sites(classes), 2 * limits.SITES**3
        assert classes * (most - 0.5) ** 3 <= cost <= classes * (most + 0.5) ** 3


def test_costs_grow_with_what_they_count(problem):
    settings = problem.simulated()
    base, small = limits.seconds_of_training(problem, 100), limits.seconds_of_training(on(problem, 30), 100)
    for field, value in (("replicates", settings.replicates), ("batch", settings.batch)):
        twice = replace(problem, simulation=replace(settings, **{field: 2 * value}))
        assert abs(limits.seconds_of_training(twice, 100) - base - 4 * (base - small)) <= 64 * UNIT_ROUNDOFF * base
    assert limits.seconds_of_training(problem, 200) == 2 * base
    one, largest = limits.seconds_of_a_map([1]), limits.seconds_of_a_map([limits.WEIGHTS])
    assert 1e-3 < one < 1e-2 < 1 < largest  # the measurements of the module's first lines
    assert limits.seconds_of_a_map([1, limits.WEIGHTS + 1, limits.WEIGHTS]) == one + largest


def test_the_cost_of_a_graph_counts_its_products_of_matrices():
    """By hand: 3 errors and 8 places of weights take 24 + 22 products of 135 + 126 multiplications for each input."""
    race = problem_named("race")
    apart = replace(race, simulation=replace(race.simulation, initialisation="per-replicate"))
    for graph, starts in ((race, 1), (apart, 4)):
        expected = 7 * (46 * 1.5e-5 + starts * 261 * 2 * 1e-9)
        assert abs(limits.seconds_of_descent(graph, flow_of(graph), 7) - expected) <= 64 * UNIT_ROUNDOFF * expected


def test_moments_of_many_units_are_refused_before_they_are_computed(problem):
    large = on(problem, 500)
    gates = large.network.gates + large.network.gates[:1]
    many = replace(large, network=replace(large.network, gates=gates, units=3))
    with pytest.raises(OutOfReachError, match=r"1500 weights on 500 sites.*at most 1400"):
        theory_of(many)
    with pytest.raises(OutOfReachError, match="1500 weights"):
        phase_map.solved(many, phase_map.END)
    view = gate_view(many, measured=False)
    assert (view.exact, "1500 weights" in view.refused.message) == (None, True)
    assert limits.refuse_many_weights(on(large, limits.WEIGHTS // 2)) is None


def test_a_training_that_takes_too_long_is_refused_with_the_largest_time(problem):
    with pytest.raises(InputError) as error:
        fields_page.as_trained(problem, {"until": "1e12"})
    assert error.value.kind == "until"
    assert "1e+12" in error.value.message
    largest = re.search(r"t may be up to (\S+);", error.value.hint)[1]
    assert float(fields_page.as_trained(problem, {"until": largest}).training.times[-1]) <= float(largest)
    slow = replace(problem, training=replace(problem.training, tau=3))
    fast = replace(
        problem, simulation=replace(problem.simulated(), learning_rate=3 * problem.simulated().learning_rate)
    )
    for other in (slow, fast):  # steps of three times the time
        with pytest.raises(InputError) as error:
            fields_page.as_trained(other, {"until": "1e12"})
        assert 2.9 < float(re.search(r"t may be up to (\S+);", error.value.hint)[1]) / float(largest) < 3.1
    for settings in ({"until": str(1.03 * float(largest))}, {"until": largest, "networks": "32"}):
        with pytest.raises(InputError, match="minutes of processor time"):
            fields_page.as_trained(problem, settings)


def test_the_times_of_a_problem_have_a_theory_where_training_to_them_is_refused(problem):
    long = replace(problem, training=replace(problem.training, times=(1, 10**12)))
    assert fields_page.as_trained(long, {}).training.times[-1] == 10**12
    for job in (fields_page, compare_page, gain_sweep):
        with pytest.raises(InputError, match="minutes of processor time"):
            job.question(long, {})


def test_a_map_that_takes_too_long_is_refused_with_the_resolution_that_does_not(problem):
    large = on(problem, 600)  # 1200 weights
    settings = {"x": "data.gain", "y": "data.xi.0", "quantity": "ratio", "size": "64"}
    with pytest.raises(OutOfReachError, match="minutes of processor time") as error:
        map_page.question(large, settings)
    assert "4096 places with up to 1200 weights" in error.value.message
    most = int(re.search(r"at most (\d+) values along an axis", error.value.hint)[1])
    assert map_page.question(large, settings | {"size": str(most)})
    with pytest.raises(OutOfReachError):
        map_page.question(large, settings | {"size": str(most + 1)})
    assert map_page.question(problem, settings)
    assert map_page.question(large, settings | {"quantity": "excess"})


def test_a_map_along_the_sites_counts_the_weights_of_each_place(problem):
    """Places with more weights than are solved for have no value, and the estimate leaves them out."""
    x, y = Range("data.n", 690, 720, 31, False), Range("data.gain", 1, 2, 2, True)
    assert refuse_long(problem, x, y, "ratio") is None
    with pytest.raises(OutOfReachError, match=f"A map of {31 * 64} places with up to 1400 weights") as error:
        refuse_long(problem, x, replace(y, count=64), "ratio")
    assert 31 < int(re.search(r"at most (\d+) values along an axis", error.value.hint)[1]) < 64
    with pytest.raises(OutOfReachError, match="501 sites"):
        phase_map.value_at(phase_map.Cell((), {}, on(problem, 501)), "excess", 0, phase_map.END)


def test_the_theory_of_a_graph_that_takes_too_long_is_refused_with_the_largest_time():
    race = problem_named("race")
    long = replace(race, training=replace(race.training, times=(*race.training.times, 10**6)))
    with pytest.raises(OutOfReachError, match="3 paths, and its theory takes") as error:
        graphs.graph_page(long, "1", "1", 64, 5)
    end = race.training.times[-1]
    largest = float(re.search(r"t may be up to (\S+);", error.value.hint)[1])
    assert float(end) < largest < 10**6
    flow, steps = flow_of(race), steps_at_times(race)[-1]
    assert limits.refuse_long_descent(race, flow, int(steps * largest / float(end))) is None
    with pytest.raises(OutOfReachError, match="seconds of processor time"):
        limits.refuse_long_descent(race, flow, int(1.02 * steps * largest / float(end)))
    shown = Client().post("views/graph", {"toml": dumps(long)}).json
    assert "seconds of processor time" in shown["note"]["message"]
