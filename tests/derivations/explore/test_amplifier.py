"""The amplifier view: its numbers from the definition of the law, its findings, and what it says where it has none."""

import csv
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from math import sqrt

import numpy as np
import pytest
from scipy.special import erf, erfinv, ndtr

from derivations.experiments.folders import problem_file
from derivations.explore import amplifier as view
from derivations.explore.problems import FIRST, carried
from tests.theory.sampled_cases import drawn_from
from tests.tolerances import STANDARD_ERRORS
from tests.tolerances_of_amplifier import AMPLIFIER_FLOAT64
from theory.moments.amplifier import flat_state_of
from theory.problem import FiniteData, InputError, OutOfReachError, StudentT, load

RING = load(problem_file("relu-training"))  # its gain is 3
OPEN = load(FIRST)


GRID = np.linspace(-9, 9, 9001)


def mean(f):
    """E f(z) of a Gaussian z for a smooth f, by the trapezoid rule, which converges exponentially."""
    return np.exp(-GRID * GRID / 2) @ f(GRID) * (GRID[1] - GRID[0]) / sqrt(2 * np.pi)


Z = sqrt(mean(lambda z: erf(3 * z) ** 2))


def phi(a):
    """E[X erf(X a/sqrt(2 (1 - a^2)))] for X = erf(3 z)/Z by quadrature over z."""
    slope = a / sqrt(2 * (1 - a * a))
    return mean(lambda z: erf(3 * z) / Z * erf(slope * erf(3 * z) / Z))


@pytest.fixture(scope="module")
def scan():
    return view.answer(RING, {"scan": True})["gains"]


@pytest.fixture
def examples(tmp_path):
    """A problem on Laplace examples: their phi lies below that of a Gaussian."""
    rng = np.random.default_rng(3)
    law = drawn_from(tmp_path, rng.laplace(1.0, 2.0, (4000, 3)), rng.integers(0, 2, 4000), 20_000)
    return carried(OPEN, law)[0]


def test_the_page_shows_phi_of_its_definition_and_the_flat_state_of_the_library():
    shown, flat = view.answer(RING, {}), flat_state_of(RING.data)
    table = {row[0]: row for row in shown["table"]["rows"]}
    assert list(table) == sorted([*(np.arange(1, 10) / 10), flat.a])
    for a in (0.1, 0.9, flat.a):
        assert abs(table[a][1] - phi(a)) <= AMPLIFIER_FLOAT64
        assert table[a][2] == sqrt(2 / np.pi) * a
    assert abs(shown["flat"]["phi"] - phi(flat.a)) <= AMPLIFIER_FLOAT64
    for name in ("a", "elasticity", "critical", "mode", "unstable"):
        assert shown["flat"][name] == getattr(flat, name)
    assert (shown["flat"]["rates"] == flat.rates[:21]).all()
    assert shown["flat"]["fastest"] == 1 + np.argmax(flat.rates[1:21])
    assert (shown["gain"], shown["refused"], "gains" in shown) == (3.0, None, False)
    assert shown["waves"]["rows"] == [[q, rate] for q, rate in enumerate(flat.rates[:21])]
    assert view.answer(replace(RING, data=replace(RING.data, gain=(3, 1))), {})["gain"] is None


def test_the_findings_say_what_the_numbers_say(scan):
    problems = (RING, replace(RING, data=replace(RING.data, gain="1/10")))
    for problem, state, relation in zip(problems, ("unstable", "stable"), ("exceeds", "stays below"), strict=True):
        (finding,) = view.answer(problem, {})["said"]
        assert finding.startswith(f"The flat field is {state}")
        assert f" {relation} the critical value" in finding
        assert finding.endswith("and the flat field stable.")
    assert "neuron is unstable, below it stable" in scan["said"]
    exchanged = {"gain": [0.1, 2.0, 10.0], "excess": [1.0, 1.0, -1.0], "critical": [2.0]}
    assert "neuron is stable, below it unstable" in view.transition(exchanged)
    never = exchanged | {"excess": [1.0, 1.0, 1.0], "critical": []}
    assert "is unstable at every gain" in view.transition(never)


def test_the_transition_lies_between_a_stable_and_an_unstable_gain(scan):
    (critical,) = scan["critical"]
    for gain, unstable in ((critical * 0.99, False), (critical * 1.01, True)):
        assert flat_state_of(replace(RING.data, gain=str(gain)[:12])).unstable == unstable
    assert ((np.array(scan["excess"]) > 0) == (scan["gain"] > critical)).all()
    for gain, excess, rate in scan["table"]["rows"][::12]:
        flat = flat_state_of(replace(RING.data, gain=Fraction(gain)))
        assert (excess, rate) == (flat.elasticity - flat.critical, flat.rates[1:].max())


def test_the_marginal_is_drawn_in_bins_by_their_probability():
    """A bin has the share of z with erf(g z)/Z in it; beyond the support |x| < 1/Z there is nothing."""
    drawn = view.answer(RING, {})["marginal"]
    edges, heights = np.array(drawn["edges"]), np.array(drawn["heights"])
    assert abs(heights @ np.diff(edges) - 1) <= AMPLIFIER_FLOAT64
    assert (heights[edges[:-1] > 1 / Z] == 0).all()
    k = int(np.flatnonzero((edges[:-1] > 0.2) & (edges[1:] < 1 / Z))[0])
    low, high = erfinv(edges[k : k + 2] * Z) / 3
    assert abs(heights[k] * (edges[k + 1] - edges[k]) - (ndtr(high) - ndtr(low))) <= AMPLIFIER_FLOAT64


def test_off_a_ring_there_is_phi_and_no_flat_state():
    shown = view.answer(OPEN, {"scan": True})
    assert (shown["flat"], shown["said"], shown["waves"], shown["errors"]) == (None, [], None, None)
    assert ("gains" in shown, len(shown["table"]["rows"])) == (False, 9)
    heavy = StudentT(6, (2, 1), "open", "none", (1, 0), (2, 9))  # of infinite variance
    with pytest.raises(OutOfReachError):
        view.answer(carried(OPEN, heavy)[0], {})


def test_the_class_is_that_of_y_one_or_the_chosen_one():
    assert view.answer(RING, {})["class"] == 0
    assert view.answer(replace(RING, data=replace(RING.data, labels=(0, 1))), {})["class"] == 1
    assert view.answer(replace(RING, data=replace(RING.data, labels=(2, 3))), {})["class"] == 0
    assert view.answer(RING, {"class": "1"})["class"] == 1
    for number in ("2", "-1"):
        with pytest.raises(InputError, match="no class number"):
            view.answer(RING, {"class": number})


def test_a_law_with_values_is_drawn_by_them():
    law = FiniteData([[1, -1], [-1, 1], [2, 0], [-2, 0]], [1, 1, 0, 0])
    shown = view.answer(carried(OPEN, law)[0], {"class": "0"})
    x, p = shown["marginal"]["x"], shown["marginal"]["p"]
    assert shown["marginal"]["discrete"]
    assert abs(sum(p) - 1) <= AMPLIFIER_FLOAT64
    assert abs(p @ x**2 - 1) <= AMPLIFIER_FLOAT64
    a, value = shown["a"][25], shown["phi"][25]
    assert abs(value - p @ (x * erf(x * a / sqrt(2 * (1 - a * a))))) <= AMPLIFIER_FLOAT64


def test_the_amplifier_of_examples_has_standard_errors_and_bins(examples):
    shown = view.answer(examples, {})
    assert shown["errors"].shape == shown["phi"].shape
    assert (shown["phi"][25:] + STANDARD_ERRORS * shown["errors"][25:] < shown["gaussian"][25:]).all()
    assert not shown["marginal"]["discrete"]
    assert 0.98 < shown["marginal"]["heights"] @ np.diff(shown["marginal"]["edges"]) <= 1 + AMPLIFIER_FLOAT64
    assert all(row[-1] > 0 for row in shown["table"]["rows"])


def test_files_hold_the_numbers_of_the_page(examples, scan):
    for problem in (RING, OPEN, examples):
        shown = view.answer(problem, {})
        values = {}
        for row in csv.DictReader(StringIO(view.answer(problem, {"want": "csv"})["text"])):
            values.setdefault(row["quantity"], []).append(float(row["value"]))
        assert values["phi"] == shown["phi"].tolist()
        assert values["elasticity"] == shown["elasticity"].tolist()
        assert values.get("standard error of phi") == (shown["errors"].tolist() if problem is examples else None)
        rates = values.get("rate of the mode, in 1/tau")
        assert rates == (flat_state_of(RING.data).rates[:21].tolist() if problem is RING else None)
        gains = [values.get(f"{name} at the gain") for name in ("excess", "rate")]
        assert gains == ([scan["excess"].tolist(), scan["rate"].tolist()] if problem is RING else [None, None])
        text = view.answer(problem, {"want": "latex"})["text"]
        assert (r"standard error of $\varphi$" in text) == (problem is examples)
        columns, lines = text.split(r"\begin{tabular}{")[1].split("}\n", 1)
        cells = [line.split(" & ") for line in lines.split("\\\\\n")[:-1]]
        assert {len(row) for row in cells} == {len(columns)}
        assert [float(row[1]) for row in cells[1:]] == [float(f"{row[1]:.10g}") for row in shown["table"]["rows"]]
