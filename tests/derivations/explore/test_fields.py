"""The fields view and its training without a browser, and in one."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from derivations.explore.board import FIRST, python_code
from derivations.explore.fields import (
    PYTHON,
    csv,
    distance,
    field_view,
    fields_figure,
    latex,
    live,
    rivals,
    rows,
)
from derivations.explore.training import Training
from sim.train import train
from tests.derivations.explore.browser import explorer, needs_a_browser
from tests.tolerances import EXPLORER_DESCENT
from theory.flow import solve
from theory.problem import InputError, dumps, load

LONG = 10**6  # steps that no test waits for


@pytest.fixture
def problem():
    return live(load(FIRST), batch=32, replicates=4)


@pytest.fixture
def endless(problem):
    return replace(problem, training=replace(problem.training, times=(1, LONG)))


def test_the_grid_of_times_is_one_of_steps(problem):
    times = problem.training.times
    assert times[0] == 1
    assert times[-1] == 32
    assert {time.denominator for time in times} == {1}
    assert live(replace(problem, simulation=None), 32, 4).simulated().learning_rate * 10 == 1


def test_what_is_trained_is_what_the_simulator_trains(problem):
    training = Training(rivals(problem))
    training.wait()
    now = training.progress
    assert (now.share, now.running, now.error) == (1, False, None)
    for name, rival in rivals(problem).items():
        at_once = train(rival, "cpu", backend="reference").weights
        assert np.abs(now.learned[name].weights - at_once).max() <= EXPLORER_DESCENT * np.abs(at_once).max()


def test_a_stop_keeps_what_was_learned(endless):
    training = Training(rivals(endless))
    while training.version == 0:
        assert training.progress.running
    training.stop()
    training.wait()
    now = training.progress
    assert not now.running
    assert now.share < 1
    assert now.learned["relu"].weights.shape[1] == 1


def test_an_error_of_the_library_ends_the_training(problem):
    late = replace(problem, training=replace(problem.training, times=("1/3",)))
    training = Training({"gated-linear": late})
    training.wait()
    assert isinstance(training.progress.error, InputError)
    assert training.progress.learned == {}


def test_numbers_figures_and_files(problem):
    view = field_view(problem)
    assert (view.solution.weights == solve(problem).weights).all()
    training = Training(rivals(problem))
    training.wait()
    learned = training.progress.learned
    last = len(view.times) - 1
    loss, ratio, apart = rows(view, last, learned)
    assert loss["exact"] == view.solution.losses[-1]
    assert ratio["exact"] == view.ratio[-1, 0]
    meter = distance(view, learned["gated-linear"])
    assert apart["gated-linear"] == meter.distance[-1]
    assert (meter.low <= 0).any()
    assert rows(view, last, {})[0]["relu"] is None
    for shown in ({}, learned):
        figure = fields_figure(view, last, shown)
        assert all(axis.get_xlabel() and axis.get_ylabel() for axis in figure.axes if axis.axison)
        assert len(csv(view, 0, shown).splitlines()) == 41
        assert latex(view, last, shown).count("\\\\") == 4


def test_the_python_that_is_copied_runs(problem):
    done = subprocess.run(
        [sys.executable, "-c", python_code(dumps(problem), PYTHON)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert np.isfinite(float(done.stdout.splitlines()[-1]))


@needs_a_browser
def test_the_fields_view(tmp_path):
    shipped = live(load(FIRST), batch=256, replicates=8)
    losses = solve(shipped).losses
    with explorer() as shown:
        page, side = shown.page, shown.side
        shown.open("fields")
        shown.wait_for_number("numbers", 0, "exact", float(losses[-1]))
        mark = side.get_by_role("slider").nth(0)
        mark.focus()
        page.keyboard.press("Home")
        shown.wait_for_number("numbers", 0, "exact", float(losses[0]))
        page.keyboard.press("End")
        shown.wait_for_number("numbers", 0, "exact", float(losses[-1]))

        side.get_by_role("button", name="Train").click()
        page.locator("#training[data-state=done]").wait_for()
        train_of = rivals(shipped)["gated-linear"]
        training = Training({"gated-linear": train_of})
        training.wait()
        expected = float(training.progress.learned["gated-linear"].losses[:, -1].mean())
        shown.wait_for_number("numbers", 0, "gated-linear", expected)
        assert shown.fits()
        page.screenshot(path=tmp_path / "fields.png")

        page.get_by_role("tab", name="Problem").click()
        text = page.get_by_label("the problem that all views share (TOML)")
        text.fill(dumps(load(FIRST)).replace("32.0]", f"{LONG}.0]"))
        page.get_by_role("button", name="Use this problem").click()
        page.get_by_role("tab", name="Figure").click()
        page.locator("#training[data-state=none]").wait_for()
        side.get_by_role("button", name="Train").click()
        page.locator("#training[data-state=running]").wait_for()
        mark.focus()
        page.keyboard.press("Home")  # the page answers while networks are trained
        early = float(solve(live(load_long(), 256, 8)).losses[0])
        shown.wait_for_number("numbers", 0, "exact", early)
        page.locator("#training[data-state=running]").wait_for()
        side.get_by_role("button", name="Stop").click()
        page.locator("#training[data-state=stopped]").wait_for()
        shown.nothing_went_wrong()


def load_long():
    from theory.problem import loads

    return loads(dumps(load(FIRST)).replace("32.0]", f"{LONG}.0]"))
