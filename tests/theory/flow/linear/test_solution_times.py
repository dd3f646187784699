"""A solution at any time, its one line, and its picture."""

from dataclasses import replace

import numpy as np
import pytest

from tests.paths import PROBLEMS
from theory.flow import Solution, solve
from theory.problem import InputError, OutOfReachError, load

FILE = PROBLEMS / "small-bump.toml"


def test_a_path_stands_for_its_problem():
    problem = load(FILE)
    assert solve(str(FILE)).problem == solve(FILE).problem == problem
    assert (solve(str(FILE)).weights == solve(problem).weights).all()


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


@pytest.mark.parametrize("times", [[], [-1.0], [2.0, 1.0], ["soon"]])
def test_times_are_checked(times):
    with pytest.raises(InputError):
        solve(FILE, times=times)


def test_one_line():
    text = repr(solve(FILE))
    assert text == str(solve(FILE))
    assert "\n" not in text
    assert text.startswith("<Solution: 2 units of 40 sites; mse 0.279221, rank 80 of 80")
    assert "0.27922101830510602" in repr(solve(FILE, digits=20))


def test_the_figure_shows_fields_and_loss():
    solution = solve(FILE)
    first, second, loss = solution.plot().axes
    last = first.get_lines()[2]
    assert (last.get_ydata() == solution.weights[-1, 0]).all()
    assert (second.get_lines()[3].get_ydata() == solution.fixed_point[1]).all()
    assert np.diff(loss.get_lines()[0].get_ydata()).max() < 0


def test_labels_of_several_numbers_have_no_picture():
    problem = load(FILE)
    vectors = replace(problem, data=replace(problem.data, labels=((1, 0), (0, 1))))
    with pytest.raises(OutOfReachError, match="one output"):
        solve(vectors).plot()


def test_a_solution_without_its_problem_says_so():
    numbers = np.zeros((1, 1))
    alone = Solution(0.0, numbers, numbers[0], numbers[None], 1.0, 1, numbers[0], numbers[0], ())
    with pytest.raises(InputError, match="has no problem to plot"):
        alone.at(1)
