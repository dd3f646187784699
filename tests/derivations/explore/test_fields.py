"""The fields view and its training without a browser, and in one."""

from csv import DictReader
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest

from derivations.answers.compare import LAW, distance, field_view
from derivations.explore.fields import (
    LOSS,
    behind,
    csv,
    latex,
    live,
    null_levels,
    rivals,
    rows,
)
from derivations.explore.figures.fields import fields_figure
from derivations.explore.shell.shared_problem import FIRST, carried
from derivations.explore.training import Learned, Training
from sim.measure.receptive_fields import participation_ratio
from sim.train import train
from tests.tolerances import EXPLORER_DESCENT, EXPLORER_WAVE
from theory.flow import discrete, mse_at, solve
from theory.moments import gated_moments
from theory.problem import InputError, NonlinearGP2D, load

LONG = 10**6  # steps that no test waits for


@pytest.fixture
def problem():
    return live(load(FIRST), batch=32, replicates=5)


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


def test_a_last_time_before_the_first_step_is_refused():
    at_once = replace(load(FIRST), training=replace(load(FIRST).training, times=("0",)))
    with pytest.raises(InputError, match="before the first step"):
        live(at_once, 32, 4)


def test_networks_that_are_behind_the_slider_are_named(problem):
    view = field_view(problem)
    some = {"relu": Learned(view.descent[None, :3], np.ones((1, 3)))}
    assert behind(view, 2, some) is None
    assert "up to t = 3 (snapshot 2); the time slider stands at t = 32" in behind(view, len(view.times) - 1, some)
    assert "before the first snapshot" in behind(view, 0, {})


def test_numbers_figures_and_files(problem):
    view = field_view(problem)
    assert (view.solution.weights == solve(problem).weights).all()
    training = Training(rivals(problem))
    training.wait()
    learned = training.progress.learned
    last = len(view.times) - 1
    loss, first, second, low, high = rows(view, last, learned)
    mean = discrete(problem)
    assert (view.descent == mean.weights).all()
    assert loss[LAW] == mse_at(gated_moments(problem), mean.weights, 1 / 2)[-1]
    assert [first[LAW], second[LAW]] == participation_ratio(mean.weights)[-1].tolist()
    assert second["relu"] == participation_ratio(learned["relu"].weights[:, -1, 1]).mean()
    meter = distance(view, learned["gated-linear"].weights)
    assert (low["gated-linear"], high["gated-linear"]) == (meter.low[-1], meter.high[-1])
    assert rows(view, last, {})[0]["relu"] is None
    for shown in ({}, learned):
        figure = fields_figure(view, last, shown, 1)
        assert all(axis.get_xlabel() and axis.get_ylabel() for axis in figure.axes if axis.axison)
        ratios = next(axis for axis in figure.axes if axis.get_title().startswith("IPR of unit 1"))
        named = {text.get_text(): text.get_position()[1] for text in ratios.texts}
        assert named == {name: np.log10(level) for name, level in null_levels(40).items()}
        table = list(DictReader(StringIO(csv(view, 0, shown))))
        fields = [row for row in table if row["quantity"] == "w"]
        assert len(fields) == (3 + len(shown)) * 2 * 40
        at = next(row for row in fields if (row["of"], row["unit"], row["site"]) == (LAW, "1", "7"))
        assert float(at["value"]) == mean.weights[0, 1, 7]
        curves = [row for row in table if (row["quantity"], row["of"]) == (LOSS, "relu")]
        assert [float(row["value"]) for row in curves] == (shown["relu"].losses.mean(axis=0).tolist() if shown else [])
        bands = [row for row in table if (row["quantity"], row["of"]) == ("distance", "gated-linear")]
        assert [float(row["to"]) for row in bands] == (meter.high.tolist() if shown else [])
        assert latex(view, last, shown).count("\\\\") == 6


def test_a_distance_that_noise_hides_has_no_mark_and_a_cut_band_says_so(problem):
    """Networks scattered about the prediction itself: the unbiased square is then negative as often as not."""
    view = field_view(problem)
    noise = np.random.default_rng(0).normal(size=(5, *view.descent.shape))
    off = {"gated-linear": Learned(view.descent + noise, np.ones((5, len(view.times))))}
    meter = distance(view, off["gated-linear"].weights)
    hidden = meter.distance == 0
    assert hidden.any()
    axis = fields_figure(view, 0, off).axes[5]
    drawn = next(line for line in axis.lines if line.get_label() == "gated-linear").get_ydata()
    assert (np.isnan(drawn) == hidden).all()
    assert "no mark" in axis.get_legend().get_texts()[-1].get_text()
    assert ("continues above" in axis.get_title()) == bool((meter.high > axis.get_ylim()[1]).any())


@pytest.mark.parametrize("n", [2, 3, 4, 40])
def test_null_levels_are_ratios_of_fields(n):
    fields = {
        "flat": np.ones(n),
        "one site": np.eye(n)[0],
        "sinusoid": np.cos(2 * np.pi * np.arange(n) / n + 0.3),
    }
    levels = null_levels(n)
    assert ("sinusoid" in levels) == (n != 4)
    assert levels.keys() - fields.keys() == {"random"}
    for name in levels.keys() & fields.keys():
        assert abs(levels[name] - participation_ratio(fields[name])) <= EXPLORER_WAVE * levels[name]


def test_fields_on_a_grid():
    given = replace(load(FIRST).data, n=12)
    grid = NonlinearGP2D(given.xi, given.gain, "open", given.normaliser, given.labels, (3, 4))
    problem = live(carried(load(FIRST), grid)[0], batch=32, replicates=5)
    view = field_view(problem)
    training = Training(rivals(problem))
    training.wait()
    for learned in ({}, training.progress.learned):
        axes = fields_figure(view, 2, learned, 1).axes
        assert (axes[0].images[0].get_array() == view.descent[2, 1].reshape(3, 4)).all()
        assert (axes[0].get_xlabel(), axes[0].get_ylabel()) == ("column", "row")
        theory = next(line for line in axes[2].lines if line.get_label() == "gradient descent: E w, exact")
        assert (theory.get_ydata() == view.descent[2, 1, 4:8]).all()
        assert "row 1" in axes[2].get_title()
    table = list(DictReader(StringIO(csv(view, 2, {}))))
    assert (table[5]["site"], table[5]["row"], table[5]["column"]) == ("5", "1", "1")
    assert (table[-1]["quantity"], table[-1]["row"]) == ("IPR", "")
