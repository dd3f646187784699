"""The figure of the formula view: both sides of a statement, samples beside them, and their difference."""

import numpy as np
from matplotlib.axes import Axes

from derivations.explore.comparison import Comparison
from derivations.explore.figures.axes import canvas, label, legend, marks, style
from derivations.explore.figures.sheets import Sheet

ERRORS = 2  # standard errors drawn on each side of a mark


def comparison_figure(view: Comparison) -> Sheet:
    """Draw the sides on the left and their differences from the last side on the right."""
    figure = canvas(11.2, 3.5, 1, 2, top=0.9, bottom=0.14, wspace=0.22, left=0.075)
    left, right = figure.grid[0]
    names = list(view.sides)
    for index, name in enumerate(names):
        left.plot(view.x, view.sides[name], **style(index), label=name)
        if index < len(names) - 1:
            right.plot(view.x, view.sides[name] - view.sides[names[-1]], **style(index))
    for name, (mean, error) in view.sampled.items():
        what = f"{name}, sampled" if len(names) > 1 else "the integrand, sampled"
        _marks(left, view, names.index(name), mean, error, f"{what} ± {ERRORS} standard errors")
        _marks(right, view, names.index(name), mean - view.expected[names[-1]], error, "")
    right.axhline(0, **{**style(len(names) - 1), "lw": 1.0})
    if view.counterexample is not None:
        x, lhs, rhs = view.counterexample
        star = {"ls": "", "marker": "*", "ms": 11, "mfc": "black", "mec": "white", "zorder": 5}
        left.plot([x, x], [lhs, rhs], **star, label="counter-example")
        right.plot([x], [lhs - rhs], **star)
    fixed = ", ".join(f"{name} = {value:.4g}" for name, value in view.values.items())
    label(left, f"the formula{' at ' + fixed if fixed else ''}", view.axis, "value (no unit)")
    what = " − ".join([names[0] if len(names) > 1 else "sampled", names[-1]])
    label(right, f"difference: {what}", view.axis, "difference (no unit)")
    legend(left)
    return figure


def _marks(axis: Axes, view: Comparison, index: int, mean: np.ndarray, error: np.ndarray, name: str) -> None:
    look = {key: value for key, value in marks(index, len(mean)).items() if key != "markevery"}
    if view.running:
        low, high = mean - ERRORS * error, mean + ERRORS * error
        axis.fill_between(view.at, low, high, color=look["color"], alpha=0.2, lw=0)
        axis.plot(view.at, mean, **look, label=name)
    else:
        axis.errorbar(view.at, mean, ERRORS * error, elinewidth=0.9, capsize=2, **look, label=name)
