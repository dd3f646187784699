"""The figure of `gdln compare --beside relu`: aligned fields, losses, participation ratios, cosine and gate overlap."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from derivations.statistics.alignment import mean_by_chance, mean_of_aligned, on_a_line
from derivations.statistics.locality import TIMES
from theory.flow.picture import COLOURS, GREY, STYLE, against_time, finish, image_of
from theory.moments.null_levels import gaussian_ratio

if TYPE_CHECKING:
    from derivations.answers.relu_compare import ReluCompareAnswer

_DASHES = ("-", "--", ":")
_ROOM = 0.3  # of the height of a panel, for its legend
_COLOURS = (COLOURS[0], COLOURS[2], COLOURS[3])  # of gated units; COLOURS[1] is that of the networks


def relu_compare_figure(answer: "ReluCompareAnswer") -> Figure:
    """Draw the aligned fields, on a grid as two images, and loss, ratio, cosine and gate overlap against time."""
    line = on_a_line(answer.theory.problem.data)
    above = [_fields, _ratios] if line else [_gated_image, _units_image, _ratios]
    with rc_context(STYLE):
        figure = Figure(figsize=(4.1 * len(above), 6.4), layout="constrained")
        axes = figure.subplots(2, len(above), squeeze=False)
        for axis, draw in zip(axes.ravel(), (*above, _losses, _overlaps), strict=False):
            draw(axis, answer)
            _legend(axis)
        for axis in axes.ravel()[len(above) + 2 :]:
            axis.remove()
    return figure


def _fields(axis: Axes, answer: "ReluCompareAnswer") -> None:
    law, w = answer.theory.problem.data, answer.trained.self_gated_weights[:, -1]
    (gated, _), (low, middle, high) = answer.aligned, answer.aligned_quartiles
    site = np.arange(law.n) - law.n // 2
    for unit, (field, colour, dash) in enumerate(zip(gated, _COLOURS, _DASHES, strict=False)):
        axis.plot(site, field, dash, color=colour, lw=1.3, label=f"theory, gated unit {unit}")
    axis.fill_between(site, low, high, color=COLOURS[1], alpha=0.25, lw=0, label="quartiles of the units")
    name = f"{answer.name} units, median"
    axis.plot(site, middle, "o", ms=2.8, mfc="white", mew=0.8, color=COLOURS[1], label=name)
    chance = mean_by_chance(w.reshape(-1, law.n), law)
    axis.plot(site, chance, "--", color=GREY, lw=0.9, label="random phases, mean")
    axis.axhline(0, color="black", lw=0.4)
    axis.set_title(f"fields at t = {answer.theory.times[-1]:g}, largest weight positive", fontsize=8)
    axis.set(xlabel="site from the centre of the field", ylabel="weight, 1/(units of x)")


def _gated_image(axis: Axes, answer: "ReluCompareAnswer") -> None:
    _image(axis, answer, answer.aligned[0][0], "theory, gated unit 0")


def _units_image(axis: Axes, answer: "ReluCompareAnswer") -> None:
    _image(axis, answer, mean_of_aligned(answer.aligned[1]), f"{answer.name} units, mean")


def _image(axis: Axes, answer: "ReluCompareAnswer", field: np.ndarray, name: str) -> None:
    image_of(axis, field.reshape(answer.theory.problem.data.shape))
    axis.set_title(f"{name}\nat t = {answer.theory.times[-1]:g}, moved to the centre", fontsize=8)


def _ratios(axis: Axes, answer: "ReluCompareAnswer") -> None:
    view, fine = answer.theory, answer.fine
    if fine.ratio is not None:
        against_time(axis, False, fine.times, fine.ratio.mean(axis=1), None, 0, "theory, gated")
    _measured(axis, answer, "participation_ratio", 1, _networks(answer))
    random = float(gaussian_ratio(view.problem.data.n))
    axis.axhline(random, color=GREY, ls="--", lw=0.9, label="random weights")
    axis.axhline(TIMES * random, color=GREY, ls=":", lw=0.9, label=f"local above: {TIMES} × random")
    axis.set(ylabel="no unit (1: one site, 1/n: flat)", ylim=(0, None))
    finish(axis, view.times, "inverse participation ratio, mean over units")


def _losses(axis: Axes, answer: "ReluCompareAnswer") -> None:
    view, fine = answer.theory, answer.fine
    against_time(axis, False, fine.times, fine.losses, None, 0, "theory, gated: of E w")
    _measured(axis, answer, "loss", 1, _networks(answer))
    axis.axhline(float(view.solution.mse), ls=":", color=GREY, lw=1.2, label="theory, t → ∞")
    axis.set(ylabel="units of y²")
    finish(axis, view.times, "loss ⟨(y − ŷ)²⟩")


def _overlaps(axis: Axes, answer: "ReluCompareAnswer") -> None:
    times = answer.theory.times
    _measured(axis, answer, "overlap", 1, "gate overlap")
    _measured(axis, answer, "cosine", 2, "cosine of the fields")
    axis.plot(times, answer.over_time()["chance"], "--", color=GREY, lw=0.9, label="gate overlap by chance")
    axis.set(ylabel="no unit (1: the same)", ylim=(min(0, axis.get_ylim()[0]), 1), yticks=np.linspace(0, 1, 6))
    finish(axis, times, f"{_networks(answer)} beside gates and gated fields")


def _measured(axis: Axes, answer: "ReluCompareAnswer", name: str, index: int, label: str) -> None:
    means = answer.over_time()
    if means[name] is not None:
        against_time(axis, True, answer.theory.times, means[name], means[f"{name}_standard_error"], index, label)


def _legend(axis: Axes) -> None:
    """A legend in two columns above all curves."""
    handles, names = axis.get_legend_handles_labels()
    if names:
        low, high = axis.get_ylim()
        axis.set_ylim(low, high + _ROOM * (high - low))
        axis.legend(handles, names, fontsize=7, ncols=2, loc="upper center")


def _networks(answer: "ReluCompareAnswer") -> str:
    return f"{len(answer.trained.run.replicates)} {answer.name} networks"
