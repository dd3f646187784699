"""A solution at any time, its one line, and its picture."""

import numpy as np

from tests.paths import PROBLEMS
from theory.flow import solve

FILE = PROBLEMS / "small-bump.toml"


def test_w_at_any_time():
    solution = solve(FILE)
    assert (solution.at(8) == solution.weights[3]).all()
    both = solve(FILE, times=[2.5, 8.0])
    assert both.times.tolist() == [2.5, 8.0]
    assert (both.weights[0] == solution.at(2.5)).all()
    assert (both.fixed_point == solution.fixed_point).all()
    certain = solve(FILE, digits=20).at(8)[0, 20]
    assert isinstance(certain, str)
    assert f"{float(certain):.10f}" == f"{solution.at(8)[0, 20]:.10f}"


def test_the_figure_shows_fields_and_loss():
    solution = solve(FILE)
    first, second, loss = solution.plot().axes
    last = first.get_lines()[2]
    assert (last.get_ydata() == solution.weights[-1, 0]).all()
    assert (second.get_lines()[3].get_ydata() == solution.fixed_point[1]).all()
    assert np.diff(loss.get_lines()[0].get_ydata()).max() < 0
