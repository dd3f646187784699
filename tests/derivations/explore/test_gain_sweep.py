"""Networks along the gain: which gains are trained, where the verdict changes, and what the page says of it."""

from csv import DictReader
from dataclasses import replace
from fractions import Fraction
from functools import cache
from io import StringIO

import pytest

from derivations.experiments.folders import problem_named
from derivations.explore import compare_page, gain_sweep
from derivations.explore.gain_sweep import COARSE, FINER, AtGain, along_gains, between, changes, rows, sentences
from derivations.explore.training import train_together
from derivations.explore.verdict import ratios
from derivations.statistics.locality import LEVEL, LOCAL, NOT_LOCAL, UNDECIDED, Locality, locality
from tests.derivations.explore.client import Client, finished
from tests.tolerances import EXPLORER_DESCENT
from theory.moments.amplifier import critical_gain
from theory.problem import OutOfReachError, SinglePulse, dumps

SETTINGS = {"networks": 5, "batch": 32, "until": "4"}
BAR = 0.2


KNOWN = cache(gain_sweep.stability)  # the gain that is predicted takes half a second


@pytest.fixture(autouse=True)
def each_prediction_once(monkeypatch):
    monkeypatch.setattr(gain_sweep, "stability", KNOWN)


@pytest.fixture(scope="module")
def problem():
    full = problem_named("relu-training")
    return replace(full, data=replace(full.data, n=12), network=replace(full.network, units=3))


def at(gain, local):
    """A gain with this verdict: its interval lies above twice the bar, below the bar, or holds both."""
    mean, width = {True: (0.5, 0.05), False: (0.1, 0.05), None: (1.5 * BAR, BAR)}[local]
    return AtGain(Fraction(gain), Locality(mean, mean - width, mean + width, BAR))


def test_the_verdict_changes_between_decided_neighbours():
    by_gain = (at("0.1", False), at("0.3", False), at("0.5", None), at("1", True), at("10", True))
    ((low, high),) = changes(by_gain)
    assert (low.gain, high.gain) == (Fraction("0.3"), 1)
    assert changes((at("0.1", True), at("1", None), at("10", True))) == []
    assert len(changes((at("0.1", False), at("1", True), at("10", False)))) == 2


def test_the_next_gain_lies_next_to_the_networks_that_have_localized():
    assert between((at("0.1", False), at("1", True))) == Fraction("0.32")  # the square root of 0.1
    assert between((at("0.1", False), at("0.4", None), at("0.9", True))) == Fraction("0.6")
    assert between((at("0.1", True), at("0.4", None), at("0.9", False))) == Fraction("0.2")
    assert between((at("0.1", False), at("1", None))) is None


@pytest.mark.parametrize("threshold", [Fraction("0.62"), Fraction(50)])
def test_the_gains_close_in_on_the_change(problem, monkeypatch, threshold):
    """Networks that localize from a known gain on, in the place of trained ones; each later gain has others."""
    first, trained, seen, levels = compare_page.trained(problem, SETTINGS), [], [], set()

    def train(problems, _report, networks):
        trained.append((networks[0], networks[-1]))
        return problems

    monkeypatch.setattr(gain_sweep, "train_together", train)
    monkeypatch.setattr(gain_sweep, "ratios", lambda side, _learned, _snapshot: side.data.gain)

    def judged(gain, n, level):
        assert n == 12
        levels.add(level)
        return at(gain, gain >= threshold).verdict

    monkeypatch.setattr(gain_sweep, "locality", judged)
    sweep = along_gains(first, lambda share, so_far: seen.append((share, so_far)))
    gains = [one.gain for one in sweep]
    assert gains == sorted(gains)
    assert {Fraction(gain) for gain in COARSE} <= set(gains)
    inside = threshold <= 10
    assert len(sweep) == len(COARSE) + FINER * inside
    if inside:
        ((low, high),) = changes(sweep)
        assert low.gain < threshold <= high.gain
        assert high.gain / low.gain < 2  # the step of the coarse gains is 3
    assert seen[-1] == (len(sweep) / (len(COARSE) + FINER), sweep)
    assert [len(so_far) for _, so_far in seen if so_far] == list(range(1, len(sweep) + 1))
    assert levels == {LEVEL / (len(COARSE) + FINER)}  # by Bonferroni all intervals hold together
    assert trained == [(0, 4)] * len(COARSE) + [(5, 9), (10, 14)] * inside


def test_sentences_say_where_the_verdict_changes_and_what_is_predicted(problem):
    first = compare_page.trained(problem, SETTINGS)
    by_gain = (at("0.1", False), at("0.3", False), at("0.5", None), at("1", True))
    change, predicted = sentences(first, by_gain)
    assert [row["verdict"] for row in rows(by_gain)] == [NOT_LOCAL, NOT_LOCAL, UNDECIDED, LOCAL]
    assert [row["verdict"] for row in rows((AtGain(Fraction(1), None),))] == ["diverged"]
    assert "changes between the gains 0.3 and 1: " in change
    assert "not local at 0.3, and local at 1. In between, at 0.5, they are undecided." in change
    assert f"at the gain {critical_gain(first.data, 0.01, 100.0):.3g}. " in predicted
    assert sentences(first, (at("0.1", True), at("1", None)))[0].endswith("at every gain that is decided: 0.1.")
    assert "undecided at every gain" in sentences(first, (at("0.1", None),))[0]


def test_a_law_without_a_gain_is_refused(problem):
    law = SinglePulse(12, ((2, 2), (4, 4)), "plus-minus", "sign", (1, 0))
    first = compare_page.trained(replace(problem, data=law), SETTINGS)
    with pytest.raises(OutOfReachError, match="no single gain"):
        along_gains(first)
    assert compare_page.page(replace(problem, data=law), SETTINGS)["gain"] is None


def test_a_job_shows_each_gain_and_keeps_them_for_the_files(problem, monkeypatch):
    monkeypatch.setattr(gain_sweep, "COARSE", ("3", "1"))
    monkeypatch.setattr(gain_sweep, "FINER", 0)
    monkeypatch.setattr(gain_sweep, "MOST", 2)
    client, toml = Client(), dumps(problem)
    name, state = finished(client, "gains", toml, SETTINGS)
    assert state["error"] is None
    (shown,) = state["results"]
    assert shown["done"]
    assert [row["gain"] for row in shown["rows"]] == [1.0, 3.0]
    first = compare_page.trained(problem, SETTINGS)  # the gain of the problem is 3
    expected = locality(ratios(first, train_together({"A": first})["A"], -1), 12)
    assert abs(shown["rows"][1]["participation ratio"] - expected.mean) <= EXPLORER_DESCENT
    wanted = {"toml": toml, "settings": SETTINGS | {"sweep": name, "want": "csv"}}
    table = DictReader(StringIO(client.post("views/compare", wanted).json["text"]))
    written = [row for row in table if row["quantity"].startswith("participation ratio, gain")]
    assert [float(row["value"]) for row in written] == [row["participation ratio"] for row in shown["rows"]]
    assert finished(client, "gains", toml, SETTINGS | {"pair": "marginal"})[0] == name  # A is the same
