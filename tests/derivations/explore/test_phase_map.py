"""The phase map: values of the library at every place, values left out with their reason, and what the view shows."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from derivations.experiments.folders import problem_named
from derivations.explore import phase_map
from derivations.explore.map_page import asked, page
from derivations.explore.phase_map import END, EXCESS, Range, parameters, problem_at, range_of
from derivations.explore.problems import FIRST
from theory.flow import solve
from theory.moments.amplifier import flat_state_of
from theory.problem import InputError, NonlinearGP, OutOfReachError, load

GAIN, LENGTH = Range("data.gain", 0.5, 2, 2, True), Range("data.xi.0", 1.5, 3, 3, False)


@pytest.fixture
def problem():
    return load(FIRST)


def there(problem, gain, length):
    return replace(problem, data=replace(problem.data, gain=Fraction(gain), xi=(Fraction(length), problem.data.xi[1])))


def ratio_of(field):
    power = field**2 / (field**2).sum()
    return float((power**2).sum())


def test_every_place_has_the_value_of_its_problem(problem):
    found = phase_map.phase_map(problem, GAIN, LENGTH, "loss")
    expected = [[float(solve(there(problem, x, y)).mse) for x in GAIN.values] for y in LENGTH.values]
    assert found.values.tolist() == expected
    assert found.refused == ()


def test_the_ratio_is_that_of_the_chosen_unit_and_time(problem):
    found = phase_map.phase_map(problem, GAIN, LENGTH, "ratio", 1, "4")
    fields = solve(there(problem, "2", "3"), times=(4,)).weights[0]
    assert abs(found.values[2, 1] - ratio_of(fields[1])) <= len(fields[1]) * np.finfo(float).eps


def test_rows_are_reported_as_they_come(problem):
    seen = []
    phase_map.phase_map(
        problem, GAIN, LENGTH, "loss", report=lambda share, now: seen.append((share, now.values.copy()))
    )
    assert [share for share, _ in seen] == [1 / 3, 2 / 3, 1]
    assert np.isnan(seen[0][1][1:]).all()
    assert np.isfinite(seen[-1][1]).all()


def test_the_map_of_a_relu_network_is_the_closure():
    law = NonlinearGP(40, (3, 1), 1, "ring", "unit-variance", (1, 0))
    relu = replace(problem_named("relu-training"), data=law)
    found = phase_map.phase_map(relu, GAIN, LENGTH, EXCESS)
    state = flat_state_of(replace(law, gain=Fraction("2"), xi=(Fraction(3), Fraction(1))))
    assert found.values[2, 1] == state.elasticity - state.critical
    with pytest.raises(InputError, match="There is no map of 'ratio'"):
        phase_map.phase_map(relu, GAIN, LENGTH, "ratio")


def test_places_without_a_valid_problem_are_empty_and_say_why(problem):
    sites = Range("network.gates.0.site", 38, 41, 4, False)
    found = phase_map.phase_map(problem, sites, GAIN, "loss")
    assert np.isnan(found.values).tolist() == [[False, False, True, True]] * 2
    assert len(found.refused) == 4
    assert "site" in found.refused[0].message


def test_a_graph_has_no_map():
    with pytest.raises(OutOfReachError, match="gated graph"):
        phase_map.quantities(problem_named("race"))


@pytest.mark.parametrize("ends", [(2, 1, False), (0, 1, True), (float("nan"), 1, False)])
def test_ranges_that_are_none_are_refused(ends):
    low, high, log = ends
    with pytest.raises(InputError):
        Range("data.gain", low, high, 3, log)


def test_what_a_map_may_vary(problem):
    found = {parameter.field: parameter for parameter in parameters(problem)}
    assert list(found)[:3] == ["data.gain", "data.xi.0", "data.xi.1"]
    assert found["data.n"].counts
    assert range_of(found["network.gates.0.site"], problem, 64).values == tuple(map(str, range(40)))
    assert problem_at(problem, {"data.xi.1": "1.5"}).data.xi[1] == Fraction(3, 2)


def test_the_page_shows_the_fields_at_a_chosen_place(problem):
    shown = page(problem, {"x": "data.gain", "y": "data.xi.0", "at": {"data.gain": "2", "data.xi.0": "3"}})
    assert (shown["at"]["fields"] == solve(there(problem, 2, 3)).fixed_point).all()
    assert shown["table"]["rows"][-1][1] == phase_map.value_at(
        phase_map.Cell((), {}, there(problem, 2, 3)), "ratio", 0, END
    )
    assert asked(problem, {})[0].field == "data.gain"


def test_a_folder_that_is_no_store_is_said(problem, tmp_path):
    shown = page(problem, {"store": str(tmp_path)})
    assert "is no store of sweeps" in shown["missing"][0]
    assert json.dumps(shown["dots"]) == "[]"
