"""Sheets that are drawn on again show what new ones show."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from derivations.answers.compare import field_view
from derivations.explore.data import sampled, theory_of
from derivations.explore.fields import live
from derivations.explore.figures import axes
from derivations.explore.figures import sheets as paper
from derivations.explore.figures.axes import canvas, image, label, shown
from derivations.explore.figures.comparison import comparison_figure
from derivations.explore.figures.data import data_figure
from derivations.explore.figures.fields import fields_figure
from derivations.explore.figures.gates import gates_figure
from derivations.explore.formula import EXAMPLES, asked
from derivations.explore.gates import gate_view
from derivations.explore.shell.shared_problem import FIRST, carried
from derivations.explore.training import Learned
from tests.derivations.explore.test_data import law_named
from theory.problem import load

COARSE = 40  # pixels an inch: enough to tell two drawings apart


@pytest.fixture
def no_stock(monkeypatch):
    def empty():
        monkeypatch.setattr(paper, "_LOCAL", type(paper._LOCAL)())

    empty()
    return empty


def figures():
    """Something of each kind: lines, grids, bars, errors, bands, legends, empty panels, limits of their own."""
    problem = load(FIRST)
    grid, _ = carried(problem, law_named("nlgp-2d", shape=("3", "4")))
    drawn = []
    for law in (problem.data, grid.data, law_named("single-pulse")):
        theory, sample = theory_of(law), sampled(law, rows=64)
        drawn += [lambda t=theory: data_figure(t, None), lambda t=theory, s=sample: data_figure(t, s)]
    for one in (problem, grid):
        gates, fields = gate_view(one), field_view(live(one, 32, 4))
        shape = (4, len(fields.times), *fields.descent.shape[1:])
        weights = fields.descent + np.linspace(0.01, 0.3, 4)[:, None, None, None] * np.ones(shape)
        learned = {"gated-linear": Learned(weights, np.ones(shape[:2]))}
        drawn += [
            lambda v=gates: gates_figure(v, 0, 1),
            lambda v=gates: gates_figure(replace(v, exact=None), 1, 1),
            lambda v=fields: fields_figure(v, 2, {}),
            lambda v=fields, f=learned: fields_figure(v, 5, f, 1),
        ]
    for name in ("a site gate", "its value", "an equation"):
        line, cov, where = EXAMPLES[name]
        compared = asked(line, cov, "", where, 20).compare()
        drawn.append(lambda v=compared: comparison_figure(v))
    return drawn


def test_what_is_drawn_on_a_used_sheet_is_what_is_drawn_on_a_new_one(no_stock, monkeypatch):
    monkeypatch.setattr(axes, "DPI", COARSE)
    drawn = figures()
    expected = []
    for figure in drawn:
        no_stock()
        expected.append(shown(figure(), ""))
    assert len(set(expected)) == len(expected)
    no_stock()
    order = list(range(len(drawn)))
    Random(0).shuffle(order)
    for used in (drawn[0], drawn[-1]):  # one of each size of sheet
        shown(used(), "")
    assert [index for index in order if shown(drawn[index](), "") != expected[index]] == []


def test_a_sheet_is_used_again_only_after_it_was_given_back(no_stock):
    first, second = canvas(3, 2, 1, 1), canvas(3, 2, 1, 1)
    assert first is not second
    shown(first, "")
    shown(first, "")
    third, fourth = canvas(3, 2, 1, 1), canvas(3, 2, 1, 1)
    assert third is first
    assert fourth not in (first, second)
    assert canvas(3, 2, 1, 2) is not second


def _plain(scale=1):
    figure = canvas(3, 2, 1, 1)
    axis = figure.grid[0, 0]
    axis.plot([0, scale], [-scale, scale])  # in the first colour, within limits of its own
    label(axis, "title", "x", "y")
    image(axis, np.eye(3), scale)
    return figure


def test_nothing_of_what_was_drawn_before_is_left(no_stock):
    new = _plain()
    before = [len(part.findobj()) for part in (new, *new.grid[0, 0].child_axes)]
    first = shown(new, "")
    for scale in (7, 1):
        used = _plain(scale)
        assert used is new
        assert [len(part.findobj()) for part in (used, *used.grid[0, 0].child_axes)] == before
        assert (shown(used, "") == first) == (scale == 1)


def test_another_thread_has_sheets_of_its_own(no_stock):
    from concurrent.futures import ThreadPoolExecutor

    used = canvas(3, 2, 1, 1)
    shown(used, "")
    with ThreadPoolExecutor(1) as other:
        assert other.submit(canvas, 3, 2, 1, 1).result() is not used
