"""The figure of the race's modes: scalar equations as lines, the whole network as marks."""

from pathlib import Path

from derivations.experiments.folders import problem_named
from derivations.experiments.model import Data

NAME = "switch"
CAPTION = (
    "The strength of each path in both modes of the example: the scalar equations of the race (lines), and the flow of "
    "the whole network in the same vectors (marks). The path that is always open learns the mode that both signs "
    "share; the gated paths learn the mode that changes its sign."
)
_LAST, _LINE, _MARKS = 16.0, 161, 17  # tau; points of a line, and marks on it
_STEP = 1e-13  # the integrator's relative error, far below differences between machines


def data() -> Data:
    """The strength of every path over time, by mode: `line` of the scalar equations, `whole` of the network."""
    import numpy as np

    from theory.flow.graph.data import flow_of, moments_of
    from theory.flow.graph.integrate import split, weights_over_time
    from theory.flow.graph.known import Known
    from theory.flow.graph.reductions.race import race

    problem = problem_named(NAME)
    flow = flow_of(problem)
    found, start = race(problem, flow, Known(problem, flow)), split(problem, flow)
    tau, times, marks = float(problem.training.tau), np.linspace(0, _LAST, _LINE), np.linspace(0, _LAST, _MARKS)
    strengths = found.over_time(found.align(start).strengths, times.tolist(), tau, _STEP)
    whole = weights_over_time(flow, start, moments_of(problem, flow), tau, marks.tolist(), _STEP)
    panels: Data = {}
    for mode in range(flow.inputs):
        curves: dict = {"time": times.tolist(), "marks": marks.tolist(), "line": {}, "whole": {}}
        for path in flow.paths:
            names = [edge.weight for edge in path.edges]
            line = np.prod([strengths[name][:, mode] for name in names], axis=0)
            product = whole[names[1]] @ whole[names[0]]
            seen = np.einsum("i,tij,j->t", found.modes.outputs["y"][:, mode], product, found.modes.inputs[:, mode])
            curves["line"][str(path)] = np.round(line, 12).tolist()
            curves["whole"][str(path)] = np.round(seen, 12).tolist()
        panels[f"mode {mode + 1}"] = curves
    return panels


def draw(panels: Data, path: Path, mark: str) -> None:
    """Write the image, one panel a mode."""
    from derivations import plots
    from derivations.plots import BLUE, GREEN, ORANGE, STYLE, plt

    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, len(panels), figsize=(4.4 * len(panels), 3.2), squeeze=False)
        for axis, (title, curves) in zip(axes[0], panels.items(), strict=True):
            looks = zip((BLUE, ORANGE, GREEN), ("-", "--", ":"), "os^", strict=True)
            for (name, line), (colour, dash, shape) in zip(curves["line"].items(), looks, strict=True):
                axis.plot(curves["time"], line, dash, color=colour, lw=1.4, label=name.replace("->", "→"))
                axis.plot(curves["marks"], curves["whole"][name], shape, ms=3.5, mfc="white", color=colour, lw=0)
            axis.axhline(0, color="black", lw=0.5)
            axis.set(title=title, xlabel=r"time $t/\tau$", ylabel="strength of the path")
        axes[0][0].legend(fontsize=8, frameon=False)
    plots.save(figure, path, mark)
