"""The phase map: values of the library at every place, values left out with their reason, and what the view shows."""

from csv import DictReader
from dataclasses import replace
from fractions import Fraction
from io import StringIO

import numpy as np
import pytest

from derivations.cli import main
from derivations.experiments.folders import problem_named
from derivations.explore import phase_map
from derivations.explore.map_page import REVERSED, choices, page
from derivations.explore.phase_map import END, EXCESS, Range, parameters, problem_at, range_of
from derivations.explore.problems import FIRST
from derivations.explore.wire import packed
from sim.measure.receptive_fields import low_frequency_power
from sim.train import train
from tests.derivations.explore.client import Client, finished
from tests.tolerances import EXPLORER_DESCENT
from theory.flow import solve
from theory.moments.amplifier import flat_state_of
from theory.problem import InputError, OutOfReachError, dumps, load

GAIN, LENGTH = Range("data.gain", 0.5, 2, 2, True), Range("data.xi.0", 1.5, 3, 3, False)


@pytest.fixture
def problem():
    return load(FIRST)


@pytest.fixture
def relu():
    return problem_named("relu-training")


def at_place(problem, gain, length):
    return replace(problem, data=replace(problem.data, gain=Fraction(gain), xi=(Fraction(length), problem.data.xi[1])))


def ratio_of(field):
    power = field**2 / (field**2).sum()
    return float((power**2).sum())


def test_every_place_has_the_value_of_its_problem(problem):
    losses = phase_map.phase_map(problem, GAIN, LENGTH, "loss")
    expected = [[float(solve(at_place(problem, x, y)).mse) for x in GAIN.values] for y in LENGTH.values]
    assert (losses.values.tolist(), losses.refused) == (expected, ())
    solution = solve(at_place(problem, "2", "3"), times=(4,))
    field = solution.weights[0, 1]
    at_time = {
        name: phase_map.phase_map(problem, GAIN, LENGTH, name, 1, "4").values for name in ("ratio", "low", "loss")
    }
    assert abs(at_time["ratio"][2, 1] - ratio_of(field)) <= len(field) * np.finfo(float).eps
    assert at_time["low"][2, 1] == low_frequency_power(field)
    assert at_time["loss"][2, 1] == solution.losses[0]
    for y, quantity, unit in ((GAIN, "loss", 0), (LENGTH, "none", 0), (LENGTH, "loss", 2)):
        with pytest.raises(InputError):
            phase_map.phase_map(problem, GAIN, y, quantity, unit)


def test_the_map_of_a_relu_network_is_the_closure(relu):
    state = flat_state_of(replace(relu.data, gain=Fraction("2"), xi=(Fraction(3), relu.data.xi[1])))
    excess = phase_map.phase_map(relu, GAIN, LENGTH, EXCESS).values
    assert excess[2, 1] == state.elasticity - state.critical
    with pytest.raises(InputError, match="There is no map of 'ratio'"):
        phase_map.phase_map(relu, GAIN, LENGTH, "ratio")
    with pytest.raises(OutOfReachError, match="gated graph"):
        phase_map.quantities(problem_named("race"))


def test_places_without_a_valid_problem_are_empty_and_say_why(problem):
    sites = Range("network.gates.0.site", 38, 41, 4, False)
    computed = phase_map.phase_map(problem, sites, GAIN, "loss")
    assert np.isnan(computed.values).tolist() == [[False, False, True, True]] * 2
    assert len(computed.refused) == 4
    assert "site" in computed.refused[0].message


def test_what_a_map_may_vary(problem):
    varied = {parameter.field: parameter for parameter in parameters(problem)}
    assert list(varied)[:3] == ["data.gain", "data.xi.0", "data.xi.1"]
    assert varied["data.n"].counts
    assert "training.w0.scale" in {parameter.field for parameter in parameters(problem_named("relu-training"))}
    lower = range_of(varied["network.gates.0.lo"], problem, 3)
    assert (lower.low, lower.high, lower.log) == (-2, 2, False)
    assert range_of(varied["network.gates.0.site"], problem, 64).values == tuple(map(str, range(40)))
    assert problem_at(problem, {"data.xi.1": "1.5"}).data.xi[1] == Fraction(3, 2)


def test_the_map_of_a_ring_begins_below_the_transition_of_its_flat_field(relu):
    for gain in (1, 100):
        ring = replace(relu, data=replace(relu.data, gain=gain))
        gains = range_of(parameters(ring)[0], ring, 2).values
        states = [flat_state_of(replace(ring.data, gain=Fraction(end))) for end in gains]
        assert [state.unstable for state in states] == [False, True]


def test_the_page_shows_the_fields_at_a_chosen_place(problem):
    shown = page(problem, {"x": "data.gain", "y": "data.xi.0", "at": {"data.gain": "2", "data.xi.0": "3"}})
    assert (shown["at"]["fields"] == solve(at_place(problem, 2, 3)).fixed_point).all()
    assert shown["table"]["rows"][-1][1] == phase_map.value_at(
        phase_map.Cell((), {}, at_place(problem, 2, 3)), "ratio", 0, END
    )
    assert choices(problem, {})[0].field == "data.gain"


SWEEP = """
base = "base.toml"
store = "results"
observables = ["participation-ratio"]
[axes]
"data.gain" = [1, 2]
"data.xi.0" = [2]
"simulation.seed" = [0, 1]
"""


@pytest.fixture
def store(problem, tmp_path):
    """The store of a sweep of three networks at each of four places, trained by `gdln sweep`."""
    gates = tuple(replace(gate, site=4) for gate in problem.network.gates)
    settings = replace(problem.simulated(), replicates=3, batch=8, samples=32)
    data, network = replace(problem.data, n=8), replace(problem.network, gates=gates)
    training = replace(problem.training, times=(1, 4))
    small = replace(problem, data=data, network=network, training=training, simulation=settings)
    (tmp_path / "base.toml").write_text(dumps(small))
    (tmp_path / "sweep.toml").write_text(SWEEP)
    assert main(["sweep", str(tmp_path / "sweep.toml"), "--device", "cpu", "--workers", "1"]) == 0
    return small, tmp_path / "results"


def test_networks_of_a_sweep_stand_on_the_map(store, tmp_path):
    small, folder = store
    missing = {"No sweep": {"y": "data.xi.1", "store": str(folder)}, "no store": {"store": str(tmp_path)}}
    for message, settings in missing.items():
        shown = page(small, {"x": "data.gain"} | settings)
        assert (message in shown["missing"][0], shown["dots"]) == (True, [])
    shown = page(small, {"x": "data.gain", "y": "data.xi.0", "store": str(folder), "unit": "1"})
    assert shown["missing"] == []
    assert sorted((dot["x"], dot["y"], dot["name"]) for dot in shown["dots"]) == [
        (gain, 2.0, f"simulation.seed = {seed}") for gain in (1.0, 2.0) for seed in (0, 1)
    ]
    for dot in shown["dots"]:
        seed = int(dot["name"][-1])
        simulation = replace(small.simulated(), seed=seed)
        place = replace(small, data=replace(small.data, gain=Fraction(dot["x"])), simulation=simulation)
        ratios = [ratio_of(field) for field in train(place, "cpu").weights[:, -1, 1]]
        assert dot["networks"] == len(ratios) == 3
        assert abs(dot["value"] - np.mean(ratios)) <= EXPLORER_DESCENT
        assert abs(dot["error"] - np.std(ratios, ddof=1) / np.sqrt(3)) <= EXPLORER_DESCENT


def test_the_csv_has_what_is_computed_and_says_what_is_not(problem):
    parts, shares = [], []
    sites = Range("network.gates.0.site", 39, 40, 2, False)

    def report(share, now):
        shares.append(share)
        parts.extend([] if now is None else [now])

    phase_map.phase_map(problem, sites, LENGTH, "loss", report=report)
    assert [round(6 * share) for share in shares] == [0, 1, 2, 2, 3, 4, 4, 5, 6]
    table = list(DictReader(StringIO(phase_map.csv(parts[0]))))
    assert [row["state"] for row in table] == ["", "no value", *["not computed"] * 4]
    assert [bool(row["loss"]) for row in table] == [True, *[False] * 5]
    assert float(table[0]["loss"]) == parts[-1].values[0, 0]


def test_the_csv_is_that_of_the_job_and_computes_nothing(problem):
    client, toml, settings = Client(), dumps(problem), {"size": "2", "quantity": "loss"}
    wanted = {"toml": toml, "settings": settings | {"want": "csv"}}
    refused = client.post("views/map", wanted)
    assert (refused.status, "Compute the map first" in refused.json["error"]["remedy"]) == (422, True)
    name, state = finished(client, "map", toml, settings)
    wanted["settings"]["job"] = name
    table = list(DictReader(StringIO(client.post("views/map", wanted).json["text"])))
    drawn = np.array([row["loss"] for row in table], float).reshape(2, 2)
    assert state["results"][-1]["values"] == packed(drawn)
    assert state["results"][-1]["rows"] == 2


def test_a_wrong_range_is_named_by_its_control(problem):
    for settings, key in (
        ({"x": "data.gain", "x.low": "5", "x.high": "2"}, "x.high"),
        ({"y": "data.xi.0", "y.low": "-1", "y.spacing": "log"}, "y.low"),
        ({"x": "data.gain", "x.low": "two"}, "x.low"),
        ({"x.low": "nan"}, "x.high"),
        ({"x.low": "0", "x.spacing": "log"}, "x.low"),
        ({"x": "data.gain", "x.low": "2", "x.high": "2"}, "x.high"),
        ({"size": "65"}, "size"),
        ({"size": "1"}, "size"),
    ):
        with pytest.raises(InputError) as error:
            page(problem, settings)
        assert error.value.kind == key


def test_a_range_of_a_length_ends_where_the_ring_does(relu):
    """Every value of the range is a valid problem, and one a little above its end is none."""
    (length,) = (one for one in parameters(relu) if one.field == "data.xi.0")
    lengths = range_of(length, relu, 6)
    for value in lengths.values:
        problem_at(relu, {"data.xi.0": value})
    with pytest.raises(InputError, match="positive semidefinite"):
        problem_at(relu, {"data.xi.0": f"{1.03 * lengths.high:.6g}"})
    opened = replace(relu, data=replace(relu.data, n=8, xi=(Fraction(1, 10), Fraction(1, 10))))
    assert range_of(replace(length, value=0.1), opened, 6).high == 4 * 0.1


def test_where_the_lengths_are_reversed_the_map_says_so(relu):
    assert page(relu, {"x": "data.xi.0", "y": "data.xi.1"})["reversed"] == REVERSED
    assert page(relu, {"x": "data.gain", "y": "data.xi.0", "y.low": "1.2"})["reversed"] is None


@pytest.mark.parametrize(("field", "ends"), [("data.n", (20, 80)), ("network.gates.0.site", (0, 39))])
def test_a_number_that_counts_has_whole_values_only(field, ends):
    """On more values than the axis has places, too: 20 to 80 sites are no 24 whole numbers at one distance."""
    pulse = problem_named("single-pulse")
    chosen = {each.field: each for each in parameters(pulse)}[field]
    counts = range_of(chosen, pulse, 24)
    assert [str(int(value)) for value in counts.values] == list(counts.values)
    assert (int(counts.values[0]), int(counts.values[-1])) == (counts.low, counts.high) == ends
    assert len(counts.values) == min(24, counts.high - counts.low + 1)
