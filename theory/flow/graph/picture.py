"""The picture of a graph over time: its loss, the sizes of its weights and the strengths of its paths."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float
from matplotlib import rc_context
from matplotlib.figure import Figure

from theory.flow.graph.strengths import largest
from theory.flow.picture import STYLE, against_time, distances, finish

MOST = 6  # the most weights or paths in a panel
_WIDTH, _HEIGHT = 4.4, 3.4  # the size of a panel in inches


@dataclass(frozen=True)
class Curves:
    """Numbers of a graph against time: of a theory (lines), or means of networks with standard errors (markers).

    losses (T) in units of y^2; `sizes` |W| by the name of a weight, `strengths` |s_p W_p| by the name of a path, each
    (T). Errors that are None, or have no entry of a name, are not drawn.
    """

    name: str
    times: Float[np.ndarray, " T"]
    losses: Float[np.ndarray, " T"]
    sizes: Mapping[str, Float[np.ndarray, " T"]]
    strengths: Mapping[str, Float[np.ndarray, " T"]]
    losses_error: Float[np.ndarray, " T"] | None = None
    sizes_error: Mapping[str, Float[np.ndarray, " T"]] = field(default_factory=dict)
    strengths_error: Mapping[str, Float[np.ndarray, " T"]] = field(default_factory=dict)
    measured: bool = False
    loss_name: str = "⟨|y − ŷ|²⟩"


def graph_picture(
    curves: Sequence[Curves], distance: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None = None
) -> Figure:
    """Draw the loss, the sizes of weights, the strengths of paths, and the distance from theory if given.

    Only the weights or paths that are largest at the end are shown; the title gives the total number. `distance` holds
    times, distances of the weights and both ends of their band.

    >>> times = np.array([1.0, 2.0])
    >>> figure = graph_picture([Curves("flow", times, times, {"A": times}, {"x -> y": times})])
    >>> [axis.get_ylabel() for axis in figure.axes]
    ['units of y²', '|W|', '|s W| along the path, units of y/x']
    """
    panels = 2 + any(one.strengths for one in curves) + (distance is not None)
    with rc_context(STYLE):
        figure = Figure(figsize=(_WIDTH * panels, _HEIGHT), layout="constrained")
        axes = iter(figure.subplots(1, panels))
        axis = next(axes)
        for index, one in enumerate(curves):
            against_time(axis, one.measured, one.times, one.losses, one.losses_error, index, one.name)
        axis.set(ylabel="units of y²")
        finish(axis, curves[0].times, f"loss {curves[0].loss_name}")
        _named(next(axes), curves, "sizes", "|W|", "sizes of weights")
        if any(one.strengths for one in curves):
            _named(next(axes), curves, "strengths", "|s W| along the path, units of y/x", "strengths of paths")
        if distance is not None:
            distances(next(axes), curves[0].times, [(curves[-1].name, distance)])
    return figure


def _named(axis, curves: Sequence[Curves], what: str, unit: str, title: str) -> None:
    """Draw the values of each name in one colour and dash: lines for theory, markers for networks."""
    count = len(getattr(curves[0], what))
    shown = largest(getattr(curves[0], what), MOST)
    for one in curves:
        errors = getattr(one, f"{what}_error")
        for index, name in enumerate(shown):
            said = name if one is curves[0] else None
            against_time(axis, one.measured, one.times, getattr(one, what)[name], errors.get(name), index, said)
    axis.set(ylabel=unit, ylim=(0, None))
    kinds = "; ".join(f"{'markers' if one.measured else 'lines'}: {one.name}" for one in curves)
    finish(axis, curves[0].times, f"{title}{f', the {len(shown)} largest of {count}' if count > MOST else ''}\n{kinds}")
