"""The amplifier view: its numbers from the definition of the law, its findings, and what it says where it has none."""

import csv
import runpy
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from math import erf, sqrt

import mpmath
import numpy as np
import pytest

from derivations.experiments.folders import problem_file
from derivations.explore import amplifier
from derivations.explore.problems import FIRST, carried
from derivations.explore.views import amplifier as view
from tests.tolerances import STANDARD_ERRORS
from tests.tolerances_of_amplifier import AMPLIFIER_FLOAT64
from theory.moments.amplifier import flat_state_of
from theory.problem import FiniteData, InputError, OutOfReachError, StudentT, load
from theory.problem.distributions.own import OwnLaw

RING = load(problem_file("relu-training"))
OPEN = load(FIRST)


def phi_of_a_process(gain, a):
    """E[X erf(X a/sqrt(2 (1 - a^2)))] for X = erf(g z)/Z by quadrature over z, and Z^2 = E erf(g z)^2 likewise."""
    with mpmath.workdps(25):
        ends = [-12, -4, -1, -0.2, 0, 0.2, 1, 4, 12]
        z2 = mpmath.quad(lambda z: mpmath.erf(gain * z) ** 2 * mpmath.npdf(z), ends)
        slope = a / mpmath.sqrt(2 * (1 - mpmath.mpf(a) ** 2))

        def integrand(z):
            x = mpmath.erf(gain * z) / mpmath.sqrt(z2)
            return x * mpmath.erf(slope * x) * mpmath.npdf(z)

        return float(mpmath.quad(integrand, ends))


def test_phi_in_the_table_is_that_of_its_definition():
    found = amplifier.rows(amplifier.amplifier_view(RING.data))
    assert len(found) == 10
    for row in found:
        assert abs(row["φ(a)"] - phi_of_a_process(3, row["a"])) <= AMPLIFIER_FLOAT64
        assert row["φ(a), Gaussian"] == sqrt(2 / np.pi) * row["a"]


def test_the_page_draws_the_flat_state_of_the_library():
    shown = view.answer(RING, {})
    flat = flat_state_of(RING.data)
    for name in ("a", "elasticity", "critical", "mode", "unstable"):
        assert shown["flat"][name] == getattr(flat, name)
    rates = shown["flat"]["rates"]
    assert (rates == flat.rates[:21]).all()
    assert shown["flat"]["fastest"] == 1 + np.argmax(flat.rates[1:21])
    assert shown["gain"] == 3.0
    assert "gains" not in shown


def test_the_finding_says_what_the_numbers_say():
    (said,) = view.answer(RING, {})["said"]
    assert said.startswith("The flat field is unstable")
    assert said.endswith("and the flat field stable.")
    weak = replace(RING, data=replace(RING.data, gain="1/10"))
    (said,) = view.answer(weak, {})["said"]
    assert said.startswith("The flat field is stable")
    assert "stays below" in said


def test_the_transition_lies_between_a_stable_and_an_unstable_gain():
    found = view.answer(RING, {"scan": True})["gains"]
    assert (np.sign(found["excess"]) == np.sign(found["rate"])).all()
    (critical,) = found["critical"]
    for gain, unstable in ((critical * 0.99, False), (critical * 1.01, True)):
        assert flat_state_of(replace(RING.data, gain=str(gain)[:12])).unstable == unstable
    assert (np.array(found["excess"])[found["gain"] < critical] < 0).all()
    assert (np.array(found["excess"])[found["gain"] > critical] > 0).all()


def test_the_tables_have_the_waves_and_the_gains_of_the_figures():
    shown = view.answer(RING, {"scan": True})
    waves = shown["waves"]["rows"]
    assert waves == [[q, rate] for q, rate in enumerate(flat_state_of(RING.data).rates[:21])]
    for gain, excess, rate in shown["gains"]["table"]["rows"][::8]:
        flat = flat_state_of(replace(RING.data, gain=Fraction(gain)))
        assert (excess, rate) == (flat.elasticity - flat.critical, flat.rates[1:].max())
    rows = list(csv.DictReader(StringIO(view.answer(RING, {"want": "csv"})["text"])))
    at_gains = [float(row["value"]) for row in rows if row["quantity"] == "excess at the gain"]
    assert at_gains == shown["gains"]["excess"].tolist()


def test_the_marginal_is_drawn_in_bins_by_their_probability():
    """A bin has the share of z with erf(g z)/Z in it; beyond the support |x| < 1/Z there is nothing."""
    drawn = view.answer(RING, {})["marginal"]
    edges, heights = np.array(drawn["edges"]), np.array(drawn["heights"])
    assert abs(heights @ np.diff(edges) - 1) <= AMPLIFIER_FLOAT64
    with mpmath.workdps(25):
        ends = [-12, -4, -1, -0.2, 0, 0.2, 1, 4, 12]
        Z = mpmath.sqrt(mpmath.quad(lambda z: mpmath.erf(3 * z) ** 2 * mpmath.npdf(z), ends))
        assert (heights[edges[:-1] > 1 / Z] == 0).all()
        k = int(np.flatnonzero((edges[:-1] > 0.2) & (edges[1:] < 1 / Z))[0])
        low, high = (mpmath.erfinv(edges[place] * Z) / 3 for place in (k, k + 1))
        assert abs(heights[k] * (edges[k + 1] - edges[k]) - (mpmath.ncdf(high) - mpmath.ncdf(low))) <= AMPLIFIER_FLOAT64


def test_off_a_ring_there_is_phi_and_no_flat_state():
    shown = view.answer(OPEN, {"scan": True})
    assert (shown["flat"], shown["said"]) == (None, [])
    assert shown["refused"]["remedy"]
    assert "gains" not in shown
    assert len(shown["table"]["rows"]) == 9


def test_the_class_is_that_of_y_one_or_the_chosen_one():
    assert view.answer(RING, {})["class"] == 0
    swapped = replace(RING, data=replace(RING.data, labels=(0, 1)))
    assert view.answer(swapped, {})["class"] == 1
    assert view.answer(RING, {"class": "1"})["class"] == 1
    with pytest.raises(InputError, match="no class number 2"):
        view.answer(RING, {"class": "2"})


def test_a_law_with_values_is_drawn_by_them():
    law = FiniteData([[1, -1], [-1, 1], [2, 0], [-2, 0]], [1, 1, 0, 0])
    shown = view.answer(carried(OPEN, law)[0], {"class": "0"})
    assert shown["marginal"]["discrete"]
    assert abs(sum(shown["marginal"]["p"]) - 1) <= AMPLIFIER_FLOAT64
    x, p = shown["marginal"]["x"], shown["marginal"]["p"]
    assert abs(p @ x**2 - 1) <= AMPLIFIER_FLOAT64
    a, phi = shown["a"][25], shown["phi"][25]
    assert abs(phi - sum(q * v * erf(v * a / sqrt(2 * (1 - a * a))) for v, q in zip(x, p, strict=True))) <= (
        AMPLIFIER_FLOAT64
    )


def test_the_amplifier_of_examples_has_standard_errors_and_bins(tmp_path):
    """Laplace examples: their phi lies below that of a Gaussian, by more than its errors."""
    rng = np.random.default_rng(3)
    np.save(tmp_path / "x.npy", rng.laplace(1.0, 2.0, (4000, 3)))
    np.save(tmp_path / "y.npy", rng.integers(0, 2, 4000))
    law = OwnLaw(folder=str(tmp_path), estimate={"examples": 20_000})
    shown = view.answer(carried(OPEN, law)[0], {})
    assert shown["errors"].shape == shown["phi"].shape
    assert (shown["phi"][25:] + STANDARD_ERRORS * shown["errors"][25:] < shown["gaussian"][25:]).all()
    assert all(row[-1] > 0 for row in shown["table"]["rows"])
    assert "examples" in shown["about"][0]
    drawn = shown["marginal"]
    assert 0.98 < drawn["heights"] @ np.diff(drawn["edges"]) <= 1 + AMPLIFIER_FLOAT64
    exact = view.answer(OPEN, {})
    assert exact["errors"] is None
    assert len(exact["table"]["columns"]) == len(shown["table"]["columns"]) - 1


def test_an_infinite_variance_is_out_of_reach():
    heavy = StudentT(6, (2, 1), "open", "none", (1, 0), (2, 9))
    with pytest.raises(OutOfReachError):
        view.answer(carried(OPEN, heavy)[0], {})


@pytest.mark.parametrize("problem", [RING, OPEN], ids=["ring", "open"])
def test_files_hold_the_numbers_of_the_page(problem, capsys, tmp_path):
    shown = view.answer(problem, {})
    rows = list(csv.DictReader(StringIO(view.answer(problem, {"want": "csv"})["text"])))
    assert [float(row["value"]) for row in rows if row["quantity"] == "phi"] == shown["phi"].tolist()
    assert any("mode" in row["quantity"] for row in rows) == (problem is RING)
    tex = view.answer(problem, {"want": "latex"})["text"]
    assert tex.count("\\\\") == 1 + len(shown["table"]["rows"])
    copied = tmp_path / "copied.py"
    copied.write_text(view.answer(problem, {"want": "python"})["text"], encoding="utf-8")
    runpy.run_path(str(copied))
    printed = capsys.readouterr().out.splitlines()
    assert printed[:-1] == [str(row) for row in amplifier.rows(amplifier.amplifier_view(problem.data))]
    assert [printed[-1]] == (shown["said"] or [""])
