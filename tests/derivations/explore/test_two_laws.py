"""The compare view without a browser: matched pairs, statistics of both laws, verdicts, and trained networks."""

from csv import DictReader
from dataclasses import replace
from fractions import Fraction
from io import StringIO

import numpy as np
import pytest

from derivations.answers import controls
from derivations.experiments.folders import problem_named
from derivations.explore import amplifier, compare_page, two_laws
from derivations.explore import verdict as two_laws_verdict
from derivations.explore.problems import FIRST
from derivations.explore.running import JOBS
from derivations.explore.training import train_together
from derivations.explore.verdict import SIDES
from derivations.explore.wire import packed
from derivations.statistics.alignment import centred
from sim.measure.receptive_fields import participation_ratio
from tests.derivations.explore.client import Client, finished
from tests.tolerances import EXPLORER_DESCENT
from theory.moments.amplifier import flat_state_of
from theory.moments.inputs import input_statistics
from theory.problem import InputError, NonlinearGP2D, SinglePulse, dumps, load

SETTINGS = {"networks": 5, "batch": 32, "until": "8"}


@pytest.fixture(scope="module")
def problem():
    full = problem_named("relu-training")
    return replace(full, data=replace(full.data, n=12), network=replace(full.network, units=3))


@pytest.fixture(scope="module")
def sides(problem):
    return compare_page.sides_of(problem, SETTINGS)


@pytest.fixture(scope="module")
def learned(sides):
    return train_together(sides)


def test_pairs_are_those_of_gdln_controls(problem):
    """A law of pulses has some of the pairs, and of the others the reason why it has none."""
    pulses = replace(problem, data=SinglePulse(12, ((2, 2), (4, 4)), "plus-minus", "sign", (1, 0)))
    attempts = controls.answer(compare_page.sides_of(pulses, SETTINGS)["A"]).controls
    listed = compare_page.page(pulses, SETTINGS)["pairs"]
    assert [(pair["name"], pair["says"]) for pair in listed] == [
        (one.control.name, one.control.says) for one in attempts
    ]
    possible = [one for one in attempts if one.problem is not None]
    assert 0 < len(possible) < len(attempts)
    assert compare_page.sides_of(pulses, SETTINGS | {"pair": possible[-1].control.name})["B"] == possible[-1].problem
    other = next(one for one in attempts if one.problem is None)
    assert compare_page.page(pulses, SETTINGS | {"pair": other.control.name})["note"]["remedy"] == other.why


def test_a_pair_that_does_not_exist_gives_way_to_the_first_that_does(problem):
    clone = two_laws.other_side(problem, "gaussian")
    page = compare_page.page(clone, SETTINGS | {"pair": "gaussian"})
    assert "Gaussian already" in page["note"]["remedy"]
    assert compare_page.page(clone, SETTINGS)["pair"] == "marginal"
    with pytest.raises(InputError, match="no control 'twin'"):
        two_laws.other_side(problem, "twin")


def test_given_gates_give_way_to_units_that_find_their_place():
    gated = load(FIRST)
    sides = compare_page.sides_of(gated, SETTINGS)
    for side in sides.values():
        assert (side.network.model, side.network.units) == ("relu", gated.network.units)
        assert side.simulated().initialisation == "per-replicate"
    as_given = compare_page.sides_of(gated, SETTINGS | {"units": "given"})
    assert {side.network.model for side in as_given.values()} == {"gated-linear"}
    assert as_given["A"].simulated().initialisation == "shared"


def test_a_problem_of_its_own_is_trained_as_a_is(problem):
    pulses = SinglePulse(10, ((2, 2), (4, 4)), "plus-minus", "sign", (1, 0))
    other = replace(problem, data=pulses, training=replace(problem.training, tau=3, times=(1, 7)))
    sides = compare_page.sides_of(problem, SETTINGS | {"pair": "own", "other": dumps(other)})
    assert sides["B"].data == pulses
    assert sides["B"].training.times == sides["A"].training.times
    assert sides["B"].simulation == sides["A"].simulation
    shown = compare_page.snapshot_page(sides, 0, train_together(sides))
    assert shown["difference"] is None  # fields of other sizes have none
    with pytest.raises(InputError) as error:
        compare_page.sides_of(problem, SETTINGS | {"pair": "own", "other": "[data]"})
    assert error.value.kind == "other"


def test_statistics_are_those_of_both_laws(sides):
    a, b = (sides[side].data for side in "AB")
    by_quantity = {row["quantity"]: row for row in two_laws.statistics(two_laws.compared(a, b))}
    row = by_quantity["excess kurtosis, y = 1, ξ = 2"]
    assert abs(row["A"] - input_statistics(a, 0).kurtosis[0]) <= EXPLORER_DESCENT
    assert (row["B"], row["B − A"]) == (0.0, -row["A"])
    assert by_quantity["largest difference of the covariances, y = 1, ξ = 2"]["B − A"] <= EXPLORER_DESCENT
    row = by_quantity["elasticity of a flat field"]
    assert (row["A"], row["B"]) == (flat_state_of(a).elasticity, flat_state_of(b).elasticity)


def test_a_flat_field_changes_its_stability_at_the_gain_that_is_named():
    law = replace(problem_named("localization-problem").data, gain=10)
    state = two_laws.stability(law, gains=True)
    below, above = (flat_state_of(replace(law, gain=str(factor * state.gain))) for factor in (0.99, 1.01))
    assert (below.unstable, above.unstable) == (False, True)
    problem = replace(problem_named("localization-problem"), data=law)
    sides = {"A": problem, "B": two_laws.other_side(problem, "gaussian")}
    laws = two_laws.compared(law, sides["B"].data)
    first, one, other, *more = two_laws.reasons(laws, sides)
    assert (first, *more) == amplifier.ABOUT
    sentence = two_laws.reason(laws)
    assert f"unstable under A (elasticity {laws.states[0].flat.elasticity:.4f}, above the critical value" in sentence
    assert "and stable under B (elasticity 1.0000, not above the critical value" in sentence
    assert f"It is stable below the gain {state.gain:.3g}." in one
    assert "a flat field is stable" in other
    assert two_laws.stability(law, gains=False).gain is None


def test_a_unit_that_learns_alone_is_slower_by_the_factor_of_the_folding_time(problem):
    """With w = v/s and yhat = s relu(w.x) the loss ell/2 (y - yhat)^2 gives tau dv/dt = -ell s^2 d/dv (y - v.x)^2/2."""
    for readout, loss, factor in (("mean", "half-mse", 9), ("sum", "mse", Fraction(1, 2))):
        network, training = (
            replace(problem.network, readout=readout, units=3),
            replace(problem.training, tau=2, loss=loss),
        )
        assert two_laws.folding_time(replace(problem, network=network, training=training), 0.5) == 4 * factor


def test_the_folding_time_is_that_of_relu_units_with_a_squared_error(problem):
    flat = flat_state_of(replace(problem.data, gain=10))
    assert amplifier.fastest_rate(flat) == flat.rates[1:].max()
    time = two_laws.folding_time(problem, amplifier.fastest_rate(flat))
    said = two_laws.growth(problem, flat)
    rate, tau, units = amplifier.fastest_rate(flat), float(problem.training.tau), problem.network.units
    assert f"rate {rate:.3g}/τ, as in Amplifier: it grows by the factor e in t = {tau / rate:.4g}." in said
    assert f"is {units**2} times as long, t = {time:.4g}, by its mean readout over K = {units}" in said
    erf = replace(problem, network=replace(problem.network, model="erf"))
    assert two_laws.folding_time(erf, 1.0) is None
    assert two_laws.growth(erf, flat) == ""
    assert two_laws.growth(problem, replace(flat, critical=flat.elasticity)) == ""


def test_the_difference_is_taken_network_by_network(sides, learned):
    row = next(row for row in two_laws.rows(sides, -1, learned) if row["quantity"] == "participation ratio")
    each = [participation_ratio(learned[side].weights[:, -1]).mean(axis=1) for side in SIDES]
    assert abs(row["B − A"] - (each[1] - each[0]).mean()) <= EXPLORER_DESCENT
    assert abs(row["B − A ±"] - (each[1] - each[0]).std(ddof=1) / np.sqrt(5)) <= EXPLORER_DESCENT


def test_a_law_without_a_flat_state_says_why():
    problem = load(FIRST)
    laws = two_laws.compared(problem.data, problem.data)
    reasons = two_laws.reasons(laws, {"A": problem, "B": problem})
    assert [reason[:2] for reason in reasons] == ["A:", "B:"]
    assert two_laws.reason(laws) is None
    assert not any("elasticity" in row["quantity"] for row in two_laws.statistics(laws))


def test_a_job_trains_groups_of_networks_as_one_training_and_keeps_them_for_the_files(problem):
    """The first group is shown as it comes, the others when they are trained; the numbers are those of all at once."""
    settings = SETTINGS | {"networks": compare_page.GROUP + 2, "until": "4"}
    sides = compare_page.sides_of(problem, settings)
    count, whole = len(sides["A"].training.times), train_together(sides)
    client, toml = Client(), dumps(problem)
    name, state = finished(client, "compare", toml, settings)
    assert [one["snapshot"] for one in state["results"]] == [*range(count), *range(count)]
    said = [one["said"] for one in state["results"]]
    assert f"the first {compare_page.GROUP} of {compare_page.GROUP + 2} networks" in said[count - 1][-1]
    assert said[-1] == two_laws_verdict.sentences(sides, whole, -1)
    kept = JOBS.get(name).state().value
    for side in SIDES:
        assert np.abs(kept[side].weights - whole[side].weights).max() <= EXPLORER_DESCENT
        assert np.abs(kept[side].losses - whole[side].losses).max() <= EXPLORER_DESCENT
    wanted = {"toml": toml, "settings": settings | {"job": name, "snapshot": 1, "want": "csv"}}
    table = list(DictReader(StringIO(client.post("views/compare", wanted).json["text"])))
    last = [row for row in table if (row["quantity"], row["of"]) == ("participation ratio", "A")][-1]
    shown = next(row for row in state["results"][-1]["rows"] if row["quantity"] == "participation ratio")
    assert (float(last["value"]), float(last["t"])) == (shown["A"], 4.0)
    again, _ = finished(client, "compare", toml, settings | {"tab": "Table"})
    assert again == name  # the same question


def test_fields_on_a_grid_are_aligned_and_have_a_difference(problem):
    law = NonlinearGP2D(("1/2", "1/2"), 1, "torus", "none", (1, 0), (3, 4))
    sides = compare_page.sides_of(replace(problem, data=law), SETTINGS | {"pair": "exchanged"})
    learned = train_together(sides)
    shown = compare_page.snapshot_page(sides, -1, learned)
    fields = {side: learned[side].weights[:, -1].reshape(-1, 12) for side in SIDES}
    means = {side: centred(fields[side], law).mean(axis=0) for side in SIDES}
    assert shown["difference"] == packed(means["B"] - means["A"])
    assert (shown["sides"]["A"]["power"], shown["sides"]["A"]["chance"]) == (None, None)
